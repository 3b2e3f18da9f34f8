/* Against known classes: scores and the confusion table. */
#include "report/sections.h"

#include "base/status.h"
#include "report/chart.h"
#include "report/page.h"

#include <scdc/calibration.h>
#include <stdlib.h>

enum { MOST_CLASSES = 30, MOST_ROWS = 40 };

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The distinct values of the truth, sorted, in `out` [items]. */
static size_t distinct(int64_t *out, const int64_t *truth, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) out[i] = truth[i];
    qsort(out, n, sizeof *out, by_value);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || out[i] != out[i - 1]) out[count++] = out[i];
    }
    return count;
}

static void put_class(FILE *out, const scdc_labels *truth, int64_t value)
{
    char number[32];
    const char *name = scdc_labels_name(truth, value);
    snprintf(number, sizeof number, "%lld", (long long)value);
    page_put(out, "<th scope=\"col\"><bdi class=\"name\">%n</bdi></th>", name ? name : number);
}

static void put_row(FILE *out, const report_view *v, size_t c, const size_t *cells, size_t classes)
{
    page_put(out, "<tr><th scope=\"row\">%u</th>", (size_t)v->number[c]);
    for (size_t j = 0; j < classes; j++) {
        double share = (double)cells[j] / (double)(v->cluster[c].items ? v->cluster[c].items : 1);
        if (cells[j]) {
            page_put(out, "<td style=\"background:rgba(var(--heat),%f)\">%c</td>", 0.7 * share,
                     cells[j]);
        } else {
            fputs("<td></td>", out);
        }
    }
    fputs("</tr>\n", out);
}

static int put_confusion(FILE *out, const report_view *v)
{
    const int64_t *truth = scdc_labels_values(v->in->truth);
    size_t n = v->info.items, *cells = NULL;
    int64_t *values;
    SCDC_TRY(mem_zeroed(&values, n, sizeof *values, "classes"));
    size_t classes = distinct(values, truth, n);
    size_t shown = classes < MOST_CLASSES ? classes : MOST_CLASSES;
    size_t rows = v->clusters < MOST_ROWS ? v->clusters : MOST_ROWS;
    int status = mem_zeroed(&cells, v->clusters * shown, sizeof *cells, "the confusion table");
    if (status != SCDC_OK) goto done;
    for (size_t i = 0; i < n; i++) {
        const int64_t *at = bsearch(&truth[i], values, classes, sizeof *values, by_value);
        size_t j = (size_t)(at - values);
        if (j < shown) cells[(size_t)v->in->labels[i] * shown + j]++;
    }
    fputs("<div class=\"scroll\"><table class=\"heat\">\n<caption class=\"l quiet\">Items of each "
          "cluster (rows) by true class (columns)</caption>\n<thead><tr><td></td>",
          out);
    for (size_t j = 0; j < shown; j++) put_class(out, v->in->truth, values[j]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < rows; i++)
        put_row(out, v, v->order[i], cells + v->order[i] * shown, shown);
    fputs("</tbody></table></div>\n", out);
    if (shown < classes || rows < v->clusters)
        page_put(out, "<p class=\"quiet\">%c of %c classes and %c of %c clusters are shown.</p>\n",
                 shown, classes, rows, v->clusters);
done:
    mem_free(cells);
    mem_free(values);
    return status;
}

/* The share of right labels over what they promise; on the dashed line promises are kept. */
static void put_reliability(FILE *out, const scdc_calibration *c)
{
    static const double ends[2] = {0, 1};
    double promised[SCDC_CALIBRATION_BINS], right[SCDC_CALIBRATION_BINS];
    size_t used = 0;
    for (size_t b = 0; b < SCDC_CALIBRATION_BINS; b++) {
        if (!c->bin_items[b]) continue;
        promised[used] = c->bin_probability[b];
        right[used++] = c->bin_right[b];
    }
    const chart_series lines[2] = {
        {.name = "promises kept", .count = 2, .x = ends, .y = ends, .dashed = true, .colour = 7},
        {.name = "labels", .count = used, .x = promised, .y = right, .dots = true}};
    chart frame = {.title = "How far probabilities can be believed",
                   .text = "the share of right labels over their probability, in ten steps",
                   .x = {.label = "probability", .low = 0, .high = 1},
                   .y = {.label = "share that is right", .low = 0, .high = 1.02},
                   .width = 340,
                   .height = 300};
    page_put(out,
             "<p>Probabilities are %q on average where %q of the labels are right; they are off by "
             "%q on average (expected calibration error).</p>\n<figure>",
             c->probability, c->right, c->ece);
    chart_lines(out, &frame, lines, 2);
    fputs("</figure>\n", out);
}

int section_truth(FILE *out, const report_view *v)
{
    if (!v->in->truth || !v->in->labels) return SCDC_OK;
    scdc_scores s;
    scdc_calibration c;
    const int64_t *truth = scdc_labels_values(v->in->truth);
    SCDC_TRY(scdc_score(&s, v->in->labels, truth, v->info.items));
    SCDC_TRY(scdc_calibrate(&c, v->in->labels, v->in->probability, truth, v->info.items));
    page_section(out, "truth", "Against the true classes");
    page_put(out,
             "<p>The true classes were used for these scores only, not to fit.</p>\n"
             "<ul class=\"tiles\"><li><b>%q</b><small>accuracy (ACC)</small></li>"
             "<li><b>%q</b><small>NMI</small></li><li><b>%q</b><small>AMI</small></li>"
             "<li><b>%q</b><small>ARI</small></li></ul>\n",
             s.acc, s.nmi, s.ami, s.ari);
    put_reliability(out, &c);
    int status = put_confusion(out, v);
    page_section_end(out);
    return status;
}
