/* Penalised likelihood of answers by L-BFGS, in turn with the workers' coins. */
#include "model/classes/class_guess.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/watch.h"
#include "crowd/two_coin.h"
#include "kernels/blas.h"
#include "kernels/lbfgs.h"
#include "model/classes/class_views.h"
#include "model/tuning.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* What all starts share. */
typedef struct puzzle {
    const crowd_graph *graph;
    const scdc_answer *answers;
    const double *weight; /* [answers] what each counts */
    const two_coin_counts *known;
    size_t workers, nodes, k;
    uint64_t seed;
} puzzle;

typedef struct attempt {
    const puzzle *puzzle;
    const class_view *view;
    size_t start;
    int fold;                  /* of items whose answers it does not hear; or none, -1 */
    double *weights;           /* [rows][k] */
    double *r, *d_r;           /* [nodes][k] */
    two_coin_chances *chances; /* [answers] under the coins at hand */
    two_coin *coins;
    two_coin_counts *counts;
    lbfgs search;
    bool young;
    double value;
} attempt;

static int attempt_create(attempt *out, arena *m, const puzzle *p, const class_view *view,
                          size_t start, int fold)
{
    *out = (attempt){.puzzle = p, .view = view, .start = start, .fold = fold};
    out->weights = arena_new(m, view->rows * p->k, sizeof(double), "a guess");
    out->r = arena_new(m, p->nodes * p->k, sizeof(double), "a guess");
    out->d_r = arena_new(m, p->nodes * p->k, sizeof(double), "a guess");
    out->chances = arena_new(m, p->graph->answers, sizeof *out->chances, "a guess");
    out->coins = arena_new(m, p->workers, sizeof *out->coins, "workers");
    out->counts = arena_new(m, p->workers, sizeof *out->counts, "workers");
    SCDC_TRY(arena_status(m));
    return lbfgs_create(&out->search, m, view->rows * p->k);
}

/* Items are kept out, not answers: those of a task say much about each other. */
static bool is_kept_out(const attempt *t, size_t a)
{
    const crowd_graph *g = t->puzzle->graph;
    if (t->fold < 0) return false;
    return g->left[a] % GUESS_FOLDS == (uint32_t)t->fold ||
           g->right[a] % GUESS_FOLDS == (uint32_t)t->fold;
}

static void set_classes(attempt *t, const double *weights)
{
    const puzzle *p = t->puzzle;
    size_t rows = t->view->rows;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->nodes, (int)p->k, (int)rows, 1,
                t->view->x, (int)rows, weights, (int)p->k, 0, t->r, (int)p->k);
    for (size_t i = 0; i < p->nodes; i++) softmax(t->r + i * p->k, t->r + i * p->k, p->k);
}

static double same_class(const attempt *t, size_t a)
{
    const puzzle *p = t->puzzle;
    const double *left = t->r + p->graph->left[a] * p->k, *right = t->r + p->graph->right[a] * p->k;
    double s = 0;
    for (size_t c = 0; c < p->k; c++) s += left[c] * right[c];
    return s;
}

/* Log likelihood of the answers, or while the guess is young the line below it that ends where it
 * does: far from certain pairs, the likelihood hears "same" much louder than "different", and all
 * classes would become one. d_r is the derivative by r. */
static double pull(attempt *t)
{
    const puzzle *p = t->puzzle;
    double sum = 0;
    memset(t->d_r, 0, p->nodes * p->k * sizeof *t->d_r);
    for (size_t a = 0; a < p->graph->answers; a++) {
        if (is_kept_out(t, a)) continue;
        size_t left = p->graph->left[a] * p->k, right = p->graph->right[a] * p->k;
        double same = same_class(t, a), chance = two_coin_chance(t->chances[a], same);
        double w = t->young ? log(t->chances[a].if_same / t->chances[a].if_not)
                            : (t->chances[a].if_same - t->chances[a].if_not) / chance;
        sum += p->weight[a] * (t->young ? w * same : log(chance));
        w *= p->weight[a];
        for (size_t c = 0; c < p->k; c++) {
            t->d_r[left + c] += w * t->r[right + c];
            t->d_r[right + c] += w * t->r[left + c];
        }
    }
    return sum;
}

