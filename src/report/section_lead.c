/* The two sentences at the top: what was clustered, what was found, how sure, how good the crowd
 * was. */
#include "report/sections.h"

#include "report/page.h"

#include <stdlib.h>

const char *item_name(char buffer[32], const report_view *v, size_t item)
{
    const scdc_data *source = v->in->names ? v->in->names : v->in->data;
    const char *name = source ? scdc_data_name(source, item) : NULL;
    if (name) return name;
    snprintf(buffer, 32, "item %zu", item);
    return buffer;
}

static void say_found(FILE *out, const report_view *v)
{
    const scdc_model_info *i = &v->info;
    size_t held = 0;
    for (size_t c = 0; c < v->clusters; c++) held += v->cluster[c].items > 0;
    if (!v->in->labels) held = v->clusters;
    page_put(out, "<b>%c %t</b> ", i->items, v->images ? "images" : "items");
    if (v->images && !v->apart) {
        page_put(out, "of %u \xC3\x97 %u pixels ", i->width, i->height);
    } else {
        page_put(out, "of %c value%t ", i->cols, page_plural(i->cols));
    }
    page_put(out, "fell into <b>%c cluster%t</b>, made of %c mixture component%t", held,
             page_plural(held), i->live_components, page_plural(i->live_components));
    if (v->in->labels) {
        page_put(out, "; on average the cluster of an item has probability <b>%q</b>, and ",
                 v->confidence);
        if (v->doubtful) {
            page_put(out, "%c item%t (%p) remain%t in doubt, below 0.6", v->doubtful,
                     page_plural(v->doubtful),
                     (double)v->doubtful / (double)(i->items ? i->items : 1),
                     v->doubtful == 1 ? "s" : "");
        } else {
            fputs("none is in doubt", out);
        }
    }
    fputs(". ", out);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Median of a field of the workers, sorted through a copy in `scratch`. */
static double median(double *scratch, const report_view *v, int specificity)
{
    size_t n = v->info.workers;
    for (size_t m = 0; m < n; m++)
        scratch[m] = specificity ? v->workers[m].specificity : v->workers[m].sensitivity;
    qsort(scratch, n, sizeof *scratch, by_value);
    return n % 2 ? scratch[n / 2] : (scratch[n / 2 - 1] + scratch[n / 2]) / 2;
}

static void say_suspects(FILE *out, const report_view *v)
{
    size_t count[WORKER_FLAGS] = {0};
    for (size_t m = 0; m < v->info.workers; m++) count[v->flags[m]]++;
    size_t sided = count[WORKER_SAME] + count[WORKER_DIFFERENT];
    size_t bad = count[WORKER_RANDOM] + count[WORKER_INVERTED] + sided;
    if (!bad) {
        fputs("; nobody stands out as random, one-sided or inverted", out);
        return;
    }
    page_put(out, "; %c of them look%t suspicious (%c random, %c one-sided, %c inverted)", bad,
             bad == 1 ? "s" : "", count[WORKER_RANDOM], sided, count[WORKER_INVERTED]);
}

/* All answers together, where they are at hand: the estimate of a single worker with few answers is
 * drawn towards 1/2 by its prior, and so is the median of many such workers. */
static void say_skill(FILE *out, const report_view *v)
{
    double *scratch, skill[2];
    bool pooled = v->asked[0] && v->asked[1];
    if (pooled) {
        for (int i = 0; i < 2; i++) skill[i] = (double)v->agreed[i] / (double)v->asked[i];
    } else {
        size_t n = v->info.workers;
        if (mem_zeroed(&scratch, n, sizeof *scratch, "workers") != SCDC_OK) return;
        for (int i = 0; i < 2; i++) skill[i] = median(scratch, v, !i);
        mem_free(scratch);
    }
    page_put(out,
             ", says &#8220;same&#8221; of items that belong together %p of the time and "
             "&#8220;different&#8221; of items that do not %p%t",
             skill[1], skill[0], pooled ? "" : " (medians of the workers)");
}

static void say_crowd(FILE *out, const report_view *v)
{
    size_t n = v->info.workers;
    if (!n) {
        fputs("No answers were used: the clusters come from the items alone.", out);
        return;
    }
    page_put(out, "The crowd, %c worker%t with <b>%c answer%t</b>", n, page_plural(n),
             v->info.answers, page_plural(v->info.answers));
    if (v->n_annotated)
        page_put(out, " about %c item%t", v->n_annotated, page_plural(v->n_annotated));
    say_skill(out, v);
    say_suspects(out, v);
    putc('.', out);
}

void section_lead(FILE *out, const report_view *v)
{
    fputs("<p class=\"lead\">", out);
    say_found(out, v);
    say_crowd(out, v);
    fputs("</p>\n", out);
    for (size_t i = 0; i < v->in->n_notes; i++)
        page_put(out, "<p class=\"note\">%t</p>\n", v->in->notes[i]);
    if (!v->in->labels)
        fputs("<p class=\"note\">The fit has placed no items yet; what follows is what the model "
              "itself tells.</p>\n",
              out);
}
