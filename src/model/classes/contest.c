/* Held-out answers under components with experts, and under classes. */
#include "model/classes/contest.h"
#include "base/numeric.h"
#include "base/status.h"
#include "base/watch.h"
#include "model/classes/classes.h"
#include "model/classes/doubted.h"
#include "model/classes/expert_rounds.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

/* How the mixture and the classifier are heard about components, and how far their word is
 * doubted. What is not known is averaged over, not chosen. */
static const struct {
    double mixture, classifier, doubt;
} WAYS[] = {{1, 0, 0.1}, {1, 0, 0.3}, {0.5, 1, 0.1}, {0.25, 1, 0.1}, {0, 1, 0.1}};
enum { N_WAYS = sizeof WAYS / sizeof *WAYS };
static const double DOUBTS[] = {0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};
enum { N_DOUBTS = sizeof DOUBTS / sizeof *DOUBTS };
/* Shares of answers that tell a worker's habit alone. */
static const double SLIPS[] = {0, 0.1, 0.3, 0.5, 0.8};
enum { N_SLIPS = sizeof SLIPS / sizeof *SLIPS };
/* The first of them decide: beyond, nobody knows anything, and all ways are alike. */
enum { DECIDING_DOUBTS = 6, DECIDING_SLIPS = 3 };

typedef struct contest {
    scdc_model *model;
    const scdc_data *data;
    candidate_pool *pool;
    const scdc_answer *answers;
    size_t n_answers;
    const double *worth; /* [n_answers] */
    crowd_graph graph;   /* of all answers */
    real *x;             /* [nodes][D] */
    bool *left_out;      /* [n_answers] */
    scdc_answer *seen;   /* [n_answers] */
    size_t n_seen;
    double habit;  /* share of "same" among the answers seen */
    double *p;     /* [nodes][MOST_CLASSES] */
    double *rest;  /* [nodes][MOST_CLASSES] what a classifier says of items not taught to it */
    bool too_many; /* clusters for a classifier */
    double components[N_WAYS][N_SLIPS], classes[N_DOUBTS][N_SLIPS];
    double by_habit; /* what was left out, when nothing but the habit is known */
    arena memory;
} contest;

/* ---- folds ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    return ((a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu)) >> 32;
}

bool contest_leaves_out(const scdc_answer *a, uint32_t task, size_t fold)
{
    uint64_t low = a->left, high = a->right;
    if (low > high) low = a->right, high = a->left;
    if (task == NO_GROUPING) return mix(low, high) % CONTEST_FOLDS == fold;
    return mix(low, task) % (2 * CONTEST_FOLDS) == fold ||
           mix(high, task) % (2 * CONTEST_FOLDS) == fold;
}

static void divide(contest *c, size_t fold)
{
    const placements *tasks = &c->model->clusters->remembered.piles.tasks;
    double all[2] = {1, 1};
    c->n_seen = 0;
    for (size_t a = 0; a < c->n_answers; a++) {
        c->left_out[a] = contest_leaves_out(&c->answers[a], tasks->grouping[a], fold);
        if (c->left_out[a]) continue;
        c->seen[c->n_seen++] = c->answers[a];
        all[c->answers[a].same ? 1 : 0] += c->worth[a];
    }
    c->habit = all[1] / (all[0] + all[1]);
    for (size_t a = 0; a < c->n_answers; a++) {
        double likely = c->answers[a].same ? c->habit : 1 - c->habit;
        if (c->left_out[a]) c->by_habit += c->worth[a] * log(likely);
    }
}

/* ---- likelihood of what was left out ---- */

static void doubt(double *p, double share, size_t C)
{
    for (size_t k = 0; k < C; k++) p[k] = expert_doubted(p[k], share, C);
}

static void add_fit(double fit[N_SLIPS], const contest *c, size_t C, const two_coin *coins)
{
    for (size_t a = 0; a < c->n_answers; a++) {
        if (!c->left_out[a]) continue;
        const scdc_answer *q = &c->answers[a];
        const double *left = c->p + c->graph.left[a] * C, *right = c->p + c->graph.right[a] * C;
        double same = 0;
        for (size_t k = 0; k < C; k++) same += left[k] * right[k];
        double likely = two_coin_chance(two_coin_chances_of(&coins[q->worker], q->same), same);
        for (size_t s = 0; s < N_SLIPS; s++) {
            double by_habit = q->same ? c->habit : 1 - c->habit;
            fit[s] += c->worth[a] * log((1 - SLIPS[s]) * likely + SLIPS[s] * by_habit + 1e-9);
        }
    }
}

