/* data.c: data sets from tuples, and rows back. */
#include "ext.h"

void held_free(held *h) {
    rkhs_data_free(h->data);
    for (int i = 0; i < h->count; i++) PyBuffer_Release(&h->buffer[i]);
    *h = (held){0};
}

/* A contiguous buffer of `count` elements of `size` bytes. */
static const void *take_buffer(held *h, PyObject *object, Py_ssize_t count, Py_ssize_t size) {
    Py_buffer *b = &h->buffer[h->count];
    if (PyObject_GetBuffer(object, b, PyBUF_C_CONTIGUOUS) < 0) return NULL;
    h->count++;
    if (b->itemsize == size && b->len / size >= count) return b->buf;
    PyErr_Format(PyExc_ValueError, "a buffer of %zd elements of %zd bytes was expected, not one of %zd bytes (%zd each)", count,
                 size, b->len, b->itemsize);
    return NULL;
}

/* The strings of a sequence as C strings; the sequence must outlive them. */
static int take_names(PyObject *names, Py_ssize_t count, const char ***out) {
    const char **list = PyMem_Malloc((size_t)(count + 1) * sizeof *list);
    if (!list) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PySequence_GetItem(names, i);
        list[i] = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        Py_XDECREF(name); /* the sequence holds it */
        if (!list[i]) {
            PyMem_Free(list);
            return -1;
        }
    }
    *out = list;
    return 0;
}

static rkhs_status take_dense(rkhs_env *env, PyObject *t, held *h) {
    PyObject *array;
    Py_ssize_t n, p;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnO", &kind, &n, &p, &array)) return RKHS_ERR_ARGUMENT;
    int single = strcmp(kind, "float") == 0;
    if (n < 0 || p < 0 || (p > 0 && n > PY_SSIZE_T_MAX / p)) return RKHS_ERR_ARGUMENT;
    const void *values = take_buffer(h, array, n * p, single ? 4 : 8);
    if (!values) return RKHS_ERR_ARGUMENT;
    return single ? rkhs_data_float(env, values, n, p, p, &h->data) : rkhs_data_dense(env, values, n, p, p, &h->data);
}

static rkhs_status take_images(rkhs_env *env, PyObject *t, held *h) {
    PyObject *array;
    Py_ssize_t n, height, width, channels;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnnnO", &kind, &n, &height, &width, &channels, &array)) return RKHS_ERR_ARGUMENT;
    Py_ssize_t most = PY_SSIZE_T_MAX;
    if (n < 1 || height < 1 || width < 1 || channels < 1 || n > most / height || n * height > most / width ||
        n * height * width > most / channels)
        return RKHS_ERR_ARGUMENT;
    const double *values = take_buffer(h, array, n * height * width * channels, 8);
    return values ? rkhs_data_images(env, values, n, height, width, channels, &h->data) : RKHS_ERR_ARGUMENT;
}

static rkhs_status take_csr(rkhs_env *env, PyObject *t, held *h) {
    PyObject *values, *columns, *starts;
    Py_ssize_t n, p;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnOOO", &kind, &n, &p, &values, &columns, &starts) || n < 0) return RKHS_ERR_ARGUMENT;
    const int64_t *s = take_buffer(h, starts, n + 1, 8);
    if (!s) return RKHS_ERR_ARGUMENT;
    Py_ssize_t count = s[n] < 0 ? 0 : (Py_ssize_t)s[n];
    const double *v = take_buffer(h, values, count, 8);
    const int32_t *c = v ? take_buffer(h, columns, count, 4) : NULL;
    return c ? rkhs_data_csr(env, v, c, s, n, p, &h->data) : RKHS_ERR_ARGUMENT;
}

static rkhs_status take_classes(rkhs_env *env, PyObject *t, held *h) {
    PyObject *codes, *names;
    Py_ssize_t n, count;
    const char *kind;
    const char **list = NULL;
    if (!PyArg_ParseTuple(t, "snOOn", &kind, &n, &codes, &names, &count)) return RKHS_ERR_ARGUMENT;
    const int64_t *c = take_buffer(h, codes, n, 8);
    if (!c || (names != Py_None && take_names(names, count, &list) < 0)) return RKHS_ERR_ARGUMENT;
    rkhs_status status = rkhs_data_classes(env, c, n, list, count, &h->data);
    PyMem_Free(list);
    return status;
}

/* Bytes objects, which the list holds. */
static rkhs_status take_strings(rkhs_env *env, PyObject *t, held *h) {
    PyObject *list;
    Py_ssize_t n;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snO!", &kind, &n, &PyList_Type, &list) || n != PyList_Size(list)) return RKHS_ERR_ARGUMENT;
    const char **strings = PyMem_Malloc((size_t)(n + 1) * sizeof *strings);
    int64_t *lengths = PyMem_Malloc((size_t)(n + 1) * sizeof *lengths);
    rkhs_status status = strings && lengths ? RKHS_OK : RKHS_ERR_MEMORY;
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
    if (!PyArg_ParseTuple(t, "snnO", &kind, &n, &bits, &packed) || n < 0 || bits < 1) return RKHS_ERR_ARGUMENT;
    Py_ssize_t stride = (bits + 7) / 8;
    if (n > PY_SSIZE_T_MAX / stride) return RKHS_ERR_ARGUMENT;
    const uint8_t *bytes = take_buffer(h, packed, n * stride, 1);
    return bytes ? rkhs_data_bits(env, bytes, n, bits, stride, &h->data) : RKHS_ERR_ARGUMENT;
}

