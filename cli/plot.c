/* plot.c: rkhs plot: reads and checks what a picture shows, and chooses the drawing.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file is written after everything is read, checked and drawn. The same input gives the same bytes. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What the picture is made from; freed at the end. */
typedef struct sources {
    rkhs_data *z[MAX_PANELS], *fresh, *labels, *fresh_labels, *target;
    points sets[MAX_PANELS];
    const char *titles[MAX_PANELS];
    char *names; /* memory of the titles */
} sources;

/* The file name without folder and extension, into out. */
static void stem(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strchr(name + (*name != 0), '.');
    snprintf(out, size, "%.*s", dot != NULL ? (int)(dot - name) : (int)strlen(name), name);
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

/* Sets values and shape of a set, and allocates codes, all 0. */
static rkhs_status take_points(cli *c, const char *path, const rkhs_data *data, points *p) {
    p->values = rkhs_data_values(data, &p->ld);
    p->n = rkhs_data_rows(data);
    p->d = rkhs_data_columns(data);
    if (p->values == NULL || p->n < 1 || p->d < 1) return refuse(c, EXIT_FAILED, "%s: holds no numbers to draw", path);
    p->codes = calloc((size_t)p->n, sizeof *p->codes);
    if (p->codes == NULL)
        return refuse(c, EXIT_FAILED, "%s: no memory for a picture of %s", path, rk_counted(p->n, "point").text);
    return RKHS_OK;
}

static rkhs_status take_sets(cli *c, sources *s, picture *p) {
    rkhs_status status = RKHS_OK;
    for (int i = 0; i < c->count; i++) {
        const char *path = c->operand[i];
        int plain = c->labels != NULL || c->label_column == NULL;
        TRY(plain ? read_plain(c, path, &s->z[i]) : read_data(c, path, NULL, &s->z[i]));
        TRY(take_points(c, path, s->z[i], &s->sets[i]));
        if (c->count > 1 && s->sets[i].d < 2)
            REFUSE(c, EXIT_FAILED, "%s has one dimension, and panels show two: draw it by itself", path);
    }
    p->sets = s->sets;
    p->count = c->count;
    if (c->new_z == NULL) goto done;
    TRY(read_plain(c, c->new_z, &s->fresh));
    TRY(take_points(c, c->new_z, s->fresh, &p->fresh));
    p->fresh.fresh = 1;
    if (p->fresh.d != s->sets[0].d)
        REFUSE(c, EXIT_FAILED, "%s has %s, but %s has %lld: embed new objects with the same model", c->new_z,
               rk_counted(p->fresh.d, "dimension").text, c->operand[0], (long long)s->sets[0].d);
done:
    return status;
}

/* ---- colours --------------------------------------------------------------------------------------------------- */

/* Refuses a number of labels or targets other than that of the points. */
static rkhs_status check_count(cli *c, const char *path, const char *what, int64_t count, const char *of, int64_t n) {
    if (count == n) return RKHS_OK;
    return refuse(c, EXIT_FAILED, "%s has %s, but %s has %s: give one %s for each point", path, rk_counted(count, what).text,
                  of, rk_counted(n, "point").text, what);
}

/* The class of that name among the first `classes`; else a new one. */
static int64_t class_named(key *k, int64_t classes, const char *name) {
    for (int64_t q = 0; q < classes; q++) {
        if (strcmp(k->names[q], name) == 0) return q;
    }
    k->names[k->classes] = name;
    return k->classes++;
}

/* Gives new points the classes of the training points that have the same names. */
static rkhs_status fresh_classes(cli *c, sources *s, picture *p) {
    rkhs_status status;
    key *k = &p->key;
    int64_t own, known = k->classes, *to = NULL;
    const int64_t *codes = rkhs_data_codes(s->fresh_labels, &own);
    TRY(check_count(c, c->new_labels, "label", rkhs_data_rows(s->fresh_labels), c->new_z, p->fresh.n));
    to = malloc((size_t)(own + 1) * sizeof *to);
    if (to == NULL) REFUSE(c, EXIT_FAILED, "no memory");
    for (int64_t q = 0; q < own; q++) to[q] = class_named(k, known, rkhs_data_class_name(s->fresh_labels, q));
    for (int64_t i = 0; i < p->fresh.n; i++) p->fresh.codes[i] = codes[i] < 0 ? -1 : to[codes[i]];
done:
    free(to);
    return status;
}

/* Makes points without a label the last class of the key. */
static void gather_unknown(picture *p) {
    key *k = &p->key;
    int found = 0;
    for (int j = 0; j <= p->count; j++) {
        points *s = j < p->count ? &p->sets[j] : &p->fresh;
        for (int64_t i = 0; i < s->n; i++) {
            if (s->codes[i] >= 0) continue;
            s->codes[i] = k->classes;
            found = 1;
        }
    }
    if (!found) return;
    k->unknown = k->classes;
    k->names[k->classes++] = "unknown";
}

/* Takes the classes of all panels from --labels, or from a column of the first file. */
static rkhs_status take_classes(cli *c, sources *s, picture *p) {
    rkhs_status status = RKHS_OK;
    key *k = &p->key;
    int64_t more = 0;
    if (c->labels != NULL) TRY(read_labels(c, c->labels, c->label_column, &s->labels));
    if (c->new_labels != NULL) {
        int table = ends_in(c->new_labels, ".csv") || ends_in(c->new_labels, ".tsv"); /* the same column there */
        TRY(read_labels(c, c->new_labels, table ? c->label_column : NULL, &s->fresh_labels));
    }
    const rkhs_data *labels = c->labels != NULL ? s->labels : rkhs_data_labels(s->z[0]);
    k->classes = 1;
    if (labels == NULL && c->new_labels != NULL)
        REFUSE(c, EXIT_MISUSED, "--new-labels go with --labels, which say what the colours of the training points are");
    if (labels == NULL) goto done;
    const int64_t *codes = rkhs_data_codes(labels, &k->classes);
    if (s->fresh_labels != NULL) rkhs_data_codes(s->fresh_labels, &more);
    k->names = calloc((size_t)(k->classes + more + 2), sizeof *k->names); /* one more for points without a label */
    if (k->names == NULL) REFUSE(c, EXIT_FAILED, "no memory");
    for (int64_t q = 0; q < k->classes; q++) k->names[q] = rkhs_data_class_name(labels, q);
    for (int i = 0; i < p->count; i++) {
        const char *from = c->labels != NULL ? c->labels : c->operand[0];
        TRY(check_label_header(c, c->labels, labels, p->sets[i].n));
        TRY(check_count(c, from, "label", rkhs_data_rows(labels), c->operand[i], p->sets[i].n));
        memcpy(p->sets[i].codes, codes, (size_t)p->sets[i].n * sizeof *codes);
    }
    if (s->fresh_labels != NULL) TRY(fresh_classes(c, s, p));
    gather_unknown(p);
done:
    return status;
}

/* Turns the numbers of --target into steps of the colour scale. */
static rkhs_status take_scale(cli *c, sources *s, picture *p) {
    rkhs_status status;
    key *k = &p->key;
    int64_t ld = 0;
    TRY(read_target(c, c->target, &s->target));
    const double *values = rkhs_data_values(s->target, &ld);
    if (values == NULL || rkhs_data_columns(s->target) != 1 || rkhs_data_rows(s->target) < 1)
        REFUSE(c, EXIT_FAILED, "%s: colours show one number for each point, and it has %s: give one column", c->target,
               rk_counted(rkhs_data_columns(s->target), "column").text);
    axis_range(&k->scale, values, rkhs_data_rows(s->target), ld, 0);
    stem(c->target, k->scale.name, sizeof k->scale.name);
    axis_ticks(&k->scale, 0.75 * SIDE, 1);
    k->bins = BINS;
    k->classes = BINS;
    for (int j = 0; j < p->count; j++) {
        TRY(check_count(c, c->target, "number", rkhs_data_rows(s->target), c->operand[j], p->sets[j].n));
        for (int64_t i = 0; i < p->sets[j].n; i++)
            p->sets[j].codes[i] = (int64_t)fmin(BINS - 1, fmax(0, floor(BINS * axis_at(&k->scale, values[i * ld]))));
    }
done:
    return status;
}

/* Makes new points without labels a class; counts the rows of each class, and sorts points by class. */
static rkhs_status sort_points(cli *c, picture *p) {
    key *k = &p->key;
    k->fresh = p->fresh.n > 0;
    k->plain = k->fresh && c->new_labels == NULL ? k->classes++ : -1;
    for (int64_t i = 0; i < p->fresh.n && k->plain >= 0; i++) p->fresh.codes[i] = k->plain;
    k->count = calloc((size_t)k->classes, sizeof *k->count);
    int good = k->count != NULL;
    for (int j = 0; j < p->count && good; j++) good = points_sort(&p->sets[j], k);
    if (good && k->fresh) good = points_sort(&p->fresh, k);
    if (!good) return refuse(c, EXIT_FAILED, "no memory for a picture of %s", rk_counted(p->sets[0].n, "point").text);
    for (int64_t i = 0; i < p->sets[0].n; i++) k->count[p->sets[0].codes[i]]++;
    for (int64_t i = 0; i < p->fresh.n && k->plain < 0; i++) k->count[p->fresh.codes[i]]++;
    for (int64_t q = 0; q < k->classes; q++) k->shown += k->count[q] > 0;
    if (k->fresh) p->sets[0].opacity *= 0.6; /* new points stand out */
    return RKHS_OK;
}

/* ---- titles ---------------------------------------------------------------------------------------------------- */

/* One title for each panel: from --titles, separated by commas, or from the file names. */
static rkhs_status take_titles(cli *c, sources *s, picture *p) {
    enum { ROOM = 64 };
    int count = 0;
    size_t size = c->titles != NULL ? strlen(c->titles) + 1 : 0;
    if (c->count < 2 && c->titles == NULL) return RKHS_OK;
    s->names = malloc(size + MAX_PANELS * ROOM);
    if (s->names == NULL) return refuse(c, EXIT_FAILED, "no memory");
    p->titles = s->titles;
    for (int i = 0; i < c->count && c->titles == NULL; i++) {
        s->titles[i] = s->names + i * ROOM;
        stem(c->operand[i], s->names + i * ROOM, ROOM);
    }
    if (c->titles == NULL) return RKHS_OK;
    memcpy(s->names, c->titles, size);
    for (char *at = s->names; at != NULL; count++) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma++ = 0;
        at += strspn(at, " ");
        if (count < MAX_PANELS) s->titles[count] = at;
        at = comma;
    }
    if (count != c->count)
        return refuse(c, EXIT_MISUSED, "--titles has %s, separated by commas, for %s: give one for each",
                      rk_counted(count, "title").text, rk_counted(c->count, "embedding").text);
    return RKHS_OK;
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

rkhs_status canvas_open(cli *c, const char *path, canvas *v) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    v->type = &canvas_svg;
    if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0) return RKHS_OK;
    if (dot != NULL && strcasecmp(dot, ".svg") == 0) return RKHS_OK;
    v->pdf = dot != NULL && strcasecmp(dot, ".pdf") == 0;
    if (v->pdf || (dot != NULL && strcasecmp(dot, ".png") == 0)) return canvas_cairo(c, path, v);
    return refuse(c, EXIT_FAILED, "%s: a picture is .svg, .png or .pdf; name it so", path);
}

