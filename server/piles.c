/* Comparing piles. */
#include "piles.h"

#include "board.h"

#include <stdlib.h>
#include <string.h>

void piles_read(unsigned char *out, uint32_t count, const char *value)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = *value == '?' ? PILE_UNSURE : (unsigned char)strtoul(value, NULL, 10);
        value += strcspn(value, " ");
        if (*value) value++;
    }
}

double piles_alike(const unsigned char *a, const unsigned char *b, uint32_t count)
{
    size_t same = 0, all = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            if (a[i] == PILE_UNSURE || a[j] == PILE_UNSURE || b[i] == PILE_UNSURE ||
                b[j] == PILE_UNSURE)
                continue;
            all++;
            same += (a[i] == a[j]) == (b[i] == b[j]);
        }
    }
    return all ? (double)same / (double)all : -1;
}

/* Do the answers agree about all items but `without`? */
static bool agree_without(const unsigned char *a, const unsigned char *b, uint32_t count,
                          uint32_t without)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i == without) continue;
        if (a[i] == PILE_UNSURE || b[i] == PILE_UNSURE) return false;
        for (uint32_t j = 0; j < i; j++) {
            if (j != without && (a[i] == a[j]) != (b[i] == b[j])) return false;
        }
    }
    return true;
}

bool piles_right(const char *truth, const char *value, uint32_t count)
{
    unsigned char a[LARGEST_SET], b[LARGEST_SET];
    piles_read(a, count, truth);
    piles_read(b, count, value);
    /* Of two or three items a slip would leave next to nothing to be right about. */
    if (count < 4) return agree_without(a, b, count, count);
    for (uint32_t i = 0; i < count; i++) {
        if (agree_without(a, b, count, i)) return true;
    }
    return false;
}
