/* Marks, the frame around a plot and its legend: what charts are made of. Only for chart_*.c. */
#ifndef SCDC_REPORT_SVG_H
#define SCDC_REPORT_SVG_H

#include "report/chart.h"

/* What a mark is for decides its colour. */
typedef enum svg_ink { SVG_TEXT, SVG_MUTED, SVG_AXIS, SVG_GRID } svg_ink;
typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

enum { SVG_FONT = 13, SVG_MOST_TEXT = 48 /* characters; longer texts are cut */ };
/* About how wide a text is as svg_text writes it, in user units. */
double svg_text_width(const char *text);
#define SVG_CHARACTER (0.6 * SVG_FONT) /* about how wide one is */

void svg_begin(FILE *out, const chart *c, double width, double height);
void svg_end(FILE *out);
void svg_line(FILE *out, svg_ink ink, double x1, double y1, double x2, double y2);
void svg_text(FILE *out, svg_ink ink, svg_anchor anchor, double x, double y, const char *text);
/* The same, cut after `most` characters. */
void svg_text_cut(FILE *out, svg_ink ink, svg_anchor anchor, double x, double y, const char *text,
                  size_t most);
/* Attributes of a mark in a series' colour: its inside, or its line. A line without a colour is as
 * dark as text. */
#define SVG_NO_COLOUR SIZE_MAX
void svg_fill(FILE *out, size_t colour);
void svg_stroke(FILE *out, size_t colour);

/* A plot: scales over the area that is left inside axes, labels and legend. */
typedef struct svg_plot {
    FILE *out;
    axis_scale x, y;
    double left, right, top, bottom;
} svg_plot;

/* Begins the element, draws legend, grid, axes and their labels. Ranges must be usable. With
 * `names` the x axis has no ticks but a name for each of the positions 0 .. n - 1. */
void svg_plot_begin(svg_plot *p, FILE *out, const chart *c, axis_range x, axis_range y,
                    const chart_series *legend, size_t n_legend, const char *const *names,
                    size_t n_names);
/* A range: what the caller asked for, else the values' with a margin. */
axis_range svg_range(const chart_axis *axis, axis_range values, double margin);
/* A vertical error bar at x. */
void svg_error_bar(svg_plot *p, double x, double low, double high, size_t colour);

/* Labels that keep out of each other's way. */
enum { SVG_MOST_LABELS = 96 };
typedef struct svg_labels {
    size_t count;
    struct {
        double left, top, right, bottom;
    } box[SVG_MOST_LABELS];
} svg_labels;
/* Writes the text at (x, y) or near it, with a rim so that it can be read over marks; leaves it out
 * when there is no room nearby. */
void svg_place(svg_plot *p, svg_labels *labels, svg_anchor anchor, double x, double y,
               const char *text);

#endif
