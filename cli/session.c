/* session.c: what all commands share: start and end, error messages, checks of paths, files in and out.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

int ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0) length -= 3;
    return length > tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

/* ---- messages on stderr ---------------------------------------------------------------------------------------- */

/* Prints "rkhs WHO: SENTENCE: THEN"; then NULL: none. */
static void say_with(const char *who, const char *sentence, const char *then) {
    progress_erase();
    fputs("rkhs", stderr);
    if (who != NULL) fprintf(stderr, " %s", who);
    fputs(": ", stderr);
    print_safe(stderr, sentence, strlen(sentence));
    if (then != NULL) {
        fputs(": ", stderr);
        print_safe(stderr, then, strlen(then));
    }
    fputc('\n', stderr);
}

void say(const char *who, const char *sentence) { say_with(who, sentence, NULL); }

/* Prints the library's log: advice unless --quiet, information with --verbose. Advice on a parameter of the model ends
 * with the command that follows it. */
static void on_log(rkhs_log_level level, const char *sentence, void *payload) {
    const cli *c = payload;
    char *then = NULL;
    if (level == RKHS_LOG_ADVICE ? c->quiet : !c->verbose) return;
    if (c->command->run == run_fit) then = advised_command(c, rkhs_env_log_hint(c->env));
    say_with(NULL, sentence, then);
    free(then);
}

rkhs_status begin(cli *c) {
    rkhs_status status;
    c->started = rk_seconds();
    status = rkhs_env_new(&c->env);
    if (status != RKHS_OK) return refuse(c, EXIT_FAILED, "cannot start: %s", rkhs_status_text(status));
    rkhs_env_set_log(c->env, on_log, c);
    catch_signals(c->quiet);
    progress_start(c);
    TRY(rkhs_env_set_threads(c->env, c->threads));
    TRY(rkhs_env_set_seed(c->env, c->seed));
    TRY(rkhs_env_set_memory(c->env, c->memory));
done:
    return status;
}

rkhs_status refuse(cli *c, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->message, sizeof c->message, format, args);
    va_end(args);
    c->code = code;
    return RKHS_ERR_ARGUMENT;
}

void set_subject(cli *c, const char *a, const char *b) {
    snprintf(c->subject, sizeof c->subject, b != NULL ? "%.250s and %.250s" : "%.250s", a, b);
}

/* Writes what mends the library's failure as this command takes it, " (--format lines)"; empty if it takes no such
 * option. */
static void write_hint(const cli *c, char out[160]) {
    char name[32];
    const char *hint = rkhs_env_hint(c->env);
    int length = (int)strcspn(hint, "=");
    const char *value = hint + length + (hint[length] == '='), *quote = strchr(value, '(') != NULL ? "'" : "";
    const char *space = *value != 0 ? " " : "";
    snprintf(name, sizeof name, "%.*s", length, hint);
    for (char *at = name; (at = strchr(at, '_')) != NULL;) *at = '-';
    out[0] = 0;
    if (strcmp(name, "list") == 0)
        snprintf(out, 160, " ('rkhs list%s%s' shows all)", space, value);
    else if (strcmp(name, "model") == 0)
        snprintf(out, 160, " ('rkhs fit -o' writes one)");
    else if (name[0] != 0 && takes_option(c, name))
        snprintf(out, 160, " (--%s%s%s%s%s)", name, space, quote, value, quote);
}

const char *library_message(cli *c, rkhs_status status) {
    const char *sentence = rkhs_env_message(c->env);
    char hint[160];
    write_hint(c, hint);
    snprintf(c->from_library, sizeof c->from_library, "%s%s", *sentence != 0 ? sentence : rkhs_status_text(status), hint);
    return c->from_library;
}

