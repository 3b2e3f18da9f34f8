/* Processes that work together. */
#include "base/ranks.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    scdc_ranks with; /* count 0: alone */
    size_t alone;    /* > 0: alone for a while, so often */
    bool to_first;   /* results of items are for process 0 */
    uint64_t sent;
} ranks;

int scdc_ranks_use(const scdc_ranks *with)
{
    scdc_ranks own = {.size = sizeof own};
    if (with) {
        SCDC_TRY(sized_take(&own, sizeof own, with, "its size"));
        if (!own.count || own.rank >= own.count || !own.gather || !own.exchange) {
            return fail_with(SCDC_ERR_ARGUMENT,
                             "scdc_ranks_use: process %zu of %zu, gather and exchange %s", own.rank,
                             own.count, own.gather && own.exchange ? "given" : "missing");
        }
    }
    ranks.with = own;
    ranks.alone = 0;
    ranks.to_first = false;
    return SCDC_OK;
}

void scdc_ranks_alone(int alone)
{
    if (alone) ranks.alone++;
    else if (ranks.alone) ranks.alone--;
}

void scdc_ranks_to_first(int to_first)
{
    ranks.to_first = to_first != 0;
}

bool ranks_to_first(void)
{
    return ranks.to_first && scdc_ranks_count() > 1;
}

size_t scdc_ranks_rank(void)
{
    return ranks.alone ? 0 : ranks.with.rank;
}

size_t scdc_ranks_count(void)
{
    return ranks.with.count && !ranks.alone ? ranks.with.count : 1;
}

bool ranks_in_use(void)
{
    return ranks.with.count > 0;
}

uint64_t scdc_ranks_sent(void)
{
    return ranks.sent;
}

size_t ranks_begin_of(size_t parts, size_t rank)
{
    size_t count = scdc_ranks_count();
    return parts / count * rank + parts % count * rank / count;
}

void ranks_own(size_t *begin, size_t *end, size_t parts)
{
    *begin = ranks_begin_of(parts, scdc_ranks_rank());
    *end = ranks_begin_of(parts, scdc_ranks_rank() + 1);
}

int ranks_gather(void *all, const size_t *bytes)
{
    if (scdc_ranks_count() == 1) return SCDC_OK;
    ranks.sent += bytes[ranks.with.rank] * (ranks.with.count - 1);
    return ranks.with.gather(all, bytes, ranks.with.user);
}

int ranks_exchange(void *from, const size_t *from_bytes, const void *to, const size_t *to_bytes)
{
    for (size_t r = 0; r < ranks.with.count; r++) {
        if (r != ranks.with.rank) ranks.sent += to_bytes[r];
    }
    return ranks.with.exchange(from, from_bytes, to, to_bytes, ranks.with.user);
}

/* Bytes that each process has of `count` entries in parts of `per_part`; to be freed. */
static int blocks_of_parts(size_t **out, size_t bytes, size_t count, size_t per_part)
{
    size_t n = scdc_ranks_count(), parts = (count + per_part - 1) / per_part, before = 0;
    SCDC_TRY(mem_zeroed(out, n, sizeof **out, "the parts of processes"));
    for (size_t r = 0; r < n; r++) {
        size_t end = ranks_begin_of(parts, r + 1) * per_part;
        if (end > count) end = count;
        (*out)[r] = (end - before) * bytes;
        before = end;
    }
    return SCDC_OK;
}

int ranks_share(void *values, size_t bytes, size_t count, size_t per_part)
{
    size_t *block;
    if (scdc_ranks_count() == 1) return SCDC_OK;
    SCDC_TRY(blocks_of_parts(&block, bytes, count, per_part));
    int status = ranks_gather(values, block);
    mem_free(block);
    return status;
}

int ranks_bring(void *values, size_t bytes, size_t count, size_t per_part)
{
    size_t n = scdc_ranks_count(), rank = scdc_ranks_rank(), *block, *to, before = 0;
    if (n == 1) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&to, 2 * n, sizeof *to, "the parts of processes"));
    int status = blocks_of_parts(&block, bytes, count, per_part);
    if (status == SCDC_OK) {
        for (size_t r = 0; r < rank; r++) before += block[r];
        if (rank) to[0] = block[rank]; /* what process 0 has is in its place */
        if (!rank) memcpy(to + n + 1, block + 1, (n - 1) * sizeof *to);
        unsigned char *own = (unsigned char *)values + before;
        status = ranks_exchange(rank ? own : own + block[0], to + n, own, to);
        mem_free(block);
    }
    mem_free(to);
    return status;
}

int ranks_tell(void *values, size_t bytes, size_t by)
{
    size_t n = scdc_ranks_count(), *block;
    SCDC_TRY(mem_zeroed(&block, n, sizeof *block, "the parts of processes"));
    block[by] = bytes;
    int status = ranks_gather(values, block);
    mem_free(block);
    return status;
}

