/* data.c: converts tuples from Python to data sets of the library, and rows back to Python objects. */
#include "ext.h"

void held_free(held *h) {
    rkhs_data_free(h->data);
    for (int i = 0; i < h->count; i++) PyBuffer_Release(&h->buffer[i]);
    for (int i = 0; i < h->copies; i++) PyMem_Free(h->copy[i]);
    *h = (held){0};
}

/* ---- buffers: 'd' float64, 'f' float32, 'q' int64, 'i' int32, 'B' bytes ---- */

static const struct {
    char kind;
    Py_ssize_t size;
    const char *letters, *name;
} kinds[] = {{'d', 8, "d", "float64"},
             {'f', 4, "f", "float32"},
             {'q', 8, "ql", "int64"},
             {'i', 4, "il", "int32"},
             {'B', 1, "B", "uint8"}};

/* a * b, or -1 if either is negative or the product is too large for memory. */
static Py_ssize_t product(int64_t a, int64_t b) {
    const int64_t most = PY_SSIZE_T_MAX / 64;
    return a < 0 || b < 0 || (b > 0 && a > most / b) ? -1 : (Py_ssize_t)(a * b);
}

/* Whether a buffer holds at least `count` numbers of a kind in native byte order; sets an exception if not. */
static int has(const Py_buffer *b, char kind, Py_ssize_t count) {
    int k = 0;
    while (kinds[k].kind != kind) k++;
    const char *format = b->format ? b->format : "B";
    if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN) || (*format == '>' && PY_BIG_ENDIAN)) format++;
    if (b->itemsize != kinds[k].size || !*format || !strchr(kinds[k].letters, *format) || format[1]) {
        PyErr_Format(PyExc_ValueError, "a buffer of %s was expected, not one of format '%.40s' and %zd bytes each",
                     kinds[k].name, b->format ? b->format : "B", b->itemsize);
        return 0;
    }
    if (count >= 0 && b->len / b->itemsize >= count) return 1;
    if (count < 0)
        PyErr_SetString(PyExc_ValueError, "a number of objects or of their parts is negative or too large");
    else
        PyErr_Format(PyExc_ValueError, "a buffer of %zd elements of %s was expected, not one of %zd", count, kinds[k].name,
                     b->len / b->itemsize);
    return 0;
}

/* Takes a contiguous, aligned buffer of at least `count` elements, and holds it. NULL with an exception on failure. */
static void *hold(held *h, PyObject *object, char kind, Py_ssize_t count, int flags) {
    Py_buffer *b = &h->buffer[h->count];
    if (PyObject_GetBuffer(object, b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags) < 0) return NULL;
    h->count++;
    if (!has(b, kind, count)) return NULL;
    if ((uintptr_t)b->buf % (uintptr_t)b->itemsize == 0) return b->buf;
    PyErr_SetString(PyExc_ValueError, "a buffer is not aligned to its elements: give a copy");
    return NULL;
}

static const void *take_buffer(held *h, PyObject *object, char kind, Py_ssize_t count) {
    return hold(h, object, kind, count, 0);
}

