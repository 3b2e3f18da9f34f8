/* The ways' weights. */
#include "model/classes/experts.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/classes/alone.h"
#include "model/classes/doubted.h"
#include "model/classes/expert_rounds.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

static const expert_way WAYS[EXPERT_WAYS] = {{1, 0},  {.5, 0},  {.25, 0}, {1, 1},
                                             {.5, 1}, {.25, 1}, {.1, 1},  {0, 1}};

const double expert_shares[EXPERT_SHARES] = {1, 0.3, 0.1, 0};

/* How far the mixture may be doubted: where clusters are clear, two wrong answers of careful
 * workers outweigh a word that is doubted by a hundredth. */
static const double DOUBTS[] = {0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4};
enum { N_DOUBTS = sizeof DOUBTS / sizeof *DOUBTS };
static const double FIRST_DOUBT = 0.1; /* before answers told any */

/* How far the word of all may be doubted. */
static const double FINAL[] = {0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
enum { N_FINAL = sizeof FINAL / sizeof *FINAL };

/* ---- the word of all ---- */

experts experts_mixture_only(double doubt)
{
    return (experts){.weight = {1}, .doubt = doubt, .heard = {1}, .alone = alone_as_it_is()};
}

bool experts_need_classifier(const experts *e)
{
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        if (WAYS[w].classifier > 0 && e->weight[w] > EXPERT_LEAST_WEIGHT) return true;
    }
    return false;
}

double experts_heed_mixture(const experts *e)
{
    double sum = 0;
    for (size_t w = 0; w < EXPERT_WAYS; w++) sum += WAYS[w].mixture >= .25 ? e->weight[w] : 0;
    return sum;
}

void experts_say(double *p, const experts *e, const double *mixing, const double *kernel,
                 size_t clusters)
{
    double word[MOST_CLASSES], sum = 0;
    for (size_t c = 0; c < clusters; c++) p[c] = 0;
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        if (e->weight[w] <= EXPERT_LEAST_WEIGHT) continue;
        for (size_t c = 0; c < clusters; c++) {
            word[c] =
                expert_mixed(WAYS[w].mixture, WAYS[w].classifier,
                             expert_doubted(mixing[c], e->doubt, clusters), kernel ? kernel[c] : 1);
        }
        softmax(word, word, clusters);
        for (size_t c = 0; c < clusters; c++) p[c] += e->weight[w] * word[c];
    }
    for (size_t c = 0; c < clusters; c++) sum += p[c];
    for (size_t c = 0; c < clusters; c++) p[c] /= sum;
}

void experts_defer(double *p, const double *kernel, const double *mixing, const double *base,
                   size_t items, size_t clusters)
{
    double least = TAUGHT_LEAST / (double)items, known = 0, left = 1;
    for (size_t c = 0; c < clusters; c++) {
        if (base[c] < least) left -= mixing[c];
        else known += kernel[c];
    }
    for (size_t c = 0; c < clusters; c++) {
        if (base[c] < least) p[c] = mixing[c];
        else p[c] = known > 0 && left > 0 ? kernel[c] / known * left : 0;
    }
}

/* ---- weighing ---- */

/* What the ways say about the annotated items in trials that keep answers out. */
typedef struct hearing {
    expert_rounds rounds[EXPERT_WAYS]; /* the first of them judges */
    lesson *school;                    /* NULL: no classifier */
    double *said;                      /* [ways][trials][nodes][C] */
    double *all;              /* [trials][nodes][C] by all ways alike: workers are judged by it */
    bool behind[EXPERT_WAYS]; /* hopelessly: not tried any more */
    double fit[EXPERT_WAYS][EXPERT_SLIPS]; /* of the trials so far */
    arena memory;
} hearing;

static size_t values_of(const hearing *h)
{
    return h->rounds->nodes * h->rounds->clusters;
}

static double *said_by(const hearing *h, size_t way, size_t trial)
{
    return h->said + (way * EXPERT_TRIALS + trial) * values_of(h);
}

static bool can_speak(const hearing *h, size_t way)
{
    return (WAYS[way].classifier == 0 || h->school) && !h->behind[way];
}

/* Workers as they are in a trial when the items are r. */
static void judge_by(expert_rounds *s, size_t trial, const double *r)
{
    expert_rounds_keep_out(s, (int)trial);
    memcpy(s->r, r, s->nodes * s->clusters * sizeof *r);
    expert_rounds_judge(s);
}

/* One of several that run at once. */
typedef struct turn {
    size_t way, trial;
} turn;

static void run_turns(hearing *h, const turn *turns, size_t count)
{
    expert_rounds *all[EXPERT_WAYS];
    expert_way way[EXPERT_WAYS];
    for (size_t i = 0; i < count; i++) {
        all[i] = &h->rounds[i];
        way[i] = WAYS[turns[i].way];
        expert_rounds_keep_out(all[i], (int)turns[i].trial);
    }
    expert_rounds_run_all(all, way, count, h->school);
    for (size_t i = 0; i < count; i++) {
        memcpy(said_by(h, turns[i].way, turns[i].trial), all[i]->r,
               values_of(h) * sizeof *all[i]->r);
    }
}

