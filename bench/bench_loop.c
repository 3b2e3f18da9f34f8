/* The loop of asking: questions are chosen, simulated workers answer, the answers are learned from,
 * in turn; how good the labels are after so many answers, for several ways of choosing.
 *
 * Usage: bench_loop SET STRATEGY... [--items N] [--answers N] [--seed N] [--learner fit|blocks]
 *                   [--separation X] [--data FOLDER] [--run RUN]
 * SET: pinwheel, blobs2 to blobs99, mnist, fashion, faces (persons), poses. STRATEGY: suggest,
 * sets2 to sets36 (sets by suggest), random, random-sets, uncertain, cobras. Workers are right .75
 * to .95 of the time and take turns. A sorted set of n items counts as n - 1 answers: every item
 * but the first was put somewhere. `seconds`: 2 for each item that a worker looks at, in a pair or
 * a set. RUN: a fit of all items of SET without answers to begin with; otherwise one without
 * networks is made. True classes are used to answer and to score only. Prints a JSON object per
 * number of answers. */
#include "asking/outlook.h"
#include "base/rng.h"
#include "bench.h"

#include <scdc/asking.h>
#include <scdc/update.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 5, SET_SIZE = 8, MOST_GROUPS = 4096, SECONDS_AN_ITEM = 2 };
static const double skill[WORKERS] = {.95, .9, .85, .8, .75};

typedef struct loop {
    const char *set, *learner, *folder, *begin; /* begin: a RUN, or NULL */
    size_t items, most;
    uint64_t seed;
    double separation; /* of blobs */
    scdc_data *data;
    int64_t *truth;
    scdc_model *model; /* of the last fit */
    scdc_answer *answers;
    size_t count, room, tasks, asked, shown; /* asked: answers so far; shown: items looked at */
    scdc_crowd *crowd;
    int64_t *labels;
    double *probability;
    rng draw;
    size_t turn; /* whose */
} loop;

/* ---- items ---------------------------------------------------------------------------------- */

/* FOLDER/name, or the same compressed. */
static void find_file(char path[1024], const loop *l, const char *name)
{
    snprintf(path, 1024, "%s/%s", l->folder, name);
    if (access(path, F_OK) != 0) snprintf(path, 1024, "%s/%s.gz", l->folder, name);
}

static void take_rows(loop *l, const char *images, const char *labels)
{
    char path[1024];
    scdc_data *all;
    scdc_labels *classes;
    scdc_data_info info;
    find_file(path, l, images);
    bench_need(scdc_data_open(&all, path));
    if (strchr(labels, ':')) snprintf(path, sizeof path, "%s/%s", l->folder, labels);
    else find_file(path, l, labels);
    bench_need(scdc_labels_open(&classes, path, all));
    bench_need(scdc_data_get_info(&info, all));
    if (l->items > info.rows || l->begin) l->items = info.rows;
    if (l->begin) { /* as the fit saw them, images with their shape */
        l->data = all;
    } else {
        float *x = malloc(l->items * info.cols * sizeof *x);
        bench_need(scdc_data_rows(x, all, 0, l->items));
        bench_need(scdc_data_from_memory(&l->data, x, SCDC_F32, l->items, info.cols, 1));
        free(x);
        scdc_data_free(all);
    }
    l->truth = malloc(l->items * sizeof *l->truth);
    memcpy(l->truth, scdc_labels_values(classes), l->items * sizeof *l->truth);
    scdc_labels_free(classes);
}

static void make_items(loop *l)
{
    scdc_labels *classes = NULL;
    if (strcmp(l->set, "pinwheel") == 0) {
        scdc_pinwheel o;
        scdc_pinwheel_init(&o);
        o.seed = l->seed;
        o.per_arm = l->items / o.arms;
        bench_need(scdc_make_pinwheel(&l->data, &classes, &o));
    } else if (strncmp(l->set, "blobs", 5) == 0) {
        scdc_blobs o;
        scdc_blobs_init(&o);
        o.clusters = strtoul(l->set + 5, NULL, 10);
        o.items = l->items;
        o.dims = 6;
        o.separation = l->separation;
        o.seed = l->seed;
        bench_need(scdc_make_blobs(&l->data, &classes, &o));
    } else if (strcmp(l->set, "faces") == 0) {
        take_rows(l, "faces", "index.csv:person");
    } else if (strcmp(l->set, "poses") == 0) {
        take_rows(l, "faces", "index.csv:pose");
    } else if (strcmp(l->set, "fashion") == 0) {
        take_rows(l, "fashion/train-images-idx3-ubyte", "fashion/train-labels-idx1-ubyte");
    } else {
        take_rows(l, "mnist/train-images-idx3-ubyte", "mnist/train-labels-idx1-ubyte");
    }
    if (!classes) return;
    l->items = scdc_labels_count(classes);
    l->truth = malloc(l->items * sizeof *l->truth);
    memcpy(l->truth, scdc_labels_values(classes), l->items * sizeof *l->truth);
    scdc_labels_free(classes);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void note(loop *l, uint32_t left, uint32_t right, size_t worker, uint32_t task, bool same)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 1024;
        l->answers = realloc(l->answers, l->room * sizeof *l->answers);
    }
    l->answers[l->count++] = (scdc_answer){left, right, (uint32_t)worker, task, same};
}

