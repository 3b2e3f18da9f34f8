/* Metric pairwise constrained k-means: constraints and a diagonal metric per cluster in one
 * objective.
 *
 * Bilenko, Basu and Mooney, "Integrating constraints and metric learning in semi-supervised
 * clustering", ICML 2004. Minimises
 *   sum_i ||x_i - mu||^2_A - ln det A  +  broken "same" pairs: w (d_A(i) + d_A(j)) / 2
 *                                      +  broken "different" pairs: w (farthest_A - d_A(i,j))
 * by greedy assignment in random order, means, and the closed-form diagonal metric of each cluster.
 * Open choices: a pair weighs link_weight times (answers same - answers different), so that
 * contradictions cancel instead of being refused; neighbourhoods are the connected items of pairs
 * mostly answered "same", and when they are fewer than k the other starting centres are drawn by
 * k-means++; the farthest pair of a metric is found by two sweeps (the item farthest from the
 * centre, then the one farthest from that); each cluster's metric also sees PRIOR imaginary items
 * with the column's overall variance (else the objective falls without limit as a cluster shrinks
 * to one item), and a variance stays above FLOOR of the column's own, where the farthest pair would
 * make it negative; an empty cluster gets the item that costs most. Answers with errors join all
 * items into one neighbourhood, so that the publication's start says nothing: it is the first of
 * `starts`, the others take as neighbourhood an item and those directly answered "same" with it,
 * and the lowest objective is kept. A new farthest pair may raise the objective, hence a start has
 * converged when no label changes or the objective has not fallen by `tolerance` for PATIENCE
 * iterations.
 *
 * Time O(starts * iterations * (n + pairs) * k * D), memory O(n D + pairs + k D). */
#include "baselines/mpckmeans.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/watch.h"
#include "baselines/baseline.h"
#include "baselines/mpckmeans_start.h"

#include <math.h>
#include <string.h>

enum { PATIENCE = 20, LANES = 4 };
static const double FLOOR = 1e-3, PRIOR = 5;
static const uint32_t NO_LABEL = UINT32_MAX;

typedef struct link {
    uint32_t other;
    double weight; /* > 0 "same", < 0 "different" */
} link;

typedef struct mpck {
    size_t n, dims, k;
    double *rows;    /* n x D: the items */
    size_t *first;   /* n + 1: where an item's links begin */
    link *links;     /* each pair twice */
    double *centre;  /* k x D */
    double *metric;  /* k x D: diagonal of A */
    double *log_det; /* k */
    double *spread;  /* k x D: squared differences of the farthest pair, per column */
    double *reach;   /* k: their distance in the metric */
    double *column;  /* D: variance of all items; 1 where there is none */
    size_t *size;    /* k */
    uint32_t *labels, *order;
    arena memory;
} mpck;

static const double *row(const mpck *m, size_t item)
{
    return m->rows + item * m->dims;
}

