/* model.c: the class Model: one env and one model of the library. */
#include "ext.h"

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

/* update(x, seed, threads, memory, progress) -> advice */
static PyObject *model_update(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *result;
    settings s = {.all = 1};
    held hx = {0};
    call c;
    if (!PyArg_ParseTuple(args, "OKiKO", &x, &s.seed, &s.threads, &s.memory, &s.progress)) return NULL;
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK) status = take_data(m->env, x, &hx);
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_update(m->model, hx.data));
    result = call_end(m->state, &c, status);
    held_free(&hx);
    model_unlock(m);
    return result;
}

/* transform(x, out, threads, progress, place) -> advice; out is n x dim float64; place: how, or None */
static PyObject *model_transform(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *out, *result;
    settings s = {0};
    held hx = {0};
    Py_buffer z;
    call c;
    int64_t n, dim;
    const char *place;
    if (!PyArg_ParseTuple(args, "OOiOz", &x, &out, &s.threads, &s.progress, &place)) return NULL;
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
    if (status == RKHS_OK) status = rkhs_model_set_place(m->model, place);
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_transform(m->model, hx.data, z.buf, dim));
    result = call_end(m->state, &c, status);
    held_free(&hx);
    model_unlock(m);
    PyBuffer_Release(&z);
    return result;
}

/* anomaly(x, out, threads, progress, by) -> advice; out is n float64; by: a score, or None */
static PyObject *model_anomaly(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *out, *result;
    settings s = {0};
    held hx = {0};
    Py_buffer scores;
    call c;
    const char *by;
    if (!PyArg_ParseTuple(args, "OOiOz", &x, &out, &s.threads, &s.progress, &by)) return NULL;
    if (PyObject_GetBuffer(out, &scores, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK) status = take_data(m->env, x, &hx);
    if (status == RKHS_OK && scores.len < rkhs_data_rows(hx.data) * 8) {
        PyErr_SetString(PyExc_ValueError, "the output is too small");
        status = RKHS_ERR_ARGUMENT;
    }
    if (status == RKHS_OK) status = rkhs_model_set_place(m->model, NULL);
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_anomaly(m->model, hx.data, by, scores.buf));
    result = call_end(m->state, &c, status);
    held_free(&hx);
    model_unlock(m);
    PyBuffer_Release(&scores);
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

/* explain(x, rows, influence, top, threads, progress) -> advice; rows int64 and influence float64 are n x 2 top */
static PyObject *model_explain(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *objects, *numbers, *result;
    settings s = {0};
    held hx = {0};
    Py_buffer rows, influence;
    call c;
    long long top;
    const int64_t *kept;
    if (!PyArg_ParseTuple(args, "OOOLiO", &x, &objects, &numbers, &top, &s.threads, &s.progress)) return NULL;
    if (PyObject_GetBuffer(objects, &rows, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) return NULL;
    if (PyObject_GetBuffer(numbers, &influence, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
        PyBuffer_Release(&rows);
        return NULL;
    }
    model_lock(m);
    rkhs_status status = call_begin(&c, m->env, &s);
    m->own.running = &c;
    if (status == RKHS_OK) status = take_data(m->env, x, &hx);
    if (status == RKHS_OK && (rows.len < rkhs_data_rows(hx.data) * 2 * top * 8 || influence.len < rows.len)) {
        PyErr_SetString(PyExc_ValueError, "the output is too small");
        status = RKHS_ERR_ARGUMENT;
    }
    if (status == RKHS_OK) WITHOUT_GIL(&c, status = rkhs_model_explain(m->model, hx.data, top, rows.buf, influence.buf));
    rkhs_model_kept(m->model, &kept);
    for (int64_t q = 0; status == RKHS_OK && kept && q < rkhs_data_rows(hx.data) * 2 * top; q++) {
        int64_t *row = (int64_t *)rows.buf + q;
        if (*row >= 0) *row = kept[*row];
    }
    result = call_end(m->state, &c, status);
    held_free(&hx);
    model_unlock(m);
    PyBuffer_Release(&influence);
    PyBuffer_Release(&rows);
    return result;
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
    {"update", model_update, METH_VARARGS, "update(x, seed, threads, memory, progress) -> advice"},
    {"transform", model_transform, METH_VARARGS, "transform(x, out, threads, progress, place) -> advice"},
    {"anomaly", model_anomaly, METH_VARARGS, "anomaly(x, out, threads, progress, by) -> advice"},
    {"inverse", model_inverse, METH_VARARGS, "inverse(z, threads, progress) -> (advice, objects)"},
    {"explain", model_explain, METH_VARARGS, "explain(x, rows, influence, top, threads, progress) -> advice"},
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

PyType_Spec model_spec = {
    .name = "rkhs._rkhs.Model", .basicsize = sizeof(model_object), .flags = Py_TPFLAGS_DEFAULT, .slots = model_slots};

/* A new model object from a file or from bytes. */
PyObject *model_from(PyObject *module, const char *path, const void *bytes, size_t size, PyObject *block) {
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
