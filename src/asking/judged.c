/* How many labels are right, judged by the answers. Where labels say "one cluster", the share of
 * "same" answers tells how many of these pairs are of one kind; where they say "two", how many are
 * all the same. Both are known as well as the workers are: coins and answers are drawn again, many
 * times, and the interval is that of what comes out. The model's own probabilities are not asked:
 * they know nothing of what items do not show. */
#include "asking/outlook.h"

#include "base/rng.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "expfam/special.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPLICATES = 400, GRID = 256, BLAMES = 64 };

/* Pairs of strata that were asked about seldom do not outweigh all others. */
static const double most_weight = 5;
/* What is thought before any answer: so many pairs in a cluster are of two kinds, and so many pairs
 * of a kind lie in two clusters. */
static const double first_mixed = .25, first_split = .25;
/* What judging by pairs leaves open in any case. */
static const double blur = .01, blur_of_width = .03;
/* What nobody can know (how mistakes lie, whose they are) is drawn evenly between two ends, which
 * have a chance of their own. */
static const double ends = 1.5;

/* Weighted answers of a worker about pairs that labels put into one cluster, or into two. */
typedef struct tally {
    double same, different;
} tally;

typedef struct judging {
    const looked_at *items;
    const coins *of_worker;
    two_coin_counts *known; /* [workers] of answers that no label judged; NULL: nothing is known */
    double blame[BLAMES];   /* how likely each part of `blamed` is by what is known */
    size_t workers, clusters;
    tally *said;     /* [workers][2]: in two clusters, in one */
    double *answers; /* [workers] how many */
    double *share;   /* [clusters] of the items */
    double *asked;   /* [clusters][clusters] answers about */
    double together; /* chance that two items have one label */
    rng draw;
} judging;

/* ---- counting ---- */

static bool labels_of(size_t *left, size_t *right, const judging *j, const scdc_answer *a)
{
    size_t l = looked_at_find(j->items, a->left), r = looked_at_find(j->items, a->right);
    if (l == SIZE_MAX || r == SIZE_MAX) return false;
    *left = j->items->label[l];
    *right = j->items->label[r];
    return true;
}

static void count_asked(judging *j, const scdc_answer *answers, size_t count)
{
    size_t C = j->clusters, left, right;
    for (size_t i = 0; i < j->items->count; i++)
        j->share[j->items->label[i]] += 1 / (double)j->items->count;
    for (size_t c = 0; c < C; c++) j->together += j->share[c] * j->share[c];
    for (size_t i = 0; i < count; i++) {
        if (!labels_of(&left, &right, j, &answers[i])) continue;
        size_t low = left < right ? left : right, high = left < right ? right : left;
        j->asked[low * C + high]++;
        j->answers[answers[i].worker]++;
    }
}

/* What was asked is not what two items at random would be: each pair of clusters counts by its
 * items. */
static double weight_of(const judging *j, size_t left, size_t right, const double total[2])
{
    size_t C = j->clusters, low = left < right ? left : right, high = left < right ? right : left;
    bool one = left == right;
    double chance = one ? j->share[left] * j->share[left] / j->together
                        : 2 * j->share[left] * j->share[right] / fmax(1 - j->together, 1e-12);
    double asked = j->asked[low * C + high] / total[one];
    return fmin(chance / asked, most_weight);
}

static void count_said(judging *j, const scdc_answer *answers, size_t count,
                       const uint32_t *of_task)
{
    size_t C = j->clusters, left, right;
    double total[2] = {0, 0}, sum[2] = {0, 0}, squares[2] = {0, 0};
    for (size_t i = 0; i < C; i++) {
        for (size_t k = i; k < C; k++) total[i == k] += j->asked[i * C + k];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            if (!labels_of(&left, &right, j, &answers[i])) continue;
            bool one = left == right;
            double w = weight_of(j, left, right, total);
            if (!pass) {
                sum[one] += w;
                squares[one] += w * w;
                continue;
            }
            w *= sum[one] / squares[one]; /* as many as they are worth */
            tally *t = &j->said[answers[i].worker * 2 + one];
            *(answers[i].same ? &t->same : &t->different) += w * answer_worth(&answers[i], of_task);
        }
    }
}

