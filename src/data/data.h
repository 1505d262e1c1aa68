/* data.h: the kinds of objects. */
#ifndef RK_DATA_H
#define RK_DATA_H

#include "base/base.h"

#define RK_LARGEST 1e150 /* the largest number that data, widths and results may have: squares and their sums stay finite */

/* ---- the table of a kind of data ---------------------------------------------------------------------------------- */

/* Kinds, as bits, so that a kernel can say which it takes. */
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
    RK_PREFER_BITS = 1 << 30 /* no kind: among a kernel's, that numbers which are 0 or 1 alone are better packed as bits */
};

typedef struct rk_data_type {
    rk_entry entry; /* entry.size: of the struct behind rkhs_data.self */
    unsigned kind;
    rkhs_status (*subset)(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out);
    /* (optional) The objects of several sets one after another; `out` has rows and columns, which agree, as do the kinds. */
    rkhs_status (*join)(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out);
    /* (optional) What new objects need of these to be compared with them; subset otherwise. */
    rkhs_status (*keep)(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out);
    /* Array names begin with `prefix`. What save puts must live until the archive is written. */
    rkhs_status (*save)(const rkhs_data *x, rk_archive *archive, const char *prefix);
    rkhs_status (*load)(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out);
    /* (optional) Sees data of another of these kinds as this one, borrowing its memory: a dense matrix as a Gram. */
    unsigned adopts;
    rkhs_status (*adopt)(rkhs_env *env, const rkhs_data *from, rkhs_data *out);
    /* (optional) One line of advice for a fit on such data, through the log. */
    void (*advise)(rkhs_env *env, const rkhs_data *x);
    void (*release)(rkhs_data *x);
} rk_data_type;

typedef struct rk_sample_type {
    rk_entry entry;
    rkhs_status (*draw)(rkhs_env *env, const void *self, rkhs_data **x);
} rk_sample_type;

/* ---- data sets ------------------------------------------------------------------------------------------------------ */

struct rkhs_data {
    rkhs_env *env;
    const rk_data_type *type;
    int64_t rows, columns;
    rkhs_data *labels; /* that came with it, or NULL */
    char **names;      /* of the columns, or NULL; see column_names.c */
    int counted;       /* a first column that numbered the rows was left out */
    rkhs_data *under;  /* what a view looks at, where that is its own; or NULL */
    void *self;        /* rk_dense, rk_gram_rows, rk_labels, ... */
};

/* Vectors. */
typedef struct rk_dense {
    const double *values; /* rows x columns */
    int64_t ld;
    double *owned; /* values, when ours */
    rk_mapped map; /* values, when they stay on the disk */
} rk_dense;

/* Images: vectors with a shape; columns = h*w*c, pixel (y, x), channel k is number (y*w + x)*c + k. See image.c. */
typedef struct rk_image {
    rk_dense dense; /* first, so that what takes dense data takes images */
    int64_t h, w, c;
} rk_image;

/* Sparse vectors by rows: row i has values[q] in column columns[q], starts[i] <= q < starts[i+1], columns ascending, none
 * twice. Explicit zeros may stand there. columns < 2^31. */
typedef struct rk_sparse {
    const double *values;
    const int32_t *columns;
    const int64_t *starts; /* rows + 1 */
    double *own_values;
    int32_t *own_columns;
    int64_t *own_starts;
} rk_sparse;

/* Strings of bytes, each followed by a zero; see string.c. */
typedef struct rk_strings {
    char *bytes;
    int64_t *starts; /* rows + 1 */
} rk_strings;

/* Rows of a precomputed Gram. Row i is training object index[i]; index NULL: row i is training object i when square, else new.
 * k(a_i, b_j) = a.values[i][b.index[j]], so a kept object needs its index alone: values may be NULL. columns = training
 * objects. */
typedef struct rk_gram_rows {
    const double *values;
    int64_t ld;
    int64_t *index;
    double *owned;
} rk_gram_rows;

/* Class labels. */
typedef struct rk_labels {
    int64_t *codes; /* -1: the object has no label */
    int64_t classes;
    char **names;
} rk_labels;

/* Sets of bits: bit c of row i is bit c % 64, from the lowest, of words[i * stride + c / 64]; those past `columns` are 0. */
typedef struct rk_bits {
    uint64_t *words;
    int64_t stride; /* words of a row */
} rk_bits;