static void doubt_mixture(hearing *h, double doubt)
{
    for (size_t i = 0; i < EXPERT_WAYS; i++) expert_rounds_doubt(&h->rounds[i], doubt);
}

/* The mixture is too sure of itself: as much doubt as explains answers best that were kept out. */
static double choose_doubt(hearing *h)
{
    expert_rounds *s = h->rounds;
    turn turns[EXPERT_TRIALS];
    double fit[N_DOUBTS][EXPERT_SLIPS] = {{0}};
    double best_score = -INFINITY;
    size_t best = 0;
    doubt_mixture(h, FIRST_DOUBT);
    for (size_t trial = 0; trial < EXPERT_TRIALS; trial++) turns[trial] = (turn){0, trial};
    run_turns(h, turns, EXPERT_TRIALS);
    for (size_t trial = 0; trial < EXPERT_TRIALS; trial++) {
        judge_by(s, trial, said_by(h, 0, trial));
        for (size_t i = 0; i < N_DOUBTS; i++) {
            expert_rounds_doubt(s, DOUBTS[i]);
            expert_rounds_foretold(fit[i], s, s->mixture);
        }
    }
    for (size_t i = 0; i < N_DOUBTS; i++) {
        double score = expert_best_fit(fit[i]) - fabs(DOUBTS[i] - USUAL_DOUBT) / DOUBT_SPREAD;
        if (!(score > best_score)) continue;
        best_score = score;
        best = i;
    }
    doubt_mixture(h, DOUBTS[best]);
    return DOUBTS[best];
}

static void run_trial(hearing *h, size_t trial)
{
    size_t values = values_of(h), ways = 0;
    double *all = h->all + trial * values;
    turn turns[EXPERT_WAYS];
    for (size_t way = 0; way < EXPERT_WAYS; way++) {
        if (can_speak(h, way)) turns[ways++] = (turn){way, trial};
    }
    run_turns(h, turns, ways);
    for (size_t w = 0; w < ways; w++) {
        const double *said = said_by(h, turns[w].way, trial);
        for (size_t i = 0; i < values; i++) all[i] += said[i];
    }
    for (size_t i = 0; i < values; i++) all[i] /= (double)ways;
    judge_by(h->rounds, trial, all);
    for (size_t w = 0; w < ways; w++) {
        size_t way = turns[w].way;
        expert_rounds_foretold(h->fit[way], h->rounds, said_by(h, way, trial));
    }
}

static double score_of(const hearing *h, size_t way)
{
    if (!can_speak(h, way)) return -INFINITY;
    return expert_best_fit(h->fit[way]) - (way ? EXPERT_MUST_GAIN : 0);
}

/* Ways that a trial left far behind the best will have no weight: the other trials are shorter
 * without them. */
static void run_ways(double score[EXPERT_WAYS], hearing *h)
{
    for (size_t trial = 0; trial < EXPERT_TRIALS; trial++) {
        double best = -INFINITY;
        run_trial(h, trial);
        for (size_t way = 0; way < EXPERT_WAYS; way++) best = fmax(best, score_of(h, way));
        for (size_t way = 0; way < EXPERT_WAYS; way++)
            h->behind[way] = !(score_of(h, way) > best - EXPERT_FAR_BEHIND);
    }
    for (size_t way = 0; way < EXPERT_WAYS; way++) score[way] = score_of(h, way);
}

static void scale_rows(double *sum, size_t rows, size_t C)
{
    for (size_t i = 0; i < rows; i++) {
        double *row = sum + i * C, total = 0;
        for (size_t c = 0; c < C; c++) total += row[c];
        for (size_t c = 0; c < C; c++) row[c] /= total;
    }
}

/* Clusters of the annotated items, the ways' words by weight: without what a trial keeps out. */
static void sum_trials(double *trial, const hearing *h, const experts *e)
{
    size_t values = EXPERT_TRIALS * values_of(h);
    memset(trial, 0, values * sizeof *trial);
    for (size_t way = 0; way < EXPERT_WAYS; way++) {
        if (e->weight[way] <= EXPERT_LEAST_WEIGHT) continue;
        for (size_t i = 0; i < values; i++) trial[i] += e->weight[way] * said_by(h, way, 0)[i];
    }
    scale_rows(trial, EXPERT_TRIALS * h->rounds->nodes, h->rounds->clusters);
}

