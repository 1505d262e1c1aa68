/* mapped.c: bytes of a file that stay where they are, on the disk: the system brings them in as they are looked at, and takes
 * them back when memory is short. They are not on the env's account.
 *
 * What is mapped is the file as it lies on the disk, not a copy. A file that is replaced (written elsewhere, then renamed) is
 * still read as it was; one that is overwritten in place is read as it becomes, and where it was cut off the process gets
 * SIGBUS. The length is looked at again right before the mapping; nothing can be promised for what comes after. */
#include "base/base.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const void *rk_mapped_open(rk_mapped *m, const rk_input *in, size_t count, size_t align) {
    int fd;
    int64_t at;
    struct stat st;
    *m = (rk_mapped){0};
    if (!count || !rk_input_place(in, &fd, &at) || at % (int64_t)align) return NULL;
    if (fstat(fd, &st) != 0 || st.st_size < at || (uint64_t)(st.st_size - at) < count) return NULL;
    int64_t skip = at % sysconf(_SC_PAGESIZE);
    void *base = mmap(NULL, count + (size_t)skip, PROT_READ, MAP_PRIVATE, fd, at - skip);
    if (base == MAP_FAILED) return NULL; /* some file systems cannot, and address space may be limited */
    m->base = base;
    m->length = count + (size_t)skip;
    return (const char *)base + skip;
}

void rk_mapped_in_order(const rk_mapped *m, int on) {
    if (m->base) madvise(m->base, m->length, on ? MADV_SEQUENTIAL : MADV_NORMAL);
}

void rk_mapped_close(rk_mapped *m) {
    if (m->base) munmap(m->base, m->length);
    *m = (rk_mapped){0};
}
