/* Rounds between workers, experts and annotated items. */
#include "model/classes/expert_rounds.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

enum { NODES = 64 }; /* of a piece */

const double expert_slips[EXPERT_SLIPS] = {0, 0.05, 0.1, 0.2, 0.3, 0.5};

double expert_doubted(double p, double doubt, size_t clusters)
{
    return (1 - doubt) * p + doubt / (double)clusters;
}

double expert_mixed(double a, double b, double mixing, double kernel)
{
    double sum = 0;
    if (a > 0) sum += a * log(mixing + EXPERT_LEAST);
    if (b > 0) sum += b * log(kernel + EXPERT_LEAST);
    return sum;
}

/* ---- folds ---- */

static uint8_t fold_by(uint64_t a, uint64_t b)
{
    uint64_t bits = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
    return (uint8_t)((bits >> 32) % EXPERT_FOLDS);
}

/* Answers about one pair are kept out together; of a task some of the placements, so that all
 * workers are known whatever is kept out. */
static void divide_answers(expert_rounds *s)
{
    const placements *tasks = &s->piles.tasks;
    const crowd_graph *g = s->given->graph;
    for (size_t a = 0; a < g->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        bool ordered = q->left < q->right;
        s->fold_of[a] = fold_by(ordered ? q->left : q->right, ordered ? q->right : q->left);
    }
    for (size_t i = 0; i < tasks->count; i++) {
        s->placed[i] = fold_by(g->item[tasks->node[i]], tasks->task[i]);
    }
}

static bool is_heard(const expert_rounds *s, size_t a)
{
    return s->fold_of[a] != s->fold && placements_is_pair(&s->piles.tasks, a);
}

static void list_heard(expert_rounds *s)
{
    const crowd_graph *g = s->given->graph;
    size_t count = 0;
    for (size_t n = 0; n < s->nodes; n++) {
        for (size_t e = g->start[n]; e < g->start[n + 1]; e++) {
            const scdc_answer *q = &s->given->answers[g->answer[e]];
            if (!is_heard(s, g->answer[e])) continue;
            s->pair[count++] = (gather_term){g->neighbour[e], 2 * q->worker + (q->same != 0)};
        }
        s->start[n + 1] = count;
    }
}

void expert_rounds_keep_out(expert_rounds *s, int fold)
{
    s->fold = fold;
    for (size_t i = 0; i < s->piles.tasks.count; i++) s->left_out[i] = s->placed[i] == fold;
    piles_leave_out(&s->piles, fold < 0 ? NULL : s->left_out);
    list_heard(s);
}

/* ---- workers ---- */

static double agreement(const expert_rounds *s, size_t a, const double *r)
{
    const crowd_graph *g = s->given->graph;
    const double *left = r + g->left[a] * s->clusters, *right = r + g->right[a] * s->clusters;
    double sum = 0;
    for (size_t c = 0; c < s->clusters; c++) sum += left[c] * right[c];
    return sum < 1 ? sum : 1;
}

/* Whoever answers is right more often than not, as in the evidence of partitions. */
static double rate(const double prior[2], double yes, double no)
{
    return (prior[0] + 1 + yes) / (prior[0] + prior[1] + 1 + yes + no);
}

static void tell_piles(expert_rounds *s)
{
    if (!s->piles.tasks.tasks) return;
    for (size_t i = 0; i < s->nodes; i++) piles_set(&s->piles, i, s->r + i * s->clusters);
}

/* With an answer of each kind on top. */
static void learn_habits(expert_rounds *s)
{
    for (size_t m = 0; m < s->given->workers; m++) {
        const two_coin_counts *n = &s->counts[m];
        double same = n->alpha[0] + n->beta[1], other = n->alpha[1] + n->beta[0];
        s->habit[m] = (same + 1) / (same + other + 2);
    }
}

void expert_rounds_judge(expert_rounds *s)
{
    const scdc_options *o = s->given->options;
    two_coin_begin(s->counts, s->given->known, s->given->workers);
    for (size_t a = 0; a < s->given->graph->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        if (!is_heard(s, a)) continue;
        two_coin_count(&s->counts[q->worker], q->same, agreement(s, a, s->r));
    }
    learn_habits(s);
    tell_piles(s);
    piles_count(s->counts, &s->piles);
    if (o->coins == SCDC_COINS_SHARED) two_coin_share(s->counts, s->given->workers);
    for (size_t m = 0; m < s->given->workers; m++) {
        const two_coin_counts *n = &s->counts[m];
        s->coins[m] = two_coin_from_rates(rate(o->prior_sensitivity, n->alpha[0], n->alpha[1]),
                                          rate(o->prior_specificity, n->beta[0], n->beta[1]));
        for (uint32_t same = 0; same < 2; same++)
            s->nats[2 * m + same] = two_coin_weight(&s->coins[m], same);
    }
    piles_weigh(&s->piles, s->coins);
}

