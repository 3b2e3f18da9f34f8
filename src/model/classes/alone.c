/* Powers and doubt of the word on an item alone, by answers kept out. */
#include "model/classes/alone.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "model/classes/expert_rounds.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

static const double POWERS[] = {0, 0.1, 0.25, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8};
static const double DOUBTS[] = {1e-4, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3};
enum { N_POWERS = sizeof POWERS / sizeof *POWERS, N_DOUBTS = sizeof DOUBTS / sizeof *DOUBTS };
/* Of a word that is left as it is. */
static const double FINAL[] = {1e-4, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
enum { N_FINAL = sizeof FINAL / sizeof *FINAL };
/* The least probability in a logarithm. */
#define LEAST 1e-9
enum { NODES = 64 }; /* of a piece */

alone_word alone_as_it_is(void)
{
    return (alone_word){.experts = 1, .network = 0, .doubt = 0};
}

void alone_say(double *p, const alone_word *a, const double *by_experts, const double *by_network,
               size_t clusters)
{
    if (a->experts == 1 && a->network == 0 && a->doubt == 0) {
        if (p != by_experts) memcpy(p, by_experts, clusters * sizeof *p);
        return;
    }
    for (size_t c = 0; c < clusters; c++) {
        double sum = a->experts > 0 ? a->experts * log(by_experts[c] + LEAST) : 0;
        if (a->network > 0 && by_network) sum += a->network * log(by_network[c] + LEAST);
        p[c] = sum;
    }
    softmax(p, p, clusters);
    for (size_t c = 0; c < clusters; c++) p[c] = expert_doubted(p[c], a->doubt, clusters);
}

/* ---- evidence ---- */

typedef struct hearing {
    const alone_case *given;
    expert_rounds rounds;
    size_t trials;
    /* [nodes][C] ln P(what is kept out about an item | its cluster); then P, as a share of the
     * likeliest cluster's */
    double *evidence;
    bool *asked;                     /* [nodes] whether anything is */
    double *ln_experts, *ln_network; /* [nodes][C] their words */
    arena memory;
} hearing;

static bool speaks(const hearing *h, size_t node)
{
    return !h->given->unheard || h->given->unheard[node];
}

/* What is kept out are the answers about items that nobody has heard of. */
static void keep_unheard_out(hearing *h)
{
    expert_rounds *s = &h->rounds;
    const crowd_graph *g = s->given->graph;
    for (size_t a = 0; a < g->answers; a++) {
        s->fold_of[a] = speaks(h, g->left[a]) || speaks(h, g->right[a]) ? 0 : 1;
    }
    for (size_t i = 0; i < s->piles.tasks.count; i++) {
        s->placed[i] = speaks(h, s->piles.tasks.node[i]) ? 0 : 1;
    }
}

/* Workers and all items by their words and the answers that are heard in a trial. */
static void enter_trial(hearing *h, size_t trial)
{
    expert_rounds_keep_out(&h->rounds, (int)trial);
    expert_rounds_run(&h->rounds, (expert_way){1, 0}, NULL);
}

/* A pair that is kept out, as its node hears it from the other one, whose clusters are its [C]. */
static void hear_pair(double *evidence, const hearing *h, const scdc_answer *q, const double *its)
{
    two_coin_chances chance = two_coin_chances_of(&h->rounds.coins[q->worker], q->same);
    for (size_t c = 0; c < h->rounds.clusters; c++)
        evidence[c] += log(two_coin_chance(chance, its[c]) + LEAST);
}

static void hear_pairs(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const hearing *h = context;
    const expert_rounds *s = &h->rounds;
    const crowd_graph *g = s->given->graph;
    size_t C = s->clusters;
    for (size_t i = begin; i < end; i++) {
        memset(h->evidence + i * C, 0, C * sizeof *h->evidence);
        h->asked[i] = false;
        for (size_t e = g->start[i]; e < g->start[i + 1] && speaks(h, i); e++) {
            size_t a = g->answer[e];
            if (s->fold_of[a] != s->fold || !placements_is_pair(&s->piles.tasks, a)) continue;
            h->asked[i] = true;
            hear_pair(h->evidence + i * C, h, &s->given->answers[a], s->r + g->neighbour[e] * C);
        }
    }
}

static void gather_evidence(hearing *h)
{
    const expert_rounds *s = &h->rounds;
    const placements *tasks = &s->piles.tasks;
    size_t C = s->clusters;
    parallel_for(s->nodes, NODES, hear_pairs, h);
    for (size_t i = 0; i < tasks->count; i++) {
        if (s->placed[i] != s->fold) continue;
        piles_message(s->piles.message, &s->piles, i);
        h->asked[tasks->node[i]] = true;
        for (size_t c = 0; c < C; c++) {
            h->evidence[tasks->node[i] * C + c] += s->piles.message[c];
        }
    }
}

/* What likelihoods have in common does not tell choices apart. */
static void take_likelihoods(hearing *h)
{
    size_t C = h->rounds.clusters;
    for (size_t i = 0; i < h->rounds.nodes; i++) {
        double *evidence = h->evidence + i * C, top = evidence[argmax(evidence, C)];
        for (size_t c = 0; c < C; c++) evidence[c] = exp(evidence[c] - top);
    }
}

static void take_words(hearing *h)
{
    const alone_case *c = h->given;
    size_t values = h->rounds.nodes * h->rounds.clusters;
    for (size_t i = 0; i < values; i++) {
        h->ln_experts[i] = log(c->given->mixture[i] + LEAST);
        if (c->by_network) h->ln_network[i] = log(c->by_network[i] + LEAST);
    }
}

/* ---- weighing ---- */

/* Adds the log likelihood of what is kept out to fit [N_DOUBTS], by the powers of a and each doubt,
 * item by item: all about one is right or wrong together. A doubted word is alone_say's. */
static void foretold(double *fit, const hearing *h, const alone_word *a)
{
    size_t C = h->rounds.clusters;
    double p[MOST_CLASSES];
    for (size_t i = 0; i < h->rounds.nodes; i++) {
        const double *likely = h->evidence + i * C;
        double by_word = 0, by_any = 0;
        if (!h->asked[i]) continue;
        for (size_t c = 0; c < C; c++)
            p[c] = a->experts * h->ln_experts[i * C + c] + a->network * h->ln_network[i * C + c];
        softmax(p, p, C);
        for (size_t c = 0; c < C; c++) {
            by_word += p[c] * likely[c];
            by_any += likely[c];
        }
        for (size_t d = 0; d < N_DOUBTS; d++)
            fit[d] += log((1 - DOUBTS[d]) * by_word + (DOUBTS[d] / (double)C + LEAST) * by_any);
    }
}

/* Nats a choice has to make up for. */
static double unusual(const alone_word *a)
{
    double far = log(a->experts + a->network);
    return ALONE_UNUSUAL * far * far + ALONE_DOUBTED * a->doubt +
           (a->network > 0 ? ALONE_MUST_GAIN : 0);
}

/* All choices, those of two powers together; experts and network cannot both be silent. */
typedef struct choice {
    alone_word a;
    double fit;
} choice;

static size_t list_choices(choice *out, bool by_experts, bool by_network)
{
    size_t count = 0;
    for (size_t e = 0; e < (by_experts ? N_POWERS : 1); e++) {
        for (size_t n = 0; n < (by_network ? N_POWERS : 1); n++) {
            for (size_t d = 0; d < N_DOUBTS && POWERS[e] + POWERS[n] > 0; d++) {
                alone_word a = {POWERS[e], POWERS[n], DOUBTS[d]};
                out[count++] = (choice){a, -unusual(&a)};
            }
        }
    }
    return count;
}

/* The mean of those that are likely, with the network or without it: whichever are. */
static alone_word mean_of(const choice *all, size_t count)
{
    double best = -INFINITY, weight[2] = {0}, power[2] = {0}, share[2] = {0}, doubt[2] = {0};
    for (size_t i = 0; i < count; i++) best = fmax(best, all[i].fit);
    for (size_t i = 0; i < count; i++) {
        const alone_word *a = &all[i].a;
        double w = exp(all[i].fit - best), sum = a->experts + a->network;
        size_t side = a->network > 0;
        weight[side] += w;
        power[side] += w * log(sum);
        share[side] += w * a->network / sum;
        doubt[side] += w * a->doubt;
    }
    size_t side = weight[1] > weight[0];
    double sum = exp(power[side] / weight[side]), network = share[side] / weight[side];
    return (alone_word){sum * (1 - network), sum * network, doubt[side] / weight[side]};
}

typedef struct comparing {
    const hearing *h;
    choice *all;
} comparing;

static void compare_choices(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const comparing *c = context;
    double fit[N_DOUBTS] = {0};
    foretold(fit, c->h, &c->all[begin].a);
    for (size_t i = begin; i < end; i++) c->all[i].fit += fit[i - begin];
}

static void choose(alone_word *out, hearing *h)
{
    choice all[N_POWERS * N_POWERS * N_DOUBTS];
    const alone_case *c = h->given;
    size_t count = list_choices(all, !c->network_leads, c->by_network != NULL);
    expert_rounds_doubt(&h->rounds, ALONE_FIRST_DOUBT);
    take_words(h);
    for (size_t t = 0; t < h->trials; t++) {
        enter_trial(h, t);
        gather_evidence(h);
        take_likelihoods(h);
        parallel_for(count, N_DOUBTS, compare_choices, &(comparing){h, all});
    }
    *out = mean_of(all, count);
}

static int hearing_create(hearing *h, const alone_case *c)
{
    *h = (hearing){.given = c, .trials = c->unheard ? 1 : EXPERT_TRIALS};
    SCDC_TRY(expert_rounds_create(&h->rounds, c->given));
    size_t nodes = h->rounds.nodes, row = h->rounds.clusters * sizeof(double);
    h->evidence = arena_new(&h->memory, nodes, row, "answers");
    h->ln_experts = arena_new(&h->memory, nodes, row, "clusters of items");
    h->ln_network = arena_new(&h->memory, nodes, row, "clusters of items");
    h->asked = arena_new(&h->memory, nodes, sizeof *h->asked, "answers");
    if (c->unheard) keep_unheard_out(h);
    return arena_status(&h->memory);
}

static void hearing_free(hearing *h)
{
    arena_free(&h->memory);
    expert_rounds_free(&h->rounds);
}

int alone_weigh(alone_word *out, const alone_case *c)
{
    hearing h = {0};
    int status = hearing_create(&h, c);
    if (status == SCDC_OK) choose(out, &h);
    hearing_free(&h);
    return status;
}

/* ---- a word that is left as it is ---- */

static double foretold_doubting(const hearing *h, double doubt)
{
    size_t C = h->rounds.clusters;
    double p[MOST_CLASSES], sum = 0;
    for (size_t i = 0; i < h->rounds.nodes; i++) {
        const double *word = h->given->given->mixture + i * C;
        if (!h->asked[i]) continue;
        for (size_t c = 0; c < C; c++)
            p[c] = log(expert_doubted(word[c], doubt, C) + LEAST) + h->evidence[i * C + c];
        sum += log_sum_exp(p, C);
    }
    return sum;
}

/* Words are doubted as far while workers are judged by them, but that words which are hardly
 * believed would not tell clusters apart: workers who are judged by words that are wrong look worse
 * than they are, and then their answers say less against the words. */
static double fit_doubting(hearing *h, double doubt)
{
    double fit = -doubt / DOUBT_SPREAD;
    expert_rounds_doubt(&h->rounds, fmin(doubt, ALONE_MOST_DOUBT));
    for (size_t t = 0; t < h->trials; t++) {
        enter_trial(h, t);
        gather_evidence(h);
        fit += foretold_doubting(h, doubt);
    }
    return fit;
}

/* Doubts are tried from the least on, until one is hopeless. */
int alone_doubt(double *doubt, const alone_case *c)
{
    hearing h = {0};
    choice all[N_FINAL];
    size_t count = 0;
    double best = -INFINITY;
    int status = hearing_create(&h, c);
    while (status == SCDC_OK && count < N_FINAL) {
        double fit = fit_doubting(&h, FINAL[count]);
        all[count] = (choice){{.experts = 1, .doubt = FINAL[count]}, fit};
        count++;
        best = fmax(best, fit);
        if (fit < best - EXPERT_FAR_BEHIND) break;
    }
    if (status == SCDC_OK) *doubt = mean_of(all, count).doubt;
    hearing_free(&h);
    return status;
}
