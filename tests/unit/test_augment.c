/* Augmentations and joined data: functions of (seed, row), of every kind; what does not apply is refused. */
#include "env.h"

#include "augment/augment.h"

enum { N = 200, P = 5 };

static rkhs_data *drawn_from(rkhs_env *env, const rkhs_data *x, const char *spec) {
    rkhs_data *y;
    OK(env, rkhs_data_augment(env, x, spec, &y));
    assert_true(y->type == x->type && y->rows == x->rows && y->columns == x->columns);
    return y;
}

static rkhs_data *table(rkhs_env *env, double *values) {
    rkhs_data *x;
    for (int i = 0; i < N * P; i++) values[i] = i % P == 3 ? 7 : (1 + i % P) * noise(1, (uint64_t)i);
    OK(env, rkhs_data_dense(env, values, N, P, P, &x));
    return x;
}

/* The deviation of column c of y - x, and its mean. */
static double deviation(const rkhs_data *x, const rkhs_data *y, int c, double *mean) {
    const double *a = rkhs_data_values(x, NULL), *b = rkhs_data_values(y, NULL);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) sum += b[i * P + c] - a[i * P + c];
    for (int i = 0; i < N; i++) squares += pow(b[i * P + c] - a[i * P + c] - sum / N, 2);
    *mean = sum / N;
    return sqrt(squares / N);
}

static void noise_follows_the_columns(void **state) {
    rkhs_env *env = *state;
    double values[N * P], mean;
    rkhs_data *x = table(env, values), *y = drawn_from(env, x, NULL), *z = drawn_from(env, x, "noise(0.5, absolute=true)");
    for (int c = 0; c < P; c++) { /* uniform on (-c-1, c+1): the deviation is (c+1)/sqrt 3; about 5% of chance */
        double wanted = c == 3 ? 0 : 0.1 * (c + 1) / sqrt(3), got = deviation(x, y, c, &mean);
        assert_true(fabs(got - wanted) < 0.2 * wanted + 1e-15 && fabs(mean) < 0.3 * wanted + 1e-15);
        assert_true(fabs(deviation(x, z, c, &mean) - 0.5) < 0.1);
    }
    rkhs_data_free(x);
    rkhs_data_free(y);
    rkhs_data_free(z);
}

/* The bits depend on seed and row, not on threads, nor on how many rows there are (absolute noise looks at no other
 * row). */
static void draws_are_functions_of_seed_and_row(void **state) {
    rkhs_env *env = *state;
    double values[N * P];
    rkhs_data *x = table(env, values), *few, *y[4];
    OK(env, rkhs_env_set_seed(env, 5));
    y[0] = drawn_from(env, x, "noise(1, absolute=true)");
    OK(env, rkhs_env_set_threads(env, 3));
    y[1] = drawn_from(env, x, "noise(1, absolute=true)");
    OK(env, rkhs_data_dense(env, values, 7, P, P, &few));
    y[2] = drawn_from(env, few, "noise(1, absolute=true)");
    OK(env, rkhs_env_set_seed(env, 6));
    y[3] = drawn_from(env, x, "noise(1, absolute=true)");
    const double *first = rkhs_data_values(y[0], NULL);
    assert_memory_equal(first, rkhs_data_values(y[1], NULL), sizeof values);
    assert_memory_equal(first, rkhs_data_values(y[2], NULL), 7 * P * sizeof *values);
    for (int i = 0; i < N * P; i++) assert_true(first[i] != rkhs_data_values(y[3], NULL)[i]);
    for (int k = 0; k < 4; k++) rkhs_data_free(y[k]);
    rkhs_data_free(few);
    rkhs_data_free(x);
}

