/* labels.c: class labels from text and from NumPy arrays. */
#include "fuzz.h"

static const char *const specs[] = {"csv", "npy", "csv(header=yes)", "csv(header=no)", "tsv", "csv(label=-1)", "npz",
                                    "idx", "mat"};
LABEL_READER(specs)
