/* Remembered q(z) of annotated items and sums over all answers. */
#include "model/clusters/remembered.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

int remembered_create(remembered *out, size_t nodes, size_t n_answers, size_t components)
{
    remembered r = {.nodes = nodes, .n_answers = n_answers, .components = components};
    size_t cells;
    int status;
    r.slots = components < REMEMBERED_SLOTS ? components : REMEMBERED_SLOTS;
    if (!size_mul(&cells, nodes, r.slots)) return fail_memory(SIZE_MAX, "remembered messages");
    r.component = arena_new(&r.memory, cells, sizeof *r.component, "remembered messages");
    SCDC_TRY_OR(error, status, arena_status(&r.memory));
    r.share = arena_new(&r.memory, cells, sizeof *r.share, "remembered messages");
    r.lost = arena_new(&r.memory, nodes, sizeof *r.lost, "remembered messages");
    r.weight = arena_new(&r.memory, n_answers, sizeof *r.weight, "answer weights");
    r.row = arena_new(&r.memory, components, sizeof *r.row, "messages");
    SCDC_TRY_OR(error, status, arena_status(&r.memory));
    *out = r;
    return SCDC_OK;
error:
    arena_free(&r.memory);
    return status;
}

void remembered_attach(remembered *r, const scdc_answer *answers, const crowd_graph *graph)
{
    r->answers = answers;
    r->graph = graph;
}

void remembered_free(remembered *r)
{
    arena_free(&r->memory);
}

void remembered_store(remembered *r, size_t node, const double *z)
{
    int32_t *component = r->component + node * r->slots;
    float *share = r->share + node * r->slots;
    double kept[REMEMBERED_SLOTS], sum = 0, total = 0;
    size_t used = 0;
    /* Insertion into a short sorted list: most components fall through the first test. */
    for (size_t k = 0; k < r->components; k++) {
        total += z[k];
        if (used == r->slots && !(z[k] > kept[used - 1])) continue;
        size_t place = used < r->slots ? used++ : used - 1;
        for (; place > 0 && z[k] > kept[place - 1]; place--) {
            kept[place] = kept[place - 1];
            component[place] = component[place - 1];
        }
        kept[place] = z[k];
        component[place] = (int32_t)k;
    }
    for (size_t s = 0; s < used; s++) sum += kept[s];
    for (size_t s = 0; s < used; s++) share[s] = (float)(kept[s] / sum);
    r->lost[node] = (float)(1 - sum / total);
}

void remembered_read(double *z, const remembered *r, size_t node)
{
    memset(z, 0, r->components * sizeof *z);
    for (size_t s = 0; s < r->slots; s++) {
        z[r->component[node * r->slots + s]] += (double)r->share[node * r->slots + s];
    }
}

double remembered_dropped(const remembered *r)
{
    double sum = 0;
    for (size_t i = 0; i < r->nodes; i++) sum += (double)r->lost[i];
    return r->nodes ? sum / (double)r->nodes : 0;
}

bool remembered_valid(const remembered *r)
{
    for (size_t i = 0; i < r->nodes * r->slots; i++) {
        if (r->component[i] < 0 || (size_t)r->component[i] >= r->components) return false;
    }
    return true;
}

void remembered_weigh(remembered *r, const two_coin *workers)
{
    for (size_t a = 0; a < r->n_answers; a++) {
        r->weight[a] = two_coin_weight(&workers[r->answers[a].worker], r->answers[a].same);
    }
}

/* out = sum_j w_ij z_j over the answers about a node. */
static void weighted_neighbours(double *out, const remembered *r, size_t node)
{
    memset(out, 0, r->components * sizeof *out);
    for (size_t e = r->graph->start[node]; e < r->graph->start[node + 1]; e++) {
        size_t j = r->graph->neighbour[e];
        double w = r->weight[r->graph->answer[e]];
        for (size_t s = 0; s < r->slots; s++) {
            out[r->component[j * r->slots + s]] += w * (double)r->share[j * r->slots + s];
        }
    }
}

void remembered_field(double *field, remembered *r, size_t node, const double *same)
{
    size_t K = r->components;
    weighted_neighbours(r->row, r, node);
    memset(field, 0, K * sizeof *field);
    for (size_t l = 0; l < K; l++) {
        if (r->row[l] == 0) continue;
        for (size_t k = 0; k < K; k++) field[k] += same[l * K + k] * r->row[l];
    }
}

