/* idx.c: arrays as MNIST has them. */
#include "fuzz.h"

static const char *const specs[] = {"idx"};
READER(specs)
