/* OpenBLAS starts its threads when it is loaded, each with 128 MB of address space. Where a limit
 * of address space (ulimit -v) leaves no room for them it ends the program, or waits for room
 * forever; and the program needs none of them, because threads are its own. So under a limit the
 * program begins anew with OPENBLAS_NUM_THREADS=1, before any library had its turn: main() would be
 * too late, and the environment cannot be changed yet. */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                  \
    !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED
#endif
#endif
#ifndef WATCHED

enum { MOST_WORDS = 4000 }; /* of the environment; with more it stays as it is */

static void begin_with_one_thread(int argc, char **argv, char **environment)
{
    static char setting[] = "OPENBLAS_NUM_THREADS=1";
    char *changed[MOST_WORDS + 2];
    struct rlimit space;
    size_t count = 0;
    (void)argc;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
    for (; environment[count]; count++) {
        if (count == MOST_WORDS || strncmp(environment[count], setting, sizeof setting - 2) == 0)
            return;
        changed[count] = environment[count];
    }
    changed[count++] = setting;
    changed[count] = NULL;
    execve("/proc/self/exe", argv, changed); /* returns where that cannot be done: we go on */
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_all)(int, char **,
                                                      char **) = begin_with_one_thread;
#endif
#endif
