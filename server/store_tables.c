/* The list of tables. */
#include "store_tables.h"

#include <assert.h>
#include <stddef.h>

#define COLUMN(name, type, field)                                                                  \
    {                                                                                              \
        name, COLUMN_##type, offsetof(record, field)                                               \
    }
const table store_tables[STORE_KINDS] = {
    [RECORD_WORKER] = {.name = "worker",
                       .order = "number",
                       .twice = "",
                       .columns = {COLUMN("time", TIME, time),
                                   COLUMN("number", NUMBER, worker.number),
                                   COLUMN("name", TEXT, worker.name),
                                   COLUMN("source", TEXT, worker.source),
                                   COLUMN("outside", TEXT, worker.outside)}},
    [RECORD_TOKEN] = {.name = "token",
                      .order = "rowid",
                      .twice = "",
                      .columns = {COLUMN("time", TIME, time), COLUMN("hash", HASH, token.hash),
                                  COLUMN("role", NUMBER, token.role),
                                  COLUMN("worker", WORKER, token.worker)}},
    [RECORD_TASK] = {.name = "task",
                     .order = "number",
                     .twice = "",
                     .columns = {COLUMN("time", TIME, time), COLUMN("number", NUMBER, task.number),
                                 COLUMN("items", TEXT, task.items),
                                 COLUMN("truth", TEXT, task.truth),
                                 COLUMN("reason", TEXT, task.reason)}},
    [RECORD_ANSWER] = {.name = "answer",
                       .order = "sequence",
                       .twice = " ON CONFLICT (id) DO NOTHING",
                       .columns = {COLUMN("time", TIME, time), COLUMN("id", ID, answer.id),
                                   COLUMN("task", NUMBER, answer.task),
                                   COLUMN("worker", NUMBER, answer.worker),
                                   COLUMN("value", TEXT, answer.value),
                                   COLUMN("names", TEXT, answer.names),
                                   COLUMN("took", NUMBER, answer.took)}},
    [RECORD_STANDING] = {.name = "standing",
                         .order = "sequence",
                         .twice = "",
                         .columns = {COLUMN("time", TIME, time),
                                     COLUMN("worker", NUMBER, standing.worker),
                                     COLUMN("standing", NUMBER, standing.standing)}},
    [RECORD_WISH] = {.name = "wish",
                     .order = "sequence",
                     .twice = "",
                     .shared = true,
                     .columns = {COLUMN("time", TIME, time), COLUMN("task", NUMBER, wish.task),
                                 COLUMN("worker", WORKER, wish.worker),
                                 COLUMN("again", NUMBER, wish.again)}},
    [RECORD_LEASE] = {.name = "lease",
                      .order = "sequence",
                      .twice = " ON CONFLICT (worker, task) DO UPDATE SET"
                               " sequence = excluded.sequence, until = excluded.until",
                      .shared = true,
                      .columns = {COLUMN("task", NUMBER, lease.task),
                                  COLUMN("worker", NUMBER, lease.worker),
                                  COLUMN("until", LEFT, lease.left)}},
};
static_assert(sizeof(token_role) == sizeof(uint32_t) && sizeof(standing) == sizeof(uint32_t),
              "enums are kept as numbers");

void id128_to_bytes(unsigned char out[ID_SIZE], id128 id)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (unsigned char)(id.high >> (56 - 8 * i));
        out[8 + i] = (unsigned char)(id.low >> (56 - 8 * i));
    }
}

id128 id128_from_bytes(const unsigned char bytes[ID_SIZE])
{
    id128 id = {0, 0};
    for (int i = 0; i < 8; i++) {
        id.high = id.high << 8 | bytes[i];
        id.low = id.low << 8 | bytes[8 + i];
    }
    return id;
}