static bool answer_pair(loop *l, uint32_t left, uint32_t right)
{
    size_t worker = l->turn++ % WORKERS;
    bool right_answer = rng_uniform(&l->draw) < skill[worker];
    bool same = (l->truth[left] == l->truth[right]) == right_answer;
    note(l, left, right, worker, SCDC_NO_TASK, same);
    l->asked++;
    l->shown += 2;
    return same;
}

/* Every item goes to its kind's pile, or by a slip to another item's. */
static void answer_set(loop *l, const uint32_t *items, size_t count)
{
    size_t worker = l->turn++ % WORKERS;
    int64_t pile[100];
    for (size_t i = 0; i < count; i++) {
        bool right = rng_uniform(&l->draw) < skill[worker];
        size_t other = rng_below(&l->draw, count + 1);
        pile[i] = right ? l->truth[items[i]] : other < count ? l->truth[items[other]] : -1;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            note(l, items[i], items[j], worker, (uint32_t)l->tasks, pile[i] == pile[j]);
    }
    l->tasks++;
    l->asked += count - 1;
    l->shown += count;
}

static void renew_crowd(loop *l)
{
    scdc_crowd_free(l->crowd);
    l->crowd = NULL;
    if (l->count) bench_need(scdc_crowd_from_memory(&l->crowd, l->answers, l->count));
}

/* ---- learning ------------------------------------------------------------------------------- */

/* The model of a RUN, and what it knows of the items. */
static void load_run(loop *l)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/model.safetensors", l->begin);
    bench_need(scdc_model_load(&l->model, path));
    bench_need(scdc_model_set_threads(l->model, 1));
    snprintf(path, sizeof path, "%s/items.safetensors", l->begin);
    if (access(path, F_OK) == 0) bench_need(scdc_items_load(l->model, l->data, path));
}

static void fit_items(loop *l)
{
    scdc_options o;
    scdc_options_init(&o);
    o.threads = 1;
    o.seed = l->seed;
    o.net = SCDC_NET_LINEAR;
    bench_need(scdc_fit(&l->model, l->data, l->crowd, &o, NULL, NULL));
}

/* A fit to begin with, updates from then on. */
static void learn(loop *l)
{
    scdc_update o;
    scdc_update_init(&o);
    o.labels = l->labels; /* those of the last step: what clusters are numbered by */
    if (!l->model && l->begin) load_run(l);
    else if (!l->model) fit_items(l);
    else bench_need(scdc_model_update(l->model, l->data, l->crowd, &o));
    bench_need(
        scdc_model_labels(l->labels, l->probability, NULL, NULL, l->model, l->data, l->crowd));
}

/* The most central of the sampled partitions: what the questions are chosen by. */
static void consensus(loop *l)
{
    looked_at items;
    blocks b;
    partitions p;
    coins of_worker[WORKERS], typical;
    bench_need(coins_of_crowd(of_worker, &typical, l->model, l->crowd));
    bench_need(look_at_items(&items, l->model, l->data, l->crowd, l->seed));
    bench_need(blocks_make(&b, &items, l->count, l->seed));
    bench_need(blocks_tune(&b, &items, l->crowd, of_worker, l->seed));
    bench_need(blocks_hear(&b, &items, l->crowd, of_worker, l->count));
    bench_need(partitions_draw(&p, &b, l->seed, 99));
    const uint16_t *group = p.group + partitions_medoid(&p) * b.count;
    for (size_t i = 0; i < items.count; i++) l->labels[items.item[i]] = group[b.block_of[i]];
    partitions_free(&p);
    blocks_free(&b);
    looked_at_free(&items);
}

/* ---- strategies ----------------------------------------------------------------------------- */

