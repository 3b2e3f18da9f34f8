/* Records for tests of stores, and a look at what a store holds. */
#ifndef SCDC_TESTS_SERVER_RECORDS_H
#define SCDC_TESTS_SERVER_RECORDS_H

#include "places.h"

#include "../../server/store.h"

static inline record worker(uint32_t number, const char *name)
{
    record r = {.kind = RECORD_WORKER, .time = 5};
    r.worker.number = number;
    r.worker.name = text_copy(name);
    r.worker.source = text_copy("link");
    r.worker.outside = text_copy("");
    return r;
}

static inline record task(uint32_t number)
{
    record r = {.kind = RECORD_TASK, .time = 6};
    r.task.number = number;
    r.task.items = text_copy("3 4");
    r.task.truth = text_copy("1");
    r.task.reason = text_copy("because");
    return r;
}

static inline record answer(uint64_t id, uint32_t task_number, uint32_t worker_number,
                            const char *value)
{
    record r = {.kind = RECORD_ANSWER, .time = 7};
    r.answer.id = (id128){0xfedcba9876543210u, id};
    r.answer.task = task_number;
    r.answer.worker = worker_number;
    r.answer.value = text_copy(value);
    r.answer.names = text_copy("[\"it's\"]");
    r.answer.took = 1234;
    return r;
}

static inline int write_all(store *s, record *list, size_t count)
{
    int status = store_write(s, list, count);
    for (size_t i = 0; i < count; i++) record_clear(&list[i]);
    return status;
}

typedef struct seen {
    size_t count[8];
    record last_answer;
    char value[16], names[32], items[16];
} seen;

static inline int note(const record *r, void *user)
{
    seen *s = user;
    s->count[r->kind]++;
    if (r->kind == RECORD_ANSWER) {
        s->last_answer = *r;
        snprintf(s->value, sizeof s->value, "%s", r->answer.value);
        snprintf(s->names, sizeof s->names, "%s", r->answer.names);
    }
    if (r->kind == RECORD_TASK) snprintf(s->items, sizeof s->items, "%s", r->task.items);
    return SCDC_OK;
}

#endif
