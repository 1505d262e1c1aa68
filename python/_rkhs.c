/* _rkhs.c: librkhs for Python, as thin as it can be: buffers in, buffers out.  SPDX-License-Identifier: BSD-3-Clause
 *
 * The package's own Python (the folder rkhs) decides what an argument means; here it is a tuple that begins with its kind:
 *
 *     ("dense", float64 buffer, n, p)   ("float", float32 buffer, n, p)   ("csr", values, columns, starts, n, p)
 *     ("strings", [bytes])   ("bits", uint8 buffer, n, bits)   ("classes", int64 buffer, n, names or None, classes)
 *
 * A kernel is its text, or (text, name, block): then the text may use that name, and block(a, b, out) fills a matrix of values
 * for rows a and b, which come as (n, p, float64 buffer) or as a list of str.
 *
 * Buffers are C-contiguous; dense ones are borrowed, never copied. Results are written into buffers that the caller made. The
 * GIL is released while the library works, and taken back some ten times a second to look at signals and to report progress.
 * Only the stable ABI of Python 3.11 is used, and no header of NumPy. */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "rkhs.h"

/* ---- errors: one class for each status, which also is what a Python programmer would expect ------------------------------ */

enum { CODES = 10 };

typedef struct module_state {
    PyObject *error[CODES]; /* by status; [0] is their base */
    PyTypeObject *model;
} module_state;

static module_state *state_of(PyObject *module) { return PyModule_GetState(module); }

static const struct {
    const char *name, *doc;
    PyObject **base;
} classes[CODES] = {
    {"rkhs.Error", "The base of all errors of this package.", &PyExc_Exception},
    {"rkhs.ArgumentError", "A call that cannot be meant.", &PyExc_ValueError},
    {"rkhs.SpecError", "The text of a kernel or a model: an unknown name, a parameter out of bounds.", &PyExc_ValueError},
    {"rkhs.DataError", "Data that cannot be used: NaN, the wrong kind, another number of columns.", &PyExc_ValueError},
    {"rkhs.FormatError", "A file that is damaged, or not what it is said to be, or newer than this library.",
     &PyExc_ValueError},
    {"rkhs.FileError", "The system refused: no such file, no permission, disk full.", &PyExc_OSError},
    {"rkhs.MemoryLimitError", "Over the memory limit, or the system has no more.", &PyExc_MemoryError},
    {"rkhs.NumericError", "The computation has no answer.", &PyExc_ValueError},
    {"rkhs.Cancelled", "The progress callback asked to stop.", &PyExc_Exception},
    {"rkhs.BugError", "A fault of the library: please report it.", &PyExc_RuntimeError},
};

/* Makes the classes and puts them in the module. */
static int add_errors(PyObject *module) {
    module_state *state = state_of(module);
    for (int i = 0; i < CODES; i++) {
        PyObject *bases = i == 0 || *classes[i].base == PyExc_Exception
                              ? PyTuple_Pack(1, i == 0 ? PyExc_Exception : state->error[0])
                              : PyTuple_Pack(2, state->error[0], *classes[i].base);
        if (!bases) return -1;
        state->error[i] = PyErr_NewExceptionWithDoc(classes[i].name, classes[i].doc, bases, NULL);
        Py_DECREF(bases);
        if (!state->error[i] || PyModule_AddObjectRef(module, strchr(classes[i].name, '.') + 1, state->error[i]) < 0) return -1;
    }
    return 0;
}

/* Raises the exception of a status with the library's sentence; NULL, for return. */
static PyObject *raise_status(module_state *state, rkhs_status status, const char *sentence) {
    PyObject *type = (int)status > 0 && (int)status < CODES ? state->error[status] : PyExc_RuntimeError;
    PyErr_SetString(type, sentence && *sentence ? sentence : rkhs_status_text(status));
    return NULL;
}

/* ---- a call: the env, advice, progress, signals ------------------------------------------------------------------------- */

typedef struct call {
    rkhs_env *env;
    PyThreadState *thread;          /* while the GIL is released */
    PyObject *progress;             /* a callable, or NULL */
    PyObject *advice;               /* a list of str */
    PyObject *type, *value, *trace; /* what a callback raised */
} call;