/* Copies integers: the library checks them once, and another thread could change them afterwards. */
static const void *take_numbers(held *h, PyObject *object, char kind, Py_ssize_t count) {
    Py_buffer b;
    if (PyObject_GetBuffer(object, &b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return NULL;
    void *copy = NULL;
    if (has(&b, kind, count)) {
        copy = PyMem_Malloc((size_t)(count * b.itemsize) + 1);
        if (copy)
            memcpy(copy, b.buf, (size_t)(count * b.itemsize));
        else
            PyErr_NoMemory();
    }
    PyBuffer_Release(&b);
    return copy ? h->copy[h->copies++] = copy : NULL;
}

void *take_room(held *h, PyObject *out, char kind, int64_t rows, int64_t columns) {
    return hold(h, out, kind, product(rows, columns), PyBUF_WRITABLE);
}

const char *text_of(PyObject *str, const char *what) {
    Py_ssize_t length;
    if (!PyUnicode_Check(str)) {
        PyErr_Format(PyExc_TypeError, "%s must be a text, not %R", what, str);
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(str, &length);
    if (!text || (Py_ssize_t)strlen(text) == length) return text;
    PyErr_Format(PyExc_ValueError, "%s has a zero character inside: %R", what, str);
    return NULL;
}

/* Returns a tuple of the strings of a sequence; *out has their C strings, valid as long as the tuple. */
static PyObject *take_names(PyObject *names, Py_ssize_t count, const char ***out) {
    PyObject *all = PySequence_Tuple(names);
    if (all && PyTuple_Size(all) != count) {
        PyErr_Format(PyExc_ValueError, "there are %zd names where %zd are needed", PyTuple_Size(all), count);
        Py_CLEAR(all);
    }
    *out = all ? PyMem_Calloc((size_t)count + 1, sizeof **out) : NULL;
    if (all && !*out) PyErr_NoMemory();
    for (Py_ssize_t i = 0; *out && i < count; i++) {
        (*out)[i] = text_of(PyTuple_GetItem(all, i), "a name");
        if ((*out)[i]) continue;
        PyMem_Free(*out);
        *out = NULL;
    }
    if (!*out) Py_CLEAR(all);
    return all;
}

/* Sets the names of columns; None: no names. */
static rkhs_status name_columns(rkhs_data *data, PyObject *names, Py_ssize_t p) {
    const char **list;
    if (names == Py_None) return RKHS_OK;
    PyObject *all = take_names(names, p, &list);
    if (!all) return RKHS_ERR_ARGUMENT;
    rkhs_status status = rkhs_data_set_column_names(data, list);
    PyMem_Free(list);
    Py_DECREF(all);
    return status;
}

static rkhs_status take_dense(rkhs_env *env, PyObject *t, held *h) {
    PyObject *array, *names = Py_None;
    Py_ssize_t n, p;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnO|O", &kind, &n, &p, &array, &names)) return RKHS_ERR_ARGUMENT;
    int single = strcmp(kind, "float") == 0;
    const void *values = take_buffer(h, array, single ? 'f' : 'd', product(n, p));
    if (!values) return RKHS_ERR_ARGUMENT;
    rkhs_status status =
        single ? rkhs_data_float(env, values, n, p, p, &h->data) : rkhs_data_dense(env, values, n, p, p, &h->data);
    return status == RKHS_OK ? name_columns(h->data, names, p) : status;
}

static rkhs_status take_images(rkhs_env *env, PyObject *t, held *h) {
    PyObject *array;
    Py_ssize_t n, height, width, channels;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnnnO", &kind, &n, &height, &width, &channels, &array)) return RKHS_ERR_ARGUMENT;
    int single = strcmp(kind, "float images") == 0;
    const void *values = take_buffer(h, array, single ? 'f' : 'd', product(n, product(product(height, width), channels)));
    if (!values) return RKHS_ERR_ARGUMENT;
    return single ? rkhs_data_images_float(env, values, n, height, width, channels, &h->data)
                  : rkhs_data_images(env, values, n, height, width, channels, &h->data);
}

static rkhs_status take_csr(rkhs_env *env, PyObject *t, held *h) {
    PyObject *values, *columns, *starts;
    Py_ssize_t n, p;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnOOO", &kind, &n, &p, &values, &columns, &starts)) return RKHS_ERR_ARGUMENT;
    const int64_t *s = take_numbers(h, starts, 'q', n < 0 || n == PY_SSIZE_T_MAX ? -1 : n + 1);
    if (!s) return RKHS_ERR_ARGUMENT;
    const double *v = take_buffer(h, values, 'd', product(s[n], 1));
    const int32_t *c = v ? take_numbers(h, columns, 'i', product(s[n], 1)) : NULL;
    return c ? rkhs_data_csr(env, v, c, s, n, p, &h->data) : RKHS_ERR_ARGUMENT;
}

static rkhs_status take_classes(rkhs_env *env, PyObject *t, held *h) {
    PyObject *codes, *names, *all = NULL;
    Py_ssize_t n, count;
    const char *kind;
    const char **list = NULL;
    if (!PyArg_ParseTuple(t, "snOOn", &kind, &n, &codes, &names, &count)) return RKHS_ERR_ARGUMENT;
    const int64_t *c = take_numbers(h, codes, 'q', n);
    if (!c || (names != Py_None && !(all = take_names(names, count, &list)))) return RKHS_ERR_ARGUMENT;
    rkhs_status status = rkhs_data_classes(env, c, n, list, count, &h->data);
    PyMem_Free(list);
    Py_XDECREF(all);
    return status;
}

/* The strings are bytes objects, and the GIL is held until they are copied: nobody can change them. */
static rkhs_status take_strings(rkhs_env *env, PyObject *t, held *h) {
    PyObject *list;
    Py_ssize_t n;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snO!", &kind, &n, &PyList_Type, &list)) return RKHS_ERR_ARGUMENT;
    if (n != PyList_Size(list)) {
        PyErr_Format(PyExc_ValueError, "a list of %zd strings was expected, not one of %zd", n, PyList_Size(list));
        return RKHS_ERR_ARGUMENT;
    }
    const char **strings = PyMem_Calloc((size_t)n + 1, sizeof *strings);
    int64_t *lengths = PyMem_Calloc((size_t)n + 1, sizeof *lengths);
    rkhs_status status = strings && lengths ? RKHS_OK : RKHS_ERR_MEMORY;
    if (status != RKHS_OK) PyErr_NoMemory();
    for (Py_ssize_t i = 0; status == RKHS_OK && i < n; i++) {
        char *bytes = NULL;
        Py_ssize_t length = 0;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &bytes, &length) < 0) status = RKHS_ERR_ARGUMENT;
        strings[i] = bytes;
        lengths[i] = length;
    }
    if (status == RKHS_OK) status = rkhs_data_strings(env, strings, lengths, n, &h->data);
    PyMem_Free(strings);
    PyMem_Free(lengths);
    return status;
}

static rkhs_status take_bits(rkhs_env *env, PyObject *t, held *h) {
    PyObject *packed;
    Py_ssize_t n, bits;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnO", &kind, &n, &bits, &packed)) return RKHS_ERR_ARGUMENT;
    Py_ssize_t stride = bits / 8 + (bits % 8 > 0);
    const uint8_t *bytes = take_buffer(h, packed, 'B', bits < 0 ? -1 : product(n, stride));
    return bytes ? rkhs_data_bits(env, bytes, n, bits, stride, &h->data) : RKHS_ERR_ARGUMENT;
}

/* The tuple has numbers of vertices and edges, ends of edges, and labels of vertices and edges, or None. */
static rkhs_status take_graphs(rkhs_env *env, PyObject *t, held *h) {
    PyObject *vertices, *edges, *ends, *labels, *edge_labels;
    Py_ssize_t n, all = 0, total = 0;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snOOOOO", &kind, &n, &vertices, &edges, &ends, &labels, &edge_labels)) return RKHS_ERR_ARGUMENT;
    const int64_t *v = take_numbers(h, vertices, 'q', n), *e = v ? take_numbers(h, edges, 'q', n) : NULL;
    if (!e) return RKHS_ERR_ARGUMENT;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (v[i] < 0 || e[i] < 0 || v[i] > PY_SSIZE_T_MAX / 64 - all || e[i] > PY_SSIZE_T_MAX / 64 - total) {
            PyErr_Format(PyExc_ValueError, "object %zd: %lld vertices and %lld edges cannot be", i, (long long)v[i],
                         (long long)e[i]);
            return RKHS_ERR_ARGUMENT;
        }
        all += v[i];
        total += e[i];
    }
    const int64_t *u = take_numbers(h, ends, 'q', product(total, 2)), *a = NULL, *b = NULL;
    if (!u || (labels != Py_None && !(a = take_numbers(h, labels, 'q', all)))) return RKHS_ERR_ARGUMENT;
    if (edge_labels != Py_None && !(b = take_numbers(h, edge_labels, 'q', total))) return RKHS_ERR_ARGUMENT;
    return rkhs_data_graphs(env, n, v, e, u, a, b, &h->data);
}

