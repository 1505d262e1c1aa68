/* criterion.c: the criterion of rkhs select: the score to optimise, and whether the data suit it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "select.h"

#include <stdlib.h>
#include <string.h>

/* Finds --by among the scores. */
static rkhs_status find_score(search *s) {
    const char *by = s->c->by;
    rkhs_type type;
    if (!type_of_spec(s->c, "scores", by, &type))
        return refuse(s->c, EXIT_MISUSED, "--by %.100s: %.600s", by, library_message(s->c, RKHS_ERR_SPEC));
    if (type.better == 0)
        return refuse(s->c, EXIT_MISUSED, "--by %s: %s describes an embedding, and neither more nor less of it is better", by,
                      type.name);
    s->better = type.better;
    s->needs_x = type.needs_x;
    s->needs_labels = type.needs_labels;
    s->takes_new = type.takes_new;
    return RKHS_OK;
}

static void say_unlabelled(const cli *c, int64_t n, const int64_t *members, int64_t classes) {
    int64_t known = 0;
    char line[256];
    for (int64_t k = 0; k < classes; k++) known += members[k];
    snprintf(line, sizeof line, "%lld of the %s have no label: they are fitted, but not scored", (long long)(n - known),
             rk_counted(n, "row").text);
    if (known < n && !c->quiet) say(c->command->name, line);
}

/* Refuses labels that are too few for the score or the folds. */
static rkhs_status check_labels(search *s) {
    rkhs_status status = RKHS_OK;
    cli *c = s->c;
    int64_t n = rkhs_data_rows(s->x), classes = 0, *members = NULL, seen = 0, least = 0;
    const int64_t *codes = rkhs_data_codes(s->classes, &classes);
    const char *file = c->labels != NULL ? c->labels : c->operand[1];
    if (rkhs_data_rows(s->classes) != n)
        REFUSE(c, EXIT_FAILED, "%s has %s, but %s has %s: give one for each, ? for a row without", file,
               rk_counted(rkhs_data_rows(s->classes), "label").text, c->operand[1], rk_counted(n, "row").text);
    TRY(keep(s, (size_t)classes + 1, sizeof *members, &members));
    for (int64_t i = 0; i < n; i++)
        if (codes[i] >= 0) members[codes[i]]++;
    for (int64_t k = 0; k < classes; k++) {
        if (members[k] == 0) continue;
        if (seen++ == 0 || members[k] < members[least]) least = k;
    }
    if (seen == 0) REFUSE(c, EXIT_FAILED, "%s: no row has a label: --by %s needs some", file, c->by);
    if (seen == 1)
        REFUSE(c, EXIT_FAILED, "%s: all labelled rows are of one class, '%.60s': --by %s needs two or more", file,
               rkhs_data_class_name(s->classes, least), c->by);
    if (c->folds > members[least])
        REFUSE(c, EXIT_FAILED, "%s: the class '%.60s' has %s, and --folds %d needs one for each part: give fewer folds", file,
               rkhs_data_class_name(s->classes, least), rk_counted(members[least], "labelled row").text, c->folds);
    say_unlabelled(c, n, members, classes);
done:
    return status;
}

rkhs_status check_criterion(search *s) {
    rkhs_status status = RKHS_OK;
    cli *c = s->c;
    s->better = -1;
    s->by = strcmp(c->by, "error") == 0 ? BY_ERROR : BY_SCORE;
    if (s->by == BY_SCORE)
        TRY(find_score(s));
    else if (c->folds == 0)
        REFUSE(c, EXIT_MISUSED, "--by %s is of rows left out: give --folds 5", c->by);
    if (s->by == BY_ERROR && c->target == NULL)
        REFUSE(c, EXIT_MISUSED, "--by error compares with numbers to predict: give --target FILE");
    if (c->folds == 1) REFUSE(c, EXIT_MISUSED, "--folds 1 leaves nothing to learn from: give 2 or more, or leave it out");
    if (c->unlabelled != NULL && !s->needs_labels)
        REFUSE(c, EXIT_MISUSED, "--unlabelled is about labels, and --by %s does not look at them", c->by);
done:
    return status;
}

rkhs_status check_labels_and_target(search *s) {
    rkhs_status status = RKHS_OK;
    cli *c = s->c;
    int64_t n = rkhs_data_rows(s->x);
    if (s->needs_labels) TRY(check_labels(s));
    if (s->y != NULL && c->triplets == NULL && rkhs_data_rows(s->y) != n)
        REFUSE(c, EXIT_FAILED, "%s has %s, but %s has %lld: give one for each", c->target != NULL ? c->target : c->labels,
               rk_counted(rkhs_data_rows(s->y), "row").text, c->operand[1], (long long)n);
done:
    return status;
}
