/* io.h: file formats, and what their readers share. */
#ifndef RK_IO_H
#define RK_IO_H

#include "data/data.h"

extern const rk_list rk_formats;

/* rk_format_csv, rk_format_npy, ...: one for each line of formats.def. */
#define RK_FORMAT(name) extern const rk_format_type rk_format_##name;
#include "io/formats.def"
#undef RK_FORMAT

/* The decimal number that begins at s, correctly rounded: the place after it, or NULL when none begins there. Neither blanks,
 * inf, nan nor hexadecimals. The bytes [s, end) are followed by a zero. */
const char *rk_decimal(const char *s, const char *end, double *value);

/* The numbers of dense data, or of a Gram's rows, for the writers; NULL when x is neither. */
const double *rk_io_values(const rkhs_data *x, int64_t *ld);

#endif