static double objective(void *context, double *gradient, const double *weights)
{
    attempt *t = context;
    const puzzle *p = t->puzzle;
    size_t rows = t->view->rows;
    set_classes(t, weights);
    double sum = pull(t);
    for (size_t i = 0; i < p->nodes; i++) {
        double *d = t->d_r + i * p->k, mean = 0;
        const double *r = t->r + i * p->k;
        for (size_t c = 0; c < p->k; c++) mean += r[c] * d[c];
        for (size_t c = 0; c < p->k; c++) d[c] = r[c] * (d[c] - mean);
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)p->k, (int)p->nodes, -1,
                t->view->x, (int)rows, t->d_r, (int)p->k, 0, gradient, (int)p->k);
    for (size_t j = 0; j < rows * p->k; j++) {
        sum -= weights[j] * weights[j] / 2;
        gradient[j] += weights[j];
    }
    return -sum;
}

static void look_at_answers(attempt *t)
{
    const puzzle *p = t->puzzle;
    for (size_t a = 0; a < p->graph->answers; a++) {
        const scdc_answer *q = &p->answers[a];
        t->chances[a] = two_coin_chances_of(&t->coins[q->worker], q->same);
    }
}

/* Those that GUESS_FIRST_RATE says, as if by two answers of either kind, and what is known. */
static void first_coins(attempt *t)
{
    const puzzle *p = t->puzzle;
    two_coin_begin(t->counts, p->known, p->workers);
    for (size_t m = 0; m < p->workers; m++) {
        const double *alpha = t->counts[m].alpha, *beta = t->counts[m].beta;
        t->coins[m] =
            two_coin_from_rates((alpha[0] + 2 * GUESS_FIRST_RATE) / (alpha[0] + alpha[1] + 2),
                                (beta[0] + 2 * GUESS_FIRST_RATE) / (beta[0] + beta[1] + 2));
    }
}

/* Coins from the classes and what the answers themselves say of their pairs, under Beta(1, 1). */
static void estimate_coins(attempt *t)
{
    const puzzle *p = t->puzzle;
    two_coin_begin(t->counts, p->known, p->workers);
    for (size_t a = 0; a < p->graph->answers; a++) {
        if (is_kept_out(t, a)) continue;
        double same = same_class(t, a);
        same *= t->chances[a].if_same / two_coin_chance(t->chances[a], same);
        two_coin_count_some(&t->counts[p->answers[a].worker], p->answers[a].same, same,
                            p->weight[a]);
    }
    for (size_t m = 0; m < p->workers; m++) {
        const double *alpha = t->counts[m].alpha, *beta = t->counts[m].beta;
        t->coins[m] = two_coin_from_rates((alpha[0] + 1) / (alpha[0] + alpha[1] + 2),
                                          (beta[0] + 1) / (beta[0] + beta[1] + 2));
    }
}

/* Of all answers and of the weights; or of the answers kept out alone. */
static double score(const attempt *t)
{
    const puzzle *p = t->puzzle;
    double sum = 0;
    for (size_t a = 0; a < p->graph->answers; a++) {
        if (t->fold >= 0 && !is_kept_out(t, a)) continue;
        const scdc_answer *q = &p->answers[a];
        two_coin_chances c = two_coin_chances_of(&t->coins[q->worker], q->same);
        sum += p->weight[a] * log(two_coin_chance(c, same_class(t, a)));
    }
    for (size_t j = 0; j < t->view->rows * p->k && t->fold < 0; j++)
        sum -= t->weights[j] * t->weights[j] / 2;
    return sum;
}

static void begin_attempts(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    for (size_t s = begin; s < end; s++) {
        attempt *t = (attempt *)context + s;
        const puzzle *p = t->puzzle;
        rng random;
        rng_init(&random, p->seed, RNG_CLASS_GUESS, 0, (uint64_t)t->start);
        for (size_t j = 0; j < t->view->rows * p->k; j++) {
            t->weights[j] = rng_normal(&random) / sqrt((double)t->view->rows);
        }
        first_coins(t);
    }
}

static void go_on(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    for (attempt *t = (attempt *)context + begin; t < (attempt *)context + end; t++) {
        look_at_answers(t);
        lbfgs_minimise(&t->search, t->weights, objective, t, GUESS_STEPS, 1e-4);
        set_classes(t, t->weights);
        estimate_coins(t);
    }
}

static void judge_attempts(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    for (attempt *t = (attempt *)context + begin; t < (attempt *)context + end; t++) {
        t->value = score(t);
    }
}

/* Round after round, so that whoever watches can stop it. */
static int run_attempts(attempt *attempts, size_t starts)
{
    int status = SCDC_OK;
    blas_serial_begin();
    parallel_for(starts, 1, begin_attempts, attempts);
    for (size_t round = 0; round < GUESS_ROUNDS && status == SCDC_OK; round++) {
        for (size_t s = 0; s < starts; s++) attempts[s].young = 2 * round < GUESS_ROUNDS;
        status = watch_tick("guessing classes", round, GUESS_ROUNDS);
        if (status == SCDC_OK) parallel_for(starts, 1, go_on, attempts);
    }
    if (status == SCDC_OK) parallel_for(starts, 1, judge_attempts, attempts);
    blas_serial_end();
    return status;
}

