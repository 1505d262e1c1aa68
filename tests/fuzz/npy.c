/* npy.c: NumPy arrays. */
#include "fuzz.h"

static const char *const specs[] = {"npy"};
READER(specs)
