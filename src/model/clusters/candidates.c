/* Comparing candidates. */
#include "model/clusters/candidates.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/clusters/again.h"
#include "model/clusters/candidate_pool.h"
#include "model/clusters/consensus.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

typedef candidate_pool pool;

static whereabouts likeliest_two(const double *share, size_t k)
{
    size_t first = argmax(share, k), second = first;
    for (size_t c = 0; c < k; c++) {
        if (c != first && (second == first || share[c] > share[second])) second = c;
    }
    double sum = share[first] + share[second];
    bool alone = second == first || !(sum > 0);
    return (whereabouts){(uint32_t)first, (uint32_t)second,
                         alone ? 1 : (float)(share[first] / sum)};
}

/* Where the items asked about lie by a mixture. */
static int place_asked(whereabouts **out, pool *p, size_t i)
{
    const mixture *m = &p->all[i].mixture;
    if (!p->asked_about[i]) {
        whereabouts *item = arena_new(&p->memory, p->asked_items, sizeof *item, "components");
        SCDC_TRY(arena_status(&p->memory));
        for (size_t first = 0; first < p->asked_items; first += p->fit) {
            size_t left = p->asked_items - first, rows = left < p->fit ? left : p->fit;
            SCDC_TRY(mixture_shares(p->share, m, p->x + (p->links + first) * p->d, rows));
            for (size_t a = 0; a < rows; a++)
                item[first + a] = likeliest_two(p->share + a * m->k, m->k);
        }
        p->asked_about[i] = item;
    }
    *out = p->asked_about[i];
    return SCDC_OK;
}

/* Where the next contender goes: behind the others, or in the place of the least likely one. */
static contender *worst_place(pool *p, double score)
{
    contender *worst = &p->contenders[0];
    if (p->n_contenders < CONTENDERS) return &p->contenders[p->n_contenders++];
    for (size_t i = 1; i < CONTENDERS; i++) {
        if (p->contenders[i].score < worst->score) worst = &p->contenders[i];
    }
    return score > worst->score ? worst : NULL;
}

/* component [fit]: of the items that mixtures are fitted to. */
static int components_of(uint32_t **component, pool *p, size_t i)
{
    if (!p->fit_component[i]) {
        uint32_t *found = arena_new(&p->memory, p->fit, sizeof *found, "components");
        SCDC_TRY(arena_status(&p->memory));
        SCDC_TRY(mixture_assign(found, &p->all[i].mixture, p->x_fit, p->fit));
        p->fit_component[i] = found;
    }
    *component = p->fit_component[i];
    return SCDC_OK;
}

/* How many of the parts hold items: a component may have been left by all of its own. */
static int parts_with_items(size_t *out, pool *p, const uint32_t *part, size_t of)
{
    uint32_t *component;
    bool *held;
    size_t k = p->all[of].mixture.k;
    *out = 0;
    SCDC_TRY(components_of(&component, p, of));
    SCDC_TRY(mem_zeroed(&held, k, sizeof *held, "clusters"));
    for (size_t i = 0; i < p->fit; i++) {
        *out += !held[part[component[i]]];
        held[part[component[i]]] = true;
    }
    mem_free(held);
    return SCDC_OK;
}

/* Keeps a partition when it is allowed and among the likeliest. */
static int consider(pool *p, const uint32_t *part, contender as)
{
    size_t wanted = p->options->clusters, held;
    if (as.parts < 2 && wanted != 1) return SCDC_OK;
    if (wanted && as.parts != wanted) return SCDC_OK;
    as.mixture = as.of->mixture;
    if (wanted) SCDC_TRY(parts_with_items(&held, p, part, as.mixture));
    if (wanted && held != wanted) return SCDC_OK;
    contender *to = worst_place(p, as.score);
    if (!to) return SCDC_OK;
    as.part = to->part;
    *to = as;
    memcpy(to->part, part, p->all[as.mixture].mixture.k * sizeof *part);
    return SCDC_OK;
}

