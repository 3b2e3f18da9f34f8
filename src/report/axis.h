/* From values to positions on an axis: ranges, linear and logarithmic scales, round tick marks. */
#ifndef SCDC_REPORT_AXIS_H
#define SCDC_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct axis_range {
    double low, high; /* low > high: nothing seen yet */
} axis_range;
#define AXIS_EMPTY                                                                                 \
    (axis_range)                                                                                   \
    {                                                                                              \
        1, -1                                                                                      \
    }
/* Widens the range to hold the value; what is not finite is left out. */
void axis_include(axis_range *range, double value);
/* A range that can be drawn: an empty or single-valued one gets a width, a logarithmic one becomes
 * positive; `margin` is added on both sides as a share of the width. */
axis_range axis_usable(axis_range range, double margin, bool log);

typedef struct axis_scale {
    axis_range values;
    double from, to; /* positions of low and high */
    bool log;
} axis_scale;
/* Position of a value; held inside the axis. */
double axis_at(const axis_scale *scale, double value);

enum { AXIS_MOST_TICKS = 16, AXIS_LABEL = 24 };
typedef struct axis_ticks {
    size_t count;
    double at[AXIS_MOST_TICKS];
    char label[AXIS_MOST_TICKS][AXIS_LABEL]; /* UTF-8; large values share k, M or G */
} axis_ticks;
/* About `wanted` round values inside the range; `whole` allows no fractions. */
void axis_make_ticks(axis_ticks *out, axis_range range, size_t wanted, bool log, bool whole);

#endif
