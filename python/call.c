/* call.c: exceptions for the library's errors, and the start and end of every call. */
#include <stdio.h>

#include "ext.h"

static const struct {
    const char *name, *doc;
    PyObject **base;
} classes[CODES] = {
    {"rkhs.Error", "The base of all errors of this package.", &PyExc_Exception},
    {"rkhs.ArgumentError", "An invalid argument: something is missing, or the model is not fitted.", &PyExc_ValueError},
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

int add_errors(PyObject *module) {
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
    PyObject *bases = PyTuple_Pack(2, state->error[0], PyExc_RuntimeError);
    if (!bases) return -1;
    state->busy =
        PyErr_NewExceptionWithDoc("rkhs.BusyError", "A model that is in use, by a call that waits for this one.", bases, NULL);
    Py_DECREF(bases);
    return state->busy ? PyModule_AddObjectRef(module, "BusyError", state->busy) : -1;
}

PyObject *raise_status(module_state *state, rkhs_status status, const char *sentence) {
    PyObject *type = (int)status > 0 && (int)status < CODES ? state->error[status] : PyExc_RuntimeError;
    PyErr_SetString(type, sentence && *sentence ? sentence : rkhs_status_text(status));
    return NULL;
}

/* Raises the library's message, with the argument that mends the failure as Python calls it: (format='lines'). */
static void raise_message(module_state *state, const rkhs_env *env, rkhs_status status) {
    static const struct {
        const char *name, *before, *value, *after;
    } words[] = {{"by", "by='", "error", "'"},
                 {"format", "format='", "...", "'"},
                 {"kernel", "kernel=", "...", ""},
                 {"label_column", "format='csv(label=", "NAME", ")'"},
                 {"labels", "y=", "...", ""},
                 {"list", "rkhs.list('", "kernels", "') shows all"},
                 {"model", "rkhs.save writes one", "", ""},
                 {"new_labels", "new_y=", "...", ""},
                 {"new_x", "new_X=", "...", ""},
                 {"target", "y=", "...", ""},
                 {"x", "X=", "...", ""}};
    char sentence[1400];
    const char *hint = env ? rkhs_env_hint(env) : "";
    size_t length = strcspn(hint, "=");
    snprintf(sentence, sizeof sentence, "%s", env ? rkhs_env_message(env) : "");
    for (size_t i = 0, used = strlen(sentence); i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && memcmp(words[i].name, hint, length) == 0)
            snprintf(sentence + used, sizeof sentence - used, " (%s%s%s)", words[i].before,
                     hint[length] ? hint + length + 1 : words[i].value, words[i].after);
    raise_status(state, status, sentence);
}

PyObject *refuse(module_state *state, rkhs_env *env, rkhs_status status) {
    if (!PyErr_Occurred()) raise_message(state, env, status);
    return NULL;
}

/* Shows advice at once. If it is an error by the caller's filters, the next progress stops the call. */
static void show(PyObject *advice) {
    PyObject *module = PyImport_ImportModule("rkhs._advice");
    PyObject *answer = module ? PyObject_CallMethod(module, "advise", "([O])", advice) : NULL;
    Py_XDECREF(answer);
    Py_XDECREF(module);
}

/* Collects the library's advice for the end of the call, as (sentence, subject, hint). How long a fit will take is
 * shown at once. */
static void on_log(rkhs_log_level level, const char *sentence, void *payload) {
    call *c = payload;
    if (level != RKHS_LOG_ADVICE || !c->advice || callback_enter(c) < 0) return;
    PyObject *text = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
    PyObject *advice = text ? Py_BuildValue("(Oss)", text, rkhs_env_log_subject(c->env), rkhs_env_log_hint(c->env)) : NULL;
    if (advice && strcmp(rkhs_env_log_subject(c->env), "time") == 0)
        show(advice);
    else if (!advice || PyList_Append(c->advice, advice) < 0)
        PyErr_Clear();
    Py_XDECREF(advice);
    Py_XDECREF(text);
    callback_leave(c);
}

/* Checks signals (Ctrl-C) and calls the progress callback. If either raises, the library stops, and call_end raises it
 * again. */
static int on_progress(const rkhs_progress *p, void *payload) {
    call *c = payload;
    int stop = 0;
    if (callback_enter(c) < 0) return 1;
    if (c->type || PyErr_CheckSignals() < 0) { /* c->type: advice raised an exception */
        stop = 1;
    } else if (c->progress) {
        PyObject *answer = PyObject_CallFunction(c->progress, "sLL", p->stage, (long long)p->done, (long long)p->total);
        stop = !answer;
        Py_XDECREF(answer);
    }
    callback_leave(c);
    return stop;
}

rkhs_status call_begin(call *c, rkhs_env *env, const settings *s) {
    *c = (call){.env = env, .progress = s->progress && s->progress != Py_None ? s->progress : NULL};
    c->advice = PyList_New(0);
    if (!c->advice) return RKHS_ERR_MEMORY;
    rkhs_env_set_log(env, on_log, c);
    rkhs_env_set_progress(env, on_progress, c);
    rkhs_status status = rkhs_env_set_threads(env, s->threads);
    if (status == RKHS_OK && s->all) status = rkhs_env_set_seed(env, s->seed);
    if (status == RKHS_OK && s->all) status = rkhs_env_set_memory(env, (size_t)s->memory);
    return status;
}

PyObject *call_end(module_state *state, call *c, rkhs_status status) {
    PyObject *advice = c->advice;
    c->advice = NULL;
    if (!PyErr_Occurred() && c->type) {
        PyErr_Restore(c->type, c->value, c->trace);
    } else {
        Py_XDECREF(c->type);
        Py_XDECREF(c->value);
        Py_XDECREF(c->trace);
        if (!PyErr_Occurred() && status == RKHS_ERR_CANCELLED && is_closing())
            PyErr_SetNone(PyExc_SystemExit); /* ends a thread silently */
        else if (!PyErr_Occurred() && status != RKHS_OK)
            raise_message(state, c->env, status);
    }
    c->type = c->value = c->trace = NULL;
    if (PyErr_Occurred()) Py_CLEAR(advice);
    if (!c->env) return NULL;
    rkhs_env_set_log(c->env, NULL, NULL);
    rkhs_env_set_progress(c->env, NULL, NULL);
    rkhs_env_set_threads(c->env, 1); /* an idle estimator holds no threads */
    return advice;
}

rkhs_status call_begin_new_env(call *c, const settings *s) {
    rkhs_env *env;
    *c = (call){0};
    rkhs_status status = rkhs_env_new(&env);
    return status == RKHS_OK ? call_begin(c, env, s) : status;
}