static void sparse_rows_stay_sparse(void **state) {
    rkhs_env *env = *state;
    double values[] = {1, 2, 3, 4};
    int32_t columns[] = {0, 2, 1, 2};
    int64_t starts[] = {0, 2, 2, 4};
    rkhs_data *x;
    OK(env, rkhs_data_csr(env, values, columns, starts, 3, 3, &x));
    rkhs_data *y = drawn_from(env, x, "noise(1)"), *full, *z;
    const rk_sparse *s = y->self;
    assert_memory_equal(s->starts, starts, sizeof starts);
    assert_memory_equal(s->columns, columns, sizeof columns);
    /* The same deviations as of the rows in full; and of those the noise of a dense row, number by number. */
    OK(env, rk_sparse_as_dense(x, &full));
    z = drawn_from(env, full, "noise(1)");
    double e[4], means[] = {1 / 3.0, 1, 2}, deviations[3];
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) sum += pow(rkhs_data_values(full, NULL)[i * 3 + c] - means[c], 2) / 3;
        deviations[c] = sqrt(sum);
    }
    rk_normals(0, RK_STREAM_AUGMENT, 2, 0, e);
    NEAR(s->values[2], fabs(3 + deviations[1] * e[0]), 1e-14);
    NEAR(s->values[3], fabs(4 + deviations[2] * e[1]), 1e-14);
    NEAR(rkhs_data_values(z, NULL)[2 * 3 + 1], fabs(3 + deviations[1] * e[1]), 1e-14);
    for (int i = 0; i < 9; i++) assert_true(rkhs_data_values(z, NULL)[i] >= 0); /* no number was below 0: none is */
    rkhs_data_free(full);
    rkhs_data_free(z);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* Every image is a shift of its original by at most two, never by none; a mirror twice is the image; crop(1) is too. */
static void images_show_the_same_thing(void **state) {
    rkhs_env *env = *state;
    enum { COUNT = 40, H = 6, W = 7, C = 3, SIZE = H * W * C };
    double values[COUNT * SIZE];
    int seen[5][5] = {{0}};
    rkhs_data *x;
    for (int i = 0; i < COUNT * SIZE; i++) values[i] = noise(2, (uint64_t)i);
    OK(env, rkhs_data_images(env, values, COUNT, H, W, C, &x));
    rkhs_data *y = drawn_from(env, x, "shift"), *flipped = drawn_from(env, x, "flip"), *back = drawn_from(env, flipped, "flip");
    rkhs_data *whole = drawn_from(env, x, "crop(1)"), *part = drawn_from(env, x, "crop(0.5)"),
              *half = drawn_from(env, x, "flip(rate=0.5)");
    for (int i = 0; i < COUNT; i++) {
        const double *to = rkhs_data_values(y, NULL) + i * SIZE, *from = values + i * SIZE;
        int found = 0;
        for (int q = 0; q < 25; q++) {
            int dy = q / 5 - 2, dx = q % 5 - 2, same = 1;
            for (int p = 0; p < SIZE; p++) {
                int v = p / (W * C) - dy, u = p / C % W - dx;
                v = v < 0 ? 0 : v >= H ? H - 1 : v;
                u = u < 0 ? 0 : u >= W ? W - 1 : u;
                same &= to[p] == from[(v * W + u) * C + p % C];
            }
            found += same;
            if (same) seen[dy + 2][dx + 2]++;
        }
        assert_int_equal(found, 1);
    }
    assert_int_equal(seen[2][2], 0);
    assert_true(rkhs_data_values(flipped, NULL)[2] == values[(W - 1) * C + 2]);
    assert_memory_equal(rkhs_data_values(back, NULL), values, sizeof values);
    for (int i = 0; i < COUNT * SIZE; i++) NEAR(rkhs_data_values(whole, NULL)[i], values[i], 1e-14);
    for (int i = 0; i < COUNT; i++) { /* a mean of its numbers stays between them; none is the whole */
        assert_memory_not_equal(rkhs_data_values(part, NULL) + i * SIZE, values + i * SIZE, SIZE * sizeof *values);
        for (int p = 0; p < SIZE; p++) assert_true(fabs(rkhs_data_values(part, NULL)[i * SIZE + p]) < 1);
    }
    int turned = 0;
    for (int i = 0; i < COUNT; i++) turned += memcmp(rkhs_data_values(half, NULL) + i * SIZE, values + i * SIZE, 8) != 0;
    assert_true(turned > COUNT / 5 && turned < COUNT - COUNT / 5);
    rkhs_data *all[] = {x, y, flipped, back, whole, part, half};
    for (int k = 0; k < 7; k++) rkhs_data_free(all[k]);
}

/* A crop of a slope is a slope: pixels at half their distance, from the window's own. */
static void crops_are_straight_between_pixels(void **state) {
    rkhs_env *env = *state;
    double values[8];
    rkhs_data *x;
    for (int i = 0; i < 8; i++) values[i] = i;
    OK(env, rkhs_data_images(env, values, 1, 1, 8, 1, &x));
    rkhs_data *y = drawn_from(env, x, "crop(0.5)");
    const double *v = rkhs_data_values(y, NULL);
    for (int i = 2; i < 7; i++) NEAR(v[i] - v[i - 1], 0.5, 1e-14);
    NEAR(v[0], floor(v[0]), 1e-14);
    NEAR(v[7] - v[0], 3, 1e-14);
    rkhs_data_free(x);
    rkhs_data_free(y);
}

