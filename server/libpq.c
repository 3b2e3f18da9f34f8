/* Loading libpq, once for all threads. */
#include "libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

libpq pq;
static char problem[256];

static void find(void *library, void *function, const char *name)
{
    void *found = dlsym(library, name);
    if (!found && !*problem) snprintf(problem, sizeof problem, "it has no %s: too old", name);
    memcpy(function, &found, sizeof found); /* objects and functions are told apart by C alone */
}

static void load(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(problem, sizeof problem, "%s", why ? why : "it cannot be loaded");
        return;
    }
#define LIBPQ_FIND(name) find(library, &pq.name, "PQ" #name);
    LIBPQ_CALLS(LIBPQ_FIND)
#undef LIBPQ_FIND
}

int libpq_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!*problem) return SCDC_OK;
    return server_fail(SCDC_ERR_ARGUMENT,
                       "a database needs PostgreSQL's library libpq (Debian: libpq5): %s", problem);
}
