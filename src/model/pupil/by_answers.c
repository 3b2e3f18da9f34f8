/* Clusters that a network learns from answers alone. */
#include "model/pupil/by_answers.h"
#include "base/numeric.h"
#include "base/stages.h"
#include "base/status.h"
#include "model/classes/classes.h"
#include "model/pupil/coins.h"
#include "model/pupil/from_scratch.h"
#include "model/pupil/mirrored.h"
#include "model/train/start.h"
#include "model/train/unheard.h"
#include "model/tuning.h"
#include "model/use/weigh_alone.h"

#include <math.h>

enum { BEGINNINGS = 2 };

typedef struct learning {
    scdc_model *model;
    const scdc_data *data;
    kept_answers kept;
    double fit, told; /* how well the fit foretells them, and what they tell if it is right */
    bool at_a_loss;
    double (*coins[BEGINNINGS])[2]; /* [workers] that answers may teach with */
    size_t beginnings;
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

static int ask_fit(learning *s)
{
    const scdc_model *model = s->model;
    const crowd_graph *g = &model->clusters->graph;
    size_t C = model->n_clusters, wanted = model->core->spec.options.clusters;
    double *word = arena_new(&s->memory, g->nodes, C * sizeof *word, "clusters of items");
    SCDC_TRY(arena_status(&s->memory));
    SCDC_TRY(words_alone(word, model, s->data, g, false));
    s->fit = kept_answers_fit(&s->kept, word, C);
    s->told = kept_answers_told(&s->kept, word, C);
    s->at_a_loss = s->told < PUPIL_AT_A_LOSS || (wanted && C != wanted);
    return SCDC_OK;
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

static int add_beginning(learning *s)
{
    size_t workers = s->model->core->spec.workers;
    double(*coins)[2] = arena_new(&s->memory, workers, sizeof *coins, "workers");
    s->coins[s->beginnings++] = coins;
    return arena_status(&s->memory);
}

/* Workers who see that items are of one cluster so often; as many of those who say "same" are wrong
 * about a pair of which nothing is known as miss one, so that one cluster of all items explains the
 * answers worse than many do. */
static int begin_with_guess(learning *s, double sensitivity)
{
    double specificity = 1 - (1 - sensitivity) * share_of_same(&s->model->clusters->remembered);
    SCDC_TRY(add_beginning(s));
    for (size_t m = 0; m < s->model->core->spec.workers; m++) {
        s->coins[s->beginnings - 1][m][0] = sensitivity;
        s->coins[s->beginnings - 1][m][1] = specificity;
    }
    return SCDC_OK;
}

/* A fit at a loss knows nothing of its workers. */
static int choose_coins(learning *s)
{
    if (s->at_a_loss) {
        SCDC_TRY(begin_with_guess(s, PUPIL_SENSITIVITY));
        return begin_with_guess(s, PUPIL_SURE_SENSITIVITY);
    }
    SCDC_TRY(add_beginning(s));
    lesson_coins(s->coins[0], s->model->core, true);
    return SCDC_OK;
}

/* Whether answers would tell clearly more of clusters that are right, by workers such as these. */
static bool could_tell_more(const learning *s)
{
    const remembered *r = &s->model->clusters->remembered;
    return s->told < PUPIL_TOLD_ENOUGH * answers_could_tell(r, (const double(*)[2])s->coins[0]);
}

/* ---- the network ---- */

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

/* As many as were asked for; else more than the answers or the fit may need. */
static size_t choose_outputs(const scdc_model *model)
{
    const scdc_options *o = &model->core->spec.options;
    size_t most = classes_most(o), half_more = model->n_clusters + model->n_clusters / 2;
    if (o->clusters || half_more <= most) return most;
    return half_more < MOST_CLASSES ? half_more : MOST_CLASSES;
}

static int ask_network(const char *words, learning *s)
{
    size_t N = s->data->rows;
    scratch_case given = {.words = words,
                          .model = s->model,
                          .data = s->data,
                          .kept = &s->kept,
                          .outputs = choose_outputs(s->model),
                          .coins = (const double(*const *)[2])s->coins,
                          .beginnings = s->beginnings,
                          .hope = s->at_a_loss ? -1 : PUPIL_HOPE * s->told};
    SCDC_TRY(teach_from_scratch(&s->f, &given));
    if (!s->f.classes) return SCDC_OK;
    s->word = arena_new(&s->memory, N, s->f.classes * sizeof *s->word, "a network's word");
    SCDC_TRY(arena_status(&s->memory));
    SCDC_TRY(pupil_words(s->word, &s->f, s->model, s->data, NULL, N, false));
    find_clusters(s);
    return SCDC_OK;
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
    bool better = false;
    SCDC_TRY(kept_answers_create(&s->kept, s->model->clusters));
    if (!s->kept.count) return SCDC_OK;
    SCDC_TRY(ask_fit(s));
    SCDC_TRY(choose_coins(s));
    if (!s->at_a_loss && !could_tell_more(s)) return SCDC_OK;
    SCDC_TRY(ask_network(words, s));
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
