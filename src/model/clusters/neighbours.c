/* The evidence of links between nearest neighbours. */
#include "model/clusters/neighbours.h"

#include <math.h>
#include <string.h>

void neighbour_links(double *links, size_t K, const uint32_t *near, size_t n, size_t k,
                     const uint32_t *component)
{
    memset(links, 0, K * K * sizeof *links);
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < k; s++) {
            size_t a = component[i], b = component[near[i * k + s]];
            links[a * K + b] += 0.5;
            links[b * K + a] += 0.5;
        }
    }
}

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum;
}

void neighbour_coins(double coins[2], size_t K, const double *links, const double *share,
                     const double *same)
{
    double inside = 0, chance = 0, total = sum_of(links, K * K);
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++) {
            inside += same[k * K + l] * links[k * K + l];
            chance += same[k * K + l] * share[k] * share[l];
        }
    }
    chance *= total;
    /* One imaginary answer of each kind keeps the coins off 0 and 1. */
    coins[0] = (inside + 1) / (inside + chance + 2);
    coins[1] = (total - chance + 1) / (2 * total - inside - chance + 2);
}

void neighbour_evidence(double *evidence, const double coins[2], size_t K, const double *links,
                        const double *share)
{
    double total = sum_of(links, K * K);
    double link = log(coins[0] / (1 - coins[1])), random = log((1 - coins[0]) / coins[1]);
    for (size_t k = 0; k < K; k++) {
        for (size_t l = 0; l < K; l++) {
            evidence[k * K + l] =
                2 * (link * links[k * K + l] + random * total * share[k] * share[l]);
        }
    }
}

double neighbour_weight(const double coins[2])
{
    double weight = log(coins[0] / (1 - coins[1]));
    return weight > 0 ? weight : 0;
}
