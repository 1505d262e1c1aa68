/* gin.c: graphs in one text. */
#include "fuzz.h"

static const char *const specs[] = {"gin", "gin(tags=false)"};
READER(specs)