/* Numbers of vertices and of edges, the ends of edges, labels of vertices and of edges, or None. */
static rkhs_status take_graphs(rkhs_env *env, PyObject *t, held *h) {
    PyObject *vertices, *edges, *ends, *labels, *edge_labels;
    Py_ssize_t n, all = 0, total = 0;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snOOOOO", &kind, &n, &vertices, &edges, &ends, &labels, &edge_labels) || n < 0)
        return RKHS_ERR_ARGUMENT;
    const int64_t *v = take_buffer(h, vertices, n, 8), *e = v ? take_buffer(h, edges, n, 8) : NULL;
    if (!e) return RKHS_ERR_ARGUMENT;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (v[i] < 0 || e[i] < 0 || v[i] > PY_SSIZE_T_MAX / 4 - all || e[i] > PY_SSIZE_T_MAX / 4 - total)
            return RKHS_ERR_ARGUMENT;
        all += v[i];
        total += e[i];
    }
    const int64_t *u = take_buffer(h, ends, 2 * total, 8), *a = NULL, *b = NULL;
    if (!u || (labels != Py_None && !(a = take_buffer(h, labels, all, 8)))) return RKHS_ERR_ARGUMENT;
    if (edge_labels != Py_None && !(b = take_buffer(h, edge_labels, total, 8))) return RKHS_ERR_ARGUMENT;
    return rkhs_data_graphs(env, n, v, e, u, a, b, &h->data);
}

static rkhs_status take_index(rkhs_env *env, PyObject *t, held *h) {
    PyObject *array;
    Py_ssize_t n, width, objects;
    const char *kind;
    if (!PyArg_ParseTuple(t, "snnnO", &kind, &n, &width, &objects, &array)) return RKHS_ERR_ARGUMENT;
    if (n < 0 || width < 0 || (width > 0 && n > PY_SSIZE_T_MAX / width)) return RKHS_ERR_ARGUMENT;
    const int64_t *rows = take_buffer(h, array, n * width, 8);
    return rows ? rkhs_data_index(env, rows, n, width, objects, &h->data) : RKHS_ERR_ARGUMENT;
}

/* Positives, and negatives or None, each a tuple of its own. */
static rkhs_status take_pairs(rkhs_env *env, PyObject *t, held *h) {
    PyObject *set[2];
    held part[2] = {{0}, {0}};
    const char *kind;
    rkhs_status status = RKHS_ERR_ARGUMENT;
    if (!PyArg_ParseTuple(t, "sOO", &kind, &set[0], &set[1])) return status;
    status = take_data(env, set[0], &part[0]);
    if (status == RKHS_OK) status = take_data(env, set[1], &part[1]);
    if (status == RKHS_OK) status = rkhs_data_pairs(env, part[0].data, part[1].data, &h->data);
    for (int k = 0; k < 2; k++) held_free(&part[k]);
    return status;
}

static const struct {
    const char *kind;
    rkhs_status (*take)(rkhs_env *env, PyObject *tuple, held *h);
} takers[] = {{"dense", take_dense}, {"float", take_dense},     {"csr", take_csr},       {"strings", take_strings},
              {"bits", take_bits},   {"classes", take_classes}, {"graphs", take_graphs}, {"images", take_images},
              {"index", take_index}, {"pairs", take_pairs}};

/* The data set that a tuple describes; None gives none. A Python exception may be set when this fails. */
rkhs_status take_data(rkhs_env *env, PyObject *tuple, held *h) {
    *h = (held){0};
    if (!tuple || tuple == Py_None) return RKHS_OK;
    PyObject *first = PyTuple_Check(tuple) && PyTuple_Size(tuple) > 0 ? PyTuple_GetItem(tuple, 0) : NULL;
    const char *kind = first ? PyUnicode_AsUTF8AndSize(first, NULL) : NULL;
    for (size_t i = 0; kind && i < sizeof takers / sizeof *takers; i++) {
        if (strcmp(takers[i].kind, kind) != 0) continue;
        rkhs_status status = takers[i].take(env, tuple, h);
        if (status != RKHS_OK) held_free(h);
        return status;
    }
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "data must be a tuple that begins with its kind");
    return RKHS_ERR_ARGUMENT;
}

/* Puts a new object into a list at place i, and the list is gone when either is not there. */
static void put_item(PyObject **list, Py_ssize_t i, PyObject *item) {
    if (!*list)
        Py_XDECREF(item);
    else if (!item || PyList_SetItem(*list, i, item) < 0)
        Py_CLEAR(*list);
}

/* A graph as (edges, labels) or (edges, labels, edge_labels); without labels the number of vertices stands for them. */
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

/* Rows of a data set as Python gets them. */
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
