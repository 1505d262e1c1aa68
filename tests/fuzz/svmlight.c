/* svmlight.c: sparse rows as text. */
#include "fuzz.h"

static const char *const specs[] = {"svmlight", "svmlight(base=0)", "svmlight(base=1, columns=9)"};
READER(specs)
