/* work.c: every reader does work in proportion to what it reads. Each shape of file is made of n, 2 n and 4 n
 * pieces, and the work is counted (work.h): from 2 n to 4 n it may grow by little more than twice what it grew by
 * from n to 2 n. In what is quadratic it grows by four times. Nothing is timed. */
#define RK_WORK_ITSELF
#include "work.h"

#include "../unit/files.h"

#include "io/io.h"

/* ---- the counter ----------------------------------------------------------------------------------------------- */

static uint64_t work;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { work++; }

static size_t same_bytes(const char *a, const char *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] && a[i] == b[i]) i++;
    return i;
}

void *work_memchr(const void *s, int c, size_t n) {
    void *found = memchr(s, c, n);
    work += found ? (size_t)((const char *)found - (const char *)s) + 1 : n + 1;
    return found;
}

char *work_strchr(const char *s, int c) {
    char *found = strchr(s, c);
    work += found ? (size_t)(found - s) + 1 : strlen(s) + 1;
    return found;
}

char *work_strrchr(const char *s, int c) {
    char *found = strrchr(s, c);
    work += strlen(s) + 1;
    return found;
}

char *work_strstr(const char *s, const char *t) {
    char *found = strstr(s, t);
    work += found ? (size_t)(found - s) + strlen(t) + 1 : strlen(s) + 1;
    return found;
}

size_t work_strlen(const char *s) {
    size_t found = strlen(s);
    work += found + 1;
    return found;
}

size_t work_strspn(const char *s, const char *set) {
    size_t found = strspn(s, set);
    work += found + 1;
    return found;
}

size_t work_strcspn(const char *s, const char *set) {
    size_t found = strcspn(s, set);
    work += found + 1;
    return found;
}

int work_strcmp(const char *a, const char *b) {
    int found = strcmp(a, b);
    work += same_bytes(a, b, SIZE_MAX) + 1;
    return found;
}

int work_strncmp(const char *a, const char *b, size_t n) {
    int found = strncmp(a, b, n);
    work += same_bytes(a, b, n) + 1;
    return found;
}

int work_strcasecmp(const char *a, const char *b) {
    int found = strcasecmp(a, b);
    work += strlen(a) + 1;
    return found;
}

int work_strncasecmp(const char *a, const char *b, size_t n) {
    int found = strncasecmp(a, b, n);
    work += n + 1;
    return found;
}

int work_memcmp(const void *a, const void *b, size_t n) {
    int found = memcmp(a, b, n);
    work += n + 1;
    return found;
}

void *work_memcpy(void *to, const void *from, size_t n) {
    void *found = memcpy(to, from, n);
    work += n + 1;
    return found;
}

void *work_memmove(void *to, const void *from, size_t n) {
    void *found = memmove(to, from, n);
    work += n + 1;
    return found;
}

void *work_memset(void *to, int c, size_t n) {
    void *found = memset(to, c, n);
    work += n + 1;
    return found;
}

void *work_calloc(size_t n, size_t size) {
    void *found = calloc(n, size);
    work += n * size + 1;
    return found;
}

double work_strtod(const char *s, char **end, locale_t locale) {
    char *stop;
    double value = locale ? strtod_l(s, &stop, locale) : strtod(s, &stop);
    work += (uint64_t)(stop - s) + 1;
    if (end) *end = stop;
    return value;
}

int work_sscanf(const char *s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int found = vsscanf(s, format, list);
    va_end(list);
    work += strlen(s) + 1; /* glibc's looks for the end of the text */
    return found;
}

int work_printed(int length) {
    work += length > 0 ? (uint64_t)length + 1 : 1;
    return length;
}

int work_inflate(z_stream *z, int flush) {
    uLong in = z->total_in, out = z->total_out;
    int code = inflate(z, flush);
    work += z->total_in - in + (z->total_out - out) + 1;
    return code;
}

uLong work_crc32(uLong sum, const Bytef *bytes, uInt n) {
    work += n + 1;
    return crc32(sum, bytes, n);
}

/* ---- shapes of files ------------------------------------------------------------------------------------------- */

/* A shape: how it is read, and what makes the file of n pieces. */
typedef struct shape {
    const char *format; /* of formats.def */
    const char *fact;
    const char *spec; /* as given to the reader; NULL: `format` */
    enum { DATA, LABELS, STRINGS } as;
    void (*put)(FILE *out, int n);
    const char *path; /* NULL: "x" */
} shape;