static rkhs_status take_index(rkhs_env *env, PyObject *t, held *h) {
    PyObject *array;
    Py_ssize_t n, width, objects;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnnO", &kind, &n, &width, &objects, &array)) return RKHS_ERR_ARGUMENT;
    const int64_t *rows = take_numbers(h, array, 'q', product(n, width));
    return rows ? rkhs_data_index(env, rows, n, width, objects, &h->data) : RKHS_ERR_ARGUMENT;
}

/* The tuple has positives, and negatives or None, each a tuple. */
static rkhs_status take_pairs(rkhs_env *env, PyObject *t, held *h) {
    PyObject *set[2];
    held part[2] = {{0}, {0}};
    const char *kind;
    rkhs_status status = RKHS_ERR_ARGUMENT;
    if (!PyArg_ParseTuple(t, "sOO", &kind, &set[0], &set[1])) return status;
    if (Py_EnterRecursiveCall(" in pairs of objects")) return status; /* pairs of pairs are refused later */
    status = take_objects(env, set[0], &part[0]);
    if (status == RKHS_OK) status = take_data(env, set[1], &part[1]);
    Py_LeaveRecursiveCall();
    if (status == RKHS_OK) status = rkhs_data_pairs(env, part[0].data, part[1].data, &h->data);
    for (int k = 0; k < 2; k++) held_free(&part[k]);
    return status;
}

