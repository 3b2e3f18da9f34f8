/* Threads in place of processes: each calls a function as one of `count` (<scdc/ranks.h>). */
#ifndef SCDC_TESTS_PROCESSES_H
#define SCDC_TESTS_PROCESSES_H

#include "support/check.h"

#include <pthread.h>
#include <scdc/ranks.h>

enum { MOST_PROCESSES = 16 };

typedef struct processes {
    size_t count;
    void (*body)(size_t rank, void *context);
    void *context;
    pthread_barrier_t barrier;
    const unsigned char *shown[MOST_PROCESSES];
    const size_t *sizes[MOST_PROCESSES];
} processes;

typedef struct process {
    processes *all;
    size_t rank;
} process;

static int gather_by_threads(void *block, const size_t *bytes, void *user)
{
    const process *p = user;
    unsigned char *to = block;
    p->all->shown[p->rank] = block;
    pthread_barrier_wait(&p->all->barrier);
    for (size_t r = 0, at = 0; r < p->all->count; at += bytes[r++]) {
        if (r != p->rank) memcpy(to + at, p->all->shown[r] + at, bytes[r]);
    }
    pthread_barrier_wait(&p->all->barrier);
    return SCDC_OK;
}

static int exchange_by_threads(void *from, const size_t *from_bytes, const void *to,
                               const size_t *to_bytes, void *user)
{
    const process *p = user;
    unsigned char *in = from;
    p->all->shown[p->rank] = to;
    p->all->sizes[p->rank] = to_bytes;
    pthread_barrier_wait(&p->all->barrier);
    for (size_t r = 0; r < p->all->count; r++) {
        if (!from_bytes[r]) continue; /* there may be nothing, nowhere */
        const unsigned char *theirs = p->all->shown[r];
        for (size_t i = 0; i < p->rank; i++) theirs += p->all->sizes[r][i];
        memcpy(in, theirs, from_bytes[r]);
        in += from_bytes[r];
    }
    pthread_barrier_wait(&p->all->barrier);
    return SCDC_OK;
}

static void *run_process(void *user)
{
    process *p = user;
    scdc_ranks ranks = {.size = sizeof ranks,
                        .rank = p->rank,
                        .count = p->all->count,
                        .gather = gather_by_threads,
                        .exchange = exchange_by_threads,
                        .user = p};
    if (scdc_ranks_use(&ranks) == SCDC_OK) p->all->body(p->rank, p->all->context);
    return NULL;
}

/* body(rank, context) for each of them at the same time. Bodies must not use cmocka's asserts. */
static inline void run_processes(size_t count, void (*body)(size_t rank, void *context),
                                 void *context)
{
    processes all = {.count = count, .body = body, .context = context};
    process one[MOST_PROCESSES];
    pthread_t thread[MOST_PROCESSES];
    assert_int_equal(pthread_barrier_init(&all.barrier, NULL, (unsigned)count), 0);
    for (size_t r = 0; r < count; r++) {
        one[r] = (process){&all, r};
        assert_int_equal(pthread_create(&thread[r], NULL, run_process, &one[r]), 0);
    }
    for (size_t r = 0; r < count; r++) pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&all.barrier);
}

#endif