#define PIECES(name, begin, each, ...)                                                                                         \
    static void name(FILE *out, int n) {                                                                                       \
        fputs(begin, out);                                                                                                     \
        for (int i = 0; i < n; i++) fprintf(out, each, ##__VA_ARGS__);                                                         \
    }

PIECES(blank_lines, "", "\n")
PIECES(blank_lines_between, "a\n", "\n\nb\n")
PIECES(blanks_in_a_line, "", " ")
PIECES(letters, "", "x")
PIECES(words, "", "word%d\n", i)
PIECES(one_word, "", "same\n")
PIECES(numbers, "", "%d,%d\n", i, i % 7)
PIECES(numbers_and_words, "a,b\n", "%d,word%d\n", i, i)
PIECES(quoted_fields, "a,b\n", "\"%d\",\"%d\"\n", i, i)
PIECES(quotes_in_quotes, "a,b\n1,\"", "\"\"")
PIECES(open_quotes, "a,b\n", "\"1\n")
PIECES(blanks_around_numbers, "", " %d ,  %d \n", i, i)
PIECES(carriage_returns, "", "%d,1\r", i)
PIECES(missing_values, "a,b\n", "1,NA\n")
PIECES(long_numbers, "", "1234567890123456789012345.5,%d\n", i)
PIECES(one_long_number, "", "1")
PIECES(tabs, "", "%d\t%d\n", i, i % 7)
PIECES(label_words, "", "%d,l%d\n", i, i)
PIECES(rows_then_blanks, "1,2\n", "\n")
PIECES(pairs_in_lines, "", "%d 1:1 5:2.5 # no\n", i)
PIECES(remarks, "1 1:1\n", "# no\n")
PIECES(blank_svmlight, "1 1:1\n", "  \n")
PIECES(fingerprints, "", "00ff10\tname%d\n", i)
PIECES(header_of_fps, "#FPS1\n", "#software=x\n")
PIECES(fps_digits, "", "00")
PIECES(leading_blanks_fasta, "", " \n")
PIECES(records, "", ">a%d\nACGT\n", i)
PIECES(blank_fasta, ">a\n", "\nAC GT\n")
PIECES(remarks_fasta, ">a\n", ";no\n")
PIECES(greater_fasta, ">a\nA", ">")
PIECES(header_words, ">", "w ")
PIECES(blanks_then_records, "", "\n \n")

static void columns(FILE *out, int n) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) fprintf(out, k ? "%d%c" : "c%d%c", i, i + 1 < n ? ',' : '\n');
}

static void same_columns(FILE *out, int n) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) fprintf(out, "%s%c", k ? "1" : "name", i + 1 < n ? ',' : '\n');
}

/* Blank lines between two lines that are not. */
static void blank_run(FILE *out, int n) {
    fputs("1\n", out);
    blank_lines(out, n);
    fputs("2\n", out);
}

static void blank_run_svmlight(FILE *out, int n) {
    blank_svmlight(out, n);
    fputs("1 1:1\n", out);
}

static void leading_then_record(FILE *out, int n) {
    blanks_then_records(out, n);
    fputs(">a\nACGT\n", out);
}

static void numbered_rows(FILE *out, int n) {
    fputs(",a\n", out);
    for (int i = 0; i < n; i++) fprintf(out, "%d,5\n", (int)((int64_t)i * 7919 % n));
}

static void pairs_in_one_line(FILE *out, int n) {
    fputs("1", out);
    for (int i = 1; i <= n; i++) fprintf(out, " %d:1", i);
}

static void graphs_gin(FILE *out, int n) {
    fprintf(out, "%d\n", n);
    for (int i = 0; i < n; i++) fprintf(out, "2 %d\n0 1 1\n1 1 0\n", i % 5);
}

/* A star: one vertex has all neighbours. */
static void star_gin(FILE *out, int n) {
    fprintf(out, "1\n%d 0\n0 %d", n + 1, n);
    for (int i = 1; i <= n; i++) fprintf(out, " %d", i);
    fputc('\n', out);
    for (int i = 1; i <= n; i++) fputs("0 0\n", out);
}

static void end_gin(FILE *out, int n) {
    fputs("1\n1 0\n0 0\n", out);
    blank_lines(out, n);
}

/* The same edge many times, which is one. */
static void edges_gin(FILE *out, int n) {
    fprintf(out, "1\n2 0\n0 %d", n);
    for (int i = 0; i < n; i++) fputs(" 1", out);
    fputs("\n0 0\n", out);
}

