/* Lending tasks to workers: nobody gets a task twice, no task is given to more workers than answers
 * are wanted, and what is not answered in time comes back. */
#include "board.h"

#include <string.h>

static uint32_t answers_wanted(const board *b, const board_task *t)
{
    return b->rules.redundancy + t->more;
}

static bool wants_more(const board *b, const board_task *t)
{
    return t->answered + t->leased < answers_wanted(b, t);
}

bool board_done(const board *b, uint32_t task)
{
    const board_task *t = &b->tasks[task];
    return t->truth || t->answered >= answers_wanted(b, t);
}

static bool listed(const uint32_t *list, size_t count, uint32_t task)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == task) return true;
    }
    return false;
}

static size_t lease_of(const board_worker *w, uint32_t task)
{
    size_t i = 0;
    while (i < w->n_leases && w->leases[i].task != task) i++;
    return i;
}

static bool holds(const board_worker *w, uint32_t task)
{
    return lease_of(w, task) < w->n_leases;
}

static void add_lease(board *b, board_worker *w, uint32_t task, int64_t until)
{
    w->lent++;
    w->leases[w->n_leases].task = task;
    w->leases[w->n_leases++].until = until;
    b->tasks[task].leased++;
}

static void remove_lease(board *b, board_worker *w, size_t at)
{
    b->tasks[w->leases[at].task].leased--;
    w->leases[at] = w->leases[--w->n_leases];
}

void board_drop_lease(board *b, uint32_t worker, uint32_t task)
{
    board_worker *w = &b->workers[worker];
    if (holds(w, task)) remove_lease(b, w, lease_of(w, task));
}

void board_give_back(board *b, uint32_t worker)
{
    board_worker *w = &b->workers[worker];
    while (w->n_leases) remove_lease(b, w, w->n_leases - 1);
}

void board_hold(board *b, uint32_t worker, uint32_t task, int64_t left, int64_t now)
{
    board_worker *w = board_worker_at(b, worker);
    if (!w || !board_task_at(b, task)) return;
    if (left <= 0) {
        board_drop_lease(b, worker, task);
        return;
    }
    if (w->seen < now) w->seen = now;
    if (holds(w, task)) {
        w->leases[lease_of(w, task)].until = now + left;
        return;
    }
    if (board_did(b, worker, task)) return; /* the answer came with it */
    if (w->n_leases == MOST_LEASES) {
        size_t first = 0; /* to end: the lender knows that it has */
        for (size_t i = 1; i < w->n_leases; i++) {
            if (w->leases[i].until < w->leases[first].until) first = i;
        }
        remove_lease(b, w, first);
    }
    add_lease(b, w, task, now + left);
}

void board_expire(board *b, int64_t now)
{
    for (size_t n = 1; n < b->n_workers; n++) {
        board_worker *w = &b->workers[n];
        for (size_t i = w->n_leases; i-- > 0;) {
            if (w->leases[i].until <= now) remove_lease(b, w, i);
        }
    }
}

bool board_quota_reached(const board *b, const board_worker *w)
{
    return b->rules.quota && w->answers >= b->rules.quota;
}

/* Done tasks at the front are passed for good. */
static void skip_done(board *b)
{
    while (b->first_open < b->n_open && board_done(b, b->open[b->first_open])) b->first_open++;
}

static uint32_t find_check(const board *b, const board_worker *w, uint32_t worker)
{
    if (!b->rules.check_every || w->lent % b->rules.check_every != b->rules.check_every / 2)
        return 0;
    for (size_t i = 0; i < b->n_checks; i++) {
        /* Everybody begins with another one. */
        uint32_t task = b->checks[(i + worker) % b->n_checks];
        if (!board_did(b, worker, task) && !holds(w, task)) return task;
    }
    return 0;
}

static bool may_get(const board *b, const board_worker *w, uint32_t worker, uint32_t task)
{
    return wants_more(b, &b->tasks[task]) && !holds(w, task) && !board_did(b, worker, task);
}

/* The oldest task that was chosen for this worker. */
static uint32_t find_wish(board *b, board_worker *w, uint32_t worker)
{
    if (!w->wishes) return 0;
    for (size_t i = b->first_open; i < b->n_open; i++) {
        uint32_t task = b->open[i];
        if (b->tasks[task].wish == worker && may_get(b, w, worker, task)) {
            w->wishes--;
            return task;
        }
    }
    w->wishes = 0;
    return 0;
}

static uint32_t find_open(board *b, board_worker *w, uint32_t worker)
{
    skip_done(b);
    uint32_t wished = find_wish(b, w, worker);
    if (wished) return wished;
    for (size_t i = b->first_open; i < b->n_open; i++) {
        if (may_get(b, w, worker, b->open[i])) return b->open[i];
    }
    return 0;
}

void board_wish(board *b, uint32_t task, uint32_t worker)
{
    board_worker *w = board_worker_at(b, worker);
    board_task *t = board_task_at(b, task);
    if (!w || !t) return;
    t->wish = worker;
    w->wishes++;
}

void board_ask_again(board *b, uint32_t task)
{
    board_task *t = board_task_at(b, task);
    if (!t || t->truth) return;
    bool was_done = board_done(b, task);
    t->more++;
    if (!was_done) return;
    b->open = need_room(b->open, &b->room.open, b->n_open, sizeof *b->open);
    b->open[b->n_open++] = task;
}

size_t board_lend(board *b, uint32_t out[MOST_LEASES], uint32_t worker, size_t want,
                  const uint32_t *have, size_t n_have, int64_t now)
{
    board_worker *w = &b->workers[worker];
    size_t count = 0;
    if (want > MOST_LEASES) want = MOST_LEASES;
    for (size_t i = 0; i < w->n_leases; i++) {
        w->leases[i].until = now + b->rules.lease_ms; /* the page is alive */
        if (count < want && !listed(have, n_have, w->leases[i].task))
            out[count++] = w->leases[i].task;
    }
    while (count < want && w->n_leases < MOST_LEASES) {
        if (b->rules.quota && w->answers + w->n_leases >= b->rules.quota) break;
        uint32_t task = find_check(b, w, worker);
        if (!task) task = find_open(b, w, worker);
        if (!task) break;
        add_lease(b, w, task, now + b->rules.lease_ms);
        out[count++] = task;
    }
    return count;
}

size_t board_wanted(board *b)
{
    size_t kept = 0, wanted = 0;
    skip_done(b);
    for (size_t i = b->first_open; i < b->n_open; i++) {
        const board_task *t = &b->tasks[b->open[i]];
        if (board_done(b, b->open[i])) continue;
        if (wants_more(b, t)) wanted += answers_wanted(b, t) - t->answered - t->leased;
        b->open[kept++] = b->open[i];
    }
    b->first_open = 0;
    b->n_open = kept;
    return wanted;
}

size_t board_active(const board *b, int64_t since)
{
    size_t count = 0;
    for (size_t i = 1; i < b->n_workers; i++) count += b->workers[i].seen >= since;
    return count;
}
