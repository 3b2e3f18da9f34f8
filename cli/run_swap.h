/* A new state of a RUN directory, made beside it and put in its place in one step: whoever looks,
 * at any time, finds the old one or the new one, complete. */
#ifndef SCDC_CLI_RUN_SWAP_H
#define SCDC_CLI_RUN_SWAP_H

#include <stdbool.h>

typedef struct run_swap {
    char *target;  /* the directory, links followed */
    char *made;    /* where the new one is being made, beside it */
    bool replaces; /* the target exists */
    int lock;      /* of the directory that is replaced, or -1 */
} run_swap;

/* `run` is the RUN that is read; `output` the one to make, or NULL for the same. Returns an exit
 * code. */
int run_swap_begin(run_swap *out, const char *run, const char *output);
/* Whatever of the old RUN was not made anew comes along, and the new one takes its place. Returns
 * an exit code. */
int run_swap_end(run_swap *s);
/* Removes what was made, unless it took its place. */
void run_swap_free(run_swap *s);

#endif
