/* Holds OpenBLAS at one thread while our own pieces run, and leaves its number of threads as the
 * program had it. */
#include "kernels/blas.h"

#include "base/parallel.h"
#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Weak, so that any CBLAS links. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *block) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, saved_threads;
static _Thread_local int own_uses;

/* Only when it is still at our one thread: the program may have chosen another number since. */
static void restore_threads(void)
{
    if (openblas_get_num_threads() == 1) openblas_set_num_threads(saved_threads);
}

/* A forked child has no users but its one thread. */
static void forget_users(void)
{
    pthread_mutex_init(&lock, NULL);
    if (users && !own_uses) restore_threads();
    users = own_uses;
}

void blas_serial_begin(void)
{
    static bool watches_forks;
    if (!openblas_set_num_threads || !openblas_get_num_threads) return;
    pthread_mutex_lock(&lock);
    if (!watches_forks) watches_forks = pthread_atfork(NULL, NULL, forget_users) == 0;
    own_uses++;
    if (users++ == 0) {
        saved_threads = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void blas_serial_end(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads) return;
    pthread_mutex_lock(&lock);
    own_uses--;
    if (--users == 0) restore_threads();
    pthread_mutex_unlock(&lock);
}

/* ---- work space ----------------------------------------------------------------------------- */

/* What OpenBLAS maps for a thread (BUFFER_SIZE on machines with wide vectors), and how many threads
 * anybody runs; more of its own are not waited for, because it has a limit of spaces. */
#define SPACE_OF_THREAD ((size_t)128 << 20)
enum { MOST_THREADS = 256, MOST_OWN = 16 };

/* What every thread but the first must find beside its space: a stack (8 MB), an arena of malloc
 * (64 MB), and something for the work itself. Threads that take the last of a limited address space
 * would make fits fail that one thread can do. */
#define ROOM_BESIDE ((size_t)128 << 20)

/* How many spaces of `wanted` the system would give now, when there are `had` already. */
static int count_room(int wanted, int had)
{
    void *space[MOST_THREADS];
    size_t size[MOST_THREADS];
    int room = 0;
    for (; room < wanted; room++) {
        size[room] = SPACE_OF_THREAD + (had + room > 0 ? ROOM_BESIDE : 0);
        space[room] = mmap(NULL, size[room], PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (space[room] == MAP_FAILED) break;
        if (mprotect(space[room], SPACE_OF_THREAD, PROT_READ | PROT_WRITE) != 0) {
            munmap(space[room], size[room]);
            break;
        }
    }
    for (int i = 0; i < room; i++) munmap(space[i], size[i]);
    return room;
}

/* OpenBLAS keeps what it once had: asked for so many at once, it has so many from then on. */
static void take_room(int threads)
{
    void *space[MOST_THREADS];
    for (int i = 0; i < threads; i++) space[i] = blas_memory_alloc(0);
    for (int i = 0; i < threads; i++) blas_memory_free(space[i]);
}

/* Threads that OpenBLAS started when it was loaded: each takes a space for good, some time later.
 * That matters where address space is limited. */
static int count_own_threads(void)
{
    struct rlimit space;
    bool limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
    if (!openblas_get_num_threads || !limited) return 0;
    pthread_mutex_lock(&lock);
    int threads = users ? saved_threads : openblas_get_num_threads();
    pthread_mutex_unlock(&lock);
    return threads < 2 ? 0 : threads > MOST_OWN ? MOST_OWN : threads - 1;
}

int blas_reserve(void)
{
    static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;
    static int reserved, own = -1; /* own: what its threads may still take of what is reserved */
    int wanted = parallel_threads();
    if (!blas_memory_alloc || !blas_memory_free) return SCDC_OK;
    pthread_mutex_lock(&growing);
    if (own < 0) own = count_own_threads();
    wanted += own;
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    if (wanted > reserved) {
        int more = count_room(wanted - reserved, reserved);
        if (more > 0) {
            take_room(reserved + more);
            reserved += more;
        }
    }
    int have = reserved - own;
    wanted -= own;
    pthread_mutex_unlock(&growing);
    if (have <= 0) {
        return fail_with(SCDC_ERR_MEMORY,
                         "out of memory: matrix products need %zu MB of address space for each "
                         "thread: raise the limit (ulimit -v)",
                         SPACE_OF_THREAD >> 20);
    }
    if (have < wanted) parallel_set_threads(have);
    return SCDC_OK;
}
