/* The processor cores this program may use, and on which of them its threads run. */
#ifndef SCDC_BASE_CORES_H
#define SCDC_BASE_CORES_H

#include <pthread.h>
#include <stddef.h>

/* Those the calling thread may use. */
int cores_count(void);

/* The calling thread's core; CORE_UNKNOWN where the system does not tell. */
enum { CORE_UNKNOWN = -1 };
int cores_current(void);

/* Lets threads run where the calling thread may, but for `core` (CORE_UNKNOWN: no exception) unless
 * there is no other. */
void cores_assign(const pthread_t *threads, size_t count, int core);

#endif
