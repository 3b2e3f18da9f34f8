/* scdc_simulate_answers: checks, the items to annotate, the workers; the schemes are elsewhere. */
#include "crowd/simulate.h"

#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double default_rate = 0.9;

/* The pinwheel experiment of the paper and the grid of its crowd tasks. */
static const scdc_simulation default_simulation = {.size = sizeof default_simulation,
                                                   .workers = 20,
                                                   .sensitivity = &default_rate,
                                                   .n_sensitivity = 1,
                                                   .specificity = &default_rate,
                                                   .n_specificity = 1,
                                                   .pairs = 980,
                                                   .tasks = 20,
                                                   .scheme = SCDC_SCHEME_PAIRS,
                                                   .grid = 36,
                                                   .seed = SCDC_DEFAULT_SEED};

void scdc_simulation_init_sized(scdc_simulation *options, size_t size)
{
    sized_init(options, size, &default_simulation, sizeof default_simulation);
}

double simulated_sensitivity(const simulation *s, size_t worker)
{
    return s->options->sensitivity[s->options->n_sensitivity == 1 ? 0 : worker];
}

double simulated_specificity(const simulation *s, size_t worker)
{
    return s->options->specificity[s->options->n_specificity == 1 ? 0 : worker];
}

size_t simulated_share(const simulation *s, size_t total, size_t worker)
{
    return total / s->options->workers + (worker < total % s->options->workers);
}

/* ---- checks --------------------------------------------------------------------------------- */

static int check_rates(const char *name, const double *rates, size_t count, size_t workers)
{
    if (!rates || (count != 1 && count != workers)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%s: give one value, or one for each of the %zu workers, not %zu", name,
                         workers, rates ? count : 0);
    }
    for (size_t i = 0; i < count; i++) {
        if (!(rates[i] >= 0 && rates[i] <= 1)) {
            return fail_with(SCDC_ERR_ARGUMENT, "%s must be from 0 to 1, not %g", name, rates[i]);
        }
    }
    return SCDC_OK;
}

static int check_grid(const scdc_simulation *o, size_t items)
{
    if (o->tasks < o->workers) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu tasks are too few for %zu workers", o->tasks,
                         o->workers);
    }
    if (o->grid < 2 || o->grid > items) {
        return fail_with(
            SCDC_ERR_ARGUMENT,
            "a task must show 2 items or more and at most the %zu to annotate, not %zu", items,
            o->grid);
    }
    size_t pairs;
    if (!size_mul(&pairs, o->grid, o->grid - 1) || !size_mul(&pairs, pairs / 2, o->tasks) ||
        pairs > CROWD_MOST_ANSWERS) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu tasks of %zu items give more than %zu answers",
                         o->tasks, o->grid, CROWD_MOST_ANSWERS);
    }
    for (size_t w = 0; w < o->workers && o->slips == SCDC_SLIPS_APART; w++) {
        double a = o->sensitivity[o->n_sensitivity == 1 ? 0 : w];
        double b = o->specificity[o->n_specificity == 1 ? 0 : w];
        if (a + b < 1 - 1e-12) {
            return fail_with(SCDC_ERR_ARGUMENT,
                             "worker %zu: sensitivity %g and specificity %g are worse than "
                             "guessing, which no grouping of items can be: their sum must be 1 or "
                             "more with the scheme grid",
                             w, a, b);
        }
    }
    return SCDC_OK;
}

static int check_options(const scdc_simulation *o, size_t labels)
{
    if (o->workers < 1) return fail_with(SCDC_ERR_ARGUMENT, "workers must be 1 or more, not 0");
    SCDC_TRY(check_rates("sensitivity", o->sensitivity, o->n_sensitivity, o->workers));
    SCDC_TRY(check_rates("specificity", o->specificity, o->n_specificity, o->workers));
    size_t items = o->items ? o->items : labels;
    if (items < 2 || items > labels) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "items to annotate must be 2 or more and at most the %zu labelled ones, "
                         "not %zu",
                         labels, items);
    }
    if ((unsigned)o->slips > SCDC_SLIPS_PILES) {
        return fail_with(SCDC_ERR_ARGUMENT, "there are no slips %d", (int)o->slips);
    }
    if ((unsigned)o->kinds > SCDC_KINDS_MIXED) {
        return fail_with(SCDC_ERR_ARGUMENT, "there are no kinds %d", (int)o->kinds);
    }
    if (o->scheme != SCDC_SCHEME_GRID && (o->slips || o->kinds)) {
        return fail_with(SCDC_ERR_ARGUMENT, "slips and kinds are those of workers who sort items: "
                                            "they need the scheme grid");
    }
    switch (o->scheme) {
    case SCDC_SCHEME_GRID: return check_grid(o, items);
    case SCDC_SCHEME_PAIRS:
    case SCDC_SCHEME_BALANCED: break;
    default: return fail_with(SCDC_ERR_ARGUMENT, "there is no scheme %d", (int)o->scheme);
    }
    if (o->pairs < o->workers || o->pairs > CROWD_MOST_ANSWERS) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "pairs must be one per worker (%zu) or more and at most %zu, not %zu",
                         o->workers, CROWD_MOST_ANSWERS, o->pairs);
    }
    return SCDC_OK;
}

