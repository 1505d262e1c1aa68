/* data.h: the kinds of data sets (vectors, sparse vectors, strings, bits, images, graphs, Gram rows, labels, pairs)
 * and the functions on them. */
#ifndef RK_DATA_H
#define RK_DATA_H

#include "base/base.h"

#define RK_MAX_ABS 1e150 /* bound on data, bandwidths and results, so that squares and their sums stay finite */

/* ---- the table of a kind of data ------------------------------------------------------------------------------- */

/* Kinds, as bits: a kernel accepts a set of them. */
enum {
    RK_KIND_DENSE = 1,
    RK_KIND_SPARSE = 2,
    RK_KIND_STRING = 4,
    RK_KIND_BITS = 8,
    RK_KIND_IMAGE = 16,
    RK_KIND_GRAPH = 32,
    RK_KIND_GRAM = 64,
    RK_KIND_LABELS = 128,
    RK_KIND_INDEX = 256,
    RK_TAKE_FLOATS = 1 << 29, /* not a kind: who reads a file takes numbers of 32 bits as floats, mapped if possible */
    RK_PREFER_BITS = 1 << 30  /* not a kind: the kernel prefers numbers that are all 0 or 1 to be packed as bits */
};

typedef struct rk_data_type {
    rk_entry entry; /* entry.size is the size of the struct at rkhs_data.self */
    unsigned kind;
    /* Slots that fill in `out` find it made by rk_data_new, with its rows and columns set; load sets these itself.
     * subset: the objects at `index`, in that order. */
    rkhs_status (*subset)(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out);
    /* (optional) Concatenates data sets of one kind with the same number of columns. */
    rkhs_status (*join)(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out);
    /* (optional) A subset reduced to what kernel values with new objects need; without it, subset is used. */
    rkhs_status (*keep)(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out);
    /* Array names begin with `prefix`. Arrays that save puts without a copy must live until the archive is written. */
    rkhs_status (*save)(const rkhs_data *x, rk_archive *archive, const char *prefix);
    rkhs_status (*load)(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out);
    /* (optional) Converts data of one of the kinds `adopts` to this kind. `out` may borrow the memory of `from`. */
    unsigned adopts;
    rkhs_status (*adopt)(rkhs_env *env, const rkhs_data *from, rkhs_data *out);
    /* (optional) Logs advice on such data before a fit. */
    void (*advise)(rkhs_env *env, const rkhs_data *x);
    void (*release)(rkhs_data *x);
} rk_data_type;

typedef struct rk_sample_type {
    rk_entry entry;
    rkhs_status (*draw)(rkhs_env *env, const void *self, rkhs_data **x); /* self: the parameters */
} rk_sample_type;

/* ---- data sets ------------------------------------------------------------------------------------------------- */

struct rkhs_data {
    rkhs_env *env;
    const rk_data_type *type;
    int64_t rows, columns;
    rkhs_data *labels; /* owned, or NULL */
    char **names;      /* of the columns, or NULL; see column_names.c */
    int counted;       /* the reader dropped a first column of row numbers */
    rkhs_data *under;  /* owned data whose memory a view borrows, or NULL */
    void *self;        /* rk_dense, rk_gram_rows, rk_labels, ... */
};

/* Vectors, of doubles or of floats. Floats stay floats: who reads them widens a row, or a tile of rows, to doubles
 * (rk_dense_row), which is exact, so that results have the bits of the same rows as doubles. */
typedef struct rk_dense {
    const double *values; /* rows x columns; NULL: floats */
    const float *floats;  /* rows x columns; NULL: values */
    int64_t ld;
    void *owned;   /* the same array if it is owned; NULL: borrowed or mapped */
    rk_mapped map; /* set if the array is a memory-mapped file */
} rk_dense;

/* Images: vectors with a shape; columns = h*w*c, pixel (y, x), channel k is number (y*w + x)*c + k. See image.c. */
typedef struct rk_image {
    rk_dense dense; /* must be first: code for dense data then works on images */
    int64_t h, w, c;
} rk_image;

/* Sparse vectors (CSR): row i has values[q] in column columns[q] for starts[i] <= q < starts[i+1]. Columns strictly
 * ascend within a row. Explicit zeros are allowed. Column numbers are below 2^31. */
