/* People at their pages, made up: each has a connection to each server, asks for tasks, answers now
 * and then, and sends again what was not acknowledged. One thread, for loopback only. */
#ifndef SCDC_BENCH_COLLECT_LOAD_H
#define SCDC_BENCH_COLLECT_LOAD_H

#include "../server/idmap.h"
#include "../server/secret.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct load load;

enum { MOST_SERVERS = 8 };

typedef struct load_setup {
    unsigned ports[MOST_SERVERS]; /* asked in turn, as a proxy would: every request another one */
    size_t servers;
    const char (*tokens)[TOKEN_LENGTH + 1]; /* one per worker */
    size_t workers;
    size_t idle;     /* further connections that only stay open */
    double interval; /* seconds between two answers of a worker */
} load_setup;

typedef struct load_figures {
    size_t acknowledged, repeated, refused, lost_connections, told_to_wait;
    size_t held;               /* idle connections that still answer at the end */
    double median, p99, worst; /* seconds from sending an answer to its acknowledgement */
    double seconds;
} load_figures;

load *load_start(const load_setup *setup);
/* Goes on for so many seconds. */
void load_run(load *l, double seconds);
/* Ids of the acknowledged answers. */
const id128 *load_acknowledged(const load *l, size_t *count);
void load_measure(load *l, load_figures *out);
void load_stop(load *l);

#endif