/* Pairs or triplets of object numbers, rows x columns, each from 0 to objects - 1. The last of these objects may come with it:
 * then row i is (i, rows + i, 2 rows + i), and the first `rows` objects are those of another data set. */
typedef struct rk_index {
    int64_t *rows;
    int64_t objects;
    rkhs_data *others; /* or NULL */
} rk_index;

/* Undirected simple graphs; see graph.c. */
typedef struct rk_graphs {
    int64_t *first;       /* rows + 1: graph i has the vertices first[i] .. first[i+1]-1 */
    int64_t *starts;      /* vertices + 1: where their lists of neighbours begin */
    int32_t *neighbours;  /* ascending, counted from 0 within the graph; an edge stands at both ends */
    int64_t *labels;      /* of vertices, or NULL */
    int64_t *edge_labels; /* beside neighbours, or NULL */
} rk_graphs;

extern const rk_list rk_datas, rk_samples;

/* rk_data_dense, rk_data_gram, ...: one for each line of datas.def. */
#define RK_DATA(name) extern const rk_data_type rk_data_##name;
#include "data/datas.def"
#undef RK_DATA

/* The vectors of dense data, or of images, which are vectors too; NULL when x is neither. */
static inline const rk_dense *rk_dense_of(const rkhs_data *x) {
    return x->type->kind & (RK_KIND_DENSE | RK_KIND_IMAGE) ? (const rk_dense *)x->self : NULL;
}

/* An empty data of a type, with self allocated. */
rkhs_status rk_data_new(rkhs_env *env, const rk_data_type *type, int64_t rows, int64_t columns, rkhs_data **x);
/* As rkhs_data_dense, for use inside a call: message and progress stay. */
rkhs_status rk_data_borrow(rkhs_env *env, const double *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data);
/* A dense data that owns a zeroed rows x columns array, given back in *values. */
rkhs_status rk_data_dense_new(rkhs_env *env, int64_t rows, int64_t columns, double **values, rkhs_data **x);
/* Refuses NaN, Inf, past 1e150; the sentence begins with `where` ("digits.npy"), or "data" when NULL. */
rkhs_status rk_dense_check(rkhs_env *env, const char *where, const double *values, int64_t n, int64_t p, int64_t ld);
/* Dense data whose values stay on the disk: the rows x columns doubles that come next in `in`, looked through once as above;
 * *x is NULL when they cannot be mapped. Not on the env's account. */
rkhs_status rk_data_dense_map(rkhs_env *env, const rk_input *in, int64_t rows, int64_t columns, rkhs_data **x);

/* A sparse data that owns its arrays: values and cols (nonzeros), starts (rows + 1), all zeroed, for the caller to fill, with
 * starts[rows] at most nonzeros. Once filled, rk_sparse_check before anything else looks at them. */
rkhs_status rk_data_sparse_new(rkhs_env *env, int64_t rows, int64_t columns, int64_t nonzeros, double **values, int32_t **cols,
                               int64_t **starts, rkhs_data **x);
/* Refuses starts that do not begin at 0 or go back, columns out of order or range, NaN, Inf, past 1e150; `where` as above. */
rkhs_status rk_sparse_check(rkhs_env *env, const char *where, const rkhs_data *x);
/* The same rows in the other form. */
rkhs_status rk_sparse_as_dense(const rkhs_data *x, rkhs_data **dense);
rkhs_status rk_dense_as_sparse(const rkhs_data *x, rkhs_data **sparse);

/* "dense or gram" for a set of kinds. */
const char *rk_kinds_text(unsigned kinds, char buffer[128]);

/* A set of bits that owns its words, zeroed, for the caller to fill; the bits past the last column must stay 0. */
rkhs_status rk_data_bits_new(rkhs_env *env, int64_t rows, int64_t columns, uint64_t **words, rkhs_data **x);
/* The bits of `count` bytes, lowest first, into words that are 0. 0: one past `bits` is set. */
int rk_bits_from_bytes(const uint8_t *bytes, int64_t count, int64_t bits, uint64_t *words);
/* Row i as columns numbers. */
void rk_bits_row(const rkhs_data *x, int64_t i, double *out);
/* Whether x is better held as bits: numbers that are 0 or 1 alone, and enough of them. */
int rk_bits_suit(const rkhs_data *x);

