/* Applying records to the board, and finding things on it. */
#include "board.h"

#include "piles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 60 };

static uint32_t add_text(board *b, const char *text)
{
    size_t length = strlen(text) + 1;
    while (b->texts_used + length > b->room.texts) {
        b->room.texts = b->room.texts ? b->room.texts * 2 : 4096;
        b->texts = need_resize(b->texts, b->room.texts, 1);
    }
    memcpy(b->texts + b->texts_used, text, length);
    b->texts_used += length;
    return (uint32_t)(b->texts_used - length);
}

board *board_create(const board_rules *rules)
{
    board *b = need_zeroed(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    b->rules = *rules;
    b->uses = need_zeroed(rules->items, sizeof *b->uses);
    b->workers = need_zeroed(b->room.workers = 16, sizeof *b->workers);
    b->tasks = need_zeroed(b->room.tasks = 16, sizeof *b->tasks);
    b->n_workers = b->n_tasks = 1;
    add_text(b, "");
    static const char *const usual[] = {"1", "0", "?"};
    for (int i = 0; i < 3; i++) b->value_texts[i] = add_text(b, usual[i]);
    return b;
}

void board_free(board *b)
{
    if (!b) return;
    for (size_t i = 0; i < b->n_workers; i++) {
        free(b->workers[i].name);
        free(b->workers[i].source);
        free(b->workers[i].outside);
    }
    idmap *maps[] = {&b->answer_ids, &b->done, &b->pairs, &b->names, &b->outsiders, &b->token_map};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) idmap_free(maps[i]);
    free(b->workers);
    free(b->tasks);
    free(b->answers);
    free(b->item_pool);
    free(b->uses);
    free(b->texts);
    free(b->open);
    free(b->checks);
    free(b->tokens);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

/* ---- keys of the tables --------------------------------------------------------------------- */

static id128 done_key(uint32_t worker, uint32_t task)
{
    return (id128){worker, task};
}

static id128 pair_key(uint32_t left, uint32_t right)
{
    return left < right ? (id128){left, right} : (id128){right, left};
}

static id128 hash_key(const token_hash *hash)
{
    id128 key;
    memcpy(&key, hash->bytes, sizeof key);
    return key;
}

/* ---- looking -------------------------------------------------------------------------------- */

board_worker *board_worker_at(board *b, uint32_t number)
{
    return number < b->n_workers && b->workers[number].name ? &b->workers[number] : NULL;
}

board_task *board_task_at(board *b, uint32_t number)
{
    return number && number < b->n_tasks && b->tasks[number].count ? &b->tasks[number] : NULL;
}

const uint32_t *board_items(const board *b, const board_task *t)
{
    return b->item_pool + t->items;
}

const char *board_text(const board *b, uint32_t text)
{
    return b->texts + text;
}

token_role board_role(const board *b, const token_hash *hash, uint32_t *worker)
{
    uint32_t at = idmap_get(&b->token_map, hash_key(hash));
    if (!at || !token_hash_equal(&b->tokens[at - 1].hash, hash)) return ROLE_NONE;
    *worker = b->tokens[at - 1].worker;
    return b->tokens[at - 1].role;
}

bool board_knows_answer(const board *b, id128 id)
{
    return idmap_get(&b->answer_ids, id) != 0;
}

bool board_did(const board *b, uint32_t worker, uint32_t task)
{
    return idmap_get(&b->done, done_key(worker, task)) != 0;
}

uint32_t board_pair_task(const board *b, uint32_t left, uint32_t right)
{
    return idmap_get(&b->pairs, pair_key(left, right));
}

uint32_t board_worker_named(const board *b, const char *name)
{
    return *name ? idmap_get(&b->names, id128_of_text(name, "")) : 0;
}

size_t board_live_answers(const board_answer *out[MOST_COMPARED], const board *b,
                          const board_task *t)
{
    size_t count = 0;
    for (uint32_t at = t->last; at && count < MOST_COMPARED; at = b->answers[at - 1].before) {
        const board_answer *a = &b->answers[at - 1];
        if (!a->replaced && b->workers[a->worker].standing != STANDING_BLOCKED) out[count++] = a;
    }
    return count;
}

static bool pile_number(const char **at)
{
    const char *c = *at;
    if (*c == '?') {
        *at = c + 1;
        return true;
    }
    unsigned long value = 0;
    size_t digits = 0;
    for (; *c >= '0' && *c <= '9' && digits < 3; c++, digits++)
        value = value * 10 + (unsigned long)(*c - '0');
    *at = c;
    return digits && value < LARGEST_SET;
}

bool board_value_fits(const board *b, const board_task *t, const char *value)
{
    if (!b->rules.sets) return (*value == '1' || *value == '0' || *value == '?') && !value[1];
    for (uint32_t i = 0; i < t->count; i++) {
        if (!pile_number(&value)) return false;
        if (*value != (i + 1 < t->count ? ' ' : '\0')) return false;
        if (*value) value++;
    }
    return *value == '\0';
}

/* ---- new workers ---------------------------------------------------------------------------- */

static char *unique_name(board *b, const char *name, uint32_t number)
{
    char *text = text_copy(name);
    if (!text_clean(text, MOST_NAME)) {
        free(text);
        text = text_format("worker %lu", (unsigned long)number);
    }
    char *base = text_copy(text);
    for (unsigned n = 2; !idmap_add(&b->names, id128_of_text(text, ""), number); n++) {
        free(text);
        text = text_format("%s %u", base, n);
    }
    free(base);
    return text;
}

uint32_t board_reserve_worker(board *b, char **unique, bool *known, const char *name,
                              const char *source, const char *outside)
{
    *known = false;
    *unique = NULL;
    if (*outside) {
        uint32_t there = idmap_get(&b->outsiders, id128_of_text(source, outside));
        if (there) {
            *known = true;
            return there;
        }
    }
    uint32_t number = (uint32_t)b->n_workers;
    b->workers = need_room(b->workers, &b->room.workers, b->n_workers, sizeof *b->workers);
    b->workers[b->n_workers++] = (board_worker){0};
    *unique = unique_name(b, name, number);
    if (*outside) idmap_add(&b->outsiders, id128_of_text(source, outside), number);
    return number;
}

void board_forget_worker(board *b, const record *r)
{
    id128 name = id128_of_text(r->worker.name, "");
    id128 outside = id128_of_text(r->worker.source, r->worker.outside);
    if (idmap_get(&b->names, name) == r->worker.number) idmap_remove(&b->names, name);
    if (idmap_get(&b->outsiders, outside) == r->worker.number) idmap_remove(&b->outsiders, outside);
}

/* ---- applying ------------------------------------------------------------------------------- */

static int misfit(const char *what)
{
    return server_fail(SCDC_ERR_INPUT, "the project's records do not fit together: %s", what);
}

static int apply_worker(board *b, const record *r)
{
    uint32_t number = r->worker.number;
    if (!number || number > 1u << 24) return misfit("a worker's number");
    while (b->n_workers <= number) {
        b->workers = need_room(b->workers, &b->room.workers, b->n_workers, sizeof *b->workers);
        b->workers[b->n_workers++] = (board_worker){0};
    }
    board_worker *w = &b->workers[number];
    if (w->name) return misfit("a worker twice");
    w->name = text_copy(r->worker.name);
    w->source = text_copy(r->worker.source);
    w->outside = text_copy(r->worker.outside);
    w->joined = r->time;
    /* Both are there already unless the project is being opened. */
    idmap_add(&b->names, id128_of_text(w->name, ""), number);
    if (*w->outside) idmap_add(&b->outsiders, id128_of_text(w->source, w->outside), number);
    return SCDC_OK;
}

static int apply_token(board *b, const record *r)
{
    if (r->token.role == ROLE_WORKER && !board_worker_at(b, r->token.worker))
        return misfit("a link of nobody");
    b->tokens = need_room(b->tokens, &b->room.tokens, b->n_tokens, sizeof *b->tokens);
    b->tokens[b->n_tokens++] = (struct board_token){r->token.hash, r->token.role, r->token.worker};
    idmap_add(&b->token_map, hash_key(&r->token.hash), (uint32_t)b->n_tokens);
    return SCDC_OK;
}

/* Appends the item numbers of the text to the pool; their count, or 0 when they are no items. */
static uint32_t pool_items(board *b, const char *text)
{
    uint32_t count = 0;
    size_t start = b->n_items_pooled;
    while (*text) {
        char *end;
        unsigned long item = strtoul(text, &end, 10);
        if (end == text || item >= b->rules.items || count == LARGEST_SET) {
            b->n_items_pooled = start;
            return 0;
        }
        b->item_pool =
            need_room(b->item_pool, &b->room.items, b->n_items_pooled, sizeof *b->item_pool);
        b->item_pool[b->n_items_pooled++] = (uint32_t)item;
        count++;
        text = end + strspn(end, " ");
    }
    return count;
}

static int apply_task(board *b, const record *r)
{
    if (r->task.number != b->n_tasks) return misfit("a task is missing");
    board_task t = {.items = b->n_items_pooled, .count = pool_items(b, r->task.items)};
    if (t.count < 2 || (!b->rules.sets && t.count != 2)) return misfit("the items of a task");
    b->tasks = need_room(b->tasks, &b->room.tasks, b->n_tasks, sizeof *b->tasks);
    const uint32_t *items = board_items(b, &t);
    for (uint32_t i = 0; i < t.count; i++) b->uses[items[i]]++;
    uint32_t number = (uint32_t)b->n_tasks++;
    if (t.count == 2) idmap_add(&b->pairs, pair_key(items[0], items[1]), number);
    if (*r->task.truth) {
        t.truth = add_text(b, r->task.truth);
        b->checks = need_room(b->checks, &b->room.checks, b->n_checks, sizeof *b->checks);
        b->checks[b->n_checks++] = number;
    } else {
        b->open = need_room(b->open, &b->room.open, b->n_open, sizeof *b->open);
        b->open[b->n_open++] = number;
    }
    b->tasks[number] = t;
    return SCDC_OK;
}

static uint32_t value_text(board *b, const char *value)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(board_text(b, b->value_texts[i]), value) == 0) return b->value_texts[i];
    }
    return add_text(b, value);
}

