/* mapped.c: files that are mapped into memory instead of read.
 *
 * The system loads their pages on access and drops them when memory is short, so they do not count against the memory
 * limit. A mapping shows the file on the disk. If the file is replaced (written elsewhere, then renamed), the old one
 * is still read. If it is overwritten in place, the new bytes are read, and past its end after a truncation the
 * process gets SIGBUS. The length is checked right before the mapping; later changes cannot be detected. */
#include "base/base.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const void *rk_mapped_open(rk_mapped *m, const rk_input *in, size_t count, size_t align) {
    int fd;
    int64_t at;
    struct stat st;
    *m = (rk_mapped){0};
    if (!count || !rk_input_offset(in, &fd, &at) || at % (int64_t)align) return NULL;
    if (fstat(fd, &st) != 0 || st.st_size < at || (uint64_t)(st.st_size - at) < count) return NULL;
    int64_t skip = at % sysconf(_SC_PAGESIZE);
    void *base = mmap(NULL, count + (size_t)skip, PROT_READ, MAP_PRIVATE, fd, at - skip);
    if (base == MAP_FAILED) return NULL; /* not every file system can, and address space may be limited */
    m->base = base;
    m->length = count + (size_t)skip;
    return (const char *)base + skip;
}

void rk_mapped_sequential(const rk_mapped *m, int on) {
    if (m->base) madvise(m->base, m->length, on ? MADV_SEQUENTIAL : MADV_NORMAL);
}

void rk_mapped_close(rk_mapped *m) {
    if (m->base) munmap(m->base, m->length);
    *m = (rk_mapped){0};
}
