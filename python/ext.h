/* ext.h: the structs and functions that the files of the Python extension share. */
#ifndef RKHS_PYTHON_EXT_H
#define RKHS_PYTHON_EXT_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "rkhs.h"

/* ---- call.c: errors as exceptions ------------------------------------------------------------------------------ */

enum { CODES = 10 };

typedef struct module_state {
    PyObject *error[CODES]; /* by status; [0] is the base class */
    PyObject *busy;         /* BusyError: the model is in use */
    PyTypeObject *model;
} module_state;

static inline module_state *state_of(PyObject *module) { return PyModule_GetState(module); }

/* Makes the exception classes and adds them to the module. Returns -1 with an exception set on failure. */
int add_errors(PyObject *module);
/* Raises the exception of a status with the library's message, and returns NULL. */
PyObject *raise_status(module_state *state, rkhs_status status, const char *sentence);
/* For failures before a call began: keeps a Python exception that is set, else raises that of the status. Returns
 * NULL. */
PyObject *refuse(module_state *state, rkhs_env *env, rkhs_status status);

/* ---- model_lock.c: a lock that admits one call at a time to a model -------------------------------------------- */

typedef struct model_lock {
    PyThread_type_lock lock;
    unsigned long owner;    /* the thread that is in, or 0 */
    unsigned long callback; /* a unique number of the callback that it runs, or 0 */
    long pid;
} model_lock;

/* Makes the lock. Returns -1 without memory. */
int model_lock_new(model_lock *g);
/* Frees the lock. Returns 0 if a thread of the parent process holds it: then what it guards must not be touched. */
int model_lock_free(model_lock *g);
/* Takes the lock for the calling thread. Returns -1 with an exception if that cannot succeed. */
int model_lock_take(module_state *state, model_lock *g);
void model_lock_release(model_lock *g);
/* patience(seconds), see model_lock.c. */
PyObject *set_patience(PyObject *module, PyObject *args);

/* ---- call.c: one call of the library, with its env, advice, progress and signals ------------------------------- */

typedef struct call {
    rkhs_env *env;
    model_lock *lock;               /* of the model that is called, or NULL */
    PyThreadState *thread;          /* set while the GIL is released */
    PyObject *progress;             /* a callable, or NULL */
    PyObject *advice;               /* a list of (sentence, subject, hint): the library's advice */
    PyObject *type, *value, *trace; /* the exception that a callback raised */
} call;

/* The settings of one call. */
typedef struct settings {
    unsigned long long seed, memory;
    int all; /* also set seed and memory; else they stay */
    int threads;
    PyObject *progress;
} settings;

/* Begins a call on an env: sets threads, log and progress. */
rkhs_status call_begin(call *c, rkhs_env *env, const settings *s);
/* Begins a call on a new env, c->env, which the caller frees. */
rkhs_status call_begin_new_env(call *c, const settings *s);
/* Ends a call. Returns the list of advice (a new reference), or NULL with an exception: one that is set already, that
 * of a callback, or that of the status. */
PyObject *call_end(module_state *state, call *c, rkhs_status status);

/* Release and take the GIL around the library's work. callback_enter takes it for a callback; it returns -1 if the
 * interpreter is ending: then the callback must stop without Python. callback_leave stores what the callback raised
 * for call_end. */
void gil_release(call *c);
void gil_take(call *c);
int callback_enter(call *c);
void callback_leave(call *c);
/* Whether another thread is ending the interpreter. */
int is_closing(void);
/* end_calls(), see model_lock.c. */
PyObject *end_calls(PyObject *module, PyObject *unused);

#define WITHOUT_GIL(c, statement)                                                                                              \
    do {                                                                                                                       \
        gil_release(c);                                                                                                        \
        statement;                                                                                                             \
        gil_take(c);                                                                                                           \
    } while (0)

/* ---- data.c: data sets from tuples, and back ------------------------------------------------------------------- */

enum { BUFFERS = 5 };

/* A data set and the memory that it uses: buffers that are held, so that nobody can resize them, and copies of
 * integers, so that nobody can change them after they were checked. */
typedef struct held {
    rkhs_data *data;
    Py_buffer buffer[BUFFERS];
    void *copy[BUFFERS];
    int count, copies;
} held;

/* Frees the data set, releases the buffers and frees the copies. */
void held_free(held *h);
/* Makes the data set that a tuple describes; None: no data. On failure a Python exception may be set. */
rkhs_status take_data(rkhs_env *env, PyObject *tuple, held *h);
/* The same, but refuses None. */
rkhs_status take_objects(rkhs_env *env, PyObject *tuple, held *h);
/* Returns a writable buffer for a matrix of results, float64 ('d') or int64 ('q'), and holds it. NULL with an
 * exception if it does not fit. */
void *take_room(held *h, PyObject *out, char kind, int64_t rows, int64_t columns);
/* The UTF-8 text of a str, valid as long as the str. NULL with an exception if it is no str or has a zero
 * character. */
const char *text_of(PyObject *str, const char *what);
/* Rows of a data set as Python objects: (n, p, float64 bytes), or a list of str or of graphs. sparse_of: (n, p,
 * values, columns, starts), or NULL without an exception if x is not sparse. labels_of: a list of str, None for no
 * label. */
PyObject *rows_of(const rkhs_data *x, int64_t i0, int64_t n);
PyObject *sparse_of(const rkhs_data *x);
PyObject *labels_of(const rkhs_data *labels);

/* ---- function_kernel.c: kernels that are Python functions ------------------------------------------------------ */

/* The function that a kernel of the env calls. It must outlive the env. */
typedef struct python_function {
    PyObject *block;
    call *running; /* the call that is running */
    int named;     /* the kernel was added to the env */
} python_function;

/* Adds the kernel "python" to the env; it calls o->block. */
rkhs_status add_python_kernel(rkhs_env *env, python_function *o);
/* Stores a function in o, in place of the previous one, and adds the kernel. */
rkhs_status set_python_function(rkhs_env *env, PyObject *block, python_function *o);
/* Whether a kernel uses the kernel "python". */
int calls_function(const rkhs_kernel *kernel);
/* The text of a kernel given as str, or as (text, function); NULL for None. */
rkhs_status take_kernel(rkhs_env *env, PyObject *kernel, python_function *o, const char **text);

/* ---- model.c: the class Model ---------------------------------------------------------------------------------- */

extern PyType_Spec model_spec;
/* Loads a model from a file or from bytes. block: the function that its kernel calls, or NULL. */
PyObject *model_from(PyObject *module, const char *path, const void *bytes, size_t size, PyObject *block);

#endif
