/* Clusters that a network learns from answers alone. */
#include "model/pupil/by_answers.h"
#include "base/numeric.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/classes/classes.h"
#include "model/pupil/kept_answers.h"
#include "model/pupil/teach.h"
#include "model/train/start.h"
#include "model/train/unheard.h"
#include "model/tuning.h"
#include "model/use/weigh_alone.h"

#include <math.h>

typedef struct learning {
    scdc_model *model;
    const scdc_data *data;
    kept_answers kept;
    double fit; /* how well the fit foretells them */
    pupil f;
    float *word;                         /* [N][outputs], then [N][clusters] */
    size_t from[MOST_CLASSES], clusters; /* outputs that are clusters */
    arena memory;
} learning;

/* ---- the fit ---- */

static bool may_learn(const scdc_model *model)
{
    const scdc_options *o = &model->core->spec.options;
    const cluster_level *t = model->clusters;
    size_t most = classes_most(o);
    return t->has_answers && t->unheard && o->clusters_from != SCDC_CLUSTERS_FROM_COMPONENTS &&
           most > 1 && most <= MOST_CLASSES;
}

static int ask_fit(bool *at_a_loss, learning *s)
{
    const scdc_model *model = s->model;
    const crowd_graph *g = &model->clusters->graph;
    size_t C = model->n_clusters, wanted = model->core->spec.options.clusters;
    double *word = arena_new(&s->memory, g->nodes, C * sizeof *word, "clusters of items");
    SCDC_TRY(arena_status(&s->memory));
    SCDC_TRY(words_alone(word, model, s->data, g, false));
    s->fit = kept_answers_fit(&s->kept, word, C);
    *at_a_loss = kept_answers_told(&s->kept, word, C) < PUPIL_AT_A_LOSS || (wanted && C != wanted);
    return SCDC_OK;
}

/* ---- the network ---- */

static size_t choose_epochs(const scdc_options *o, const lesson_answers *a)
{
    size_t epochs = (size_t)(PUPIL_ANSWERED / (double)a->rows);
    if (o->classifier_epochs) return o->classifier_epochs;
    return epochs < PUPIL_FEW_EPOCHS           ? PUPIL_FEW_EPOCHS
           : epochs > PUPIL_MOST_ANSWER_EPOCHS ? PUPIL_MOST_ANSWER_EPOCHS
                                               : epochs;
}

/* How often items are said to be the same. */
static double share_of_same(const remembered *r)
{
    double same = 0, all = 0;
    for (size_t a = 0; a < r->n_answers; a++) {
        double weight = placements_worth(&r->piles.tasks, a);
        all += weight;
        same += r->answers[a].same ? weight : 0;
    }
    return same / all;
}

/* Coins are held: learned beside a network that knows nothing yet they would soon say that answers
 * mean nothing. Half of those who say "same" are taken to be wrong about a pair of which nothing is
 * known, so that one cluster of all items explains the answers worse than many do. */
static int take_answers(lesson_answers *out, learning *s, bool *kept_out)
{
    const cluster_level *t = s->model->clusters;
    size_t workers = s->model->core->spec.workers;
    double specificity = 1 - share_of_same(&t->remembered) / 2;
    double(*coins)[2] = arena_new(&s->memory, workers, sizeof *coins, "workers");
    SCDC_TRY(arena_status(&s->memory));
    for (size_t m = 0; m < workers; m++) {
        coins[m][0] = PUPIL_SENSITIVITY;
        coins[m][1] = specificity;
    }
    for (size_t i = 0; i < t->graph.nodes; i++) kept_out[t->graph.item[i]] = t->unheard[i];
    return lesson_answers_create(out, t->remembered.answers, t->remembered.n_answers, kept_out,
                                 (const double(*)[2])coins);
}

/* No item is sure of anything. */
static int teach_by_answers(const char *words, learning *s)
{
    const core_spec *spec = &s->model->core->spec;
    shape in = {spec->channels, spec->height, spec->width};
    size_t n = s->data->rows;
    uint64_t number = 0;
    lesson_answers answers = {0};
    lesson_items nobody = {.items = n};
    nobody.label = arena_new(&s->memory, n, sizeof *nobody.label, "labels");
    nobody.probability = arena_new(&s->memory, n, sizeof *nobody.probability, "labels");
    nobody.kept_out = arena_new(&s->memory, n, sizeof *nobody.kept_out, "items");
    SCDC_TRY(arena_status(&s->memory));
    int status = take_answers(&answers, s, nobody.kept_out);
    if (status == SCDC_OK)
        status = pupil_create(&s->f, words, in, classes_most(&spec->options), PUPIL_ROWS);
    if (status == SCDC_OK && answers.units) {
        net_init(&s->f.net, spec->options.seed, &number);
        lesson_plan plan = {.data = s->data,
                            .input = &s->model->input,
                            .augment = view_kind(spec->options.augment, in),
                            .seed = spec->options.seed,
                            .epochs = choose_epochs(&spec->options, &answers),
                            .rate = PUPIL_ANSWERS_RATE,
                            .answers = &answers};
        for (size_t epoch = 0; epoch < plan.epochs && status == SCDC_OK; epoch++)
            status = pupil_epoch(&s->f, &nobody, &plan, epoch);
    }
    lesson_answers_free(&answers);
    return status;
}

