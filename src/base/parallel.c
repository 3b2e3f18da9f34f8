/* The fixed-piece parallel loop: the calling thread and helpers from a pool take pieces from one
 * counter. Helpers that come late are not waited for, and those that wait fall asleep after a
 * moment, so that a busy machine costs speed but no more than that.
 *
 * Helpers keep off the caller's core. A kernel may wake a thread on the core of the one that calls
 * it even when another core is idle (virtual machines do: an idle core of theirs looks taken), and
 * then both share a core for milliseconds. */
#include "base/parallel.h"
#include "base/cores.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Looks at a counter before going to sleep: on the machines it was measured on about as long as it
 * takes to wake somebody up (100 microseconds), and longer than most serial work between two loops
 * of a training step. */
enum { SPINS = 6000, MOST_HELPERS = 1023 };

typedef struct loop {
    parallel_body body;
    void *context;
    size_t n, piece_size, pieces;
    size_t team; /* most threads at work */
    atomic_size_t next;
} loop;

/* Whom helpers work for, and where. */
typedef struct post {
    pthread_t caller;
    int core;     /* the caller's */
    bool crowded; /* a team of more threads than cores has none to spare */
} post;

static struct pool {
    pthread_mutex_t taken; /* held by the one loop that has the helpers */
    pthread_mutex_t lock;  /* of what follows */
    pthread_cond_t called, idle;
    loop *open;    /* may be joined */
    size_t joined; /* threads of the open loop so far, its caller included */
    pthread_t helper[MOST_HELPERS];
    size_t helpers, asleep;
    post post;
    atomic_size_t running; /* helpers inside a loop; changed under the lock */
    atomic_uint calls;     /* loops so far; changed under the lock */
    bool dismissed;        /* helpers end */
} pool = {.taken = PTHREAD_MUTEX_INITIALIZER,
          .lock = PTHREAD_MUTEX_INITIALIZER,
          .called = PTHREAD_COND_INITIALIZER,
          .idle = PTHREAD_COND_INITIALIZER};

static _Thread_local int wanted_threads;
static _Thread_local size_t own_slot, own_team; /* own_team 0: outside of any loop */

void parallel_set_threads(int threads)
{
    wanted_threads = threads > 0 ? threads : 0;
}

int parallel_threads(void)
{
    return wanted_threads ? wanted_threads : cores_count();
}

size_t parallel_slots(void)
{
    return own_team ? own_team : (size_t)parallel_threads();
}

size_t parallel_slot(void)
{
    return own_slot;
}

size_t parallel_pieces(size_t n, size_t piece_size)
{
    return (n + piece_size - 1) / piece_size;
}

/* ---- the pieces of a loop ---- */

static void run_piece(const loop *l, size_t piece)
{
    size_t begin = piece * l->piece_size, end = begin + l->piece_size;
    l->body(l->context, begin, end < l->n ? end : l->n, piece);
}

static void take_pieces(loop *l, size_t slot)
{
    own_slot = slot;
    own_team = l->team;
    for (;;) {
        size_t piece = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
        if (piece >= l->pieces) break;
        run_piece(l, piece);
    }
    own_slot = own_team = 0;
}

/* ---- helpers ---- */

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits for a loop after call number `seen`; returns the number of the latest one. */
static unsigned await_call(unsigned seen)
{
    for (int spin = 0; spin < SPINS; spin++) {
        unsigned calls = atomic_load_explicit(&pool.calls, memory_order_relaxed);
        if (calls != seen) return calls;
        pause_a_little();
    }
    pthread_mutex_lock(&pool.lock);
    pool.asleep++;
    while (atomic_load(&pool.calls) == seen) pthread_cond_wait(&pool.called, &pool.lock);
    pool.asleep--;
    seen = atomic_load(&pool.calls);
    pthread_mutex_unlock(&pool.lock);
    return seen;
}

