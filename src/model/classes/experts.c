/* Rounds of one way, and the ways' weights. */
#include "model/classes/experts.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

static const struct {
    double mixture, classifier;
} WAYS[EXPERT_WAYS] = {{1, 0}, {.5, 0}, {.25, 0}, {1, 1}, {.5, 1}, {.25, 1}, {.1, 1}, {0, 1}};

/* Nats that any way but the mixture alone must gain. */
#define FIRST_CHANCE 2

/* Every FOLDS-th answer is kept from a trial; TRIALS of the FOLDS are tried. */
enum { FOLDS = 5, TRIALS = 3, TRIAL_ROUNDS = 5, ROUNDS = 8, SWEEPS = 3 };

static const double DOUBTS[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4};

/* The least probability in a logarithm. */
#define LEAST 1e-6

/* ---- the word of all ---- */

experts experts_mixture_only(double doubt)
{
    return (experts){.weight = {1}, .doubt = doubt};
}

bool experts_need_classifier(const experts *e)
{
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        if (WAYS[w].classifier > 0 && e->weight[w] > 1e-3) return true;
    }
    return false;
}

static double doubted(double p, double doubt, size_t clusters)
{
    return (1 - doubt) * p + doubt / (double)clusters;
}

/* ln of p ~ mixture^a classifier^b, not normalised. */
static double mixed(size_t way, double mixing, double kernel)
{
    double sum = 0;
    if (WAYS[way].mixture > 0) sum += WAYS[way].mixture * log(mixing + LEAST);
    if (WAYS[way].classifier > 0) sum += WAYS[way].classifier * log(kernel + LEAST);
    return sum;
}

void experts_say(double *p, const experts *e, const double *mixing, const double *kernel,
                 size_t clusters)
{
    double total[EXPERT_WAYS];
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        double most = -INFINITY;
        total[w] = 0;
        if (e->weight[w] <= 1e-3) continue;
        for (size_t c = 0; c < clusters; c++) {
            double v = mixed(w, doubted(mixing[c], e->doubt, clusters), kernel ? kernel[c] : 1);
            most = v > most ? v : most;
        }
        for (size_t c = 0; c < clusters; c++) {
            total[w] += exp(
                mixed(w, doubted(mixing[c], e->doubt, clusters), kernel ? kernel[c] : 1) - most);
        }
        total[w] = log(total[w]) + most;
    }
    double sum = 0;
    for (size_t c = 0; c < clusters; c++) {
        p[c] = 0;
        for (size_t w = 0; w < EXPERT_WAYS; w++) {
            if (e->weight[w] <= 1e-3) continue;
            double v = mixed(w, doubted(mixing[c], e->doubt, clusters), kernel ? kernel[c] : 1);
            p[c] += e->weight[w] * exp(v - total[w]);
        }
        sum += p[c];
    }
    for (size_t c = 0; c < clusters; c++) p[c] /= sum;
}

/* ---- rounds of one way ---- */

typedef struct rounds {
    const expert_case *given;
    lesson *lesson; /* NULL: no classifier */
    size_t nodes, clusters;
    int fold;        /* answers of this fold are kept out; -1: none */
    double *mixture; /* [nodes][C] with doubt */
    double *r, *field;
    double *sum; /* [nodes][C] of the ways' r */
    two_coin *coins;
    two_coin_counts *counts;
    uint8_t *fold_of; /* [answers] */
    arena memory;
} rounds;

/* Answers about one pair, or of one task, are kept out together. */
static void divide_answers(rounds *s)
{
    for (size_t a = 0; a < s->given->graph->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        uint64_t low = q->left, high = q->right;
        if (low > high) low = q->right, high = q->left;
        if (q->task != SCDC_NO_TASK) low = high = q->task;
        uint64_t mixed_bits = (low * 0x9e3779b97f4a7c15u) ^ (high * 0xc2b2ae3d27d4eb4fu);
        s->fold_of[a] = (uint8_t)((mixed_bits >> 32) % FOLDS);
    }
}

