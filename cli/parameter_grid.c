/* parameter_grid.c: the combinations of parameter values that rkhs select tries.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A spec has holes: "rbf(sigma=?)" has one called sigma, "?w*rbf" one called w. --try NAME=VALUES says what fills
 * them. A cell is one combination of values. */
#include "select.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory that lives as long as the search ------------------------------------------------------------------- */

struct kept {
    struct kept *next;
    double align;
};

rkhs_status keep(search *s, size_t count, size_t size, void *pointer) {
    struct kept *k = count < SIZE_MAX / 2 / size ? calloc(1, sizeof *k + count * size) : NULL;
    if (k == NULL) return refuse(s->c, EXIT_FAILED, "no memory for the list of what is tried");
    k->next = s->kept;
    s->kept = k;
    *(void **)pointer = k + 1;
    return RKHS_OK;
}

rkhs_status keep_text(search *s, const char *from, size_t length, char **copy) {
    rkhs_status status = keep(s, length + 1, 1, copy);
    if (status == RKHS_OK) memcpy(*copy, from, length);
    return status;
}

rkhs_status keep_failure(search *s, rkhs_status failed, cell *one) {
    cli *c = s->c;
    const char *sentence = c->message[0] != 0 ? c->message : rkhs_env_message(c->env);
    const char *subject = c->message[0] != 0 ? "" : rkhs_env_subject(c->env);
    if (*sentence == 0) sentence = rkhs_status_text(failed);
    one->status = failed;
    rkhs_status status = keep_text(s, sentence, strlen(sentence), &one->failed);
    if (status == RKHS_OK) status = keep_text(s, subject, strlen(subject), &one->subject);
    if (status != RKHS_OK) return status;
    c->message[0] = 0;
    c->code = 0;
    return RKHS_OK;
}

void forget_kept(search *s) {
    while (s->kept != NULL) {
        struct kept *next = s->kept->next;
        free(s->kept);
        s->kept = next;
    }
}

/* splitmix64 of Steele, Lea, Flood 2014. The library's generator is not public, and the tool draws few numbers. */
static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double uniform_of(uint64_t seed, uint64_t stream, uint64_t index) {
    return ((double)(mix(mix(mix(seed) ^ stream) ^ index) >> 12) + 0.5) * 0x1p-52;
}

/* ---- --try ----------------------------------------------------------------------------------------------------- */

static int is_name(char ch) { return isalnum((unsigned char)ch) || ch == '_'; }

static void trim(const char **from, const char **to) {
    while (*from < *to && isspace((unsigned char)**from)) (*from)++;
    while (*from < *to && isspace((unsigned char)(*to)[-1])) (*to)--;
}

/* Parses "log(a,b,n)" or "lin(a,b,n)", where n may be missing. Returns how many numbers there are, 0 if it is
 * something else, -1 if it is malformed. */
static int read_call(const char *from, const char *to, int *logarithmic, double number[3]) {
    int count = 0;
    if (to - from < 4 || (strncmp(from, "log(", 4) != 0 && strncmp(from, "lin(", 4) != 0)) return 0;
    *logarithmic = from[1] == 'o';
    for (from += 4; count < 3; from++) {
        char *end;
        number[count++] = strtod(from, &end);
        if (end == from || end >= to) return -1;
        for (from = end; isspace((unsigned char)*from);) from++;
        if (*from == ')') return from + 1 == to && count >= 2 ? count : -1;
        if (*from != ',') return -1;
    }
    return -1;
}

/* Makes the values of a grid, or stores the ends of a range. */
static rkhs_status read_grid(search *s, choice *h, const char *typed, int numbers, int logarithmic, const double number[3]) {
    rkhs_status status = RKHS_OK;
    double low = number[0], high = number[1];
    char digits[40];
    if (numbers < 0)
        REFUSE(s->c, EXIT_MISUSED, "--try %.100s: a grid is log(a,b,n) or lin(a,b,n), a range log(a,b) or lin(a,b)", typed);
    if (!isfinite(low) || !isfinite(high) || !(low < high) || (logarithmic && !(low > 0)))
        REFUSE(s->c, EXIT_MISUSED, "--try %.100s: the first number must be below the second%s", typed,
               logarithmic ? ", and of log above 0" : "");
    if (numbers == 2) {
        if (s->c->draws == 0)
            REFUSE(s->c, EXIT_MISUSED, "--try %.100s is a range without steps: give their number as a third, or --draws N",
                   typed);
        h->kind = logarithmic ? RANGE_LOG : RANGE_LIN;
        h->low = low;
        h->high = high;
        goto done;
    }
    if (number[2] != floor(number[2]) || number[2] < 2 || number[2] > MAX_CELLS)
        REFUSE(s->c, EXIT_MISUSED, "--try %.100s: the third number says how many values, from 2 to %d", typed, MAX_CELLS);
    h->count = (int)number[2];
    TRY(keep(s, (size_t)h->count, sizeof *h->values, &h->values));
    for (int i = 0; i < h->count; i++) {
        double t = (double)i / (h->count - 1);
        double v = i + 1 == h->count ? high : logarithmic ? low * pow(high / low, t) : low + (high - low) * t;
        snprintf(digits, sizeof digits, "%.6g", v);
        TRY(keep_text(s, digits, strlen(digits), &h->values[i]));
    }
done:
    return status;
}

