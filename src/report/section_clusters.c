/* Clusters: a table, and a card for each of the largest with its pictures or its mean profile. */
#include "report/sections.h"

#include "base/status.h"
#include "data/data.h"
#include "report/chart.h"
#include "report/page.h"
#include "report/pictures.h"
#include "report/profiles.h"

enum { MOST_ROWS = 200, MOST_MODES = 4 };

/* ---- table ---------------------------------------------------------------------------------- */

static void share_bar(FILE *out, double share, size_t colour)
{
    page_put(out,
             "<td><svg viewBox=\"0 0 120 14\" aria-hidden=\"true\"><rect class=\"f%u\" y=\"2\" "
             "height=\"10\" width=\"%f\"/></svg></td>",
             colour % CHART_COLOURS, 120 * share);
}

static void table_row(FILE *out, const report_view *v, size_t c, double largest)
{
    const view_cluster *one = &v->cluster[c];
    page_put(out, "<tr><td data-v=\"%u\"><span class=\"dot f%u\"></span> %u</td>",
             (size_t)v->number[c], c % CHART_COLOURS, (size_t)v->number[c]);
    if (v->in->labels) page_put(out, "<td data-v=\"%u\">%c</td>", one->items, one->items);
    page_put(out, "<td>%p</td>", one->share);
    if (v->in->labels) {
        if (one->items) {
            page_put(out, "<td>%q</td>", one->confidence);
        } else {
            fputs("<td>\xE2\x80\x93</td>", out);
        }
    }
    page_put(out, "<td>%u</td>", one->modes);
    share_bar(out, one->share / (largest > 0 ? largest : 1), c);
    fputs("</tr>\n", out);
}

static void put_table(FILE *out, const report_view *v)
{
    size_t shown = v->clusters < MOST_ROWS ? v->clusters : MOST_ROWS;
    double largest = v->clusters ? v->cluster[v->order[0]].share : 1;
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">cluster</th>", out);
    if (v->in->labels) fputs("<th scope=\"col\">items</th>", out);
    fputs("<th scope=\"col\">share</th>", out);
    if (v->in->labels) fputs("<th scope=\"col\">probability</th>", out);
    fputs("<th scope=\"col\">components</th><td></td></tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < shown; i++) table_row(out, v, v->order[i], largest);
    fputs("</tbody></table></div>\n", out);
    if (shown < v->clusters)
        page_put(out, "<p class=\"quiet\">The %c largest of %c clusters are shown.</p>\n", shown,
                 v->clusters);
}

/* ---- cards ---------------------------------------------------------------------------------- */

typedef struct cards {
    const report_view *view;
    pictures pictures;
    profiles profiles;
    float *made; /* [clusters][VIEW_STRIP][D] generated items, or NULL */
} cards;

static int put_items(FILE *out, const cards *k, const char *heading, const uint32_t *items,
                     size_t count, size_t c)
{
    const report_view *v = k->view;
    const float *values[VIEW_STRIP];
    size_t found = 0, pick;
    for (size_t i = 0; i < count; i++) {
        if (view_find(&pick, v, items[i])) values[found++] = view_picture(v, pick);
    }
    if (!found) return SCDC_OK;
    char alt[80];
    snprintf(alt, sizeof alt, "%zu items of cluster %lld: %s", found, (long long)v->number[c],
             heading);
    page_put(out, "<h4>%t</h4>\n", heading);
    return pictures_strip(out, &k->pictures, values, found, 0, alt);
}

static int put_made(FILE *out, const cards *k, size_t c)
{
    const report_view *v = k->view;
    const float *values[VIEW_STRIP];
    char alt[80];
    for (size_t i = 0; i < VIEW_STRIP; i++)
        values[i] = k->made + (c * VIEW_STRIP + i) * v->info.cols;
    snprintf(alt, sizeof alt, "%d made-up items of cluster %lld", VIEW_STRIP,
             (long long)k->view->number[c]);
    fputs("<h4>made up by the model</h4>\n", out);
    bool shares = v->info.likelihood == SCDC_LIKELIHOOD_BERNOULLI;
    return pictures_strip(out, &k->pictures, values, VIEW_STRIP, shares ? 1 : 0, alt);
}

