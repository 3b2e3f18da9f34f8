/* The nearest known word to a mistyped one. */
#include "options.h"

#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. Words longer
 * than LONGEST are nobody's typing error. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++) d[i][0] = i;
    for (size_t j = 0; j <= m; j++) d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            size_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

const char *suggest_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word), best = LONGEST;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(word, candidates[i]);
        /* An abbreviation is near, however much is missing. */
        if (length >= 3 && strncmp(word, candidates[i], length) == 0) d = 1;
        if (d < best) {
            best = d;
            nearest = candidates[i];
        }
    }
    return best <= (length + 2) / 3 ? nearest : NULL;
}
