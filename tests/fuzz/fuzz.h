/* fuzz.h: what the fuzz targets share. A target is one file, tests/fuzz/NAME.c, found by itself: it defines
 * fuzz_one, or for a reader of files the specs to read with and READER(specs) or LABEL_READER(specs). Seeds stand in
 * corpus/NAME, words in NAME.dict. */
#ifndef RK_FUZZ_H
#define RK_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* One input. The env has one thread and FUZZ_MEMORY bytes; it is the driver that looks whether anything was left
 * behind. */
void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count);

/* How many bytes a target may hold: a reader that allocates what a file promises is refused, and slow inputs stay
 * few. */
enum { FUZZ_MEMORY = 8 << 20 };

/* The bytes as a file in memory; the same name each time. */
const char *fuzz_file(const uint8_t *bytes, size_t count);

/* A status with its sentence: all is well, or one is there and the library does not blame itself. */
void fuzz_status(rkhs_env *env, rkhs_status status);

#define FUZZ_HOLDS(condition)                                                                                                  \
    do {                                                                                                                       \
        if (!(condition)) {                                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                           \
        }                                                                                                                      \
    } while (0)

/* Looks at all that was read: its numbers, its classes, and how its objects compare. */
void fuzz_look(rkhs_env *env, const rkhs_data *x);

/* Reads the bytes after the first one by the spec that the first one picks, and what was read too: its numbers, its
 * classes. */
void fuzz_reader(rkhs_env *env, const char *const *specs, size_t count, int labels, const uint8_t *bytes, size_t length);

#define FUZZ_COUNT(specs) (sizeof(specs) / sizeof *(specs))
#define READER(specs)                                                                                                          \
    void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {                                                         \
        fuzz_reader(env, specs, FUZZ_COUNT(specs), 0, bytes, count);                                                           \
    }
#define LABEL_READER(specs)                                                                                                    \
    void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {                                                         \
        fuzz_reader(env, specs, FUZZ_COUNT(specs), 1, bytes, count);                                                           \
    }

#endif