/* A set of TU: a path of n vertices, cut into graphs of 3; the file that is opened has the edges. */
static void tu_set(FILE *out, int n) {
    FILE *graph = fopen("x_graph_indicator.txt", "w"), *label = fopen("x_node_labels.txt", "w"),
         *class = fopen("x_graph_labels.txt", "w");
    for (int v = 0; v < 3 * n; v++) {
        fprintf(graph, "%d\n", v / 3 + 1);
        fprintf(label, "%d\n", v);
        if (v % 3 == 0) fprintf(class, "%d\n", v);
        if (v % 3) fprintf(out, "%d, %d\n", v, v + 1);
    }
    fclose(graph);
    fclose(label);
    fclose(class);
}

static void npy_header(FILE *out, const char *descr, int ndim, const int64_t *extent) {
    char header[RK_NPY_ROOM];
    fwrite(header, 1, rk_npy_make_header(header, descr, ndim, extent), out);
}

static void npy_numbers(FILE *out, int n) {
    npy_header(out, "<f8", 2, (int64_t[]){n, 3});
    for (int i = 0; i < 3 * n; i++) fwrite(&(double){i}, 8, 1, out);
}

static void npy_columns(FILE *out, int n) {
    npy_header(out, "|u1", 2, (int64_t[]){3, n});
    for (int i = 0; i < 3 * n; i++) fputc(i & 1, out);
}

static void npy_words(FILE *out, int n) {
    npy_header(out, "|S8", 1, (int64_t[]){n});
    for (int i = 0; i < n; i++) fprintf(out, "w%07d", i);
}

static void idx_bytes(FILE *out, int n) {
    const unsigned char head[] = {0, 0, 8, 2, 0, (unsigned char)(n >> 16), (unsigned char)(n >> 8), (unsigned char)n,
                                  0, 0, 0, 2};
    fwrite(head, 1, sizeof head, out);
    for (int i = 0; i < 2 * n; i++) fputc(i & 255, out);
}

/* An archive of n arrays, of which one is called X. */
static void npz_members(FILE *out, int n) {
    rkhs_env *env;
    rk_archive *archive;
    char name[32];
    size_t length;
    if (rkhs_env_new(&env) != RKHS_OK || rk_archive_new(env, &archive) != RKHS_OK) abort();
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, i ? "a%d" : "X", i);
        if (rk_archive_put_copy(archive, name, &(rk_array){'d', 2, {1, 1}, &(double){i}}) != RKHS_OK) abort();
    }
    if (rk_archive_write(archive, "members.npz") != RKHS_OK) abort();
    rk_archive_free(archive);
    rkhs_env_free(env);
    char *bytes = get_bytes("members.npz", &length);
    fwrite(bytes, 1, length, out);
    free(bytes);
    unlink("members.npz");
}

/* A MAT file's header. */
static void mat_header(FILE *out) {
    fprintf(out, "%-124s", "MATLAB 5.0 MAT-file");
    fwrite("\0\1IM", 1, 4, out);
}

static void mat_element(FILE *out, uint32_t type, const void *bytes, uint32_t count) {
    fwrite((uint32_t[]){type, count}, 4, 2, out);
    fwrite(bytes, 1, count, out);
    fwrite("\0\0\0\0\0\0\0", 1, -count % 8, out);
}

/* Begins a matrix whose content, after its name of 8 bytes, has so many. */
static void mat_begin(FILE *out, uint32_t class, int rows, int columns, const char *name, uint32_t count) {
    fwrite((uint32_t[]){14, 48 + count}, 4, 2, out);
    mat_element(out, 6, (uint32_t[]){class, 0}, 8);
    mat_element(out, 5, (int32_t[]){rows, columns}, 8);
    mat_element(out, 1, name, 8);
}

static void mat_numbers(FILE *out, int n) {
    mat_header(out);
    mat_begin(out, 6, n, 8, "X\0\0\0\0\0\0", (uint32_t)(8 + 8 * n));
    fwrite((uint32_t[]){2, (uint32_t)(8 * n)}, 4, 2, out);
    for (int i = 0; i < 8 * n; i++) fputc(i & 127, out);
}

