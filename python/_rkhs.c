/* _rkhs.c: the extension module rkhs._rkhs, a thin layer over the C library.  SPDX-License-Identifier: BSD-3-Clause
 *
 * The Python code of the package (folder rkhs) decides what an argument means. Here, data are a tuple that begins with
 * its kind:
 *
 *     ("dense", n, p, float64 buffer[, names])           ("float", n, p, float32 buffer[, names])
 *     ("csr", n, p, values, columns, starts)             ("images", n, height, width, channels, float64 buffer)
 *     ("float images", n, height, width, channels, float32 buffer)
 *     ("strings", n, [bytes])                            ("bits", n, bits, uint8 buffer)
 *     ("classes", n, int64 buffer, names or None, classes)
 *     ("graphs", n, vertices, edges, ends, labels or None, edge labels or None)
 *     ("index", n, width, objects, int64 buffer)         ("pairs", positives, negatives or None)
 *
 * A kernel is a text, or (text, block): then the text may use the name "python", and block(a, b, out) fills a matrix
 * of values for rows a and b, which come as (n, p, float64 buffer), or as a list of str or of graphs.
 *
 * Buffers are C-contiguous and held during the call. float64 and float32 buffers are borrowed; integers and images are
 * copied. Results are written to buffers that the caller made. The GIL is released while the library works, and taken
 * about ten times a second to check signals and report progress. Only the stable ABI of Python 3.11 is used, and no
 * NumPy header. */
#include <limits.h>

#include "ext.h"

static PyObject *load(PyObject *module, PyObject *args) {
    PyObject *path, *block = NULL;
    if (!PyArg_ParseTuple(args, "O&|O", PyUnicode_FSConverter, &path, &block)) return NULL;
    PyObject *m = model_from(module, PyBytes_AsString(path), NULL, 0, block);
    Py_DECREF(path);
    return m;
}

static PyObject *unpack(PyObject *module, PyObject *args) {
    Py_buffer b;
    PyObject *block = NULL;
    if (!PyArg_ParseTuple(args, "y*|O", &b, &block)) return NULL;
    /* A copy, unless they are immutable: they are read without the GIL, after their checksum was computed. */
    PyObject *copy = PyBytes_Check(b.obj) ? NULL : PyBytes_FromStringAndSize(b.buf, b.len), *m = NULL;
    if (copy || !PyErr_Occurred()) m = model_from(module, NULL, copy ? PyBytes_AsString(copy) : b.buf, (size_t)b.len, block);
    Py_XDECREF(copy);
    PyBuffer_Release(&b);
    return m;
}

/* gram(kernel, a, b or None, out, seed, threads, memory, progress) -> (advice, text of the frozen kernel) */
static PyObject *gram(PyObject *module, PyObject *args) {
    const char *spec;
    PyObject *a, *b, *out, *given, *advice = NULL, *text = NULL;
    settings s = {.all = 1};
    python_function o = {0};
    held ha = {0}, hb = {0}, hk = {0};
    rkhs_kernel *kernel = NULL;
    call c;
    if (!PyArg_ParseTuple(args, "OOOOKiKO", &given, &a, &b, &out, &s.seed, &s.threads, &s.memory, &s.progress)) return NULL;
    rkhs_status status = call_begin_new_env(&c, &s);
    o.running = &c;
    if (status == RKHS_OK) status = take_kernel(c.env, given, &o, &spec);
    if (status == RKHS_OK) status = rkhs_kernel_new(c.env, spec, &kernel);
    if (status == RKHS_OK) status = take_objects(c.env, a, &ha);
    if (status == RKHS_OK) status = take_data(c.env, b, &hb);
    int64_t columns = rkhs_data_rows(hb.data ? hb.data : ha.data);
    double *k = status == RKHS_OK ? take_room(&hk, out, 'd', rkhs_data_rows(ha.data), columns) : NULL;
    if (status == RKHS_OK && !k) status = RKHS_ERR_ARGUMENT;
    if (status == RKHS_OK)
        WITHOUT_GIL(&c, status = rkhs_kernel_freeze(kernel, ha.data);
                    if (status == RKHS_OK) status = rkhs_kernel_gram(kernel, ha.data, hb.data, k, columns));
    advice = call_end(state_of(module), &c, status);
    if (advice) text = PyUnicode_FromString(rkhs_kernel_text(kernel));
    held_free(&hk);
    held_free(&hb);
    held_free(&ha);
    rkhs_kernel_free(kernel);
    rkhs_env_free(c.env);
    Py_XDECREF(o.block);
    if (text) return Py_BuildValue("NN", advice, text);
    Py_XDECREF(advice);
    return NULL;
}

