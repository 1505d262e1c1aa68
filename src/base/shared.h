/* shared.h: functions that both the library and the tool use: characters, numbers as text, growing strings.
 *
 * Only growing strings take an env, allocate and can fail. */
#ifndef RK_SHARED_H
#define RK_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "rkhs.h"

/* Calls a function, and jumps to the label `done` if it fails. Needs a variable rkhs_status status. */
#define TRY(call)                                                                                                              \
    do {                                                                                                                       \
        status = (call);                                                                                                       \
        if (status != RKHS_OK) goto done;                                                                                      \
    } while (0)

/* ---- text ------------------------------------------------------------------------------------------------------ */

/* Takes the next character of a UTF-8 text that is not at its end; RK_NO_CHARACTER for a byte that is not UTF-8. */
enum { RK_NO_CHARACTER = 0xfffd };
uint32_t rk_utf8_take(const char **s);
/* Writes a character as UTF-8 (RK_NO_CHARACTER if it is not valid) and returns the number of bytes, at most 4. */
int rk_utf8_put(uint32_t c, char *to);
/* 1 for characters that control a terminal or the writing direction, and for non-characters. */
int rk_is_control(uint32_t c);
/* Takes the next character of untrusted text and writes it to `piece` in a form that is safe to show. Returns it, or 0
 * for a control character, a line end or invalid UTF-8, which become escapes such as \n, \x1b, \u202e. */
uint32_t rk_visible_take(const char **s, char piece[16]);
/* The same for a whole text, cut to what fits in `room` bytes. */
void rk_text_visible(const char *from, char *to, size_t room);

/* The shortest decimal number that reads back as the same double; returns `buffer`. */
const char *rk_number_text(double value, char buffer[40]);
/* strtod in the C locale, whatever locale the program has set. */
double rk_strtod(const char *text, char **end);
/* A number of bytes as text such as "3.2 GB"; returns `buffer`. */
const char *rk_bytes_text(double bytes, char buffer[32]);

/* A number with its noun, "1 row", "3 rows", "2 classes", "4 vertices": rk_counted(n, "row").text in a call of
 * printf. */
typedef struct rk_count_text {
    char text[48];
} rk_count_text;
rk_count_text rk_counted(int64_t n, const char *noun);

/* A string that grows; s is allocated with env, and freed by rk_text_free or the owner of the struct. After a failure
 * nothing is added, and every call returns that failure (`status`): callers may look once, in the end. */
typedef struct rk_text {
    rkhs_env *env;
    char *s; /* zero-terminated; NULL: nothing was added */
    int64_t length, room;
    rkhs_status status;
} rk_text;
rkhs_status rk_text_add(rk_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
rkhs_status rk_text_add_bytes(rk_text *t, const void *bytes, size_t count);
void rk_text_free(rk_text *t);

/* The name that is most similar to `word`, for suggestions in messages; NULL if none is similar. */
const char *rk_nearest_name(const char *word, const char *const *names, int count);

/* Seconds on a monotonic clock. */
double rk_seconds(void);

#endif
