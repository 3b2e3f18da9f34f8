/* Line charts with error bars, and grouped bars. */
#include "report/svg.h"

#include "report/markup.h"

#include <math.h>

static double x_of(const chart_series *s, size_t i)
{
    return s->x ? s->x[i] : (double)i;
}

static void include_values(axis_range *range, const chart_series *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(s->y[i])) continue;
        axis_include(range, s->y[i]);
        if (s->low) axis_include(range, s->low[i]);
        if (s->high) axis_include(range, s->high[i]);
    }
}

static void put_point(FILE *out, char command, double x, double y)
{
    putc(command, out);
    markup_number(out, x);
    putc(' ', out);
    markup_number(out, y);
}

/* One path; values that are not finite interrupt it. */
static void draw_line(svg_plot *p, const chart_series *s)
{
    fputs("<path fill=\"none\"", p->out);
    svg_stroke(p->out, s->colour);
    fprintf(p->out, " stroke-width=\"2\" stroke-linejoin=\"round\"%s d=\"M",
            s->dashed ? " stroke-dasharray=\"6 4\"" : "");
    bool down = false, first = true;
    for (size_t i = 0; i < s->count; i++) {
        double x = x_of(s, i);
        bool good = isfinite(s->y[i]) && isfinite(x);
        if (good) {
            char command = down ? 'L' : first ? ' ' : 'M';
            put_point(p->out, command, axis_at(&p->x, x), axis_at(&p->y, s->y[i]));
            first = false;
        }
        down = good;
    }
    fputs(first ? "0 0\"/>\n" : "\"/>\n", p->out);
}

static void draw_dots(svg_plot *p, const chart_series *s)
{
    fputs("<path stroke-linecap=\"round\"", p->out);
    svg_stroke(p->out, s->colour);
    fputs(" stroke-width=\"6\" d=\"M0 0", p->out);
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(s->y[i]) || !isfinite(x_of(s, i))) continue;
        put_point(p->out, 'M', axis_at(&p->x, x_of(s, i)), axis_at(&p->y, s->y[i]));
        fputs("h0", p->out);
    }
    fputs("\"/>\n", p->out);
}

void chart_lines(FILE *out, const chart *c, const chart_series *series, size_t count)
{
    axis_range x = AXIS_EMPTY, y = AXIS_EMPTY;
    bool dots = false; /* which want room at the ends */
    for (size_t s = 0; s < count; s++) {
        for (size_t i = 0; i < series[s].count; i++) axis_include(&x, x_of(&series[s], i));
        include_values(&y, &series[s]);
        dots = dots || series[s].dots;
    }
    svg_plot p;
    svg_plot_begin(&p, out, c, svg_range(&c->x, x, dots ? 0.03 : 0), svg_range(&c->y, y, 0.06),
                   series, count, NULL, 0);
    for (size_t s = 0; s < count; s++) {
        const chart_series *one = &series[s];
        for (size_t i = 0; one->low && one->high && i < one->count; i++) {
            if (isfinite(one->y[i]))
                svg_error_bar(&p, axis_at(&p.x, x_of(one, i)), one->low[i], one->high[i],
                              one->colour);
        }
        if (one->count > 1) draw_line(&p, one);
        if (one->dots || one->count == 1) draw_dots(&p, one);
    }
    svg_end(out);
}

/* ---- bars ----------------------------------------------------------------------------------- */

static void draw_bar(svg_plot *p, double left, double width, double zero, double value,
                     size_t colour)
{
    double a = axis_at(&p->y, zero), b = axis_at(&p->y, value);
    fputs("<rect", p->out);
    svg_fill(p->out, colour);
    const struct {
        const char *name;
        double value;
    } sides[] = {{"x", left}, {"y", fmin(a, b)}, {"width", width}, {"height", fabs(a - b)}};
    for (size_t i = 0; i < 4; i++) {
        fprintf(p->out, " %s=\"", sides[i].name);
        markup_number(p->out, sides[i].value);
        putc('"', p->out);
    }
    fputs("/>\n", p->out);
}

void chart_bars(FILE *out, const chart *c, const char *const *names, size_t groups,
                const chart_series *series, size_t count)
{
    axis_range y = AXIS_EMPTY;
    if (!c->y.log) axis_include(&y, 0); /* a bar's length is its value */
    for (size_t s = 0; s < count; s++) include_values(&y, &series[s]);
    axis_range usable = svg_range(&c->y, y, 0.06);
    if (c->y.low == c->y.high && !c->y.log && y.low == 0) usable.low = 0;
    svg_plot p;
    axis_range x = {-0.5, groups ? (double)groups - 0.5 : 0.5};
    svg_plot_begin(&p, out, c, x, usable, series, count, names, groups);
    double zero = c->y.log ? usable.low : fmax(usable.low, fmin(usable.high, 0));
    double group = groups ? (p.right - p.left) / (double)groups : 0;
    double wide = count ? 0.8 * group / (double)count : 0;
    for (size_t s = 0; s < count; s++) {
        for (size_t g = 0; g < groups && g < series[s].count; g++) {
            if (!isfinite(series[s].y[g])) continue;
            double left = axis_at(&p.x, (double)g) - 0.4 * group + (double)s * wide;
            double gap = wide > 6 ? 1 : 0;
            draw_bar(&p, left + gap / 2, wide - gap, zero, series[s].y[g], series[s].colour);
        }
    }
    /* Over all bars, and dark, so that they show on their own bar. */
    for (size_t s = 0; s < count; s++) {
        const chart_series *one = &series[s];
        for (size_t g = 0; one->low && one->high && g < groups && g < one->count; g++) {
            double middle = axis_at(&p.x, (double)g) - 0.4 * group + ((double)s + 0.5) * wide;
            if (isfinite(one->y[g]))
                svg_error_bar(&p, middle, one->low[g], one->high[g], SVG_NO_COLOUR);
        }
    }
    svg_line(out, SVG_AXIS, p.left, axis_at(&p.y, zero), p.right, axis_at(&p.y, zero));
    svg_end(out);
}
