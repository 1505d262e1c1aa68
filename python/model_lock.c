/* model_lock.c: the lock of a model, and how running calls end with the interpreter.
 *
 * A model admits one call at a time. Another thread waits, without the GIL; Ctrl-C ends the wait. BusyError is raised
 * where the wait could last for ever: for the thread that is in the model already (a callback that uses its own
 * model), for a thread that has waited through one callback for longer than `patience` (the callback may be waiting
 * for this thread), and in a forked process whose parent was using the model. All fields change under the GIL. */
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "ext.h"

enum {
    POLL = 50,
    LEAVE = 5000
}; /* milliseconds: between two tries of a lock; that the end of the interpreter waits for calls */

static int patience = 10000; /* milliseconds to wait through one callback */

int model_lock_new(model_lock *g) {
    *g = (model_lock){.lock = PyThread_allocate_lock(), .pid = (long)getpid()};
    return g->lock ? 0 : -1;
}

int model_lock_free(model_lock *g) {
    if (!g->lock) return 1;
    if (!PyThread_acquire_lock(g->lock, NOWAIT_LOCK)) return 0;
    PyThread_release_lock(g->lock);
    PyThread_free_lock(g->lock);
    return 1;
}

static int busy(module_state *state, const char *sentence) {
    PyErr_SetString(state->busy, sentence);
    return -1;
}

static int entered(model_lock *g) {
    g->owner = PyThread_get_thread_ident();
    g->pid = (long)getpid();
    return 0;
}

int model_lock_take(module_state *state, model_lock *g) {
    unsigned long seen = 0;
    int waited = 0;
    if (PyThread_acquire_lock(g->lock, NOWAIT_LOCK)) return entered(g);
    if (g->pid != (long)getpid())
        return busy(state,
                    "this process was forked while another thread used this model, so it cannot be used here: load it or "
                    "fit it again in this process");
    if (g->owner == PyThread_get_thread_ident())
        return busy(state,
                    "this model is in use by this thread: a progress callback or a kernel function must not use the model "
                    "that calls it");
    for (;;) {
        PyLockStatus got;
        Py_BEGIN_ALLOW_THREADS got = PyThread_acquire_lock_timed(g->lock, POLL * 1000, 1);
        Py_END_ALLOW_THREADS if (got == PY_LOCK_ACQUIRED) return entered(g);
        if (PyErr_CheckSignals() < 0) return -1;
        waited = g->callback && g->callback == seen ? waited + POLL : 0;
        seen = g->callback;
        if (waited >= patience)
            return busy(state,
                        "this model is in use by another thread, whose callback has not returned: a progress callback or "
                        "a kernel function must not wait for the model that calls it");
    }
}

void model_lock_release(model_lock *g) {
    g->owner = 0;
    PyThread_release_lock(g->lock);
}

/* patience(seconds) -> the previous value */
PyObject *set_patience(PyObject *module, PyObject *args) {
    double seconds, before = patience / 1000.0;
    if (!PyArg_ParseTuple(args, "d", &seconds)) return NULL;
    if (!(seconds >= 0 && seconds <= 1e6)) return PyErr_Format(PyExc_ValueError, "patience is 0 to 1e6 seconds");
    patience = (int)(seconds * 1000);
    return PyFloat_FromDouble(before);
}

/* ---- the GIL, and the end of the interpreter ------------------------------------------------------------------- */

/* The number of calls that run without the GIL in this process, and the thread that is ending the interpreter. A
 * daemon thread that asks for the GIL then is terminated inside the library; so callbacks stop the calls before
 * that. */
static int running;
static long running_pid;
static atomic_ulong closing;

void gil_release(call *c) {
    if (running_pid != (long)getpid()) running = 0; /* threads do not survive a fork */
    running_pid = (long)getpid();
    running++;
    c->thread = PyEval_SaveThread();
}

void gil_take(call *c) {
    PyThreadState *back = c->thread;
    c->thread = NULL;
    PyEval_RestoreThread(back);
    running--;
}

int is_closing(void) {
    unsigned long thread = atomic_load(&closing);
    return thread && thread != PyThread_get_thread_ident();
}

static unsigned long next_callback = 1;

int callback_enter(call *c) {
    if (is_closing()) return -1;
    if (c->thread) PyEval_RestoreThread(c->thread);
    if (c->lock) c->lock->callback = next_callback++;
    return 0;
}

void callback_leave(call *c) {
    if (c->lock) c->lock->callback = 0;
    if (PyErr_Occurred() && !c->type) PyErr_Fetch(&c->type, &c->value, &c->trace);
    PyErr_Clear();
    if (c->thread) c->thread = PyEval_SaveThread();
}

/* Stops the calls of other threads, and waits for them up to LEAVE milliseconds. */
PyObject *end_calls(PyObject *module, PyObject *unused) {
    const struct timespec nap = {.tv_nsec = 10 * 1000000};
    atomic_store(&closing, PyThread_get_thread_ident());
    for (int waited = 0; running > 0 && running_pid == (long)getpid() && waited < LEAVE; waited += 10) {
        Py_BEGIN_ALLOW_THREADS nanosleep(&nap, NULL);
        Py_END_ALLOW_THREADS
    }
    Py_RETURN_NONE;
}