/* Nats against fewer parts than the first candidate has, where halves of the items show it again.
 */
static double against_fewer(const pool *p, size_t parts)
{
    const candidate *first = &p->candidates[0];
    if (first->standing != ARE_CLUSTERS || parts >= first->parts) return 0;
    return JOIN_CLUSTERS * (double)(first->parts - parts);
}

/* A candidate as it is, and joined further by the answers. */
static int judge(pool *p, const candidate *c)
{
    const mixture *m = &p->all[c->mixture].mixture;
    size_t wanted = p->options->clusters, parts = c->parts;
    double evidence = 0;
    whereabouts *asked_about = NULL;
    if (p->answers.count) {
        SCDC_TRY(place_asked(&asked_about, p, c->mixture));
        evidence = partition_evidence(&p->answers, asked_about, c->part);
    }
    contender plain = {.of = c, .parts = parts, .evidence = evidence};
    plain.score = c->prior + evidence - against_fewer(p, parts);
    SCDC_TRY(consider(p, c->part, plain));
    if (!p->answers.count || (wanted && parts <= wanted)) return SCDC_OK;
    memcpy(p->part, c->part, m->k * sizeof *p->part);
    double spent = partition_join(p->part, &parts, &p->answers, asked_about, m->k, wanted,
                                  JOIN_UNUSUAL, &p->work);
    if (parts == c->parts) return SCDC_OK;
    evidence = partition_evidence(&p->answers, asked_about, p->part);
    contender joined = {
        .of = c, .joined = true, .parts = parts, .evidence = evidence, .spent = spent};
    joined.score = c->prior + evidence - spent - against_fewer(p, parts);
    return consider(p, p->part, joined);
}

/* label [fit]: clusters of the items that mixtures are fitted to. */
static int label_items(uint32_t *label, pool *p, const contender *c)
{
    uint32_t *component;
    SCDC_TRY(components_of(&component, p, c->mixture));
    for (size_t i = 0; i < p->fit; i++) label[i] = c->part[component[i]];
    return SCDC_OK;
}

/* Answers that hardly tell divisions apart rule out a few, and the rest would agree on another one
 * by chance: what the items alone choose stays until answers speak for the other. */
static size_t unless_unasked(const pool *p, size_t best)
{
    const contender *other = &p->contenders[best];
    for (size_t i = 0; i < p->n_contenders && p->answers.count; i++) {
        const contender *own = &p->contenders[i];
        if (own->joined || own->of != p->unasked) continue;
        double gain = other->evidence - other->spent - own->evidence;
        if (!(gain > ANSWERS_MUST_SPEAK)) return i;
    }
    return best;
}

static int choose_contender(pool *p)
{
    double score[CONTENDERS], agreed[CONTENDERS];
    for (size_t i = 0; i < p->n_contenders; i++) {
        score[i] = p->contenders[i].score;
        SCDC_TRY(label_items(p->label + i * p->fit, p, &p->contenders[i]));
    }
    p->likely = log_sum_exp(score, p->n_contenders);
    SCDC_TRY(consensus_pick(&p->best, agreed, p->label, score, p->n_contenders, p->fit));
    p->best = unless_unasked(p, p->best);
    p->agreed = agreed[p->best];
    return SCDC_OK;
}

/* Contenders by the answers that are heard now, and one of them; none where there cannot be as many
 * clusters as are asked for. */
static int compare(pool *p)
{
    p->n_contenders = 0;
    for (size_t i = 0; i < p->n_candidates; i++) {
        if (!p->candidates[i].refused) SCDC_TRY(judge(p, &p->candidates[i]));
    }
    return p->n_contenders ? choose_contender(p) : SCDC_OK;
}

