/* Evidence of partitions and greedy joins. */
#include "model/clusters/partition.h"
#include "base/status.h"
#include "crowd/placements.h"
#include "expfam/special.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

/* Places in the counts of a worker: what it said about pairs inside a part, and across parts. */
enum { SAME_INSIDE, DIFFERENT_INSIDE, DIFFERENT_ACROSS, SAME_ACROSS };

int answer_set_create(answer_set *out, const asked *answer, size_t count, size_t items,
                      size_t workers, const scdc_options *options)
{
    answer_set s = {.answer = answer,
                    .count = count,
                    .items = items,
                    .workers = workers,
                    .all_workers = workers};
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
    s.at = arena_new(&s.memory, items, sizeof *s.at, "annotated items");
    int status = arena_status(&s.memory);
    if (status == SCDC_OK) *out = s;
    else arena_free(&s.memory);
    return status;
}

int answer_set_let_stray(answer_set *s, size_t most_parts)
{
    s->start = arena_new(&s->memory, s->items + 1, sizeof *s->start, "annotated items");
    s->about = arena_new(&s->memory, 2 * s->count, sizeof *s->about, "answers");
    s->moved = arena_new(&s->memory, s->items, sizeof *s->moved, "annotated items");
    s->word = arena_new(&s->memory, most_parts, sizeof *s->word, "parts");
    s->heard = arena_new(&s->memory, most_parts, sizeof *s->heard, "parts");
    SCDC_TRY(arena_status(&s->memory));
    answer_set_list(s);
    return SCDC_OK;
}

void answer_set_list(answer_set *s)
{
    uint32_t *start = s->start;
    memset(start, 0, (s->items + 1) * sizeof *start);
    for (size_t a = 0; a < s->count; a++) {
        start[s->answer[a].left + 1]++;
        start[s->answer[a].right + 1]++;
    }
    for (size_t i = 0; i < s->items; i++) start[i + 1] += start[i];
    for (size_t a = 0; a < s->count; a++) {
        s->about[start[s->answer[a].left]++] = (uint32_t)a;
        s->about[start[s->answer[a].right]++] = (uint32_t)a;
    }
    memmove(start + 1, start, s->items * sizeof *start); /* each went to where the next begins */
    start[0] = 0;
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

static chances chances_of(const whereabouts *i, const uint32_t *part)
{
    double share = (double)i->share;
    return (chances){{part[i->first], part[i->second]}, {share, 1 - share}};
}

static double in_one_part(const chances *a, const chances *b)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) sum += a->part[i] == b->part[j] ? a->share[i] * b->share[j] : 0;
    }
    return sum;
}

static void count_answers(answer_set *s)
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
        double inside = in_one_part(&s->at[q->left], &s->at[q->right]);
        n[q->same ? SAME_INSIDE : DIFFERENT_INSIDE] += q->worth * inside;
        n[q->same ? SAME_ACROSS : DIFFERENT_ACROSS] += q->worth * (1 - inside);
    }
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

static double nats_of(const answer_set *s, const asked *q)
{
    return q->worth * s->weight[2 * (s->shared ? 0 : q->worker) + (q->same ? 1 : 0)];
}

/* ---- strays ---- */

/* Adds nats to the word for a part; *heard counts the parts with any. */
static void speak_for(answer_set *s, size_t *heard, uint32_t part, double nats)
{
    for (size_t i = 0; i < *heard; i++) {
        if (s->heard[i] != part) continue;
        s->word[i] += nats;
        return;
    }
    s->heard[*heard] = part;
    s->word[(*heard)++] = nats;
}

/* The word of all answers about an item, the others being where they are. */
static size_t hear_item(answer_set *s, size_t item)
{
    size_t heard = 0;
    for (int i = 0; i < 2; i++) speak_for(s, &heard, s->at[item].part[i], 0);
    for (size_t e = s->start[item]; e < s->start[item + 1]; e++) {
        const asked *q = &s->answer[s->about[e]];
        const chances *other = &s->at[q->left == item ? q->right : q->left];
        double nats = nats_of(s, q);
        for (int i = 0; i < 2; i++) speak_for(s, &heard, other->part[i], nats * other->share[i]);
    }
    return heard;
}

/* Where an item is by its values: there, or by a small chance in any part. */
static double chance_by_values(const chances *c, uint32_t part, size_t parts)
{
    double sum = 0;
    for (int i = 0; i < 2; i++) sum += c->part[i] == part ? c->share[i] : 0;
    return (1 - STRAY) * sum + STRAY / (double)parts;
}

/* An item by its values and its answers. Returns what that costs: the divergence from its values'
 * word. */
static double place_item(chances *out, answer_set *s, size_t item, size_t parts)
{
    size_t heard = hear_item(s, item), first = 0, second = 0;
    double rest = 1, top = 0, sum = 0, moved = 0;
    const chances *was = &s->at[item];
    for (size_t i = 0; i < heard; i++) top = fmax(top, s->word[i]);
    for (size_t i = 0; i < heard; i++) {
        double prior = chance_by_values(was, s->heard[i], parts);
        double weight = prior * exp(s->word[i] - top);
        rest -= prior;
        sum += weight;
        moved += weight * s->word[i];
        s->word[i] = weight;
    }
    sum += fmax(rest, 0) * exp(-top); /* parts that no answer speaks of */
    for (size_t i = 1; i < heard; i++) {
        if (s->word[i] > s->word[first]) second = first, first = i;
        else if (second == first || s->word[i] > s->word[second]) second = i;
    }
    double share = second == first ? 1 : s->word[first] / (s->word[first] + s->word[second]);
    *out = (chances){{s->heard[first], s->heard[second]}, {share, 1 - share}};
    return moved / sum - top - log(sum);
}

