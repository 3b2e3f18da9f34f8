/* How well answers that were kept back are foretold. */
#include "model/clusters/kept_answers.h"
#include "base/numeric.h"
#include "base/status.h"

#include <math.h>

static const double DOUBTS[] = {0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7};
enum { N_DOUBTS = sizeof DOUBTS / sizeof *DOUBTS, ROUNDS = 20 };
/* Added to counts, so that no rate is 0 or 1. */
#define LEAST_COUNT 0.5

int kept_answers_create(kept_answers *out, const cluster_level *t)
{
    const crowd_graph *g = &t->graph;
    const remembered *r = &t->remembered;
    size_t count = t->unheard ? g->answers : 0;
    *out = (kept_answers){0};
    out->pair = arena_new(&out->memory, count, sizeof *out->pair, "answers");
    out->one = arena_new(&out->memory, count, sizeof *out->one, "answers");
    SCDC_TRY(arena_status(&out->memory));
    for (size_t a = 0; a < count; a++) {
        if (!t->unheard[g->left[a]] && !t->unheard[g->right[a]]) continue;
        out->pair[out->count++] = (kept_pair){g->left[a], g->right[a], r->answers[a].same,
                                              placements_worth(&r->piles.tasks, a)};
    }
    return SCDC_OK;
}

void kept_answers_free(kept_answers *k)
{
    arena_free(&k->memory);
    *k = (kept_answers){0};
}

/* P(both of one cluster), by the words as they are. */
static double by_words(const kept_pair *p, const double *word, size_t C)
{
    const double *a = word + p->left * C, *b = word + p->right * C;
    double s = 0;
    for (size_t c = 0; c < C; c++) s += a[c] * b[c];
    return s;
}

/* The same were everybody sure of what they say. */
static double by_likeliest(const kept_pair *p, const double *word, size_t C)
{
    return argmax(word + p->left * C, C) == argmax(word + p->right * C, C);
}

double kept_answers_told(const kept_answers *k, const double *word, size_t C)
{
    double one = 0, two = 0, same_of_one = 0, same_of_two = 0;
    for (size_t i = 0; i < k->count; i++) {
        const kept_pair *p = &k->pair[i];
        double s = by_likeliest(p, word, C);
        one += p->weight * s;
        two += p->weight * (1 - s);
        if (!p->same) continue;
        same_of_one += p->weight * s;
        same_of_two += p->weight * (1 - s);
    }
    return one > 0 && two > 0 ? same_of_one / one - same_of_two / two : 0;
}

/* P("same" | of one cluster), P("same" | of two). */
typedef struct rates {
    double one, two;
} rates;

/* The rates that explain the answers better, and the log likelihood under those before; each word
 * given to all clusters alike with the probability doubt. */
static double improve(rates *r, const kept_answers *k, size_t C, double doubt)
{
    double sum = 0, kept = (1 - doubt) * (1 - doubt);
    double count[2][2] = {{LEAST_COUNT, LEAST_COUNT}, {LEAST_COUNT, LEAST_COUNT}};
    for (size_t i = 0; i < k->count; i++) {
        const kept_pair *p = &k->pair[i];
        double s = kept * k->one[i] + (1 - kept) / (double)C;
        double one = s * (p->same ? r->one : 1 - r->one);
        double two = (1 - s) * (p->same ? r->two : 1 - r->two);
        sum += p->weight * log(one + two);
        count[0][p->same] += p->weight * one / (one + two);
        count[1][p->same] += p->weight * two / (one + two);
    }
    *r = (rates){count[0][1] / (count[0][0] + count[0][1]),
                 count[1][1] / (count[1][0] + count[1][1])};
    return sum;
}

static double best_fit(const kept_answers *k, size_t C)
{
    double best = -INFINITY;
    for (size_t d = 0; d < N_DOUBTS; d++) {
        rates r = {0.6, 0.05};
        double fit = 0;
        for (size_t round = 0; round < ROUNDS; round++) fit = improve(&r, k, C, DOUBTS[d]);
        best = fmax(best, fit);
    }
    return best;
}

double kept_answers_fit(const kept_answers *k, const double *word, size_t C)
{
    for (size_t i = 0; i < k->count; i++) k->one[i] = by_words(&k->pair[i], word, C);
    double as_said = best_fit(k, C);
    for (size_t i = 0; i < k->count; i++) k->one[i] = by_likeliest(&k->pair[i], word, C);
    return fmax(as_said, best_fit(k, C));
}