static int ask_network(learning *s)
{
    size_t N = s->data->rows, C = s->f.classes, D = s->data->cols;
    arena memory = {0};
    real *o = arena_new(&memory, PUPIL_PLACED, D * sizeof *o, "a chunk");
    double *p = arena_new(&memory, PUPIL_PLACED, C * sizeof *p, "a chunk");
    s->word = arena_new(&s->memory, N, C * sizeof *s->word, "a network's word");
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = arena_status(&s->memory);
    for (size_t first = 0; first < N && status == SCDC_OK; first += PUPIL_PLACED) {
        uint32_t item[PUPIL_PLACED];
        size_t rows = N - first < PUPIL_PLACED ? N - first : PUPIL_PLACED;
        for (size_t i = 0; i < rows; i++) item[i] = (uint32_t)(first + i);
        input_gather(o, s->data, &s->model->input, item, rows);
        pupil_place(p, &s->f, o, rows);
        for (size_t i = 0; i < rows * C; i++) s->word[first * C + i] = (float)p[i];
    }
    arena_free(&memory);
    return status;
}

/* Outputs that hold items are clusters, where so many were asked for however few; words are theirs
 * from here on. */
static void find_clusters(learning *s)
{
    size_t N = s->data->rows, U = s->f.classes, held[MOST_CLASSES] = {0};
    double least = s->model->core->spec.options.clusters ? 1 : fmax(1, LIVE_SHARE * (double)N);
    for (size_t i = 0; i < N; i++) held[argmax(s->word + i * U, U)]++;
    for (size_t u = 0; u < U; u++) {
        if ((double)held[u] >= least) s->from[s->clusters++] = u;
    }
    for (size_t i = 0; i < N; i++) {
        float *to = s->word + i * s->clusters, sum = 0;
        for (size_t c = 0; c < s->clusters; c++) sum += to[c] = s->word[i * U + s->from[c]];
        for (size_t c = 0; c < s->clusters; c++)
            to[c] = sum > 0 ? to[c] / sum : 1 / (float)s->clusters;
    }
}

static int foretells_better(bool *better, learning *s)
{
    const crowd_graph *g = &s->model->clusters->graph;
    size_t C = s->clusters, wanted = s->model->core->spec.options.clusters;
    if (C < 2 || (wanted && C != wanted)) return SCDC_OK;
    double *word = arena_new(&s->memory, g->nodes, C * sizeof *word, "clusters of items");
    SCDC_TRY(arena_status(&s->memory));
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t c = 0; c < C; c++) word[i * C + c] = (double)s->word[g->item[i] * C + c];
    }
    *better = kept_answers_fit(&s->kept, word, C) > s->fit + LEAST_GAIN;
    return SCDC_OK;
}

/* ---- all of it ---- */

static int take(const char *words, learning *s)
{
    scdc_model *model = s->model;
    SCDC_TRY(start_from_words(model, s->data, s->word, s->clusters));
    SCDC_TRY(model_create_pupil(model, words, PUPIL_ROWS));
    pupil_take(model->pupil, &s->f, s->from);
    model->experts.alone = (alone_word){.network = 1};
    return hear_answers_again(model, s->data);
}

static int learn(const char *words, learning *s)
{
    bool at_a_loss = false, better = false;
    SCDC_TRY(kept_answers_create(&s->kept, s->model->clusters));
    if (s->kept.count) SCDC_TRY(ask_fit(&at_a_loss, s));
    if (!at_a_loss) return SCDC_OK;
    SCDC_TRY(teach_by_answers(words, s));
    SCDC_TRY(ask_network(s));
    find_clusters(s);
    SCDC_TRY(foretells_better(&better, s));
    return better ? take(words, s) : SCDC_OK;
}

int learn_from_answers(const char *words, scdc_model *model, const scdc_data *data)
{
    learning s = {.model = model, .data = data};
    if (model_is_led(model) || !may_learn(model)) return SCDC_OK;
    stage outside = stage_enter(STAGE_CLASSIFIER);
    int status = learn(words, &s);
    kept_answers_free(&s.kept);
    pupil_free(&s.f);
    arena_free(&s.memory);
    stage_enter(outside);
    /* A network that ran away is no reason to lose the fit. */
    return status == SCDC_ERR_NUMERIC ? SCDC_OK : status;
}