/* How many edits make b of a: characters put in, left out or replaced. */
static int distance(const char *a, const char *b) {
    int row[64], m = (int)strlen(b);
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int least = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < least) least = row[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            row[j] = least;
        }
    }
    return row[m];
}

static void strings_change_a_little(void **state) {
    rkhs_env *env = *state;
    const char *const words[] = {"abcdefghijklmnopqrst", "", "x", "ACGTACGTACGTACGTACGT", "\xc3\xa9\xc3\xa8\xc3\xaa\xc3\xab"};
    rkhs_data *x;
    int edits = 0;
    OK(env, rkhs_data_strings(env, words, NULL, 5, &x));
    for (uint64_t seed = 0; seed < 50; seed++) {
        OK(env, rkhs_env_set_seed(env, seed));
        rkhs_data *y = drawn_from(env, x, "edit(0.1)");
        for (int i = 0; i < 5; i++) {
            int64_t length;
            const char *s = rkhs_data_string(y, i, &length);
            assert_int_equal(length, strlen(s));
            int changes = i == 4 ? 0 : distance(words[i], s);
            edits += i == 0 || i == 3 ? changes : 0;
            assert_true(changes <= 11 && (i != 1 || length == 0));
            for (int64_t q = 0; i == 4 && q < length; q++) /* a character is whole, or none */
                assert_true((unsigned char)s[q] != 0xc3 || ((unsigned char)s[q + 1] & 0xC0) == 0x80);
        }
        rkhs_data_free(y);
    }
    assert_true(edits > 120 && edits < 280); /* of 100 strings about two changes each */
    rkhs_data_free(x);
}

static void bits_come_as_they_go(void **state) {
    rkhs_env *env = *state;
    enum { ROWS = 100, BITS = 200 };
    uint64_t *words;
    rkhs_data *x;
    OK(env, rk_data_bits_new(env, ROWS, BITS, &words, &x));
    for (int i = 0; i < ROWS; i++)
        for (int c = 0; c < BITS; c += 5) words[i * 4 + c / 64] |= (uint64_t)1 << c % 64;
    rkhs_data *y = drawn_from(env, x, "toggle(0.25)");
    double a[BITS], b[BITS];
    int gone = 0, come = 0;
    for (int i = 0; i < ROWS; i++) {
        assert_true(rkhs_data_row(x, i, a) && rkhs_data_row(y, i, b));
        for (int c = 0; c < BITS; c++) gone += a[c] > b[c], come += a[c] < b[c];
    }
    assert_true(abs(gone - 1000) < 120 && abs(come - 1000) < 140); /* of 4000 ones and 16000 zeros */
    rkhs_data_free(x);
    rkhs_data_free(y);
}

static void graphs_lose_edges(void **state) {
    rkhs_env *env = *state;
    const int64_t vertices[] = {4, 1, 2}, edges[] = {4, 0, 1}, ends[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 1};
    const int64_t labels[] = {1, 2, 3, 4, 5, 6, 7}, bonds[] = {10, 11, 12, 13, 14};
    rkhs_data *x;
    OK(env, rkhs_data_graphs(env, 3, vertices, edges, ends, labels, bonds, &x));
    rkhs_data *y = drawn_from(env, x, "drop(1e-9)"); /* one goes all the same */
    for (int i = 0; i < 3; i++) {
        rkhs_graph a, b;
        assert_true(rkhs_data_graph(x, i, &a) && rkhs_data_graph(y, i, &b));
        assert_int_equal(a.vertices, b.vertices);
        assert_memory_equal(a.labels, b.labels, (size_t)a.vertices * sizeof *labels);
        int64_t had = a.starts[a.vertices] - a.starts[0], has = b.starts[b.vertices] - b.starts[0];
        assert_int_equal(had - has, edges[i] ? 2 : 0);
        for (int64_t v = 0; v < b.vertices; v++)
            for (int64_t q = b.starts[v]; q < b.starts[v + 1]; q++) {
                int found = 0;
                for (int64_t p = a.starts[v]; p < a.starts[v + 1]; p++)
                    found += a.neighbours[p] == b.neighbours[q] && a.edge_labels[p] == b.edge_labels[q];
                assert_int_equal(found, 1);
            }
    }
    rkhs_data_free(x);
    rkhs_data_free(y);
}