/* Splits values at commas, except inside brackets or quotes. */
static rkhs_status read_values(search *s, choice *h, const char *typed, const char *from, const char *to) {
    rkhs_status status = RKHS_OK;
    int room = 1, depth = 0, quoted = 0;
    for (const char *at = from; at < to; at++) room += *at == ',';
    TRY(keep(s, (size_t)room, sizeof *h->values, &h->values));
    for (const char *at = from, *begin = from; at <= to; at++) {
        if (at < to && *at == '"') quoted = !quoted;
        if (at < to && !quoted) depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (at < to && (quoted || depth > 0 || *at != ',')) continue;
        const char *first = begin, *last = at;
        trim(&first, &last);
        if (first == last)
            REFUSE(s->c, EXIT_MISUSED, "--try %.100s: a value is empty; write NAME=VALUE,VALUE or NAME=log(a,b,n)", typed);
        TRY(keep_text(s, first, (size_t)(last - first), &h->values[h->count]));
        for (int i = 0; i < h->count; i++)
            if (strcmp(h->values[i], h->values[h->count]) == 0)
                REFUSE(s->c, EXIT_MISUSED, "--try %.100s: %.60s is there twice", typed, h->values[i]);
        h->count++;
        begin = at + 1;
    }
done:
    return status;
}

static rkhs_status read_choice(search *s, const char *typed) {
    rkhs_status status = RKHS_OK;
    choice *h = &s->choices[s->chosen];
    const char *equals = strchr(typed, '='), *from = typed, *to = equals;
    double number[3] = {0};
    int logarithmic = 0;
    if (equals == NULL) REFUSE(s->c, EXIT_MISUSED, "--try takes NAME=VALUES, as in sigma=log(0.1,10,5), not '%.100s'", typed);
    trim(&from, &to);
    size_t length = (size_t)(to - from);
    for (size_t i = 0; i < length; i++)
        if (!is_name(from[i])) length = 0;
    if (length == 0 || length >= NAME_ROOM)
        REFUSE(s->c, EXIT_MISUSED, "--try %.100s: before the = stands the name of a hole, letters and digits", typed);
    memcpy(h->name, from, length);
    for (int i = 0; i < s->chosen; i++)
        if (strcmp(s->choices[i].name, h->name) == 0)
            REFUSE(s->c, EXIT_MISUSED, "there are two --try for %s: give one", h->name);
    s->chosen++;
    from = equals + 1;
    to = from + strlen(from);
    trim(&from, &to);
    int numbers = read_call(from, to, &logarithmic, number);
    TRY(numbers != 0 ? read_grid(s, h, typed, numbers, logarithmic, number) : read_values(s, h, typed, from, to));
done:
    return status;
}

rkhs_status read_choices(search *s) {
    rkhs_status status = RKHS_OK;
    for (int i = 0; i < s->c->tries.count; i++) TRY(read_choice(s, s->c->tries.value[i]));
done:
    return status;
}

/* ---- holes ----------------------------------------------------------------------------------------------------- */

