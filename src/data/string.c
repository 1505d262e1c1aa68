/* string.c: the data kind "string", byte strings such as words, texts and sequences.
 *
 * The kernel defines what a character is. All strings are in one block, each followed by a zero byte: string i is
 * bytes[starts[i]] .. bytes[starts[i+1]-2]. The block ends in a newline, since an archive drops trailing zeros. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = INT32_MAX - 1 };

static const rk_strings *strings_of(const rkhs_data *x) { return x->self; }

/* Allocates the arrays of `out`, whose rows are set. */
static rkhs_status make_room(rkhs_env *env, rkhs_data *out, int64_t bytes) {
    rkhs_status status = RKHS_OK;
    rk_strings *s = out->self;
    TRY(rk_alloc(env, out->rows + 1, sizeof *s->starts, &s->starts));
    TRY(rk_alloc(env, bytes + 1, 1, &s->bytes));
    s->bytes[bytes] = '\n';
done:
    return status;
}

rkhs_status rk_data_strings_new(rkhs_env *env, const char *const *strings, const int64_t *lengths, int64_t n, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    int64_t bytes = 0;
    *out = NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t length = lengths ? lengths[i] : (int64_t)strlen(strings[i]);
        if (length < 0 || length > LONGEST)
            FAIL(env, RKHS_ERR_DATA, "string %lld (counted from 1) has %s: at most %d can be handled", (long long)i + 1,
                 rk_counted(length, "byte").text, LONGEST);
        bytes += length + 1;
    }
    TRY(rk_data_new(env, &rk_data_string, n, 1, &x));
    TRY(make_room(env, x, bytes));
    rk_strings *s = x->self;
    for (int64_t i = 0; i < n; i++) {
        int64_t length = lengths ? lengths[i] : (int64_t)strlen(strings[i]);
        if (length) memcpy(s->bytes + s->starts[i], strings[i], (size_t)length);
        s->starts[i + 1] = s->starts[i] + length + 1;
    }
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

rkhs_status rkhs_data_strings(rkhs_env *env, const char *const *strings, const int64_t *lengths, int64_t n, rkhs_data **data) {
    if (!env || !data) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    *data = NULL;
    if (n < 1 || !strings) return rk_fail(env, RKHS_ERR_DATA, "data of no strings: at least one is needed");
    for (int64_t i = 0; i < n; i++)
        if (!strings[i] && !(lengths && lengths[i] == 0))
            return rk_fail(env, RKHS_ERR_ARGUMENT, "string %lld (counted from 1) is a null pointer", (long long)i + 1);
    return rk_data_strings_new(env, strings, lengths, n, data);
}

const char *rkhs_data_string(const rkhs_data *data, int64_t i, int64_t *length) {
    if (!data || data->type != &rk_data_string || i < 0 || i >= data->rows) return NULL;
    return rk_string_of(data, i, length);
}

static rkhs_status subset_string(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_strings *s = strings_of(x);
    rk_strings *to = out->self;
    int64_t bytes = 0;
    for (int64_t i = 0; i < count; i++) bytes += s->starts[index[i] + 1] - s->starts[index[i]];
    rkhs_status status = make_room(env, out, bytes);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++) {
        int64_t from = s->starts[index[i]], length = s->starts[index[i] + 1] - from;
        memcpy(to->bytes + to->starts[i], s->bytes + from, (size_t)length);
        to->starts[i + 1] = to->starts[i] + length;
    }
    return status;
}

static rkhs_status join_string(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    rk_strings *to = out->self;
    int64_t bytes = 0, row = 0;
    for (int k = 0; k < count; k++) bytes += strings_of(parts[k])->starts[parts[k]->rows];
    rkhs_status status = make_room(env, out, bytes);
    for (int k = 0; status == RKHS_OK && k < count; k++) {
        const rk_strings *s = strings_of(parts[k]);
        int64_t at = to->starts[row];
        memcpy(to->bytes + at, s->bytes, (size_t)s->starts[parts[k]->rows]);
        for (int64_t i = 0; i < parts[k]->rows; i++) to->starts[++row] = at + s->starts[i + 1];
    }
    return status;
}

static rkhs_status save_string(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    rkhs_status status = RKHS_OK;
    const rk_strings *s = strings_of(x);
    char name[256];
    snprintf(name, sizeof name, "%sstarts", prefix);
    TRY(rk_archive_put(archive, name, &(rk_array){'q', 1, {x->rows + 1}, s->starts}));
    snprintf(name, sizeof name, "%sbytes", prefix);
    TRY(rk_archive_put(archive, name, &(rk_array){'S', 1, {s->starts[x->rows] + 1}, s->bytes}));
done:
    return status;
}

static rkhs_status load_string(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_array starts, bytes;
    char name[256];
    snprintf(name, sizeof name, "%sstarts", prefix);
    TRY(rk_archive_get(archive, name, 'q', 1, &starts));
    snprintf(name, sizeof name, "%sbytes", prefix);
    TRY(rk_archive_get(archive, name, 'S', -1, &bytes));
    int64_t rows = starts.shape[0] - 1, total = bytes.shape[0] - 1;
    const int64_t *start = starts.data;
    const char *from = bytes.data;
    int good = rows >= 1 && total >= 1 && start[0] == 0 && start[rows] == total && from[total] == '\n';
    for (int64_t i = 0; good && i < rows; i++)
        good = start[i + 1] > start[i] && start[i + 1] - start[i] - 1 <= LONGEST && start[i + 1] <= total &&
               !from[start[i + 1] - 1];
    if (!good) FAIL(env, RKHS_ERR_FORMAT, "the strings '%s' do not fit together: make the file again", prefix);
    out->rows = rows;
    out->columns = 1;
    TRY(make_room(env, out, total));
    rk_strings *s = out->self;
    memcpy(s->starts, start, (size_t)(rows + 1) * sizeof *start);
    memcpy(s->bytes, from, (size_t)total);
done:
    return status;
}

static void release_string(rkhs_data *x) {
    rk_free(x->env, strings_of(x)->bytes);
    rk_free(x->env, strings_of(x)->starts);
}

/* clang-format off */
const rk_data_type rk_data_string = {
    .entry = {.name = "string", .brief = "strings: text, sequences, any bytes", .size = sizeof(rk_strings)},
    .kind = RK_KIND_STRING, .subset = subset_string, .join = join_string, .save = save_string, .load = load_string,
    .release = release_string,
};
/* clang-format on */
