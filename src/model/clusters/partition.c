/* Evidence of partitions and greedy joins. */
#include "model/clusters/partition.h"
#include "base/status.h"
#include "crowd/placements.h"
#include "expfam/special.h"

#include <math.h>
#include <string.h>

/* Places in the counts of a worker: what it said about pairs inside a part, and across parts. */
enum { SAME_INSIDE, DIFFERENT_INSIDE, DIFFERENT_ACROSS, SAME_ACROSS };

int answer_set_create(answer_set *out, const asked *answer, size_t count, size_t workers,
                      const scdc_options *options)
{
    answer_set s = {.answer = answer, .count = count, .workers = workers, .all_workers = workers};
    s.shared = options->coins == SCDC_COINS_SHARED;
    if (s.shared) s.workers = 1;
    /* Whoever answers is right more often than not: a flat prior would let a partition win by
     * turning all coins around. */
    s.sensitivity[0] = options->prior_sensitivity[0] + 1;
    s.sensitivity[1] = options->prior_sensitivity[1];
    s.specificity[0] = options->prior_specificity[0] + 1;
    s.specificity[1] = options->prior_specificity[1];
    s.counts = arena_new(&s.memory, s.workers, sizeof *s.counts, "workers");
    s.weight = arena_new(&s.memory, 2 * s.workers, sizeof *s.weight, "workers");
    int status = arena_status(&s.memory);
    if (status == SCDC_OK) *out = s;
    else arena_free(&s.memory);
    return status;
}

void answer_set_free(answer_set *s)
{
    arena_free(&s->memory);
}

int answers_worth(double *worth, const scdc_answer *answers, size_t n_answers)
{
    crowd_graph graph;
    placements tasks = {0};
    SCDC_TRY(crowd_graph_build(&graph, answers, n_answers));
    int status = placements_build(&tasks, answers, &graph);
    for (size_t a = 0; a < n_answers && status == SCDC_OK; a++) {
        worth[a] = placements_worth(&tasks, a);
    }
    placements_free(&tasks);
    crowd_graph_free(&graph);
    return status;
}

static double gained(const double prior[2], double right, double wrong)
{
    return log_beta(prior[0] + right, prior[1] + wrong) - log_beta(prior[0], prior[1]);
}

/* An item's two components with their chances. */
typedef struct chances {
    uint32_t part[2];
    double share[2];
} chances;

static chances chances_of(const whereabouts *i, const uint32_t *part)
{
    double share = (double)i->share;
    return (chances){{part[i->first], part[i->second]}, {share, 1 - share}};
}

static double in_one_part(const whereabouts *left, const whereabouts *right, const uint32_t *part)
{
    chances a = chances_of(left, part), b = chances_of(right, part);
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) sum += a.part[i] == b.part[j] ? a.share[i] * b.share[j] : 0;
    }
    return sum;
}

static void count_answers(answer_set *s, const whereabouts *item, const uint32_t *part)
{
    memset(s->counts, 0, s->workers * sizeof *s->counts);
    for (size_t m = 0; s->known && m < s->all_workers; m++) {
        double *n = s->counts[s->shared ? 0 : m];
        n[SAME_INSIDE] += s->known[m].alpha[0];
        n[DIFFERENT_INSIDE] += s->known[m].alpha[1];
        n[DIFFERENT_ACROSS] += s->known[m].beta[0];
        n[SAME_ACROSS] += s->known[m].beta[1];
    }
    for (size_t a = 0; a < s->count; a++) {
        const asked *q = &s->answer[a];
        double *n = s->counts[s->shared ? 0 : q->worker];
        double inside = in_one_part(&item[q->left], &item[q->right], part);
        n[q->same ? SAME_INSIDE : DIFFERENT_INSIDE] += q->worth * inside;
        n[q->same ? SAME_ACROSS : DIFFERENT_ACROSS] += q->worth * (1 - inside);
    }
}

double partition_evidence(answer_set *s, const whereabouts *item, const uint32_t *part)
{
    double sum = 0;
    count_answers(s, item, part);
    for (size_t m = 0; m < s->workers; m++) {
        const double *n = s->counts[m];
        sum += gained(s->sensitivity, n[SAME_INSIDE], n[DIFFERENT_INSIDE]);
        sum += gained(s->specificity, n[DIFFERENT_ACROSS], n[SAME_ACROSS]);
    }
    return sum;
}

/* What each worker's answers weigh under the coins that the counts tell. */
static void weigh_workers(answer_set *s)
{
    for (size_t m = 0; m < s->workers; m++) {
        const double *n = s->counts[m];
        double a = (s->sensitivity[0] + n[SAME_INSIDE]) /
                   (s->sensitivity[0] + s->sensitivity[1] + n[SAME_INSIDE] + n[DIFFERENT_INSIDE]);
        double b = (s->specificity[0] + n[DIFFERENT_ACROSS]) /
                   (s->specificity[0] + s->specificity[1] + n[DIFFERENT_ACROSS] + n[SAME_ACROSS]);
        s->weight[2 * m] = log((1 - a) / b);
        s->weight[2 * m + 1] = log(a / (1 - b));
    }
}

/* Adds what an answer says to all pairs of parts it may be about. */
static void add_word(double *work, size_t parts, const chances *a, const chances *b, double nats)
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            size_t p = a->part[i], r = b->part[j];
            if (p == r) continue;
            work[(p < r ? p : r) * parts + (p < r ? r : p)] += nats * a->share[i] * b->share[j];
        }
    }
}

/* The two parts for whose being one the answers speak most. */
static void best_pair(uint32_t *first, uint32_t *second, answer_set *s, const whereabouts *item,
                      const uint32_t *part, size_t parts, double *work)
{
    memset(work, 0, parts * parts * sizeof *work);
    weigh_workers(s);
    for (size_t a = 0; a < s->count; a++) {
        const asked *q = &s->answer[a];
        double nats = q->worth * s->weight[2 * (s->shared ? 0 : q->worker) + (q->same ? 1 : 0)];
        chances left = chances_of(&item[q->left], part), right = chances_of(&item[q->right], part);
        add_word(work, parts, &left, &right, nats);
    }
    double best = -INFINITY;
    for (size_t p = 0; p < parts; p++) {
        for (size_t r = p + 1; r < parts; r++) {
            if (!(work[p * parts + r] > best)) continue;
            best = work[p * parts + r];
            *first = (uint32_t)p;
            *second = (uint32_t)r;
        }
    }
}

double partition_join(uint32_t *part, size_t *parts, answer_set *s, const whereabouts *item,
                      size_t components, size_t wanted, double further, partition_work *work)
{
    double now = partition_evidence(s, item, part), spent = 0;
    while (*parts > (wanted ? wanted : 2)) {
        uint32_t first = 0, second = 1;
        best_pair(&first, &second, s, item, part, *parts, work->nats);
        memcpy(work->part, part, components * sizeof *part);
        for (size_t k = 0; k < components; k++) {
            if (part[k] == second) part[k] = first;
            else part[k] -= part[k] > second;
        }
        double then = partition_evidence(s, item, part);
        double cost = log((double)*parts * (double)(*parts - 1) / 2) + further;
        if (!wanted && then - now <= cost) {
            memcpy(part, work->part, components * sizeof *part);
            break;
        }
        --*parts;
        now = then;
        spent += cost;
    }
    return spent;
}
