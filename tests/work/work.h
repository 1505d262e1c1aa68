/* work.h: counts what the readers do, not how long they take; included before every file of the library that is
 * counted.
 *
 * The compiler calls __sanitizer_cov_trace_pc for every basic block (-fsanitize-coverage=trace-pc): one unit. What
 * the C library does inside of a call is not seen so, and is counted by these in its place: the bytes that it looks
 * at, copies or sets. */
#ifndef RK_WORK_H
#define RK_WORK_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

void *work_memchr(const void *s, int c, size_t n);
char *work_strchr(const char *s, int c);
char *work_strrchr(const char *s, int c);
char *work_strstr(const char *s, const char *t);
size_t work_strlen(const char *s);
size_t work_strspn(const char *s, const char *set);
size_t work_strcspn(const char *s, const char *set);
int work_strcmp(const char *a, const char *b);
int work_strncmp(const char *a, const char *b, size_t n);
int work_strcasecmp(const char *a, const char *b);
int work_strncasecmp(const char *a, const char *b, size_t n);
int work_memcmp(const void *a, const void *b, size_t n);
void *work_memcpy(void *to, const void *from, size_t n);
void *work_memmove(void *to, const void *from, size_t n);
void *work_memset(void *to, int c, size_t n);
void *work_calloc(size_t n, size_t size);
double work_strtod(const char *s, char **end, locale_t locale);
int work_sscanf(const char *s, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int work_printed(int length);
int work_inflate(z_stream *z, int flush);
uLong work_crc32(uLong sum, const Bytef *bytes, uInt n);

#ifndef RK_WORK_ITSELF
#define memchr work_memchr
#define strchr work_strchr
#define strrchr work_strrchr
#define strstr work_strstr
#define strlen work_strlen
#define strspn work_strspn
#define strcspn work_strcspn
#define strcmp work_strcmp
#define strncmp work_strncmp
#define strcasecmp work_strcasecmp
#define strncasecmp work_strncasecmp
#define memcmp work_memcmp
#define memcpy work_memcpy
#define memmove work_memmove
#define memset work_memset
#define calloc work_calloc
#define strtod(s, end) work_strtod(s, end, (locale_t)0)
#define strtod_l work_strtod
#define sscanf work_sscanf
#define snprintf(...) work_printed(snprintf(__VA_ARGS__))
#define vsnprintf(...) work_printed(vsnprintf(__VA_ARGS__))
#define inflate work_inflate
#undef crc32
#define crc32 work_crc32
#endif

#endif