int finish(cli *c, rkhs_status status) {
    progress_erase();
    if (stop_signal() != 0) {
        if (!c->quiet) say(c->command->name, "stopped");
        return 128 + stop_signal();
    }
    if (status == RKHS_OK) return EXIT_DONE;
    if (c->message[0] == 0) {
        const char *sentence = library_message(c, status);
        int named = status != RKHS_ERR_DATA || c->subject[0] == 0 || rkhs_env_subject(c->env)[0] != 0;
        snprintf(c->message, sizeof c->message, "%s%s%s", named ? "" : c->subject, named ? "" : ": ", sentence);
        say(c->command->name, c->message);
        return EXIT_FAILED;
    }
    say(c->command->name, c->message);
    if (c->code == EXIT_MISUSED) fprintf(stderr, "'rkhs help %s' shows how it is used.\n", c->command->name);
    return c->code;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* Whether both paths are the same regular file. */
static int same_file(const char *a, const char *b) {
    struct stat sa, sb;
    if (a == NULL || b == NULL || stat(a, &sa) != 0 || stat(b, &sb) != 0) return 0;
    return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Refuses an output that is a folder, or whose folder is missing or not writable. */
static rkhs_status check_folder(cli *c, const char *path) {
    struct stat info;
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) return refuse(c, EXIT_FAILED, "%s: is a folder; give the name of a file to write", path);
        if (!S_ISREG(info.st_mode)) return RKHS_OK;
    }
    if (slash != NULL && slash - path >= (long)sizeof folder)
        return refuse(c, EXIT_FAILED, "the name of the output is too long");
    snprintf(folder, sizeof folder, "%.*s",
             slash == NULL   ? 1
             : slash == path ? 1
                             : (int)(slash - path),
             slash == NULL ? "." : path);
    if (stat(folder, &info) != 0) {
        if (errno == ENOENT) {
            return refuse(c, EXIT_FAILED, "%s: there is no folder %s; make it first: mkdir -p %s", path, folder, folder);
        }
        return refuse(c, EXIT_FAILED, "%s: the folder %s cannot be used: %s", path, folder, strerror(errno));
    }
    if (!S_ISDIR(info.st_mode)) return refuse(c, EXIT_FAILED, "%s: %s is not a folder", path, folder);
    if (access(folder, W_OK | X_OK) != 0) {
        return refuse(c, EXIT_FAILED, "%s: the folder %s cannot be written: %s; choose another one", path, folder,
                      strerror(errno));
    }
    return RKHS_OK;
}

rkhs_status check_outputs(cli *c, const char *const *outputs, int count) {
    rkhs_status status = RKHS_OK;
    const char *more[] = {c->labels, c->target, c->x,     c->new_z,    c->new_labels, c->objects,
                          c->gram,   c->model,  c->start, c->triplets, c->positive,   c->negative};
    int inputs = c->count + (int)(sizeof more / sizeof *more);
    for (int i = 0; i < count; i++) {
        const char *path = outputs[i];
        if (path == NULL) continue;
        for (int j = 0; j < i; j++) {
            if (outputs[j] != NULL && (strcmp(outputs[j], path) == 0 || same_file(outputs[j], path))) {
                REFUSE(c, EXIT_MISUSED, "two results would go to %s; give each its own file",
                       strcmp(path, "-") == 0 ? "standard output" : path);
            }
        }
        if (strcmp(path, "-") == 0) continue;
        for (int j = 0; j < inputs; j++) {
            const char *input = j < c->count ? c->operand[j] : more[j - c->count];
            if (same_file(input, path))
                REFUSE(c, EXIT_MISUSED, "%s would be overwritten by the result; give another name", path);
        }
        TRY(check_folder(c, path));
    }
done:
    return status;
}

rkhs_status check_format(cli *c, const char *path, const char *format) {
    rkhs_status status = rkhs_format_check(c->env, path != NULL ? path : "-", format, NULL);
    size_t length = path != NULL ? strlen(path) : 0;
    int packed = length > 3 && strcasecmp(path + length - 3, ".gz") == 0;
    if (status == RKHS_ERR_FORMAT && format == NULL && !packed) {
        status = refuse(c, EXIT_FAILED,
                        "%s: the ending tells no format to write; end it in .npy or .csv, or give --output-format", path);
    }
    return status;
}

