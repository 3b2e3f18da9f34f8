/* Answers that the clusters contradict, and items whose cluster is least certain. */
#include "report/sections.h"

#include "base/status.h"
#include "report/page.h"
#include "report/pictures.h"

#include <math.h>

/* No model is certain: a probability that was rounded to 1 is not called 100 %. */
#define ALMOST_CERTAIN 0.9999
/* An answer about an item that is as sure as this would tell nothing. */
#define SURE 0.99

/* One picture of one or two items, when they can be shown. */
static int put_pictures(FILE *out, const report_view *v, const pictures *p, const uint32_t *items,
                        size_t count, const char *alt)
{
    const float *values[2];
    for (size_t i = 0; i < count; i++) {
        size_t pick;
        if (!p || !view_find(&pick, v, items[i])) return SCDC_OK;
        values[i] = view_picture(v, pick);
    }
    return pictures_strip(out, p, values, count, 0, alt);
}

static int put_dispute(FILE *out, const report_view *v, const pictures *p, const scdc_answer *a,
                       double certainty)
{
    char left[32], right[32];
    const uint32_t pair[2] = {a->left, a->right};
    const scdc_report *in = v->in;
    fputs("<li>", out);
    SCDC_TRY(put_pictures(out, v, p, pair, 2, "the two items"));
    page_put(out, "<bdi>%n</bdi> said <b>%t</b> of ", v->workers[a->worker].name,
             a->same ? "same" : "different");
    page_put(out, "<bdi>%n</bdi> (cluster %u) and ", item_name(left, v, a->left),
             (size_t)v->number[in->labels[a->left]]);
    page_put(out, "<bdi>%n</bdi> (cluster %u); wrong with probability %p</li>\n",
             item_name(right, v, a->right), (size_t)v->number[in->labels[a->right]],
             fmin(certainty, ALMOST_CERTAIN));
    return SCDC_OK;
}

static int put_disputes(FILE *out, const report_view *v, const pictures *p)
{
    size_t count;
    const scdc_answer *answers = scdc_crowd_answers(v->in->crowd, &count);
    page_put(out,
             "<p>The clusters contradict <b>%c of %c answers</b> (%p). Below are those that are "
             "wrong most certainly, at most four of one worker: the probability is that of both "
             "items being where they were "
             "put, so the answer is wrong at least that surely. If an answer looks right to you, "
             "look at the cluster.</p>\n",
             v->contradicted, v->answers,
             (double)v->contradicted / (double)(v->answers ? v->answers : 1));
    fputs("<ul class=\"pairs\">\n", out);
    for (size_t i = 0; i < v->n_disputes; i++)
        SCDC_TRY(put_dispute(out, v, p, &answers[v->dispute[i].answer], v->dispute[i].certainty));
    fputs("</ul>\n", out);
    return SCDC_OK;
}

static int put_unsure(FILE *out, const report_view *v, const pictures *p)
{
    char name[32];
    size_t shown = 0;
    while (shown < v->n_unsure && v->in->probability[v->unsure[shown]] < SURE) shown++;
    fputs("<h3>Items with the most uncertain cluster</h3>\n", out);
    if (!shown) {
        page_put(out, "<p>None: every item has a cluster with probability %q or more.</p>\n", SURE);
        return SCDC_OK;
    }
    fputs("<p>An answer about one of these would help most.</p>\n<ul class=\"pairs\">\n", out);
    for (size_t i = 0; i < shown; i++) {
        uint32_t item = v->unsure[i];
        fputs("<li>", out);
        SCDC_TRY(put_pictures(out, v, p, &item, 1, "the item"));
        page_put(out, "<bdi>%n</bdi>: cluster %u with probability %q</li>\n",
                 item_name(name, v, item), (size_t)v->number[v->in->labels[item]],
                 v->in->probability[item]);
    }
    fputs("</ul>\n", out);
    return SCDC_OK;
}

int section_answers(FILE *out, const report_view *v)
{
    page_section(out, "answers", "Disputed answers and doubtful items");
    pictures shown = {0};
    bool pictured = v->images && v->picks.count;
    if (pictured) shown = pictures_of(v);
    const pictures *p = pictured ? &shown : NULL;
    int status = SCDC_OK;
    if (!v->info.workers) {
        fputs("<p class=\"quiet\">There were no answers.</p>\n", out);
    } else if (!v->in->crowd || !v->in->labels) {
        fputs("<p class=\"quiet\">The answers are not at hand.</p>\n", out);
    } else {
        status = put_disputes(out, v, p);
    }
    if (v->in->labels && status == SCDC_OK) status = put_unsure(out, v, p);
    page_section_end(out);
    return status;
}
