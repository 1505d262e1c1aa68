/* main.c: the entry point of the tool: the table of commands, and how one is found and run.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * stdout has the result; stderr has messages and the progress bar. Exit codes: 0 done, 1 failed, 2 misused, 130
 * stopped by Ctrl-C. */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const command commands[] = {
    {"fit", "Learn", "'SPEC' X", 2, 2, "learn a model from data", run_fit, fit_options, "models",
     "SPEC names a model and its parameters, X is a file of objects, one row each. At least one of -o and -z says what to "
     "write. A model that learns from labels takes those in --label-column as well.",
     "rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' X.npy -o m.rkhs -z Z.npy\n"
     "rkhs fit 'kpca(dim=2)' iris.csv --label-column species -o iris.rkhs\n"
     "rkhs fit contrastive X.npy --augment 'noise(0.1)' -o m.rkhs -z Z.npy\n"},
    {"transform", "Learn", "MODEL X", 2, 2, "embed new objects with a model", run_transform, transform_options, NULL,
     "Each row of the result depends on its object alone.",
     "rkhs transform m.rkhs new.csv -o Z.npy\n"
     "cat new.csv | rkhs transform m.rkhs - --format csv > Z.npy\n"},
    {"inverse", "Learn", "MODEL Z", 2, 2, "go back from an embedding to approximate objects", run_inverse, inverse_options,
     NULL, NULL,
     "rkhs inverse m.rkhs Z.npy -o X.npy\n"},
    {"anomaly", "Learn", "MODEL X", 2, 2, "say how unlike the training objects new ones are", run_anomaly, anomaly_options, NULL,
     "One number a row, more is stranger; each depends on its object alone. By error: the part of the object that does not come "
     "back from its code, in feature space, by the regression of inverse. By density: -log of a Gaussian density of the training "
     "codes at its code. By both: the larger of the two, each as -log of the share of training objects that score as high when "
     "they are left out.",
     "rkhs anomaly m.rkhs new.csv -o s.npy\n"
     "rkhs anomaly m.rkhs new.csv --by both -o s.csv\n"},
    {"update", "Learn", "MODEL X", 2, 2, "add new objects to a model", run_update, update_options, NULL,
     "The model is fitted on its own objects and on those of X, with its parameters and its kernel as they are, from its embedding "
     "where it takes a start; columns keep their signs, and what is said at the end tells how far the old objects moved. A model with "
     "landmarks keeps these alone, and one that learned from targets, labels or a precomputed Gram does not have what it needs: fit "
     "these again.",
     "rkhs update m.rkhs new.csv -o m2.rkhs\n"
     "rkhs update m.rkhs new.csv -o m2.rkhs -z Z.npy\n"},
    {"select", "Learn", "'SPEC' X", 2, 2, "try many parameters and keep the best model", run_select, select_options, "scores",
     "A ? in SPEC or in --kernel is a hole: 'kpca(dim=?)' has one that is called dim, '?w*rbf' one that is called w; --try fills "
     "it, and holes of one name alike. All combinations are tried, or as many as --draws says. --by is a score: of the "
     "embedding of all rows, where knn looks at each row's neighbours among the others; with --folds of the rows left out, among "
     "those that were learned from (a score that knows no new rows looks at the rows left out alone). Rows without a "
     "label (?, NA or nothing in the file, or what --unlabelled says) are learned from and not scored. With --folds and "
     "--target there is also 'error', the mean squared error of the prediction. Ties go to the first.",
     "rkhs select kpca --kernel 'rbf(sigma=?)' --try 'sigma=log(0.1,100,13)' --by 'trustworthiness(k=12)' X.npy -o best.rkhs\n"
     "rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=2,3,5 --try 'sigma=log(0.1,100,13)' --labels y.npy "
     "--by 'knn(k=3)' --folds 5 X.npy --resume tried.jsonl\n"
     "rkhs select 'krr(ridge=?)' --try 'ridge=log(1e-6,10)' --draws 20 --target t.npy --by error --folds 5 X.npy\n"},
    {"dimension", "Look", "X", 1, 1, "estimate how many dimensions the data have", run_dimension, dimension_options, NULL,
     "For vectors the dimension of what they lie on, by the two nearest neighbours of each row (the score twonn), with its "
     "standard error, also of half and of a quarter of the rows: where these differ much, the data are noisy or curved at the scale of neighbours. For any "
     "kernel the eigenvalues of its centred Gram: where they fall most, and how many hold 90% of the variance.",
     "rkhs dimension X.npy\nrkhs dimension X.npy --kernel linear\n"},
    {"plot", "Look", "[Z...]", 0, 12, "draw an embedding as a picture (SVG, PNG, PDF)", run_plot, plot_options, NULL,
     "Two dimensions give a scatter plot, one gives strips, three or more give pairs of the first six; several embeddings give a "
     "panel each, of one size with one legend. --model and --gram stand in place of Z. PNG and PDF need libcairo.",
     "rkhs plot Z.npy --labels y.npy --title Circles -o circles.svg\n"
     "rkhs plot Z.npy --labels y.npy --new Znew.npy --new-labels ynew.npy -o new.pdf\n"
     "rkhs plot Z.npy --labels y.npy --objects X.npy --image-size 8x8 -o digits.png\n"
     "rkhs plot A.npy B.npy --titles 'linear,rbf' --labels y.npy -o panels.svg\n"
     "rkhs plot --model m.rkhs -o spectrum.svg\n"
     "rkhs plot --gram K.npy --labels y.npy -o gram.svg\n"},
    {"explain", "Look", "MODEL X", 2, 2, "show which kept objects pull and push new ones to their places", run_explain,
     explain_options, NULL,
     "A model with a map places x at z = w_1 B_1 + ... + w_m B_m + c, w_l the kernel value of x and kept object l. The influence of "
     "l is |w_l| |B_l|; it pulls x if w_l B_l points from c towards z, and pushes it if it points away. The table names kept "
     "objects by their rows in the training data, from 0, and has whether these are the data, or the positives or negatives that were given "
     "or made with them; a picture draws images and graphs.",
     "rkhs explain m.rkhs new.csv --top 3\n"
     "rkhs explain digits.rkhs new.npy -o why.png\n"},
    {"info", "Look", "MODEL", 1, 1, "show what a model file holds", run_info, no_options, NULL,
     NULL,
     "rkhs info m.rkhs\n"},
    {"score", "Look", "'SCORE'...", 1, INT_MAX, "say in numbers how good an embedding is", run_score, score_options, "scores",
     "One line for each score: its name and its value, and after +- the standard deviation over folds where there are some. "
     "Scores of one family share their work.",
     "rkhs score 'knn(k=5)' --z Z.npy --labels y.npy\n"
     "rkhs score trustworthiness continuity silhouette --z Z.npy --x X.npy --labels y.npy --json\n"
     "rkhs score 'qnx(k=10)' --z Z.npy --x words.txt --kernel 'ssk(p=3)'\n"},
    {"gram", "Data and kernels", "'KERNEL' A [B]", 2, 3, "compute a kernel matrix of A with itself, or with B", run_gram,
     gram_options, "kernels",
     "Rules such as sigma=median are turned into numbers from A. With --rows several machines of one kind make a part each, with "
     "the same --seed; multiples of 256 waste no work. --merge joins the parts in the order given, which must be that of their "
     "rows: as a Gram is symmetric, a wrong order, other data or another kernel are found out. The parts and what they make "
     "may be larger than memory.",
     "rkhs gram 'rbf(gamma=0.1)' A.npy -o K.npy\n"
     "rkhs gram rbf A.npy --rows 0:5120 -o part0.npy\n"
     "rkhs gram rbf A.npy --rows 5120: -o part1.npy\n"
     "rkhs gram --merge part0.npy part1.npy -o K.npy\n"
     "rkhs fit kpca --kernel precomputed K.npy -z Z.npy\n"},
    {"sample", "Data and kernels", "'SPEC'", 1, 1, "draw a data set to try things on", run_sample, sample_options, "samples",
     NULL,
     "rkhs sample 'circles(n=380)' -o X.npy --labels-out y.npy\n"},
    {"list", "Data and kernels", "[LIST] [NAME]", 0, 2, "show which kernels, models, ... there are, and their parameters",
     run_list, list_options, NULL,
     "LIST is models, kernels, grams, ...; NAME is one of its types.",
     "rkhs list\nrkhs list kernels\nrkhs list rbf\nrkhs list --json\n"},
    {0}
};
/* clang-format on */

