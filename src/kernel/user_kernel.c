/* user_kernel.c: kernels that a program adds to an env under a name (rkhs_env_add_kernel).
 *
 * Each becomes a kernel type like those of kernels.def, so that weights, sums, column groups and wrappers work with
 * it. Values that are not finite stop the call, and so does a tile on the diagonal that is not symmetric. */
#include "kernel/kernel.h"

#include <string.h>

enum { LONGEST_NAME = 40 };

/* One added kernel. `added` must come first: the env frees the struct by it. */
typedef struct own {
    rk_added added;
    rk_kernel_type type;
    rkhs_user_kernel is;
    char name[LONGEST_NAME + 1];
} own;

static const own *own_of(const rk_bound *a) { return (const own *)((const char *)a->kernel->type - offsetof(own, type)); }

/* Returns the kernel's own status, with a sentence if it has set none. */
static rkhs_status failed(const rk_bound *a, rkhs_status status, int64_t i, int64_t j) {
    if (status < RKHS_ERR_ARGUMENT || status > RKHS_ERR_BUG) status = RKHS_ERR_ARGUMENT;
    return rk_fail(a->x->env, status,
                   "the kernel '%s' failed at row %lld of the one and row %lld of the other data (counted from 1)",
                   own_of(a)->name, (long long)i + 1, (long long)j + 1);
}

/* Refuses values that are not finite, and on the diagonal a tile that is not symmetric. */
static rkhs_status check_values(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                const double *out, int64_t ld) {
    const char *name = own_of(a)->name;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++)
            if (!isfinite(out[i * ld + j]))
                return rk_fail(a->x->env, RKHS_ERR_NUMERIC,
                               "the kernel '%s' gave %g for row %lld of the one and row %lld of the other data (counted from "
                               "1): it must give finite numbers",
                               name, out[i * ld + j], (long long)(i0 + i) + 1, (long long)(j0 + j) + 1);
    for (int64_t i = 0; a == b && i0 == j0 && i < rk_min(ni, nj); i++)
        for (int64_t j = 0; j < i; j++) {
            double u = out[i * ld + j], v = out[j * ld + i];
            if (fabs(u - v) > 1e-6 * fmax(fmax(fabs(u), fabs(v)), sqrt(fabs(out[i * ld + i]) * fabs(out[j * ld + j]))))
                return rk_fail(a->x->env, RKHS_ERR_NUMERIC,
                               "the kernel '%s' is not symmetric: it gave %.9g for rows %lld and %lld (counted from 1), and "
                               "%.9g the other way round",
                               name, u, (long long)(i0 + i) + 1, (long long)(j0 + j) + 1, v);
        }
    return RKHS_OK;
}

/* A function that does not take floats gets doubles: a copy of all rows. */
static rkhs_status prepare_user_kernel(rkhs_env *env, rk_bound *b) {
    const rkhs_data *use;
    rkhs_data *wide = NULL;
    rkhs_status status = own_of(b)->is.floats ? RKHS_OK : rk_data_widen(env, b->x, &use, &wide);
    b->side = wide;
    return status;
}

static void release_user_kernel(rkhs_env *env, rk_bound *b) { rkhs_data_free(b->side); }

static rkhs_status block_user_kernel(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                     double *out, int64_t ld, rk_work work) {
    const rkhs_user_kernel *is = &own_of(a)->is;
    const rkhs_data *x = a->side ? a->side : a->x, *y = b->side ? b->side : b->x;
    rkhs_status status = RKHS_OK;
    if (is->block) {
        status = is->block(x, i0, ni, y, j0, nj, out, ld, is->payload);
        if (status != RKHS_OK) return failed(a, status, i0, j0);
    }
    for (int64_t i = 0; !is->block && i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            status = is->pair(x, i0 + i, y, j0 + j, &out[i * ld + j], is->payload);
            if (status != RKHS_OK) return failed(a, status, i0 + i, j0 + j);
        }
    return check_values(a, i0, ni, b, j0, nj, out, ld);
}

