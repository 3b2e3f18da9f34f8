/* Rounds between workers, classifier and items. */
#include "model/classes/classes.h"
#include "base/numeric.h"
#include "base/status.h"
#include "base/watch.h"
#include "model/classes/class_guess.h"
#include "model/classes/class_pieces.h"
#include "model/clusters/remembered.h"
#include "model/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The guess remembers thousands of numbers for each value of an item: 16 KB. */
enum { MOST_DIMS = CLASSES_MOST_DIMS };

#define LEAST_PROBABILITY 1e-12
/* Of two items being in two classes: not worth a logarithm. */
#define NO_CHANCE 1e-6

/* ---- the answers that count ---- */

typedef struct busy {
    uint32_t node;
    size_t answers;
} busy;

static int by_answers(const void *a, const void *b)
{
    const busy *x = a, *y = b;
    if (x->answers != y->answers) return x->answers < y->answers ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* kept [nodes]: the CLASSIFIER_MOST_ITEMS nodes with the most answers. */
static int keep_busiest(bool *kept, const crowd_graph *g)
{
    busy *list;
    SCDC_TRY(mem_zeroed(&list, g->nodes, sizeof *list, "annotated items"));
    for (size_t n = 0; n < g->nodes; n++) {
        list[n] = (busy){(uint32_t)n, crowd_graph_degree(g, n)};
    }
    qsort(list, g->nodes, sizeof *list, by_answers);
    for (size_t n = 0; n < g->nodes && n < CLASSIFIER_MOST_ITEMS; n++) kept[list[n].node] = true;
    mem_free(list);
    return SCDC_OK;
}

/* Where classes are not known yet, a grouping is taken for its pairs, which count less each. */
static int weigh_groupings(classes *c)
{
    placements tasks;
    c->weight = arena_new(&c->memory, c->n_answers, sizeof *c->weight, "answers");
    SCDC_TRY(arena_status(&c->memory));
    SCDC_TRY(placements_build(&tasks, c->answers, &c->graph));
    for (size_t a = 0; a < c->n_answers; a++) c->weight[a] = placements_worth(&tasks, a);
    placements_free(&tasks);
    return SCDC_OK;
}

int classes_take_answers(classes *c, const scdc_answer *answers, size_t n_answers)
{
    crowd_graph all = {0};
    bool *kept = NULL;
    int status;
    c->answers = arena_new(&c->memory, n_answers, sizeof *c->answers, "answers");
    SCDC_TRY(arena_status(&c->memory));
    SCDC_TRY_OR(done, status, crowd_graph_build(&all, answers, n_answers));
    SCDC_TRY_OR(done, status, mem_zeroed(&kept, all.nodes, sizeof *kept, "annotated items"));
    SCDC_TRY_OR(done, status, keep_busiest(kept, &all));
    for (size_t a = 0; a < n_answers; a++) {
        if (kept[all.left[a]] && kept[all.right[a]]) c->answers[c->n_answers++] = answers[a];
    }
    if (c->n_answers) {
        SCDC_TRY_OR(done, status, crowd_graph_build(&c->graph, c->answers, c->n_answers));
        status = weigh_groupings(c);
    }
done:
    crowd_graph_free(&all);
    mem_free(kept);
    return status;
}

/* ---- how well answers are explained ---- */

double answers_fit(const crowd_graph *graph, const scdc_answer *answers, const double *weight,
                   size_t count, const double *p, size_t C, const two_coin *workers)
{
    double sum = 0;
    for (size_t a = 0; a < count; a++) {
        uint32_t left, right;
        if (!crowd_graph_find(&left, graph, answers[a].left) ||
            !crowd_graph_find(&right, graph, answers[a].right)) {
            continue;
        }
        two_coin_chances chances =
            two_coin_chances_of(&workers[answers[a].worker], answers[a].same);
        double s = 0;
        for (size_t k = 0; k < C; k++) s += p[left * C + k] * p[right * C + k];
        sum += weight[a] * log(two_coin_chance(chances, s) + LEAST_PROBABILITY);
    }
    return sum;
}

int answers_fit_by_habit(double *out, const crowd_graph *graph, const scdc_answer *answers,
                         const double *weight, size_t count, size_t workers)
{
    double sum = 0;
    double(*times)[2]; /* different, same */
    SCDC_TRY(mem_zeroed(&times, workers, sizeof *times, "workers"));
    for (size_t a = 0; a < count; a++) {
        uint32_t node;
        if (crowd_graph_find(&node, graph, answers[a].left) &&
            crowd_graph_find(&node, graph, answers[a].right)) {
            times[answers[a].worker][answers[a].same ? 1 : 0] += weight[a];
        }
    }
    for (size_t m = 0; m < workers; m++) {
        double all = times[m][0] + times[m][1];
        for (size_t side = 0; side < 2; side++) {
            double n = times[m][side];
            if (n > 0) sum += n * log(n / all);
        }
    }
    mem_free(times);
    *out = sum;
    return SCDC_OK;
}

/* ---- rounds ---- */

typedef struct rounds {
    classes *found;
    const scdc_options *options;
    size_t workers, count; /* classes now */
    const two_coin_counts *known;
    lesson lesson;
    remembered remembered; /* of the items' classes: as many "components" as classes */
    two_coin *coins;
    two_coin_counts *counts;
    double *same;  /* identity, [count][count] */
    double *field; /* [count] */
    arena memory;
} rounds;

static int rounds_create(rounds *out, classes *found, const guess_case *given,
                         const scdc_options *o)
{
    size_t workers = given->workers;
    rounds s = {.found = found,
                .options = o,
                .workers = workers,
                .known = given->known,
                .count = found->classifier.classes};
    size_t most = s.count;
    int status;
    s.coins = arena_new(&s.memory, workers, sizeof *s.coins, "workers");
    s.counts = arena_new(&s.memory, workers, sizeof *s.counts, "workers");
    s.same = arena_new(&s.memory, most * most, sizeof *s.same, "classes");
    s.field = arena_new(&s.memory, most, sizeof *s.field, "classes");
    SCDC_TRY_OR(error, status, arena_status(&s.memory));
    SCDC_TRY_OR(error, status, lesson_create(&s.lesson, &found->classifier, false));
    *out = s;
    return SCDC_OK;
error:
    arena_free(&s.memory);
    return status;
}

static void rounds_free(rounds *s)
{
    lesson_free(&s->lesson);
    remembered_free(&s->remembered);
    arena_free(&s->memory);
}

/* Messages are between `count` classes from now on. */
static int remember_classes(rounds *s)
{
    classes *c = s->found;
    remembered_free(&s->remembered);
    s->remembered = (remembered){0};
    SCDC_TRY(remembered_create(&s->remembered, c->graph.nodes, c->n_answers, s->count));
    SCDC_TRY(remembered_attach(&s->remembered, c->answers, &c->graph));
    s->remembered.piles.shared = s->options->coins == SCDC_COINS_SHARED;
    memset(s->same, 0, s->count * s->count * sizeof *s->same);
    for (size_t k = 0; k < s->count; k++) s->same[k * s->count + k] = 1;
    for (size_t n = 0; n < c->graph.nodes; n++)
        remembered_store(&s->remembered, n, c->r + n * s->count);
    remembered_set_clusters(&s->remembered, s->same, s->count, s->count);
    c->classifier.classes = s->count;
    return SCDC_OK;
}

static double rate(const double prior[2], double yes, double no)
{
    return (prior[0] + yes) / (prior[0] + prior[1] + yes + no);
}

static void estimate_coins(rounds *s)
{
    const scdc_options *o = s->options;
    two_coin_begin(s->counts, s->known, s->workers);
    remembered_count(s->counts, &s->remembered, s->same);
    if (o->coins == SCDC_COINS_SHARED) two_coin_share(s->counts, s->workers);
    for (size_t m = 0; m < s->workers; m++) {
        const two_coin_counts *n = &s->counts[m];
        s->coins[m] = two_coin_from_rates(rate(o->prior_sensitivity, n->alpha[0], n->alpha[1]),
                                          rate(o->prior_specificity, n->beta[0], n->beta[1]));
    }
    remembered_weigh(&s->remembered, s->coins);
}

/* Columns of r that belong to one class become one; those of none (-1) go. */
static int join_columns(rounds *s, const int *class_of, size_t after)
{
    size_t before = s->count;
    double row[MOST_CLASSES];
    for (size_t n = 0; n < s->found->graph.nodes; n++) {
        double sum = 0;
        for (size_t k = 0; k < after; k++) row[k] = 1e-6;
        for (size_t k = 0; k < before; k++) {
            if (class_of[k] >= 0) row[class_of[k]] += s->found->r[n * before + k];
        }
        for (size_t k = 0; k < after; k++) sum += row[k];
        for (size_t k = 0; k < after; k++) s->found->r[n * after + k] = row[k] / sum;
    }
    s->count = after;
    return remember_classes(s);
}

/* Classes that no item is in go. */
static int drop_classes(rounds *s)
{
    int class_of[MOST_CLASSES], next = 0;
    bool used[MOST_CLASSES] = {false};
    size_t K = s->count;
    for (size_t n = 0; n < s->found->graph.nodes; n++) used[argmax(s->found->r + n * K, K)] = true;
    for (size_t k = 0; k < K; k++) class_of[k] = used[k] ? next++ : -1;
    return (size_t)next < K ? join_columns(s, class_of, (size_t)next) : SCDC_OK;
}

/* gain [count][count], upper half: by how much answers about pairs are more likely when two classes
 * are one. Items that are not sure of their class tell little, which a sum over most likely classes
 * does not know. */
static void gain_of_joins(double *gain, const rounds *s)
{
    const classes *c = s->found;
    size_t K = s->count;
    for (size_t a = 0; a < c->n_answers; a++) {
        const scdc_answer *q = &c->answers[a];
        const double *left = c->r + c->graph.left[a] * K, *right = c->r + c->graph.right[a] * K;
        two_coin_chances chances = two_coin_chances_of(&s->coins[q->worker], q->same);
        double same = 0;
        for (size_t k = 0; k < K; k++) same += left[k] * right[k];
        double before = two_coin_chance(chances, same) + LEAST_PROBABILITY;
        for (size_t k = 0; k < K; k++) {
            for (size_t l = k + 1; l < K; l++) {
                double across = left[k] * right[l] + left[l] * right[k];
                if (across < NO_CHANCE) continue;
                double after = two_coin_chance(chances, same + across) + LEAST_PROBABILITY;
                gain[k * K + l] += c->weight[a] * log(after / before);
            }
        }
    }
}

/* Classes that the answers say are one become one, the clearest first. */
static int merge_classes(rounds *s)
{
    double gain[MOST_CLASSES * MOST_CLASSES];
    size_t wanted = s->options->clusters;
    SCDC_TRY(drop_classes(s));
    while (s->count > (wanted ? wanted : 1)) {
        size_t K = s->count, first = 0, second = 1;
        int class_of[MOST_CLASSES];
        memset(gain, 0, sizeof gain);
        gain_of_joins(gain, s);
        for (size_t k = 0; k < K; k++) {
            for (size_t l = k + 1; l < K; l++) {
                if (!(gain[k * K + l] > gain[first * K + second])) continue;
                first = k;
                second = l;
            }
        }
        if (!wanted && !(gain[first * K + second] > 0)) break;
        for (size_t k = 0; k < K; k++) class_of[k] = (int)(k == second ? first : k - (k > second));
        SCDC_TRY(join_columns(s, class_of, K - 1));
        remembered_weigh(&s->remembered, s->coins);
    }
    return SCDC_OK;
}

/* gain [count]: by how much answers are more likely without a class, its share of every item given
 * to the other classes. Items as the classifier sees them that learned from all others: a class
 * that only holds what answers tore away from its kind is nothing it could know. */
static void gain_of_dissolving(double *gain, const rounds *s)
{
    const classes *c = s->found;
    size_t K = s->count;
    memset(gain, 0, K * sizeof *gain);
    for (size_t a = 0; a < c->n_answers; a++) {
        const scdc_answer *q = &c->answers[a];
        const double *left = s->lesson.others + c->graph.left[a] * K;
        const double *right = s->lesson.others + c->graph.right[a] * K;
        two_coin_chances chances = two_coin_chances_of(&s->coins[q->worker], q->same);
        double same = 0;
        for (size_t k = 0; k < K; k++) same += left[k] * right[k];
        double before = two_coin_chance(chances, same) + LEAST_PROBABILITY;
        for (size_t k = 0; k < K; k++) {
            double rest = (1 - left[k]) * (1 - right[k]) + LEAST_PROBABILITY;
            double without = fmin(fmax(same - left[k] * right[k], 0) / rest, 1);
            double after = two_coin_chance(chances, without) + LEAST_PROBABILITY;
            gain[k] += c->weight[a] * log(after / before);
        }
    }
}

/* The class goes that answers are foretold best without, if they are not foretold worse. */
static int dissolve_class(rounds *s)
{
    double gain[MOST_CLASSES];
    int class_of[MOST_CLASSES];
    size_t K = s->count, wanted = s->options->clusters;
    if (K <= (wanted ? wanted : 2)) return SCDC_OK;
    gain_of_dissolving(gain, s);
    size_t worst = argmax(gain, K);
    if (!(gain[worst] > 0)) return SCDC_OK;
    for (size_t k = 0; k < K; k++) class_of[k] = k == worst ? -1 : (int)(k - (k > worst));
    SCDC_TRY(join_columns(s, class_of, K - 1));
    remembered_weigh(&s->remembered, s->coins);
    return SCDC_OK;
}

/* Every item from the others' word on it and its answers, in turn. */
static void hear_answers(rounds *s)
{
    size_t C = s->count;
    for (size_t sweep = 0; sweep < CLASSES_SWEEPS; sweep++) {
        for (size_t n = 0; n < s->found->graph.nodes; n++) {
            double *r = s->found->r + n * C;
            remembered_field(s->field, &s->remembered, n, s->same);
            for (size_t c = 0; c < C; c++) {
                r[c] = log(s->lesson.others[n * C + c] + LEAST_PROBABILITY) + s->field[c];
            }
            softmax(r, r, C);
            remembered_store(&s->remembered, n, r);
        }
    }
}

static int run_rounds(rounds *s)
{
    SCDC_TRY(remember_classes(s));
    memcpy(s->coins, s->found->coins, s->workers * sizeof *s->coins);
    remembered_weigh(&s->remembered, s->coins);
    SCDC_TRY(merge_classes(s));
    for (size_t round = 0; round < CLASSES_ROUNDS; round++) {
        SCDC_TRY(watch_tick("learning classes", round, CLASSES_ROUNDS));
        estimate_coins(s);
        if (round % CLASSES_MERGE_EVERY == CLASSES_MERGE_EVERY - 1) {
            SCDC_TRY(merge_classes(s));
            remembered_weigh(&s->remembered, s->coins);
        }
        if (round % (CLASSES_ROUNDS / 2) == 0)
            SCDC_TRY(lesson_choose_ridge(&s->lesson, s->found->r));
        lesson_learn(&s->lesson, s->found->r);
        hear_answers(s);
        if (round + 2 < CLASSES_ROUNDS) SCDC_TRY(dissolve_class(s));
    }
    estimate_coins(s);
    lesson_learn(&s->lesson, s->found->r);
    memcpy(s->found->others, s->lesson.others,
           s->found->graph.nodes * s->count * sizeof *s->found->others);
    memcpy(s->found->coins, s->coins, s->workers * sizeof *s->coins);
    return SCDC_OK;
}

void classes_free(classes *c)
{
    classifier_free(&c->classifier);
    crowd_graph_free(&c->graph);
    arena_free(&c->memory);
}

size_t classes_most(const scdc_options *o)
{
    size_t k = o->clusters ? o->clusters : GUESSED_CLASSES;
    return k < o->components ? k : o->components;
}

/* ---- again and again ---- */

/* What was found so far. */
typedef struct finding {
    double fit; /* how well answers are explained by what the others say of each item */
    size_t classes;
    double *r, *others;
    two_coin *coins;
} finding;

static double fit_of(const rounds *s)
{
    const classes *c = s->found;
    return answers_fit(&c->graph, c->answers, c->weight, c->n_answers, c->others, s->count,
                       c->coins);
}

static void note_finding(finding *best, const rounds *s)
{
    const classes *c = s->found;
    size_t values = c->graph.nodes * s->count;
    best->fit = fit_of(s);
    best->classes = s->count;
    memcpy(best->r, c->r, values * sizeof *c->r);
    memcpy(best->others, c->others, values * sizeof *c->others);
    memcpy(best->coins, c->coins, s->workers * sizeof *c->coins);
}

static int take_finding(rounds *s, const finding *best)
{
    classes *c = s->found;
    size_t values = c->graph.nodes * best->classes;
    s->count = best->classes;
    memcpy(c->r, best->r, values * sizeof *c->r);
    memcpy(c->others, best->others, values * sizeof *c->others);
    memcpy(c->coins, best->coins, s->workers * sizeof *c->coins);
    c->classifier.classes = s->count;
    SCDC_TRY(lesson_choose_ridge(&s->lesson, c->r));
    lesson_learn(&s->lesson, c->r);
    return SCDC_OK;
}

static void name_clusters(int64_t *cluster, const finding *best, const crowd_graph *g)
{
    size_t C = best->classes;
    for (size_t n = 0; n < g->nodes; n++) cluster[g->item[n]] = (int64_t)argmax(best->r + n * C, C);
}

/* Guesses divide clusters [N], first those that are given, then those of the best that was found,
 * and answers join the pieces again. Leaves the best. */
static int divide_and_join(rounds *s, const class_start *start, const guess_case *given, size_t k,
                           size_t most, size_t items)
{
    classes *c = s->found;
    size_t n = c->graph.nodes;
    arena memory = {0};
    finding best = {-INFINITY, 0, arena_new(&memory, n, most * sizeof(double), "classes"),
                    arena_new(&memory, n, most * sizeof(double), "classes"),
                    arena_new(&memory, s->workers, sizeof(two_coin), "workers")};
    int64_t *cluster = arena_new(&memory, items, sizeof *cluster, "clusters of items");
    class_guesser *guesser = NULL;
    int status;
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, class_guesser_create(&guesser, k, given, s->options->seed));
    memcpy(cluster, start->cluster, items * sizeof *cluster);
    size_t last = 0; /* gain */
    for (size_t i = 0; i <= start->again && i <= last + CLASSES_PATIENCE; i++) {
        if (i) name_clusters(cluster, &best, &c->graph);
        SCDC_TRY_OR(done, status, class_guess_again(c->r, c->coins, guesser, s->options->seed + i));
        SCDC_TRY_OR(done, status, class_pieces(&s->count, c->r, k, most, cluster, &c->graph));
        SCDC_TRY_OR(done, status, run_rounds(s));
        if (!(fit_of(s) > best.fit)) continue;
        note_finding(&best, s);
        last = i;
    }
    if (best.classes) status = take_finding(s, &best);
done:
    class_guesser_free(guesser);
    arena_free(&memory);
    return status;
}