/* Squared distance in a cluster's metric, in running sums that do not wait for each other. */
static double metric_distance(const mpck *m, size_t cluster, const double *a, const double *b)
{
    const double *metric = m->metric + cluster * m->dims;
    double lane[LANES] = {0};
    size_t d = 0;
    for (; d + LANES <= m->dims; d += LANES) {
        for (size_t j = 0; j < LANES; j++) {
            double v = a[d + j] - b[d + j];
            lane[j] += metric[d + j] * v * v;
        }
    }
    double sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    for (; d < m->dims; d++) sum += metric[d] * (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static double centre_distance(const mpck *m, size_t cluster, size_t item)
{
    return metric_distance(m, cluster, row(m, item), m->centre + cluster * m->dims);
}

/* What the links of item i cost in a cluster, given everyone else's. */
static double link_cost(const mpck *m, size_t i, size_t cluster)
{
    const double *own = row(m, i);
    double cost = 0;
    for (size_t l = m->first[i]; l < m->first[i + 1]; l++) {
        uint32_t other = m->links[l].other, label = m->labels[other];
        double weight = m->links[l].weight;
        if (label == NO_LABEL) continue;
        const double *theirs = row(m, other);
        if (weight > 0 && label != cluster) {
            cost +=
                weight * .5 *
                (metric_distance(m, cluster, own, theirs) + metric_distance(m, label, own, theirs));
        } else if (weight < 0 && label == cluster) {
            double gap = m->reach[cluster] - metric_distance(m, cluster, own, theirs);
            cost -= weight * (gap > 0 ? gap : 0);
        }
    }
    return cost;
}

static double item_cost(const mpck *m, size_t i, size_t cluster)
{
    return centre_distance(m, cluster, i) - m->log_det[cluster];
}

/* Greedy assignment in random order; how many items changed. */
static size_t assign(mpck *m, uint64_t seed, size_t start, size_t iteration)
{
    rng r;
    rng_init(&r, seed, RNG_BASELINE, 3, (uint64_t)start << 32 | iteration);
    rng_permutation(&r, m->order, m->n);
    size_t changed = 0;
    for (size_t o = 0; o < m->n; o++) {
        size_t i = m->order[o], best = 0;
        double least = INFINITY;
        for (size_t c = 0; c < m->k; c++) {
            double cost = item_cost(m, i, c) + link_cost(m, i, c);
            if (cost < least) {
                least = cost;
                best = c;
            }
        }
        changed += m->labels[i] != best;
        m->labels[i] = (uint32_t)best;
    }
    return changed;
}

static double objective(const mpck *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->n; i++) {
        /* each broken pair is seen from both ends */
        sum += item_cost(m, i, m->labels[i]) + .5 * link_cost(m, i, m->labels[i]);
    }
    for (size_t c = 0; c < m->k; c++) {
        for (size_t d = 0; d < m->dims; d++) {
            sum += PRIOR * m->column[d] * m->metric[c * m->dims + d];
        }
        sum -= PRIOR * m->log_det[c];
    }
    return sum;
}

static void count_sizes(mpck *m)
{
    memset(m->size, 0, m->k * sizeof *m->size);
    for (size_t i = 0; i < m->n; i++) m->size[m->labels[i]]++;
}

static void refill_empty(mpck *m)
{
    count_sizes(m);
    for (size_t c = 0; c < m->k; c++) {
        if (m->size[c]) continue;
        size_t worst = m->n;
        double most = -INFINITY;
        for (size_t i = 0; i < m->n; i++) {
            double cost = centre_distance(m, m->labels[i], i);
            if (m->size[m->labels[i]] > 1 && cost > most) {
                most = cost;
                worst = i;
            }
        }
        if (worst == m->n) return;
        m->size[m->labels[worst]]--;
        m->size[c] = 1;
        m->labels[worst] = (uint32_t)c;
    }
}

static void update_centres(mpck *m)
{
    memset(m->centre, 0, m->k * m->dims * sizeof *m->centre);
    for (size_t i = 0; i < m->n; i++) {
        double *centre = m->centre + m->labels[i] * m->dims;
        double share = 1 / (double)m->size[m->labels[i]];
        for (size_t d = 0; d < m->dims; d++) centre[d] += share * row(m, i)[d];
    }
}

/* The farthest pair of items in each cluster's metric, by two sweeps. */
static void update_reach(mpck *m)
{
    for (size_t c = 0; c < m->k; c++) {
        size_t one = 0, two = 0;
        double far = -1;
        for (size_t i = 0; i < m->n; i++) {
            double distance = centre_distance(m, c, i);
            if (distance > far) {
                far = distance;
                one = i;
            }
        }
        far = -1;
        for (size_t i = 0; i < m->n; i++) {
            double distance = metric_distance(m, c, row(m, i), row(m, one));
            if (distance > far) {
                far = distance;
                two = i;
            }
        }
        for (size_t d = 0; d < m->dims; d++) {
            double v = row(m, one)[d] - row(m, two)[d];
            m->spread[c * m->dims + d] = v * v;
        }
        m->reach[c] = far;
    }
}

/* Adds what the broken links of item i say about the columns' variances. Each pair is seen twice.
 */
static void add_broken(mpck *m, size_t i)
{
    const double *own = row(m, i);
    size_t label = m->labels[i];
    double *variance = m->metric + label * m->dims;
    for (size_t l = m->first[i]; l < m->first[i + 1]; l++) {
        const double *theirs = row(m, m->links[l].other);
        int together = m->labels[m->links[l].other] == label;
        double weight = m->links[l].weight;
        for (size_t d = 0; d < m->dims; d++) {
            double v = own[d] - theirs[d];
            if (weight > 0 && !together) variance[d] += .5 * weight * v * v;
            if (weight < 0 && together) {
                variance[d] -= .5 * weight * (m->spread[label * m->dims + d] - v * v);
            }
        }
    }
}

/* The diagonal metric that minimises the objective: items over the sum of squared deviations. */
static void update_metrics(mpck *m)
{
    memset(m->metric, 0, m->k * m->dims * sizeof *m->metric);
    for (size_t i = 0; i < m->n; i++) {
        const double *centre = m->centre + m->labels[i] * m->dims;
        double *variance = m->metric + m->labels[i] * m->dims;
        for (size_t d = 0; d < m->dims; d++) {
            double v = row(m, i)[d] - centre[d];
            variance[d] += v * v;
        }
        add_broken(m, i);
    }
    for (size_t c = 0; c < m->k; c++) {
        m->log_det[c] = 0;
        for (size_t d = 0; d < m->dims; d++) {
            double *value = &m->metric[c * m->dims + d];
            double variance = (*value + PRIOR * m->column[d]) / ((double)m->size[c] + PRIOR);
            double least = FLOOR * m->column[d];
            *value = 1 / (variance > least ? variance : least);
            m->log_det[c] += log(*value);
        }
    }
}

static void reset(mpck *m)
{
    for (size_t j = 0; j < m->k * m->dims; j++) m->metric[j] = 1;
    memset(m->log_det, 0, m->k * sizeof *m->log_det);
    for (size_t i = 0; i < m->n; i++) m->labels[i] = NO_LABEL;
    update_reach(m);
}

static mpck_report run_start(mpck *m, const mpck_options *o, size_t start)
{
    mpck_report report = {.objective = INFINITY};
    double least = INFINITY;
    size_t idle = 0; /* iterations since the objective last fell */
    reset(m);
    while (report.iterations < o->max_iterations && !report.converged) {
        size_t changed = assign(m, o->seed, start, report.iterations);
        refill_empty(m);
        update_centres(m);
        update_metrics(m);
        update_reach(m);
        report.objective = objective(m);
        report.iterations++;
        int falls = !isfinite(least) || report.objective < least - o->tolerance * fabs(least);
        idle = falls ? 0 : idle + 1;
        least = fmin(least, report.objective);
        report.converged = changed == 0 || idle >= PATIENCE;
    }
    return report;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static void column_variances(mpck *m)
{
    for (size_t d = 0; d < m->dims; d++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < m->n; i++) sum += row(m, i)[d];
        for (size_t i = 0; i < m->n; i++) {
            double v = row(m, i)[d] - sum / (double)m->n;
            squares += v * v;
        }
        m->column[d] = squares > 0 ? squares / (double)m->n : 1;
    }
}

static int build_links(mpck *m, const pairs *p, double weight)
{
    m->first = arena_new(&m->memory, m->n + 2, sizeof *m->first, "links of items");
    SCDC_TRY(arena_status(&m->memory));
    for (size_t t = 0; t < p->count; t++) {
        if (pair_majority(&p->list[t]) == 0) continue;
        m->first[p->list[t].left + 2]++;
        m->first[p->list[t].right + 2]++;
    }
    for (size_t i = 2; i < m->n + 2; i++) m->first[i] += m->first[i - 1];
    m->links = arena_new(&m->memory, m->first[m->n + 1], sizeof *m->links, "links");
    SCDC_TRY(arena_status(&m->memory));
    for (size_t t = 0; t < p->count; t++) {
        const pair *q = &p->list[t];
        if (pair_majority(q) == 0) continue;
        double signed_weight = weight * ((double)q->same - (double)q->different);
        m->links[m->first[q->left + 1]++] = (link){q->right, signed_weight};
        m->links[m->first[q->right + 1]++] = (link){q->left, signed_weight};
    }
    return SCDC_OK;
}

static int mpck_allocate(mpck *m)
{
    arena *a = &m->memory;
    size_t table, values;
    if (!size_mul(&table, m->k, m->dims) || !size_mul(&values, m->n, m->dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of %zu values are too many", m->n, m->dims);
    }
    m->rows = arena_new(a, values, sizeof *m->rows, "items");
    m->centre = arena_new(a, table, sizeof *m->centre, "centres");
    m->metric = arena_new(a, table, sizeof *m->metric, "metrics");
    m->spread = arena_new(a, table, sizeof *m->spread, "farthest pairs");
    m->log_det = arena_new(a, m->k, sizeof *m->log_det, "determinants");
    m->reach = arena_new(a, m->k, sizeof *m->reach, "farthest distances");
    m->size = arena_new(a, m->k, sizeof *m->size, "sizes");
    m->column = arena_new(a, m->dims, sizeof *m->column, "variances");
    m->labels = arena_new(a, m->n, sizeof *m->labels, "labels");
    m->order = arena_new(a, m->n, sizeof *m->order, "order");
    return arena_status(a);
}

int mpck_fit(uint32_t *labels, mpck_report *report, const float *x, size_t n, size_t dims,
             const pairs *links, const mpck_options *options)
{
    mpck m = {.n = n, .dims = dims, .k = options->k};
    int status;
    SCDC_TRY_OR(done, status, mpck_allocate(&m));
    SCDC_TRY_OR(done, status, build_links(&m, links, options->link_weight));
    for (size_t j = 0; j < n * dims; j++) m.rows[j] = x[j];
    column_variances(&m);
    *report = (mpck_report){.objective = INFINITY};
    for (size_t start = 0; start < options->starts; start++) {
        SCDC_TRY_OR(done, status, watch_tick("running starts", start, options->starts));
        SCDC_TRY_OR(done, status,
                    mpck_start_centres(m.centre, x, n, dims, m.k, links, options->seed, start));
        mpck_report run = run_start(&m, options, start);
        if (!isfinite(run.objective)) {
            status = fail_with(SCDC_ERR_NUMERIC, "the objective is not finite; scale the values");
            goto done;
        }
        if (start && run.objective >= report->objective) continue;
        *report = run;
        memcpy(labels, m.labels, n * sizeof *labels);
    }
done:
    arena_free(&m.memory);
    return status;
}

mpck_options mpck_chosen(const scdc_baseline_options *o)
{
    mpck_options method = MPCK_DEFAULTS;
    method.k = o->k;
    method.starts = chosen_count(o->starts, method.starts);
    method.max_iterations = chosen_count(o->max_iterations, method.max_iterations);
    method.tolerance = chosen_tolerance(o->tolerance, method.tolerance);
    method.link_weight = o->link_weight;
    method.seed = o->seed;
    return method;
}

int baseline_mpckmeans(baseline_result *out, const baseline_input *in,
                       const scdc_baseline_options *o)
{
    mpck_options method = mpck_chosen(o);
    pairs links = {0};
    uint32_t *labels = NULL;
    mpck_report report;
    int status;
    SCDC_TRY_OR(done, status, pairs_collect(&links, in->answers, in->n_answers, ALL_WORKERS));
    SCDC_TRY_OR(done, status, mem_zeroed(&labels, in->n, sizeof *labels, "labels"));
    SCDC_TRY_OR(done, status, mpck_fit(labels, &report, in->x, in->n, in->dims, &links, &method));
    for (size_t i = 0; i < in->n; i++) out->labels[i] = labels[i];
    out->iterations = report.iterations;
    out->converged = report.converged;
    out->objective = report.objective;
done:
    mem_free(labels);
    pairs_free(&links);
    return status;
}