/* Prints that there is no such command, and the nearest name. */
static int unknown_command(const char *word) {
    const char *near = nearest_command(word);
    char sentence[200];
    if (word[0] == '-')
        snprintf(sentence, sizeof sentence, "options come after a command: rkhs COMMAND %.60s", word);
    else if (near != NULL)
        snprintf(sentence, sizeof sentence, "there is no command '%.60s'; did you mean %s?", word, near);
    else
        snprintf(sentence, sizeof sentence, "there is no command '%.60s'", word);
    say(NULL, sentence);
    fputs("'rkhs help' shows the commands.\n", stderr);
    return EXIT_MISUSED;
}

/* rkhs help [COMMAND or LIST or NAME or --json] */
static int run_help(int argc, char **argv) {
    const char *word = argc > 0 ? argv[0] : NULL;
    const command *cmd = word != NULL ? find_command(word) : NULL;
    if (word != NULL && strcmp(word, "--json") == 0) {
        json_commands(stdout);
    } else if (word == NULL || strcmp(word, "help") == 0) {
        help_overview(stdout);
    } else if (cmd != NULL) {
        help_command(stdout, cmd);
    } else if (!list_show(stdout, word, NULL) && !list_show(stdout, NULL, word)) {
        return unknown_command(word);
    }
    return EXIT_DONE;
}

