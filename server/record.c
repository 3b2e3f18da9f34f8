/* Freeing records. */
#include "record.h"

#include <stdlib.h>

void record_clear(record *r)
{
    switch (r->kind) {
    case RECORD_WORKER:
        free(r->worker.name);
        free(r->worker.source);
        free(r->worker.outside);
        break;
    case RECORD_TASK:
        free(r->task.items);
        free(r->task.truth);
        free(r->task.reason);
        break;
    case RECORD_ANSWER:
        free(r->answer.value);
        free(r->answer.names);
        break;
    case RECORD_TOKEN:
    case RECORD_STANDING: break;
    }
    *r = (record){0};
}
