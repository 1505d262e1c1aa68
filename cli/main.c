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
     "SPEC names a model and its parameters, as in 'kpca(dim=2)'; X is a file of objects, one row each. Give -o to keep the model, -z "
     "for the embedding of X, or both. A model that learns from labels takes them from --labels or from --label-column.",
     "rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' X.npy -o m.rkhs -z Z.npy\n"
     "rkhs fit 'kpca(dim=2)' iris.csv --label-column species -o iris.rkhs\n"
     "rkhs fit contrastive X.npy --augment 'noise(0.1)' -o m.rkhs -z Z.npy\n"},
    {"transform", "Learn", "MODEL X", 2, 2, "embed new objects with a model", run_transform, transform_options, NULL,
     "The model does not change. Each row of the result depends on its own object only, not on the other rows of X.",
     "rkhs transform m.rkhs new.csv -o Z.npy\n"
     "cat new.csv | rkhs transform m.rkhs - --format csv > Z.npy\n"},
    {"inverse", "Learn", "MODEL Z", 2, 2, "go back from an embedding to approximate objects", run_inverse, inverse_options,
     NULL,
     "Vectors, bits and images are predicted from Z by a regression fitted on the training objects. Strings and graphs cannot "
     "be computed: each row gives the training object whose embedding is nearest. A model with a decoder of its own (kae) uses that.",
     "rkhs inverse m.rkhs Z.npy -o X.npy\n"},
    {"anomaly", "Learn", "MODEL X", 2, 2, "say how unlike the training objects new ones are", run_anomaly, anomaly_options, NULL,
     "One number for each row of X; a larger one is more unusual. Each depends on its own object only. --by error: how far the object "
     "is, in feature space, from its reconstruction out of its embedding. --by density: -log of the density of the training objects' "
     "embeddings at its embedding (a Gaussian kernel density estimate). --by both: the larger of the two, each expressed as -log of "
     "the share of training objects that score as high when they are left out.",
     "rkhs anomaly m.rkhs new.csv -o s.npy\n"
     "rkhs anomaly m.rkhs new.csv --by both -o s.csv\n"},
    {"update", "Learn", "MODEL X", 2, 2, "add new objects to a model", run_update, update_options, NULL,
     "The model is fitted again on its training objects and those of X together, with the same parameters and kernel. A model that "
     "takes an initial embedding starts from the one it has. The signs of the columns do not change, and the summary says how far "
     "the old objects moved. krr needs --target, those of the new objects. With landmarks or random features kpca, krr, lpp and npe "
     "add the new objects to what they know of all, and the embedding then has the objects that the model keeps and the new ones. "
     "Some models cannot be updated, because the file does not have all of their training data: others with landmarks or random "
     "features, those that learned from labels or a precomputed Gram, and contrastive, spectral and kae. Fit these again.",
     "rkhs update m.rkhs new.csv -o m2.rkhs\n"
     "rkhs update m.rkhs new.csv -o m2.rkhs -z Z.npy\n"
     "rkhs update krr.rkhs new.csv --target t.csv -o krr2.rkhs\n"},
    {"select", "Learn", "'SPEC' X", 2, 2, "try many parameters and keep the best model", run_select, select_options, "scores",
     "A ? in SPEC or in --kernel is a hole, and --try gives the values that fill it. In 'kpca(dim=?)' it is called dim, in '?w*rbf' it "
     "is called w; holes of one name get the same value. All combinations are tried, or as many as --draws says. The score of --by "
     "decides; of equal ones the first. Without --folds it judges the embedding of all rows. With --folds it judges the rows left "
     "out, with their neighbours among the rows that were fitted; a score that takes no new rows is computed on the left-out "
     "rows alone. Rows without a label (?, NA, empty, or as --unlabelled says) are fitted but not scored. With --folds and --target "
     "the score may be 'error', the mean squared error of the prediction.",
     "rkhs select kpca --kernel 'rbf(sigma=?)' --try 'sigma=log(0.1,100,13)' --by 'trustworthiness(k=12)' X.npy -o best.rkhs\n"
     "rkhs select 'kpca(dim=?)' --kernel 'rbf(sigma=?)' --try dim=2,3,5 --try 'sigma=log(0.1,100,13)' --labels y.npy "
     "--by 'knn(k=3)' --folds 5 X.npy --resume tried.jsonl\n"
     "rkhs select 'krr(ridge=?)' --try 'ridge=log(1e-6,10)' --draws 20 --target t.npy --by error --folds 5 X.npy\n"},
    {"dimension", "Look", "X", 1, 1, "estimate how many dimensions the data have", run_dimension, dimension_options, NULL,
     "For vectors: their intrinsic dimension, estimated from the distances to the two nearest neighbours of each row (the score twonn), "
     "with its standard error. It is estimated from all rows, from half and from a quarter of them; estimates that differ much mean "
     "that the data are noisy, or curved at the scale of neighbours. For any kernel: the eigenvalues of its centred Gram matrix, "
     "after which of them the largest drop comes, and how many explain 90% of the variance.",
     "rkhs dimension X.npy\nrkhs dimension X.npy --kernel linear\n"},
    {"plot", "Look", "[Z...]", 0, 12, "draw an embedding as a picture (SVG, PNG, PDF)", run_plot, plot_options, NULL,
     "An embedding of two dimensions gives a scatter plot, one of one dimension a strip for each class, one of three or more a scatter "
     "plot of each pair of the first six. Several embeddings give a panel each, with one legend. --model or --gram is given instead "
     "of Z. PNG and PDF need libcairo.",
     "rkhs plot Z.npy --labels y.npy --title Circles -o circles.svg\n"
     "rkhs plot Z.npy --labels y.npy --new Znew.npy --new-labels ynew.npy -o new.pdf\n"
     "rkhs plot Z.npy --labels y.npy --objects X.npy --image-size 8x8 -o digits.png\n"
     "rkhs plot A.npy B.npy --titles 'linear,rbf' --labels y.npy -o panels.svg\n"
     "rkhs plot --model m.rkhs -o spectrum.svg\n"
     "rkhs plot --gram K.npy --labels y.npy -o gram.svg\n"},
    {"explain", "Look", "MODEL X", 2, 2, "show which training objects decide where new ones are placed", run_explain,
     explain_options, NULL,
     "A model with a map places x at z = w_1 B_1 + ... + w_m B_m + c: a sum over its m reference objects, which are the training "
     "objects, or the landmarks if it has some. w_l is the kernel value of x and reference object l, B_l and c are learned. The "
     "influence of l is |w_l| |B_l|; it pulls x if w_l B_l points from c towards z, and pushes it if it points away. In the table "
     "`object` is a row of X, `reference` a row of the training data, both counted from 0, and `from` says which training data: X of "
     "the fit, or its positives or negatives. Pictures are for images and graphs.",
     "rkhs explain m.rkhs new.csv --top 3\n"
     "rkhs explain digits.rkhs new.npy -o why.png\n"},
    {"info", "Look", "MODEL", 1, 1, "show what a model file holds", run_info, no_options, NULL,
     "The model and the kernel with all their parameters, the sizes, and the report of the fit: eigenvalues, losses, chosen widths.",
     "rkhs info m.rkhs\n"},
    {"score", "Look", "'SCORE'...", 1, INT_MAX, "say in numbers how good an embedding is", run_score, score_options, "scores",
     "One line for each score: its name and its value and, if it is a mean over folds, +- the standard deviation. Related scores, such "
     "as trustworthiness and continuity, are computed together: ask for them in one command.",
     "rkhs score 'knn(k=5)' --z Z.npy --labels y.npy\n"
     "rkhs score trustworthiness continuity silhouette --z Z.npy --x X.npy --labels y.npy --json\n"
     "rkhs score 'qnx(k=10)' --z Z.npy --x words.txt --kernel 'ssk(p=3)'\n"},
    {"gram", "Data and kernels", "'KERNEL' A [B]", 2, 3, "compute a kernel matrix of A with itself, or with B", run_gram,
     gram_options, "kernels",
     "Bandwidth rules such as sigma=median are computed from A. With --rows several machines, with the same version of rkhs and the same "
     "--seed, can compute a part of the matrix each; cut at multiples of 256 rows to waste no work. --merge joins the parts in the "
     "order of their rows. It checks that the result is symmetric, so a wrong order, other data or another kernel are refused. The "
     "parts and the result may be larger than memory.",
     "rkhs gram 'rbf(gamma=0.1)' A.npy -o K.npy\n"
     "rkhs gram rbf A.npy --rows 0:5120 -o part0.npy\n"
     "rkhs gram rbf A.npy --rows 5120: -o part1.npy\n"
     "rkhs gram --merge part0.npy part1.npy -o K.npy\n"
     "rkhs fit kpca --kernel precomputed K.npy -z Z.npy\n"},
    {"sample", "Data and kernels", "'SPEC'", 1, 1, "draw a data set to try things on", run_sample, sample_options, "samples",
     "SPEC names a sample and its parameters. The same --seed draws the same data.",
     "rkhs sample 'circles(n=380)' -o X.npy --labels-out y.npy\n"},
    {"list", "Data and kernels", "[LIST] [NAME]", 0, 2, "show which kernels, models, ... there are, and their parameters",
     run_list, list_options, NULL,
     "LIST is a list such as models or kernels, NAME is one of its entries. Without either, all names are shown. A cost is in "
     "operations, for n objects of p columns, m landmarks and an embedding of dim dimensions.",
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
