/* own.c: kernels that are Python functions. */
#include "ext.h"

/* The name that every Python function has among kernels: a model has at most one. */
#define OWN_NAME "python"

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
rkhs_status add_function(rkhs_env *env, PyObject *block, own *o) {
    PyObject *before = o->block;
    Py_INCREF(block);
    o->block = block;
    if (before) { /* the env has the name already, and calls what `o` holds */
        Py_DECREF(before);
        return RKHS_OK;
    }
    return rkhs_env_add_kernel(
        env, OWN_NAME,
        &(rkhs_own_kernel){.block = block_python, .payload = o, .serial = 1, .kinds = "dense, sparse, bits, string, graph"});
}

/* The text of a kernel, NULL for None; a function comes as (text, function). */
rkhs_status take_kernel(rkhs_env *env, PyObject *kernel, own *o, const char **text) {
    PyObject *block;
    *text = NULL;
    if (kernel == Py_None) return RKHS_OK;
    if (PyTuple_Check(kernel))
        return PyArg_ParseTuple(kernel, "sO", text, &block) ? add_function(env, block, o) : RKHS_ERR_ARGUMENT;
    *text = PyUnicode_AsUTF8AndSize(kernel, NULL);
    return *text ? RKHS_OK : RKHS_ERR_ARGUMENT;
}