static double agreement(const rounds *s, size_t a)
{
    const crowd_graph *g = s->given->graph;
    const double *left = s->r + g->left[a] * s->clusters, *right = s->r + g->right[a] * s->clusters;
    double sum = 0;
    for (size_t c = 0; c < s->clusters; c++) sum += left[c] * right[c];
    return sum < 1 ? sum : 1;
}

/* Whoever answers is right more often than not, as in the evidence of partitions. */
static double rate(const double prior[2], double yes, double no)
{
    return (prior[0] + 1 + yes) / (prior[0] + prior[1] + 1 + yes + no);
}

static void estimate_coins(rounds *s)
{
    const scdc_options *o = s->given->options;
    two_coin_begin(s->counts, s->given->known, s->given->workers);
    for (size_t a = 0; a < s->given->graph->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        if (s->fold_of[a] == s->fold) continue;
        two_coin_count(&s->counts[q->worker], q->same, agreement(s, a));
    }
    if (o->coins == SCDC_COINS_SHARED) two_coin_share(s->counts, s->given->workers);
    for (size_t m = 0; m < s->given->workers; m++) {
        const two_coin_counts *n = &s->counts[m];
        s->coins[m] = two_coin_from_rates(rate(o->prior_sensitivity, n->alpha[0], n->alpha[1]),
                                          rate(o->prior_specificity, n->beta[0], n->beta[1]));
    }
}

static void send_messages(rounds *s)
{
    const crowd_graph *g = s->given->graph;
    size_t C = s->clusters;
    memset(s->field, 0, s->nodes * C * sizeof *s->field);
    for (size_t a = 0; a < g->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        if (s->fold_of[a] == s->fold) continue;
        double nats = s->given->worth[a] * two_coin_weight(&s->coins[q->worker], q->same);
        double *left = s->field + g->left[a] * C, *right = s->field + g->right[a] * C;
        const double *r_left = s->r + g->left[a] * C, *r_right = s->r + g->right[a] * C;
        for (size_t c = 0; c < C; c++) {
            left[c] += nats * r_right[c];
            right[c] += nats * r_left[c];
        }
    }
}

/* Items anew from the experts' word and the answers; half of the old word is kept, or items that
 * hear only each other would swap sides for ever. */
static void hear_answers(rounds *s, size_t way)
{
    size_t C = s->clusters;
    const double *others = s->lesson ? s->lesson->others : NULL;
    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        send_messages(s);
        for (size_t i = 0; i < s->nodes; i++) {
            double *field = s->field + i * C, *r = s->r + i * C;
            for (size_t c = 0; c < C; c++) {
                field[c] += mixed(way, s->mixture[i * C + c], others ? others[i * C + c] : 1);
            }
            softmax(field, field, C);
            for (size_t c = 0; c < C; c++) r[c] = (r[c] + field[c]) / 2;
        }
    }
}

static void run_way(rounds *s, size_t way, size_t count)
{
    memcpy(s->r, s->mixture, s->nodes * s->clusters * sizeof *s->r);
    for (size_t round = 0; round < count; round++) {
        estimate_coins(s);
        if (WAYS[way].classifier > 0) lesson_learn(s->lesson, s->r);
        hear_answers(s, way);
    }
    estimate_coins(s);
}

/* Log likelihood of the answers that were kept out. */
static double kept_out_fit(const rounds *s)
{
    double sum = 0;
    for (size_t a = 0; a < s->given->graph->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        if (s->fold_of[a] != s->fold) continue;
        const two_coin *w = &s->coins[q->worker];
        double same = agreement(s, a);
        double if_same = exp(q->same ? w->ln_alpha : w->ln_not_alpha);
        double if_not = exp(q->same ? w->ln_not_beta : w->ln_beta);
        sum += s->given->worth[a] * log(same * if_same + (1 - same) * if_not + LEAST);
    }
    return sum;
}

/* ---- doubt ---- */

static void doubt_mixture(rounds *s, double doubt)
{
    size_t values = s->nodes * s->clusters;
    for (size_t i = 0; i < values; i++) {
        s->mixture[i] = doubted(s->given->mixture[i], doubt, s->clusters);
    }
}

