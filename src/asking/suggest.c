/* scdc_suggest: what is known -> blocks -> sampled partitions -> a batch of questions. */
#include "asking/batch.h"

#include "base/parallel.h"
#include "base/sized.h"
#include "base/status.h"

#include <string.h>

enum { MOST_QUESTIONS = 100000, MOST_SET = 100 };

static const scdc_suggest_options usual = {
    .size = sizeof usual, .count = 20, .set_size = 8, .seed = SCDC_DEFAULT_SEED};

void scdc_suggest_options_init_sized(scdc_suggest_options *options, size_t size)
{
    sized_init(options, size, &usual, sizeof usual);
}

static int check_options(const scdc_suggest_options *o)
{
    if (o->count < 1 || o->count > MOST_QUESTIONS)
        return fail_with(SCDC_ERR_ARGUMENT, "count must be 1 to %d, not %zu", MOST_QUESTIONS,
                         o->count);
    if (o->kind != SCDC_QUESTION_PAIR && o->kind != SCDC_QUESTION_SET)
        return fail_with(SCDC_ERR_ARGUMENT, "kind must be pairs or sets, not %d", (int)o->kind);
    if (o->set_size < 2 || o->set_size > MOST_SET)
        return fail_with(SCDC_ERR_ARGUMENT, "set_size must be 2 to %d, not %zu", MOST_SET,
                         o->set_size);
    if (o->threads < 0)
        return fail_with(SCDC_ERR_ARGUMENT, "threads must be 0 or more, not %d", o->threads);
    return SCDC_OK;
}

/* No more questions than there are different ones. */
static size_t questions_at_most(const scdc_suggest_options *o, size_t items)
{
    if (items < 2) return 0;
    size_t pairs = items > 1000 ? SIZE_MAX : items * (items - 1) / 2;
    if (o->kind == SCDC_QUESTION_SET && items <= o->set_size) pairs = 1;
    return o->count < pairs ? o->count : pairs;
}

static int make_room(scdc_suggestions *s, const batch *m, const char *worker)
{
    s->questions = arena_new(&s->memory, m->want, sizeof *s->questions, "questions");
    s->items = arena_new(&s->memory, m->want * m->set_size, sizeof *s->items, "questions");
    if (worker) s->worker = arena_string(&s->memory, worker, strlen(worker));
    return arena_status(&s->memory);
}

/* Pairs that were answered are asked again only where no others tell of the same doubt. */
static int remember_asked(batch *m, const scdc_crowd *crowd)
{
    size_t count = 0;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    SCDC_TRY(pairset_make(&m->asked, count + m->want));
    SCDC_TRY(pairset_make(&m->fresh, m->want));
    for (size_t i = 0; i < count; i++) pairset_add(&m->asked, answers[i].left, answers[i].right);
    return SCDC_OK;
}

static int suggest(scdc_suggestions *out, const scdc_model *model, const scdc_data *data,
                   const scdc_crowd *crowd, const scdc_suggest_options *o)
{
    looked_at items = {0};
    blocks b = {0};
    coins *of_worker = NULL, typical;
    scdc_crowd_info answers = {0};
    batch m = {.items = &items, .b = &b, .seed = o->seed, .out = out};
    m.cold = !model && !crowd;
    m.set_size = o->kind == SCDC_QUESTION_SET ? o->set_size : 2;
    int status = crowd ? scdc_crowd_get_info(&answers, crowd) : SCDC_OK;
    if (status == SCDC_OK) status = look_at_items(&items, model, data, crowd, o->seed);
    m.want = questions_at_most(o, items.count);
    if (status == SCDC_OK) status = make_room(out, &m, o->worker);
    if (status == SCDC_OK && m.want) {
        SCDC_TRY_OR(done, status, coins_of_worker(&m.who, model, o->worker));
        SCDC_TRY_OR(done, status,
                    mem_zeroed(&of_worker, answers.workers, sizeof *of_worker, "coins"));
        SCDC_TRY_OR(done, status, coins_of_crowd(of_worker, &typical, model, crowd));
        SCDC_TRY_OR(done, status, remember_asked(&m, crowd));
        rng_init(&m.draw, o->seed, RNG_ASKING, UINT32_MAX, answers.answers);
        if (batch_places_items(&m, model, crowd)) SCDC_TRY_OR(done, status, batch_items(&m, crowd));
        if (out->count == m.want) goto done;
        SCDC_TRY_OR(done, status, blocks_make(&b, &items, answers.answers, o->seed));
        SCDC_TRY_OR(done, status, blocks_tune(&b, &items, crowd, of_worker, o->seed));
        SCDC_TRY_OR(done, status, blocks_hear(&b, &items, crowd, of_worker, answers.answers));
        status = o->kind == SCDC_QUESTION_SET && m.set_size > 2 ? batch_sets(&m) : batch_pairs(&m);
    }
done:
    pairset_free(&m.asked);
    pairset_free(&m.fresh);
    mem_free(of_worker);
    blocks_free(&b);
    looked_at_free(&items);
    return status;
}

int scdc_suggest(scdc_suggestions **out, const scdc_model *model, const scdc_data *data,
                 const scdc_crowd *crowd, const scdc_suggest_options *options)
{
    scdc_suggest_options o = usual;
    scdc_suggestions *made;
    if (!out || !data) return fail_with(SCDC_ERR_ARGUMENT, "out and data must not be NULL");
    if (options) SCDC_TRY(sized_take(&o, sizeof o, options, "scdc_suggest_options_init"));
    SCDC_TRY(check_options(&o));
    SCDC_TRY(check_crowd(data, crowd));
    parallel_set_threads(o.threads);
    SCDC_TRY(mem_zeroed(&made, 1, sizeof *made, "suggestions"));
    int status = suggest(made, model, data, crowd, &o);
    if (status == SCDC_OK) *out = made;
    else scdc_suggestions_free(made);
    return status;
}

void scdc_suggestions_free(scdc_suggestions *suggestions)
{
    if (!suggestions) return;
    arena_free(&suggestions->memory);
    mem_free(suggestions);
}

size_t scdc_suggestions_count(const scdc_suggestions *suggestions)
{
    return suggestions ? suggestions->count : 0;
}

int scdc_suggestions_get_sized(scdc_question *out, size_t size, const scdc_suggestions *suggestions,
                               size_t index)
{
    if (!out || !suggestions)
        return fail_with(SCDC_ERR_ARGUMENT, "out and suggestions must not be NULL");
    if (index >= suggestions->count)
        return fail_with(SCDC_ERR_ARGUMENT, "question %zu: there are %zu", index,
                         suggestions->count);
    sized_fill(out, size, &suggestions->questions[index], sizeof(scdc_question));
    return SCDC_OK;
}
