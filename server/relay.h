/* What the server that leads has found out, for the others that share its store: the small files of
 * its last round, and whether there is anything left to ask. */
#ifndef SCDC_SERVER_RELAY_H
#define SCDC_SERVER_RELAY_H

#include "store.h"

/* Of the server that leads: the files of `run`, the folder of round `number`. */
int relay_round(store *s, const char *run, size_t number, size_t answers);
int relay_exhausted(store *s, bool exhausted);

typedef struct relayed {
    size_t number, answers; /* of the last round; 0: none yet */
    bool exhausted;
} relayed;

void relay_look(relayed *out, store *s);
/* Puts the files of the last round into the folder `run`, which is made. */
int relay_take(store *s, const char *run);

#endif
