/* cli.h: what the files of the tool share.  SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c finds the command, options.c reads its options into one struct, the command runs and returns through finish().
 * The tool knows the library by rkhs.h, and by base/shared.h. */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rkhs.h"
#include "base/shared.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 }; /* and 128 + signal when stopped */

typedef struct cli cli;

/* ---- options ------------------------------------------------------------------------------------------------------- */

typedef enum option_kind {
    OPT_FLAG,  /* int */
    OPT_TEXT,  /* const char * */
    OPT_COUNT, /* int, 0 or more */
    OPT_WHOLE, /* int, 1 or more */
    OPT_MANY,  /* struct many: may be given more than once */
    OPT_SEED,  /* uint64_t */
    OPT_BYTES  /* size_t: 500M, 8G, 8GiB */
} option_kind;

/* The values of an option that may be given more than once. */
enum { MOST_MANY = 16 };
struct many {
    const char *value[MOST_MANY];
    int count;
};

typedef struct option {
    const char *name; /* NULL ends a table */
    char letter;      /* 0: none */
    option_kind kind;
    size_t offset;     /* in struct cli */
    const char *value; /* what help calls its value; NULL for a flag */
    const char *brief;
} option;

extern const option shared_options[], fit_options[], transform_options[], inverse_options[], anomaly_options[],
    update_options[], explain_options[], gram_options[], sample_options[], plot_options[], score_options[], list_options[],
    select_options[], dimension_options[], no_options[];

typedef struct command {
    const char *name; /* NULL ends the table */
    const char *group;
    const char *operands; /* "'SPEC' X", "[LIST] [NAME]", "'SCORE'...", as help shows them */
    int least, most;      /* how many operands */
    const char *brief;    /* completes "rkhs NAME: " */
    int (*run)(cli *c);
    const option *options;
    const char *list; /* whose types end the help; or NULL */
    const char *more; /* a paragraph for its help */
    const char *examples;
} command;

extern const command commands[];

/* One run of the tool: the command, what was typed, the env. */
struct cli {
    const command *command;
    rkhs_env *env;
    const char **operand;
    int count;
    const char *output, *z, *x, *kernel, *labels, *target, *label_column, *labels_out, *format, *output_format, *title, *rows;
    const char *start, *place; /* of fit and transform */
    const char *triplets, *positive, *negative, *augment;
    rkhs_spec *spec;                              /* the first operand, with --augment set */
    const char *new_z, *new_x, *new_labels;       /* of score */
    const char *by, *table, *resume, *unlabelled; /* select; by: of anomaly too */
    struct many tries;
    int folds, draws;
    const char *model, *gram, *objects, *image_size, *titles; /* of plot */
    int top;                                                  /* of explain */
    int threads, quiet, verbose, json, help, merge;
    uint64_t seed;
    size_t memory;
    double *held[6]; /* numbers that data borrow, given back at the end */
    int holds;
    char subject[512];  /* the files that a complaint about data is about, where the library cannot know them */
    double started;     /* seconds */
    char message[1024]; /* a refusal of the tool's own; empty: the library's message counts */
    int code;           /* the exit code that goes with it */
};

/* Reads what follows the command into c; 0, or the exit code after a sentence on stderr. */
int options_parse(cli *c, int argc, char **argv);

/* ---- session.c: how a command begins and ends ---------------------------------------------------------------------------- */

#define REFUSE(c, code, ...)                                                                                                   \
    do {                                                                                                                       \
        status = refuse((c), (code), __VA_ARGS__);                                                                             \
        goto done;                                                                                                             \
    } while (0)

/* Makes the env from the shared options. */
rkhs_status begin(cli *c);