typedef struct rk_sparse {
    const double *values;
    const int32_t *columns;
    const int64_t *starts; /* rows + 1 */
    double *own_values;
    int32_t *own_columns;
    int64_t *own_starts;
} rk_sparse;

/* Byte strings, each followed by a zero byte; see string.c. */
typedef struct rk_strings {
    char *bytes;
    int64_t *starts; /* rows + 1 */
} rk_strings;

/* Rows of a precomputed Gram matrix, with a column for each training object. Row i is training object index[i]. If
 * index is NULL, row i is training object i in a square matrix, and a new object otherwise. Since k(a_i, b_j) =
 * a.values[i][b.index[j]], a model stores only the indices of its training objects: values may be NULL. */
typedef struct rk_gram_rows {
    const double *values;
    int64_t ld;
    int64_t *index;
    double *owned;
} rk_gram_rows;

/* Class labels. */
typedef struct rk_labels {
    int64_t *codes; /* -1: no label */
    int64_t classes;
    char **names;
} rk_labels;

/* Bit vectors: bit c of row i is bit c % 64, from the lowest, of words[i * stride + c / 64]. Unused bits are 0. */
typedef struct rk_bits {
    uint64_t *words;
    int64_t stride; /* words per row */
} rk_bits;

/* Pairs or triplets of object numbers 0 .. objects-1. With `others`, row i is (i, rows + i, 2 rows + i): objects
 * 0 .. rows-1 are those of another data set, the rest are in `others`, first the positives, then the negatives. */
typedef struct rk_index {
    int64_t *rows;
    int64_t objects;
    rkhs_data *others; /* owned, or NULL */
} rk_index;

/* Undirected simple graphs; see graph.c. */
typedef struct rk_graphs {
    int64_t *first;       /* rows + 1: graph i has the vertices first[i] .. first[i+1]-1 */
    int64_t *starts;      /* vertices + 1: where each adjacency list begins */
    int32_t *neighbours;  /* ascending, counted from 0 within the graph; each edge appears at both ends */
    int64_t *labels;      /* of vertices, or NULL */
    int64_t *edge_labels; /* parallel to neighbours, or NULL */
} rk_graphs;

extern const rk_list rk_datas, rk_samples;

/* rk_data_dense, rk_data_gram, ...: one for each line of datas.def. */
#define RK_DATA(name) extern const rk_data_type rk_data_##name;
#include "data/datas.def"
#undef RK_DATA

/* The vectors of dense data or of images; NULL for other kinds. */
static inline const rk_dense *rk_dense_of(const rkhs_data *x) {
    return x->type->kind & (RK_KIND_DENSE | RK_KIND_IMAGE) ? (const rk_dense *)x->self : NULL;
}

/* Number c of row i; for loops where it does not matter that each number asks for its type. */
static inline double rk_dense_at(const rk_dense *d, int64_t i, int64_t c) {
    return d->values ? d->values[i * d->ld + c] : (double)d->floats[i * d->ld + c];
}
/* Numbers from .. from+count-1 of row i: where they are, or floats widened in `room` (count). */
const double *rk_dense_row(const rk_dense *d, int64_t i, int64_t from, int64_t count, double *room);
/* Bytes of a number, and where row i is. */
static inline size_t rk_dense_size(const rk_dense *d) { return d->values ? sizeof *d->values : sizeof *d->floats; }
static inline const char *rk_dense_bytes(const rk_dense *d, int64_t i) {
    return d->values ? (const char *)(d->values + i * d->ld) : (const char *)(d->floats + i * d->ld);
}
/* The means of the columns, with the bits of rk_column_means. */
rkhs_status rk_dense_means(rkhs_env *env, const rkhs_data *x, double *means);