static void *help(void *first_call)
{
    for (unsigned seen = (unsigned)(size_t)first_call;;) {
        seen = await_call(seen);
        pthread_mutex_lock(&pool.lock);
        if (pool.dismissed) break;
        loop *l = pool.open;
        if (l && pool.joined < l->team) {
            size_t slot = pool.joined++;
            atomic_fetch_add(&pool.running, 1);
            pthread_mutex_unlock(&pool.lock);
            take_pieces(l, slot);
            pthread_mutex_lock(&pool.lock);
            if (atomic_fetch_sub(&pool.running, 1) == 1) pthread_cond_signal(&pool.idle);
        }
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

/* The library is unloaded, or the program ends: nobody may be left in code that goes away. A loop
 * that is still at work belongs to a program that ends in the middle of it; its helpers go down
 * with the process, and are not waited for. `taken` stays taken: whoever calls later (another
 * library's end) works alone. */
__attribute__((destructor)) static void dismiss_helpers(void)
{
    if (pthread_mutex_trylock(&pool.taken) != 0) return;
    pthread_mutex_lock(&pool.lock);
    size_t helpers = pool.helpers;
    pool.helpers = 0;
    pool.dismissed = true;
    atomic_fetch_add(&pool.calls, 1);
    pthread_cond_broadcast(&pool.called);
    pthread_mutex_unlock(&pool.lock);
    for (size_t i = 0; i < helpers; i++) pthread_join(pool.helper[i], NULL);
}

/* A forked child has none of its parent's helpers. */
static void forget_helpers(void)
{
    pthread_mutex_init(&pool.taken, NULL);
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.called, NULL);
    pthread_cond_init(&pool.idle, NULL);
    pool.open = NULL;
    pool.helpers = pool.asleep = 0;
    atomic_store(&pool.running, 0);
}

/* Helpers that cannot be had are done without. They take no signals: those are the program's. */
static void start_helpers(size_t wanted)
{
    static bool watches_forks;
    sigset_t all, before;
    if (wanted > MOST_HELPERS) wanted = MOST_HELPERS;
    if (pool.helpers >= wanted) return;
    if (!watches_forks) watches_forks = pthread_atfork(NULL, NULL, forget_helpers) == 0;
    if (!watches_forks) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *calls = (void *)(size_t)atomic_load(&pool.calls);
    for (; pool.helpers < wanted; pool.helpers++) {
        pthread_t *thread = &pool.helper[pool.helpers];
        if (pthread_create(thread, NULL, help, calls) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the loop ---- */

static void assign_helpers(size_t first)
{
    int core = pool.post.crowded ? CORE_UNKNOWN : pool.post.core;
    cores_assign(pool.helper + first, pool.helpers - first, core);
}

/* Helpers follow the caller: away from its core when it moves, to its cores when it is another. */
static void gather_helpers(const loop *l)
{
    post here = {pthread_self(), cores_current(), l->team > (size_t)cores_count()};
    const post *before = &pool.post;
    bool known = pool.helpers && pthread_equal(here.caller, before->caller);
    size_t first = pool.helpers;
    if (!known || here.core != before->core || here.crowded != before->crowded) first = 0;
    pool.post = here;
    start_helpers(l->team - 1);
    if (first < pool.helpers) assign_helpers(first);
}

static void open_loop(loop *l)
{
    pthread_mutex_lock(&pool.lock);
    gather_helpers(l);
    pool.open = l;
    pool.joined = 1;
    atomic_fetch_add(&pool.calls, 1);
    if (pool.asleep) pthread_cond_broadcast(&pool.called);
    pthread_mutex_unlock(&pool.lock);
}

/* Nobody joins any more; waits for those who did. */
static void close_loop(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.open = NULL;
    pthread_mutex_unlock(&pool.lock);
    for (int spin = 0; spin < SPINS && atomic_load(&pool.running); spin++) pause_a_little();
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&pool.running)) pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void parallel_for(size_t n, size_t piece_size, parallel_body body, void *context)
{
    loop l = {.body = body,
              .context = context,
              .n = n,
              .piece_size = piece_size,
              .pieces = parallel_pieces(n, piece_size),
              .team = (size_t)parallel_threads()};
    if (l.team > l.pieces) l.team = l.pieces;
    /* Nested loops, and those of a second thread of the program, run on the calling thread. */
    if (l.team < 2 || own_team || pthread_mutex_trylock(&pool.taken) != 0) {
        for (size_t piece = 0; piece < l.pieces; piece++) run_piece(&l, piece);
        return;
    }
    open_loop(&l);
    take_pieces(&l, 0);
    close_loop();
    pthread_mutex_unlock(&pool.taken);
}

/* ---- sums ---- */

enum { SUM_ROUND = 256 };
struct sum_context {
    parallel_term term;
    void *context;
    size_t offset;
    double partial[SUM_ROUND];
};

static void sum_piece(void *context, size_t begin, size_t end, size_t piece)
{
    struct sum_context *s = context;
    s->partial[piece] = s->term(s->context, s->offset + begin, s->offset + end);
}

double parallel_sum(size_t n, size_t piece_size, parallel_term term, void *context)
{
    /* Rounds of a fixed number of pieces keep the partial sums on the stack. */
    struct sum_context s = {.term = term, .context = context};
    double sum = 0;
    size_t round = piece_size * SUM_ROUND;
    for (s.offset = 0; s.offset < n; s.offset += round) {
        size_t count = n - s.offset < round ? n - s.offset : round;
        parallel_for(count, piece_size, sum_piece, &s);
        size_t pieces = parallel_pieces(count, piece_size);
        for (size_t piece = 0; piece < pieces; piece++) sum += s.partial[piece];
    }
    return sum;
}
