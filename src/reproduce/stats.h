/* Mean and spread of a few runs, and how such numbers are written. */
#ifndef SCDC_REPRODUCE_STATS_H
#define SCDC_REPRODUCE_STATS_H

#include <stddef.h>

/* Filled by stats_add; a zeroed one is empty. */
typedef struct stats {
    size_t count;
    double mean;
    double squares; /* of the distances from the mean, summed */
} stats;

/* A value that is not a number is left out. */
void stats_add(stats *s, double value);
/* Standard deviation of the runs themselves, as error bars in papers are drawn; 0 for one run. */
double stats_spread(const stats *s);

/* ".956" or "11.2": without the zero before the point; "-" when it is not a number. */
void stats_number(char *out, size_t size, double value, int decimals);
/* ".956 ± .013 (10)": mean, standard deviation, runs; without the deviation for one run; "-" for
 * none. */
void stats_text(char *out, size_t size, const stats *s, int decimals);

#endif
