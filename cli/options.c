/* options.c: the table of options of each command, and the parser for them.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Options may be anywhere after the command: --name value, --name=value, -o FILE, -oFILE, -qv. "--" ends the options;
 * "-" is an operand. Help is printed from the same tables. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define AT(field) offsetof(cli, field)
#define FORMAT {"format", 0, OPT_TEXT, AT(format), "SPEC", "format of the data read, e.g. csv or 'mat(key=X)'; otherwise by the file's ending"}
#define OUTPUT_FORMAT {"output-format", 0, OPT_TEXT, AT(output_format), "SPEC", \
    "format of the numbers written; otherwise by the file's ending"}
#define LABEL_COLUMN {"label-column", 0, OPT_TEXT, AT(label_column), "NAME|INDEX", \
    "the column of a CSV that holds labels: name, or number from 0"}
#define TRIPLETS \
    {"triplets", 0, OPT_TEXT, AT(triplets), "FILE", "row numbers of X, from 0: an object, one that belongs to it (positive) and, in a third column, one that does not (negative)"}, \
    {"positive", 0, OPT_TEXT, AT(positive), "FILE", "a positive for each object of X, row by row, instead of --triplets"}, \
    {"negative", 0, OPT_TEXT, AT(negative), "FILE", "with --positive: a negative for each object of X, row by row; otherwise drawn at random"}, \
    {"augment", 0, OPT_TEXT, AT(augment), "AUGMENT", "how positives are made where none are given, e.g. 'noise(0.1)'; sets the model's parameter augment"}

const option shared_options[] = {
    {"threads", 0, OPT_COUNT, AT(threads), "N", "threads to use; otherwise all cores; never changes a result"},
    {"seed", 0, OPT_SEED, AT(seed), "N", "seed of everything random; otherwise 0"},
    {"memory", 0, OPT_BYTES, AT(memory), "SIZE", "limit on the memory used, e.g. 8G; otherwise 80% of what is available"},
    {"quiet", 'q', OPT_FLAG, AT(quiet), NULL, "no summary, no advice, no progress bar"},
    {"verbose", 'v', OPT_FLAG, AT(verbose), NULL, "also say what was read and what was chosen"},
    {"help", 'h', OPT_FLAG, AT(help), NULL, "this help"},
    {0}
};

const option fit_options[] = {
    {"kernel", 'k', OPT_TEXT, AT(kernel), "KERNEL",
     "how two objects compare, e.g. 'rbf(sigma=median)'; otherwise the model's own choice"},
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the model, e.g. m.rkhs"},
    {"z", 'z', OPT_TEXT, AT(z), "FILE", "write the embedding of the training objects, e.g. Z.npy"},
    {"labels", 0, OPT_TEXT, AT(labels), "FILE", "class labels of the objects, for models that learn from them"},
    {"target", 0, OPT_TEXT, AT(target), "FILE", "numbers to predict or follow, for models that learn from them"},
    {"start", 0, OPT_TEXT, AT(start), "FILE", "the initial embedding, for models that are optimised step by step"},
    TRIPLETS, LABEL_COLUMN, FORMAT, OUTPUT_FORMAT, {0}
};

const option transform_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the embedding, e.g. Z.npy; otherwise to standard output"},
    {"place", 0, OPT_TEXT, AT(place), "WAY", "how new objects are placed: map, refine or neighbour, where the model has several ways; otherwise by its parameter place"},
    LABEL_COLUMN, FORMAT, OUTPUT_FORMAT, {0}
};

const option inverse_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the objects, e.g. X.npy; otherwise to standard output"},
    FORMAT, OUTPUT_FORMAT, {0}
};

const option anomaly_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the scores, one a row, e.g. s.npy; otherwise to standard output"},
    {"by", 0, OPT_TEXT, AT(by), "SCORE", "error, density or both; otherwise error, and density for a precomputed Gram"},
    {"place", 0, OPT_TEXT, AT(place), "WAY", "how new objects are placed, as in transform"},
    LABEL_COLUMN, FORMAT, OUTPUT_FORMAT, {0}
};

const option update_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the model, e.g. m2.rkhs"},
    {"z", 'z', OPT_TEXT, AT(z), "FILE", "write the embedding of all objects, the old ones first, e.g. Z.npy"},
    {"target", 0, OPT_TEXT, AT(target), "FILE", "numbers to predict, one row for each of X, for a model that learned from such"},
    LABEL_COLUMN, FORMAT, OUTPUT_FORMAT, {0}
};

const option gram_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the matrix, e.g. K.npy; otherwise to standard output"},
    {"rows", 0, OPT_TEXT, AT(rows), "FROM:TO", "only these rows of the matrix of A with itself, counted from 0, TO excluded; the same bits as in the whole"},
    {"merge", 0, OPT_FLAG, AT(merge), NULL, "join files made with --rows: name them, in order, instead of KERNEL and A"},
    LABEL_COLUMN, FORMAT, OUTPUT_FORMAT, {0}
};

const option sample_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the objects, e.g. X.npy; otherwise to standard output"},
    {"labels-out", 0, OPT_TEXT, AT(labels_out), "FILE", "write their class labels, e.g. y.npy"},
    {"format", 0, OPT_TEXT, AT(output_format), "SPEC", "format of the data written, e.g. csv; otherwise by the file's ending"},
    {0}
};

const option plot_options[] = {
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the picture: .svg, .png or .pdf; otherwise SVG to standard output"},
    {"labels", 0, OPT_TEXT, AT(labels), "FILE", "class labels of the points: colours and a legend"},
    {"target", 0, OPT_TEXT, AT(target), "FILE", "a number for each point: a colour scale"},
    {"title", 't', OPT_TEXT, AT(title), "TEXT", "a title above the picture"},
    {"titles", 0, OPT_TEXT, AT(titles), "A,B,...", "a title above each panel; otherwise the names of the files"},
    {"new", 0, OPT_TEXT, AT(new_z), "FILE", "an embedding of new objects, drawn on top with dark outlines"},
    {"new-labels", 0, OPT_TEXT, AT(new_labels), "FILE", "class labels of the new points"},
    {"objects", 0, OPT_TEXT, AT(objects), "FILE", "the objects, images (n x h x w, a folder of PNG) or graphs: some are drawn at their points"},
    {"image-size", 0, OPT_TEXT, AT(image_size), "HxW", "height and width of images that are stored as rows of numbers and are not square"},
    {"model", 0, OPT_TEXT, AT(model), "MODEL", "draw the eigenvalues or losses in a model's report"},
    {"gram", 0, OPT_TEXT, AT(gram), "FILE", "draw a kernel matrix as colours, sorted by --labels"},
    LABEL_COLUMN, FORMAT, {0}
};

const option score_options[] = {
    {"z", 'z', OPT_TEXT, AT(z), "FILE", "the embedding to score (required)"},
    {"x", 'x', OPT_TEXT, AT(x), "FILE", "the objects that were embedded, for scores that compare with them"},
    {"labels", 0, OPT_TEXT, AT(labels), "FILE", "class labels, for scores that need them; these skip rows whose label is ?, NA or empty"},
    {"kernel", 'k', OPT_TEXT, AT(kernel), "KERNEL", "kernel whose distances between objects are used; otherwise Euclidean distances"},
    {"new-z", 0, OPT_TEXT, AT(new_z), "FILE", "an embedding of new objects: they are scored, with their neighbours among the rows of --z"},
    {"new-x", 0, OPT_TEXT, AT(new_x), "FILE", "the new objects"},
    {"new-labels", 0, OPT_TEXT, AT(new_labels), "FILE", "class labels of the new objects"},
    {"json", 0, OPT_FLAG, AT(json), NULL, "print one JSON object with all digits"},
    LABEL_COLUMN,
    {"format", 0, OPT_TEXT, AT(format), "SPEC", "format of the file of --x, or without --x of that of --z; otherwise by the file's ending"},
    {0}
};

const option list_options[] = {
    {"json", 0, OPT_FLAG, AT(json), NULL, "print everything as one JSON object, for programs"},
    {0}
};

const option select_options[] = {
    {"try", 0, OPT_MANY, AT(tries), "NAME=VALUES",
     "values for the hole NAME: a list 1,2,5; n values from a to b by log(a,b,n) or lin(a,b,n); with --draws also a range log(a,b) or lin(a,b)"},
    {"by", 0, OPT_TEXT, AT(by), "SCORE", "the score that decides, or 'error' (required)"},
    {"kernel", 'k', OPT_TEXT, AT(kernel), "KERNEL", "how two objects compare, with holes: 'rbf(sigma=?)'"},
    {"labels", 0, OPT_TEXT, AT(labels), "FILE", "class labels, for scores that need them; ?, NA or empty: the row has none"},
    {"unlabelled", 0, OPT_TEXT, AT(unlabelled), "LABEL", "a label that means that the row has none, e.g. -1"},
    {"target", 0, OPT_TEXT, AT(target), "FILE", "numbers to predict, for models that learn from them"},
    TRIPLETS,
    {"folds", 0, OPT_WHOLE, AT(folds), "N", "N-fold cross-validation: fit on all folds but one, score that one, take the mean"},
    {"draws", 0, OPT_WHOLE, AT(draws), "N", "try only N combinations, drawn at random by --seed"},
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write the best model, fitted on all rows, e.g. best.rkhs"},
    {"z", 'z', OPT_TEXT, AT(z), "FILE", "write its embedding, e.g. Z.npy"},
    {"table", 0, OPT_TEXT, AT(table), "FILE", "write all results, separated by tabs, e.g. tried.tsv"},
    {"resume", 0, OPT_TEXT, AT(resume), "FILE", "append each result to this file, and skip what it has already: continues a search that was stopped"},
    {"json", 0, OPT_FLAG, AT(json), NULL, "print one JSON object with all digits"},
    LABEL_COLUMN, FORMAT, OUTPUT_FORMAT, {0}
};

const option dimension_options[] = {
    {"kernel", 'k', OPT_TEXT, AT(kernel), "KERNEL", "kernel whose eigenvalues are shown; otherwise the default of kpca"},
    {"json", 0, OPT_FLAG, AT(json), NULL, "print one JSON object with all digits"},
    LABEL_COLUMN, FORMAT, {0}
};

const option explain_options[] = {
    {"top", 0, OPT_WHOLE, AT(top), "N", "number of pulls and of pushes shown for each object; otherwise 5"},
    {"output", 'o', OPT_TEXT, AT(output), "FILE", "write a table, .csv or .json, or a picture, .svg, .png or .pdf"},
    {"json", 0, OPT_FLAG, AT(json), NULL, "print JSON with all digits"},
    {"title", 't', OPT_TEXT, AT(title), "TEXT", "a title above the picture"},
    {"image-size", 0, OPT_TEXT, AT(image_size), "HxW", "height and width of images that are stored as rows of numbers and are not square"},
    LABEL_COLUMN, FORMAT, {0}
};

const option no_options[] = {{0}};
/* clang-format on */

