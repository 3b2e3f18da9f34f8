/* Holds OpenBLAS at one thread while our own pieces run. */
#include "kernels/blas.h"

#include <pthread.h>

/* Weak, so that any CBLAS links. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, saved_threads;

void blas_serial_begin(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads) return;
    pthread_mutex_lock(&lock);
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
    if (--users == 0) openblas_set_num_threads(saved_threads);
    pthread_mutex_unlock(&lock);
}