/* Components inside the cluster, the largest first. */
static void put_modes(FILE *out, const report_view *v, size_t c)
{
    size_t list[MOST_MODES], count = 0;
    if (v->cluster[c].modes < 2) return;
    for (size_t k = 0; k < v->info.components; k++) {
        if (v->cluster_of[k] != (int64_t)c) continue;
        size_t at = count < MOST_MODES ? count++ : MOST_MODES;
        if (at == MOST_MODES) {
            if (v->proportions[k] <= v->proportions[list[at - 1]]) continue;
            at--;
        }
        for (; at > 0 && v->proportions[list[at - 1]] < v->proportions[k]; at--)
            list[at] = list[at - 1];
        list[at] = k;
    }
    page_put(out, "<h4>%c components</h4>\n<p>", v->cluster[c].modes);
    for (size_t i = 0; i < count; i++)
        page_put(out, "%t%u (%p)", i ? ", " : "", list[i], v->proportions[list[i]]);
    if (count < v->cluster[c].modes) page_put(out, " and %c smaller", v->cluster[c].modes - count);
    fputs("</p>\n", out);
}

static void put_names(FILE *out, const report_view *v, const view_cluster *one)
{
    char buffer[32];
    fputs("<h4>most typical items</h4>\n<p class=\"quiet\">", out);
    for (size_t i = 0; i < one->n_typical && i < 5; i++)
        page_put(out, "%t<bdi>%n</bdi>", i ? ", " : "", item_name(buffer, v, one->typical[i]));
    fputs("</p>\n", out);
}

static int put_card(FILE *out, const cards *k, size_t c)
{
    const report_view *v = k->view;
    const view_cluster *one = &v->cluster[c];
    page_put(out,
             "<article class=\"card\">\n<h3><span class=\"dot f%u\"></span>Cluster %u</h3>\n"
             "<p class=\"quiet\">%c item%t, %p, probability %q</p>\n",
             c % CHART_COLOURS, (size_t)v->number[c], one->items, page_plural(one->items),
             one->share, one->confidence);
    if (v->images) {
        SCDC_TRY(put_items(out, k, "most typical", one->typical, one->n_typical, c));
        SCDC_TRY(put_items(out, k, "least certain", one->unsure, one->n_unsure, c));
        if (!v->apart) SCDC_TRY(put_made(out, k, c)); /* it makes embeddings up, not pictures */
    } else {
        profiles_draw(out, &k->profiles, c);
        put_names(out, v, one);
    }
    put_modes(out, v, c);
    fputs("</article>\n", out);
    return SCDC_OK;
}

static int cards_prepare(cards *k, const report_view *v)
{
    if (!v->images) return profiles_create(&k->profiles, v);
    size_t total;
    k->pictures = pictures_of(v);
    if (v->apart) return SCDC_OK;
    if (!size_mul(&total, v->clusters * VIEW_STRIP, v->info.cols))
        return fail_memory(SIZE_MAX, "made-up items");
    SCDC_TRY(mem_zeroed(&k->made, total, sizeof *k->made, "made-up items"));
    return scdc_sample(k->made, total, v->in->model, 0, VIEW_STRIP, 1);
}

static int put_cards(FILE *out, const report_view *v)
{
    cards k = {.view = v};
    int status = cards_prepare(&k, v);
    if (!v->images)
        fputs("<p class=\"quiet\">Profiles: the mean of each value over the items of the cluster, "
              "in standard deviations from the mean over all items.</p>\n",
              out);
    fputs("<div class=\"cards\">\n", out);
    for (size_t i = 0; i < v->cards && status == SCDC_OK; i++) {
        if (v->cluster[v->order[i]].items) status = put_card(out, &k, v->order[i]);
    }
    fputs("</div>\n", out);
    if (v->cards < v->clusters)
        page_put(out, "<p class=\"quiet\">Only the %c largest clusters have a card.</p>\n",
                 v->cards);
    mem_free(k.made);
    profiles_free(&k.profiles);
    return status;
}

int section_clusters(FILE *out, const report_view *v)
{
    page_section(out, "clusters", "Clusters");
    put_table(out, v);
    int status = SCDC_OK;
    if (v->picks.count) {
        status = put_cards(out, v);
    } else {
        fputs("<p class=\"quiet\">The items are not at hand, so there are no pictures or "
              "profiles.</p>\n",
              out);
    }
    page_section_end(out);
    return status;
}
