/* cli.h: the struct of one run of the tool, and the functions that its files share.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c finds the command, options.c reads its options into struct cli, the command runs and returns through
 * finish(). The tool uses the library through rkhs.h, and base/shared.h. */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rkhs.h"
#include "base/shared.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 }; /* or 128 + the signal when stopped */

typedef struct cli cli;

/* ---- options --------------------------------------------------------------------------------------------------- */

typedef enum option_kind {
    OPT_FLAG,  /* int */
    OPT_TEXT,  /* const char * */
    OPT_COUNT, /* int, 0 or more */
    OPT_WHOLE, /* int, 1 or more */
    OPT_MANY,  /* struct many: may be repeated */
    OPT_SEED,  /* uint64_t */
    OPT_BYTES  /* size_t, as 500M, 8G, 8GiB */
} option_kind;

/* The values of a repeated option. */
enum { MAX_MANY = 16 };
struct many {
    const char *value[MAX_MANY];
    int count;
};

typedef struct option {
    const char *name; /* NULL: end of the table */
    char letter;      /* 0: none */
    option_kind kind;
    size_t offset;     /* in struct cli */
    const char *value; /* the placeholder in help; NULL for a flag */
    const char *brief;
} option;

extern const option shared_options[], fit_options[], transform_options[], inverse_options[], anomaly_options[],
    update_options[], explain_options[], gram_options[], sample_options[], plot_options[], score_options[], list_options[],
    select_options[], dimension_options[], no_options[];

typedef struct command {
    const char *name; /* NULL: end of the table */
    const char *group;
    const char *operands;           /* as help shows them: "'SPEC' X", "[LIST] [NAME]", "'SCORE'..." */
    int min_operands, max_operands; /* number of operands */
    const char *brief;              /* completes "rkhs NAME: " */
    int (*run)(cli *c);
    const option *options;
    const char *list; /* list whose types help shows at the end; or NULL */
    const char *more; /* a paragraph for help */
    const char *examples;
} command;

extern const command commands[];

/* One run of the tool: the command, its operands and options, the env. */
struct cli {
    const command *command;
    rkhs_env *env;
    const char **operand;
    int count;
    char **words; /* all that was typed after the command */
    int word_count;
    const char *typed; /* the first operand, as typed */
    const char *output, *z, *x, *kernel, *labels, *target, *label_column, *labels_out, *format, *output_format, *title, *rows;
    const char *start, *place; /* fit and transform */
    const char *triplets, *positive, *negative, *augment;
    rkhs_spec *spec;                              /* owned: the first operand with --augment set */
    const char *new_z, *new_x, *new_labels;       /* score */
    const char *by, *table, *resume, *unlabelled; /* select; by: also anomaly */
    struct many tries;
    int folds, draws;
    const char *model, *gram, *objects, *image_size, *titles; /* plot */
    int top;                                                  /* explain */
    int threads, quiet, verbose, json, help, merge;
    uint64_t seed;
    size_t memory;
    double *owned[6]; /* owned arrays that data borrow, freed at the end */
    int owned_count;
    char subject[512];       /* files to name in messages about data, where the library does not know them */
    double started;          /* seconds */
    char message[1024];      /* the tool's own error message; empty: the library's message is shown */
    int code;                /* the exit code of `message` */
    char from_library[1280]; /* what library_message returns */
};

/* Reads the words after the command into c. Returns 0, or an exit code after a message on stderr. */
int options_parse(cli *c, int argc, char **argv);
/* Whether c's command has the option --name. */
int takes_option(const cli *c, const char *name);

/* ---- session.c: start and end of a command, files -------------------------------------------------------------- */

#define REFUSE(c, code, ...)                                                                                                   \
    do {                                                                                                                       \
        status = refuse((c), (code), __VA_ARGS__);                                                                             \
        goto done;                                                                                                             \
    } while (0)

/* Makes the env, with the options that all commands share. */
rkhs_status begin(cli *c);