static const struct {
    const char *kind;
    rkhs_status (*take)(rkhs_env *env, PyObject *tuple, held *h);
} takers[] = {{"dense", take_dense},         {"float", take_dense},     {"csr", take_csr},       {"strings", take_strings},
              {"bits", take_bits},           {"classes", take_classes}, {"graphs", take_graphs}, {"images", take_images},
              {"float images", take_images}, {"index", take_index},     {"pairs", take_pairs}};

rkhs_status take_data(rkhs_env *env, PyObject *tuple, held *h) {
    *h = (held){0};
    if (!tuple || tuple == Py_None) return RKHS_OK;
    PyObject *first = PyTuple_Check(tuple) && PyTuple_Size(tuple) > 0 ? PyTuple_GetItem(tuple, 0) : NULL;
    const char *kind = first ? text_of(first, "the kind of data") : NULL;
    for (size_t i = 0; kind && i < sizeof takers / sizeof *takers; i++) {
        if (strcmp(takers[i].kind, kind) != 0) continue;
        rkhs_status status = takers[i].take(env, tuple, h);
        if (status != RKHS_OK) held_free(h);
        return status;
    }
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "data must be a tuple that begins with its kind");
    return RKHS_ERR_ARGUMENT;
}

rkhs_status take_objects(rkhs_env *env, PyObject *tuple, held *h) {
    if (tuple != Py_None) return take_data(env, tuple, h);
    *h = (held){0};
    PyErr_SetString(PyExc_TypeError, "there are no objects: data must be a tuple that begins with its kind, not None");
    return RKHS_ERR_ARGUMENT;
}

/* Puts a new object into a list at index i. If either is NULL, or that fails, the list becomes NULL. */
static void put_item(PyObject **list, Py_ssize_t i, PyObject *item) {
    if (!*list)
        Py_XDECREF(item);
    else if (!item || PyList_SetItem(*list, i, item) < 0)
        Py_CLEAR(*list);
}