/* ---- the two ---- */

/* Items that the answers seen do not speak of, by components and by what was taught. */
static void complete_way(contest *c, const expert_rounds *s, const candidate_choice *best,
                         size_t way, bool taught)
{
    size_t C = best->clusters;
    const crowd_graph *seen = s->given->graph;
    for (size_t n = 0; n < c->graph.nodes; n++) {
        double *p = c->p + n * C;
        uint32_t node, of = best->cluster[best->component[c->graph.item[n]]];
        if (crowd_graph_find(&node, seen, c->graph.item[n])) {
            memcpy(p, s->r + node * C, C * sizeof *p);
            continue;
        }
        for (size_t k = 0; k < C; k++) {
            double mixing = expert_doubted(k == of, WAYS[way].doubt, C);
            p[k] = expert_mixed(WAYS[way].mixture, WAYS[way].classifier, mixing,
                                taught ? c->rest[n * C + k] : 1);
        }
        softmax(p, p, C);
    }
}

/* school: NULL where no kernel can be made of the values. */
static void run_ways(contest *c, expert_rounds *s, const candidate_choice *best, lesson *school)
{
    for (size_t way = 0; way < N_WAYS; way++) {
        if (WAYS[way].classifier > 0 && !school) {
            memcpy(c->components[way], c->components[0], sizeof c->components[0]);
            continue;
        }
        expert_rounds_doubt(s, WAYS[way].doubt);
        expert_rounds_run(s, (expert_way){WAYS[way].mixture, WAYS[way].classifier}, school);
        if (WAYS[way].classifier > 0) {
            classifier_place(c->rest, school->classifier, c->x, c->graph.nodes);
        }
        complete_way(c, s, best, way, school);
        add_fit(c->components[way], c, best->clusters, s->coins);
    }
}

static void hard_clusters(double *p, const crowd_graph *g, const candidate_choice *best)
{
    for (size_t n = 0; n < g->nodes; n++) {
        p[n * best->clusters + best->cluster[best->component[g->item[n]]]] = 1;
    }
}

static int teach(classifier *taught, lesson *school, const contest *c, const crowd_graph *g,
                 const double *clusters, size_t C)
{
    SCDC_TRY(classifier_create(taught, g->nodes, c->data->cols, C));
    input_gather(taught->x, c->data, &c->model->input, g->item, g->nodes);
    SCDC_TRY(lesson_create(school, taught, true));
    return lesson_choose_ridge(school, clusters);
}

static int hear_components(contest *c, const classes *seen, const candidate_choice *best)
{
    const core_spec *spec = &c->model->core->spec;
    size_t C = best->clusters;
    classifier taught = {0};
    lesson school = {0};
    expert_rounds s = {0};
    double *hard;
    int status;
    SCDC_TRY(mem_zeroed(&hard, seen->graph.nodes, C * sizeof *hard, "clusters of items"));
    hard_clusters(hard, &seen->graph, best);
    expert_case given = {.answers = seen->answers,
                         .graph = &seen->graph,
                         .workers = spec->workers,
                         .clusters = C,
                         .mixture = hard,
                         .options = &spec->options,
                         .known = spec->known};
    SCDC_TRY_OR(done, status, expert_rounds_create(&s, &given));
    status = teach(&taught, &school, c, &seen->graph, hard, C);
    if (status != SCDC_OK && status != SCDC_ERR_NUMERIC) goto done;
    run_ways(c, &s, best, status == SCDC_OK ? &school : NULL);
    status = SCDC_OK;
done:
    expert_rounds_free(&s);
    lesson_free(&school);
    classifier_free(&taught);
    mem_free(hard);
    return status;
}

static int try_components(contest *c)
{
    candidate_choice best;
    classes seen = {0};
    SCDC_TRY(candidates_pick(&best, c->pool, c->left_out));
    int status = SCDC_OK;
    c->too_many = best.clusters > MOST_CLASSES;
    if (!c->too_many) {
        status = classes_take_answers(&seen, c->seen, c->n_seen);
        if (status == SCDC_OK) status = hear_components(c, &seen, &best);
    }
    classes_free(&seen);
    candidate_choice_free(&best);
    return status;
}