/* ---- items and workers ---------------------------------------------------------------------- */

typedef struct labelled {
    int64_t label;
    uint32_t item;
} labelled;

static int compare_labelled(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Draws the items: the first s->items of a shuffle of all. */
static void draw_items(labelled *chosen, const simulation *s, const int64_t *labels, uint32_t *all,
                       size_t count)
{
    rng r;
    rng_init(&r, s->options->seed, RNG_SIMULATE_ITEMS, 0, 0);
    for (size_t i = 0; i < count; i++) all[i] = (uint32_t)i;
    for (size_t i = 0; i < s->items; i++) {
        size_t j = s->items < count ? i + rng_below(&r, count - i) : i;
        uint32_t item = all[j];
        all[j] = all[i];
        chosen[i] = (labelled){labels[item], item};
    }
}

static int choose_items(simulation *s, const int64_t *labels, size_t count)
{
    const char *what = "the items to annotate";
    labelled *chosen = NULL;
    uint32_t *all = NULL, kind = 0;
    int status;
    SCDC_TRY_OR(done, status, mem_zeroed(&all, count, sizeof *all, what));
    SCDC_TRY_OR(done, status, mem_zeroed(&chosen, s->items, sizeof *chosen, what));
    SCDC_TRY_OR(done, status, mem_zeroed(&s->item, s->items, sizeof *s->item, what));
    SCDC_TRY_OR(done, status, mem_zeroed(&s->kind, s->items, sizeof *s->kind, what));
    SCDC_TRY_OR(done, status, mem_zeroed(&s->after, s->items, sizeof *s->after, what));
    draw_items(chosen, s, labels, all, count);
    qsort(chosen, s->items, sizeof *chosen, compare_labelled);
    for (size_t begin = 0, end; begin < s->items; begin = end, kind++) {
        for (end = begin; end < s->items && chosen[end].label == chosen[begin].label; end++) {
            s->item[end] = chosen[end].item;
            s->kind[end] = kind;
        }
        for (size_t i = begin; i < end; i++) s->after[i] = (uint32_t)end;
    }
done:
    mem_free(all);
    mem_free(chosen);
    return status;
}

/* w0 .. w9, w00 .. w99 and so on. */
static int name_workers(scdc_crowd *crowd, size_t workers)
{
    int width = snprintf(NULL, 0, "%zu", workers - 1);
    for (size_t w = 0; w < workers; w++) {
        char text[32];
        size_t number;
        int length = snprintf(text, sizeof text, "w%0*zu", width, w);
        SCDC_TRY(names_add(&number, NULL, &crowd->workers, text, (size_t)length));
    }
    return SCDC_OK;
}

int scdc_simulate_answers(scdc_crowd **out, const scdc_labels *truth,
                          const scdc_simulation *options)
{
    if (!out || !truth || !options) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "simulated answers: out, truth and options must not be NULL");
    }
    size_t count = scdc_labels_count(truth);
    if (count >= CROWD_MOST_ITEMS) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu labels, at most %zu are supported", count,
                         CROWD_MOST_ITEMS);
    }
    scdc_simulation o = default_simulation;
    SCDC_TRY(sized_take(&o, sizeof o, options, "scdc_simulation_init"));
    SCDC_TRY(check_options(&o, count));
    simulation s = {.options = &o, .items = o.items ? o.items : count};
    int status;
    SCDC_TRY_OR(done, status, crowd_new(&s.crowd));
    SCDC_TRY_OR(done, status, choose_items(&s, scdc_labels_values(truth), count));
    SCDC_TRY_OR(done, status, name_workers(s.crowd, o.workers));
    SCDC_TRY_OR(done, status,
                o.scheme == SCDC_SCHEME_GRID ? simulate_grid(&s) : simulate_pairs(&s));
    *out = s.crowd;
    s.crowd = NULL;
done:
    mem_free(s.item);
    mem_free(s.kind);
    mem_free(s.after);
    scdc_crowd_free(s.crowd);
    return status;
}
