/* Items by what is known of them: the mixture's word from memory, the classifier's where it is
 * asked, the network's, and at last the answers. */
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/watch.h"
#include "model/classes/alone.h"
#include "model/pupil/pupil.h"
#include "model/tuning.h"
#include "model/use/hood.h"
#include "model/use/place_answers.h"

#include <string.h>

enum { PIECE = 256 };

typedef struct placing {
    hood *h;
    const scdc_model *model;
    const known_items *known;
    double *z; /* [K] per thread */
    /* Items at hand, and what the classifier says about them [count][C]. */
    const uint32_t *item;
    const double *kernel;
} placing;

static void take_clusters(hood *h, size_t item, const double *p)
{
    for (size_t c = 0; c < h->clusters; c++) h->own[item * h->clusters + c] = (float)p[c];
    h->labels[item] = (int64_t)argmax(p, h->clusters);
}

/* The word p on an item, and the component inside its cluster by the mixture; z [K] is scratch. */
static void take_word(const placing *s, size_t item, const double *p, double *z)
{
    take_clusters(s->h, item, p);
    known_z(z, s->known, item);
    s->h->component[item] = (int64_t)component_in(z, (size_t)s->h->labels[item], s->model);
}

/* ---- the mixture ---- */

static void by_mixture(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const placing *s = context;
    double *z = s->z + parallel_slot() * 2 * s->known->components;
    double *mixing = z + s->known->components;
    for (size_t i = begin; i < end; i++) {
        known_z(z, s->known, i);
        model_clusters_of_row(mixing, z, s->model);
        take_clusters(s->h, i, mixing);
        s->h->component[i] = (int64_t)component_in(z, (size_t)s->h->labels[i], s->model);
    }
}

/* ---- all experts ---- */

/* h->own holds the mixture's word until now. */
static void by_experts(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const placing *s = context;
    hood *h = s->h;
    size_t C = h->clusters;
    const classifier *by = &s->model->classifier;
    double mixing[MOST_CLASSES], kernel[MOST_CLASSES], p[MOST_CLASSES];
    double *z = s->z + parallel_slot() * 2 * s->known->components;
    for (size_t i = begin; i < end; i++) {
        size_t item = s->item[i];
        for (size_t c = 0; c < C; c++) mixing[c] = (double)h->own[item * C + c];
        if (s->kernel) experts_defer(kernel, s->kernel + i * C, mixing, by->base, by->items, C);
        experts_say(p, &s->model->experts, mixing, s->kernel ? kernel : mixing, C);
        take_word(s, item, p, z);
    }
}

static int ask_classifier(placing *s, const scdc_data *data, const uint32_t *asked, size_t count)
{
    const classifier *by = &s->model->classifier;
    real *o;
    double *p;
    arena memory = {0};
    o = arena_new(&memory, CLASSIFIER_ROWS, by->dims * sizeof *o, "a chunk");
    p = arena_new(&memory, CLASSIFIER_ROWS, by->classes * sizeof *p, "a chunk");
    int status = arena_status(&memory);
    for (size_t first = 0; first < count && status == SCDC_OK; first += CLASSIFIER_ROWS) {
        size_t rows = count - first < CLASSIFIER_ROWS ? count - first : CLASSIFIER_ROWS;
        status = watch_tick("placing items", first, count);
        if (status != SCDC_OK) break;
        input_gather(o, data, &s->model->input, asked + first, rows);
        classifier_place(p, by, o, rows);
        s->item = asked + first;
        s->kernel = p;
        parallel_for(rows, 16, by_experts, s);
    }
    arena_free(&memory);
    return status;
}

/* The mixture is sure of an item and takes all its neighbours for the same. */
static bool is_inside(const hood *h, size_t item)
{
    int64_t label = h->labels[item];
    if ((double)h->own[item * h->clusters + (size_t)label] < INSIDE_SURE) return false;
    for (size_t s = 0; s < h->k; s++) {
        if (h->labels[h->near[item * h->k + s]] != label) return false;
    }
    return true;
}

/* Who is asked lies first in `item`, the others after them. */
static size_t divide(uint32_t *item, const placing *s)
{
    const hood *h = s->h;
    const scdc_model *model = s->model;
    bool any = model_asks_classifier(model);
    bool all = h->n < INSIDE_FROM || experts_heed_mixture(&model->experts) < INSIDE_HEEDED;
    size_t asked = 0, others = h->n;
    for (size_t i = 0; i < h->n; i++) {
        if (any && (all || !is_inside(h, i))) item[asked++] = (uint32_t)i;
        else item[--others] = (uint32_t)i;
    }
    return asked;
}

static int hear_all(placing *s, const scdc_data *data)
{
    hood *h = s->h;
    uint32_t *item = h->label; /* scratch until links are weighed */
    size_t asked = divide(item, s);
    s->item = item + asked;
    s->kernel = NULL;
    parallel_for(h->n - asked, PIECE, by_experts, s);
    return asked ? ask_classifier(s, data, item, asked) : SCDC_OK;
}

/* ---- the network ---- */

/* h->own holds the experts' word until now. */
static void by_network(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const placing *s = context;
    hood *h = s->h;
    size_t C = h->clusters;
    double word[MOST_CLASSES], network[MOST_CLASSES];
    double *z = s->z + parallel_slot() * 2 * s->known->components;
    for (size_t i = begin; i < end; i++) {
        for (size_t c = 0; c < C; c++) {
            word[c] = (double)h->own[i * C + c];
            network[c] = (double)s->model->pupil->word[i * C + c];
        }
        alone_say(word, &s->model->experts.alone, word, network, C);
        take_word(s, i, word, z);
    }
}

/* ---- answers ---- */

static void by_answers(void *context, size_t item, const double *z)
{
    const placing *s = context;
    double *shares = s->z + s->known->components;
    model_clusters_of_row(shares, z, s->model);
    take_clusters(s->h, item, shares);
    s->h->component[item] = (int64_t)component_in(z, (size_t)s->h->labels[item], s->model);
}

int hood_place(hood *h, const scdc_model *model, const scdc_data *data, const known_items *known,
               const answer_list *answers)
{
    placing s = {.h = h, .model = model, .known = known};
    SCDC_TRY(
        mem_zeroed(&s.z, parallel_slots() * 2 * known->components, sizeof *s.z, "probabilities"));
    parallel_for(h->n, PIECE, by_mixture, &s);
    int status = SCDC_OK;
    if (model_heeds_experts(model) && h->clusters <= MOST_CLASSES) status = hear_all(&s, data);
    if (status == SCDC_OK && model->pupil) parallel_for(h->n, PIECE, by_network, &s);
    if (status == SCDC_OK && answers && answers->count)
        status = place_with_answers(model, data, answers, known, by_answers, &s);
    mem_free(s.z);
    return status;
}
