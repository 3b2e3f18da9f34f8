/* Clusters by number, as labels show them, and by position among a model's clusters. */
#ifndef SCDC_REPORT_CLUSTER_NUMBERS_H
#define SCDC_REPORT_CLUSTER_NUMBERS_H

#include <scdc/update.h>

/* Position of a number among `count` increasing ones; count: it is none of them. */
static inline size_t cluster_position(const int64_t *numbers, size_t count, int64_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (numbers[middle] < number) low = middle + 1;
        else high = middle;
    }
    return low < count && numbers[low] == number ? low : count;
}

#endif