/* A data set of the given type; `self` is allocated and zeroed. Here and below the caller frees it: rkhs_data_free. */
rkhs_status rk_data_new(rkhs_env *env, const rk_data_type *type, int64_t rows, int64_t columns, rkhs_data **x);
/* rkhs_data_dense for internal use: it does not clear the error message or the progress. `values` is borrowed. */
rkhs_status rk_data_borrow(rkhs_env *env, const double *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data);
/* Dense data that own a zeroed rows x columns array, returned in *values for the caller to fill. */
rkhs_status rk_data_dense_new(rkhs_env *env, int64_t rows, int64_t columns, double **values, rkhs_data **x);
rkhs_status rk_data_float_new(rkhs_env *env, int64_t rows, int64_t columns, float **values, rkhs_data **x);
/* The same with numbers of the type that `like` (dense or images) has, as bytes. */
rkhs_status rk_data_alike_new(rkhs_env *env, const rkhs_data *like, int64_t rows, int64_t columns, char **bytes, rkhs_data **x);
/* *use is x, with doubles: if x has floats, it is a copy, which is also *view, for the caller to free. Meant for small
 * data, such as targets and embeddings. x may be NULL, or of any kind. */
rkhs_status rk_data_widen(rkhs_env *env, const rkhs_data *x, const rkhs_data **use, rkhs_data **view);
/* Fails at NaN, infinity, or a magnitude above 1e150. The message begins with `where` ("digits.npy"; NULL: "data"). */
rkhs_status rk_dense_check(rkhs_env *env, const char *where, const double *values, int64_t n, int64_t p, int64_t ld);
rkhs_status rk_float_check(rkhs_env *env, const char *where, const float *values, int64_t n, int64_t p, int64_t ld);
/* Memory-maps the next rows x columns numbers of `in`, doubles or floats, as dense data and checks them as
 * rk_dense_check does. *x is NULL if they cannot be mapped. The mapping does not count against the memory limit. */
rkhs_status rk_data_dense_map(rkhs_env *env, const rk_input *in, int64_t rows, int64_t columns, int floats, rkhs_data **x);

/* Sparse data that own their arrays: values and cols (`nonzeros` each) and starts (rows + 1), zeroed. The caller fills
 * them, with starts[rows] <= nonzeros, and must then call rk_sparse_check before any other use. */
rkhs_status rk_data_sparse_new(rkhs_env *env, int64_t rows, int64_t columns, int64_t nonzeros, double **values, int32_t **cols,
                               int64_t **starts, rkhs_data **x);
/* Fails if starts do not begin at 0 or descend, columns do not ascend or are out of range, or a value is invalid. */
rkhs_status rk_sparse_check(rkhs_env *env, const char *where, const rkhs_data *x);
/* Conversions, copied. rk_dense_as_sparse leaves zeros out. */
rkhs_status rk_sparse_as_dense(const rkhs_data *x, rkhs_data **dense);
rkhs_status rk_dense_as_sparse(const rkhs_data *x, rkhs_data **sparse);

/* Names of a set of kinds, for messages: "dense or gram". */
const char *rk_kinds_text(unsigned kinds, char buffer[128]);

/* Bit vectors that own their words, zeroed, for the caller to fill. Bits past the last column must stay 0. */
rkhs_status rk_data_bits_new(rkhs_env *env, int64_t rows, int64_t columns, uint64_t **words, rkhs_data **x);
/* Copies `count` bytes, lowest bit first, into zeroed words. Returns 0 if a bit past `bits` is set. */
int rk_bits_from_bytes(const uint8_t *bytes, int64_t count, int64_t bits, uint64_t *words);
/* Writes row i to `out` as doubles, one per column. */
void rk_bits_row(const rkhs_data *x, int64_t i, double *out);
/* Whether x holds only 0 and 1, and takes no more memory as bits (sparse rows with few ones take less as sparse). */
int rk_bits_preferable(const rkhs_data *x);

/* x as images; NULL for other kinds. */
const rk_image *rk_images(const rkhs_data *x);
/* Images that own a zeroed n x h x w x c array, returned in *values. */
rkhs_status rk_data_image_new(rkhs_env *env, int64_t n, int64_t h, int64_t w, int64_t c, double **values, rkhs_data **x);
/* Replaces dense data *x, of h*w*c columns, by images that take over array and labels. On failure *x is unchanged. */
rkhs_status rk_image_from_dense(rkhs_env *env, rkhs_data **x, int64_t h, int64_t w, int64_t c);
/* Dense data x as images with the shape of `like`, which has as many columns. The view borrows the values of x. */
rkhs_status rk_image_view(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, rkhs_data **view);
/* Fails for an invalid shape, and if the memory limit is too low. The message begins with `where`, unless NULL. */
rkhs_status rk_image_check(rkhs_env *env, const char *where, int64_t n, int64_t h, int64_t w, int64_t c);