/* Finds an option of c's command, or of all commands, by its name (length bytes) or its letter. */
static const option *find_option(const cli *c, const char *name, size_t length, char letter) {
    const option *tables[] = {c->command->options, shared_options};
    for (int t = 0; t < 2; t++) {
        for (const option *o = tables[t]; o->name != NULL; o++) {
            if (letter != 0 ? o->letter == letter : strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
        }
    }
    return NULL;
}

int takes_option(const cli *c, const char *name) { return find_option(c, name, strlen(name), 0) != NULL; }

/* Refuses an unknown option, and suggests the nearest name. */
static rkhs_status unknown_option(cli *c, const char *typed, size_t length) {
    const char *names[64], *near;
    int count = 0;
    const option *tables[] = {c->command->options, shared_options};
    for (int t = 0; t < 2; t++) {
        for (const option *o = tables[t]; o->name != NULL && count < 64; o++) names[count++] = o->name;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), typed);
    near = rk_nearest_name(word + strspn(word, "-"), names, count);
    if (near != NULL) return refuse(c, EXIT_MISUSED, "there is no option %s; did you mean --%s?", word, near);
    return refuse(c, EXIT_MISUSED, "there is no option %s", word);
}

/* Reads "500M", "8G", "8GB" (powers of 1000) or "8GiB" (of 1024) as bytes. Returns 0 if it is not a size. */
static size_t parse_bytes(const char *s) {
    static const char letters[] = "KMGTP";
    char *end;
    double value = strtod(s, &end), unit = 1;
    if (end == s || !(value > 0)) return 0;
    const char *at = *end != 0 ? strchr(letters, *end >= 'a' ? *end - 32 : *end) : NULL;
    if (at != NULL) {
        double base = end[1] == 'i' ? 1024 : 1000;
        unit = pow(base, (double)(at - letters + 1));
        end += base > 1000 ? 2 : 1;
    }
    if (*end == 'B' || *end == 'b') end++;
    value *= unit;
    if (*end != 0 || !(value >= 1) || value > 9e18) return 0;
    return (size_t)value;
}

