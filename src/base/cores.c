/* Cores: Linux tells and is told; elsewhere they are only counted. */
#include "base/cores.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static int count_cores(void)
{
#ifdef __linux__
    /* Those the program's first thread may use: the caller may be one that keeps off some. */
    cpu_set_t set;
    if (sched_getaffinity(getpid(), sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

int cores_count(void)
{
    static atomic_int known;
    int count = atomic_load_explicit(&known, memory_order_relaxed);
    if (count == 0) atomic_store_explicit(&known, count = count_cores(), memory_order_relaxed);
    return count;
}

#ifdef __linux__
int cores_current(void)
{
    return sched_getcpu();
}

void cores_keep_off(pthread_t thread, int core)
{
    cpu_set_t set;
    if (core < 0 || core >= CPU_SETSIZE) return;
    if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) return;
    CPU_CLR(core, &set);
    if (CPU_COUNT(&set) > 0) pthread_setaffinity_np(thread, sizeof set, &set);
}
#else
int cores_current(void)
{
    return CORE_UNKNOWN;
}

void cores_keep_off(pthread_t thread, int core)
{
    (void)thread;
    (void)core;
}
#endif
