/* function_kernel.c: kernels that are Python functions. */
#include "ext.h"

#include <math.h>

/* The kernel's name in specs. A model has at most one such function. */
#define OWN_NAME "python"

/* Calls block(rows, columns, values) and copies the values. They start as NaN, which the library refuses and locates,
 * so that a value that the function does not set is found. The buffer is held, so that the function cannot resize
 * it. */
static int call_python(PyObject *block, PyObject *rows, PyObject *columns, PyObject *values, int64_t ni, int64_t nj,
                       double *out, int64_t ld) {
    Py_buffer b;
    if (PyObject_GetBuffer(values, &b, PyBUF_WRITABLE) < 0) return -1;
    double *v = b.buf;
    for (int64_t q = 0; q < ni * nj; q++) v[q] = NAN;
    PyObject *result = PyObject_CallFunctionObjArgs(block, rows, columns, values, NULL);
    for (int64_t i = 0; result && i < ni; i++) memcpy(out + i * ld, v + i * nj, (size_t)nj * sizeof *v);
    Py_XDECREF(result);
    PyBuffer_Release(&b);
    return result ? 0 : -1;
}

/* Computes one tile, on the caller's thread. An exception is stored until the end of the call. */
static rkhs_status block_python(const rkhs_data *a, int64_t i0, int64_t ni, const rkhs_data *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, void *payload) {
    python_function *o = payload;
    call *c = o->running;
    if (!c || !o->block || callback_enter(c) < 0) return RKHS_ERR_CANCELLED;
    PyObject *block = o->block;
    Py_INCREF(block);
    PyObject *values = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(ni * nj * 8));
    PyObject *rows = values ? rows_of(a, i0, ni) : NULL, *columns = rows ? rows_of(b, j0, nj) : NULL;
    rkhs_status status =
        columns && call_python(block, rows, columns, values, ni, nj, out, ld) == 0 ? RKHS_OK : RKHS_ERR_CANCELLED;
    Py_XDECREF(columns);
    Py_XDECREF(rows);
    Py_XDECREF(values);
    Py_DECREF(block);
    callback_leave(c);
    return status;
}

rkhs_status add_python_kernel(rkhs_env *env, python_function *o) {
    if (o->named) return RKHS_OK;
    o->named = 1;
    return rkhs_env_add_kernel(
        env, OWN_NAME,
        &(rkhs_user_kernel){
            .block = block_python, .payload = o, .serial = 1, .floats = 1, .kinds = "dense, sparse, bits, string, graph"});
}

rkhs_status set_python_function(rkhs_env *env, PyObject *block, python_function *o) {
    PyObject *before = o->block;
    if (!PyCallable_Check(block)) {
        PyErr_Format(PyExc_TypeError, "a kernel function must be callable, and %R is not", block);
        return RKHS_ERR_ARGUMENT;
    }
    Py_INCREF(block);
    o->block = block;
    Py_XDECREF(before);
    return add_python_kernel(env, o);
}

int calls_function(const rkhs_kernel *kernel) { return rkhs_kernel_uses(kernel, OWN_NAME); }

rkhs_status take_kernel(rkhs_env *env, PyObject *kernel, python_function *o, const char **text) {
    PyObject *block;
    *text = NULL;
    if (kernel == Py_None) return RKHS_OK;
    if (PyTuple_Check(kernel))
        return PyArg_ParseTuple(kernel, "sO", text, &block) ? set_python_function(env, block, o) : RKHS_ERR_ARGUMENT;
    *text = text_of(kernel, "a kernel");
    return *text ? RKHS_OK : RKHS_ERR_ARGUMENT;
}
