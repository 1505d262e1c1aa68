/* npz.c: NumPy's archives, dense and sparse; the ZIP reader with them. */
#include "fuzz.h"

static const char *const specs[] = {"npz", "npz(key=x)"};
READER(specs)
