/* edit_distance.c: how far two words are apart, for suggestions. */
#include "base/shared.h"

#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

int rk_edit_distance(const char *a, const char *b) {
    enum { MAX_LENGTH = 32 };
    int la = (int)strlen(a), lb = (int)strlen(b), d[MAX_LENGTH + 1][MAX_LENGTH + 1];
    if (la > MAX_LENGTH || lb > MAX_LENGTH) return MAX_LENGTH;
    for (int i = 0; i <= la; i++) {
        for (int j = 0; j <= lb; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            int swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[la][lb];
}
