/* model.c: the class Model, which owns one env and one model of the library. */
#include <stdio.h>

#include "ext.h"

typedef struct model_object {
    PyObject_HEAD module_state *state;
    model_lock lock; /* an env admits one thread at a time */
    rkhs_env *env;
    rkhs_model *model;
    call call; /* the call that holds the lock */
    python_function function;
} model_object;

/* Begins a call: takes the lock until model_end. Returns -1 with an exception if the model is in use. */
static int model_begin(model_object *m, const settings *s, rkhs_status *status) {
    if (model_lock_take(m->state, &m->lock) < 0) return -1;
    *status = call_begin(&m->call, m->env, s);
    m->call.lock = &m->lock;
    return 0;
}

/* Ends a call: returns the advice, or NULL with an exception. */
static PyObject *model_end(model_object *m, rkhs_status status) {
    PyObject *advice = call_end(m->state, &m->call, status);
    model_lock_release(&m->lock);
    return advice;
}

/* Makes an object with an env, without a model. */
static model_object *model_alloc(module_state *state) {
    allocfunc alloc = (allocfunc)PyType_GetSlot(state->model, Py_tp_alloc);
    model_object *m = (model_object *)alloc(state->model, 0);
    if (!m) return NULL;
    m->state = state;
    m->function.running = &m->call;
    if (model_lock_new(&m->lock) < 0 || rkhs_env_new(&m->env) != RKHS_OK) {
        Py_DECREF(m);
        return (model_object *)PyErr_NoMemory();
    }
    rkhs_env_set_threads(m->env, 1);
    return m;
}

static int model_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((model_object *)self)->function.block);
    return 0;
}

static int model_clear(PyObject *self) {
    Py_CLEAR(((model_object *)self)->function.block);
    return 0;
}

static void model_dealloc(PyObject *self) {
    model_object *m = (model_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (model_lock_free(&m->lock)) {
        rkhs_model_free(m->model);
        rkhs_env_free(m->env);
    }
    Py_XDECREF(m->function.block);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Model(spec) */
static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    const char *spec;
    if (!PyArg_ParseTuple(args, "s", &spec)) return NULL;
    if (kwargs && PyDict_Size(kwargs) > 0) return PyErr_Format(PyExc_TypeError, "Model takes a text alone");
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
    PyObject *x, *y, *start, *given;
    settings s = {.all = 1};
    held hx = {0}, hy = {0}, hs = {0};
    rkhs_kernel *kernel = NULL;
    rkhs_status status;
    if (!PyArg_ParseTuple(args, "OOOOKiKO", &given, &x, &y, &start, &s.seed, &s.threads, &s.memory, &s.progress)) return NULL;
    if (model_begin(m, &s, &status) < 0) return NULL;
    PyObject *before = m->function.block, *unused = NULL;
    Py_XINCREF(before);
    if (status == RKHS_OK) status = take_kernel(m->env, given, &m->function, &spec);
    if (status == RKHS_OK && spec) status = rkhs_kernel_new(m->env, spec, &kernel);
    if (status == RKHS_OK) status = take_objects(m->env, x, &hx);
    if (status == RKHS_OK) status = take_data(m->env, y, &hy);
    if (status == RKHS_OK) status = take_data(m->env, start, &hs);
    if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_fit(m->model, kernel, hx.data, hy.data, hs.data));
    held_free(&hs);
    held_free(&hy);
    held_free(&hx);
    rkhs_kernel_free(kernel);
    if (status == RKHS_OK) {
        unused = before;
    } else { /* the model is unchanged: restore its function */
        unused = m->function.block;
        m->function.block = before;
    }
    PyObject *result = model_end(m, status);
    Py_XDECREF(unused);
    return result;
}

/* update(x, y, seed, threads, memory, progress) -> advice */
static PyObject *model_update(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *y;
    settings s = {.all = 1};
    held hx = {0}, hy = {0};
    rkhs_status status;
    if (!PyArg_ParseTuple(args, "OOKiKO", &x, &y, &s.seed, &s.threads, &s.memory, &s.progress)) return NULL;
    if (model_begin(m, &s, &status) < 0) return NULL;
    if (status == RKHS_OK) status = take_objects(m->env, x, &hx);
    if (status == RKHS_OK) status = take_data(m->env, y, &hy);
    if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_update(m->model, hx.data, hy.data));
    held_free(&hy);
    held_free(&hx);
    return model_end(m, status);
}

