/* shared.h: what the library and the tool both use; needs nothing else of the library. */
#ifndef RK_SHARED_H
#define RK_SHARED_H

#include <stddef.h>
#include <stdint.h>

/* Ends a function at its label `done` when a call fails. */
#define TRY(call)                                                                                                              \
    do {                                                                                                                       \
        status = (call);                                                                                                       \
        if (status != RKHS_OK) goto done;                                                                                      \
    } while (0)

/* ---- text: no env, no memory, nothing that fails ------------------------------------------------------------------------ */

/* The next character of UTF-8 text that is not at its end; what is none counts as RK_NO_CHARACTER, one byte of it. */
enum { RK_NO_CHARACTER = 0xfffd };
uint32_t rk_utf8_take(const char **s);
/* A character as UTF-8, RK_NO_CHARACTER for what is none; the bytes it takes, at most 4. */
int rk_utf8_put(uint32_t c, char *to);
/* 1 for characters that steer a terminal, turn the direction of what follows, or are no characters at all. */
int rk_is_control(uint32_t c);
/* The next character of a text from outside as it may be shown: a control character, the end of a line or a byte that is no
 * UTF-8 becomes \n, \x1b, \u202e, and the result is 0; else it is the character. */
uint32_t rk_visible_take(const char **s, char piece[16]);
/* A whole text so; as much as fits. */
void rk_text_visible(const char *from, char *to, size_t room);

/* The shortest digits that read back as the same double. */
const char *rk_number_text(double value, char buffer[40]);
/* strtod in the C locale, whatever the program's is. */
double rk_strtod(const char *text, char **end);
/* "3.2 GB" into buffer, which is returned. */
const char *rk_bytes_text(double bytes, char buffer[32]);

/* The name of `names` nearest to `word`, or NULL when none is near. */
const char *rk_nearest(const char *word, const char *const *names, int count);

/* Seconds on a clock that never goes back. */
double rk_seconds(void);

#endif