/* ---- all of it ---- */

static int learn(classes *c, const scdc_data *data, const input_scale *input, guess_case given,
                 const scdc_options *o, const class_start *start)
{
    size_t n = c->graph.nodes, k = classes_most(o), most = k;
    rounds s;
    if (k > n) k = n;
    if (k < 2 || k > MOST_CLASSES || data->cols > MOST_DIMS) return SCDC_OK;
    if (start) most = o->components < MOST_CLASSES ? o->components : MOST_CLASSES;
    SCDC_TRY(classifier_create(&c->classifier, n, data->cols, most));
    c->r = arena_new(&c->memory, n, most * sizeof *c->r, "classes");
    c->others = arena_new(&c->memory, n, most * sizeof *c->others, "classes");
    c->coins = arena_new(&c->memory, given.workers, sizeof *c->coins, "workers");
    SCDC_TRY(arena_status(&c->memory));
    input_gather(c->classifier.x, data, input, c->graph.item, n);
    given.x = c->classifier.x;
    if (!start) SCDC_TRY(class_guess(c->r, c->coins, k, &given, o->seed));
    SCDC_TRY(rounds_create(&s, c, &given, o));
    int status = start ? divide_and_join(&s, start, &given, k, most, data->rows) : run_rounds(&s);
    rounds_free(&s);
    if (status != SCDC_ERR_NUMERIC) return status;
    classifier_free(&c->classifier); /* values that no kernel can be made of */
    return SCDC_OK;
}

int classes_find(classes *out, const scdc_data *data, const input_scale *input,
                 const scdc_answer *answers, size_t n_answers, size_t workers,
                 const two_coin_counts *known, const scdc_options *options,
                 const class_start *start)
{
    classes c = {0};
    int status = classes_take_answers(&c, answers, n_answers);
    guess_case given = {.dims = data->cols,
                        .graph = &c.graph,
                        .answers = c.answers,
                        .weight = c.weight,
                        .workers = workers,
                        .known = known};
    if (status == SCDC_OK && c.graph.nodes > 1)
        status = learn(&c, data, input, given, options, start);
    if (status == SCDC_OK) *out = c;
    else classes_free(&c);
    return status;
}
