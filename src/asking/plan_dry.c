/* A plan from nothing: partitions that the items alone leave room for are taken for the truth in
 * turn, simulated workers answer what would be asked, and the curve is the mean of what came out.
 */
#include "asking/choose.h"
#include "asking/outlook.h"

#include "base/rng.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRUTHS = 6, STEPS = 7 };
static const size_t steps[STEPS] = {0, 30, 100, 300, 1000, 3000, 10000};

typedef struct trial {
    blocks *b;
    const uint16_t *truth; /* [blocks] */
    coins who;
    rng draw;
    double *table;
} trial;

/* Asks `count` questions between blocks, the best of a few at a time, and hears the answers. */
static void ask(trial *t, doubt *d, size_t count)
{
    enum { TRIED = 96 };
    size_t B = t->b->count;
    double overlap = coins_overlap(&t->who);
    for (size_t n = 0; n < count; n++) {
        size_t left = 0, right = 1;
        double best = -1;
        for (size_t i = 0; i < TRIED; i++) {
            size_t p = rng_below(&t->draw, B), q = rng_below(&t->draw, B);
            double gain = p == q ? -1 : doubt_gain(d, same_in(d->p, p, q), overlap);
            if (gain <= best) continue;
            best = gain;
            left = p;
            right = q;
        }
        bool same = t->truth[left] == t->truth[right];
        double yes = same ? t->who.sensitivity : 1 - t->who.specificity;
        bool said = rng_uniform(&t->draw) < yes;
        double ratio = said ? log(t->who.sensitivity / (1 - t->who.specificity))
                            : log((1 - t->who.sensitivity) / t->who.specificity);
        t->b->evidence[left * B + right] += ratio;
        t->b->evidence[right * B + left] += ratio;
        doubt_asked(d, same_in(d->p, left, right), overlap);
    }
}

/* One truth: accuracy after each number of answers. */
static int try_truth(double *accuracy, trial *t, doubt *d, const scdc_plan_options *o, uint32_t run)
{
    size_t B = t->b->count, asked = 0;
    uint32_t round = run * 64;
    memset(t->b->evidence, 0, B * B * sizeof *t->b->evidence);
    for (size_t s = 0; s < STEPS && steps[s] <= o->most; s++) {
        while (asked < steps[s]) {
            partitions p;
            size_t count = steps[s] - asked < B + asked / 2 ? steps[s] - asked : B + asked / 2;
            SCDC_TRY(partitions_draw(&p, t->b, o->seed, ++round));
            doubt_start(d, &p);
            ask(t, d, count);
            partitions_free(&p);
            asked += count;
        }
        partitions p;
        SCDC_TRY(partitions_draw(&p, t->b, o->seed, ++round));
        const uint16_t *found = p.group + partitions_medoid(&p) * B;
        accuracy[s] = 1 - partitions_apart(found, t->truth, t->b->mass, B, t->table);
        partitions_free(&p);
    }
    return SCDC_OK;
}

static void tell(scdc_outlook *out, double accuracy[TRUTHS][STEPS], const scdc_plan_options *o)
{
    scdc_outlook_info *i = &out->info;
    i->needed = NAN;
    for (size_t s = 0; s < STEPS && steps[s] <= o->most; s++) {
        scdc_plan_point point = {.answers = (double)steps[s], .low = 1, .high = 0};
        for (size_t t = 0; t < TRUTHS; t++) {
            point.accuracy += accuracy[t][s] / TRUTHS;
            point.low = fmin(point.low, accuracy[t][s]);
            point.high = fmax(point.high, accuracy[t][s]);
        }
        outlook_add(out, point);
        if (isnan(i->needed) && o->accuracy > 0 && point.accuracy >= o->accuracy)
            i->needed = point.answers;
    }
    const scdc_plan_point *last = &out->points[out->n_points - 1];
    i->accuracy = out->points[0].accuracy;
    i->low = out->points[0].low;
    i->high = out->points[0].high;
    i->advice = o->accuracy > 0 && isnan(i->needed) ? SCDC_ADVICE_NO_REACH : SCDC_ADVICE_GO_ON;
    if (o->accuracy > 0 && !isnan(i->needed))
        snprintf(out->sentence, sizeof out->sentence,
                 "About %.0f answers are expected to make %.1f %% of the labels right.", i->needed,
                 100 * o->accuracy);
    else
        snprintf(out->sentence, sizeof out->sentence,
                 "%.0f answers are expected to make %.1f %% of the labels right%s.", last->answers,
                 100 * last->accuracy, o->accuracy > 0 ? ", less than was asked for" : "");
}

int plan_from_nothing(scdc_outlook *out, const scdc_data *data, const scdc_plan_options *o)
{
    looked_at items = {0};
    blocks b = {0};
    partitions truths = {0};
    scdc_data_info info;
    double accuracy[TRUTHS][STEPS] = {{0}};
    doubt *d = NULL;
    trial t = {.b = &b, .who = {fmin(o->sensitivity, .98), fmin(o->specificity, .98)}};
    int status = scdc_data_get_info(&info, data);
    if (status == SCDC_OK && info.rows < 2)
        status = fail_with(SCDC_ERR_ARGUMENT, "there is one item only: nothing to ask");
    if (status == SCDC_OK) status = look_at_items(&items, NULL, data, NULL, o->seed);
    if (status == SCDC_OK) status = blocks_make(&b, &items, 0, o->seed);
    if (status == SCDC_OK) status = blocks_tune(&b, &items, NULL, NULL, o->seed);
    if (status == SCDC_OK) status = partitions_draw(&truths, &b, o->seed, UINT32_MAX / 2);
    if (status == SCDC_OK) status = mem_zeroed(&d, 1, sizeof *d, "doubts");
    if (status == SCDC_OK)
        status = mem_zeroed(&t.table, b.count * b.count, sizeof *t.table, "a table");
    for (uint32_t run = 0; run < TRUTHS && status == SCDC_OK; run++) {
        t.truth = truths.group + run * b.count;
        rng_init(&t.draw, o->seed, RNG_ASKING, UINT32_MAX - 1, run);
        status = try_truth(accuracy[run], &t, d, o, run);
    }
    if (status == SCDC_OK) {
        out->info = (scdc_outlook_info){.items = info.rows,
                                        .workers = o->workers,
                                        .ratio = NAN,
                                        .threshold = NAN,
                                        .margin = NAN};
        tell(out, accuracy, o);
    }
    mem_free(t.table);
    mem_free(d);
    partitions_free(&truths);
    blocks_free(&b);
    looked_at_free(&items);
    return status;
}