static void what_does_not_apply_is_refused(void **state) {
    rkhs_env *env = *state;
    double values[N * P];
    const char *const words[] = {"a", "b"};
    rkhs_data *x = table(env, values), *strings, *labels, *y = x;
    OK(env, rkhs_data_strings(env, words, NULL, 2, &strings));
    OK(env, rkhs_data_classes(env, (int64_t[]){0, 1}, 2, NULL, 2, &labels));
    FAILS(env, RKHS_ERR_DATA, "'flip' | image | dense | noise", rkhs_data_augment(env, x, "flip", &y));
    assert_null(y);
    FAILS(env, RKHS_ERR_DATA, "'noise' | dense | sparse | string | edit", rkhs_data_augment(env, strings, "noise", &y));
    FAILS(env, RKHS_ERR_DATA, "augmentation | labels | pairs | triplets", rkhs_data_augment(env, labels, NULL, &y));
    FAILS(env, RKHS_ERR_SPEC, "did you mean noise?", rkhs_data_augment(env, x, "nose", &y));
    FAILS(env, RKHS_ERR_SPEC, "deviation must be above 0", rkhs_data_augment(env, x, "noise(0)", &y));
    FAILS(env, RKHS_ERR_ARGUMENT, "no variable for the data", rkhs_data_augment(env, x, NULL, NULL));
    rkhs_data_free(x);
    rkhs_data_free(strings);
    rkhs_data_free(labels);
}

/* ---- joined data ----------------------------------------------------------------------------------------------- */

/* Parts of x by their rows, joined, are x: as a model file has them, to the byte. */
static void joined_parts_are(rkhs_env *env, const rkhs_data *x) {
    rkhs_data *parts[3], *all;
    int64_t rows[3][16], count[3] = {0}, from = 0;
    for (int k = 0; k < 3; k++) {
        int64_t to = k == 2 ? x->rows : from + (k + 1) * x->rows / 6 + 1;
        for (; from < to; from++) rows[k][count[k]++] = from;
        OK(env, rkhs_data_subset(x, rows[k], count[k], &parts[k]));
    }
    OK(env, rkhs_data_join(env, (const rkhs_data *const *)parts, 3, &all));
    assert_true(all->type == x->type && all->rows == x->rows && all->columns == x->columns);
    assert_true(!all->labels == !x->labels);
    rk_archive *a[2];
    char *bytes[2];
    int64_t size[2];
    for (int k = 0; k < 2; k++) {
        rk_output *out;
        OK(env, rk_archive_new(env, &a[k]));
        OK(env, rk_data_save(k ? all : x, a[k], "x/"));
        if (x->labels) OK(env, rk_data_save(k ? all->labels : x->labels, a[k], "labels/"));
        bytes[k] = malloc(1 << 20);
        OK(env, rk_output_memory(env, bytes[k], 1 << 20, &out));
        OK(env, rk_archive_write_to(a[k], out));
        OK(env, rk_output_commit(out));
        size[k] = rk_output_size(out);
        rk_output_free(out);
        rk_archive_free(a[k]);
    }
    assert_true(size[0] == size[1] && size[0] > 100 && size[0] < 1 << 20);
    assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
    free(bytes[0]);
    free(bytes[1]);
    rkhs_data_free(all);
    for (int k = 0; k < 3; k++) rkhs_data_free(parts[k]);
}

