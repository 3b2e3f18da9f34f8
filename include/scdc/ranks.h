/* Several processes that work on one fit. The library knows no MPI: it asks for two functions,
 * which libscdc_mpi makes from MPI. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_RANKS_H
#define SCDC_RANKS_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `all` holds blocks of bytes[0], bytes[1], ... one after the other, one of each process; this one
 * has filled its own, and gets those of the others. */
typedef int (*scdc_gather_fn)(void *all, const size_t *bytes, void *user);
/* Gives to_bytes[i] of `to` to process i and gets from_bytes[i] of it, one after the other. */
typedef int (*scdc_exchange_fn)(void *from, const size_t *from_bytes, const void *to,
                                const size_t *to_bytes, void *user);

/* Processes 0 .. count - 1 make the same calls with the same arguments, in the same order; each of
 * them does a part of the work, and all have the same result, whatever their number is. Functions
 * return SCDC_OK, or a status after which no process can go on. */
typedef struct scdc_ranks {
    size_t size; /* sizeof(scdc_ranks) */
    size_t rank, count;
    scdc_gather_fn gather;
    scdc_exchange_fn exchange;
    void *user;
} scdc_ranks;

/* For the calls of this thread from now on; NULL: it works alone, as at first. What `ranks` points
 * to is copied. */
SCDC_API SCDC_MUST_CHECK int scdc_ranks_use(const scdc_ranks *ranks);
/* Calls between alone(1) and alone(0) are this process's own: the others need not make them. */
SCDC_API void scdc_ranks_alone(int alone);
/* Results of items (scdc_predict and the like) that are asked for between to_first(1) and
 * to_first(0) are whole in process 0 only; another process may get those of its own part alone, and
 * nothing is written to the rest of its arrays: memory that the system gives when it is touched is
 * not used. */
SCDC_API void scdc_ranks_to_first(int to_first);
/* Which process this is, and of how many: 0 of 1 when it works alone. */
SCDC_API size_t scdc_ranks_rank(void);
SCDC_API size_t scdc_ranks_count(void);
/* Called by all: what the first process brought that did not bring 0; 0 when all did. `by` (may be
 * NULL): which one. */
SCDC_API SCDC_MUST_CHECK int scdc_ranks_agree(int *first, size_t *by, int own);
/* Called by all: SCDC_ERR_ARGUMENT naming the process whose text (its first 200 bytes) is not that
 * of process 0; `what` it tells ("option batch"). */
SCDC_API SCDC_MUST_CHECK int scdc_ranks_same(const char *what, const char *text);
/* Bytes this process gave to others so far. */
SCDC_API uint64_t scdc_ranks_sent(void);

#ifdef __cplusplus
}
#endif

#endif
