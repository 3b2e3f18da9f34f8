/* The two functions of <scdc/ranks.h> by MPI. Errors of MPI itself are told and end all processes,
 * as is its custom. */
#include <scdc/mpi.h>

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes of one message: lengths of MPI are ints. */
enum { PIECE = 1 << 30 };

/* Seconds of looking again and again before a process sleeps a little in between: what a message
 * between machines takes. Whoever has slept comes first when there is something to do; whoever only
 * gives way comes last. */
#define SPIN 5e-5

/* Seconds that others have to come to the same end. */
#define GRACE 5.0

static struct {
    MPI_Comm end; /* of the last word: whoever failed alone says it while others wait elsewhere */
    int rank, count;
    int *counts, *places;
    MPI_Request *request;
    size_t requests;
} world;

/* Waits without keeping others from the core: processes may be more than cores, and one of them may
 * take long. MPI's own waiting spins. */
static void wait_all(size_t count, MPI_Request *request)
{
    double begun = MPI_Wtime();
    for (size_t looks = 1;; looks++) {
        int here;
        MPI_Testall((int)count, request, &here, MPI_STATUSES_IGNORE);
        if (here) return;
        if (looks % 8 == 0 && MPI_Wtime() - begun > SPIN)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static size_t piece_at(size_t bytes, size_t done)
{
    return bytes - done < PIECE ? bytes - done : PIECE;
}

static void gather_piece(void *bytes, size_t count, int from)
{
    MPI_Request request;
    MPI_Ibcast(bytes, (int)count, MPI_BYTE, from, MPI_COMM_WORLD, &request);
    wait_all(1, &request);
}

/* Blocks that are too long for one call: from one process after the other. */
static void gather_pieces(unsigned char *all, const size_t *bytes)
{
    for (int r = 0; r < world.count; all += bytes[r], r++) {
        for (size_t done = 0; done < bytes[r]; done += piece_at(bytes[r], done))
            gather_piece(all + done, piece_at(bytes[r], done), r);
    }
}

static int gather(void *all, const size_t *bytes, void *user)
{
    size_t total = 0;
    (void)user;
    for (int r = 0; r < world.count; r++) {
        if (total < INT_MAX && bytes[r] < INT_MAX) {
            world.counts[r] = (int)bytes[r];
            world.places[r] = (int)total;
        }
        total += bytes[r];
    }
    if (total < INT_MAX) {
        MPI_Request request;
        MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, world.counts, world.places, MPI_BYTE,
                        MPI_COMM_WORLD, &request);
        wait_all(1, &request);
    } else gather_pieces(all, bytes);
    return SCDC_OK;
}

static int reserve_requests(size_t need)
{
    if (need <= world.requests) return SCDC_OK;
    MPI_Request *grown = realloc(world.request, need * sizeof *grown);
    if (!grown) return SCDC_ERR_MEMORY;
    world.request = grown;
    world.requests = need;
    return SCDC_OK;
}

static int exchange(void *from, const size_t *from_bytes, const void *to, const size_t *to_bytes,
                    void *user)
{
    unsigned char *in = from;
    unsigned char *out;
    size_t used = 0, need = 0;
    (void)user;
    memcpy(&out, &to, sizeof out); /* MPI 2 wants what it sends without const */
    for (int r = 0; r < world.count; r++) need += from_bytes[r] / PIECE + to_bytes[r] / PIECE + 2;
    if (reserve_requests(need) != SCDC_OK) return SCDC_ERR_MEMORY;
    for (int r = 0; r < world.count; r++) {
        for (size_t done = 0; done < from_bytes[r]; done += piece_at(from_bytes[r], done))
            MPI_Irecv(in + done, (int)piece_at(from_bytes[r], done), MPI_BYTE, r, 0, MPI_COMM_WORLD,
                      &world.request[used++]);
        if (from_bytes[r]) in += from_bytes[r]; /* there may be nothing, nowhere */
    }
    for (int r = 0; r < world.count; r++) {
        for (size_t done = 0; done < to_bytes[r]; done += piece_at(to_bytes[r], done))
            MPI_Isend(out + done, (int)piece_at(to_bytes[r], done), MPI_BYTE, r, 0, MPI_COMM_WORLD,
                      &world.request[used++]);
        if (to_bytes[r]) out += to_bytes[r];
    }
    wait_all(used, world.request);
    return SCDC_OK;
}

int scdc_mpi_begin(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.count);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.end);
    world.counts = calloc((size_t)world.count, sizeof *world.counts);
    world.places = calloc((size_t)world.count, sizeof *world.places);
    if (!world.counts || !world.places) return SCDC_ERR_MEMORY;
    return scdc_ranks_use(&(scdc_ranks){.size = sizeof(scdc_ranks),
                                        .rank = (size_t)world.rank,
                                        .count = (size_t)world.count,
                                        .gather = gather,
                                        .exchange = exchange});
}

/* Until all are here; false: not within GRACE seconds. Sleeps, because it may last: process 0
 * writes files meanwhile. */
static int wait_for(MPI_Request *request, int patient)
{
    double begun = MPI_Wtime();
    int here = 0;
    while (!here) {
        MPI_Test(request, &here, MPI_STATUS_IGNORE);
        if (!here && !patient && MPI_Wtime() - begun > GRACE) return 0;
        if (!here) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return 1;
}

int scdc_mpi_end(int code, void (*tell)(size_t rank))
{
    int *codes = calloc((size_t)world.count, sizeof *codes), ends = 0, first = -1;
    MPI_Request request;
    if (!codes) MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
    MPI_Iallgather(&code, 1, MPI_INT, codes, 1, MPI_INT, world.end, &request);
    if (!wait_for(&request, code == 0)) {
        if (tell) tell((size_t)world.rank);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    for (int r = world.count; r-- > 0;) {
        if (!codes[r]) continue;
        first = r;
        ends = codes[r];
    }
    if (first == world.rank && tell) tell((size_t)world.rank);
    MPI_Barrier(world.end); /* a process that leaves with a code may end all others */
    free(codes);
    free(world.counts);
    free(world.places);
    free(world.request);
    MPI_Finalize();
    return ends;
}