/* transform(x, out, threads, progress, place) -> advice; out: n x dim float64; place: a way, or None */
static PyObject *model_transform(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *out;
    settings s = {0};
    held hx = {0}, hz = {0};
    rkhs_status status;
    int64_t dim;
    double *z = NULL;
    const char *place;
    if (!PyArg_ParseTuple(args, "OOiOz", &x, &out, &s.threads, &s.progress, &place)) return NULL;
    if (model_begin(m, &s, &status) < 0) return NULL;
    rkhs_model_embedding(m->model, NULL, &dim);
    if (status == RKHS_OK) status = take_objects(m->env, x, &hx);
    if (status == RKHS_OK && !(z = take_room(&hz, out, 'd', rkhs_data_rows(hx.data), dim))) status = RKHS_ERR_ARGUMENT;
    if (status == RKHS_OK) status = rkhs_model_set_place(m->model, place);
    if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_transform(m->model, hx.data, z, dim));
    held_free(&hz);
    held_free(&hx);
    return model_end(m, status);
}

/* anomaly(x, out, threads, progress, by) -> advice; out: n float64; by: a score, or None */
static PyObject *model_anomaly(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *out;
    settings s = {0};
    held hx = {0}, hs = {0};
    rkhs_status status;
    double *scores = NULL;
    const char *by;
    if (!PyArg_ParseTuple(args, "OOiOz", &x, &out, &s.threads, &s.progress, &by)) return NULL;
    if (model_begin(m, &s, &status) < 0) return NULL;
    if (status == RKHS_OK) status = take_objects(m->env, x, &hx);
    if (status == RKHS_OK && !(scores = take_room(&hs, out, 'd', rkhs_data_rows(hx.data), 1))) status = RKHS_ERR_ARGUMENT;
    if (status == RKHS_OK) status = rkhs_model_set_place(m->model, NULL);
    if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_anomaly(m->model, hx.data, by, scores));
    held_free(&hs);
    held_free(&hx);
    return model_end(m, status);
}

/* inverse(z, threads, progress) -> (advice, (n, p, bytearray) or a list, (height, width, channels) of images or
 * None) */
static PyObject *model_inverse(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *z, *numbers = NULL, *shape = NULL;
    settings s = {0};
    held hz = {0};
    rkhs_data *x = NULL;
    rkhs_status status;
    int64_t ld = 0, dim, h, w, c;
    if (!PyArg_ParseTuple(args, "OiO", &z, &s.threads, &s.progress)) return NULL;
    if (model_begin(m, &s, &status) < 0) return NULL;
    rkhs_model_embedding(m->model, NULL, &dim);
    if (status == RKHS_OK) status = take_objects(m->env, z, &hz);
    const double *values = rkhs_data_values(hz.data, &ld);
    if (status == RKHS_OK && (!values || rkhs_data_columns(hz.data) != dim)) {
        PyErr_Format(PyExc_ValueError, "embedded points must be rows of %lld numbers", (long long)dim);
        status = RKHS_ERR_ARGUMENT;
    }
    if (status == RKHS_OK)
        WITHOUT_GIL(&m->call, status = rkhs_model_inverse(m->model, values, rkhs_data_rows(hz.data), ld, &x));
    if (status == RKHS_OK && !(numbers = rows_of(x, 0, rkhs_data_rows(x)))) status = RKHS_ERR_MEMORY;
    if (status == RKHS_OK) {
        int image = rkhs_data_shape(x, &h, &w, &c);
        shape = image ? Py_BuildValue("(LLL)", (long long)h, (long long)w, (long long)c) : Py_BuildValue("");
        if (!shape) status = RKHS_ERR_MEMORY;
    }
    rkhs_data_free(x);
    held_free(&hz);
    PyObject *advice = model_end(m, status);
    if (advice && numbers && shape) return Py_BuildValue("NNN", advice, numbers, shape);
    Py_XDECREF(advice);
    Py_XDECREF(numbers);
    Py_XDECREF(shape);
    return NULL;
}

/* Replaces indices of kept objects by rows of the training data. Checks them: another thread may have written to the
 * array. */
static void name_rows(const model_object *m, int64_t *rows, int64_t count) {
    const int64_t *kept;
    int64_t n = rkhs_data_rows(rkhs_model_reference_objects(m->model, &kept));
    for (int64_t q = 0; kept && q < count; q++) rows[q] = rows[q] >= 0 && rows[q] < n ? kept[rows[q]] : -1;
}