/* read(path, format or None, labels, memory, progress) -> (advice, objects, shape): objects as from rows_of, sparse_of
 * or labels_of; shape: (height, width, channels) of images, else None. */
static PyObject *read_file(PyObject *module, PyObject *args) {
    const char *format;
    PyObject *path, *advice, *objects = NULL;
    settings s = {.all = 1};
    rkhs_data *x = NULL;
    int labels;
    int64_t height, width, channels;
    call c;
    if (!PyArg_ParseTuple(args, "O&zpKO", PyUnicode_FSConverter, &path, &format, &labels, &s.memory, &s.progress)) return NULL;
    const char *name = PyBytes_AsString(path);
    rkhs_status status = call_begin_new_env(&c, &s);
    if (status == RKHS_OK)
        WITHOUT_GIL(&c,
                    status = labels ? rkhs_data_read_labels(c.env, name, format, &x) : rkhs_data_read(c.env, name, format, &x));
    advice = call_end(state_of(module), &c, status);
    if (advice) objects = labels ? labels_of(x) : sparse_of(x);
    if (advice && !objects && !PyErr_Occurred()) objects = rows_of(x, 0, rkhs_data_rows(x));
    PyObject *shape = objects && rkhs_data_shape(x, &height, &width, &channels)
                          ? Py_BuildValue("LLL", (long long)height, (long long)width, (long long)channels)
                          : Py_BuildValue("");
    rkhs_data_free(x);
    rkhs_env_free(c.env);
    Py_DECREF(path);
    if (advice && objects && shape) return Py_BuildValue("NNN", advice, objects, shape);
    Py_XDECREF(advice);
    Py_XDECREF(objects);
    Py_XDECREF(shape);
    return NULL;
}

static PyObject *number_list(const double *values, Py_ssize_t count) {
    PyObject *all = PyList_New(count);
    for (Py_ssize_t i = 0; all && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);
        if (!value || PyList_SetItem(all, i, value) < 0) Py_CLEAR(all);
    }
    return all;
}

/* The texts of a tuple of str, valid as long as the tuple. Returns -1 with an exception on failure. */
static int spec_texts(PyObject *tuple, Py_ssize_t count, const char **specs) {
    for (Py_ssize_t i = 0; i < count; i++) {
        specs[i] = text_of(PyTuple_GetItem(tuple, i), "a score");
        if (!specs[i]) return -1;
    }
    return 0;
}

/* score((spec, ...), (z, x, labels, new z, new x, new labels), kernel or None, seed, threads, memory, progress) ->
 * (advice, [value], [deviation or nan]). Data that are not given are None. */