/* ---- messages ---- */

/* Each node adds up what it hears, in the order of the answers. */
static void hear_pairs(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const expert_rounds *s = context;
    size_t C = s->clusters;
    for (size_t n = begin; n < end; n++) {
        gather_rows(s->field + n * C, s->r, C, s->nats, s->pair + s->start[n],
                    s->start[n + 1] - s->start[n]);
    }
}

static void hear_placements(expert_rounds *s)
{
    const placements *tasks = &s->piles.tasks;
    size_t C = s->clusters;
    tell_piles(s);
    for (size_t i = 0; i < tasks->count; i++) {
        double *field = s->field + tasks->node[i] * C;
        if (s->placed[i] == s->fold) continue;
        piles_message(s->piles.message, &s->piles, i);
        for (size_t c = 0; c < C; c++) field[c] += s->piles.message[c];
    }
}

/* What the experts say of each item; the classifier where it was taught, in shares `base`. */
typedef struct speaking {
    expert_rounds *s;
    expert_way way;
    double base[MOST_CLASSES];
} speaking;

static void speak(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const speaking *k = context;
    const expert_rounds *s = k->s;
    size_t C = s->clusters;
    for (size_t i = begin; i < end; i++) {
        double *others = s->others + i * C;
        if (k->way.classifier > 0)
            experts_defer(others, others, s->mixture + i * C, k->base, s->nodes, C);
        for (size_t c = 0; c < C; c++)
            s->word[i * C + c] =
                expert_mixed(k->way.mixture, k->way.classifier, s->mixture[i * C + c], others[c]);
    }
}

static void change_minds(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const expert_rounds *s = context;
    size_t C = s->clusters;
    for (size_t i = begin; i < end; i++) {
        double *field = s->field + i * C, *r = s->r + i * C;
        softmax(field, field, C);
        for (size_t c = 0; c < C; c++) r[c] = (r[c] + field[c]) / 2;
    }
}

/* Items anew from the experts' word and the answers; half of the old word is kept, or items that
 * hear only each other would swap sides for ever. */
static void hear_answers(expert_rounds *s, expert_way way)
{
    size_t C = s->clusters, values = s->nodes * C;
    speaking k = {.s = s, .way = way};
    for (size_t i = 0; i < values; i++) k.base[i % C] += s->r[i] / (double)s->nodes;
    parallel_for(s->nodes, NODES, speak, &k);
    for (size_t sweep = 0; sweep < EXPERT_SWEEPS; sweep++) {
        memcpy(s->field, s->word, values * sizeof *s->field);
        parallel_for(s->nodes, NODES, hear_pairs, s);
        hear_placements(s);
        parallel_for(s->nodes, NODES, change_minds, s);
    }
}

/* ---- several at once ---- */

typedef struct company {
    expert_rounds *const *all;
    const expert_way *way;
} company;

static void judge_each(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const company *c = context;
    for (size_t i = begin; i < end; i++) expert_rounds_judge(c->all[i]);
}

/* One alone teaches the classifier itself. */
static void teach_one(expert_rounds *s, lesson *school)
{
    lesson_learn(school, s->r);
    memcpy(s->others, school->others, s->nodes * s->clusters * sizeof *s->others);
}

static void teach_all(const company *c, size_t count, lesson *school)
{
    double *others[EXPERT_MOST_AT_ONCE];
    const double *r[EXPERT_MOST_AT_ONCE];
    size_t pupils = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(c->way[i].classifier > 0)) continue;
        others[pupils] = c->all[i]->others;
        r[pupils++] = c->all[i]->r;
    }
    if (pupils) lesson_foretell(school, others, r, pupils);
}