int ranks_collect(void *all, const void *own, const size_t *bytes)
{
    size_t n = scdc_ranks_count(), *block;
    bool first = scdc_ranks_rank() == 0;
    if (n == 1) {
        if (bytes[0]) memcpy(all, own, bytes[0]);
        return SCDC_OK;
    }
    SCDC_TRY(mem_zeroed(&block, 2 * n, sizeof *block, "the parts of processes"));
    size_t *to = block, *from = block + n;
    to[0] = bytes[scdc_ranks_rank()];
    if (first) memcpy(from, bytes, n * sizeof *from);
    int status = ranks_exchange(all, from, own, to);
    mem_free(block);
    return status;
}

struct summing {
    parallel_term term;
    void *context;
    size_t n, piece_size;
    double *partial; /* of the pieces */
    size_t first;    /* piece */
};

static void sum_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const struct summing *s = context;
    (void)end;
    (void)piece;
    size_t from = (s->first + begin) * s->piece_size, left = s->n - from;
    s->partial[s->first + begin] =
        s->term(s->context, from, from + (left < s->piece_size ? left : s->piece_size));
}

int ranks_sum(double *out, size_t n, size_t piece_size, parallel_term term, void *context)
{
    struct summing s = {.term = term, .context = context, .n = n, .piece_size = piece_size};
    size_t pieces = parallel_pieces(n, piece_size), end;
    if (scdc_ranks_count() == 1) {
        *out = parallel_sum(n, piece_size, term, context);
        return SCDC_OK;
    }
    SCDC_TRY(mem_zeroed(&s.partial, pieces, sizeof *s.partial, "sums of pieces"));
    ranks_own(&s.first, &end, pieces);
    parallel_for(end - s.first, 1, sum_piece, &s);
    int status = ranks_share(s.partial, sizeof *s.partial, pieces, 1);
    *out = 0;
    for (size_t i = 0; i < pieces; i++) *out += s.partial[i];
    mem_free(s.partial);
    return status;
}

/* One block of `bytes` of every process, one after the other; to be freed. */
static int gather_equal(void *out /* address of a pointer */, const void *own, size_t bytes)
{
    size_t n = scdc_ranks_count(), *block;
    unsigned char *all;
    SCDC_TRY(mem_zeroed(&block, n, sizeof *block, "the parts of processes"));
    int status = mem_zeroed(&all, n, bytes, "the words of processes");
    if (status == SCDC_OK) {
        for (size_t r = 0; r < n; r++) block[r] = bytes;
        memcpy(all + scdc_ranks_rank() * bytes, own, bytes);
        status = ranks_gather(all, block);
        *(unsigned char **)out = all;
        if (status != SCDC_OK) mem_free(all);
    }
    mem_free(block);
    return status;
}

int scdc_ranks_agree(int *first, size_t *by, int own)
{
    int *all;
    size_t r = 0, n = scdc_ranks_count();
    SCDC_TRY(gather_equal(&all, &own, sizeof own));
    while (r + 1 < n && all[r] == 0) r++;
    *first = all[r];
    if (by) *by = r;
    mem_free(all);
    return SCDC_OK;
}

int ranks_settle(int status)
{
    char text[512] = "";
    size_t by;
    int first;
    if (scdc_ranks_count() == 1) return status;
    if (status != SCDC_OK) snprintf(text, sizeof text, "%s", scdc_last_error());
    SCDC_TRY(scdc_ranks_agree(&first, &by, status));
    if (first == SCDC_OK) return SCDC_OK;
    SCDC_TRY(ranks_tell(text, sizeof text, by));
    return by ? fail_with(first, "rank %zu: %s", by, text) : fail_with(first, "%s", text);
}

int ranks_add_counts(size_t *counts, size_t n)
{
    size_t *all;
    if (scdc_ranks_count() == 1) return SCDC_OK;
    SCDC_TRY(gather_equal(&all, counts, n * sizeof *counts));
    memset(counts, 0, n * sizeof *counts);
    for (size_t i = 0; i < scdc_ranks_count() * n; i++) counts[i % n] += all[i];
    mem_free(all);
    return SCDC_OK;
}

int ranks_any(bool *any, bool own)
{
    int first;
    *any = own;
    if (scdc_ranks_count() == 1) return SCDC_OK;
    SCDC_TRY(scdc_ranks_agree(&first, NULL, own));
    *any = first != 0;
    return SCDC_OK;
}

int scdc_ranks_same(const char *what, const char *text)
{
    enum { LENGTH = 200 };
    char own[LENGTH] = "", *all;
    size_t r = 1;
    if (scdc_ranks_count() == 1) return SCDC_OK;
    snprintf(own, sizeof own, "%s", text);
    SCDC_TRY(gather_equal(&all, own, sizeof own));
    while (r < scdc_ranks_count() && memcmp(all, all + r * LENGTH, LENGTH) == 0) r++;
    int status = SCDC_OK;
    if (r < scdc_ranks_count()) {
        status = fail_with(SCDC_ERR_ARGUMENT,
                           "%s: rank %zu has %s, rank 0 has %s; all processes need the same", what,
                           r, all + r * LENGTH, all);
    }
    mem_free(all);
    return status;
}
