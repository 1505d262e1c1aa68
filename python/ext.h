/* ext.h: what the parts of the extension share: module, call, data, kernel. */
#ifndef RKHS_PYTHON_EXT_H
#define RKHS_PYTHON_EXT_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "rkhs.h"

/* ---- the module: one class of errors for each status ---- */

enum { CODES = 10 };

typedef struct module_state {
    PyObject *error[CODES]; /* by status; [0] is their base */
    PyObject *busy;         /* a model that is in use */
    PyTypeObject *model;
} module_state;

static inline module_state *state_of(PyObject *module) { return PyModule_GetState(module); }

/* Makes the classes of errors and puts them in the module. */
int add_errors(PyObject *module);
/* Raises the exception of a status with the library's sentence; NULL, for return. */
PyObject *raise_status(module_state *state, rkhs_status status, const char *sentence);
/* Fails a call before it began: a Python exception that is set, or the library's. */
PyObject *refuse(module_state *state, rkhs_env *env, rkhs_status status);

/* ---- a model's gate: one call at a time ---- */

typedef struct gate {
    PyThread_type_lock lock;
    unsigned long owner;    /* the thread inside, or 0 */
    unsigned long callback; /* the callback that the thread inside runs: a number of its own, or 0 */
    long pid;
} gate;

int gate_open(gate *g);
/* Frees the lock; 0 when a thread of a parent process has it: what it guards must be left alone. */
int gate_close(gate *g);
/* Takes the model for the calling thread; -1 and an exception when that cannot be. */
int gate_enter(module_state *state, gate *g);
void gate_leave(gate *g);
PyObject *set_patience(PyObject *module, PyObject *args);

/* ---- a call: the env, advice, progress, signals ---- */

typedef struct call {
    rkhs_env *env;
    gate *gate;                     /* of the model that the call is about, or NULL */
    PyThreadState *thread;          /* while the GIL is released */
    PyObject *progress;             /* a callable, or NULL */
    PyObject *advice;               /* a list of str */
    PyObject *type, *value, *trace; /* what a callback raised */
} call;

/* Settings of one call. */
typedef struct settings {
    unsigned long long seed, memory;
    int all; /* seed and memory too, else these stay */
    int threads;
    PyObject *progress;
} settings;

rkhs_status call_begin(call *c, rkhs_env *env, const settings *s);
/* A call that needs an env for itself alone. */
rkhs_status own_env(call *c, const settings *s);
/* The advice, or an exception: one that is set already, the callback's own, or the library's. */
PyObject *call_end(module_state *state, call *c, rkhs_status status);

/* The GIL around the library's work, and back for a callback inside; -1 when the interpreter ends: then stop without it. What a
 * callback raised is kept for the end of the call. */
void gil_release(call *c);
void gil_take(call *c);
int callback_enter(call *c);
void callback_leave(call *c);
/* Whether another thread ends the interpreter. */
int is_closing(void);
PyObject *end_calls(PyObject *module, PyObject *unused);

#define WITHOUT_GIL(c, statement)                                                                                              \
    do {                                                                                                                       \
        gil_release(c);                                                                                                        \
        statement;                                                                                                             \
        gil_take(c);                                                                                                           \
    } while (0)

/* ---- data, from tuples ---- */

enum { BUFFERS = 5 };

/* A data set and what it stands on: buffers that are held, so that nobody can resize them, and copies of whole numbers, so
 * that nobody can change them once they are checked. */
typedef struct held {
    rkhs_data *data;
    Py_buffer buffer[BUFFERS];
    void *copy[BUFFERS];
    int count, copies;
} held;

void held_free(held *h);
/* The data set that a tuple describes; None gives none. A Python exception may be set when this fails. */
rkhs_status take_data(rkhs_env *env, PyObject *tuple, held *h);
/* The same where there must be one. */
rkhs_status take_objects(rkhs_env *env, PyObject *tuple, held *h);
/* Room for a matrix of results, float64 ('d') or int64 ('q'), in a buffer that is held; NULL and an exception if it has none.
 */
void *take_room(held *h, PyObject *out, char kind, int64_t rows, int64_t columns);
/* The text of a str, which lives as long as that; NULL and an exception for what is none or has a zero inside. */
const char *text_of(PyObject *str, const char *what);
/* Rows of a data set as Python gets them: (n, p, float64 bytes) or [str]. */
PyObject *rows_of(const rkhs_data *x, int64_t i0, int64_t n);
PyObject *sparse_of(const rkhs_data *x);
PyObject *labels_of(const rkhs_data *labels);

/* ---- kernels in Python ---- */

/* A function that an env's kernel calls; it must outlive the env. */
typedef struct own {
    PyObject *block;
    call *running; /* the call that it is called in */
    int named;     /* the env knows the name */
} own;

/* The name of functions, among the kernels of the env: it calls what `o` holds. */
rkhs_status add_name(rkhs_env *env, own *o);
/* The function as a kernel of the env; `o` takes it, in the place of one before. */
rkhs_status add_function(rkhs_env *env, PyObject *block, own *o);
/* Whether a kernel calls a function. */
int calls_function(const rkhs_kernel *kernel);
/* The text of a kernel, NULL for None; a function comes as (text, function). */
rkhs_status take_kernel(rkhs_env *env, PyObject *kernel, own *o, const char **text);

/* ---- the model ---- */

extern PyType_Spec model_spec;
/* A new model object from a file or from bytes; block: the function that its kernel calls, or NULL. */
PyObject *model_from(PyObject *module, const char *path, const void *bytes, size_t size, PyObject *block);

#endif
