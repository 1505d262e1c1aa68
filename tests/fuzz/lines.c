/* lines.c: text, a string in each line. */
#include "fuzz.h"

static const char *const specs[] = {"lines"};
READER(specs)