/* explain(x, rows, influence, top, threads, progress) -> advice; rows (int64) and influence (float64) are n x 2 top */
static PyObject *model_explain(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *x, *objects, *numbers;
    settings s = {0};
    held hx = {0}, ho = {0};
    rkhs_status status;
    long long top;
    int64_t *rows = NULL;
    double *influence = NULL;
    if (!PyArg_ParseTuple(args, "OOOLiO", &x, &objects, &numbers, &top, &s.threads, &s.progress)) return NULL;
    if (model_begin(m, &s, &status) < 0) return NULL;
    if (status == RKHS_OK) status = take_objects(m->env, x, &hx);
    int64_t n = rkhs_data_rows(hx.data), width = top < 0 || top > INT64_MAX / 2 ? -1 : 2 * (int64_t)top;
    if (status == RKHS_OK)
        if (!(rows = take_room(&ho, objects, 'q', n, width)) || !(influence = take_room(&ho, numbers, 'd', n, width)))
            status = RKHS_ERR_ARGUMENT;
    if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_explain(m->model, hx.data, top, rows, influence));
    if (status == RKHS_OK) name_rows(m, rows, n * width);
    held_free(&ho);
    held_free(&hx);
    return model_end(m, status);
}

/* embedding([out]) -> (n, dim); fills out, n x dim float64 */
static PyObject *model_embedding(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *out = NULL;
    held h = {0};
    int64_t n, dim;
    double *z = NULL;
    if (!PyArg_ParseTuple(args, "|O", &out)) return NULL;
    if (model_lock_take(m->state, &m->lock) < 0) return NULL;
    const double *Z = rkhs_model_embedding(m->model, &n, &dim);
    if (out) z = take_room(&h, out, 'd', n, dim);
    if (z && Z) memcpy(z, Z, (size_t)(n * dim) * sizeof *z);
    held_free(&h);
    model_lock_release(&m->lock);
    return out && !z ? NULL : Py_BuildValue("LL", (long long)n, (long long)dim);
}

/* report() -> [(name, text or None, rows, columns, bytes)] */
static PyObject *model_report(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    rkhs_item item;
    if (model_lock_take(m->state, &m->lock) < 0) return NULL;
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && rkhs_model_report(m->model, i, &item); i++) {
        Py_ssize_t size = item.values ? (Py_ssize_t)(item.rows * item.columns * 8) : 0;
        PyObject *tuple = Py_BuildValue("szLLy#", item.name, item.text, (long long)item.rows, (long long)item.columns,
                                        item.values ? (const char *)item.values : "", size);
        if (!tuple || PyList_Append(list, tuple) < 0) Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    model_lock_release(&m->lock);
    return list;
}

/* text() -> (model, kernel or None) */
static PyObject *model_text(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    if (model_lock_take(m->state, &m->lock) < 0) return NULL;
    const rkhs_kernel *kernel = rkhs_model_kernel(m->model);
    PyObject *texts =
        Py_BuildValue("szi", rkhs_model_text(m->model), kernel ? rkhs_kernel_text(kernel) : NULL, calls_function(kernel));
    model_lock_release(&m->lock);
    return texts;
}

/* columns() -> [name] of the training data, or None */
static PyObject *model_columns(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    PyObject *list = NULL;
    if (model_lock_take(m->state, &m->lock) < 0) return NULL;
    const rkhs_data *kept = rkhs_model_reference_objects(m->model, NULL);
    if (rkhs_data_column_name(kept, 0)) list = PyList_New(0);
    for (int64_t c = 0; list && c < rkhs_data_columns(kept); c++) {
        const char *name = rkhs_data_column_name(kept, c);
        PyObject *text = name ? PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace") : NULL;
        if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    model_lock_release(&m->lock);
    if (list || PyErr_Occurred()) return list;
    Py_RETURN_NONE;
}

/* Returns the bytes of the model file; *block: the function that its kernel calls, or NULL. Both are of the same
 * moment. */
static PyObject *pack_both(model_object *m, PyObject **block) {
    PyObject *bytes = NULL;
    settings s = {.threads = 1};
    rkhs_status status;
    size_t size = 0;
    if (model_begin(m, &s, &status) < 0) return NULL;
    if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_pack(m->model, NULL, 0, &size));
    if (status == RKHS_OK) bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes) WITHOUT_GIL(&m->call, status = rkhs_model_pack(m->model, PyBytes_AsString(bytes), size, &size));
    *block = m->function.block;
    Py_XINCREF(*block);
    PyObject *advice = model_end(m, status);
    if (!advice || !bytes) {
        Py_CLEAR(bytes);
        Py_CLEAR(*block);
    }
    Py_XDECREF(advice);
    return bytes;
}