static void parts_of_every_kind_join(void **state) {
    rkhs_env *env = *state;
    double values[10 * 12];
    int32_t columns[] = {0, 2, 1, 2, 0, 2};
    int64_t starts[] = {0, 2, 2, 4, 5, 6}, codes[] = {0, 1, 0, 2, 1}, index[] = {0, 1, 2, 1, 2, 0, 2, 0, 1, 3, 2, 1, 0, 3, 2};
    const int64_t vertices[] = {4, 1, 2, 2}, edges[] = {4, 0, 1, 1}, ends[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 0};
    const int64_t marks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, bonds[] = {10, 11, 12, 13, 14, 15};
    const char *const words[] = {"abc", "", "d", "efg", "\xff\x01"};
    const uint8_t packed[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
    rkhs_data *x[8];
    for (int i = 0; i < 120; i++) values[i] = noise(3, (uint64_t)i);
    OK(env, rkhs_data_dense(env, values, 5, 11, 12, &x[0]));
    OK(env, rkhs_data_csr(env, values, columns, starts, 5, 3, &x[1]));
    OK(env, rkhs_data_strings(env, words, NULL, 5, &x[2]));
    OK(env, rkhs_data_bits(env, packed, 5, 12, 2, &x[3]));
    OK(env, rkhs_data_images(env, values, 10, 2, 2, 3, &x[4]));
    OK(env, rkhs_data_graphs(env, 4, vertices, edges, ends, marks, bonds, &x[5]));
    OK(env, rkhs_data_classes(env, codes, 5, words, 3, &x[6]));
    OK(env, rkhs_data_index(env, index, 5, 3, 4, &x[7]));
    OK(env, rkhs_data_classes(env, codes, 5, words, 3, &x[0]->labels));
    for (int k = 0; k < 8; k++) joined_parts_are(env, x[k]);
    for (int k = 0; k < 8; k++) rkhs_data_free(x[k]);
}

static void classes_join_by_name(void **state) {
    rkhs_env *env = *state;
    const char *const one[] = {"cat", "dog"}, *const two[] = {"dog", "emu"};
    rkhs_data *parts[2], *all;
    int64_t classes;
    OK(env, rkhs_data_classes(env, (int64_t[]){0, 1, 1}, 3, one, 2, &parts[0]));
    OK(env, rkhs_data_classes(env, (int64_t[]){1, 0}, 2, two, 2, &parts[1]));
    OK(env, rkhs_data_join(env, (const rkhs_data *const *)parts, 2, &all));
    const int64_t *codes = rkhs_data_codes(all, &classes);
    assert_int_equal(classes, 3);
    const char *const wanted[] = {"cat", "dog", "dog", "emu", "dog"};
    for (int i = 0; i < 5; i++) assert_string_equal(rkhs_data_class_name(all, codes[i]), wanted[i]);
    rkhs_data_free(all);
    rkhs_data_free(parts[0]);
    rkhs_data_free(parts[1]);
}

static void what_cannot_be_joined_is_refused(void **state) {
    rkhs_env *env = *state;
    double values[24] = {0};
    const char *const words[] = {"a", "b"};
    rkhs_data *x, *narrow, *strings, *tall, *flat, *gram, *view, *all = NULL;
    const rkhs_data *use;
    OK(env, rkhs_data_dense(env, values, 4, 4, 4, &x));
    OK(env, rkhs_data_dense(env, values, 4, 3, 3, &narrow));
    OK(env, rkhs_data_strings(env, words, NULL, 2, &strings));
    OK(env, rkhs_data_images(env, values, 2, 3, 4, 1, &tall));
    OK(env, rkhs_data_images(env, values, 2, 4, 3, 1, &flat));
    OK(env, rk_data_coerce(env, x, RK_KIND_GRAM, "precomputed", &use, &view));
    gram = view;
#define JOIN(a, b) rkhs_data_join(env, (const rkhs_data *[]){a, b}, 2, &all)
    FAILS(env, RKHS_ERR_DATA, "3 columns | of 4", JOIN(x, narrow));
    FAILS(env, RKHS_ERR_DATA, "string | dense", JOIN(x, strings));
    FAILS(env, RKHS_ERR_DATA, "images | 4 x 3 | 3 x 4", JOIN(tall, flat));
    FAILS(env, RKHS_ERR_DATA, "rows | precomputed | Gram", JOIN(gram, gram));
    FAILS(env, RKHS_ERR_DATA, "precomputed Gram cannot be augmented", rkhs_data_augment(env, gram, NULL, &all));
    FAILS(env, RKHS_ERR_ARGUMENT, "no data to join", rkhs_data_join(env, NULL, 0, &all));
    FAILS(env, RKHS_ERR_ARGUMENT, "is a null pointer", JOIN(x, NULL));
    assert_null(all);
    rkhs_data *made[] = {x, narrow, strings, tall, flat, gram};
    for (int k = 5; k >= 0; k--) rkhs_data_free(made[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(noise_follows_the_columns),
        ENV_TEST(draws_are_functions_of_seed_and_row),
        ENV_TEST(sparse_rows_stay_sparse),
        ENV_TEST(images_show_the_same_thing),
        ENV_TEST(crops_are_straight_between_pixels),
        ENV_TEST(strings_change_a_little),
        ENV_TEST(bits_come_as_they_go),
        ENV_TEST(graphs_lose_edges),
        ENV_TEST(what_does_not_apply_is_refused),
        ENV_TEST(parts_of_every_kind_join),
        ENV_TEST(classes_join_by_name),
        ENV_TEST(what_cannot_be_joined_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