/* All items by their values and answers; returns what it costs. */
static double let_stray(answer_set *s, size_t parts)
{
    double cost = 0;
    for (size_t i = 0; i < s->items; i++) cost += place_item(&s->moved[i], s, i, parts);
    memcpy(s->at, s->moved, s->items * sizeof *s->at);
    return cost;
}

double partition_evidence(answer_set *s, const whereabouts *item, const uint32_t *part)
{
    size_t parts = 1;
    double sum = 0;
    for (size_t i = 0; i < s->items; i++) {
        s->at[i] = chances_of(&item[i], part);
        for (int k = 0; k < 2; k++)
            if (s->at[i].part[k] >= parts) parts = s->at[i].part[k] + (size_t)1;
    }
    count_answers(s);
    if (s->start) {
        weigh_workers(s);
        sum -= let_stray(s, parts);
        count_answers(s);
    }
    for (size_t m = 0; m < s->workers; m++) {
        const double *n = s->counts[m];
        sum += gained(s->sensitivity, n[SAME_INSIDE], n[DIFFERENT_INSIDE]);
        sum += gained(s->specificity, n[DIFFERENT_ACROSS], n[SAME_ACROSS]);
    }
    return sum;
}

/* ---- joins ---- */

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

/* What the answers say for two parts being one, items being where they were looked at last: work
 * [parts][parts] above its diagonal. */
static void weigh_pairs(double *work, answer_set *s, size_t parts)
{
    memset(work, 0, parts * parts * sizeof *work);
    weigh_workers(s);
    for (size_t a = 0; a < s->count; a++) {
        const asked *q = &s->answer[a];
        add_word(work, parts, &s->at[q->left], &s->at[q->right], nats_of(s, q));
    }
}

/* The two parts for whose being one the answers speak most. */
static void best_pair(uint32_t *first, uint32_t *second, answer_set *s, size_t parts, double *work)
{
    double best = -INFINITY;
    weigh_pairs(work, s, parts);
    for (size_t p = 0; p < parts; p++) {
        for (size_t r = p + 1; r < parts; r++) {
            if (!(work[p * parts + r] > best)) continue;
            best = work[p * parts + r];
            *first = (uint32_t)p;
            *second = (uint32_t)r;
        }
    }
}

/* The first part becomes the second, too. */
static void join(uint32_t *part, size_t components, uint32_t first, uint32_t second)
{
    for (size_t k = 0; k < components; k++) {
        if (part[k] == second) part[k] = first;
        else part[k] -= part[k] > second;
    }
}

double partition_join(uint32_t *part, size_t *parts, answer_set *s, const whereabouts *item,
                      size_t components, size_t wanted, double further, partition_work *work)
{
    double now = partition_evidence(s, item, part), spent = 0;
    while (*parts > (wanted ? wanted : 2)) {
        uint32_t first = 0, second = 1;
        best_pair(&first, &second, s, *parts, work->nats);
        memcpy(work->part, part, components * sizeof *part);
        join(part, components, first, second);
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

/* Of two components of one group in two parts that were not refused, those of the parts for which
 * the answers speak most. false: there are none. */
static bool best_of_groups(size_t *left, size_t *right, const uint32_t *part, size_t parts,
                           size_t components, const uint32_t *group, const partition_work *work)
{
    double best = -INFINITY;
    for (size_t k = 0; k < components; k++) {
        for (size_t l = k + 1; l < components; l++) {
            uint32_t p = part[k] < part[l] ? part[k] : part[l], r = part[k] ^ part[l] ^ p;
            if (p == r || group[k] != group[l]) continue;
            double nats = work->nats[p * parts + r];
            if (!(nats > best)) continue;
            best = nats;
            *left = k;
            *right = l;
        }
    }
    return best > -INFINITY;
}

void partition_join_groups(uint32_t *part, size_t *parts, answer_set *s, const whereabouts *item,
                           size_t components, const uint32_t *group, double least,
                           partition_work *work)
{
    double now = partition_evidence(s, item, part);
    size_t left = 0, right = 0;
    weigh_pairs(work->nats, s, *parts);
    while (*parts > 2 && best_of_groups(&left, &right, part, *parts, components, group, work)) {
        uint32_t first = part[left] < part[right] ? part[left] : part[right];
        uint32_t second = part[left] ^ part[right] ^ first;
        memcpy(work->part, part, components * sizeof *part);
        join(part, components, first, second);
        double then = partition_evidence(s, item, part);
        if (then >= now - least) {
            --*parts;
            now = then;
            weigh_pairs(work->nats, s, *parts);
        } else {
            memcpy(part, work->part, components * sizeof *part);
            work->nats[first * *parts + second] = -INFINITY;
        }
    }
}
