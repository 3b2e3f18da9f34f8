/* Holds OpenBLAS at one thread while our own pieces run, and leaves its number of threads as the
 * program had it. */
#include "kernels/blas.h"

#include <pthread.h>
#include <stdbool.h>

/* Weak, so that any CBLAS links. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

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
