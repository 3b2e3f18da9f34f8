/* Workers: the plot, what the flags mean, and a table that can be sorted. */
#include "report/sections.h"

#include "base/status.h"
#include "report/chart.h"
#include "report/figures.h"
#include "report/page.h"

#include <math.h>

enum { MOST_ROWS = 300 };

static void put_keys(FILE *out, const report_view *v)
{
    size_t count[WORKER_FLAGS] = {0};
    for (size_t m = 0; m < v->info.workers; m++) count[v->flags[m]]++;
    fputs("<div class=\"keys\">", out);
    for (worker_flag f = WORKER_FINE; f < WORKER_FLAGS; f++) {
        if (!count[f]) continue;
        page_put(out, "<span><i class=\"dot f%u\"></i>%c %t</span>", figure_flag_colour(f),
                 count[f], f == WORKER_FINE ? "fine" : worker_flag_name(f));
    }
    fputs("</div>\n", out);
}

/* Those it would be unfair not to explain. */
static void put_suspects(FILE *out, const report_view *v)
{
    enum { MOST = 30 };
    size_t listed = 0, suspects = 0;
    for (size_t m = 0; m < v->info.workers; m++)
        suspects += v->flags[m] != WORKER_FINE && v->flags[m] != WORKER_UNKNOWN;
    if (!suspects) return;
    fputs("<div>\n<h3>Look at these</h3>\n<ul>\n", out);
    for (size_t m = 0; m < v->info.workers && listed < MOST; m++) {
        const scdc_worker *w = &v->workers[m];
        if (v->flags[m] == WORKER_FINE || v->flags[m] == WORKER_UNKNOWN) continue;
        page_put(out,
                 "<li><b><bdi>%n</bdi></b>: <span class=\"flag\">%t</span>, %t (from %c "
                 "answer%t)</li>\n",
                 w->name, worker_flag_name(v->flags[m]), worker_flag_meaning(v->flags[m]),
                 w->answers, page_plural(w->answers));
        listed++;
    }
    fputs("</ul>\n", out);
    if (listed < suspects) page_put(out, "<p class=\"quiet\">and %c more</p>\n", suspects - listed);
    fputs("</div>\n", out);
}

/* ---- table ---------------------------------------------------------------------------------- */

static void put_interval(FILE *out, double value, double low, double high)
{
    page_put(out, "<td data-v=\"%f\">%d <small>%d\xE2\x80\x93%d</small></td>", value, value, low,
             high);
}

/* What the bars of all rows have in common. */
typedef struct bars {
    double largest, zero; /* largest weight without its sign; where 0 is, of 120 */
} bars;

/* To the right for what counts, to the left for what counts against. */
static void put_weight(FILE *out, double weight, const bars *b, size_t colour)
{
    double wide = b->largest > 0 ? (118 - b->zero) * fabs(weight) / b->largest : 0;
    page_put(out, "<td data-v=\"%f\">%d</td><td><svg viewBox=\"0 0 120 14\" aria-hidden=\"true\">",
             weight, weight);
    page_put(out, "<rect class=\"f%u\" x=\"%f\" y=\"2\" width=\"%f\" height=\"10\"/>", colour,
             weight < 0 ? b->zero - wide : b->zero, wide);
    page_put(out, "<path class=\"axis\" d=\"M%f 0V14\"/></svg></td>", b->zero);
}

static void put_row(FILE *out, const scdc_worker *w, worker_flag flag, const bars *b)
{
    page_put(out, "<tr><td><bdi class=\"name\" title=\"%n\">%n</bdi></td>", w->name, w->name);
    page_put(out, "<td data-v=\"%u\">%c</td>", w->answers, w->answers);
    put_interval(out, w->sensitivity, w->sensitivity_low, w->sensitivity_high);
    put_interval(out, w->specificity, w->specificity_low, w->specificity_high);
    put_weight(out, w->weight, b, figure_flag_colour(flag));
    page_put(out, "<td class=\"l flag\">%t</td></tr>\n", worker_flag_name(flag));
}

static void put_table(FILE *out, const report_view *v)
{
    static const char *const heads[] = {"worker", "answers", "sensitivity", "specificity",
                                        "weight", NULL,      "flag"};
    bars b = {0, 1};
    size_t shown = v->info.workers < MOST_ROWS ? v->info.workers : MOST_ROWS;
    for (size_t m = 0; m < shown; m++) {
        b.largest = fmax(b.largest, fabs(v->workers[m].weight));
        if (v->workers[m].weight < 0) b.zero = 60;
    }
    fputs("<h3>All workers</h3>\n<div class=\"scroll\"><table>\n<thead><tr>", out);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (heads[i]) {
            page_put(out, "<th scope=\"col\" class=\"%t\"><button type=\"button\">%t</button></th>",
                     i == 6 ? "l" : "r", heads[i]);
        } else {
            fputs("<td></td>", out);
        }
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t m = 0; m < shown; m++) put_row(out, &v->workers[m], v->flags[m], &b);
    fputs("</tbody></table></div>\n", out);
    if (shown < v->info.workers)
        page_put(out, "<p class=\"quiet\">The first %c of %c workers; workers.csv has all.</p>\n",
                 shown, v->info.workers);
}

int section_workers(FILE *out, const report_view *v)
{
    page_section(out, "workers", "Workers");
    if (!v->info.workers) {
        fputs("<p class=\"quiet\">There were no answers.</p>\n", out);
        page_section_end(out);
        return SCDC_OK;
    }
    fputs(
        "<p>Right and up is good: lines are 95\xE2\x80\xAF% intervals, and the larger a disc, the "
        "more answers. Whoever is on the line of a coin (sensitivity + specificity = 1) tells "
        "nothing; whoever is below it answers the wrong way round, and the model turns the "
        "answers.</p>\n<div class=\"charts\">\n<figure>\n",
        out);
    int status = figure_draw(out, FIGURE_WORKERS, v, false);
    put_keys(out, v);
    fputs("</figure>\n", out);
    put_suspects(out, v);
    fputs("</div>\n", out);
    put_table(out, v);
    page_section_end(out);
    return status;
}
