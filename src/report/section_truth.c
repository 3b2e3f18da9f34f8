/* Against known classes: scores and the confusion table. */
#include "report/sections.h"

#include "base/status.h"
#include "report/page.h"

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

int section_truth(FILE *out, const report_view *v)
{
    if (!v->in->truth || !v->in->labels) return SCDC_OK;
    scdc_scores s;
    SCDC_TRY(scdc_score(&s, v->in->labels, scdc_labels_values(v->in->truth), v->info.items));
    page_section(out, "truth", "Against the true classes");
    page_put(out,
             "<p>The true classes were used for these scores only, not to fit.</p>\n"
             "<ul class=\"tiles\"><li><b>%q</b><small>accuracy (ACC)</small></li>"
             "<li><b>%q</b><small>NMI</small></li><li><b>%q</b><small>AMI</small></li>"
             "<li><b>%q</b><small>ARI</small></li></ul>\n",
             s.acc, s.nmi, s.ami, s.ari);
    int status = put_confusion(out, v);
    page_section_end(out);
    return status;
}