/* The spec with its holes filled. If a value is refused there, the cell fails with that message. */
static rkhs_status fill_holes(search *s, const char *list, const char *typed, cell *one, char **filled) {
    rkhs_status status;
    rkhs_spec *spec = NULL;
    const char *name;
    char path[NAME_ROOM + 1];
    TRY(rkhs_spec_new(s->c->env, list, typed, &spec));
    while ((name = rkhs_spec_hole(spec)) != NULL) {
        int which = 0;
        while (which < s->chosen && strcmp(s->choices[which].name, name) != 0) which++;
        if (name[0] == 0) REFUSE(s->c, EXIT_MISUSED, "%.200s: a ? has no name: write NAME=? or ?NAME", typed);
        if (which == s->chosen)
            REFUSE(s->c, EXIT_MISUSED, "nothing fills the hole %s of %.200s: give --try %s=VALUES", name, typed, name);
        s->choices[which].used = 1;
        snprintf(path, sizeof path, "?%s", s->choices[which].name);
        status = rkhs_spec_set(spec, path, one->values[which]);
        if (status == RKHS_ERR_SPEC) {
            one->done = 1;
            TRY(keep_failure(s, status, one));
            break;
        }
        TRY(status);
    }
    TRY(keep_text(s, rkhs_spec_text(spec), strlen(rkhs_spec_text(spec)), filled));
done:
    rkhs_spec_free(spec);
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */

/* Draws the values of one cell. `attempt` is the random index, so that a duplicate can be drawn again. */
static rkhs_status draw_values(search *s, uint64_t attempt, char **values) {
    rkhs_status status = RKHS_OK;
    char digits[40];
    for (int h = 0; h < s->chosen; h++) {
        const choice *o = &s->choices[h];
        double u = uniform_of(s->c->seed, 1 + (uint64_t)h, attempt);
        if (o->kind == VALUES) {
            values[h] = o->values[(int)(u * o->count)];
            continue;
        }
        double v = o->kind == RANGE_LOG ? o->low * pow(o->high / o->low, u) : o->low + (o->high - o->low) * u;
        snprintf(digits, sizeof digits, "%.6g", v);
        TRY(keep_text(s, digits, strlen(digits), &values[h]));
    }
done:
    return status;
}

static int same_values(const search *s, char *const *a, char *const *b) {
    for (int h = 0; h < s->chosen; h++)
        if (strcmp(a[h], b[h]) != 0) return 0;
    return 1;
}

/* Draws --draws different cells. */
static rkhs_status draw_cells(search *s) {
    rkhs_status status = RKHS_OK;
    for (uint64_t attempt = 0; s->count < s->c->draws; attempt++) {
        cell *one = &s->cells[s->count];
        int seen = 0;
        if (attempt > 1000u * (uint64_t)s->c->draws) break; /* the range is too narrow for six digits */
        TRY(draw_values(s, attempt, one->values));
        for (int i = 0; i < s->count && !seen; i++) seen = same_values(s, s->cells[i].values, one->values);
        s->count += !seen;
    }
done:
    return status;
}

/* All combinations; the last --try varies fastest. */
static void cross_cells(search *s, int total) {
    for (s->count = 0; s->count < total; s->count++) {
        int rest = s->count;
        for (int h = s->chosen - 1; h >= 0; h--) {
            s->cells[s->count].values[h] = s->choices[h].values[rest % s->choices[h].count];
            rest /= s->choices[h].count;
        }
    }
}

rkhs_status make_cells(search *s) {
    rkhs_status status = RKHS_OK;
    double total = 1;
    int ranges = 0;
    for (int h = 0; h < s->chosen; h++) {
        ranges += s->choices[h].kind != VALUES;
        if (s->choices[h].kind == VALUES) total *= s->choices[h].count;
    }
    int drawn = s->c->draws > 0 && (ranges > 0 || s->c->draws < total);
    double room = drawn ? s->c->draws : total;
    if (room > MAX_CELLS)
        REFUSE(s->c, EXIT_MISUSED, "that makes %.0f combinations, and %d are the most: give fewer values, or --draws N", room,
               MAX_CELLS);
    TRY(keep(s, (size_t)room, sizeof *s->cells, &s->cells));
    for (int i = 0; i < (int)room; i++) TRY(keep(s, (size_t)s->chosen + 1, sizeof(char *), &s->cells[i].values));
    if (drawn)
        TRY(draw_cells(s));
    else
        cross_cells(s, (int)total);
    for (int i = 0; i < s->count; i++) {
        cell *one = &s->cells[i];
        TRY(fill_holes(s, "models", s->c->operand[0], one, &one->model));
        if (s->c->kernel != NULL) TRY(fill_holes(s, "kernels", s->c->kernel, one, &one->kernel));
        one->score = one->deviation = one->seconds = NAN;
    }
    for (int h = 0; h < s->chosen; h++)
        if (!s->choices[h].used)
            REFUSE(s->c, EXIT_MISUSED, "--try %s: no hole has that name; write %s=? or ?%s in the spec or in --kernel",
                   s->choices[h].name, s->choices[h].name, s->choices[h].name);
done:
    return status;
}