/* The mixture is too sure of itself: as much doubt as explains the answers best. */
static double choose_doubt(rounds *s)
{
    double best = -INFINITY, chosen = DOUBTS[0];
    s->fold = -1;
    for (size_t i = 0; i < sizeof DOUBTS / sizeof *DOUBTS; i++) {
        double fit = 0;
        doubt_mixture(s, DOUBTS[i]);
        memcpy(s->r, s->mixture, s->nodes * s->clusters * sizeof *s->r);
        estimate_coins(s);
        for (s->fold = 0; s->fold < FOLDS; s->fold++) fit += kept_out_fit(s);
        s->fold = -1;
        if (!(fit > best)) continue;
        best = fit;
        chosen = DOUBTS[i];
    }
    doubt_mixture(s, chosen);
    return chosen;
}

/* ---- all of it ---- */

static int rounds_create(rounds *s)
{
    const expert_case *g = s->given;
    size_t values = s->nodes * s->clusters;
    arena *m = &s->memory;
    s->mixture = arena_new(m, values, sizeof *s->mixture, "clusters of items");
    s->r = arena_new(m, values, sizeof *s->r, "clusters of items");
    s->field = arena_new(m, values, sizeof *s->field, "messages");
    s->sum = arena_new(m, values, sizeof *s->sum, "clusters of items");
    s->coins = arena_new(m, g->workers, sizeof *s->coins, "workers");
    s->counts = arena_new(m, g->workers, sizeof *s->counts, "workers");
    s->fold_of = arena_new(m, g->graph->answers, sizeof *s->fold_of, "answers");
    SCDC_TRY(arena_status(m));
    divide_answers(s);
    return SCDC_OK;
}

static void score_ways(double *score, rounds *s)
{
    for (size_t way = 0; way < EXPERT_WAYS; way++) {
        score[way] = way ? -FIRST_CHANCE : 0;
        if (WAYS[way].classifier > 0 && !s->lesson) score[way] = -INFINITY;
        for (s->fold = 0; s->fold < TRIALS && isfinite(score[way]); s->fold++) {
            run_way(s, way, TRIAL_ROUNDS);
            score[way] += kept_out_fit(s);
        }
    }
    s->fold = -1;
}

/* Clusters of the annotated items: the ways' words by weight. */
static void sum_ways(rounds *s, const experts *e)
{
    size_t values = s->nodes * s->clusters;
    for (size_t way = 0; way < EXPERT_WAYS; way++) {
        if (e->weight[way] <= 1e-3) continue;
        run_way(s, way, ROUNDS);
        for (size_t i = 0; i < values; i++) s->sum[i] += e->weight[way] * s->r[i];
    }
    for (size_t i = 0; i < s->nodes; i++) {
        double *row = s->sum + i * s->clusters, total = 0;
        for (size_t c = 0; c < s->clusters; c++) total += row[c];
        for (size_t c = 0; c < s->clusters; c++) row[c] /= total;
    }
    memcpy(s->r, s->sum, values * sizeof *s->r);
    estimate_coins(s);
}

int experts_weigh(experts *out, double *r, double *others, two_coin *coins, classifier *taught,
                  const expert_case *c)
{
    lesson school = {0};
    rounds s = {.given = c, .nodes = c->graph->nodes, .clusters = c->clusters, .fold = -1};
    experts e = {0};
    double score[EXPERT_WAYS];
    int status;
    SCDC_TRY_OR(done, status, rounds_create(&s));
    e.doubt = choose_doubt(&s);
    if (taught) {
        SCDC_TRY_OR(done, status, lesson_create(&school, taught));
        SCDC_TRY_OR(done, status, lesson_choose_ridge(&school, s.mixture));
        s.lesson = &school;
    }
    score_ways(score, &s);
    softmax(e.weight, score, EXPERT_WAYS);
    sum_ways(&s, &e);
    if (taught) {
        lesson_learn(&school, s.r);
        memcpy(others, school.others, s.nodes * s.clusters * sizeof *others);
    }
    memcpy(r, s.r, s.nodes * s.clusters * sizeof *r);
    memcpy(coins, s.coins, c->workers * sizeof *coins);
    *out = e;
done:
    lesson_free(&school);
    arena_free(&s.memory);
    return status;
}