/* The library's remarks, kept for the end of the call. */
static void on_log(rkhs_log_level level, const char *sentence, void *payload) {
    call *c = payload;
    if (level != RKHS_LOG_ADVICE || !c->advice) return;
    if (c->thread) PyEval_RestoreThread(c->thread);
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    if (!text || PyList_Append(c->advice, text) < 0) PyErr_Clear();
    Py_XDECREF(text);
    if (c->thread) c->thread = PyEval_SaveThread();
}

/* Looks at signals (Ctrl-C) and calls the callback; what either raises stops the library and is raised again at the end. */
static int on_progress(const rkhs_progress *p, void *payload) {
    call *c = payload;
    int stop = 0;
    if (c->thread) PyEval_RestoreThread(c->thread);
    if (PyErr_CheckSignals() < 0) {
        stop = 1;
    } else if (c->progress) {
        PyObject *answer = PyObject_CallFunction(c->progress, "sLL", p->stage, (long long)p->done, (long long)p->total);
        stop = !answer;
        Py_XDECREF(answer);
    }
    if (stop && !c->type) PyErr_Fetch(&c->type, &c->value, &c->trace);
    if (c->thread) c->thread = PyEval_SaveThread();
    return stop;
}

/* Settings of one call. */
typedef struct settings {
    unsigned long long seed, memory;
    int all; /* seed and memory too, else these stay */
    int threads;
    PyObject *progress;
} settings;

static rkhs_status call_begin(call *c, rkhs_env *env, const settings *s) {
    *c = (call){.env = env, .progress = s->progress && s->progress != Py_None ? s->progress : NULL};
    c->advice = PyList_New(0);
    rkhs_env_set_log(env, on_log, c);
    rkhs_env_set_progress(env, on_progress, c);
    rkhs_status status = rkhs_env_set_threads(env, s->threads);
    if (status == RKHS_OK && s->all) status = rkhs_env_set_seed(env, s->seed);
    if (status == RKHS_OK && s->all) status = rkhs_env_set_memory(env, (size_t)s->memory);
    return status;
}

/* The advice, or an exception: one that is set already, the callback's own, or the library's. */
static PyObject *call_end(module_state *state, call *c, rkhs_status status) {
    PyObject *advice = c->advice;
    c->advice = NULL;
    if (PyErr_Occurred() || c->type || status != RKHS_OK) Py_CLEAR(advice);
    if (!PyErr_Occurred() && c->type)
        PyErr_Restore(c->type, c->value, c->trace);
    else if (!PyErr_Occurred() && status != RKHS_OK)
        raise_status(state, status, c->env ? rkhs_env_message(c->env) : NULL);
    if (!c->env) return NULL;
    rkhs_env_set_log(c->env, NULL, NULL);
    rkhs_env_set_progress(c->env, NULL, NULL);
    rkhs_env_set_threads(c->env, 1); /* an estimator at rest holds no threads */
    return advice;
}

#define WITHOUT_GIL(c, statement)                                                                                              \
    do {                                                                                                                       \
        (c)->thread = PyEval_SaveThread();                                                                                     \
        statement;                                                                                                             \
        PyThreadState *back = (c)->thread;                                                                                     \
        (c)->thread = NULL;                                                                                                    \
        PyEval_RestoreThread(back);                                                                                            \
    } while (0)

/* ---- data: from tuples -------------------------------------------------------------------------------------------------- */

enum { BUFFERS = 3 };

/* A data set and the buffers it stands on. */
typedef struct held {
    rkhs_data *data;
    Py_buffer buffer[BUFFERS];
    int count;
} held;

static void held_free(held *h) {
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
    if (!PyArg_ParseTuple(t, "sOnn", &kind, &array, &n, &p)) return RKHS_ERR_ARGUMENT;
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
    if (!PyArg_ParseTuple(t, "sOOOnn", &kind, &values, &columns, &starts, &n, &p) || n < 0) return RKHS_ERR_ARGUMENT;
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
    if (!PyArg_ParseTuple(t, "sOnOn", &kind, &codes, &n, &names, &count)) return RKHS_ERR_ARGUMENT;
    const int64_t *c = take_buffer(h, codes, n, 8);
    if (!c || (names != Py_None && take_names(names, count, &list) < 0)) return RKHS_ERR_ARGUMENT;
    rkhs_status status = rkhs_data_classes(env, c, n, list, count, &h->data);
    PyMem_Free(list);
    return status;
}

