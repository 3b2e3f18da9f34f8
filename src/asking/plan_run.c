/* A plan from a fit. How many labels are right is judged by the answers (judged.c); how that grew,
 * by partitions drawn with a part of them; what is to come, by a power law of the errors. */
#include "asking/outlook.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double margin = .02; /* of the items: a difference that matters */
/* A range of the accuracy that is wider says nothing about it: where clusters hold several kinds,
 * answers leave no room for others because workers seem careless. Loops of asking on Fashion-MNIST:
 * five times told to stop, three times too early, at ranges of .43 to .62. */
static const double told_within = .4;

size_t partitions_medoid(const partitions *p)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t s = 0; s < SAMPLES; s++) {
        double sum = 0;
        for (size_t t = 0; t < SAMPLES; t++) sum += p->apart[s * SAMPLES + t];
        if (sum < least) {
            least = sum;
            best = s;
        }
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

int accuracy_of(scdc_plan_point *out, const uint16_t *group, const partitions *p, const blocks *b,
                double confidence)
{
    double share[SAMPLES], *table, sum = 0;
    SCDC_TRY(mem_zeroed(&table, b->count * b->count, sizeof *table, "a table"));
    for (size_t s = 0; s < SAMPLES; s++) {
        share[s] = 1 - partitions_apart(group, p->group + s * b->count, b->mass, b->count, table);
        sum += share[s];
    }
    mem_free(table);
    qsort(share, SAMPLES, sizeof *share, ascending);
    size_t cut = (size_t)((1 - confidence) / 2 * SAMPLES);
    out->accuracy = sum / SAMPLES;
    out->low = share[cut];
    out->high = share[SAMPLES - 1 - cut];
    return SCDC_OK;
}

/* The clusters at hand, block by block: a block lies in one of them, but for few items. */
static int groups_of_labels(uint16_t **out, const blocks *b, size_t clusters)
{
    SCDC_TRY(mem_zeroed(out, b->count, sizeof **out, "clusters of blocks"));
    for (size_t j = 0; j < b->count; j++) {
        const float *p = b->cluster + j * clusters;
        for (size_t c = 1; c < clusters; c++) {
            if (p[c] > p[(*out)[j]]) (*out)[j] = (uint16_t)c;
        }
    }
    return SCDC_OK;
}

typedef struct reckoning {
    looked_at items;
    blocks b;
    coins *of_worker;
    partitions now;
} reckoning;

static void reckoning_free(reckoning *r)
{
    partitions_free(&r->now);
    blocks_free(&r->b);
    looked_at_free(&r->items);
    mem_free(r->of_worker);
}

static int reckon(reckoning *r, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd, size_t answers, const scdc_plan_options *o)
{
    scdc_crowd_info info = {0};
    coins typical;
    if (crowd) SCDC_TRY(scdc_crowd_get_info(&info, crowd));
    SCDC_TRY(look_at_items(&r->items, model, data, crowd, o->seed));
    SCDC_TRY(blocks_make(&r->b, &r->items, answers, o->seed));
    SCDC_TRY(mem_zeroed(&r->of_worker, info.workers, sizeof *r->of_worker, "coins"));
    SCDC_TRY(coins_of_crowd(r->of_worker, &typical, model, crowd));
    SCDC_TRY(blocks_tune(&r->b, &r->items, crowd, r->of_worker, o->seed));
    SCDC_TRY(blocks_hear(&r->b, &r->items, crowd, r->of_worker, answers));
    return partitions_draw(&r->now, &r->b, o->seed, 0);
}

/* What a part of the answers would have given: as much less than now as partitions drawn by that
 * part agree less with those drawn by all. */
static int look_back(scdc_outlook *out, reckoning *r, const scdc_crowd *crowd, size_t answers,
                     const scdc_plan_options *o)
{
    scdc_plan_point now = {.answers = (double)answers, .measured = 1}, all;
    size_t B = r->b.count;
    SCDC_TRY(judge_labels(&now, &r->items, crowd, r->of_worker, o));
    const uint16_t *medoid = r->now.group + partitions_medoid(&r->now) * B;
    SCDC_TRY(accuracy_of(&all, medoid, &r->now, &r->b, o->confidence));
    for (size_t part = 8; part >= 1; part /= 2) {
        size_t count = answers / part;
        scdc_plan_point point = {.answers = (double)count, .measured = 1};
        if (part > 1 && count < 8) continue;
        partitions then;
        memset(r->b.evidence, 0, B * B * sizeof *r->b.evidence);
        SCDC_TRY(blocks_hear(&r->b, &r->items, crowd, r->of_worker, count));
        SCDC_TRY(partitions_draw(&then, &r->b, o->seed, (uint32_t)part));
        const uint16_t *group = then.group + partitions_medoid(&then) * B;
        int status = accuracy_of(&point, group, &r->now, &r->b, o->confidence);
        partitions_free(&then);
        SCDC_TRY(status);
        double less = part == 1 ? 1 : fmin(1, point.accuracy / fmax(all.accuracy, 1e-9));
        point.accuracy = now.accuracy * less;
        point.low = now.low * less;
        point.high = now.high;
        outlook_add(out, point);
    }
    return SCDC_OK;
}

/* Errors fall as a power of the answers: the exponent by least squares over the measured points,
 * -1 (errors halve when answers double) at most. */
static void look_ahead(scdc_outlook *out, const scdc_plan_options *o)
{
    const scdc_plan_point *now = &out->points[out->n_points - 1];
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < out->n_points; i++) {
        double lx = log(fmax(1, out->points[i].answers));
        double ly = log(fmax(1e-4, 1 - out->points[i].accuracy));
        n++, x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    double spread = xx - x * x / n, slope = spread > 0 ? (xy - x * y / n) / spread : -.5;
    slope = fmax(-1, fmin(0, slope));
    double begin = fmax(1, now->answers), error = 1 - now->accuracy;
    scdc_plan_point last = *now;
    for (double more = 100; more <= (double)o->most * 1.001; more *= 10) {
        double factor = pow((begin + more) / begin, slope);
        outlook_add(out, (scdc_plan_point){.answers = last.answers + more,
                                           .accuracy = 1 - error * factor,
                                           .low = last.low, /* more may also bring nothing */
                                           .high = 1 - (1 - last.high) * factor});
    }
}

static void answers_needed(scdc_outlook *out, double accuracy)
{
    out->info.needed = NAN;
    for (size_t i = 0; accuracy > 0 && i < out->n_points; i++) {
        if (out->points[i].accuracy < accuracy) continue;
        out->info.needed = out->points[i].answers;
        return;
    }
}

/* Less is not seen in per cent with one decimal. */
#define TOLD_GAIN 5e-4

static void advise(scdc_outlook *out, const scdc_plan_options *o)
{
    scdc_outlook_info *i = &out->info;
    const scdc_plan_point *last = &out->points[out->n_points - 1];
    double more = last->accuracy - i->accuracy;
    answers_needed(out, o->accuracy);
    bool settled = i->ratio >= i->threshold, told = i->high - i->low <= told_within;
    if (o->accuracy > 0 && i->low >= o->accuracy) {
        i->advice = SCDC_ADVICE_REACHED;
        snprintf(out->sentence, sizeof out->sentence,
                 "Stop: at least %.1f %% of the labels are right by now, and %.1f %% were asked "
                 "for.",
                 100 * i->low, 100 * o->accuracy);
    } else if (settled && !told) {
        i->advice = SCDC_ADVICE_GO_ON;
        snprintf(out->sentence, sizeof out->sentence,
                 "Go on: the answers leave no room for other clusters, but all they tell about the "
                 "labels is that %.0f to %.0f %% are right. Workers who are known from elsewhere "
                 "would tell more.",
                 100 * i->low, 100 * i->high);
    } else if (settled) {
        i->advice =
            o->accuracy > 0 && i->high < o->accuracy ? SCDC_ADVICE_NO_REACH : SCDC_ADVICE_STOP;
        snprintf(
            out->sentence, sizeof out->sentence,
            "Stop: no other clusters are left that the answers leave room for; about %.1f %% of "
            "the labels are right, and %.0f more answers would add %.1f %%.",
            100 * i->accuracy, last->answers - (double)i->answers, 100 * more);
    } else if (more < TOLD_GAIN) {
        i->advice = SCDC_ADVICE_GO_ON;
        snprintf(out->sentence, sizeof out->sentence,
                 "Go on: about %.1f %% of the labels are right. More answers are expected to make "
                 "that surer rather than better; those so far leave room for other clusters.",
                 100 * i->accuracy);
    } else {
        i->advice = SCDC_ADVICE_GO_ON;
        snprintf(out->sentence, sizeof out->sentence,
                 "Go on: about %.1f %% of the labels are right, and %.0f more answers are "
                 "expected to make it %.1f %%.",
                 100 * i->accuracy, last->answers - (double)i->answers, 100 * last->accuracy);
    }
}

int plan_from_run(scdc_outlook *out, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd, const scdc_plan_options *o)
{
    scdc_model_info info;
    reckoning r = {0};
    size_t answers = 0;
    if (crowd) scdc_crowd_answers(crowd, &answers);
    SCDC_TRY(scdc_model_get_info(&info, model));
    int status = reckon(&r, model, data, crowd, answers, o);
    if (status == SCDC_OK) {
        uint16_t *group = NULL;
        scdc_outlook_info *i = &out->info;
        *i = (scdc_outlook_info){.items = info.items,
                                 .answers = answers,
                                 .workers = info.workers,
                                 .clusters = info.clusters,
                                 .margin = margin};
        status = groups_of_labels(&group, &r.b, r.items.clusters);
        if (status == SCDC_OK) status = stop_ratio(&i->ratio, &r.b, group, margin);
        mem_free(group);
        i->threshold = stop_threshold(r.b.count * (i->clusters + 1), answers, 1 - o->confidence);
    }
    if (status == SCDC_OK) status = look_back(out, &r, crowd, answers, o);
    if (status == SCDC_OK) {
        const scdc_plan_point *now = &out->points[out->n_points - 1];
        out->info.accuracy = now->accuracy;
        out->info.low = now->low;
        out->info.high = now->high;
        look_ahead(out, o);
        advise(out, o);
    }
    reckoning_free(&r);
    return status;
}