/* Images with their shape; NULL when x is of another kind. */
const rk_image *rk_images(const rkhs_data *x);
/* Images that own a zeroed array of n x h x w x c, given back in *values. */
rkhs_status rk_data_image_new(rkhs_env *env, int64_t n, int64_t h, int64_t w, int64_t c, double **values, rkhs_data **x);
/* Dense data of h*w*c columns turned into images, in place of *x. */
rkhs_status rk_image_from(rkhs_env *env, rkhs_data **x, int64_t h, int64_t w, int64_t c);
/* Dense data seen as images of the shape of others, which has as many columns. */
rkhs_status rk_image_view(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, rkhs_data **view);
/* Refuses shapes that no images have, and those that need more memory than there is; the sentence begins with `where`. */
rkhs_status rk_image_check(rkhs_env *env, const char *where, int64_t n, int64_t h, int64_t w, int64_t c);

/* The objects of another data set that index rows are about. */
int64_t rk_index_objects(const rkhs_data *x);
/* Index rows from numbers; the sentence begins with `where`. */
rkhs_status rk_index_from(rkhs_env *env, const char *where, const rkhs_data *numbers, int64_t objects, rkhs_data **x);

/* n strings, copied; lengths NULL: they end in zeros. */
rkhs_status rk_data_strings_new(rkhs_env *env, const char *const *strings, const int64_t *lengths, int64_t n, rkhs_data **x);
/* String i and its length; a zero follows it. */
static inline const char *rk_string_of(const rkhs_data *x, int64_t i, int64_t *length) {
    const rk_strings *s = (const rk_strings *)x->self;
    if (length) *length = s->starts[i + 1] - s->starts[i] - 1;
    return s->bytes + s->starts[i];
}

/* n graphs, copied: `first` as in rk_graphs, edges by their two ends, which are vertices of one graph, counted over all; labels
 * and edge_labels may be NULL. The sentence about an edge that has two labels begins with `where` and its number. */
rkhs_status rk_data_graphs_new(rkhs_env *env, const char *where, int64_t n, const int64_t *first, int64_t edges,
                               const int64_t *ends, const int64_t *labels, const int64_t *edge_labels, rkhs_data **x);

const rk_data_type *rk_data_type_find(const char *name);
/* x itself, or x seen as one of `kinds`; *view is NULL or must be freed after use. `what` names the kernel in the message. */
rkhs_status rk_data_coerce(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data **use,
                           rkhs_data **view);
/* The same for x that is compared with `like`: as it is if it has that kind, else seen as that kind where it can be. */
rkhs_status rk_data_coerce_like(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data *like,
                                const rkhs_data **use, rkhs_data **view);
rkhs_status rk_data_save(const rkhs_data *x, rk_archive *archive, const char *prefix);
rkhs_status rk_data_load(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data **x);
/* The rows at `index`, which are there, labels too; message and progress stay. */
rkhs_status rk_data_subset(const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data **out);
/* The objects of all parts; see rkhs_data_join. */
rkhs_status rk_data_join(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data **joined);
/* The objects at `index` (NULL: all) as a map keeps them, without labels. */
rkhs_status rk_data_keep(const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data **kept);

/* ---- column_names.c: names of columns ---------------------------------------------------------------------------------- */

/* Gives x->columns names, or takes them away; those of another of as many columns, where it has any; in an archive. */
rkhs_status rk_columns_name(rkhs_data *x, const char *const *names);
rkhs_status rk_columns_copy(const rkhs_data *from, rkhs_data *to);
rkhs_status rk_columns_save(const rkhs_data *x, rk_archive *archive, const char *prefix);
rkhs_status rk_columns_load(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *x);
/* x with the columns of `like`, matched by name; NULL where both have the same, or one has no names. */
rkhs_status rk_columns_like(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, rkhs_data **aligned);

/* codes[i] is a code 0 .. classes-1, or -1: no label; names NULL: the codes' digits. Copies. */
rkhs_status rk_labels_new(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names, int64_t classes,
                          rkhs_data **labels);
/* Codes and names from words, in order of first appearance unless all are integers (then ascending). Copies. */
rkhs_status rk_labels_from_words(rkhs_env *env, const char *const *words, int64_t n, rkhs_data **labels);
/* Whether a word of a file says that there is no label: nothing, ?, NA, N/A, NaN. The one place that knows. */
int rk_label_missing(const char *word);
/* The name of object i's class as files have it; "?" without. */
const char *rk_label_text(const rkhs_data *labels, int64_t i);
/* How many objects have a label. */
int64_t rk_labels_known(const rkhs_data *labels);

#endif