/* Refuses a name that the grammar does not take, or that is in use. */
static rkhs_status check_name(rkhs_env *env, const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t length = strlen(name), first = strspn(name, letters), i = 0;
    while (i < length && (strchr(letters, name[i]) || strchr("0123456789", name[i]))) i++;
    if (!first || i < length || length > LONGEST_NAME)
        return rk_fail(env, RKHS_ERR_ARGUMENT,
                       "'%.60s' is no name for a kernel: it begins with a letter, goes on with letters, digits and _, and has "
                       "at most %d of them",
                       name, LONGEST_NAME);
    if (rk_list_find(&rk_kernels, name))
        return rk_fail(env, RKHS_ERR_ARGUMENT, "there is a kernel '%s' in the library: choose another name", name);
    for (const rk_added *a = env->added; a; a = a->next)
        if (a->list == &rk_kernels && strcmp(a->entry->name, name) == 0)
            return rk_fail(env, RKHS_ERR_ARGUMENT, "a kernel '%s' was added before: choose another name", name);
    return RKHS_OK;
}

/* "dense, sparse" as a set of kinds; NULL: dense. */
static rkhs_status take_kinds(rkhs_env *env, const char *text, unsigned *kinds) {
    *kinds = text ? 0 : RK_KIND_DENSE;
    while (text && *text) {
        size_t skip = strspn(text, ", "), length = strcspn(text + skip, ", ");
        char word[32];
        text += skip;
        if (!length) break;
        memcpy(word, text, rk_min((int64_t)length, 31));
        word[rk_min((int64_t)length, 31)] = 0;
        const rk_data_type *type = rk_data_type_find(word);
        if (!type)
            return rk_fail(env, RKHS_ERR_ARGUMENT, "there is no kind of data '%s': name kinds as rkhs_data_kind does", word);
        *kinds |= type->kind;
        text += length;
    }
    if (!*kinds) return rk_fail(env, RKHS_ERR_ARGUMENT, "a kernel that takes no kind of data: name one, as in \"dense\"");
    return RKHS_OK;
}

rkhs_status rkhs_env_add_kernel(rkhs_env *env, const char *name, const rkhs_user_kernel *kernel) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    unsigned kinds;
    rk_begin_call(env);
    if (!name || !kernel) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_env_add_kernel: a null argument");
    TRY(check_name(env, name));
    if (!kernel->pair == !kernel->block)
        FAIL(env, RKHS_ERR_ARGUMENT, "the kernel '%s' needs one function: either pair or block", name);
    TRY(take_kinds(env, kernel->kinds, &kinds));
    own *o = rk_raw_new(sizeof *o);
    if (!o) FAIL(env, RKHS_ERR_MEMORY, "the system has no memory for the kernel '%s'", name);
    strcpy(o->name, name);
    o->is = *kernel;
    o->type = (rk_kernel_type){
        .entry = {.name = o->name, .brief = "added by the caller"},
        .kinds = kinds,
        .flags = (kernel->psd ? RK_PSD : 0) | (kernel->serial ? RK_SERIAL : 0),
        .prepare = prepare_user_kernel,
        .release = release_user_kernel,
        .block = block_user_kernel,
    };
    o->added = (rk_added){&rk_kernels, &o->type.entry, env->added};
    env->added = &o->added;
done:
    return status;
}

/* The first kernel of a type in a tree, in the order of its text; or NULL. */
static const rkhs_kernel *first_of(const rkhs_kernel *k, const rk_kernel_type *type) {
    const rkhs_kernel *found = k->type == type ? k : NULL;
    for (int i = 0; !found && i < k->children; i++) found = first_of(k->child[i], type);
    return found;
}

/* Appends the names of user kernels in the tree below k, each where it stands first in `root`. */
static rkhs_status add_names(const rkhs_kernel *root, const rkhs_kernel *k, rk_text *text) {
    rkhs_status status = RKHS_OK;
    if (k->type->block == block_user_kernel && first_of(root, k->type) == k)
        status = rk_text_add(text, "%s%s", text->length ? ", " : "", k->type->entry.name);
    for (int i = 0; status == RKHS_OK && i < k->children; i++) status = add_names(root, k->child[i], text);
    return status;
}

rkhs_status rk_kernel_user_names(const rkhs_kernel *k, rk_text *text) { return add_names(k, k, text); }