/* Sets the error message and its exit code. Always returns RKHS_ERR_ARGUMENT. */
rkhs_status refuse(cli *c, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Names the files that data came from, for error messages; b may be NULL. */
void set_subject(cli *c, const char *a, const char *b);

/* The library's message of a failure, and in parentheses the option or command that mends it. Valid until the next. */
const char *library_message(cli *c, rkhs_status status);

/* Prints the error message if status is a failure, and returns the exit code. */
int finish(cli *c, rkhs_status status);

/* Prints a line on stderr: "rkhs: ..." or "rkhs fit: ...". Control bytes are made visible. */
void say(const char *who, const char *sentence);

/* advised_command.c: the command that was typed, with the parameter of the model that a hint of the library names. The
 * caller frees it. NULL: there is no hint, or no memory. */
char *advised_command(const cli *c, const char *hint);

/* Refuses outputs that are folders, are in no folder, or would overwrite an input or each other. Call before any
 * work. */
rkhs_status check_outputs(cli *c, const char *const *outputs, int count);

/* Refuses a file name or --output-format for which there is no format to write. Call before any work. */
rkhs_status check_format(cli *c, const char *path, const char *format);

/* *path becomes c->output, or "-" if stdout is not a terminal. Refuses to fill a terminal. */
rkhs_status result_path(cli *c, const char **path);

/* Reads objects, with --format and --label-column. The caller frees the data, here and below. */
rkhs_status read_data(cli *c, const char *path, const rkhs_kernel *kernel, rkhs_data **data);
/* The same without --label-column. */
rkhs_status read_plain(cli *c, const char *path, rkhs_data **data);
/* Reads --target. */
rkhs_status read_target(cli *c, const char *path, rkhs_data **data);
/* Reads --labels. column: the column of a CSV, or NULL. */
rkhs_status read_labels(cli *c, const char *path, const char *column, rkhs_data **labels);
/* The type that a spec names. Returns 0 if the spec is refused; the env has the message. */
int type_of_spec(cli *c, const char *list, const char *spec, rkhs_type *type);
/* Whether a model can learn from labels. */
int learns_labels(cli *c, const char *spec);
/* The labels in --label-column of x if the model learns from labels (a line on stderr says so); else NULL. */
const rkhs_data *column_labels(cli *c, const char *model, const rkhs_data *x);
/* Refuses a labels file that seems to begin with a header: it has one label more than there are rows. labels may be
 * NULL. */
rkhs_status check_label_header(cli *c, const char *path, const rkhs_data *labels, int64_t rows);
/* Warns that -1 is taken as a class, if other classes are numbers too. */
void say_minus_one(const cli *c, const char *path, const rkhs_data *labels);
/* Write data (with --output-format), labels, a model, or n x p numbers; "-" is stdout. They write nothing after a stop
 * signal. */
rkhs_status write_data(cli *c, const rkhs_data *data, const char *path);
rkhs_status write_labels(cli *c, const rkhs_data *labels, const char *path);
rkhs_status write_model(cli *c, const rkhs_model *m, const char *path);
rkhs_status write_numbers(cli *c, const double *values, int64_t n, int64_t p, const char *path);
/* After rkhs_files_begin: commits the waiting files, unless there was a stop signal. */
rkhs_status commit_files(cli *c);

/* Allocates n x p doubles, which the caller frees. Refuses if that exceeds the memory limit; `what` begins the
 * message. */
rkhs_status take_numbers(cli *c, const char *what, int64_t n, int64_t p, double **values);

/* Whether path ends in `ending`, ignoring case and a final .gz. */
int ends_in(const char *path, const char *ending);

/* ---- progress.c: the progress bar ------------------------------------------------------------------------------ */

void progress_start(cli *c);
void progress_erase(void);

/* ---- signals.c: Ctrl-C and other signals ----------------------------------------------------------------------- */

void catch_signals(int quietly);
/* The signal that asked the tool to stop, or 0. After stop_signal the caller prints the message. */
int stop_asked(void);
int stop_signal(void);
/* Set around calls that write files: a stop then waits until the temporary file is removed. */
void writing_now(int on);
/* Set while a progress bar is on the terminal, which must be erased before a message. */
void signals_know_bar(int on);

/* ---- help.c ---------------------------------------------------------------------------------------------------- */

/* The example commands of the overview. */
extern const char help_begin[];
void help_overview(FILE *out);
void help_command(FILE *out, const command *cmd);
const command *find_command(const char *name);
const char *nearest_command(const char *name);
/* Prints text in columns [indent, terminal width). `at` is the current column. */
void wrap(FILE *out, int at, int indent, const char *text);

/* A spec shortened for display: of a long list, the first values and their number. */
enum { SPEC_ROOM = 800 };
const char *spec_short(const char *spec, char out[SPEC_ROOM]);

/* list.c: prints a list, a type, or all. Returns 0 if there is none of that name. */
int list_show(FILE *out, const char *list, const char *type);
/* Prints the name and brief of each type of a list, indented by two. */
void list_brief(FILE *out, const char *list);

/* json.c: the same tables as JSON. json_lists returns 0, and prints nothing, if there is none of that name. */
int json_lists(FILE *out, const char *list, const char *type);
void json_commands(FILE *out);

/* ---- safe_text.c: untrusted text made safe --------------------------------------------------------------------- */

/* Appends XML text of at most `limit` columns, cut with an ellipsis: control characters replaced, right-to-left text
 * isolated. */
void text_xml(rk_text *t, const char *s, int limit);
/* The same without XML and isolation. */
void text_plain(rk_text *t, const char *s, int limit);
/* Prints untrusted text of at most `length` bytes to a terminal. Control characters, direction overrides, line breaks
 * and invalid UTF-8 appear as \x1b, \u202e. Returns its width in columns. out NULL: only measures. */
int print_safe(FILE *out, const char *s, size_t length);
/* The same, padded with blanks to a width. */
int print_padded(FILE *out, const char *s, int width);
/* Prints text as a JSON string, with quotes. */
void json_text(FILE *out, const char *s);
/* The columns that text_xml would fill; wide characters count twice. */
int text_columns(const char *s, int limit);

/* Writes the text to a file; "-" is stdout. */
rkhs_status text_write(cli *c, const rk_text *t, const char *path);

/* ---- functions that several commands use ----------------------------------------------------------------------- */

/* The share of the variance that all dimensions explain together. Returns 0 if the report does not have it. */
int explained_share(const rkhs_model *m, double *share);
/* Ends a fit: writes the model to -o and the embedding to -z, both or neither. */
rkhs_status write_fit(cli *c, const rkhs_model *m);
void say_summary(const cli *c, const rkhs_model *m);
/* What a model learns from beside X. check_supervision refuses options that exclude each other; read_supervision
 * reads --triplets, --positive and --negative, or --target, into *y (NULL if none is given); supervision_file names
 * the file, for messages. */
rkhs_status check_supervision(cli *c);
rkhs_status read_supervision(cli *c, const rkhs_kernel *kernel, const rkhs_data *x, rkhs_data **y);
const char *supervision_file(const cli *c);
/* Sets the parameter augment of the first operand (the model's spec) to --augment. */
rkhs_status set_augment(cli *c);
/* Refuses a -o whose ending is that of a table of numbers. */
rkhs_status check_model_name(cli *c);

/* A random number in (0, 1), a function of its arguments. */
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
