/* A child process that runs this program at low priority. Nobody ever waits for it. */
#ifndef SCDC_SERVER_CHILD_H
#define SCDC_SERVER_CHILD_H

#include "base.h"

#include <sys/types.h>

typedef struct child {
    pid_t pid; /* 0: none */
    int64_t until;
} child;

typedef enum child_state { CHILD_RUNS, CHILD_GOOD, CHILD_FAILED } child_state;

/* `words` end in NULL. What it prints goes to the file `log`, and its standard output to `output`
 * instead when that is not NULL. It is ended after `seconds`. False when it cannot be started. */
bool child_start(child *c, const char *program, const char *const *words, const char *output,
                 const char *log, int seconds);
/* Looks, without waiting, whether it has ended. */
child_state child_look(child *c);
/* Ends it at once; it leaves whole files or none. */
void child_end(child *c);

#endif
