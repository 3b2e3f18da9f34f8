/* Scatter plots: dots of many items as one path per colour, ellipses, labels; and workers. */
#include "report/svg.h"

#include "report/markup.h"

#include <math.h>

enum { ELLIPSE_POINTS = 40 };
#define TAU 6.283185307179586

/* A point of an ellipse at two standard deviations: mean + 2 L (cos, sin), covariance = L L'. */
static void ellipse_at(double *x, double *y, const chart_ellipse *e, size_t i)
{
    double angle = TAU * (double)i / ELLIPSE_POINTS;
    double a = sqrt(fmax(e->xx, 0)), b = a > 0 ? e->xy / a : 0;
    double rest = sqrt(fmax(e->yy - b * b, 0));
    *x = e->x + 2 * a * cos(angle);
    *y = e->y + 2 * (b * cos(angle) + rest * sin(angle));
}

static void include_all(axis_range *x, axis_range *y, const chart_point *points, size_t count,
                        const chart_ellipse *ellipses, size_t n_ellipses)
{
    for (size_t i = 0; i < count; i++) {
        axis_include(x, points[i].x);
        axis_include(y, points[i].y);
    }
    for (size_t e = 0; e < n_ellipses; e++) {
        for (size_t i = 0; i < ELLIPSE_POINTS; i++) {
            double ex, ey;
            ellipse_at(&ex, &ey, &ellipses[e], i);
            axis_include(x, ex);
            axis_include(y, ey);
        }
    }
}

/* Widens one of the ranges so that a unit is as long across as up. */
static void same_units(axis_range *x, axis_range *y, double width, double height)
{
    double across = (x->high - x->low) / width, up = (y->high - y->low) / height;
    axis_range *narrow = across < up ? x : y;
    double need = (across < up ? up * width : across * height) - (narrow->high - narrow->low);
    narrow->low -= need / 2;
    narrow->high += need / 2;
}

/* The more there are, the fainter each is. */
static void draw_ellipse(svg_plot *p, const chart_ellipse *e, size_t many)
{
    if (!isfinite(e->x + e->y + e->xx + e->xy + e->yy)) return;
    fputs("<path fill=\"none\"", p->out);
    svg_stroke(p->out, e->group);
    double faint = fmin(1, 30 / (double)many);
    fprintf(p->out, " stroke-width=\"%s\" opacity=\"", many > 30 ? "1" : "1.5");
    markup_number(p->out, faint * (0.35 + 0.65 * fmin(1, fmax(0, e->weight))) + 0.1 * (1 - faint));
    fputs("\" d=\"", p->out);
    for (size_t i = 0; i < ELLIPSE_POINTS; i++) {
        double x, y;
        ellipse_at(&x, &y, e, i);
        putc(i ? 'L' : 'M', p->out);
        markup_number(p->out, axis_at(&p->x, x));
        putc(' ', p->out);
        markup_number(p->out, axis_at(&p->y, y));
    }
    fputs("Z\"/>\n", p->out);
}

/* A dot is a line of no length with round ends: a dozen bytes each. */
static void draw_dots(svg_plot *p, const chart_point *points, size_t count, size_t colour,
                      bool marked)
{
    for (size_t i = 0; i < count; i++) {
        const chart_point *a = &points[i];
        if (a->marked != marked || (colour != SIZE_MAX && a->group % CHART_COLOURS != colour) ||
            !isfinite(a->x) || !isfinite(a->y))
            continue;
        putc('M', p->out);
        markup_number(p->out, round(10 * axis_at(&p->x, a->x)) / 10);
        putc(' ', p->out);
        markup_number(p->out, round(10 * axis_at(&p->y, a->y)) / 10);
        fputs("h0", p->out);
    }
}

static void draw_layer(svg_plot *p, const chart_point *points, size_t count, bool marked)
{
    bool small = count > 1500;
    if (marked) {
        fputs("<path stroke-linecap=\"round\"", p->out);
        svg_stroke(p->out, SVG_NO_COLOUR);
        fprintf(p->out, " stroke-width=\"%s\" d=\"M0 0", small ? "5" : "7.5");
        draw_dots(p, points, count, SIZE_MAX, true);
        fputs("\"/>\n", p->out);
    }
    for (size_t colour = 0; colour < CHART_COLOURS; colour++) {
        fputs("<path stroke-linecap=\"round\"", p->out);
        svg_stroke(p->out, colour);
        fprintf(p->out, " stroke-width=\"%s\"%s d=\"M0 0",
                marked ? (small ? "3.4" : "5") : (small ? "3" : "4"),
                marked ? "" : " opacity=\".6\"");
        draw_dots(p, points, count, colour, marked);
        fputs("\"/>\n", p->out);
    }
}

static bool any_marked(const chart_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i].marked) return true;
    }
    return false;
}