/* The same by all answers. */
static void sum_ways(double *r, hearing *h, const experts *e)
{
    expert_rounds *all[EXPERT_WAYS];
    expert_way way[EXPERT_WAYS];
    double weight[EXPERT_WAYS];
    size_t count = 0;
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        if (e->weight[w] <= EXPERT_LEAST_WEIGHT) continue;
        all[count] = &h->rounds[count];
        weight[count] = e->weight[w];
        expert_rounds_keep_out(all[count], -1);
        way[count++] = WAYS[w];
    }
    expert_rounds_run_all(all, way, count, h->school);
    memset(r, 0, values_of(h) * sizeof *r);
    for (size_t w = 0; w < count; w++) {
        for (size_t i = 0; i < values_of(h); i++) r[i] += weight[w] * all[w]->r[i];
    }
    scale_rows(r, h->rounds->nodes, h->rounds->clusters);
}

static int hearing_create(hearing *h, const expert_case *c)
{
    for (size_t i = 0; i < EXPERT_WAYS; i++) SCDC_TRY(expert_rounds_create(&h->rounds[i], c));
    size_t trials = EXPERT_TRIALS * h->rounds->nodes, row = c->clusters * sizeof(double);
    h->said = arena_new(&h->memory, EXPERT_WAYS * trials, row, "clusters of items");
    h->all = arena_new(&h->memory, trials, row, "clusters of items");
    return arena_status(&h->memory);
}

int experts_weigh(experts *out, double *r, double *trial, double *others, classifier *taught,
                  const expert_case *c)
{
    lesson school = {0};
    hearing h = {0};
    experts e = experts_mixture_only(0);
    double score[EXPERT_WAYS];
    int status;
    SCDC_TRY_OR(done, status, hearing_create(&h, c));
    e.doubt = choose_doubt(&h);
    if (taught) {
        SCDC_TRY_OR(done, status, lesson_create(&school, taught, true));
        SCDC_TRY_OR(done, status, lesson_choose_ridge(&school, h.rounds->mixture));
        SCDC_TRY_OR(done, status, lesson_make_room(&school, EXPERT_WAYS));
        h.school = &school;
    }
    run_ways(score, &h);
    softmax(e.weight, score, EXPERT_WAYS);
    sum_trials(trial, &h, &e);
    sum_ways(r, &h, &e);
    if (taught) {
        lesson_learn(&school, r);
        memcpy(others, school.others, values_of(&h) * sizeof *others);
    }
    *out = e;
    status = SCDC_OK;
done:
    lesson_free(&school);
    for (size_t i = 0; i < EXPERT_WAYS; i++) expert_rounds_free(&h.rounds[i]);
    arena_free(&h.memory);
    return status;
}

int experts_weigh_neighbours(experts *e, const double *trial, double *const said[EXPERT_SHARES],
                             const expert_case *c, bool heard_first)
{
    double fit[EXPERT_SHARES][EXPERT_SLIPS] = {{0}};
    expert_rounds s;
    SCDC_TRY(expert_rounds_create(&s, c));
    size_t values = s.nodes * s.clusters;
    for (size_t t = 0; t < EXPERT_TRIALS; t++) {
        judge_by(&s, t, trial + t * values);
        for (size_t i = 0; i < EXPERT_SHARES; i++) {
            expert_rounds_foretold(fit[i], &s, said[i] + t * values);
        }
    }
    size_t usual = heard_first ? 0 : EXPERT_SHARES - 1;
    for (size_t i = 0; i < EXPERT_SHARES; i++) {
        e->heard[i] = expert_best_fit(fit[i]) - (i != usual ? EXPERT_MUST_GAIN : 0);
    }
    softmax(e->heard, e->heard, EXPERT_SHARES);
    expert_rounds_free(&s);
    return SCDC_OK;
}

int experts_choose_doubt(double *doubt, double usual, const double *trial, const double *word,
                         const expert_case *c)
{
    double fit[N_FINAL][EXPERT_SLIPS] = {{0}}, prior[N_FINAL], *doubted;
    expert_rounds s;
    *doubt = usual;
    SCDC_TRY(expert_rounds_create(&s, c));
    size_t values = s.nodes * s.clusters;
    int status = mem_zeroed(&doubted, values, sizeof *doubted, "clusters of items");
    for (size_t t = 0; t < EXPERT_TRIALS && status == SCDC_OK; t++) {
        judge_by(&s, t, trial + t * values);
        for (size_t i = 0; i < N_FINAL; i++) {
            for (size_t v = 0; v < values; v++) {
                doubted[v] = expert_doubted(word[t * values + v], FINAL[i], s.clusters);
            }
            expert_rounds_foretold(fit[i], &s, doubted);
        }
    }
    for (size_t i = 0; i < N_FINAL; i++) prior[i] = -fabs(FINAL[i] - usual) / DOUBT_SPREAD;
    if (status == SCDC_OK)
        *doubt = doubt_expected(FINAL, prior, N_FINAL, expert_slips, EXPERT_SLIPS, fit[0]);
    mem_free(doubted);
    expert_rounds_free(&s);
    return status;
}
