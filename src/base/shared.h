/* shared.h: what the library and the tool both use; needs nothing else of the library. */
#ifndef RK_SHARED_H
#define RK_SHARED_H

/* Ends a function at its label `done` when a call fails. */
#define TRY(call)                                                                                                              \
    do {                                                                                                                       \
        status = (call);                                                                                                       \
        if (status != RKHS_OK) goto done;                                                                                      \
    } while (0)

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b, capitals as small letters; 32 for longer words. */
int rk_edit_distance(const char *a, const char *b);

#endif