void expert_rounds_run_all(expert_rounds *const *all, const expert_way *way, size_t count,
                           lesson *school)
{
    company c = {all, way};
    for (size_t i = 0; i < count; i++)
        memcpy(all[i]->r, all[i]->mixture, all[i]->nodes * all[i]->clusters * sizeof(double));
    for (size_t round = 0; round < EXPERT_ROUNDS; round++) {
        parallel_for(count, 1, judge_each, &c);
        if (count > 1) teach_all(&c, count, school);
        else if (way->classifier > 0) teach_one(*all, school);
        /* In turn, as they may be fewer than the threads: each divides its items among them. */
        for (size_t i = 0; i < count; i++) hear_answers(all[i], way[i]);
    }
    parallel_for(count, 1, judge_each, &c);
}

void expert_rounds_run(expert_rounds *s, expert_way way, lesson *school)
{
    expert_rounds_run_all(&s, &way, 1, school);
}

/* ---- what was kept out ---- */

void expert_rounds_foretold(double fit[EXPERT_SLIPS], const expert_rounds *s, const double *r)
{
    piles_foretold(fit, &s->piles, r, expert_slips, EXPERT_SLIPS);
    for (size_t a = 0; a < s->given->graph->answers; a++) {
        const scdc_answer *q = &s->given->answers[a];
        if (s->fold_of[a] != s->fold || !placements_is_pair(&s->piles.tasks, a)) continue;
        const two_coin *w = &s->coins[q->worker];
        double same = agreement(s, a, r), habit = s->habit[q->worker];
        double if_same = exp(q->same ? w->ln_alpha : w->ln_not_alpha);
        double if_not = exp(q->same ? w->ln_not_beta : w->ln_beta);
        double likely = same * if_same + (1 - same) * if_not + EXPERT_LEAST;
        for (size_t i = 0; i < EXPERT_SLIPS; i++) {
            fit[i] += log((1 - expert_slips[i]) * likely +
                          expert_slips[i] * (q->same ? habit : 1 - habit));
        }
    }
}

double expert_best_fit(const double fit[EXPERT_SLIPS])
{
    double best = fit[0];
    for (size_t i = 1; i < EXPERT_SLIPS; i++) best = fit[i] > best ? fit[i] : best;
    return best;
}

void expert_rounds_doubt(expert_rounds *s, double doubt)
{
    size_t values = s->nodes * s->clusters;
    for (size_t i = 0; i < values; i++) {
        s->mixture[i] = expert_doubted(s->given->mixture[i], doubt, s->clusters);
    }
}

int expert_rounds_create(expert_rounds *out, const expert_case *g)
{
    expert_rounds s = {.given = g, .nodes = g->graph->nodes, .clusters = g->clusters};
    size_t values = s.nodes * s.clusters;
    arena *m = &s.memory;
    int status;
    SCDC_TRY(piles_create(&s.piles, g->answers, g->graph, s.clusters));
    s.piles.shared = g->options->coins == SCDC_COINS_SHARED;
    s.piles.clusters = s.clusters;
    s.mixture = arena_new(m, values, sizeof *s.mixture, "clusters of items");
    s.r = arena_new(m, values, sizeof *s.r, "clusters of items");
    s.field = arena_new(m, values, sizeof *s.field, "messages");
    s.word = arena_new(m, values, sizeof *s.word, "messages");
    s.others = arena_new(m, values, sizeof *s.others, "clusters of items");
    s.coins = arena_new(m, g->workers, sizeof *s.coins, "workers");
    s.counts = arena_new(m, g->workers, sizeof *s.counts, "workers");
    s.habit = arena_new(m, g->workers, sizeof *s.habit, "workers");
    s.fold_of = arena_new(m, g->graph->answers, sizeof *s.fold_of, "answers");
    s.placed = arena_new(m, s.piles.tasks.count, sizeof *s.placed, "answers");
    s.left_out = arena_new(m, s.piles.tasks.count, sizeof *s.left_out, "answers");
    s.start = arena_new(m, s.nodes + 1, sizeof *s.start, "answers");
    s.pair = arena_new(m, 2 * g->graph->answers, sizeof *s.pair, "answers");
    s.nats = arena_new(m, 2 * g->workers, sizeof *s.nats, "workers");
    SCDC_TRY_OR(error, status, arena_status(m));
    divide_answers(&s);
    expert_rounds_keep_out(&s, -1);
    *out = s;
    return SCDC_OK;
error:
    expert_rounds_free(&s);
    return status;
}

void expert_rounds_free(expert_rounds *s)
{
    piles_free(&s->piles);
    arena_free(&s->memory);
}
