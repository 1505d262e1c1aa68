/* png.c: one image. */
#include "fuzz.h"

static const char *const specs[] = {"png"};
READER(specs)