/* Folds that are kept out: the more items, the surer one of them tells. */
static size_t folds_for(size_t nodes)
{
    return nodes <= CONTEST_ALL_FOLDS ? 3 : nodes <= CONTEST_TWO_FOLDS ? 2 : 1;
}

/* The view by which answers about items are foretold best that the guess was not told of. */
static int choose_view(size_t *out, const puzzle *p, const class_view *views, size_t count,
                       size_t folds)
{
    size_t n = 0;
    double value[CLASS_VIEWS] = {0};
    arena memory = {0};
    int status;
    *out = 0;
    if (count == 1) return SCDC_OK;
    attempt *attempts = arena_new(&memory, count * folds, sizeof *attempts, "a guess");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    for (size_t v = 0; v < count; v++) {
        for (size_t f = 0; f < folds; f++, n++)
            SCDC_TRY_OR(done, status,
                        attempt_create(&attempts[n], &memory, p, &views[v], f, (int)f));
    }
    SCDC_TRY_OR(done, status, run_attempts(attempts, n));
    for (size_t i = 0; i < n; i++) value[i / folds] += attempts[i].value;
    *out = argmax(value, count);
done:
    arena_free(&memory);
    return status;
}

static puzzle puzzle_of(const guess_case *given, size_t k, uint64_t seed)
{
    return (puzzle){.graph = given->graph,
                    .answers = given->answers,
                    .weight = given->weight,
                    .known = given->known,
                    .workers = given->workers,
                    .nodes = given->graph->nodes,
                    .k = k,
                    .seed = seed};
}

/* The best of so many starts. */
static int guess_by(double *r, two_coin *coins, const puzzle *p, const class_view *view,
                    size_t starts)
{
    arena memory = {0};
    attempt *attempts = arena_new(&memory, starts, sizeof *attempts, "a guess");
    size_t best = 0;
    int status;
    SCDC_TRY_OR(done, status, arena_status(&memory));
    for (size_t s = 0; s < starts; s++)
        SCDC_TRY_OR(done, status, attempt_create(&attempts[s], &memory, p, view, s, -1));
    SCDC_TRY_OR(done, status, run_attempts(attempts, starts));
    for (size_t s = 1; s < starts; s++) {
        if (attempts[s].value > attempts[best].value) best = s;
    }
    memcpy(r, attempts[best].r, p->nodes * p->k * sizeof *r);
    memcpy(coins, attempts[best].coins, p->workers * sizeof *coins);
done:
    arena_free(&memory);
    return status;
}

struct class_guesser {
    puzzle puzzle;
    class_view views[CLASS_VIEWS];
    size_t view;
    arena memory;
};

static int guesser_open(class_guesser *g, const guess_case *given, size_t folds)
{
    size_t count;
    SCDC_TRY(
        class_views_make(g->views, &count, &g->memory, given->x, g->puzzle.nodes, given->dims));
    return choose_view(&g->view, &g->puzzle, g->views, count, folds);
}

int class_guess(double *r, two_coin *coins, size_t k, const guess_case *given, uint64_t seed)
{
    class_guesser g = {.puzzle = puzzle_of(given, k, seed)};
    int status = guesser_open(&g, given, folds_for(g.puzzle.nodes));
    if (status == SCDC_OK) status = guess_by(r, coins, &g.puzzle, &g.views[g.view], GUESS_STARTS);
    arena_free(&g.memory);
    return status;
}

int class_guesser_create(class_guesser **out, size_t k, const guess_case *given, uint64_t seed)
{
    class_guesser *g;
    SCDC_TRY(mem_zeroed(&g, 1, sizeof *g, "a guess"));
    g->puzzle = puzzle_of(given, k, seed);
    int status = guesser_open(g, given, 1);
    if (status == SCDC_OK) *out = g;
    else class_guesser_free(g);
    return status;
}

int class_guess_again(double *r, two_coin *coins, class_guesser *g, uint64_t seed)
{
    g->puzzle.seed = seed;
    return guess_by(r, coins, &g->puzzle, &g->views[g->view], 1);
}

void class_guesser_free(class_guesser *g)
{
    if (!g) return;
    arena_free(&g->memory);
    mem_free(g);
}
