/* The latent space, the course of training, and how the run was made. */
#include "report/sections.h"

#include "base/status.h"
#include "report/figures.h"
#include "report/page.h"

#include <inttypes.h>
#include <math.h>

int section_latent(FILE *out, const report_view *v)
{
    page_section(out, "latent", "The latent space");
    if (!figure_there(FIGURE_LATENT, v)) {
        fputs("<p class=\"quiet\">The items are not at hand, so they cannot be placed.</p>\n", out);
        page_section_end(out);
        return SCDC_OK;
    }
    size_t drawn = 0, marked = 0;
    for (size_t i = 0; i < v->picks.count; i++) {
        if (!v->picks.drawn[i]) continue;
        drawn++;
        marked += v->annotated && v->annotated[v->picks.item[i]];
    }
    page_put(out,
             "<p>Where the model sees the items, in colours of their clusters (the numbers).%t "
             "Ellipses are two standard deviations of the items of a component, the stronger the "
             "larger it is.</p>\n<figure>\n",
             marked ? " Dots with a rim have answers." : "");
    int status = figure_draw(out, FIGURE_LATENT, v, false);
    page_put(out, "<figcaption>%c of %c items are drawn", drawn, v->info.items);
    if (drawn < v->info.items) fputs(", chosen at random", out);
    if (marked) page_put(out, "; %c of them have answers", marked);
    if (v->info.latent > 2)
        page_put(out, "; two principal directions of %c dimensions", v->info.latent);
    fputs(".</figcaption>\n</figure>\n", out);
    page_section_end(out);
    return status;
}

static void put_starts(FILE *out, const report_view *v)
{
    const scdc_report *in = v->in;
    page_put(out,
             "<h3>Restarts</h3>\n<p>%c starts; the one %t was kept. Starts "
             "that agree in their clusters speak for them.</p>\n"
             "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">seed</th><th "
             "scope=\"col\">bound per item</th><th scope=\"col\">answers foretold</th><th "
             "scope=\"col\">clusters</th><th></th></tr></thead>\n<tbody>\n",
             in->n_starts,
             in->starts[0].foretold < 0 ? "that foretells each answer best from all the others"
                                        : "with the highest bound");
    double items = (double)(v->info.items ? v->info.items : 1);
    for (size_t i = 0; i < in->n_starts; i++) {
        fprintf(out, "<tr><td>%" PRIu64 "</td>", in->starts[i].seed);
        page_put(out, "<td>%d</td>", in->starts[i].bound / items);
        if (in->starts[i].foretold < 0) page_put(out, "<td>%d</td>", in->starts[i].foretold);
        else fputs("<td>-</td>", out);
        page_put(out, "<td>%c</td><td class=\"l\">%t</td></tr>\n", in->starts[i].clusters,
                 in->starts[i].kept ? "kept" : "");
    }
    fputs("</tbody></table></div>\n", out);
    if (isfinite(in->stability)) {
        page_put(
            out,
            "<p>Stability %d: the mean adjusted Rand index between the starts; 1 when all find "
            "the same clusters, 0 when they agree as chance would.</p>\n",
            in->stability);
    }
}

int section_training(FILE *out, const report_view *v)
{
    static const struct {
        figure_kind kind;
        const char *caption;
    } charts[] = {
        {FIGURE_BOUND, "The bound: how well the model explains items and answers. It should rise "
                       "and level off."},
        {FIGURE_TERMS, "Its terms, without their signs, on a logarithmic axis."},
        {FIGURE_CLUSTERS, "Components that hold at least 0.2 % of the items, and clusters."},
        {FIGURE_SECONDS, "Time of each epoch."},
    };
    page_section(out, "training", "Training");
    if (!v->info.epochs_done) fputs("<p class=\"quiet\">No epoch is complete yet.</p>\n", out);
    fputs("<div class=\"charts\">\n", out);
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
        if (!figure_there(charts[i].kind, v)) continue;
        fputs("<figure>\n", out);
        SCDC_TRY(figure_draw(out, charts[i].kind, v, false));
        page_put(out, "<figcaption>%t</figcaption></figure>\n", charts[i].caption);
    }
    fputs("</div>\n", out);
    if (v->in->n_starts > 1) {
        put_starts(out, v);
    } else {
        fputs("<p class=\"quiet\">One start; --restarts tells how stable the clusters are.</p>\n",
              out);
    }
    page_section_end(out);
    return SCDC_OK;
}

static void put_options(FILE *out, const report_view *v)
{
    const scdc_options *options = scdc_model_options(v->in->model);
    const char *key;
    fputs("<details><summary>All options</summary>\n<dl>\n", out);
    for (size_t i = 0; (key = scdc_options_key(i, NULL)); i++) {
        char value[256];
        if (scdc_options_get(value, sizeof value, options, key) == SCDC_OK)
            page_put(out, "<dt>%t</dt><dd>%t</dd>\n", key, value);
    }
    fputs("</dl>\n</details>\n", out);
}

int section_origin(FILE *out, const report_view *v)
{
    page_section(out, "origin", "How it was made");
    page_put(out, "<dl>\n<dt>written by</dt><dd>scdc %t</dd>\n", scdc_version());
    page_put(out, "<dt>model</dt><dd>%t, %c epoch%t</dd>\n",
             v->info.kind == SCDC_MODEL_BAYES ? "BayesSCDC" : "SCDC (amortised)",
             v->info.epochs_done, page_plural(v->info.epochs_done));
    for (size_t i = 0; i < v->in->n_facts; i++)
        page_put(out, "<dt>%t</dt><dd><bdi>%t</bdi></dd>\n", v->in->facts[2 * i],
                 v->in->facts[2 * i + 1]);
    fputs("</dl>\n", out);
    if (v->in->command) page_put(out, "<p>To repeat it:</p>\n<pre>%t</pre>\n", v->in->command);
    put_options(out, v);
    page_section_end(out);
    return SCDC_OK;
}
