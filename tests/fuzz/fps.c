/* fps.c: fingerprints as text. */
#include "fuzz.h"

static const char *const specs[] = {"fps"};
READER(specs)