/* n variables of one number, in a zlib stream each or as they are. */
static void put_variables(FILE *out, int n, int packed) {
    mat_header(out);
    for (int i = 0; i < n; i++) {
        char *bytes = NULL, name[16] = "X", small[256];
        size_t length;
        uLongf count = sizeof small;
        if (i) snprintf(name, sizeof name, "a%06d", i);
        FILE *one = packed ? open_memstream(&bytes, &length) : out;
        mat_begin(one, 6, 1, 1, name, 8);
        fwrite((uint32_t[]){1 << 16 | 2, 1}, 4, 2, one);
        if (!packed) continue;
        fclose(one);
        compress((Bytef *)small, &count, (const Bytef *)bytes, length);
        fwrite((uint32_t[]){15, (uint32_t)count}, 4, 2, out);
        fwrite(small, 1, count, out);
        free(bytes);
    }
}

static void mat_variables(FILE *out, int n) { put_variables(out, n, 0); }

static void mat_packed_variables(FILE *out, int n) { put_variables(out, n, 1); }

/* n entries of a sparse matrix, all in one column, of n rows. */
static void mat_sparse(FILE *out, int n) {
    uint32_t indices = (uint32_t)(4 * n + 7) / 8 * 8;
    int32_t *rows = calloc((size_t)n, sizeof *rows);
    char *values = calloc((size_t)n, 1);
    for (int i = 0; i < n; i++) rows[i] = i, values[i] = 1;
    mat_header(out);
    mat_begin(out, 5, n, 1, "X\0\0\0\0\0\0", 8 + indices + 16 + 8 + (uint32_t)(n + 7) / 8 * 8);
    mat_element(out, 5, rows, (uint32_t)(4 * n));
    mat_element(out, 5, (int32_t[]){0, n}, 8);
    mat_element(out, 2, values, (uint32_t)n);
    free(rows);
    free(values);
}

/* n cells of one character. */
static void mat_cells(FILE *out, int n) {
    mat_header(out);
    mat_begin(out, 1, n, 1, "X\0\0\0\0\0\0", (uint32_t)n * 64);
    for (int i = 0; i < n; i++) {
        mat_begin(out, 4, 1, 1, "\0\0\0\0\0\0\0", 8);
        fwrite((uint32_t[]){1 << 16 | 2, 'a' + (uint32_t)i % 26}, 4, 2, out);
    }
}

/* n rows of 8 characters. */
static void mat_characters(FILE *out, int n) {
    mat_header(out);
    mat_begin(out, 4, n, 8, "X\0\0\0\0\0\0", (uint32_t)(8 + 8 * n));
    fwrite((uint32_t[]){2, (uint32_t)(8 * n)}, 4, 2, out);
    for (int i = 0; i < 8 * n; i++) fputc(i % 3 ? 'x' : ' ', out);
}

/* n gzip files, one after another, of a row each. */
static void gzip_members(FILE *out, int n) {
    unsigned char member[128];
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (Bytef *)(uintptr_t) "1,2\n";
    z.avail_in = 4;
    z.next_out = member;
    z.avail_out = sizeof member;
    deflate(&z, Z_FINISH);
    for (int i = 0; i < n; i++) fwrite(member, 1, sizeof member - z.avail_out, out);
    deflateEnd(&z);
}

/* A folder of n images of one pixel, and a table of their classes; the file that is opened is not used. */
static void folder_of_images(FILE *out, int n) {
    static const unsigned char pixel[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
                                          0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
                                          0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
                                          0x9c, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x48, 0xaf, 0xa4, 0x71, 0x00,
                                          0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    char name[64];
    mkdir("folder", 0777);
    FILE *table = fopen("folder/labels.csv", "w");
    fputs("file,label\n", table);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "folder/image%d.png", i);
        put_bytes(name, pixel, sizeof pixel);
        fprintf(table, "image%d.png,c%d\n", i, i);
    }
    fclose(table);
}

