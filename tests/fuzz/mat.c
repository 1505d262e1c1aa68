/* mat.c: MATLAB's files: matrices, sparse ones, text, packed or not. */
#include "fuzz.h"

static const char *const specs[] = {"mat", "mat(key=x)"};
READER(specs)
