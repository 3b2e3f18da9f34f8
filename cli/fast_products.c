/* OpenBLAS knows processors by their numbers. For one that is younger than itself it may take the
 * code of its oldest (0.3.21 on Emerald Rapids: products take 3.4 times as long). What it takes is
 * decided when it is loaded, so that the program has to begin anew, with OPENBLAS_CORETYPE saying
 * it. */
#include "commands.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__linux__)
static const char *better_kernel(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return "SkylakeX";
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : NULL;
}

void take_fast_products(char **argv)
{
    const char *(*name)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "openblas_get_corename"); /* not there: another BLAS */
    memcpy(&name, &found, sizeof name);
    const char *better = better_kernel();
    if (!name || !better || getenv("OPENBLAS_CORETYPE") || strcmp(name(), "Prescott") != 0) return;
    if (setenv("OPENBLAS_CORETYPE", better, 1) == 0) execv("/proc/self/exe", argv);
}
#else
void take_fast_products(char **argv)
{
    (void)argv;
}
#endif
