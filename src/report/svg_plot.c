/* The frame of a plot: legend on top, grid and ticks, names or numbers along the axes. */
#include "report/svg.h"

#include "report/markup.h"

#include <math.h>
#include <string.h>

enum {
    GAP = 8,    /* between a text and what it belongs to */
    ROW = 20,   /* of the legend */
    SWATCH = 18 /* the piece of line before a name */
};

axis_range svg_range(const chart_axis *axis, axis_range values, double margin)
{
    if (axis->low != axis->high) return (axis_range){axis->low, axis->high};
    return axis_usable(values, margin, axis->log);
}

/* ---- legend --------------------------------------------------------------------------------- */

static void legend_entry(FILE *out, const chart_series *s, double x, double y)
{
    fputs("<path", out);
    svg_stroke(out, s->colour);
    fprintf(out, " stroke-width=\"3\"%s d=\"M", s->dashed ? " stroke-dasharray=\"5 3\"" : "");
    markup_number(out, x);
    putc(' ', out);
    markup_number(out, y - 4);
    fprintf(out, "h%d\"/>\n", SWATCH - 4);
    svg_text(out, SVG_TEXT, SVG_START, x + SWATCH, y, s->name);
}

/* Lays the names out in rows; writes them unless `out` is NULL. Returns the height. */
static double legend(FILE *out, const chart_series *series, size_t count, double width)
{
    double x = 0, y = 0;
    for (size_t i = 0; i < count; i++) {
        if (!series[i].name) continue;
        double wide = SWATCH + svg_text_width(series[i].name) + GAP;
        if (y == 0 || x + wide > width) {
            x = 4;
            y += ROW;
        }
        if (out) legend_entry(out, &series[i], x, y - 5);
        x += wide;
    }
    return y;
}

/* ---- axes ----------------------------------------------------------------------------------- */

static void y_axis(svg_plot *p, const axis_ticks *ticks, const chart_axis *axis)
{
    for (size_t i = 0; i < ticks->count; i++) {
        double y = axis_at(&p->y, ticks->at[i]);
        svg_line(p->out, SVG_GRID, p->left, y, p->right, y);
        if (!axis->blank)
            svg_text(p->out, SVG_MUTED, SVG_END, p->left - GAP, y + 4, ticks->label[i]);
    }
    if (!axis->label) return;
    fprintf(p->out, "<g transform=\"translate(%d ", SVG_FONT);
    markup_number(p->out, (p->top + p->bottom) / 2);
    fputs(") rotate(-90)\">", p->out);
    svg_text(p->out, SVG_MUTED, SVG_MIDDLE, 0, 0, axis->label);
    fputs("</g>\n", p->out);
}

static void x_ticks(svg_plot *p, const axis_ticks *ticks, const chart_axis *axis)
{
    double last = -INFINITY;
    for (size_t i = 0; i < ticks->count; i++) {
        double x = axis_at(&p->x, ticks->at[i]), half = svg_text_width(ticks->label[i]) / 2;
        svg_line(p->out, SVG_AXIS, x, p->bottom, x, p->bottom + 4);
        if (axis->blank || x - half < last) continue;
        svg_text(p->out, SVG_MUTED, SVG_MIDDLE, x, p->bottom + SVG_FONT + 6, ticks->label[i]);
        last = x + half + GAP;
    }
}

static double longest(const char *const *names, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, svg_text_width(names[i]));
    return most;
}

/* Names stand upright when they would not fit side by side (then `tall` is the room they have);
 * every second, third, ... is left out when even so they would touch. */
static void x_names(svg_plot *p, const char *const *names, size_t count, double tall)
{
    bool upright = tall > 0;
    double room = (p->right - p->left) / (double)count;
    size_t every = upright ? (size_t)ceil((SVG_FONT + 2) / room) : 1;
    for (size_t i = 0; i < count; i += every) {
        double x = axis_at(&p->x, (double)i);
        if (!upright) {
            svg_text(p->out, SVG_MUTED, SVG_MIDDLE, x, p->bottom + SVG_FONT + 5, names[i]);
            continue;
        }
        fputs("<g transform=\"translate(", p->out);
        markup_number(p->out, x + 4);
        putc(' ', p->out);
        markup_number(p->out, p->bottom + GAP);
        fputs(") rotate(-90)\">", p->out);
        svg_text_cut(p->out, SVG_MUTED, SVG_END, 0, 0, names[i],
                     (size_t)(tall / SVG_CHARACTER + 0.5));
        fputs("</g>\n", p->out);
    }
}

static double widest_label(const axis_ticks *ticks, const chart_axis *axis)
{
    double most = 0;
    for (size_t i = 0; i < ticks->count && !axis->blank; i++)
        most = fmax(most, svg_text_width(ticks->label[i]));
    return most;
}

void svg_plot_begin(svg_plot *p, FILE *out, const chart *c, axis_range x, axis_range y,
                    const chart_series *series, size_t n_series, const char *const *names,
                    size_t n_names)
{
    double width = c->width > 0 ? c->width : 440, height = c->height > 0 ? c->height : 300;
    axis_ticks across, up;
    axis_make_ticks(&up, y, (size_t)fmax(2, height / 50), c->y.log, c->y.whole);
    axis_make_ticks(&across, x, (size_t)fmax(2, width / 75), c->x.log, c->x.whole);
    *p = (svg_plot){.out = out, .x = {.values = x, .log = c->x.log}, .y = {y, 0, 0, c->y.log}};
    p->left = widest_label(&up, &c->y) + GAP + 4 + (c->y.label ? SVG_FONT + GAP : 0);
    p->right = width - 14;
    double room = n_names ? (p->right - p->left) / (double)n_names : 0;
    double tall = names ? longest(names, n_names) : 0;
    tall = tall + 10 > room ? fmin(tall, 0.4 * height) : 0;
    p->top = legend(NULL, series, n_series, width) + GAP;
    p->bottom = height - GAP - (c->x.label ? SVG_FONT + GAP : 0) -
                (tall > 0     ? tall + GAP
                 : c->x.blank ? 4
                              : SVG_FONT + 6);
    p->x.from = p->left;
    p->x.to = p->right;
    p->y.from = p->bottom;
    p->y.to = p->top;
    svg_begin(out, c, width, height);
    legend(out, series, n_series, width);
    y_axis(p, &up, &c->y);
    svg_line(out, SVG_AXIS, p->left, p->bottom, p->right, p->bottom);
    if (names) {
        x_names(p, names, n_names, tall);
    } else {
        x_ticks(p, &across, &c->x);
    }
    if (c->x.label)
        svg_text(out, SVG_MUTED, SVG_MIDDLE, (p->left + p->right) / 2, height - GAP, c->x.label);
}

void svg_error_bar(svg_plot *p, double x, double low, double high, size_t colour)
{
    if (!isfinite(low) || !isfinite(high)) return;
    double top = axis_at(&p->y, high), bottom = axis_at(&p->y, low);
    fputs("<path fill=\"none\"", p->out);
    svg_stroke(p->out, colour);
    fputs(" stroke-width=\"1.5\" d=\"M", p->out);
    markup_number(p->out, x - 3);
    putc(' ', p->out);
    markup_number(p->out, top);
    fputs("h6m-3 0V", p->out);
    markup_number(p->out, bottom);
    fputs("m-3 0h6\"/>\n", p->out);
}