static void ask_suggested(loop *l, size_t until, size_t set_size)
{
    while (l->asked < until) {
        size_t batch = until - l->asked > 50 ? 50 + l->asked / 4 : until - l->asked;
        if (batch > until - l->asked) batch = until - l->asked;
        scdc_suggest_options o;
        scdc_suggestions *s;
        scdc_question q;
        scdc_suggest_options_init(&o);
        o.threads = 1;
        o.seed = l->seed;
        o.kind = set_size > 2 ? SCDC_QUESTION_SET : SCDC_QUESTION_PAIR;
        if (set_size > 2) o.set_size = set_size;
        o.count = set_size > 2 ? (batch + set_size - 2) / (set_size - 1) : batch;
        bench_need(scdc_suggest(&s, l->model, l->data, l->crowd, &o));
        for (size_t i = 0; i < scdc_suggestions_count(s); i++) {
            bench_need(scdc_suggestions_get(&q, s, i));
            if (q.count == 2) answer_pair(l, q.items[0], q.items[1]);
            else answer_set(l, q.items, q.count);
        }
        scdc_suggestions_free(s);
        renew_crowd(l);
        if (l->asked < until && strcmp(l->learner, "fit") == 0) learn(l);
    }
}

static void ask_random(loop *l, size_t until, size_t set_size)
{
    while (l->asked < until) {
        uint32_t items[100];
        for (size_t i = 0; i < set_size;) {
            bool twice = false;
            items[i] = (uint32_t)rng_below(&l->draw, l->items);
            for (size_t j = 0; j < i; j++) twice |= items[j] == items[i];
            i += !twice;
        }
        if (set_size == 2) answer_pair(l, items[0], items[1]);
        else answer_set(l, items, set_size);
    }
}

/* The least sure item of a few beside a sure one of its cluster or of any other. */
static void ask_uncertain(loop *l, size_t until)
{
    while (l->asked < until) {
        uint32_t doubtful = 0, sure = 0;
        double least = 2, most = -1;
        for (size_t i = 0; i < 64; i++) {
            uint32_t item = (uint32_t)rng_below(&l->draw, l->items);
            if (l->probability[item] < least) least = l->probability[item], doubtful = item;
        }
        bool own = rng_uniform(&l->draw) < .5;
        for (size_t i = 0; i < 256; i++) {
            uint32_t item = (uint32_t)rng_below(&l->draw, l->items);
            if (item == doubtful || (l->labels[item] == l->labels[doubtful]) != own) continue;
            if (l->probability[item] > most) most = l->probability[item], sure = item;
        }
        if (most >= 0) answer_pair(l, doubtful, sure);
    }
}

/* In the manner of COBRAS: representatives of ever more super-instances, each compared with those
 * of the groups found so far, the nearest first, until one answer says "same". */
static void ask_cobras(loop *l, size_t until, size_t *level)
{
    while (l->asked < until) {
        looked_at items;
        blocks b;
        uint32_t group[MOST_GROUPS];
        size_t groups = 0;
        bench_need(look_at_items(&items, l->model, l->data, NULL, l->seed));
        bench_need(blocks_make(&b, &items, *level, l->seed + *level));
        for (size_t j = 0; j < b.count && l->asked < until; j++) {
            uint32_t own = b.member[b.start[j]];
            bool placed = false;
            uint8_t tried[MOST_GROUPS] = {0};
            for (size_t turn = 0; turn < groups && turn < 6 && !placed && l->asked < until;
                 turn++) {
                double least = INFINITY;
                size_t next = 0;
                for (size_t g = 0; g < groups; g++) {
                    double d = 0;
                    for (size_t c = 0; c < items.width; c++) {
                        double e = (double)items.x[own * items.width + c] -
                                   (double)items.x[group[g] * items.width + c];
                        d += e * e;
                    }
                    if (!tried[g] && d < least) least = d, next = g;
                }
                tried[next] = 1;
                placed = answer_pair(l, items.item[own], items.item[group[next]]);
            }
            if (!placed && groups < MOST_GROUPS) group[groups++] = own;
        }
        *level += 200;
        blocks_free(&b);
        looked_at_free(&items);
    }
}

static void ask(loop *l, const char *strategy, size_t until, size_t *level)
{
    if (strcmp(strategy, "suggest") == 0) ask_suggested(l, until, 2);
    else if (strncmp(strategy, "sets", 4) == 0) ask_suggested(l, until, (size_t)atoi(strategy + 4));
    else if (strcmp(strategy, "random-sets") == 0) ask_random(l, until, SET_SIZE);
    else if (strcmp(strategy, "uncertain") == 0) ask_uncertain(l, until);
    else if (strcmp(strategy, "cobras") == 0) ask_cobras(l, until, level);
    else ask_random(l, until, 2);
    renew_crowd(l);
}