void chart_scatter(FILE *out, const chart *c, const chart_point *points, size_t count,
                   const chart_ellipse *ellipses, size_t n_ellipses, const chart_label *labels,
                   size_t n_labels)
{
    axis_range x = AXIS_EMPTY, y = AXIS_EMPTY;
    include_all(&x, &y, points, count, ellipses, n_ellipses);
    x = svg_range(&c->x, x, 0.04);
    y = svg_range(&c->y, y, 0.04);
    double width = c->width > 0 ? c->width : 440, height = c->height > 0 ? c->height : 300;
    /* The frame takes about so much of the two sides. */
    same_units(&x, &y, width - 70, height - 60);
    svg_plot p;
    svg_plot_begin(&p, out, c, x, y, NULL, 0, NULL, 0);
    draw_layer(&p, points, count, false);
    for (size_t e = 0; e < n_ellipses; e++) draw_ellipse(&p, &ellipses[e], n_ellipses);
    if (any_marked(points, count)) draw_layer(&p, points, count, true);
    svg_labels placed = {0};
    for (size_t i = 0; i < n_labels; i++) {
        if (isfinite(labels[i].x) && isfinite(labels[i].y))
            svg_place(&p, &placed, SVG_MIDDLE, axis_at(&p.x, labels[i].x),
                      axis_at(&p.y, labels[i].y) + 4, labels[i].text);
    }
    svg_end(out);
}

/* ---- workers -------------------------------------------------------------------------------- */

static void draw_cross(svg_plot *p, const chart_worker *w)
{
    double x = axis_at(&p->x, w->specificity), y = axis_at(&p->y, w->sensitivity);
    fputs("<path fill=\"none\"", p->out);
    svg_stroke(p->out, w->colour);
    fputs(" opacity=\".45\" d=\"M", p->out);
    markup_number(p->out, axis_at(&p->x, w->specificity_low));
    putc(' ', p->out);
    markup_number(p->out, y);
    putc('H', p->out);
    markup_number(p->out, axis_at(&p->x, w->specificity_high));
    putc('M', p->out);
    markup_number(p->out, x);
    putc(' ', p->out);
    markup_number(p->out, axis_at(&p->y, w->sensitivity_low));
    putc('V', p->out);
    markup_number(p->out, axis_at(&p->y, w->sensitivity_high));
    fputs("\"/>\n", p->out);
}

static double radius_of(const chart_worker *w, size_t most)
{
    return 2.5 + 6 * sqrt((double)w->answers / (double)(most ? most : 1));
}

static void draw_disc(svg_plot *p, const chart_worker *w, double radius)
{
    fputs("<circle", p->out);
    svg_fill(p->out, w->colour);
    fputs(" opacity=\".8\" cx=\"", p->out);
    markup_number(p->out, axis_at(&p->x, w->specificity));
    fputs("\" cy=\"", p->out);
    markup_number(p->out, axis_at(&p->y, w->sensitivity));
    fputs("\" r=\"", p->out);
    markup_number(p->out, radius);
    fputs("\"><title>", p->out);
    markup_short(p->out, w->name, 60);
    fprintf(p->out, ": %zu answers, sensitivity ", w->answers);
    markup_number(p->out, w->sensitivity);
    fputs(", specificity ", p->out);
    markup_number(p->out, w->specificity);
    fputs("</title></circle>\n", p->out);
}

/* Where both axes begin: 0, or higher up when nobody is near. */
static double lowest(const chart_worker *workers, size_t count)
{
    double low = 0.8;
    for (size_t m = 0; m < count; m++) {
        low = fmin(low, fmin(workers[m].sensitivity_low, workers[m].specificity_low));
    }
    return fmax(0, floor(10 * low) / 10);
}

void chart_workers(FILE *out, const chart *c, const chart_worker *workers, size_t count)
{
    chart frame = *c;
    double low = lowest(workers, count);
    axis_range range = {low, 1};
    frame.x = (chart_axis){.label = "specificity: says different when they differ"};
    frame.y = (chart_axis){.label = "sensitivity: says same when they are"};
    svg_plot p;
    svg_labels placed = {0};
    svg_plot_begin(&p, out, &frame, range, range, NULL, 0, NULL, 0);
    /* Whoever is on it might as well throw a coin: sensitivity + specificity = 1. */
    if (low < 0.5) {
        fputs("<g stroke-dasharray=\"4 4\">", out);
        svg_line(out, SVG_AXIS, axis_at(&p.x, low), axis_at(&p.y, 1 - low), axis_at(&p.x, 1 - low),
                 axis_at(&p.y, low));
        fputs("</g>\n", out);
    }
    size_t most = 0;
    for (size_t m = 0; m < count; m++) most = workers[m].answers > most ? workers[m].answers : most;
    for (size_t m = 0; m < count; m++) draw_cross(&p, &workers[m]);
    for (size_t m = 0; m < count; m++) draw_disc(&p, &workers[m], radius_of(&workers[m], most));
    if (low < 0.5)
        svg_place(&p, &placed, SVG_END, axis_at(&p.x, 1 - low) - 14, axis_at(&p.y, low) - 6,
                  "a coin");
    for (size_t m = 0; m < count; m++) {
        if (workers[m].named)
            svg_place(&p, &placed, SVG_START,
                      axis_at(&p.x, workers[m].specificity) + radius_of(&workers[m], most) + 2,
                      axis_at(&p.y, workers[m].sensitivity) + 4, workers[m].name);
    }
    svg_end(out);
}