static const shape shapes[] = {
    {"lines", "many lines", NULL, STRINGS, words, NULL},
    {"lines", "blank lines", NULL, STRINGS, blank_lines, NULL},
    {"lines", "one long line", NULL, STRINGS, letters, NULL},
    {"lines", "many classes", NULL, LABELS, words, NULL},
    {"lines", "one class", NULL, LABELS, one_word, NULL},
    {"lines", "a run of blank lines", NULL, STRINGS, blank_run, NULL},
    {"lines", "no class", NULL, LABELS, blank_lines, NULL},
    {"csv", "rows", NULL, DATA, numbers, NULL},
    {"csv", "columns", NULL, DATA, columns, NULL},
    {"csv", "columns of one name", NULL, DATA, same_columns, NULL},
    {"csv", "a name that no column has", "csv(label=nam)", DATA, same_columns, NULL},
    {"csv", "rows that are numbered in no order", NULL, DATA, numbered_rows, NULL},
    {"csv", "fields in quotes", NULL, DATA, quoted_fields, NULL},
    {"csv", "quotes in quotes", NULL, DATA, quotes_in_quotes, NULL},
    {"csv", "quotes that are not closed", NULL, DATA, open_quotes, NULL},
    {"csv", "blanks around numbers", NULL, DATA, blanks_around_numbers, NULL},
    {"csv", "blanks between numbers", "csv(delimiter=space)", DATA, blanks_around_numbers, NULL},
    {"csv", "lines that end in a carriage return", NULL, DATA, carriage_returns, NULL},
    {"csv", "missing values", NULL, DATA, missing_values, NULL},
    {"csv", "numbers of many digits", NULL, DATA, long_numbers, NULL},
    {"csv", "one long number", NULL, DATA, one_long_number, NULL},
    {"csv", "a column that is no number", NULL, DATA, numbers_and_words, NULL},
    {"csv", "rows and blank lines", NULL, DATA, rows_then_blanks, NULL},
    {"csv", "nothing but blanks", NULL, DATA, blanks_in_a_line, NULL},
    {"csv", "nothing but blank lines", NULL, DATA, blank_lines, NULL},
    {"csv", "many classes", "csv(label=1)", DATA, label_words, NULL},
    {"csv", "strings", NULL, STRINGS, words, NULL},
    {"csv", "strings with blank lines between", NULL, STRINGS, blank_lines_between, NULL},
    {"csv", "strings and blank lines", "csv(text=0)", DATA, rows_then_blanks, NULL},
    {"csv", "strings with a run of blank lines", NULL, STRINGS, blank_run, NULL},
    {"csv", "labels with a run of blank lines", NULL, LABELS, blank_run, NULL},
    {"csv", "numbers with a run of blank lines", NULL, DATA, blank_run, NULL},
    {"csv", "one string", "csv(text=0)", DATA, letters, NULL},
    {"csv", "labels", NULL, LABELS, words, NULL},
    {"csv", "labels with blank lines between", NULL, LABELS, blank_lines_between, NULL},
    {"csv", "members of gzip", NULL, DATA, gzip_members, NULL},
    {"tsv", "rows", NULL, DATA, tabs, NULL},
    {"tsv", "strings with blank lines between", NULL, STRINGS, blank_lines_between, NULL},
    {"tsv", "strings with a run of blank lines", NULL, STRINGS, blank_run, NULL},
    {"npy", "rows", NULL, DATA, npy_numbers, NULL},
    {"npy", "columns", NULL, DATA, npy_columns, NULL},
    {"npy", "many classes", NULL, LABELS, npy_words, NULL},
    {"npz", "many arrays", NULL, DATA, npz_members, NULL},
    {"idx", "rows", NULL, DATA, idx_bytes, NULL},
    {"mat", "rows", NULL, DATA, mat_numbers, NULL},
    {"mat", "many variables", NULL, DATA, mat_variables, NULL},
    {"mat", "many packed variables", NULL, DATA, mat_packed_variables, NULL},
    {"mat", "a name that no variable has", "mat(key=none)", DATA, mat_variables, NULL},
    {"mat", "a sparse column", NULL, DATA, mat_sparse, NULL},
    {"mat", "cells of text", NULL, DATA, mat_cells, NULL},
    {"mat", "cells as labels", NULL, LABELS, mat_cells, NULL},
    {"mat", "rows of characters", NULL, DATA, mat_characters, NULL},
    {"png", "many files in a folder", NULL, DATA, folder_of_images, "folder"},
    {"svmlight", "rows", NULL, DATA, pairs_in_lines, NULL},
    {"svmlight", "columns", NULL, DATA, pairs_in_one_line, NULL},
    {"svmlight", "remarks", NULL, DATA, remarks, NULL},
    {"svmlight", "blank lines", NULL, DATA, blank_svmlight, NULL},
    {"svmlight", "a run of blank lines", NULL, DATA, blank_run_svmlight, NULL},
    {"svmlight", "one long label", NULL, DATA, letters, NULL},
    {"fps", "rows", NULL, DATA, fingerprints, NULL},
    {"fps", "lines of the header", NULL, DATA, header_of_fps, NULL},
    {"fps", "digits", NULL, DATA, fps_digits, NULL},
    {"fps", "a run of blank lines", NULL, DATA, blank_run, NULL},
    {"gin", "a run of blank lines", NULL, DATA, blank_run, NULL},
    {"fps", "blank lines", NULL, DATA, blank_lines, NULL},
    {"fasta", "records", NULL, DATA, records, NULL},
    {"fasta", "records with labels", "fasta(label=1)", DATA, records, NULL},
    {"fasta", "blank lines first", NULL, DATA, leading_blanks_fasta, NULL},
    {"fasta", "blank lines before a record", NULL, DATA, leading_then_record, NULL},
    {"fasta", "blank lines in a sequence", NULL, DATA, blank_fasta, NULL},
    {"fasta", "remarks", NULL, DATA, remarks_fasta, NULL},
    {"fasta", "what begins a record in a sequence", NULL, DATA, greater_fasta, NULL},
    {"fasta", "words of a header", "fasta(label=1000)", DATA, header_words, NULL},
    {"tu", "graphs", NULL, DATA, tu_set, "x_A.txt"},
    {"gin", "graphs", NULL, DATA, graphs_gin, NULL},
    {"gin", "neighbours of one vertex", NULL, DATA, star_gin, NULL},
    {"gin", "one edge many times", NULL, DATA, edges_gin, NULL},
    {"gin", "blank lines", NULL, DATA, end_gin, NULL},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- counting -------------------------------------------------------------------------------------------------- */

/* What reading a file of n pieces takes. Whether it is refused does not matter. */
static uint64_t work_of(rkhs_env *env, const shape *s, int n) {
    const char *path = s->path ? s->path : "x", *spec = s->spec ? s->spec : s->format;
    int folder = s->path && strcmp(s->path, "folder") == 0;
    rkhs_data *x = NULL;
    rkhs_kernel *kernel = NULL;
    FILE *out = fopen(folder ? "unused" : path, "w");
    assert_non_null(out);
    s->put(out, n);
    fclose(out);
    if (s->as == STRINGS) OK(env, rkhs_kernel_new(env, "spectrum", &kernel));
    work = 0;
    if (s->as == LABELS)
        rkhs_data_read_labels(env, path, spec, &x);
    else
        rkhs_data_read_for(env, path, spec, kernel, &x);
    uint64_t took = work;
    rkhs_data_free(x);
    rkhs_kernel_free(kernel);
    return took;
}

/* Twice as much that is new takes twice the work; log n for what is sorted. */
static void work_grows_as_the_file_does(void **state) {
    enum { N = 2000 };
    rkhs_env *env = ((files *)*state)->env;
    int bad = 0;
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < SHAPES; i++) {
        const shape *s = &shapes[i];
        int n = strcmp(s->format, "png") == 0 ? 100 : N;
        double one = (double)work_of(env, s, n), two = (double)work_of(env, s, 2 * n), four = (double)work_of(env, s, 4 * n);
        if (four - two <= 2.5 * (two - one) + 64) continue;
        print_error("%s, %s: %.0f, %.0f, %.0f units of work for %d, %d, %d pieces\n", s->format, s->fact, one, two, four, n,
                    2 * n, 4 * n);
        bad++;
    }
    if (system("rm -r folder") != 0) bad++;
    if (bad) fail_msg("%d of %d shapes", bad, SHAPES);
}

static void every_format_is_counted(void **state) {
    rkhs_type type;
    for (int i = 0; rkhs_list_type("formats", i, &type); i++) {
        int found = 0;
        for (int k = 0; k < SHAPES; k++) found |= strcmp(shapes[k].format, type.name) == 0;
        if (!found) fail_msg("no shape of a file of the format %s", type.name);
    }
}

/* The counter sees what the C library does, and what the library does itself. */
static void work_is_seen(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const shape blank = {"fps", "", NULL, DATA, blank_lines, NULL}, text = {"lines", "", NULL, STRINGS, letters, NULL};
    assert_true(work_of(env, &blank, 20000) - work_of(env, &blank, 10000) >= 10000);
    assert_true(work_of(env, &text, 20000) - work_of(env, &text, 10000) >= 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(work_grows_as_the_file_does),
        FILES_TEST(every_format_is_counted),
        FILES_TEST(work_is_seen),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