/* Notes a sentence and the exit code that goes with it; always returns RKHS_ERR_ARGUMENT. */
rkhs_status refuse(cli *c, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Names the files that data came from, for complaints about them; b may be NULL. */
void set_subject(cli *c, const char *a, const char *b);

/* Says on stderr why a command failed, if it did, and gives the exit code. */
int finish(cli *c, rkhs_status status);

/* A line on stderr, "rkhs: ..." or "rkhs fit: ..."; bytes that would steer a terminal are replaced. */
void say(const char *who, const char *sentence);

/* Refuses outputs that are folders, lie in no folder, or would overwrite an input or each other; before any work is done. */
rkhs_status check_outputs(cli *c, const char *const *outputs, int count);

/* Refuses a name whose ending, or a --output-format that, no format can write; before any work is done. */
rkhs_status check_format(cli *c, const char *path, const char *format);

/* c->output, or "-" when stdout is not a terminal; refuses otherwise. */
rkhs_status result_path(cli *c, const char **path);

/* Reads X, or what stands for it, with --format and --label-column. */
rkhs_status read_data(cli *c, const char *path, const rkhs_kernel *kernel, rkhs_data **data);
/* The same without --label-column. */
rkhs_status read_plain(cli *c, const char *path, rkhs_data **data);
/* Reads --target. */
rkhs_status read_target(cli *c, const char *path, rkhs_data **data);
/* Reads --labels; `column` or NULL picks a column of a CSV. */
rkhs_status read_labels(cli *c, const char *path, const char *column, rkhs_data **labels);
/* The type that a spec is of; 0: the spec is refused, and the env says why. */
int type_of_spec(cli *c, const char *list, const char *spec, rkhs_type *type);
/* Whether a kernel reads its values from the data, which are rows of a Gram. */
int reads_gram(cli *c, const char *kernel);
/* Whether a model takes labels as its second data set. */
int learns_labels(cli *c, const char *spec);
/* The labels in --label-column of X if the model learns from labels, which is said; else NULL. */
const rkhs_data *own_labels(cli *c, const char *model, const rkhs_data *x);
/* Refuses a file of labels, NULL if there is none, whose first may be a header: one more than there are rows. */
rkhs_status check_header(cli *c, const char *path, const rkhs_data *labels, int64_t rows);
/* Says that -1 is a class, where it stands beside classes that are numbered. */
void say_minus_one(const cli *c, const char *path, const rkhs_data *labels);
/* Write data (with --output-format), labels, a model, or n x p numbers; "-" is stdout. Nothing once a stop was asked for. */
rkhs_status write_data(cli *c, const rkhs_data *data, const char *path);
rkhs_status write_labels(cli *c, const rkhs_data *labels, const char *path);
rkhs_status write_model(cli *c, const rkhs_model *m, const char *path);
rkhs_status write_numbers(cli *c, const double *values, int64_t n, int64_t p, const char *path);
/* After rkhs_files_begin: gives the files that wait their names, unless a stop was asked for. */
rkhs_status commit_files(cli *c);

/* n x p doubles, or a refusal when that is over the memory limit; `what` begins the sentence. */
rkhs_status take_numbers(cli *c, const char *what, int64_t n, int64_t p, double **values);

/* 1 when path ends in `ending`, whatever the case, with or without .gz. */
int ends_in(const char *path, const char *ending);

/* ---- progress.c: the bar and Ctrl-C ---------------------------------------------------------------------------------- */

void progress_start(cli *c);
void progress_erase(void);
/* The signal that asked to stop, or 0. */
int stop_signal(void);
/* Around calls that write: a stop then waits for the temporary file to be removed. */
void writing_now(int on);

/* ---- help.c ----------------------------------------------------------------------------------------------------------- */

/* Three lines to begin with, as the overview shows them. */
extern const char help_begin[];
void help_overview(FILE *out);
void help_command(FILE *out, const command *cmd);
const command *find_command(const char *name);
const char *nearest_command(const char *name);
/* Text in columns [indent, terminal width), continued lines indented; `at` is where the first line stands now. */
void wrap(FILE *out, int at, int indent, const char *text);

/* A spec to show: of a long list the first few, and how many there are. */
enum { SPEC_ROOM = 800 };
const char *spec_short(const char *spec, char out[SPEC_ROOM]);

/* list.c: prints list, type, or all; 0 when there is none of that name. */
int list_show(FILE *out, const char *list, const char *type);
/* The names and sentences of one list, indented by two. */
void list_brief(FILE *out, const char *list);

/* json.c: the same tables for programs; json_lists gives 0, and prints nothing, when there is none of that name. */
int json_lists(FILE *out, const char *list, const char *type);
void json_commands(FILE *out);

/* ---- text.c: text that grows -------------------------------------------------------------------------------------------- */

typedef struct text {
    char *s;
    size_t length, room;
    int failed; /* no memory */
} text;

void text_add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_bytes(text *t, const char *bytes, size_t count);
/* XML text of at most `limit` columns: control characters replaced, right-to-left text isolated,
 * the rest cut with an ellipsis. */
void text_xml(text *t, const char *s, int limit);
/* The same, without XML and without isolating. */
void text_plain(text *t, const char *s, int limit);
/* A text from outside, of at most `length` bytes, on a terminal: what would steer it, turn the direction of what follows, begin
 * a line or is no UTF-8 is shown as \x1b, \u202e. Returns the columns; out may be NULL. */
int print_safe(FILE *out, const char *s, size_t length);
/* The same, and blanks up to a width. */
int print_padded(FILE *out, const char *s, int width);
/* The same as a JSON string in quotes. */
void json_text(FILE *out, const char *s);
/* Columns that text_xml would fill; wide characters count twice. */
int text_columns(const char *s, int limit);
void text_free(text *t);

/* Writes it as a file; "-" is stdout. */
rkhs_status text_write(cli *c, const text *t, const char *path);

/* ---- commands ----------------------------------------------------------------------------------------------------------- */

/* The share of the variance that all dimensions explain together, where the report has it. */
int explained_share(const rkhs_model *m, double *share);
/* What a fit ends with: the model to -o and the embedding to -z, both or none; a line on stderr. */
rkhs_status write_fit(cli *c, const rkhs_model *m);
void say_summary(const cli *c, const rkhs_model *m);
/* What a model learns from beside X: refuses options that do not go together; reads --triplets, --positive and --negative, or
 * --target, into *y, which stays NULL without; and the file of these that complaints are about. */
rkhs_status check_supervision(cli *c);
rkhs_status read_supervision(cli *c, const rkhs_kernel *kernel, const rkhs_data *x, rkhs_data **y);
const char *supervision_file(const cli *c);
/* Sets the parameter augment of the first operand to --augment. */
rkhs_status set_augment(cli *c);
/* Refuses a -o that is named as numbers are. */
rkhs_status check_model_name(cli *c);

/* A number in (0, 1) that depends on the arguments alone. */
double uniform_of(uint64_t seed, uint64_t stream, uint64_t index);

int run_fit(cli *c);
int run_transform(cli *c);
int run_inverse(cli *c);
int run_anomaly(cli *c);
int run_update(cli *c);
int run_plot(cli *c);
int run_info(cli *c);
int run_explain(cli *c);
int run_score(cli *c);
int run_gram(cli *c);
int run_sample(cli *c);
int run_list(cli *c);
int run_select(cli *c);
int run_dimension(cli *c);

#endif