/* Refuses options that exclude each other. */
static rkhs_status check_plot(cli *c) {
    int other = c->target != NULL || c->new_z != NULL || c->new_labels != NULL || c->objects != NULL || c->titles != NULL;
    if (c->model != NULL && c->gram != NULL) return refuse(c, EXIT_MISUSED, "give --model or --gram, not both");
    if (c->model != NULL && (c->count > 0 || c->labels != NULL || other))
        return refuse(c, EXIT_MISUSED, "--model draws what a model file reports; leave everything but -o and --title out");
    if (c->gram != NULL && (c->count > 0 || other))
        return refuse(c, EXIT_MISUSED, "--gram draws a matrix; leave everything but --labels, -o and --title out");
    if (c->model != NULL || c->gram != NULL) return RKHS_OK;
    if (c->count == 0) return refuse(c, EXIT_MISUSED, "Z is missing: rkhs plot Z, or --model MODEL, or --gram K");
    if (c->labels != NULL && c->target != NULL)
        return refuse(c, EXIT_MISUSED, "colours show classes or numbers: give --labels or --target, not both");
    if (c->new_labels != NULL && c->new_z == NULL) return refuse(c, EXIT_MISUSED, "--new-labels go with --new Znew.npy");
    if (c->image_size != NULL && c->objects == NULL) return refuse(c, EXIT_MISUSED, "--image-size goes with --objects X.npy");
    if (c->count > 1 && (c->new_z != NULL || c->objects != NULL))
        return refuse(c, EXIT_MISUSED, "%s goes with one embedding; draw the others by themselves",
                      c->new_z != NULL ? "--new" : "--objects");
    return RKHS_OK;
}

