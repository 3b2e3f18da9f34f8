/* Cluster-based similarity partitioning over one clustering per worker.
 *
 * Strehl and Ghosh, "Cluster ensembles: a knowledge reuse framework for combining multiple
 * partitions", JMLR 2002: similarity of two items = in how many clusterings they are together; the
 * graph of similarities is partitioned by METIS (Karypis and Kumar 1998). Each worker's clustering
 * is made by MPCKMeans from that worker's answers alone, as in the experiments of Chang et al.
 * 2017. Open choices: workers without answers are left out; multilevel k-way partitioning, edge
 * cut, the best of CUTS tries, METIS's own balance (parts within 3 % of equal size, which is part
 * of the method: it favours clusters of equal size).
 *
 * Time O(workers * mpckmeans + n^2 workers), memory O(n^2): refused above MOST_ITEMS. */
#include "baselines/cspa.h"

#include "base/memory.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "baselines/mpckmeans.h"

enum { CUTS = 10, MOST_ITEMS = 20000 };

#ifdef SCDC_HAVE_METIS
#include <metis.h>

static uint32_t together(const uint32_t *clusterings, size_t count, size_t n, size_t i, size_t j)
{
    uint32_t sum = 0;
    for (size_t c = 0; c < count; c++) sum += clusterings[c * n + i] == clusterings[c * n + j];
    return sum;
}

typedef struct similarity_graph {
    idx_t *first, *other, *weight; /* n + 1; both ends of each edge */
    arena memory;
} similarity_graph;

static int build_graph(similarity_graph *g, const uint32_t *clusterings, size_t count, size_t n)
{
    g->first = arena_new(&g->memory, n + 1, sizeof *g->first, "graph");
    SCDC_TRY(arena_status(&g->memory));
    size_t edges = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            edges += i != j && together(clusterings, count, n, i, j) > 0;
        }
        g->first[i + 1] = (idx_t)edges;
    }
    g->other = arena_new(&g->memory, edges, sizeof *g->other, "edges");
    g->weight = arena_new(&g->memory, edges, sizeof *g->weight, "edge weights");
    SCDC_TRY(arena_status(&g->memory));
    edges = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            uint32_t shared = i == j ? 0 : together(clusterings, count, n, i, j);
            if (!shared) continue;
            g->other[edges] = (idx_t)j;
            g->weight[edges++] = (idx_t)shared;
        }
    }
    return SCDC_OK;
}

static int partition(uint32_t *labels, double *cut, similarity_graph *g, size_t n, size_t k,
                     uint64_t seed)
{
    idx_t options[METIS_NOPTIONS], vertices = (idx_t)n, constraints = 1, parts = (idx_t)k,
                                   total = 0;
    idx_t *part = arena_new(&g->memory, n, sizeof *part, "parts");
    SCDC_TRY(arena_status(&g->memory));
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(seed & 0x7fffffff);
    options[METIS_OPTION_NCUTS] = CUTS;
    int result = METIS_PartGraphKway(&vertices, &constraints, g->first, g->other, NULL, NULL,
                                     g->weight, &parts, NULL, NULL, options, &total, part);
    if (result == METIS_ERROR_MEMORY) return fail_with(SCDC_ERR_MEMORY, "METIS is out of memory");
    if (result != METIS_OK) {
        return fail_with(SCDC_ERR_NUMERIC, "METIS could not partition the similarities (%d)",
                         result);
    }
    for (size_t i = 0; i < n; i++) labels[i] = (uint32_t)part[i];
    if (cut) *cut = (double)total;
    return SCDC_OK;
}

int cspa_consensus(uint32_t *labels, double *cut, const uint32_t *clusterings, size_t count,
                   size_t n, size_t k, uint64_t seed)
{
    if (n > MOST_ITEMS) {
        return fail_with(SCDC_ERR_UNSUPPORTED,
                         "the graph of %zu items has too many edges; expected at most %d items", n,
                         MOST_ITEMS);
    }
    if (k == 1) {
        for (size_t i = 0; i < n; i++) labels[i] = 0;
        if (cut) *cut = 0;
        return SCDC_OK;
    }
    similarity_graph g = {0};
    int status = build_graph(&g, clusterings, count, n);
    if (status == SCDC_OK) status = partition(labels, cut, &g, n, k, seed);
    arena_free(&g.memory);
    return status;
}
#else
int cspa_consensus(uint32_t *labels, double *cut, const uint32_t *clusterings, size_t count,
                   size_t n, size_t k, uint64_t seed)
{
    (void)labels, (void)cut, (void)clusterings, (void)count, (void)n, (void)k, (void)seed;
    return fail_with(SCDC_ERR_UNSUPPORTED,
                     "this build has no METIS, which partitions the graph of "
                     "similarities; install it (libmetis-dev) and build again");
}
#endif

/* One row of labels per worker who answered; *count of them. */
static int cluster_by_worker(uint32_t *clusterings, size_t *count, int *converged,
                             const baseline_input *in, const mpck_options *options)
{
    *count = 0;
    for (size_t w = 0; w < in->n_workers; w++) {
        pairs links = {0};
        mpck_report report;
        mpck_options own = *options;
        own.seed = baseline_seed(options->seed, 7, w);
        SCDC_TRY(pairs_collect(&links, in->answers, in->n_answers, (int64_t)w));
        int status = SCDC_OK;
        if (links.count) {
            status = mpck_fit(clusterings + *count * in->n, &report, in->x, in->n, in->dims, &links,
                              &own);
            *converged = *converged && report.converged;
            ++*count;
        }
        pairs_free(&links);
        if (status != SCDC_OK) return status;
    }
    return SCDC_OK;
}

int baseline_cspa(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    mpck_options each = mpck_chosen(o);
    uint32_t *clusterings = NULL, *labels = NULL;
    size_t values;
    int status;
    arena memory = {0};
    if (!size_mul(&values, in->n_workers, in->n)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu clusterings of %zu items are too many",
                         in->n_workers, in->n);
    }
    clusterings = arena_new(&memory, values, sizeof *clusterings, "clusterings");
    labels = arena_new(&memory, in->n, sizeof *labels, "labels");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    out->converged = 1;
    SCDC_TRY_OR(done, status,
                cluster_by_worker(clusterings, &out->iterations, &out->converged, in, &each));
    SCDC_TRY_OR(done, status,
                cspa_consensus(labels, &out->objective, clusterings, out->iterations, in->n, o->k,
                               o->seed));
    for (size_t i = 0; i < in->n; i++) out->labels[i] = labels[i];
done:
    arena_free(&memory);
    return status;
}
