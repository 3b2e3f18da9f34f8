/* The state of a project in memory: what its records add up to, and which task is lent to whom. A
 * record is applied after the store has it, and the same way when a project is opened, so the board
 * never knows more than the disk. Leases are here only, or in a store that servers share: after a
 * restart every task is free again, and an answer to a task lent before is still taken (its seal
 * proves it). */
#ifndef SCDC_SERVER_BOARD_H
#define SCDC_SERVER_BOARD_H

#include "base.h"
#include "record.h"

#include <pthread.h>

enum { MOST_LEASES = 8, LARGEST_SET = 36, MOST_COMPARED = 32 };

typedef struct board_rules {
    bool sets;           /* piles; else pairs */
    size_t items;        /* of the data */
    uint32_t redundancy; /* answers wanted for each task, of different workers */
    uint32_t quota;      /* answers a worker may give; 0: any number */
    uint32_t check_every;
    int64_t lease_ms;
} board_rules;

typedef struct board_task {
    size_t items; /* where they begin in board.item_pool */
    uint32_t count;
    uint32_t truth;    /* text of the right answer; 0: not a check */
    uint32_t answered; /* workers with an answer */
    uint32_t leased;
    uint32_t last; /* its newest answer, number + 1; 0: none */
    /* Not kept on disk: */
    uint32_t more; /* answers wanted beyond the redundancy */
    uint32_t wish; /* the worker it was chosen for, who gets it before others; 0: anybody */
} board_task;

typedef struct board_answer {
    int64_t time;
    uint32_t task, worker, took;
    uint32_t value;  /* text */
    uint32_t before; /* an earlier answer to the task, number + 1 */
    bool replaced;   /* the worker thought better of it */
} board_answer;

typedef struct board_worker {
    char *name; /* NULL: no such worker */
    char *source, *outside;
    int64_t joined, seen; /* seen: when last heard of, 0 since the start */
    standing standing;
    uint32_t answers, checks, checks_right;
    uint32_t lent;   /* tasks given since the start, for the turn of checks */
    uint32_t wishes; /* open tasks that were chosen for this worker, or more */
    size_t n_leases;
    struct {
        uint32_t task;
        int64_t until;
    } leases[MOST_LEASES];
    double allowance; /* requests left in the bucket of the rate limit */
    int64_t filled;
} board_worker;

typedef struct board {
    pthread_mutex_t lock; /* held by callers of everything below but create and free */
    board_rules rules;
    board_worker *workers; /* [0] is nobody */
    board_task *tasks;     /* [0] is nothing */
    board_answer *answers;
    size_t n_workers, n_tasks, n_answers;
    size_t live_answers; /* not replaced */
    uint32_t *item_pool;
    uint32_t *uses; /* tasks an item is in, per item */
    char *texts;    /* texts one after another; number = where it begins */
    uint32_t *open; /* tasks that want more answers, oldest first, and some that no longer do */
    size_t n_open, first_open;
    uint32_t *checks; /* tasks with a known answer */
    size_t n_checks;
    size_t seen_workers;
    struct {
        size_t workers, tasks, answers, items, texts, open, checks, tokens;
    } room;
    size_t n_items_pooled, texts_used;
    idmap answer_ids, done, pairs, names, outsiders, token_map;
    struct board_token {
        token_hash hash;
        token_role role;
        uint32_t worker;
    } * tokens;
    size_t n_tokens;
    uint32_t value_texts[3]; /* of "1", "0", "?", which most answers are */
    uint64_t version;        /* grows with every record */
} board;

board *board_create(const board_rules *rules);
void board_free(board *b);

/* Adds a record. SCDC_ERR_INPUT when it does not fit what is there; an answer known already is fine
 * and changes nothing. */
int board_apply(board *b, const record *r);

/* ---- looking -------------------------------------------------------------------------------- */

board_worker *board_worker_at(board *b, uint32_t number); /* NULL when there is none */
board_task *board_task_at(board *b, uint32_t number);
const uint32_t *board_items(const board *b, const board_task *t);
const char *board_text(const board *b, uint32_t text);
token_role board_role(const board *b, const token_hash *hash, uint32_t *worker);
bool board_knows_answer(const board *b, id128 id);
bool board_did(const board *b, uint32_t worker, uint32_t task);
uint32_t board_pair_task(const board *b, uint32_t left, uint32_t right); /* 0: none asks it */
bool board_done(const board *b, uint32_t task); /* it has all answers that were wanted */
uint32_t board_worker_named(const board *b, const char *name); /* 0: nobody */
/* The newest answers to a task that count, of different people who are not blocked; how many. */
size_t board_live_answers(const board_answer *out[MOST_COMPARED], const board *b,
                          const board_task *t);
/* "1", "0", "?" for pairs, or one entry per item for piles; anything else is refused. */
bool board_value_fits(const board *b, const board_task *t, const char *value);

/* A number for a new worker. `name` is what the person likes to be called; the result is unique and
 * freed by the caller. With `outside` (a platform's id) a worker known already is found instead:
 * *known is then set. */
uint32_t board_reserve_worker(board *b, char **unique, bool *known, const char *name,
                              const char *source, const char *outside);
/* Takes that back when the worker's record could not be kept. */
void board_forget_worker(board *b, const record *r);

/* ---- lending (board_lend.c) ----------------------------------------------------------------- */

/* Up to `want` tasks for a worker: those it holds already first, without the `n_have` it says it
 * has. Returns how many. */
size_t board_lend(board *b, uint32_t out[MOST_LEASES], uint32_t worker, size_t want,
                  const uint32_t *have, size_t n_have, int64_t now);
/* A task is to be given to this worker before others; nothing happens when either is none. */
void board_wish(board *b, uint32_t task, uint32_t worker);
/* One more answer is wanted for a task that has all. */
void board_ask_again(board *b, uint32_t task);
void board_give_back(board *b, uint32_t worker);
/* Another server has lent a task, or lent it again, for `left` milliseconds from now; 0 or less: it
 * came back. */
void board_hold(board *b, uint32_t worker, uint32_t task, int64_t left, int64_t now);
/* Takes back what was not answered in time. */
void board_expire(board *b, int64_t now);
/* How many answers the open tasks still want, without those lent. */
size_t board_wanted(board *b);
/* Workers heard of since `since`. */
size_t board_active(const board *b, int64_t since);
bool board_quota_reached(const board *b, const board_worker *w);
void board_drop_lease(board *b, uint32_t worker, uint32_t task);

#endif