void remembered_evidence(double *evidence, remembered *r)
{
    size_t K = r->components;
    memset(evidence, 0, K * K * sizeof *evidence);
    for (size_t i = 0; i < r->nodes; i++) {
        weighted_neighbours(r->row, r, i);
        for (size_t s = 0; s < r->slots; s++) {
            double z = (double)r->share[i * r->slots + s];
            if (z == 0) continue;
            double *row = evidence + (size_t)r->component[i * r->slots + s] * K;
            for (size_t l = 0; l < K; l++) row[l] += z * r->row[l];
        }
    }
}

/* s = z_i' A z_j for the two items of an answer. */
static double same_cluster(const remembered *r, size_t i, size_t j, const double *same)
{
    const int32_t *ki = r->component + i * r->slots, *kj = r->component + j * r->slots;
    const float *zi = r->share + i * r->slots, *zj = r->share + j * r->slots;
    double sum = 0;
    for (size_t s = 0; s < r->slots; s++) {
        if (zi[s] == 0) continue;
        double inner = 0;
        for (size_t t = 0; t < r->slots; t++)
            inner += same[(size_t)ki[s] * r->components + (size_t)kj[t]] * (double)zj[t];
        sum += (double)zi[s] * inner;
    }
    return sum < 1 ? sum : 1;
}

void remembered_count(two_coin_counts *workers, const remembered *r, const double *same)
{
    for (size_t a = 0; a < r->n_answers; a++) {
        double s = same_cluster(r, r->graph->left[a], r->graph->right[a], same);
        two_coin_count(&workers[r->answers[a].worker], r->answers[a].same, s);
    }
}

double remembered_answer_term(const remembered *r, const double *same, const two_coin *workers)
{
    double sum = 0;
    for (size_t a = 0; a < r->n_answers; a++) {
        double s = same_cluster(r, r->graph->left[a], r->graph->right[a], same);
        sum += two_coin_log_likelihood(&workers[r->answers[a].worker], r->answers[a].same, s);
    }
    return sum;
}

/* out [slots] ~ q(z) of a node without what an answer told it about its partner. */
static void take_back(double *out, const remembered *r, size_t node, size_t partner, double weight,
                      const double *same)
{
    size_t K = r->components, slots = r->slots;
    const int32_t *own = r->component + node * slots, *other = r->component + partner * slots;
    const float *share = r->share + node * slots, *told = r->share + partner * slots;
    double sum = 0;
    for (size_t s = 0; s < slots; s++) {
        double message = 0;
        for (size_t t = 0; t < slots; t++) {
            message += same[(size_t)own[s] * K + (size_t)other[t]] * (double)told[t];
        }
        sum += out[s] = (double)share[s] * exp(-weight * message);
    }
    for (size_t s = 0; s < slots; s++) out[s] /= sum;
}

double remembered_held_out(const remembered *r, const double *same, const two_coin *workers)
{
    size_t K = r->components, slots = r->slots;
    double sum = 0, left[REMEMBERED_SLOTS], right[REMEMBERED_SLOTS];
    for (size_t a = 0; a < r->n_answers; a++) {
        size_t i = r->graph->left[a], j = r->graph->right[a];
        const int32_t *mine = r->component + i * slots, *its = r->component + j * slots;
        const two_coin *w = &workers[r->answers[a].worker];
        uint32_t said = r->answers[a].same;
        double s = 0;
        take_back(left, r, i, j, r->weight[a], same);
        take_back(right, r, j, i, r->weight[a], same);
        for (size_t k = 0; k < slots; k++) {
            for (size_t l = 0; l < slots; l++) {
                s += left[k] * same[(size_t)mine[k] * K + (size_t)its[l]] * right[l];
            }
        }
        double if_same = exp(said ? w->ln_alpha : w->ln_not_alpha);
        double if_not = exp(said ? w->ln_not_beta : w->ln_beta);
        s = s < 1 ? s : 1;
        sum += log(s * if_same + (1 - s) * if_not + DBL_MIN);
    }
    return sum / (double)r->n_answers;
}