/* Stores the value of option o in its field of struct cli. */
static rkhs_status store(cli *c, const option *o, const char *value) {
    char *end, *field = (char *)c + o->offset;
    if (o->kind == OPT_FLAG) *(int *)(void *)field = 1;
    if (o->kind == OPT_TEXT) {
        if (*value == 0) return refuse(c, EXIT_MISUSED, "--%s is empty: give it %s", o->name, o->value);
        *(const char **)(void *)field = value;
    }
    if (o->kind == OPT_COUNT) {
        errno = 0;
        long n = strtol(value, &end, 10);
        if (end == value || *end != 0 || errno != 0 || n < 0 || n > 1024) {
            return refuse(c, EXIT_MISUSED, "--%s takes a number from 1 to 1024 (0: all), not '%s'", o->name, value);
        }
        *(int *)(void *)field = (int)n;
    }
    if (o->kind == OPT_WHOLE) {
        errno = 0;
        long n = strtol(value, &end, 10);
        if (end == value || *end != 0 || errno != 0 || n < 1 || n > 1000000)
            return refuse(c, EXIT_MISUSED, "--%s takes a whole number from 1 to 1000000, not '%s'", o->name, value);
        *(int *)(void *)field = (int)n;
    }
    if (o->kind == OPT_MANY) {
        struct many *many = (struct many *)(void *)field;
        if (many->count == MAX_MANY)
            return refuse(c, EXIT_MISUSED, "--%s is given more than %d times, which is the limit", o->name, MAX_MANY);
        many->value[many->count++] = value;
    }
    if (o->kind == OPT_SEED) {
        errno = 0;
        unsigned long long n = strtoull(value, &end, 10);
        if (end == value || *end != 0 || errno != 0 || strchr(value, '-') != NULL) {
            return refuse(c, EXIT_MISUSED, "--%s takes a whole number from 0 to 2^64-1, not '%s'", o->name, value);
        }
        *(uint64_t *)(void *)field = n;
    }
    if (o->kind == OPT_BYTES) {
        size_t bytes = parse_bytes(value);
        if (bytes == 0) return refuse(c, EXIT_MISUSED, "--%s takes a size such as 500M or 8G, not '%s'", o->name, value);
        *(size_t *)(void *)field = bytes;
    }
    return RKHS_OK;
}

