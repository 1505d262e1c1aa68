/* fasta.c: sequences under their names. */
#include "fuzz.h"

static const char *const specs[] = {"fasta", "fasta(label=1)", "fasta(label=2)"};
READER(specs)
