/* The processor cores this program may use, and on which of them its threads run. */
#ifndef SCDC_BASE_CORES_H
#define SCDC_BASE_CORES_H

#include <pthread.h>

int cores_count(void);

/* The calling thread's core; CORE_UNKNOWN where the system does not tell. */
enum { CORE_UNKNOWN = -1 };
int cores_current(void);

/* Keeps a thread off one core, on the others that the calling thread may use. Does nothing where
 * there are no others. */
void cores_keep_off(pthread_t thread, int core);

#endif