/* Before any answer was heard. */
static int choose_unasked(pool *p)
{
    size_t count = p->answers.count;
    p->answers.count = 0;
    int status = compare(p);
    p->answers.count = count;
    const contender *best = &p->contenders[p->best];
    if (status == SCDC_OK && p->n_contenders) p->unasked = best->of;
    return status;
}

static int take_best(candidate_choice *out, const pool *p)
{
    const contender *best = &p->contenders[p->best];
    const mixture *m = &p->all[best->mixture].mixture;
    candidate_choice c = {.family = m->family,
                          .components = m->k,
                          .clusters = best->parts,
                          .trusted = best->of->standing == ARE_CLUSTERS,
                          .islands = best->of->islands,
                          .evidence = best->evidence,
                          .likely = p->likely,
                          .agreed = p->answers.count ? p->agreed : 1};
    c.component = arena_new(&c.memory, p->n, sizeof *c.component, "components");
    c.cluster = arena_new(&c.memory, c.components, sizeof *c.cluster, "clusters");
    int status = arena_status(&c.memory);
    if (status == SCDC_OK) status = mixture_assign(c.component, m, p->items, p->n);
    if (status == SCDC_OK) {
        memcpy(c.cluster, best->part, c.components * sizeof *c.cluster);
        *out = c;
    } else {
        arena_free(&c.memory);
    }
    return status;
}
int candidates_open(candidate_pool **out, const float *x, size_t n, size_t d,
                    const scdc_answer *answers, size_t n_answers, size_t workers,
                    const two_coin_counts *known, const scdc_options *options)
{
    pool *p;
    SCDC_TRY(mem_zeroed(&p, 1, sizeof *p, "candidates"));
    *p = (pool){.options = options, .items = x, .n = n, .d = d};
    int status = candidate_pool_fill(p, answers, n_answers, workers);
    p->answers.known = known;
    if (status == SCDC_OK) status = candidates_order(p);
    if (status == SCDC_OK && n_answers) status = choose_unasked(p);
    if (status == SCDC_OK) *out = p;
    else candidates_close(p);
    return status;
}

int candidates_pick(candidate_choice *out, candidate_pool *p, const bool *left_out)
{
    p->answers.count = 0;
    for (size_t a = 0; a < p->n_answers; a++) {
        if (!left_out || !left_out[p->number[a]]) p->heard[p->answers.count++] = p->answer[a];
    }
    if (p->answers.count) answer_set_list(&p->answers);
    SCDC_TRY(compare(p));
    if (p->n_contenders) return take_best(out, p);
    return fail_with(SCDC_ERR_ARGUMENT,
                     "%zu items cannot be divided into %zu clusters: ask for fewer, or for "
                     "more components",
                     p->n, p->options->clusters);
}

void candidates_refuse(candidate_pool *p)
{
    p->candidates[p->contenders[p->best].of - p->candidates].refused = true;
}

int candidates_look_again(candidate_choice *c, candidate_pool *p)
{
    const contender *best = &p->contenders[p->best];
    const mixture *m = &p->all[best->mixture].mixture;
    found_again again;
    SCDC_TRY(mixture_assign(p->own, m, p->x_fit, p->fit));
    for (size_t i = 0; i < p->fit; i++) p->joined[i] = best->part[p->own[i]];
    again_question question = {.x = p->x_fit,
                               .n = p->fit,
                               .d = p->d,
                               .family = m->family,
                               .sizes = &m->k,
                               .n_sizes = 1,
                               .component = p->own,
                               .part = p->joined,
                               .how = p->how};
    SCDC_TRY(found_again_ask(&again, &question));
    int status = found_again_division(&c->steady, &again, p->joined, p->fit);
    found_again_free(&again);
    if (!(c->steady > 0)) c->steady = 0;
    return status;
}

void candidates_close(candidate_pool *p)
{
    if (!p) return;
    candidate_pool_empty(p);
    mem_free(p);
}

void candidate_choice_free(candidate_choice *c)
{
    arena_free(&c->memory);
}
