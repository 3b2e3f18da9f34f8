/* Charts as SVG: lines with error bars, grouped bars, scatter plots with ellipses, workers.
 *
 * Each function writes one <svg> element. Colours are attributes, so that a chart is complete in
 * itself; classes beside them let a page that holds chart_css() restyle it for a dark screen. Texts
 * are escaped; values that are not finite are left out. Errors stay in the stream. */
#ifndef SCDC_REPORT_CHART_H
#define SCDC_REPORT_CHART_H

#include "report/axis.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CHART_COLOURS = 10 }; /* a colour number is taken modulo this */

typedef struct chart_axis {
    const char *label;      /* may be NULL */
    double low, high;       /* equal: from the data */
    bool log, whole, blank; /* logarithmic; no ticks between whole numbers; no tick labels */
} chart_axis;

/* What all charts have. Zeros are good defaults. */
typedef struct chart {
    const char *title; /* for readers who do not see it; not drawn */
    const char *text;  /* the same: what there is to see; may be NULL */
    chart_axis x, y;
    double width, height; /* 0: 440 x 300 */
    bool standalone;      /* a file of its own: namespace and white background */
} chart;

/* One line, or one bar of each group. */
typedef struct chart_series {
    const char *name; /* in the legend; NULL: none */
    size_t count;
    const double *x; /* NULL: 0, 1, 2, ... (bars do not look at it) */
    const double *y;
    const double *low, *high; /* ends of error bars; both NULL: none */
    bool dashed, dots;        /* lines: drawn dashed; a dot at each value */
    size_t colour;
} chart_series;

void chart_lines(FILE *out, const chart *c, const chart_series *series, size_t count);
/* `names` of the groups; each series has a value for each of them. */
void chart_bars(FILE *out, const chart *c, const char *const *names, size_t groups,
                const chart_series *series, size_t count);

typedef struct chart_point {
    double x, y;
    uint32_t group; /* its colour */
    bool marked;    /* drawn with a rim */
} chart_point;

/* Two standard deviations of a normal distribution. */
typedef struct chart_ellipse {
    double x, y, xx, xy, yy; /* mean and covariance */
    uint32_t group;
    double weight; /* 0 to 1: how strongly it is drawn */
} chart_ellipse;

/* A text at a place; moved a little where it would lie over another. */
typedef struct chart_label {
    double x, y;
    const char *text;
} chart_label;

/* Both axes in the same units. */
void chart_scatter(FILE *out, const chart *c, const chart_point *points, size_t count,
                   const chart_ellipse *ellipses, size_t n_ellipses, const chart_label *labels,
                   size_t n_labels);

typedef struct chart_worker {
    const char *name;
    size_t answers; /* by the area of its disc */
    double sensitivity, specificity;
    double sensitivity_low, sensitivity_high, specificity_low, specificity_high;
    size_t colour;
    bool named; /* its name is written beside it */
} chart_worker;

/* Sensitivity (up) against specificity (right), with intervals; c's axes are not looked at. */
void chart_workers(FILE *out, const chart *c, const chart_worker *workers, size_t count);

/* The rules of a style sheet for charts inside a page: light, and dark where the reader's screen
 * is. */
void chart_css(FILE *out);

#endif