/* pack() -> the bytes of the model file */
static PyObject *model_pack(PyObject *self, PyObject *unused) {
    PyObject *block = NULL, *bytes = pack_both((model_object *)self, &block);
    Py_XDECREF(block);
    return bytes;
}

static PyObject *model_save(PyObject *self, PyObject *args) {
    model_object *m = (model_object *)self;
    PyObject *path, *result = NULL;
    settings s = {.threads = 1};
    rkhs_status status;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    if (model_begin(m, &s, &status) == 0) {
        const char *name = PyBytes_AsString(path);
        if (status == RKHS_OK) WITHOUT_GIL(&m->call, status = rkhs_model_save(m->model, name));
        result = model_end(m, status);
    }
    Py_DECREF(path);
    return result;
}

/* Pickles a model as the bytes of its file, and the function that its kernel calls. */
static PyObject *model_reduce(PyObject *self, PyObject *unused) {
    model_object *m = (model_object *)self;
    PyObject *block = NULL, *module = PyType_GetModule(m->state->model);
    PyObject *unpack = module ? PyObject_GetAttrString(module, "unpack") : NULL;
    PyObject *bytes = unpack ? pack_both(m, &block) : NULL;
    if (bytes && block) return Py_BuildValue("N(NN)", unpack, bytes, block);
    if (bytes) return Py_BuildValue("N(N)", unpack, bytes);
    Py_XDECREF(unpack);
    return NULL;
}

static PyMethodDef model_methods[] = {
    {"fit", model_fit, METH_VARARGS, "fit(kernel, x, y, start, seed, threads, memory, progress) -> advice"},
    {"update", model_update, METH_VARARGS, "update(x, y, seed, threads, memory, progress) -> advice"},
    {"transform", model_transform, METH_VARARGS, "transform(x, out, threads, progress, place) -> advice"},
    {"anomaly", model_anomaly, METH_VARARGS, "anomaly(x, out, threads, progress, by) -> advice"},
    {"inverse", model_inverse, METH_VARARGS, "inverse(z, threads, progress) -> (advice, objects, shape)"},
    {"explain", model_explain, METH_VARARGS, "explain(x, rows, influence, top, threads, progress) -> advice"},
    {"embedding", model_embedding, METH_VARARGS, "embedding([out]) -> (n, dim), and fills out"},
    {"report", model_report, METH_NOARGS, "report() -> [(name, text, rows, columns, numbers)]"},
    {"text", model_text, METH_NOARGS, "text() -> (model, kernel, whether the kernel calls a Python function)"},
    {"columns", model_columns, METH_NOARGS, "columns() -> [name] or None"},
    {"pack", model_pack, METH_NOARGS, "pack() -> the bytes of the model file"},
    {"save", model_save, METH_VARARGS, "save(path)"},
    {"__reduce__", model_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_new, model_new},
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_traverse, model_traverse},
    {Py_tp_clear, model_clear},
    {Py_tp_methods, model_methods},
    {Py_tp_doc, "A model of the library. One call at a time: another thread waits, a callback that uses its own model raises "
                "BusyError."},
    {0, NULL},
};

PyType_Spec model_spec = {.name = "rkhs._rkhs.Model",
                          .basicsize = sizeof(model_object),
                          .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                          .slots = model_slots};

PyObject *model_from(PyObject *module, const char *path, const void *bytes, size_t size, PyObject *block) {
    module_state *state = state_of(module);
    model_object *m = model_alloc(state);
    settings s = {.threads = 1};
    if (!m) return NULL;
    rkhs_status status = call_begin(&m->call, m->env, &s);
    if (block == Py_None) block = NULL;
    if (status == RKHS_OK)
        status = block ? set_python_function(m->env, block, &m->function) : add_python_kernel(m->env, &m->function);
    if (status == RKHS_OK)
        WITHOUT_GIL(&m->call, status = path ? rkhs_model_load(m->env, path, &m->model)
                                            : rkhs_model_unpack(m->env, bytes, size, &m->model));
    if (status == RKHS_OK && !block && calls_function(rkhs_model_kernel(m->model))) {
        char sentence[1024];
        snprintf(sentence, sizeof sentence,
                 "%s: its kernel is a Python function, which the file does not hold: load it with the function, as in "
                 "rkhs.load(path, kernel=f)",
                 path ? path : "the bytes given");
        status = rkhs_env_fail(m->env, RKHS_ERR_FORMAT, sentence);
    }
    PyObject *advice = call_end(state, &m->call, status);
    if (!advice) Py_CLEAR(m);
    Py_XDECREF(advice);
    return (PyObject *)m;
}