/* *taught: there are classes. */
static int try_classes(bool *taught, contest *c)
{
    const core_spec *spec = &c->model->core->spec;
    classes found = {0};
    SCDC_TRY(classes_find(&found, c->data, &c->model->input, c->seen, c->n_seen, spec->workers,
                          spec->known, &spec->options, NULL));
    size_t C = found.classifier.classes;
    *taught = found.classifier.items && C > 1;
    if (*taught) classifier_place(c->rest, &found.classifier, c->x, c->graph.nodes);
    for (size_t i = 0; *taught && i < N_DOUBTS; i++) {
        for (size_t n = 0; n < c->graph.nodes; n++) {
            double *p = c->p + n * C;
            uint32_t node;
            bool known = crowd_graph_find(&node, &found.graph, c->graph.item[n]);
            memcpy(p, known ? found.r + node * C : c->rest + n * C, C * sizeof *p);
            doubt(p, DOUBTS[i], C);
        }
        add_fit(c->classes[i], c, C, found.coins);
    }
    classes_free(&found);
    return SCDC_OK;
}

/* ---- all of it ---- */

static int contest_create(contest *c)
{
    const remembered *r = &c->model->clusters->remembered;
    const placements *tasks = &r->piles.tasks;
    arena *m = &c->memory;
    double *worth;
    c->answers = r->answers;
    c->n_answers = r->n_answers;
    SCDC_TRY(crowd_graph_build(&c->graph, c->answers, c->n_answers));
    worth = arena_new(m, c->n_answers, sizeof *worth, "answers");
    c->x = arena_new(m, c->graph.nodes, c->data->cols * sizeof *c->x, "items");
    c->left_out = arena_new(m, c->n_answers, sizeof *c->left_out, "answers");
    c->seen = arena_new(m, c->n_answers, sizeof *c->seen, "answers");
    c->p = arena_new(m, c->graph.nodes, MOST_CLASSES * sizeof *c->p, "clusters of items");
    c->rest = arena_new(m, c->graph.nodes, MOST_CLASSES * sizeof *c->rest, "clusters of items");
    SCDC_TRY(arena_status(m));
    for (size_t a = 0; a < c->n_answers; a++) worth[a] = placements_worth(tasks, a);
    c->worth = worth;
    input_gather(c->x, c->data, &c->model->input, c->graph.item, c->graph.nodes);
    return SCDC_OK;
}

/* Over ways, or doubts, and slips. */
static double average(double fit[][N_SLIPS], size_t count)
{
    double all[N_WAYS + N_DOUBTS];
    for (size_t i = 0; i < count; i++) all[i] = log_sum_exp(fit[i], DECIDING_SLIPS);
    return log_sum_exp(all, count) - log((double)(count * DECIDING_SLIPS));
}

/* The time of a round grows with the cube of the items. */
static size_t folds_for(size_t nodes)
{
    return nodes <= CONTEST_ALL_FOLDS ? CONTEST_FOLDS : nodes <= CONTEST_TWO_FOLDS ? 2 : 1;
}

static int run_contest(bool *win, contest *c)
{
    bool taught = true;
    size_t folds = folds_for(c->graph.nodes);
    for (size_t fold = 0; fold < folds && taught && !c->too_many; fold++) {
        SCDC_TRY(watch_tick("comparing where clusters come from", fold, folds));
        divide(c, fold);
        if (c->n_seen < 2 || c->n_seen == c->n_answers) continue;
        SCDC_TRY(try_classes(&taught, c));
        if (taught) SCDC_TRY(try_components(c));
    }
    double components = average(c->components, N_WAYS);
    double learned = average(c->classes, DECIDING_DOUBTS);
    /* Classes that say nothing foretell the habit, which fine components, sure of theirs, may not.
     */
    double to_beat = fmax(components, c->by_habit) + EXPERT_MUST_GAIN;
    *win = taught && !c->too_many && learned > to_beat;
    if (*win)
        c->model->doubt = doubt_expected(DOUBTS, NULL, N_DOUBTS, SLIPS, N_SLIPS, c->classes[0]);
    return SCDC_OK;
}

int contest_classes(bool *win, scdc_model *model, const scdc_data *data, candidate_pool *pool)
{
    contest c = {.model = model, .data = data, .pool = pool};
    *win = false;
    if (data->cols > CLASSES_MOST_DIMS) return SCDC_OK;
    int status = contest_create(&c);
    if (status == SCDC_OK) status = run_contest(win, &c);
    crowd_graph_free(&c.graph);
    arena_free(&c.memory);
    return status;
}