/* ---- drawing ---- */

static double between_ends(double u)
{
    return fmax(0, fmin(1, ends * (u - .5) + .5));
}

/* A worker's rates as they are if a share `blamed` of what the worse one is behind is the labels':
 * clusters of several kinds make workers look careless of "same", kinds in several clusters of
 * "different". */
static coins raised(const coins *c, double blamed)
{
    double better = fmax(c->sensitivity, c->specificity);
    return (coins){c->sensitivity + blamed * (better - c->sensitivity),
                   c->specificity + blamed * (better - c->specificity)};
}

/* A rate is known as well as half of the worker's answers tell it. */
static double as_answers(const judging *j, size_t worker)
{
    return .5 * j->answers[worker] + 4;
}

/* ln of the chance of counts that nobody's labels judged, when a rate is one of n answers. */
static double log_chance(const double counts[2], double rate, double n)
{
    double a = rate * n, b = (1 - rate) * n;
    return log_beta(a + counts[0], b + counts[1]) - log_beta(a, b);
}

/* Whose fault it is that workers look careless is told by what is known of them. */
static void weigh_blame(judging *j)
{
    double most = -INFINITY;
    for (size_t g = 0; g < BLAMES; g++) {
        j->blame[g] = 0;
        for (size_t w = 0; w < j->workers; w++) {
            coins c = raised(&j->of_worker[w], between_ends(((double)g + .5) / BLAMES));
            double n = as_answers(j, w);
            j->blame[g] += log_chance(j->known[w].alpha, c.sensitivity, n) +
                           log_chance(j->known[w].beta, c.specificity, n);
        }
        most = fmax(most, j->blame[g]);
    }
    for (size_t g = 0; g < BLAMES; g++) j->blame[g] = exp(j->blame[g] - most);
}

static double draw_blame(judging *j)
{
    if (!j->known) return between_ends(rng_uniform(&j->draw));
    size_t part = rng_categorical(&j->draw, j->blame, BLAMES);
    return between_ends(((double)part + rng_uniform(&j->draw)) / BLAMES);
}

static double draw_rate(judging *j, double rate, double n, const double *known)
{
    double a = rate * n, b = (1 - rate) * n;
    return rng_beta(&j->draw, a + (known ? known[0] : 0), b + (known ? known[1] : 0));
}

static void draw_coins(coins *out, judging *j)
{
    double blamed = draw_blame(j);
    for (size_t w = 0; w < j->workers; w++) {
        coins c = raised(&j->of_worker[w], blamed);
        double n = as_answers(j, w);
        out[w].sensitivity = draw_rate(j, c.sensitivity, n, j->known ? j->known[w].alpha : NULL);
        out[w].specificity = draw_rate(j, c.specificity, n, j->known ? j->known[w].beta : NULL);
    }
}

/* Workers drawn again with repetition: their weights. */
static void draw_weights(double *weight, judging *j)
{
    for (size_t w = 0; w < j->workers; w++)
        weight[w] = j->workers < 3 ? 1 : rng_gamma(&j->draw, 4) / 4;
}

/* The share of wrong pairs, drawn from its posterior given what was said of pairs in one cluster
 * (one = 1: those of two kinds are wrong), or in two (those of one kind are). Before any answer it
 * is Beta(1/2, 1/(2 mean) - 1/2). The grid is finest at 0, where good labels are. */
static double draw_wrong(judging *j, const coins *c, const double *weight, int one, double mean)
{
    double density[GRID], most = -INFINITY, b = fmax(.5 / mean - .5, .5);
    for (size_t g = 0; g < GRID; g++) {
        double x = ((double)g + .5) / GRID, wrong = x * x, same = one ? 1 - wrong : wrong;
        density[g] = (b - 1) * log(1 - wrong); /* x from the grid, 1/x from the prior */
        for (size_t w = 0; w < j->workers; w++) {
            const tally *t = &j->said[w * 2 + (size_t)one];
            double yes = same * c[w].sensitivity + (1 - same) * (1 - c[w].specificity);
            yes = fmax(1e-6, fmin(1 - 1e-6, yes));
            density[g] += weight[w] * (t->same * log(yes) + t->different * log(1 - yes));
        }
        most = fmax(most, density[g]);
    }
    for (size_t g = 0; g < GRID; g++) density[g] = exp(density[g] - most);
    double x = ((double)rng_categorical(&j->draw, density, GRID) + rng_uniform(&j->draw)) / GRID;
    return x * x;
}