rkhs_status result_path(cli *c, const char **path) {
    *path = c->output != NULL ? c->output : "-";
    if (c->output == NULL && isatty(STDOUT_FILENO)) {
        return refuse(c, EXIT_MISUSED, "the result would fill the terminal; give -o FILE, or a pipe");
    }
    return check_outputs(c, path, 1);
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

/* The format that reads `column` as labels: csv(label="species"), with the parameters of --format. */
static rkhs_status label_format(cli *c, const char *path, const char *format, const char *column, rkhs_spec **spec) {
    rkhs_status status;
    if (format == NULL && !ends_in(path, ".csv") && !ends_in(path, ".tsv") && !ends_in(path, ".txt") && strcmp(path, "-") != 0)
        REFUSE(c, EXIT_FAILED, "%s: --label-column is for CSV and TSV; give labels of other files with --labels", path);
    TRY(rkhs_spec_new(c->env, "formats", format != NULL ? format : ends_in(path, ".tsv") ? "tsv" : "csv", spec));
    TRY(rkhs_spec_set(*spec, "label", column));
done:
    return status;
}

rkhs_status read_plain(cli *c, const char *path, rkhs_data **data) { return rkhs_data_read(c->env, path, c->format, data); }

rkhs_status read_target(cli *c, const char *path, rkhs_data **data) { return rkhs_data_read(c->env, path, NULL, data); }

rkhs_status read_data(cli *c, const char *path, const rkhs_kernel *kernel, rkhs_data **data) {
    rkhs_status status;
    rkhs_spec *spec = NULL;
    if (c->label_column == NULL) return rkhs_data_read_for(c->env, path, c->format, kernel, data);
    TRY(label_format(c, path, c->format, c->label_column, &spec));
    TRY(rkhs_data_read_for(c->env, path, rkhs_spec_text(spec), kernel, data));
    say_minus_one(c, path, rkhs_data_labels(*data));
done:
    rkhs_spec_free(spec);
    return status;
}

rkhs_status read_labels(cli *c, const char *path, const char *column, rkhs_data **labels) {
    rkhs_status status = RKHS_OK;
    rkhs_spec *spec = NULL;
    if (column != NULL) TRY(label_format(c, path, NULL, column, &spec));
    TRY(rkhs_data_read_labels(c->env, path, spec != NULL ? rkhs_spec_text(spec) : NULL, labels));
    say_minus_one(c, path, *labels);
done:
    rkhs_spec_free(spec);
    return status;
}

/* Writes data in `format`. NULL: by the ending; on stdout by the kind of data. */
static rkhs_status write_as(cli *c, const rkhs_data *data, const char *path, const char *format) {
    if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    writing_now(1);
    rkhs_status status = rkhs_data_write(data, path, format);
    writing_now(0);
    return status;
}

rkhs_status write_data(cli *c, const rkhs_data *data, const char *path) { return write_as(c, data, path, c->output_format); }

rkhs_status write_labels(cli *c, const rkhs_data *labels, const char *path) { return write_as(c, labels, path, NULL); }

rkhs_status write_model(cli *c, const rkhs_model *m, const char *path) {
    if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    writing_now(1);
    rkhs_status status = rkhs_model_save(m, path);
    writing_now(0);
    return status;
}

rkhs_status commit_files(cli *c) {
    if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    writing_now(1);
    rkhs_status status = rkhs_files_commit(c->env);
    writing_now(0);
    return status;
}

/* Refuses results that are too large to be written: the kernel or the model made them, not the file that was read. */
static rkhs_status check_results(cli *c, const double *values, int64_t n, int64_t p) {
    const char *input = c->count > 1 && strcmp(c->operand[1], "-") != 0 ? c->operand[1] : "the data";
    for (int64_t i = 0; i < n * p; i++) {
        if (fabs(values[i]) <= 1e150) continue;
        return refuse(c, EXIT_FAILED,
                      "%s gives %g in row %lld, column %lld (counted from 1), and results above 1e150 are refused: bring the "
                      "columns of %s to a "
                      "smaller scale, or choose other parameters",
                      c->operand[0], values[i], (long long)(i / p) + 1, (long long)(i % p) + 1, input);
    }
    return RKHS_OK;
}

rkhs_status write_numbers(cli *c, const double *values, int64_t n, int64_t p, const char *path) {
    rkhs_data *data = NULL;
    rkhs_status status;
    TRY(check_results(c, values, n, p));
    TRY(rkhs_data_dense(c->env, values, n, p, p, &data));
    TRY(write_data(c, data, path));
done:
    rkhs_data_free(data);
    return status;
}

rkhs_status take_numbers(cli *c, const char *what, int64_t n, int64_t p, double **values) {
    char need[32], have[32];
    double bytes = 8.0 * (double)n * (double)p, limit = (double)rkhs_env_memory_limit(c->env);
    int held = bytes < 9e18 && rkhs_env_reserve(c->env, (int64_t)bytes) == RKHS_OK;
    *values = held ? malloc(bytes > 0 ? (size_t)bytes : 1) : NULL;
    if (*values != NULL) return RKHS_OK;
    if (held)
        return refuse(c, EXIT_FAILED,
                      "the system has no %s to give for %s of %lld x %lld numbers: close other programs, or use fewer rows",
                      rk_bytes_text(bytes, need), what, (long long)n, (long long)p);
    return refuse(c, EXIT_FAILED,
                  "%s of %lld x %lld numbers needs %s, beside the data; the limit is %s: raise it with --memory, or use fewer "
                  "rows",
                  what, (long long)n, (long long)p, rk_bytes_text(bytes, need), rk_bytes_text(limit, have));
}