/* Bytes objects, which the list holds. */
static rkhs_status take_strings(rkhs_env *env, PyObject *t, held *h) {
    PyObject *list;
    const char *kind;
    if (!PyArg_ParseTuple(t, "sO!", &kind, &PyList_Type, &list)) return RKHS_ERR_ARGUMENT;
    Py_ssize_t n = PyList_Size(list);
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
    if (!PyArg_ParseTuple(t, "sOnn", &kind, &packed, &n, &bits) || n < 0 || bits < 1) return RKHS_ERR_ARGUMENT;
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
static rkhs_status take_data(rkhs_env *env, PyObject *tuple, held *h) {
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

/* Fails a call before it began: a Python exception that is set, or the library's. */
static PyObject *refuse(module_state *state, rkhs_env *env, rkhs_status status) {
    return PyErr_Occurred() ? NULL : raise_status(state, status, env ? rkhs_env_message(env) : NULL);
}

/* ---- kernels in Python -------------------------------------------------------------------------------------------------- */

/* The name that every Python function has among kernels: a model has at most one. */
#define OWN_NAME "python"

/* A function that an env's kernel calls; it must outlive the env. */
typedef struct own {
    PyObject *block;
    call *running; /* the call that it is called in */
} own;

/* Rows of a data set as Python gets them. */
static PyObject *rows_of(const rkhs_data *x, int64_t i0, int64_t n) {
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

/* One tile, on the caller's thread; an exception is kept for the end of the call. */
static rkhs_status block_python(const rkhs_data *a, int64_t i0, int64_t ni, const rkhs_data *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, void *payload) {
    own *o = payload;
    call *c = o->running;
    if (c->thread) PyEval_RestoreThread(c->thread);
    PyObject *values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(ni * nj * 8)), *result = NULL;
    PyObject *rows = values ? rows_of(a, i0, ni) : NULL, *columns = rows ? rows_of(b, j0, nj) : NULL;
    if (columns) result = PyObject_CallFunctionObjArgs(o->block, rows, columns, values, NULL);
    for (int64_t i = 0; result && i < ni; i++) memcpy(out + i * ld, PyByteArray_AsString(values) + i * nj * 8, (size_t)nj * 8);
    rkhs_status status = result ? RKHS_OK : RKHS_ERR_CANCELLED;
    if (!result && !c->type) PyErr_Fetch(&c->type, &c->value, &c->trace);
    Py_XDECREF(result);
    Py_XDECREF(columns);
    Py_XDECREF(rows);
    Py_XDECREF(values);
    if (c->thread) c->thread = PyEval_SaveThread();
    return status;
}

/* The function as a kernel of the env; `o` takes it, in the place of one before. */
static rkhs_status add_function(rkhs_env *env, PyObject *block, own *o) {
    PyObject *before = o->block;
    Py_INCREF(block);
    o->block = block;
    if (before) { /* the env has the name already, and calls what `o` holds */
        Py_DECREF(before);
        return RKHS_OK;
    }
    return rkhs_env_add_kernel(
        env, OWN_NAME,
        &(rkhs_own_kernel){.block = block_python, .payload = o, .serial = 1, .kinds = "dense, sparse, bits, string"});
}

/* The text of a kernel, NULL for None; a function comes as (text, function). */
static rkhs_status take_kernel(rkhs_env *env, PyObject *kernel, own *o, const char **text) {
    PyObject *block;
    *text = NULL;
    if (kernel == Py_None) return RKHS_OK;
    if (PyTuple_Check(kernel))
        return PyArg_ParseTuple(kernel, "sO", text, &block) ? add_function(env, block, o) : RKHS_ERR_ARGUMENT;
    *text = PyUnicode_AsUTF8AndSize(kernel, NULL);
    return *text ? RKHS_OK : RKHS_ERR_ARGUMENT;
}

/* ---- the model ---------------------------------------------------------------------------------------------------------- */

typedef struct model_object {
    PyObject_HEAD module_state *state;
    PyThread_type_lock lock; /* an env belongs to one thread at a time */
    rkhs_env *env;
    rkhs_model *model;
    own own;
} model_object;

/* Waits for the model, without the GIL. */
static void model_lock(model_object *m) {
    if (PyThread_acquire_lock(m->lock, NOWAIT_LOCK)) return;
    Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(m->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

static void model_unlock(model_object *m) { PyThread_release_lock(m->lock); }

/* An object with an env and no model yet. */
static model_object *model_alloc(module_state *state) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(state->model, Py_tp_alloc);
    model_object *m = (model_object *)alloc(state->model, 0);
    if (!m) return NULL;
    m->state = state;
    m->lock = PyThread_allocate_lock();
    if (!m->lock || rkhs_env_new(&m->env) != RKHS_OK) {
        Py_DECREF(m);
        return (model_object *)PyErr_NoMemory();
    }
    rkhs_env_set_threads(m->env, 1);
    return m;
}

static void model_dealloc(PyObject *self) {
    model_object *m = (model_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    rkhs_model_free(m->model);
    rkhs_env_free(m->env);
    Py_XDECREF(m->own.block);
    if (m->lock) PyThread_free_lock(m->lock);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Model(spec) */
static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *spec;
    if (!PyArg_ParseTuple(args, "s", &spec)) return NULL;
    PyObject *module = PyType_GetModule(type);
    model_object *m = module ? model_alloc(state_of(module)) : NULL;
    if (!m) return NULL;
    rkhs_status status = rkhs_model_new(m->env, spec, &m->model);
    if (status == RKHS_OK) return (PyObject *)m;
    refuse(m->state, m->env, status);
    Py_DECREF(m);
    return NULL;
}

/* fit(kernel, x, y, start, seed, threads, memory, progress) -> advice */
static PyObject *model_fit(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    const char *spec = NULL;
    PyObject *x, *y, *start, *result, *given;
    settings s = {.all = 1};
    held hx = {0}, hy = {0}, hs = {0};
    rkhs_kernel *kernel = NULL;
    call c;
    if (!PyArg_ParseTuple(args, "OOOOKiKO", &given, &x, &y, &start, &s.seed, &s.threads, &s.memory, &s.progress)) return NULL;
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK) status = take_kernel(m->env, given, &m->own, &spec);
    if (status == RKHS_OK && spec) status = rkhs_kernel_new(m->env, spec, &kernel);
    if (status == RKHS_OK) status = take_data(m->env, x, &hx);
    if (status == RKHS_OK) status = take_data(m->env, y, &hy);
    if (status == RKHS_OK) status = take_data(m->env, start, &hs);
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_fit(m->model, kernel, hx.data, hy.data, hs.data));
    result = call_end(m->state, &c, status);
    held_free(&hs);
    held_free(&hy);
    held_free(&hx);
    rkhs_kernel_free(kernel);
    model_unlock(m);
    return result;
}

/* transform(x, out, threads, progress) -> advice; out is n x dim float64 */
static PyObject *model_transform(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *out, *result;
    settings s = {0};
    held hx = {0};
    Py_buffer z;
    call c;
    int64_t n, dim;
    if (!PyArg_ParseTuple(args, "OOiO", &x, &out, &s.threads, &s.progress)) return NULL;
    if (PyObject_GetBuffer(out, &z, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK) status = take_data(m->env, x, &hx);
    rkhs_model_embedding(m->model, &n, &dim);
    if (status == RKHS_OK && z.len < rkhs_data_rows(hx.data) * dim * 8) {
        PyErr_SetString(PyExc_ValueError, "the output is too small");
        status = RKHS_ERR_ARGUMENT;
    }
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_transform(m->model, hx.data, z.buf, dim));
    result = call_end(m->state, &c, status);
    held_free(&hx);
    model_unlock(m);
    PyBuffer_Release(&z);
    return result;
}

/* inverse(z, threads, progress) -> (advice, (n, p, bytearray) or [str]) */
static PyObject *model_inverse(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *z, *advice = NULL, *numbers = NULL;
    settings s = {0};
    held hz = {0};
    rkhs_data *x = NULL;
    call c;
    if (!PyArg_ParseTuple(args, "OiO", &z, &s.threads, &s.progress)) return NULL;
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK) status = take_data(m->env, z, &hz);
    if (status == RKHS_OK) {
        int64_t ld;
        const double *values = rkhs_data_values(hz.data, &ld);
        WITHOUT_GIL(&c, status = rkhs_model_inverse(m->model, values, rkhs_data_rows(hz.data), ld, &x));
    }
    advice = call_end(m->state, &c, status);
    if (advice) numbers = rows_of(x, 0, rkhs_data_rows(x));
    rkhs_data_free(x);
    held_free(&hz);
    model_unlock(m);
    if (advice && numbers) return Py_BuildValue("NN", advice, numbers);
    Py_XDECREF(advice);
    return NULL;
}

/* embedding(out): n x dim float64; without an argument (n, dim). */
static PyObject *model_embedding(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *out = NULL;
    Py_buffer z;
    int64_t n, dim;
    if (!PyArg_ParseTuple(args, "|O", &out)) return NULL;
    const double *Z = rkhs_model_embedding(m->model, &n, &dim);
    if (!out) return Py_BuildValue("LL", (long long)n, (long long)dim);
    if (PyObject_GetBuffer(out, &z, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
    int fits = z.len >= n * dim * 8;
    if (fits && Z) memcpy(z.buf, Z, (size_t)(n * dim * 8));
    PyBuffer_Release(&z);
    if (!fits) return PyErr_Format(PyExc_ValueError, "the output is too small");
    Py_RETURN_NONE;
}

/* report() -> [(name, text or None, rows, columns, bytes)] */
static PyObject *model_report(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    PyObject *list = PyList_New(0);
    rkhs_item item;
    for (int64_t i = 0; list && rkhs_model_report(m->model, i, &item); i++) {
        Py_ssize_t size = item.values ? (Py_ssize_t)(item.rows * item.columns * 8) : 0;
        PyObject *tuple = Py_BuildValue("szLLy#", item.name, item.text, (long long)item.rows, (long long)item.columns,
                                        item.values ? (const char *)item.values : "", size);
        if (!tuple || PyList_Append(list, tuple) < 0) Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

/* text() -> (model, kernel or None) */
static PyObject *model_text(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    const rkhs_kernel *kernel = rkhs_model_kernel(m->model);
    return Py_BuildValue("sz", rkhs_model_text(m->model), kernel ? rkhs_kernel_text(kernel) : NULL);
}

/* pack() -> the bytes of the model file */
static PyObject *model_pack(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    PyObject *bytes = NULL;
    size_t size = 0;
    model_lock(m);
    rkhs_status status = rkhs_model_pack(m->model, NULL, 0, &size);
    if (status == RKHS_OK) bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes) status = rkhs_model_pack(m->model, PyBytes_AsString(bytes), size, &size);
    if (status != RKHS_OK) {
        Py_CLEAR(bytes);
        refuse(m->state, m->env, status);
    }
    model_unlock(m);
    return bytes;
}

static PyObject *model_save(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *path, *result = NULL;
    settings s = {.threads = 1};
    call c;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    const char *name = PyBytes_AsString(path);
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_save(m->model, name));
    result = call_end(m->state, &c, status);
    model_unlock(m);
    Py_DECREF(path);
    return result;
}

/* A model is pickled as the bytes of its file. */
static PyObject *model_reduce(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    PyObject *module = PyType_GetModule(m->state->model);
    PyObject *unpack = module ? PyObject_GetAttrString(module, "unpack") : NULL;
    PyObject *bytes = unpack ? model_pack(self, NULL) : NULL;
    if (bytes && m->own.block) return Py_BuildValue("N(NO)", unpack, bytes, m->own.block);
    if (bytes) return Py_BuildValue("N(N)", unpack, bytes);
    Py_XDECREF(unpack);
    return NULL;
}

static PyMethodDef model_methods[] = {
    {"fit", model_fit, METH_VARARGS, "fit(kernel, x, y, start, seed, threads, memory, progress) -> advice"},
    {"transform", model_transform, METH_VARARGS, "transform(x, out, threads, progress) -> advice"},
    {"inverse", model_inverse, METH_VARARGS, "inverse(z, threads, progress) -> (advice, objects)"},
    {"embedding", model_embedding, METH_VARARGS, "embedding() -> (n, dim); embedding(out) fills out"},
    {"report", model_report, METH_NOARGS, "report() -> [(name, text, rows, columns, numbers)]"},
    {"text", model_text, METH_NOARGS, "text() -> (model, kernel)"},
    {"pack", model_pack, METH_NOARGS, "pack() -> the bytes of the model file"},
    {"save", model_save, METH_VARARGS, "save(path)"},
    {"__reduce__", model_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, model_methods},
    {Py_tp_doc, "A model of the library."},
    {0, NULL},
};

static PyType_Spec model_spec = {
    .name = "rkhs._rkhs.Model", .basicsize = sizeof(model_object), .flags = Py_TPFLAGS_DEFAULT, .slots = model_slots};

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

/* A new model object from a file or from bytes. */
static PyObject *model_from(PyObject *module, const char *path, const void *bytes, size_t size, PyObject *block) {
    module_state *state = state_of(module);
    model_object *m = model_alloc(state);
    settings s = {.threads = 1};
    call c;
    if (!m) return NULL;
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK && block) status = add_function(m->env, block, &m->own);
    if (status == RKHS_OK)
        WITHOUT_GIL(&c, status = path ? rkhs_model_load(m->env, path, &m->model)
                                      : rkhs_model_unpack(m->env, bytes, size, &m->model));
    PyObject *advice = call_end(state, &c, status);
    if (!advice) Py_CLEAR(m);
    Py_XDECREF(advice);
    return (PyObject *)m;
}

static PyObject *load(PyObject *module, PyObject *args) {
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    PyObject *m = model_from(module, PyBytes_AsString(path), NULL, 0, NULL);
    Py_DECREF(path);
    return m;
}

static PyObject *unpack(PyObject *module, PyObject *args) {
    Py_buffer b;
    PyObject *block = NULL;
    if (!PyArg_ParseTuple(args, "y*|O", &b, &block)) return NULL;
    PyObject *m = model_from(module, NULL, b.buf, (size_t)b.len, block);
    PyBuffer_Release(&b);
    return m;
}

/* A call that needs an env for itself alone. */
static rkhs_status own_env(call *c, const settings *s) {
    rkhs_env *env;
    *c = (call){0};
    rkhs_status status = rkhs_env_new(&env);
    return status == RKHS_OK ? call_begin(c, env, s) : status;
}

/* gram(kernel, a, b or None, out, seed, threads, memory, progress) -> (advice, text of the frozen kernel) */
static PyObject *gram(PyObject *module, PyObject *args) {
    const char *spec;
    PyObject *a, *b, *out, *given, *advice = NULL, *text = NULL;
    settings s = {.all = 1};
    own o = {0};
    held ha = {0}, hb = {0};
    Py_buffer k = {0};
    rkhs_kernel *kernel = NULL;
    call c;
    if (!PyArg_ParseTuple(args, "OOOOKiKO", &given, &a, &b, &out, &s.seed, &s.threads, &s.memory, &s.progress)) return NULL;
    if (PyObject_GetBuffer(out, &k, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
    rkhs_status status = own_env(&c, &s);
    o.running = &c;
    if (status == RKHS_OK) status = take_kernel(c.env, given, &o, &spec);
    if (status == RKHS_OK) status = rkhs_kernel_new(c.env, spec, &kernel);
    if (status == RKHS_OK) status = take_data(c.env, a, &ha);
    if (status == RKHS_OK) status = take_data(c.env, b, &hb);
    if (status == RKHS_OK) {
        const rkhs_data *other = hb.data ? hb.data : ha.data;
        int64_t columns = rkhs_data_rows(other);
        if (k.len < rkhs_data_rows(ha.data) * columns * 8) {
            PyErr_SetString(PyExc_ValueError, "the output is too small");
            status = RKHS_ERR_ARGUMENT;
        } else {
            WITHOUT_GIL(&c, status = rkhs_kernel_freeze(kernel, ha.data);
                        if (status == RKHS_OK) status = rkhs_kernel_gram(kernel, ha.data, hb.data, k.buf, columns));
        }
    }
    advice = call_end(state_of(module), &c, status);
    if (advice) text = PyUnicode_FromString(rkhs_kernel_text(kernel));
    held_free(&hb);
    held_free(&ha);
    rkhs_kernel_free(kernel);
    rkhs_env_free(c.env);
    Py_XDECREF(o.block);
    PyBuffer_Release(&k);
    if (text) return Py_BuildValue("NN", advice, text);
    Py_XDECREF(advice);
    return NULL;
}

/* A list of numbers. */
static PyObject *number_list(const double *values, Py_ssize_t count) {
    PyObject *all = PyList_New(count);
    for (Py_ssize_t i = 0; all && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);
        if (!value || PyList_SetItem(all, i, value) < 0) Py_CLEAR(all);
    }
    return all;
}

/* The texts of a list of str into specs[count], which live as long as the list. */
static int spec_texts(PyObject *list, Py_ssize_t count, const char **specs) {
    for (Py_ssize_t i = 0; i < count; i++) {
        specs[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, i), NULL);
        if (!specs[i]) return -1;
    }
    return 0;
}

/* score([spec], (z, x, labels, new z, new x, new labels), kernel or None, seed, threads, memory, progress)
 * -> (advice, [value], [deviation or nan]); data are None where there are none */
static PyObject *score(PyObject *module, PyObject *args) {
    enum { SETS = 6 };
    const char *kernel_text, **specs = NULL;
    PyObject *list, *set[SETS], *advice = NULL, *numbers = NULL, *spread = NULL;
    settings s = {.all = 1};
    held h[SETS] = {{0}};
    double *values = NULL;
    rkhs_kernel *kernel = NULL;
    call c;
    if (!PyArg_ParseTuple(args, "O!(OOOOOO)zKiKO", &PyList_Type, &list, &set[0], &set[1], &set[2], &set[3], &set[4], &set[5],
                          &kernel_text, &s.seed, &s.threads, &s.memory, &s.progress))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    specs = PyMem_Calloc((size_t)count + 1, sizeof *specs);
    values = PyMem_Calloc(2 * (size_t)count + 1, sizeof *values);
    if (!specs || !values) PyErr_NoMemory();
    if (!specs || !values || spec_texts(list, count, specs) < 0) {
        PyMem_Free(values);
        PyMem_Free(specs);
        return NULL;
    }
    rkhs_status status = own_env(&c, &s);
    for (int i = 0; i < SETS && status == RKHS_OK; i++) status = take_data(c.env, set[i], &h[i]);
    if (status == RKHS_OK && kernel_text) status = rkhs_kernel_new(c.env, kernel_text, &kernel);
    const rkhs_scored what = {.z = h[0].data,
                              .x = h[1].data,
                              .labels = h[2].data,
                              .new_z = h[3].data,
                              .new_x = h[4].data,
                              .new_labels = h[5].data,
                              .kernel = kernel};
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_score(c.env, specs, (int)count, &what, values, values + count));
    advice = call_end(state_of(module), &c, status);
    if (advice) numbers = number_list(values, count);
    if (numbers) spread = number_list(values + count, count);
    rkhs_kernel_free(kernel);
    for (int i = SETS - 1; i >= 0; i--) held_free(&h[i]);
    rkhs_env_free(c.env);
    PyMem_Free(values);
    PyMem_Free(specs);
    if (spread) return Py_BuildValue("NNN", advice, numbers, spread);
    Py_XDECREF(advice);
    Py_XDECREF(numbers);
    return NULL;
}

/* {name: value}, strings or None. */
static int put_text(PyObject *dict, const char *key, const char *text) {
    PyObject *value = Py_BuildValue("z", text);
    int status = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return status;
}

/* The parameters of a type, as a list of dicts. */
static PyObject *params_of(const char *list, const char *type) {
    PyObject *all = PyList_New(0);
    rkhs_param p;
    for (int i = 0; all && rkhs_list_param(list, type, i, &p); i++) {
        PyObject *d = PyDict_New();
        if (!d || put_text(d, "name", p.name) < 0 || put_text(d, "kind", p.kind) < 0 || put_text(d, "value", p.value) < 0 ||
            put_text(d, "bounds", p.bounds) < 0 || put_text(d, "brief", p.brief) < 0 || PyList_Append(all, d) < 0)
            Py_CLEAR(all);
        Py_XDECREF(d);
    }
    return all;
}

/* One type of a list, as a dict. */
static PyObject *type_of(const char *list, const rkhs_type *t) {
    PyObject *d = PyDict_New(), *params = d ? params_of(list, t->name) : NULL;
    if (!params || put_text(d, "name", t->name) < 0 || put_text(d, "brief", t->brief) < 0 ||
        put_text(d, "formula", t->formula) < 0 || put_text(d, "data", t->data) < 0 || put_text(d, "cost", t->cost) < 0 ||
        put_text(d, "title", t->title) < 0 || put_text(d, "second", t->second) < 0 ||
        PyDict_SetItemString(d, "predicts", t->predicts ? Py_True : Py_False) < 0 ||
        PyDict_SetItemString(d, "params", params) < 0)
        Py_CLEAR(d);
    Py_XDECREF(params);
    return d;
}

/* tables() -> {list: [type]} */
static PyObject *tables(PyObject *module, PyObject *unused) {
    PyObject *all = PyDict_New();
    rkhs_type t;
    const char *name;
    for (int l = 0; all && (name = rkhs_list_name(l)); l++) {
        PyObject *types = PyList_New(0);
        for (int i = 0; types && rkhs_list_type(name, i, &t); i++) {
            PyObject *d = type_of(name, &t);
            if (!d || PyList_Append(types, d) < 0) Py_CLEAR(types);
            Py_XDECREF(d);
        }
        if (!types || PyDict_SetItemString(all, name, types) < 0) Py_CLEAR(all);
        Py_XDECREF(types);
    }
    return all;
}

static PyMethodDef functions[] = {
    {"load", load, METH_VARARGS, "load(path) -> Model"},
    {"unpack", unpack, METH_VARARGS, "unpack(bytes) -> Model"},
    {"gram", gram, METH_VARARGS, "gram(kernel, a, b, out, seed, threads, memory, progress) -> (advice, kernel)"},
    {"score", score, METH_VARARGS,
     "score(specs, sets, kernel, seed, threads, memory, progress) -> (advice, values, deviations)"},
    {"tables", tables, METH_NOARGS, "tables() -> {list: [type]}"},
    {NULL, NULL, 0, NULL},
};

static int module_exec(PyObject *module) {
    module_state *state = state_of(module);
    if (add_errors(module) < 0 || PyModule_AddStringConstant(module, "__version__", rkhs_version()) < 0) return -1;
    state->model = (PyTypeObject *)PyType_FromModuleAndSpec(module, &model_spec, NULL);
    return state->model ? PyModule_AddObjectRef(module, "Model", (PyObject *)state->model) : -1;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    module_state *state = state_of(module);
    if (!state) return 0;
    for (int i = 0; i < CODES; i++) Py_VISIT(state->error[i]);
    Py_VISIT(state->model);
    return 0;
}

static int module_clear(PyObject *module) {
    module_state *state = state_of(module);
    if (!state) return 0;
    for (int i = 0; i < CODES; i++) Py_CLEAR(state->error[i]);
    Py_CLEAR(state->model);
    return 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,          .m_name = "rkhs._rkhs", .m_doc = "librkhs, for the package rkhs.",
    .m_size = sizeof(module_state), .m_methods = functions, .m_slots = module_slots,
    .m_traverse = module_traverse,  .m_clear = module_clear};

PyMODINIT_FUNC PyInit__rkhs(void);
PyMODINIT_FUNC PyInit__rkhs(void) { return PyModuleDef_Init(&module_def); }