/* The value of an option without "=": the next word, unless that is an option. */
static rkhs_status next_value(cli *c, const option *o, const char *typed, int argc, char **argv, int *i, const char **value) {
    if (*i + 1 >= argc || (strncmp(argv[*i + 1], "--", 2) == 0)) {
        return refuse(c, EXIT_MISUSED, "%s needs a value: %s %s", typed, typed, o->value);
    }
    *value = argv[++*i];
    return RKHS_OK;
}

/* Reads --name, --name=value or --name value at argv[*i]. */
static rkhs_status parse_long(cli *c, int argc, char **argv, int *i) {
    rkhs_status status;
    const char *typed = argv[*i], *equals = strchr(typed, '=');
    size_t length = equals != NULL ? (size_t)(equals - typed) : strlen(typed);
    const option *o = find_option(c, typed + 2, length - 2, 0);
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (o == NULL) return unknown_option(c, typed, length);
    if (o->kind == OPT_FLAG && value != NULL) REFUSE(c, EXIT_MISUSED, "--%s takes no value", o->name);
    if (o->kind != OPT_FLAG && value == NULL) TRY(next_value(c, o, typed, argc, argv, i, &value));
    status = store(c, o, value);
done:
    return status;
}

/* Reads -q, -qv, -oFILE or -o FILE at argv[*i]. */
static rkhs_status parse_letters(cli *c, int argc, char **argv, int *i) {
    rkhs_status status = RKHS_OK;
    for (const char *at = argv[*i] + 1; *at != 0; at++) {
        char typed[3] = {'-', *at, 0};
        const option *o = find_option(c, NULL, 0, *at);
        const char *value = at + 1;
        if (o == NULL)
            return unknown_option(c, at == argv[*i] + 1 ? argv[*i] : typed, at == argv[*i] + 1 ? strlen(argv[*i]) : 2);
        if (o->kind == OPT_FLAG) {
            TRY(store(c, o, NULL));
            continue;
        }
        if (*value == 0) TRY(next_value(c, o, typed, argc, argv, i, &value));
        return store(c, o, value);
    }
done:
    return status;
}