static int run_command(const command *cmd, int argc, char **argv) {
    cli c = {.command = cmd};
    int code = options_parse(&c, argc, argv);
    if (code == EXIT_DONE && c.help) {
        help_command(stdout, cmd);
    } else if (code == EXIT_DONE) {
        rkhs_status status = begin(&c);
        code = status == RKHS_OK ? cmd->run(&c) : finish(&c, status);
    }
    rkhs_spec_free(c.spec);
    rkhs_env_free(c.env);
    for (int i = 0; i < c.owned_count; i++) free(c.owned[i]);
    free(c.operand);
    return code;
}

/* Closes stdout, and fails if the output did not arrive, as on a full disk. */
static int close_stdout(int code) {
    errno = 0;
    int failed = ferror(stdout);
    if (fclose(stdout) == 0 && !failed) return code;
    if (errno != EPIPE)
        fprintf(stderr, "rkhs: standard output cannot be written: %s\n", errno != 0 ? strerror(errno) : "it failed");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

int main(int argc, char **argv) {
    int code;
    signal(SIGPIPE, SIG_IGN); /* writes then fail with a message, and partial files are removed */
    signal(SIGXFSZ, SIG_IGN);
    const char *word = argc > 1 ? argv[1] : NULL;
    const command *cmd = word != NULL ? find_command(word) : NULL;
    if (word == NULL) {
        help_overview(stderr);
        code = EXIT_MISUSED;
    } else if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        code = run_help(argc - 2, argv + 2);
    } else if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0 || strcmp(word, "-V") == 0) {
        printf("rkhs %s\n", rkhs_version());
        code = EXIT_DONE;
    } else {
        code = cmd != NULL ? run_command(cmd, argc - 2, argv + 2) : unknown_command(word);
    }
    return close_stdout(code);
}
