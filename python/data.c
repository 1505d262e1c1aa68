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

static const struct {
    const char *kind;
    rkhs_status (*take)(rkhs_env *env, PyObject *tuple, held *h);
} takers[] = {{"dense", take_dense},     {"float", take_dense}, {"csr", take_csr},
              {"strings", take_strings}, {"bits", take_bits},   {"classes", take_classes}};

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

/* Rows of a data set as Python gets them. */
PyObject *rows_of(const rkhs_data *x, int64_t i0, int64_t n) {
    int64_t p = rkhs_data_columns(x), length;
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