/* ---- what it means for labels ---- */

/* The largest part of a whole whose two random items are alike with chance p: when the rest is one
 * other part; or many. */
static double two_parts(double p)
{
    return p >= .5 ? (1 + sqrt(2 * p - 1)) / 2 : p;
}

/* The two kinds of mistakes (kinds in one cluster, a kind in two) may be the same items or others,
 * lumped or scattered: u between the worst and the best. */
static double right_labels(double within, double between, double together, double u)
{
    double alike = within * together, split = between * (1 - together);
    double recall = alike / fmax(alike + split, 1e-12);
    double low = sqrt(fmin(within, recall)), high = sqrt(fmax(within, recall));
    double best = .8 * low + .2 * high; /* the lower of two estimates is too low */
    double worst = .97 * two_parts(within) * two_parts(recall);
    return u * best + (1 - u) * worst;
}

static int ascending(const void *a, const void *b)
{
    double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

static void draw_all(scdc_plan_point *out, judging *j, coins *c, double *weight, double confidence)
{
    double right[REPLICATES], sum = 0;
    double apart = fmax(1 - j->together, 1e-6);
    double split = fmin(first_split * j->together / apart, .5);
    for (size_t r = 0; r < REPLICATES; r++) {
        draw_coins(c, j);
        draw_weights(weight, j);
        double within = 1 - draw_wrong(j, c, weight, 1, first_mixed);
        double between = j->clusters < 2 ? 0 : draw_wrong(j, c, weight, 0, split);
        right[r] = right_labels(within, between, j->together, between_ends(rng_uniform(&j->draw)));
        sum += right[r];
    }
    qsort(right, REPLICATES, sizeof *right, ascending);
    size_t cut = (size_t)((1 - confidence) / 2 * REPLICATES);
    out->accuracy = sum / REPLICATES;
    double low = right[cut], high = right[REPLICATES - 1 - cut];
    double more = blur + blur_of_width * (high - low);
    out->low = fmax(0, low - more);
    out->high = fmin(1, high + more);
}

int judge_labels(scdc_plan_point *out, const looked_at *items, const scdc_crowd *crowd,
                 const coins *of_worker, const scdc_plan_options *o)
{
    size_t count = 0;
    scdc_crowd_info info = {0};
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    if (crowd) SCDC_TRY(scdc_crowd_get_info(&info, crowd));
    judging j = {.items = items,
                 .of_worker = of_worker,
                 .workers = info.workers,
                 .clusters = items->clusters};
    size_t W = j.workers, C = j.clusters;
    arena memory = {0};
    j.said = arena_new(&memory, W * 2, sizeof *j.said, "answers");
    j.answers = arena_new(&memory, W, sizeof *j.answers, "answers");
    j.share = arena_new(&memory, C, sizeof *j.share, "clusters");
    j.asked = arena_new(&memory, C * C, sizeof *j.asked, "clusters");
    coins *c = arena_new(&memory, W, sizeof *c, "coins");
    double *weight = arena_new(&memory, W, sizeof *weight, "answers");
    uint32_t *of_task = NULL;
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = answers_of_tasks(&of_task, answers, count);
    if (status == SCDC_OK) status = workers_measured(&j.known, crowd, of_task, &memory);
    if (status == SCDC_OK) {
        rng_init(&j.draw, o->seed, RNG_ASKING, UINT32_MAX - 2, 0);
        count_asked(&j, answers, count);
        count_said(&j, answers, count, of_task);
        if (j.known) weigh_blame(&j);
        draw_all(out, &j, c, weight, o->confidence);
    }
    mem_free(of_task);
    arena_free(&memory);
    return status;
}