/* Checks the number of operands, and that no file is given in place of a spec. */
static rkhs_status check_count(cli *c) {
    const command *cmd = c->command;
    if (c->merge) { /* any number of parts */
        if (c->count > 0) return RKHS_OK;
        return refuse(c, EXIT_MISUSED, "the parts are missing: rkhs %s --merge PART...", cmd->name);
    }
    if (c->count < cmd->min_operands) {
        const char *name = cmd->operands;
        for (int i = 0; i < c->count; i++) name = strchr(name, ' ') + 1;
        return refuse(c, EXIT_MISUSED, "%.*s is missing: rkhs %s %s", (int)strcspn(name, " "), name, cmd->name, cmd->operands);
    }
    if (c->count > cmd->max_operands) {
        return refuse(c, EXIT_MISUSED, "'%s' is one operand too many: rkhs %s %s", c->operand[cmd->max_operands], cmd->name,
                      cmd->operands);
    }
    int spec_first = cmd->operands[0] == '\'' && cmd->run != run_score;
    if (spec_first && strpbrk(c->operand[0], "./") != NULL && access(c->operand[0], F_OK) == 0) {
        return refuse(c, EXIT_MISUSED, "%s is a file, and the spec comes first: rkhs %s %s", c->operand[0], cmd->name,
                      cmd->operands);
    }
    return RKHS_OK;
}

/* Refuses to read standard input twice. */
static rkhs_status check_inputs(cli *c) {
    const char *more[] = {c->labels,     c->target,  c->x,        c->new_z,
                          c->new_x,      c->objects, c->gram,     c->command->run == run_score ? c->z : NULL,
                          c->new_labels, c->start,   c->triplets, c->positive,
                          c->negative};
    int inputs = 0;
    for (int i = 0; i < c->count + (int)(sizeof more / sizeof *more); i++) {
        const char *path = i < c->count ? c->operand[i] : more[i - c->count];
        inputs += path != NULL && strcmp(path, "-") == 0;
    }
    if (inputs > 1) return refuse(c, EXIT_MISUSED, "standard input (-) can be read only once; give a file for the other");
    return RKHS_OK;
}

int options_parse(cli *c, int argc, char **argv) {
    rkhs_status status = RKHS_OK;
    int ended = 0;
    c->operand = calloc((size_t)argc + 1, sizeof *c->operand);
    if (c->operand == NULL) return finish(c, refuse(c, EXIT_FAILED, "no memory"));
    for (int i = 0; i < argc; i++) {
        /* No option begins with a digit: -1*rbf is a kernel, which the library refuses with a reason. */
        if (ended || argv[i][0] != '-' || argv[i][1] == 0 || (argv[i][1] >= '0' && argv[i][1] <= '9')) {
            c->operand[c->count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            ended = 1;
        } else if (argv[i][1] == '-') {
            TRY(parse_long(c, argc, argv, &i));
        } else {
            TRY(parse_letters(c, argc, argv, &i));
        }
    }
    c->words = argv;
    c->word_count = argc;
    c->typed = c->operand[0];
    if (!c->help) TRY(check_count(c));
    if (!c->help) TRY(check_inputs(c));
done:
    return finish(c, status);
}