/* A graph as (edges, labels) or (edges, labels, edge_labels). Without vertex labels, `labels` is the number of
 * vertices. */
static PyObject *graph_of(const rkhs_graph *g) {
    Py_ssize_t count = (Py_ssize_t)(g->starts[g->vertices] - g->starts[0]) / 2, at = 0;
    PyObject *edges = PyList_New(count), *bonds = g->edge_labels ? PyList_New(count) : NULL;
    PyObject *labels = g->labels ? PyList_New((Py_ssize_t)g->vertices) : PyLong_FromLongLong(g->vertices);
    for (int64_t v = 0; v < g->vertices; v++) {
        if (g->labels) put_item(&labels, (Py_ssize_t)v, PyLong_FromLongLong(g->labels[v]));
        for (int64_t q = g->starts[v]; q < g->starts[v + 1]; q++) {
            if (g->neighbours[q] < v) continue;
            put_item(&edges, at, Py_BuildValue("Li", (long long)v, (int)g->neighbours[q]));
            if (g->edge_labels) put_item(&bonds, at, PyLong_FromLongLong(g->edge_labels[q]));
            at++;
        }
    }
    if (edges && labels && (bonds || !g->edge_labels))
        return bonds ? Py_BuildValue("NNN", edges, labels, bonds) : Py_BuildValue("NN", edges, labels);
    Py_XDECREF(edges);
    Py_XDECREF(labels);
    Py_XDECREF(bonds);
    return NULL;
}

/* values, columns and starts are bytes of float64, int32 and int64. */
PyObject *sparse_of(const rkhs_data *x) {
    const double *values;
    const int32_t *columns;
    const int64_t *starts;
    if (!rkhs_data_sparse(x, &values, &columns, &starts)) return NULL;
    Py_ssize_t n = (Py_ssize_t)rkhs_data_rows(x), count = (Py_ssize_t)starts[n];
    return Py_BuildValue("nLNNN", n, (long long)rkhs_data_columns(x),
                         PyByteArray_FromStringAndSize((const char *)values, 8 * count),
                         PyByteArray_FromStringAndSize((const char *)columns, 4 * count),
                         PyByteArray_FromStringAndSize((const char *)starts, 8 * (n + 1)));
}

PyObject *labels_of(const rkhs_data *labels) {
    const int64_t *codes = rkhs_data_codes(labels, NULL);
    PyObject *list = PyList_New((Py_ssize_t)rkhs_data_rows(labels));
    for (int64_t i = 0; list && i < rkhs_data_rows(labels); i++) {
        const char *name = codes[i] < 0 ? NULL : rkhs_data_class_name(labels, codes[i]);
        put_item(&list, (Py_ssize_t)i,
                 name ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape") : Py_BuildValue(""));
    }
    return list;
}

PyObject *rows_of(const rkhs_data *x, int64_t i0, int64_t n) {
    int64_t p = rkhs_data_columns(x), length;
    rkhs_graph g;
    if (rkhs_data_graph(x, i0, &g)) {
        PyObject *list = PyList_New((Py_ssize_t)n);
        for (int64_t i = 0; list && i < n && rkhs_data_graph(x, i0 + i, &g); i++) put_item(&list, (Py_ssize_t)i, graph_of(&g));
        return list;
    }
    if (rkhs_data_string(x, i0, NULL)) {
        PyObject *list = PyList_New((Py_ssize_t)n);
        for (int64_t i = 0; list && i < n; i++) {
            const char *bytes = rkhs_data_string(x, i0 + i, &length);
            PyObject *text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)length, "surrogateescape");
            if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0) Py_CLEAR(list);
        }
        return list;
    }
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(n * p * 8));
    if (!bytes) return NULL;
    double *to = (double *)(void *)PyByteArray_AsString(bytes);
    for (int64_t i = 0; i < n; i++) rkhs_data_row(x, i0 + i, to + i * p);
    return Py_BuildValue("LLN", (long long)n, (long long)p, bytes);
}
