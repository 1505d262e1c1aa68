/* tu.c: graphs in several texts. The input is up to five of them, one after another, a zero between two: edges,
 * graphs of the vertices, labels of vertices, of edges, of graphs. An empty one but the first is not there. */
#include "fuzz.h"

#include <unistd.h>

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    static const char *const parts[] = {"A", "graph_indicator", "node_labels", "edge_labels", "graph_labels"};
    char folder[] = "/dev/shm/rkhs-fuzz-XXXXXX";
    char path[128], name[128];
    FUZZ_HOLDS(mkdtemp(folder) != NULL);
    for (int i = 0; i < 5; i++) {
        const uint8_t *zero = count ? memchr(bytes, 0, count) : NULL;
        size_t length = zero ? (size_t)(zero - bytes) : count;
        snprintf(path, sizeof path, "%s/x_%s.txt", folder, parts[i]);
        if (length || i == 0) {
            FILE *file = fopen(path, "wb");
            FUZZ_HOLDS(file != NULL);
            FUZZ_HOLDS(fwrite(bytes, 1, length, file) == length);
            FUZZ_HOLDS(fclose(file) == 0);
        }
        bytes += length + (zero != NULL);
        count -= length + (zero != NULL);
    }
    snprintf(name, sizeof name, "%s/x", folder);
    rkhs_data *x = NULL;
    rkhs_status status = rkhs_data_read(env, name, "tu", &x);
    fuzz_status(env, status);
    FUZZ_HOLDS((status == RKHS_OK) == (x != NULL));
    if (x) fuzz_look(env, x);
    rkhs_data_free(x);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/x_%s.txt", folder, parts[i]);
        unlink(path);
    }
    rmdir(folder);
}