/* Draws points as their number of dimensions requires, and says what was left out. */
static void draw_picture(const cli *c, canvas *v, picture *p) {
    int64_t d = p->sets[0].d, deepest = 0;
    const key *k = &p->key;
    int64_t classes = k->shown - (k->unknown >= 0);
    int used = snprintf(p->about, sizeof p->about, "%s in %s", rk_counted(p->sets[0].n, "point").text,
                        rk_counted(d, "dimension").text);
    if (k->names != NULL) snprintf(p->about + used, sizeof p->about - (size_t)used, ", %s", rk_counted(classes, "class").text);
    for (int i = 0; i < p->count; i++) deepest = p->sets[i].d > deepest ? p->sets[i].d : deepest;
    int flat = p->count > 1 || p->objects.n > 0;
    if (p->count > 1)
        draw_panels(v, p);
    else if (d == 1)
        draw_strips(v, p);
    else if (d == 2 || flat)
        draw_scatter(v, p);
    else
        draw_pairs(v, p);
    if (flat && deepest > 2 && !c->quiet) say("plot", "more than two dimensions: the first two are drawn");
    if (!flat && d > MAX_PAIRS && !c->quiet) say("plot", "more than six dimensions: the first six are drawn");
}

static rkhs_status plot_points(cli *c, canvas *v) {
    sources s = {0};
    picture p = {.title = c->title, .key = {.unknown = -1}};
    rkhs_status status;
    TRY(take_titles(c, &s, &p));
    TRY(take_sets(c, &s, &p));
    TRY(c->target != NULL ? take_scale(c, &s, &p) : take_classes(c, &s, &p));
    if (c->target != NULL && c->new_labels != NULL)
        REFUSE(c, EXIT_MISUSED, "--new-labels go with --labels, and colours show --target here");
    TRY(sort_points(c, &p));
    if (c->objects != NULL && p.sets[0].d < 2)
        REFUSE(c, EXIT_FAILED, "%s has one dimension, and --objects are placed in two", c->operand[0]);
    if (c->objects != NULL) TRY(take_objects(c, p.sets[0].n, &p.objects));
    draw_picture(c, v, &p);
done:
    for (int i = 0; i <= MAX_PANELS; i++) {
        points *mine = i < MAX_PANELS ? &s.sets[i] : &p.fresh;
        free(mine->codes);
        free(mine->order);
        free(mine->start);
        if (i < MAX_PANELS) rkhs_data_free(s.z[i]);
    }
    free(p.key.names);
    free(p.key.count);
    free(s.names);
    rkhs_data_free(p.objects.data);
    rkhs_data_free(s.target);
    rkhs_data_free(s.fresh_labels);
    rkhs_data_free(s.labels);
    rkhs_data_free(s.fresh);
    return status;
}

int run_plot(cli *c) {
    canvas v = {.out.env = c->env};
    const char *path;
    rkhs_status status;
    TRY(check_plot(c));
    TRY(result_path(c, &path));
    TRY(canvas_open(c, path, &v));
    TRY(c->model != NULL ? plot_model(c, &v) : c->gram != NULL ? plot_gram(c, &v) : plot_points(c, &v));
    v.type->end(&v);
    if (v.failure != NULL && v.out.status == RKHS_OK) REFUSE(c, EXIT_FAILED, "%s cannot be drawn: %s", path, v.failure);
    TRY(text_write(c, &v.out, path));
done:;
    int code = finish(c, status);
    if (v.type != NULL) v.type->release(&v);
    return code;
}
