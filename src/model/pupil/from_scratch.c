/* Lessons by answers alone. */
#include "model/pupil/from_scratch.h"
#include "base/status.h"
#include "model/pupil/mirrored.h"
#include "model/tuning.h"

#include <math.h>

typedef struct beginning {
    pupil f;
    lesson_answers answers;
    lesson_plan plan;
    double fit, told; /* how well it foretells what was kept back, and what that tells */
} beginning;

static void beginning_free(beginning *b)
{
    pupil_free(&b->f);
    lesson_answers_free(&b->answers);
}

static size_t choose_epochs(const scdc_options *o, const lesson_answers *a)
{
    size_t epochs = (size_t)(PUPIL_ANSWERED / (double)a->rows);
    if (o->classifier_epochs) return o->classifier_epochs;
    return epochs < PUPIL_FEW_EPOCHS           ? PUPIL_FEW_EPOCHS
           : epochs > PUPIL_MOST_ANSWER_EPOCHS ? PUPIL_MOST_ANSWER_EPOCHS
                                               : epochs;
}

static int begin(beginning *b, const scratch_case *g, const lesson_items *nobody,
                 const double (*coins)[2])
{
    const core_spec *spec = &g->model->core->spec;
    const remembered *all = &g->model->clusters->remembered;
    shape in = {spec->channels, spec->height, spec->width};
    uint64_t number = 0;
    SCDC_TRY(
        lesson_answers_create(&b->answers, all->answers, all->n_answers, nobody->kept_out, coins));
    SCDC_TRY(pupil_create(&b->f, g->words, in, g->outputs, PUPIL_ROWS));
    net_init(&b->f.net, spec->options.seed, &number);
    if (!b->answers.units) return SCDC_OK;
    b->plan = (lesson_plan){.data = g->data,
                            .input = &g->model->input,
                            .augment = view_gentle(spec->options.augment, in),
                            .seed = spec->options.seed,
                            .epochs = choose_epochs(&spec->options, &b->answers),
                            .rate = PUPIL_ANSWERS_RATE};
    return SCDC_OK;
}

static int go_on(beginning *b, const lesson_items *nobody, size_t from, size_t to)
{
    for (size_t epoch = from; epoch < to; epoch++)
        SCDC_TRY(pupil_epoch(&b->f, nobody, &b->plan, epoch));
    return SCDC_OK;
}

static int judge(beginning *b, const scratch_case *g)
{
    const crowd_graph *graph = &g->model->clusters->graph;
    size_t n = graph->nodes, C = b->f.classes;
    arena memory = {0};
    float *word = arena_new(&memory, n, C * sizeof *word, "a network's word");
    double *exact = arena_new(&memory, n, C * sizeof *exact, "a network's word");
    int status = arena_status(&memory);
    if (status == SCDC_OK)
        status = pupil_words(word, &b->f, g->model, g->data, graph->item, n, false);
    for (size_t i = 0; i < n * C && status == SCDC_OK; i++) exact[i] = (double)word[i];
    if (status == SCDC_OK) {
        b->fit = kept_answers_fit(g->kept, exact, C);
        b->told = kept_answers_told(g->kept, exact, C);
    }
    arena_free(&memory);
    return status;
}

/* *best is the beginning that foretells most. */
static int choose(beginning *best, size_t *passed, const scratch_case *g,
                  const lesson_items *nobody)
{
    for (size_t i = 0; i < g->beginnings; i++) {
        beginning b = {.fit = -INFINITY};
        int status = begin(&b, g, nobody, g->coins[i]);
        size_t some = (size_t)ceil(PUPIL_BEGIN * (double)b.plan.epochs);
        b.plan.answers = &b.answers;
        if (status == SCDC_OK) status = go_on(&b, nobody, 0, some);
        if (status == SCDC_OK) status = judge(&b, g);
        bool better = status == SCDC_OK && (i == 0 || b.fit > best->fit);
        if (!better) beginning_free(&b);
        if (status != SCDC_OK) return status;
        if (!better) continue;
        beginning_free(best);
        *best = b;
        best->plan.answers = &best->answers;
        *passed = some;
    }
    return SCDC_OK;
}

/* Mirrored views from here on where answers kept back have nothing against them. */
static int choose_views(beginning *b, const scratch_case *g)
{
    bool mirrored;
    SCDC_TRY(may_be_mirrored(&mirrored, &b->f, g->model, g->data));
    if (mirrored) b->plan.augment = view_mirrored(b->plan.augment);
    return SCDC_OK;
}

int teach_from_scratch(pupil *out, const scratch_case *given)
{
    const cluster_level *t = given->model->clusters;
    size_t n = given->data->rows, passed = 0;
    beginning best = {.fit = -INFINITY};
    arena memory = {0};
    lesson_items nobody = {.items = n}; /* is sure of anything */
    nobody.label = arena_new(&memory, n, sizeof *nobody.label, "labels");
    nobody.probability = arena_new(&memory, n, sizeof *nobody.probability, "labels");
    nobody.kept_out = arena_new(&memory, n, sizeof *nobody.kept_out, "items");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        for (size_t i = 0; i < t->graph.nodes; i++)
            nobody.kept_out[t->graph.item[i]] = t->unheard[i];
        status = choose(&best, &passed, given, &nobody);
    }
    *out = (pupil){.classes = 0};
    if (status == SCDC_OK && best.told >= given->hope) {
        status = choose_views(&best, given);
        if (status == SCDC_OK) status = go_on(&best, &nobody, passed, best.plan.epochs);
    } else {
        pupil_free(&best.f);
    }
    if (status == SCDC_OK) {
        *out = best.f;
        best.f = (pupil){.classes = 0};
    }
    beginning_free(&best);
    arena_free(&memory);
    return status;
}
