/* explain.c: rkhs explain: the training objects that influence most where new objects are placed.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The result is a table (CSV or JSON) or, for objects that can be drawn, a picture: for each object a line with the
 * object, those that pull it towards its position and those that push it away, with their influence. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL = 5, MAX_LINES = 16, MAX_ACROSS = 12, BOX = 52, SPACE = 8, BAND = 28, NUMBER = 11 };

typedef struct explained {
    const rkhs_data *x, *reference; /* the new objects, and the training objects or landmarks that place them */
    const int64_t *rows;            /* rows of the reference objects in the training data; NULL: all, in order */
    int64_t given;                  /* objects fitted; positives follow as rows given .., negatives as 2 given .. */
    int64_t n, top, *object;
    double *influence; /* n x 2 top: pulls, pushes */
} explained;

/* The row of a reference object, and which file it is from. */
static int64_t row_of(const explained *e, int64_t index, const char **from) {
    static const char *const sides[] = {"data", "positives", "negatives"};
    int64_t row = e->rows != NULL ? e->rows[index] : index, side = row / e->given;
    *from = sides[side < 2 ? side : 2];
    return row % e->given;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static void write_csv(const explained *e, rk_text *t) {
    const char *from;
    rk_text_add(t, "object,effect,reference,from,influence\n");
    for (int64_t q = 0; q < e->n * 2 * e->top; q++) {
        if (e->object[q] < 0) continue;
        long long row = (long long)row_of(e, e->object[q], &from);
        rk_text_add(t, "%lld,%s,%lld,%s,%.9g\n", (long long)(q / (2 * e->top)), q % (2 * e->top) < e->top ? "pull" : "push",
                    row, from, e->influence[q]);
    }
}

/* [{"object": 0, "pulls": [{"reference": 3, "from": "data", "influence": 0.1}], "pushes": []}, ...] */
static void write_json(const explained *e, rk_text *t) {
    const char *from;
    for (int64_t i = 0; i < e->n; i++) {
        rk_text_add(t, "%s{\"object\": %lld", i == 0 ? "[" : ",\n ", (long long)i);
        for (int side = 0; side < 2; side++) {
            const char *before = "";
            rk_text_add(t, side == 0 ? ", \"pulls\": [" : ", \"pushes\": [");
            for (int64_t q = (2 * i + side) * e->top; q < (2 * i + side + 1) * e->top; q++, before = ", ") {
                if (e->object[q] < 0) break;
                long long row = (long long)row_of(e, e->object[q], &from);
                rk_text_add(t, "%s{\"reference\": %lld, \"from\": \"%s\", \"influence\": %.17g}", before, row, from,
                            e->influence[q]);
            }
            rk_text_add(t, "]");
        }
        rk_text_add(t, "}");
    }
    rk_text_add(t, e->n > 0 ? "]\n" : "[]\n");
}

/* ---- picture --------------------------------------------------------------------------------------------------- */

/* Draws one object in a box, keeping its proportions, with a text below. */
static void draw_box(canvas *v, const objects *o, int64_t i, double x, double y, const char *colour, const char *below) {
    double scale = BOX / fmax(o->box_width, o->box_height), width = o->box_width * scale, height = o->box_height * scale;
    frame f = {x + (BOX - width) / 2, y + (BOX - height) / 2, width, height};
    draw_object(v, o, i, &f);
    v->type->rect(v, &f, &(pen){.stroke = colour, .width = 1.5});
    if (below != NULL)
        v->type->text(v, &(words){.x = x + BOX / 2.0, .y = y + BOX + 13, .s = below, .size = NUMBER, .anchor = 'm'});
}

static void draw_lines(canvas *v, const cli *c, const explained *e, const objects *mine, const objects *theirs) {
    static const char *const colours[] = {"#0072b2", "#d55e00"}, *const heads[] = {"pulls", "pushes"};
    picture p = {.title = c->title};
    int64_t lines = e->n < MAX_LINES ? e->n : MAX_LINES, across = e->top < MAX_ACROSS ? e->top : MAX_ACROSS;
    double step = BOX + SPACE, left = 14, side = (double)across * step + BAND, top = page_top(&p) + 22, line = BOX + 26;
    snprintf(p.about, sizeof p.about, "%s, and the training objects that pull and push them most",
             rk_counted(lines, "object").text);
    page_begin(v, &p, left, left + BOX + BAND + 2 * side - BAND + 10, top + (double)lines * line + 4);
    v->type->text(v, &(words){.x = left + BOX / 2.0, .y = top - 9, .s = "object", .anchor = 'm'});
    for (int s = 0; s < 2; s++)
        v->type->text(v, &(words){.x = left + BOX + BAND + s * side, .y = top - 9, .s = heads[s], .colour = colours[s]});
    for (int64_t i = 0; i < lines; i++) {
        double y = top + (double)i * line;
        draw_box(v, mine, i, left, y, "#404040", NULL);
        for (int64_t q = 0; q < 2 * e->top; q++) {
            int64_t at = i * 2 * e->top + q, s = q / e->top, rank = q % e->top;
            char number[32];
            if (e->object[at] < 0 || rank >= across) continue;
            snprintf(number, sizeof number, "%.3g", e->influence[at]);
            draw_box(v, theirs, e->object[at], left + BOX + BAND + (double)s * side + (double)rank * step, y, colours[s],
                     number);
        }
    }
}

static rkhs_status draw_explained(cli *c, const explained *e, canvas *v) {
    rkhs_status status = RKHS_OK;
    objects mine = {.data = (rkhs_data *)(uintptr_t)e->x, .n = e->n};
    objects theirs = {.data = (rkhs_data *)(uintptr_t)e->reference, .n = rkhs_data_rows(e->reference)};
    c->objects = c->operand[1]; /* named in messages */
    TRY(prepare_objects(c, &mine));
    if (theirs.n > 0 && rkhs_data_shape(e->reference, NULL, NULL, NULL)) c->image_size = NULL;
    TRY(prepare_objects(c, &theirs));
    mine.min = theirs.min = fmin(mine.min, theirs.min); /* one grey scale for both */
    mine.max = theirs.max = fmax(mine.max, theirs.max);
    mine.dark = theirs.dark;
    mine.labels = theirs.labels;
    draw_lines(v, c, e, &mine, &theirs);
    if (e->n > MAX_LINES && !c->quiet) say("explain", "a picture shows 16 objects at most: the first 16 are drawn");
    if (e->top > MAX_ACROSS && !c->quiet)
        say("explain", "a picture shows 12 pulls and pushes at most: the others are left out");
done:
    return status;
}

/* ---- the command ----------------------------------------------------------------------------------------------- */

static int is_picture(const char *path) { return ends_in(path, ".svg") || ends_in(path, ".png") || ends_in(path, ".pdf"); }

/* Refuses a result whose ending cannot be written, before any work; opens the canvas for a picture. */
static rkhs_status open_result(cli *c, const char *path, canvas *v) {
    int named = strcmp(path, "-") != 0 && strncmp(path, "/dev/", 5) != 0;
    if (is_picture(path)) return canvas_open(c, path, v);
    if (c->title != NULL || c->image_size != NULL)
        return refuse(c, EXIT_MISUSED, "--%s is for pictures: give -o FILE.svg, .png or .pdf",
                      c->title != NULL ? "title" : "image-size");
    if (named && !ends_in(path, ".csv") && !ends_in(path, ".json"))
        return refuse(c, EXIT_FAILED, "%s: an explanation is .csv, .json, or a picture, .svg, .png or .pdf; name it so", path);
    return RKHS_OK;
}

static rkhs_status explain(cli *c, const rkhs_model *m, explained *e) {
    rkhs_status status = RKHS_OK;
    int64_t dim;
    e->reference = rkhs_model_reference_objects(m, &e->rows);
    rkhs_model_embedding(m, &e->given, &dim);
    e->n = rkhs_data_rows(e->x);
    e->top = c->top > 0 ? c->top : USUAL;
    if (e->top > rkhs_data_rows(e->reference)) e->top = rkhs_data_rows(e->reference);
    double *both;
    TRY(take_numbers(c, "the explanation", e->n, 4 * e->top, &both));
    c->owned[c->owned_count++] = both;
    e->influence = both;
    e->object = (int64_t *)(void *)(both + e->n * 2 * e->top);
    set_subject(c, c->operand[1], NULL);
    TRY(rkhs_model_explain(m, e->x, e->top, e->object, e->influence));
done:
    return status;
}

int run_explain(cli *c) {
    rkhs_model *m = NULL;
    rkhs_data *x = NULL;
    explained e = {0};
    canvas v = {.out.env = c->env};
    const char *path = c->output != NULL ? c->output : "-";
    rkhs_status status;
    TRY(check_outputs(c, &path, 1));
    TRY(open_result(c, path, &v));
    TRY(rkhs_model_load(c->env, c->operand[0], &m));
    TRY(read_data(c, c->operand[1], rkhs_model_kernel(m), &x));
    e.x = x;
    TRY(explain(c, m, &e));
    if (v.type != NULL) {
        TRY(draw_explained(c, &e, &v));
        v.type->end(&v);
        if (v.failure != NULL && v.out.status == RKHS_OK) REFUSE(c, EXIT_FAILED, "%s cannot be drawn: %s", path, v.failure);
    } else if (c->json || ends_in(path, ".json")) {
        write_json(&e, &v.out);
    } else {
        write_csv(&e, &v.out);
    }
    TRY(text_write(c, &v.out, path));
done:;
    int code = finish(c, status);
    if (v.type != NULL)
        v.type->release(&v);
    else
        rk_text_free(&v.out);
    rkhs_data_free(x);
    rkhs_model_free(m);
    return code;
}
