/* Moves the write-ahead log into the database, in a thread and on a connection of its own: a commit
 * then costs one sync of the log, and nobody who answers waits for the rest. */
#ifndef SCDC_SERVER_CHECKPOINT_H
#define SCDC_SERVER_CHECKPOINT_H

#include "base.h"

typedef struct checkpointer checkpointer;

/* NULL when there is no thread or no connection for it. */
checkpointer *checkpointer_start(const char *path);
/* The log has grown to so many pages. */
void checkpointer_tell(checkpointer *c, int pages);
void checkpointer_stop(checkpointer *c);

#endif