/* The worker's earlier answer to the same task no longer counts. */
static void replace_earlier(board *b, const board_task *t, uint32_t worker)
{
    for (uint32_t at = t->last; at; at = b->answers[at - 1].before) {
        board_answer *a = &b->answers[at - 1];
        if (a->worker != worker || a->replaced) continue;
        a->replaced = true;
        b->live_answers--;
    }
}

static void count_check(board *b, board_worker *w, const board_task *t, const char *value,
                        bool again)
{
    if (!t->truth) return;
    if (!again) w->checks++;
    /* Only the first look counts: who may try twice always passes. */
    const char *truth = board_text(b, t->truth);
    bool right = b->rules.sets ? piles_right(truth, value, t->count) : strcmp(truth, value) == 0;
    if (!again && right) w->checks_right++;
}

static int apply_answer(board *b, const record *r)
{
    board_task *t = board_task_at(b, r->answer.task);
    board_worker *w = board_worker_at(b, r->answer.worker);
    if (!t || !w) return misfit("an answer to no task, or of nobody");
    if (!board_value_fits(b, t, r->answer.value)) return misfit("an answer's value");
    if (!idmap_add(&b->answer_ids, r->answer.id, (uint32_t)b->n_answers + 1)) return SCDC_OK;
    bool again = !idmap_add(&b->done, done_key(r->answer.worker, r->answer.task), 1);
    if (again) {
        replace_earlier(b, t, r->answer.worker);
    } else {
        t->answered++;
        w->answers++;
    }
    count_check(b, w, t, r->answer.value, again);
    b->answers = need_room(b->answers, &b->room.answers, b->n_answers, sizeof *b->answers);
    b->answers[b->n_answers++] = (board_answer){.time = r->time,
                                                .task = r->answer.task,
                                                .worker = r->answer.worker,
                                                .took = r->answer.took,
                                                .value = value_text(b, r->answer.value),
                                                .before = t->last};
    t->last = (uint32_t)b->n_answers;
    b->live_answers++;
    board_drop_lease(b, r->answer.worker, r->answer.task);
    return SCDC_OK;
}

int board_apply(board *b, const record *r)
{
    b->version++;
    switch (r->kind) {
    case RECORD_WORKER: return apply_worker(b, r);
    case RECORD_TOKEN: return apply_token(b, r);
    case RECORD_TASK: return apply_task(b, r);
    case RECORD_ANSWER: return apply_answer(b, r);
    case RECORD_STANDING: {
        board_worker *w = board_worker_at(b, r->standing.worker);
        if (!w || r->standing.standing > STANDING_FORGIVEN) return misfit("a worker's standing");
        w->standing = r->standing.standing;
        if (w->standing == STANDING_BLOCKED) board_give_back(b, r->standing.worker);
        return SCDC_OK;
    }
    case RECORD_WISH:
        if (!board_task_at(b, r->wish.task)) return misfit("a wish for no task");
        if (r->wish.again) board_ask_again(b, r->wish.task);
        board_wish(b, r->wish.task, r->wish.worker);
        return SCDC_OK;
    case RECORD_LEASE:
        board_hold(b, r->lease.worker, r->lease.task, r->lease.left, clock_steady());
        return SCDC_OK;
    }
    return misfit("an unknown record");
}
