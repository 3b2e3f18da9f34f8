/* Cores: Linux tells and is told; elsewhere they are only counted. */
#include "base/cores.h"

#include <sched.h>
#include <unistd.h>

static int count_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

int cores_count(void)
{
    static _Thread_local int known;
    if (known == 0) known = count_cores();
    return known;
}

#ifdef __linux__
int cores_current(void)
{
    return sched_getcpu();
}

void cores_assign(const pthread_t *threads, size_t count, int core)
{
    cpu_set_t set;
    if (pthread_getaffinity_np(pthread_self(), sizeof set, &set) != 0) return;
    if (core >= 0 && core < CPU_SETSIZE && CPU_COUNT(&set) > 1) CPU_CLR(core, &set);
    for (size_t i = 0; i < count; i++) pthread_setaffinity_np(threads[i], sizeof set, &set);
}
#else
int cores_current(void)
{
    return CORE_UNKNOWN;
}

void cores_assign(const pthread_t *threads, size_t count, int core)
{
    (void)threads, (void)count, (void)core;
}
#endif