/* What scdc plan says at this point. */
static void put_plan(const loop *l)
{
    scdc_plan_options o;
    scdc_outlook *outlook;
    scdc_outlook_info info;
    scdc_plan_options_init(&o);
    o.threads = 1;
    bench_need(scdc_plan(&outlook, l->model, l->data, l->crowd, &o));
    bench_need(scdc_outlook_get_info(&info, outlook));
    bench_put("plan", "%.4f", info.accuracy);
    bench_put("plan_low", "%.4f", info.low);
    bench_put("plan_high", "%.4f", info.high);
    bench_put("stop", "%d", info.advice != SCDC_ADVICE_GO_ON);
    bench_put("settled", "%d", info.ratio >= info.threshold);
    scdc_outlook_free(outlook);
}

/* Whether clusters were learned from the answers. */
static int is_judged(const loop *l)
{
    scdc_model_info info;
    bench_need(scdc_model_get_info(&info, l->model));
    return info.judged;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void run(loop *l, const char *strategy)
{
    static const size_t steps[] = {0,   50,   100,  150,  200,  300,  400,  600,
                                   800, 1200, 1600, 2400, 3200, 4800, 6400, 12800};
    size_t level = 0;
    l->count = l->tasks = l->asked = l->shown = l->turn = 0;
    rng_init(&l->draw, l->seed, RNG_TEST, 0, 0);
    renew_crowd(l);
    scdc_model_free(l->model);
    l->model = NULL;
    bool by_fit = strcmp(l->learner, "fit") == 0;
    for (size_t s = 0; s < sizeof steps / sizeof *steps && steps[s] <= l->most; s++) {
        scdc_scores scores;
        double begun = bench_now(1);
        ask(l, strategy, steps[s], &level);
        double asked = bench_now(1);
        if (by_fit || !l->model) learn(l);
        if (!by_fit) consensus(l);
        double done = bench_now(1);
        bench_need(scdc_score(&scores, l->labels, l->truth, l->items));
        bench_figure("loop");
        bench_put("set", "\"%s\"", l->set);
        bench_put("strategy", "\"%s\"", strategy);
        bench_put("seed", "%d", (int)l->seed);
        bench_put("items", "%zu", l->items);
        bench_put("answers", "%zu", l->asked);
        bench_put("seconds", "%zu", l->shown * SECONDS_AN_ITEM);
        bench_put("acc", "%.4f", scores.acc);
        bench_put("nmi", "%.4f", scores.nmi);
        bench_put("clusters", "%zu", scores.clusters);
        bench_put("judged", "%d", is_judged(l));
        size_t same = 0;
        for (size_t i = 0; i < l->count; i++) same += l->answers[i].same;
        bench_put("same", "%.2f", l->count ? (double)same / (double)l->count : 0);
        if (by_fit) put_plan(l);
        bench_put("ask_s", "%.2f", asked - begun);
        bench_put("learn_s", "%.2f", done - asked);
        bench_end();
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    loop l = {.set = "blobs30",
              .learner = "fit",
              .items = 900,
              .most = 1600,
              .seed = 1,
              .folder = ".",
              .separation = 4};
    const char *strategies[16] = {"suggest", "random"};
    size_t n = 0;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strncmp(argv[i], "--", 2) != 0) {
            if (i == 1) l.set = argv[i];
            else if (n < 16) strategies[n++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--items") == 0) l.items = strtoul(value, NULL, 10);
        if (strcmp(argv[i], "--answers") == 0) l.most = strtoul(value, NULL, 10);
        if (strcmp(argv[i], "--seed") == 0) l.seed = strtoul(value, NULL, 10);
        if (strcmp(argv[i], "--separation") == 0) l.separation = strtod(value, NULL);
        if (strcmp(argv[i], "--learner") == 0) l.learner = value;
        if (strcmp(argv[i], "--data") == 0) l.folder = value;
        if (strcmp(argv[i], "--run") == 0) l.begin = value;
        i++;
    }
    make_items(&l);
    l.labels = calloc(l.items, sizeof *l.labels);
    l.probability = calloc(l.items, sizeof *l.probability);
    for (size_t i = 0; i < (n ? n : 2); i++) run(&l, strategies[i]);
    scdc_model_free(l.model);
    scdc_crowd_free(l.crowd);
    scdc_data_free(l.data);
    free(l.truth);
    free(l.labels);
    free(l.probability);
    free(l.answers);
    return 0;
}
