/* forged.c: model files that no fit wrote, with a right checksum. An input is a recipe: the first byte picks a small
 * model, made when the target starts, of each type, kind of data and gram; the second what is asked of it; the
 * others are edits of its arrays, six bytes each: what to do, with which array, and how. So mutations reach what is
 * behind the headers, and inputs are a few bytes. */
#include "model.h"

enum { N = 6, FEW = 4, COLUMNS = 2, MAX_ARRAYS = 96, EDIT = 6, EDITS = 8, VALUES = 512, RETYPE = 0xf5 };

/* ---- the models ------------------------------------------------------------------------------------------------ */

typedef struct plan {
    const char *spec, *kernel, *data; /* data: and after a blank, what the second data set is; "few": keeps some */
} plan;

static const plan plans[] = {
    {"kpca(dim=2)", NULL, "dense"},
    {"kle(dim=2, neighbours=3)", NULL, "dense"},
    {"lpp(dim=2, neighbours=3)", NULL, "dense"},
    {"npe(dim=2, neighbours=3)", NULL, "dense"},
    {"ke(dim=2)", NULL, "dense"},
    {"ke(dim=2)", NULL, "dense labels"},
    {"tke(dim=2, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"tke(dim=1, embedding_kernel=rbf, attraction=product, weights=kernel, solver=lbfgs(max_iter=9))", "linear", "dense"},
    {"bctke(dim=2, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"bctke(dim=2, neighbours=2, map=nearest, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"gplvm(dim=2, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"bcgplvm(dim=2, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"kae(dim=2, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"contrastive(dim=2)", NULL, "dense"},
    {"contrastive(dim=2)", NULL, "dense index"},
    {"spectral(dim=2, solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"krr(ridge=0.1)", NULL, "dense dense"},
    {"krr(ridge=0.1, gram=nystrom(landmarks=3))", "laplacian", "dense dense"},
    {"kpca(dim=2, gram=nystrom(landmarks=3))", "linear + 2*rbf(gamma=0.1)", "dense"},
    {"ke(dim=1, gram=nystrom(landmarks=3))", NULL, "dense"},
    {"tke(dim=2, gram=nystrom(landmarks=3), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"bctke(dim=2, gram=nystrom(landmarks=3), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"gplvm(dim=1, gram=nystrom(landmarks=4), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"kae(dim=2, gram=nystrom(landmarks=3), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"lpp(dim=1, neighbours=2, gram=nystrom(landmarks=3))", NULL, "dense"},
    {"kle(dim=1, neighbours=2, gram=nystrom(landmarks=3))", NULL, "dense"},
    {"spectral(dim=1, gram=nystrom(landmarks=3), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"kpca(dim=2)", "center(2*standardize(rbf)[0] + linear[0:2]^2)", "dense"},
    {"kpca(dim=1, gram=nystrom(landmarks=3))", "normalize(center(poly(degree=2)))", "dense"},
    {"kpca(dim=2)", "precomputed", "gram"},
    {"tke(dim=2, solver=lbfgs(max_iter=9))", "precomputed", "gram"},
    {"gplvm(dim=2, solver=lbfgs(max_iter=9))", "precomputed", "gram"},
    {"kae(dim=1, solver=lbfgs(max_iter=9))", "2*precomputed", "gram"},
    {"kpca(dim=1, gram=nystrom(landmarks=2))", "tanimoto", "bits"},
    {"kae(dim=2, solver=lbfgs(max_iter=9))", "tanimoto + linear", "bits"},
    {"kpca(dim=2)", "ssk(p=2)", "string"},
    {"kpca(dim=2)", "2*words + spectrum", "string"},
    {"tke(dim=2, solver=lbfgs(max_iter=9))", "mismatch(p=2)", "string"},
    {"kle(dim=2, neighbours=2)", "2*words(idf=true) + spectrum(p=2)", "string"},
    {"kpca(dim=2)", "wl(h=2)", "graph"},
    {"kae(dim=2, solver=lbfgs(max_iter=9))", "wl(h=1) + paths + graphlet", "graph"},
    {"kpca(dim=2)", NULL, "image"},
    {"kae(dim=2, solver=lbfgs(max_iter=9))", NULL, "image"},
    {"kpca(dim=2, gram=nystrom(landmarks=3))", "igv", "image"},
    {"kpca(dim=2)", "linear", "sparse"},
    {"gplvm(dim=1, solver=lbfgs(max_iter=9))", "rbf(gamma=1)", "sparse"},
    {"kpca(dim=2)", "delta", "labels"},
    {"kpca(dim=1)", "chi2(gamma=1) + minmax*ntk", "dense"},
    {"bctke(dim=2, gram=nystrom(landmarks=3), solver=lbfgs(max_iter=9))", "poly(degree=2)", "named"},
    {"kpca(dim=2, solver=lanczos)", "linear", "named"},
    {"kpca(dim=2, gram=features(count=6))", NULL, "dense"},
    {"kpca(dim=2, gram=features(count=6))", "linear + 0.5*rbf(gamma=0.2) + relu[0]", "dense few"},
    {"kpca(dim=2, gram=features(count=4))", "rbf(gamma=0.5)", "float few"},
    {"krr(ridge=0.1, gram=features(count=4))", "laplacian", "dense dense"},
    {"ke(dim=1, gram=features(count=4))", "cauchy(gamma=1)", "float"},
    {"kae(dim=2, gram=features(count=4), solver=lbfgs(max_iter=9))", "matern(nu=1.5)", "image"},
    {"bctke(dim=2, gram=features(count=4), solver=lbfgs(max_iter=9))", NULL, "named"},
    {"bcgplvm(dim=1, gram=features(count=4), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"lpp(dim=1, neighbours=2, gram=features(count=4))", "rq", "dense"},
    {"npe(dim=1, neighbours=3, gram=features(count=4))", "relu", "float"},
    {"contrastive(dim=1, gram=features(count=4))", NULL, "dense"},
    {"spectral(dim=1, gram=features(count=4), solver=lbfgs(max_iter=9))", NULL, "dense"},
    {"kpca(dim=2)", NULL, "float"},
    {"kpca(dim=1, gram=nystrom(landmarks=3))", "rbf(gamma=0.5)", "float"},
    {"kpca(dim=1, gram=nystrom(landmarks=3))", "rbf(gamma=0.5)", "sparse"},
    {"kpca(dim=1, gram=lazy)", "laplacian", "float"},
    {"krr(ridge=0.1, gram=auto)", NULL, "dense dense"},
};

typedef struct part {
    char name[200];
    rk_array array; /* its data are this target's own */
} part;

typedef struct file {
    part *parts;
    int count;
} file;

static file models[FUZZ_COUNT(plans)];

/* Six small objects of a kind. */
static rkhs_data *objects(rkhs_env *env, const char *kind) {
    static const double v[] = {0, 1, 1, 0, 2, 2.5, 3, 1, 5, 4.5, 0.5, 3, 1, 7, 2, 0, 3, 3, 1, 2, 5, 4, 2, 1};
    static const double gram[] = {3, 1, 0, 1, 0, 1, 1, 3, 1, 0, 1, 0, 0, 1, 3, 1, 0, 1,
                                  1, 0, 1, 3, 1, 0, 0, 1, 0, 1, 3, 1, 1, 0, 1, 0, 1, 3};
    static const int64_t codes[] = {0, 1, 2, 0, 1, 0}, vertices[] = {3, 2, 1, 3, 4, 2}, edges[] = {2, 1, 0, 3, 3, 1};
    static const int64_t ends[] = {0, 1, 1, 2, 0, 1, 0, 1, 1, 2, 0, 2, 0, 1, 1, 2, 2, 3, 0, 1};
    static const int64_t tags[] = {7, 1, 7, 2, 2, 3, 1, 1, 1, 7, 7, 2, 3, 1, 2},
                         triplets[] = {0, 1, 2, 3, 4, 5, 1, 2, 3, 2, 0, 4};
    static const int32_t columns[] = {0, 2, 1, 0, 1, 2, 3, 0};
    static const int64_t starts[] = {0, 2, 3, 5, 7, 7, 8};
    static const float floats[] = {0, 1, 1, 0.1f, 2, 2.5f, 3, 1, 5, 4.5f, 0.5f, 3};
    rkhs_data *x = NULL;
    if (strcmp(kind, "float") == 0) FUZZ_HOLDS(rkhs_data_float(env, floats, N, COLUMNS, COLUMNS, &x) == RKHS_OK);
    if (strcmp(kind, "dense") == 0) FUZZ_HOLDS(rkhs_data_dense(env, v, N, COLUMNS, COLUMNS, &x) == RKHS_OK);
    if (strcmp(kind, "named") == 0) {
        FUZZ_HOLDS(rkhs_data_dense(env, v, N, COLUMNS, COLUMNS, &x) == RKHS_OK);
        FUZZ_HOLDS(rkhs_data_set_column_names(x, (const char *[]){"one", "two"}) == RKHS_OK);
    }
    if (strcmp(kind, "gram") == 0) FUZZ_HOLDS(rkhs_data_dense(env, gram, N, N, N, &x) == RKHS_OK);
    if (strcmp(kind, "image") == 0) FUZZ_HOLDS(rkhs_data_images(env, v, N, 2, 2, 1, &x) == RKHS_OK);
    if (strcmp(kind, "sparse") == 0) FUZZ_HOLDS(rkhs_data_csr(env, v + 1, columns, starts, N, 4, &x) == RKHS_OK);
    if (strcmp(kind, "bits") == 0) FUZZ_HOLDS(rkhs_data_bits(env, (const uint8_t *)"\1\7\2\0\6\5", N, 3, 1, &x) == RKHS_OK);
    if (strcmp(kind, "string") == 0)
        FUZZ_HOLDS(rkhs_data_strings(env, (const char *[]){"abcab", "bcabc", "", "the cat", "a cat", "cab"}, NULL, N, &x) ==
                   RKHS_OK);
    if (strcmp(kind, "graph") == 0) FUZZ_HOLDS(rkhs_data_graphs(env, N, vertices, edges, ends, tags, NULL, &x) == RKHS_OK);
    if (strcmp(kind, "labels") == 0)
        FUZZ_HOLDS(rkhs_data_classes(env, codes, N, (const char *[]){"cat", "dog", "cow"}, 3, &x) == RKHS_OK);
    if (strcmp(kind, "index") == 0) FUZZ_HOLDS(rkhs_data_index(env, triplets, 4, 3, N, &x) == RKHS_OK);
    FUZZ_HOLDS(x);
    return x;
}

static int64_t count_of(const rk_array *a) {
    int64_t count = 1;
    for (int i = 0; i < (a->type == 'S' ? 1 : a->ndim); i++) count *= a->shape[i];
    return count;
}

static int64_t bytes_of(const rk_array *a) { return count_of(a) * (a->type == 'S' ? 1 : a->type == 'f' ? 4 : 8); }

/* Memory of the target, not of the env. */
static void *own(const void *from, int64_t bytes) {
    char *to = calloc(1, (size_t)bytes + 8);
    FUZZ_HOLDS(to);
    if (bytes) memcpy(to, from, (size_t)bytes);
    return to;
}

/* Takes a model's file apart. */
static void take_apart(rkhs_env *env, const rkhs_model *m, file *f) {
    static char bytes[FUZZ_LARGEST];
    size_t size;
    rk_archive *archive;
    FUZZ_HOLDS(rkhs_model_pack(m, bytes, sizeof bytes, &size) == RKHS_OK && size <= sizeof bytes);
    FUZZ_HOLDS(rk_archive_parse(env, bytes, size, &archive) == RKHS_OK);
    f->count = (int)rk_archive_count(archive);
    f->parts = calloc((size_t)f->count, sizeof *f->parts);
    FUZZ_HOLDS(f->parts && f->count < MAX_ARRAYS - EDITS);
    for (int i = 0; i < f->count; i++) {
        part *p = &f->parts[i];
        snprintf(p->name, sizeof p->name, "%s", rk_archive_name(archive, i));
        FUZZ_HOLDS(rk_archive_get(archive, p->name, rk_archive_type(archive, i), -1, &p->array) == RKHS_OK);
        p->array.data = own(p->array.data, bytes_of(&p->array));
    }
    rk_archive_free(archive);
}

/* Models keep all of so few objects: of these, the first ones alone, as of many. */
static void keep_few(file *f) {
    static const double few = FEW;
    int changed = 0;
    for (int i = 0; i < f->count; i++) {
        part *p = &f->parts[i];
        int rows = strcmp(p->name, "keep") == 0 || strcmp(p->name, "kept/values") == 0;
        if (rows) p->array.shape[0] = FEW;
        if (strcmp(p->name, "report/reference_objects") == 0)
            memcpy((void *)(uintptr_t)p->array.data, &few, sizeof few), rows = 1;
        changed += rows;
    }
    FUZZ_HOLDS(changed == 3);
}

static void make_models(rkhs_env *env) {
    for (size_t i = 0; i < FUZZ_COUNT(plans); i++) {
        const plan *p = &plans[i];
        char kind[16] = "", second[16] = "";
        rkhs_model *m;
        rkhs_kernel *k = NULL;
        sscanf(p->data, "%15s %15s", kind, second);
        int few = strcmp(second, "few") == 0;
        rkhs_data *x = objects(env, kind), *y = second[0] && !few ? objects(env, second) : NULL;
        rkhs_status status = p->kernel ? rkhs_kernel_new(env, p->kernel, &k) : RKHS_OK;
        if (status == RKHS_OK) status = rkhs_model_new(env, p->spec, &m);
        if (status == RKHS_OK) status = rkhs_model_fit(m, k, x, y, NULL);
        if (status != RKHS_OK) fprintf(stderr, "%s, %s: %s\n", p->spec, p->data, rkhs_env_message(env));
        FUZZ_HOLDS(status == RKHS_OK);
        take_apart(env, m, &models[i]);
        if (few) keep_few(&models[i]);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
        rkhs_data_free(x);
        rkhs_data_free(y);
    }
}

/* ---- the edits ------------------------------------------------------------------------------------------------- */

static const double reals[] = {0,        -0.0, 1, -1,  2,     0.5,  3, 1e-300, 1e300, -1e300, 1e150,  -1e150, 1e-160, NAN,
                               INFINITY, 6,    5, 1e9, -1e-9, 1e16, 7, 4,      1.5,   1e10,   9.3e18, -7,     1e-3,   100};
static const int64_t wholes[] = {
    0, 1, -1, 2, 3, 4, 5, 6, 7, 8, 64, 255, INT32_MAX, INT64_MAX, INT64_MIN, 1 << 20, (int64_t)1 << 40, 12};
static const int64_t extents[] = {0, 1, 2, 3, 4, 5, 6, 7, 12, 16, 31, 36, 64, 100};
static const char *const texts[] = {"linear",
                                    "rbf(gamma=0.5)",
                                    "rbf(sigma=median)",
                                    "1e300*linear",
                                    "precomputed",
                                    "precomputed^9",
                                    "2*precomputed + precomputed",
                                    "center(linear)",
                                    "normalize(linear)",
                                    "standardize(rbf)",
                                    "linear[1]",
                                    "linear[0:2]^3",
                                    "poly(degree=64)",
                                    "tanimoto",
                                    "ssk(p=2)",
                                    "words",
                                    "spectrum(p=1)",
                                    "wl(h=3)",
                                    "delta",
                                    "igv",
                                    "sigmoid",
                                    "rbf(sigma=1e-150)",
                                    "laplacian(gamma=1e300)",
                                    "cosine*rbf(gamma=1)",
                                    "align(linear)",
                                    "relu",
                                    "ntk",
                                    "intersection",
                                    "shift(igv, 1)",
                                    "minmax",
                                    "scigv",
                                    "matern(nu=2.5)",
                                    "rq",
                                    "standardize(linear, mean=[1,2], deviation=[1,1e-300])",
                                    "kpca(dim=1)",
                                    "kpca(dim=2)",
                                    "kpca(dim=2, gram=nystrom(landmarks=1000000000))",
                                    "tke(dim=2)",
                                    "tke(dim=2, neighbours=1000000000)",
                                    "tke(dim=2, repulsion=1e300, embedding_kernel=rbf, attraction=product, weights=kernel)",
                                    "bctke(dim=2)",
                                    "bctke(dim=2, map=nearest, place=refine)",
                                    "gplvm(dim=2)",
                                    "gplvm(dim=2, gram=nystrom(landmarks=3))",
                                    "bcgplvm(dim=2)",
                                    "kae(dim=2)",
                                    "kae(dim=1000000000)",
                                    "kle(dim=2)",
                                    "kle(dim=2, neighbours=1000000000)",
                                    "ke(dim=2)",
                                    "krr",
                                    "lpp(dim=2)",
                                    "npe(dim=2)",
                                    "contrastive(dim=2)",
                                    "spectral(dim=2)",
                                    "dense",
                                    "sparse",
                                    "string",
                                    "bits",
                                    "image",
                                    "graph",
                                    "gram",
                                    "labels",
                                    "index",
                                    "",
                                    "a",
                                    "a b c",
                                    "\x1b[2J",
                                    "((((((((linear))))))))",
                                    "linear + linear + linear + linear",
                                    "rbf(sigma=knn(k=3))",
                                    "kpca(dim=2, gram=features(count=6))",
                                    "kpca(dim=1, gram=features)",
                                    "krr(gram=features(count=1000000))",
                                    "kpca(dim=2, gram=auto)",
                                    "kpca(dim=2, gram=lazy)",
                                    "bctke(dim=2, gram=features(count=4))",
                                    "rbf(gamma=1)[0] + linear",
                                    "rbf(gamma=1e300)"};
static const char *const tokens[] = {"1e300",
                                     "-1",
                                     "0",
                                     "1000000000",
                                     "1",
                                     "2",
                                     "3",
                                     "nan",
                                     "0.5",
                                     "1e-300",
                                     "(",
                                     ")",
                                     "[0]",
                                     ",",
                                     "+",
                                     "*",
                                     "^2",
                                     "dim=1",
                                     "k=1",
                                     "gram=exact",
                                     "gram=nystrom(landmarks=2)",
                                     "linear",
                                     "rbf",
                                     " ",
                                     "weights=kernel",
                                     "place=neighbour",
                                     "map=nearest",
                                     "embedding_kernel=cauchy",
                                     "gram=features(count=2)",
                                     "gram=lazy",
                                     "gram=auto",
                                     "relu"};
static const char *const names[] = {"keep",
                                    "added",
                                    "own",
                                    "map/Z",
                                    "map/mark",
                                    "report/width",
                                    "state/decoder",
                                    "state/decoded_shape",
                                    "state/embedding_kernel",
                                    "supervised",
                                    "state/rank",
                                    "state/order",
                                    "state/means",
                                    "report/place/factor",
                                    "report/shape",
                                    "report/columns",
                                    "learnt/0/text",
                                    "learnt/0/values",
                                    "learnt/1/text",
                                    "learnt/1/values",
                                    "kept/values",
                                    "kept/index",
                                    "kept/columns",
                                    "kept/starts",
                                    "kept/bytes",
                                    "kept/width",
                                    "kept/words",
                                    "kept/shape",
                                    "kept/labels",
                                    "kept/edge_labels",
                                    "kept/column_names",
                                    "kept/column_ends",
                                    "kept/codes",
                                    "kept/names",
                                    "kept/ends",
                                    "state/gamma",
                                    "state/width",
                                    "columns",
                                    "map/features/parts",
                                    "map/features/0",
                                    "map/features/1",
                                    "map/features/vectors",
                                    "map/half",
                                    "state/square",
                                    "state/sums",
                                    "state/count",
                                    "state/trace"};
#define PICK(table, byte) ((table)[(byte) % FUZZ_COUNT(table)])

/* New data for a part; the old ones may be among them. */
static void give(part *p, void *data) {
    free((void *)(uintptr_t)p->array.data);
    p->array.data = data;
}

/* One number becomes another. */
static void set_value(part *p, const uint8_t *b) {
    int64_t count = count_of(&p->array), at = count ? (b[2] + 256 * b[3]) % count : 0;
    if (count == 0) return;
    if (p->array.type == 'S') {
        ((char *)(uintptr_t)p->array.data)[at] = (char)b[4];
        return;
    }
    float *f = (float *)(uintptr_t)p->array.data + at;
    double *d = (double *)(uintptr_t)p->array.data + at;
    int64_t *q = (int64_t *)(uintptr_t)p->array.data + at;
    int up = b[5] >> 6;
    double v = PICK(reals, b[4]), wide = p->array.type == 'f' ? (double)*f : 0;
    if (p->array.type == 'f')
        *f = (float)(up == 1 ? wide + (int8_t)b[4] : up == 2 ? wide * v : v);
    else if (p->array.type == 'd')
        *d = up == 1 ? *d + (int8_t)b[4] : up == 2 ? *d * PICK(reals, b[4]) : PICK(reals, b[4]);
    else
        *q = up == 1 ? (int64_t)((uint64_t)*q + (uint64_t)(int8_t)b[4]) : PICK(wholes, b[4]);
}

/* Doubles become floats, and floats doubles. */
static void retype(part *p) {
    int64_t count = count_of(&p->array);
    int narrow = p->array.type == 'd';
    if (!narrow && p->array.type != 'f') return;
    void *to = calloc((size_t)count + 1, sizeof(double));
    FUZZ_HOLDS(to);
    for (int64_t i = 0; i < count; i++)
        if (narrow)
            ((float *)to)[i] = (float)((const double *)p->array.data)[i];
        else
            ((double *)to)[i] = (double)((const float *)p->array.data)[i];
    p->array.type = narrow ? 'f' : 'd';
    give(p, to);
}

/* Other extents: rows and columns are cut off, or come again. */
static void reshape(part *p, const uint8_t *b) {
    rk_array a = p->array;
    if (a.type == 'S') {
        a.shape[0] = PICK(extents, b[3]);
    } else {
        int grow = b[5] % 4;
        if (grow == 3) a.ndim = b[2] % 4;
        for (int i = 0; i < a.ndim; i++)
            if (a.ndim == 1 || grow == 3 || i == b[2] % a.ndim) a.shape[i] = PICK(extents, b[3 + i % 2]);
    }
    if (count_of(&a) > VALUES) return;
    int64_t had = bytes_of(&p->array), has = bytes_of(&a);
    char *to = calloc(1, (size_t)has + 8);
    FUZZ_HOLDS(to);
    for (int64_t i = 0; had && i < has; i++) to[i] = ((const char *)p->array.data)[i % had];
    p->array = (rk_array){a.type, a.ndim, {a.shape[0], a.shape[1], a.shape[2]}, p->array.data};
    give(p, to);
}

static void set_text(part *p, const char *text) {
    p->array.type = 'S';
    p->array.ndim = 1;
    p->array.shape[0] = (int64_t)strlen(text);
    give(p, own(text, p->array.shape[0]));
}

/* A token into a text, over some of what is there. */
static void put_token(part *p, const uint8_t *b) {
    char text[1024];
    const char *token = PICK(tokens, b[4]);
    int64_t length = p->array.shape[0], at, over = b[5] % 16;
    if (p->array.type != 'S' || length > 900) return;
    at = length ? (b[2] + 256 * b[3]) % (length + 1) : 0;
    over = rk_min(over, length - at);
    const char *old = p->array.data;
    int used = snprintf(text, sizeof text, "%.*s%s%.*s", (int)at, old, token, (int)(length - at - over), old + at + over);
    text[used] = 0;
    set_text(p, text);
}

/* A copy of an array of another model, or of this one, in the place of this array. */
static void take_from(part *p, const uint8_t *b) {
    const file *other = &PICK(models, b[2]);
    const part *from = &other->parts[b[3] % other->count];
    for (int i = 0; b[4] % 2 && i < other->count; i++) /* the one of the same name, if there is one */
        if (strcmp(other->parts[i].name, p->name) == 0) from = &other->parts[i];
    const void *old = p->array.data;
    p->array = from->array;
    p->array.data = old;
    give(p, own(from->array.data, bytes_of(&from->array)));
}

/* Applies an edit to the parts of a file, which may become fewer or more. */
static void edit(part *parts, int *count, const uint8_t *b) {
    part *p = &parts[b[1] % *count];
    switch (b[0] % 10) {
    case 0:
    case 1:
    case 2: b[5] == RETYPE ? retype(p) : set_value(p, b); break;
    case 3: reshape(p, b); break;
    case 4: set_text(p, PICK(texts, b[4])); break;
    case 5: put_token(p, b); break;
    case 6: take_from(p, b); break;
    case 7: snprintf(p->name, sizeof p->name, "%s", PICK(names, b[4])); break;
    case 8: /* goes */
        if (*count < 2) break;
        give(p, NULL);
        *p = parts[--*count];
        break;
    default: /* comes again under another name */
        parts[*count] = *p;
        parts[*count].array.data = own(p->array.data, bytes_of(&p->array));
        snprintf(parts[*count].name, sizeof p->name, "%s", PICK(names, b[4]));
        ++*count;
    }
}

/* The parts as one file with a right checksum; 0: they make none. */
static size_t put_together(rkhs_env *env, const part *parts, int count, char *bytes, size_t room) {
    rk_archive *archive;
    rk_output *out;
    FUZZ_HOLDS(rk_archive_new(env, &archive) == RKHS_OK);
    for (int i = 0; i < count; i++)
        if (!rk_archive_has(archive, parts[i].name))
            FUZZ_HOLDS(rk_archive_put(archive, parts[i].name, &parts[i].array) == RKHS_OK);
    FUZZ_HOLDS(rk_output_memory(env, bytes, room, &out) == RKHS_OK);
    FUZZ_HOLDS(rk_archive_write_to(archive, out) == RKHS_OK && rk_output_commit(out) == RKHS_OK);
    size_t size = (size_t)rk_output_size(out);
    rk_output_free(out);
    rk_archive_free(archive);
    return size <= room ? size : 0;
}

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    static char forged[FUZZ_LARGEST];
    part parts[MAX_ARRAYS];
    if (!models[0].parts) make_models(env);
    if (count < 2) return;
    const file *base = &PICK(models, bytes[0]);
    int held = base->count;
    for (int i = 0; i < held; i++) {
        parts[i] = base->parts[i];
        parts[i].array.data = own(parts[i].array.data, bytes_of(&parts[i].array));
    }
    for (size_t at = 2; at + EDIT <= count && at < 2 + EDIT * EDITS; at += EDIT) edit(parts, &held, bytes + at);
    size_t size = put_together(env, parts, held, forged, sizeof forged);
    for (int i = 0; i < held; i++) give(&parts[i], NULL);
    rkhs_model *m = NULL;
    rkhs_status status = size ? rkhs_model_unpack(env, forged, size, &m) : RKHS_OK;
    fuzz_status(env, status);
    if (m) fuzz_model(env, m, bytes[1]);
    rkhs_model_free(m);
}