/* How many objects the other data set must have that the index rows refer to. */
int64_t rk_index_objects(const rkhs_data *x);
/* Index rows from a dense table of 2 or 3 columns of integers; the message begins with `where`. */
rkhs_status rk_index_from_dense(rkhs_env *env, const char *where, const rkhs_data *numbers, int64_t objects, rkhs_data **x);

/* n strings, copied. If lengths is NULL, they are zero-terminated. */
rkhs_status rk_data_strings_new(rkhs_env *env, const char *const *strings, const int64_t *lengths, int64_t n, rkhs_data **x);
/* String i, zero-terminated; its length in *length unless that is NULL. */
static inline const char *rk_string_of(const rkhs_data *x, int64_t i, int64_t *length) {
    const rk_strings *s = (const rk_strings *)x->self;
    if (length) *length = s->starts[i + 1] - s->starts[i] - 1;
    return s->bytes + s->starts[i];
}

/* n graphs, copied. `first` is as in rk_graphs. Edge e joins vertices ends[2e] and ends[2e+1] of one graph, numbered
 * over all graphs. labels and edge_labels may be NULL. Messages on edges begin with `where` and the edge's number. */
rkhs_status rk_data_graphs_new(rkhs_env *env, const char *where, int64_t n, const int64_t *first, int64_t edges,
                               const int64_t *ends, const int64_t *labels, const int64_t *edge_labels, rkhs_data **x);

const rk_data_type *rk_data_type_find(const char *name); /* NULL: unknown */
/* *use is x itself, or x converted to one of `kinds`. A converted one is also *view, for the caller to free; else
 * *view is NULL. `what` names the kernel in messages. */
rkhs_status rk_data_coerce(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data **use,
                           rkhs_data **view);
/* The same for x that is compared with `like`: columns are matched by name, and x is converted to the kind of `like`
 * if possible. */
rkhs_status rk_data_coerce_like(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data *like,
                                const rkhs_data **use, rkhs_data **view);
/* Puts x, without its labels, in an archive (x must live until that is written); makes x from an archive. */
rkhs_status rk_data_save(const rkhs_data *x, rk_archive *archive, const char *prefix);
rkhs_status rk_data_load(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data **x);
/* rkhs_data_subset and rkhs_data_join for internal use: pointers and indices unchecked, message and progress kept. */
rkhs_status rk_data_subset(const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data **out);
rkhs_status rk_data_join(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data **joined);
/* Copies the objects at `index` (NULL: all) for a map to store, without labels. */
rkhs_status rk_data_keep(const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data **kept);

/* ---- column_names.c: names of columns -------------------------------------------------------------------------- */

/* Sets the x->columns names to copies of `names`; NULL removes them. */
rkhs_status rk_column_names_set(rkhs_data *x, const char *const *names);
/* Copies the names, unless `to` has names already or another number of columns. */
rkhs_status rk_column_names_copy(const rkhs_data *from, rkhs_data *to);
/* Save and load the column names; both do nothing if there are none. */
rkhs_status rk_column_names_save(const rkhs_data *x, rk_archive *archive, const char *prefix);
rkhs_status rk_column_names_load(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *x);
/* A copy of x with the columns of `like`, matched by name; NULL if the names agree already or one side has none. */
rkhs_status rk_columns_align(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, rkhs_data **aligned);

/* Labels, copied. codes[i] is 0 .. classes-1, or -1 for no label. If names is NULL, the names are "0", "1", ... */
rkhs_status rk_labels_new(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names, int64_t classes,
                          rkhs_data **labels);
/* Labels from a word per object, copied. Classes are sorted by first appearance, or ascending if all are integers. */
rkhs_status rk_labels_from_words(rkhs_env *env, const char *const *words, int64_t n, rkhs_data **labels);
/* Whether a word means "no label": empty, ?, NA, N/A, NaN. */
int rk_label_missing(const char *word);
/* The class name of object i; "?" without a label. */
const char *rk_label_text(const rkhs_data *labels, int64_t i);
/* The number of objects that have a label. */
int64_t rk_labels_count_known(const rkhs_data *labels);

#endif