static PyObject *score(PyObject *module, PyObject *args) {
    enum { SETS = 6 };
    const char *kernel_text, **specs = NULL;
    PyObject *list, *set[SETS], *advice = NULL, *numbers = NULL, *spread = NULL;
    settings s = {.all = 1};
    held h[SETS] = {{0}};
    double *values = NULL;
    rkhs_kernel *kernel = NULL;
    call c;
    if (!PyArg_ParseTuple(args, "O!(OOOOOO)zKiKO", &PyTuple_Type, &list, &set[0], &set[1], &set[2], &set[3], &set[4], &set[5],
                          &kernel_text, &s.seed, &s.threads, &s.memory, &s.progress))
        return NULL;
    Py_ssize_t count = PyTuple_Size(list);
    if (count > INT_MAX) return PyErr_Format(PyExc_ValueError, "%zd scores are too many", count);
    specs = PyMem_Calloc((size_t)count + 1, sizeof *specs);
    values = PyMem_Calloc(2 * (size_t)count + 1, sizeof *values);
    if (!specs || !values) PyErr_NoMemory();
    if (!specs || !values || spec_texts(list, count, specs) < 0) {
        PyMem_Free(values);
        PyMem_Free(specs);
        return NULL;
    }
    rkhs_status status = call_begin_new_env(&c, &s);
    for (int i = 0; i < SETS && status == RKHS_OK; i++) status = (i ? take_data : take_objects)(c.env, set[i], &h[i]);
    if (status == RKHS_OK && kernel_text) status = rkhs_kernel_new(c.env, kernel_text, &kernel);
    const rkhs_score_input what = {.z = h[0].data,
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

/* Sets dict[key] to a str, or to None for NULL. */
static int put_text(PyObject *dict, const char *key, const char *text) {
    PyObject *value = Py_BuildValue("z", text);
    int status = value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return status;
}

static int put_flag(PyObject *dict, const char *key, int on) {
    return PyDict_SetItemString(dict, key, on ? Py_True : Py_False);
}

/* Makes a spec in an env of its own; the caller frees both. */
static rkhs_status open_spec(const char *list, const char *text, rkhs_env **env, rkhs_spec **spec) {
    *env = NULL;
    *spec = NULL;
    rkhs_status status = rkhs_env_new(env);
    return status == RKHS_OK ? rkhs_spec_new(*env, list, text, spec) : status;
}

/* spec_set(list, text, {path: value}) -> text */
static PyObject *spec_set(PyObject *module, PyObject *args) {
    const char *list, *text, *path, *value;
    PyObject *given, *key, *item, *result = NULL;
    rkhs_env *env;
    rkhs_spec *spec;
    Py_ssize_t at = 0;
    if (!PyArg_ParseTuple(args, "ssO!", &list, &text, &PyDict_Type, &given)) return NULL;
    rkhs_status status = open_spec(list, text, &env, &spec);
    while (status == RKHS_OK && PyDict_Next(given, &at, &key, &item)) {
        path = text_of(key, "a path");
        value = path ? text_of(item, path) : NULL;
        status = value ? rkhs_spec_set(spec, path, value) : RKHS_ERR_ARGUMENT;
    }
    result = status == RKHS_OK ? PyUnicode_FromString(rkhs_spec_text(spec)) : refuse(state_of(module), env, status);
    rkhs_spec_free(spec);
    rkhs_env_free(env);
    return result;
}

/* kernel_uses(text, type) -> bool */
static PyObject *kernel_uses(PyObject *module, PyObject *args) {
    const char *text, *type;
    rkhs_env *env = NULL;
    rkhs_kernel *kernel = NULL;
    if (!PyArg_ParseTuple(args, "ss", &text, &type)) return NULL;
    rkhs_status status = rkhs_env_new(&env);
    if (status == RKHS_OK) status = rkhs_kernel_new(env, text, &kernel);
    PyObject *result =
        status == RKHS_OK ? PyBool_FromLong(rkhs_kernel_uses(kernel, type)) : refuse(state_of(module), env, status);
    rkhs_kernel_free(kernel);
    rkhs_env_free(env);
    return result;
}

/* spec_get(list, text, (path, ...)) -> (name of the type, {path: value or None}) */
static PyObject *spec_get(PyObject *module, PyObject *args) {
    const char *list, *text, *value;
    PyObject *paths, *values = PyDict_New(), *result = NULL;
    rkhs_env *env = NULL;
    rkhs_spec *spec = NULL;
    if (!values || !PyArg_ParseTuple(args, "ssO!", &list, &text, &PyTuple_Type, &paths)) goto done;
    rkhs_status status = open_spec(list, text, &env, &spec);
    for (Py_ssize_t i = 0; status == RKHS_OK && i < PyTuple_Size(paths); i++) {
        const char *path = text_of(PyTuple_GetItem(paths, i), "a path");
        status = path ? rkhs_spec_get(spec, path, &value) : RKHS_ERR_ARGUMENT;
        if (status == RKHS_OK && put_text(values, path, value) < 0) status = RKHS_ERR_MEMORY;
    }
    result = status == RKHS_OK ? Py_BuildValue("sO", rkhs_spec_name(spec), values) : refuse(state_of(module), env, status);
done:
    rkhs_spec_free(spec);
    rkhs_env_free(env);
    Py_XDECREF(values);
    return result;
}

static PyObject *params_of(const char *list, const char *type) {
    PyObject *all = PyList_New(0);
    rkhs_param p;
    for (int i = 0; all && rkhs_list_param(list, type, i, &p); i++) {
        PyObject *d = PyDict_New();
        if (!d || put_text(d, "name", p.name) < 0 || put_text(d, "kind", p.kind) < 0 || put_text(d, "value", p.value) < 0 ||
            put_text(d, "bounds", p.bounds) < 0 || put_text(d, "brief", p.brief) < 0 || put_text(d, "aliases", p.aliases) < 0 ||
            PyList_Append(all, d) < 0)
            Py_CLEAR(all);
        Py_XDECREF(d);
    }
    return all;
}

static PyObject *type_of(const char *list, const rkhs_type *t) {
    PyObject *d = PyDict_New(), *params = d ? params_of(list, t->name) : NULL;
    if (!params || put_text(d, "name", t->name) < 0 || put_text(d, "brief", t->brief) < 0 ||
        put_text(d, "formula", t->formula) < 0 || put_text(d, "where", t->where) < 0 || put_text(d, "data", t->data) < 0 ||
        put_text(d, "cost", t->cost) < 0 || put_text(d, "title", t->title) < 0 ||
        put_text(d, "supervision", t->supervision) < 0 || put_flag(d, "takes_target", t->takes_target) < 0 ||
        put_flag(d, "takes_labels", t->takes_labels) < 0 || put_flag(d, "predicts", t->predicts) < 0 ||
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
    {"load", load, METH_VARARGS, "load(path[, block]) -> Model"},
    {"unpack", unpack, METH_VARARGS, "unpack(bytes[, block]) -> Model"},
    {"read", read_file, METH_VARARGS, "read(path, format, labels, memory, progress) -> (advice, objects, shape)"},
    {"gram", gram, METH_VARARGS, "gram(kernel, a, b, out, seed, threads, memory, progress) -> (advice, kernel)"},
    {"score", score, METH_VARARGS,
     "score(specs, sets, kernel, seed, threads, memory, progress) -> (advice, values, deviations)"},
    {"tables", tables, METH_NOARGS, "tables() -> {list: [type]}"},
    {"kernel_uses", kernel_uses, METH_VARARGS, "kernel_uses(text, type) -> whether a kernel is made with that type"},
    {"spec_set", spec_set, METH_VARARGS, "spec_set(list, text, {path: value}) -> text"},
    {"spec_get", spec_get, METH_VARARGS, "spec_get(list, text, (path, ...)) -> (name of the type, {path: value or None})"},
    {"patience", set_patience, METH_VARARGS,
     "patience(seconds) -> before: how long a thread waits for a model beside one callback of another thread"},
    {"end_calls", end_calls, METH_NOARGS, "end_calls(): stops the calls of other threads; done when the interpreter ends"},
    {NULL, NULL, 0, NULL},
};

static int call_at_exit(PyObject *module) {
    PyObject *atexit = PyImport_ImportModule("atexit"), *end = PyObject_GetAttrString(module, "end_calls");
    PyObject *done = atexit && end ? PyObject_CallMethod(atexit, "register", "O", end) : NULL;
    Py_XDECREF(done);
    Py_XDECREF(end);
    Py_XDECREF(atexit);
    return done ? 0 : -1;
}

static int module_exec(PyObject *module) {
    module_state *state = state_of(module);
    if (add_errors(module) < 0 || PyModule_AddStringConstant(module, "__version__", rkhs_version()) < 0) return -1;
    if (call_at_exit(module) < 0) return -1;
    state->model = (PyTypeObject *)PyType_FromModuleAndSpec(module, &model_spec, NULL);
    return state->model ? PyModule_AddObjectRef(module, "Model", (PyObject *)state->model) : -1;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    module_state *state = state_of(module);
    if (!state) return 0;
    for (int i = 0; i < CODES; i++) Py_VISIT(state->error[i]);
    Py_VISIT(state->busy);
    Py_VISIT(state->model);
    return 0;
}

static int module_clear(PyObject *module) {
    module_state *state = state_of(module);
    if (!state) return 0;
    for (int i = 0; i < CODES; i++) Py_CLEAR(state->error[i]);
    Py_CLEAR(state->busy);
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
