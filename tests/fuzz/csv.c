/* csv.c: tables as text, with every option of the reader. */
#include "fuzz.h"

static const char *const specs[] = {
    "csv",
    "csv(header=yes)",
    "csv(header=no)",
    "csv(label=-1)",
    "csv(label=0, header=no)",
    "csv(label=word)",
    "csv(delimiter=space)",
    "csv(delimiter=semicolon, label=1)",
    "tsv",
    "tsv(label=0)",
    "csv(text=0)",
    "csv(text=-1, label=0)",
    "tsv(text=word)",
};
READER(specs)
