/* A project's answers as csv. Reads the store beside a running server. */
#include "board.h"
#include "collect.h"
#include "csv.h"
#include "project.h"
#include "export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text that grows ------------------------------------------------------------------------ */

typedef struct sheet {
    FILE *stream;
    char *bytes;
    size_t size;
} sheet;

static void put_field(sheet *s, const char *text, char end)
{
    char *quoted = csv_quoted(text);
    fprintf(s->stream, "%s%c", quoted, end);
    free(quoted);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* A board is enough to write from; names of items come from the records of the project. */
static void put_pair(sheet *s, board *b, const board_answer *a, item_name_fn name, const void *user)
{
    static const char *const words[] = {"same", "different", "unsure"};
    const board_task *t = &b->tasks[a->task];
    const uint32_t *items = board_items(b, t);
    char value = *board_text(b, a->value);
    put_field(s, b->workers[a->worker].name, ',');
    put_field(s, name(items[0], user), ',');
    put_field(s, name(items[1], user), ',');
    fprintf(s->stream, "%s\n", words[value == '1' ? 0 : value == '0' ? 1 : 2]);
}

static void put_piles(sheet *s, board *b, const board_answer *a, item_name_fn name,
                      const void *user)
{
    const board_task *t = &b->tasks[a->task];
    const uint32_t *items = board_items(b, t);
    const char *value = board_text(b, a->value);
    for (uint32_t i = 0; i < t->count; i++) {
        size_t length = strcspn(value, " ");
        put_field(s, b->workers[a->worker].name, ',');
        fprintf(s->stream, "%lu,", (unsigned long)a->task);
        put_field(s, name(items[i], user), ',');
        fprintf(s->stream, "%.*s\n", *value == '?' ? 0 : (int)length, value);
        value += length + (value[length] == ' ');
    }
}

static bool counts_now(const board *b, const board_answer *a)
{
    return !a->replaced && b->workers[a->worker].standing != STANDING_BLOCKED;
}

char *export_csv(size_t *size, collect_counts *counts, board *b, item_name_fn name,
                 const void *user, size_t first, bool everybody)
{
    sheet s = {0};
    bool *counted = need_zeroed(b->n_workers, sizeof *counted);
    *counts = (collect_counts){.tasks = b->n_tasks - 1};
    s.stream = open_memstream(&s.bytes, &s.size);
    if (!s.stream) need_resize(NULL, SIZE_MAX, 1);
    fputs(b->rules.sets ? "worker,task,item,group\n" : "worker,left,right,label\n", s.stream);
    for (size_t i = first; i < b->n_answers; i++) {
        const board_answer *a = &b->answers[i];
        if (everybody ? a->replaced : !counts_now(b, a)) continue;
        counts->answers++;
        counts->workers += !counted[a->worker];
        counted[a->worker] = true;
        (b->rules.sets ? put_piles : put_pair)(&s, b, a, name, user);
    }
    fclose(s.stream);
    free(counted);
    *size = s.size;
    return s.bytes;
}

/* ---- from a store --------------------------------------------------------------------------- */

static int apply(const record *r, void *user)
{
    return board_apply(user, r);
}

/* Names as the project keeps them, a line for each item; without them items are numbers. */
typedef struct name_list {
    char *text;
    char **names;
    size_t count;
} name_list;

static const char *listed_name(size_t item, const void *user)
{
    static _Thread_local char number[24];
    const name_list *list = user;
    if (item < list->count) return list->names[item];
    snprintf(number, sizeof number, "%zu", item);
    return number;
}

static void read_names(name_list *list, store *s)
{
    list->text = store_get(s, "item_names");
    if (!list->text || !*list->text) return;
    size_t room = 0;
    for (char *at = list->text; *at;) {
        size_t length = strcspn(at, "\n");
        list->names = need_room(list->names, &room, list->count, sizeof *list->names);
        list->names[list->count++] = at;
        if (at[length]) at[length++] = '\0';
        at += length;
    }
}

/* Tells which of the first answers count. */
static uint64_t digest_of(const board *b, size_t count)
{
    uint64_t digest = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; i++) {
        if (counts_now(b, &b->answers[i])) digest = (digest ^ i) * 0xff51afd7ed558ccdu;
        digest ^= digest >> 29;
    }
    return digest;
}

static size_t first_to_write(export_mark *mark, const board *b)
{
    mark->whole =
        !mark->seen || mark->seen > b->n_answers || digest_of(b, mark->seen) != mark->digest;
    size_t first = mark->whole ? 0 : mark->seen;
    mark->seen = b->n_answers;
    mark->digest = digest_of(b, b->n_answers);
    return first;
}

static int export_open(collect_counts *counts, export_mark *mark, store *s, const char *output,
                       bool everybody)
{
    char *task = store_get(s, "task"), *items = store_get(s, "items");
    board_rules rules = {.sets = task && strcmp(task, "sets") == 0,
                         .items = items ? strtoul(items, NULL, 10) : 0,
                         .redundancy = 1};
    free(task);
    free(items);
    board *b = board_create(&rules);
    name_list names = {0};
    read_names(&names, s);
    int status = store_read(s, apply, b);
    if (status == SCDC_OK) {
        size_t size, first = mark ? first_to_write(mark, b) : 0;
        char *bytes = export_csv(&size, counts, b, listed_name, &names, first, everybody);
        status = scdc_write_file(output, bytes, size);
        if (status != SCDC_OK) status = server_fail_lib(status);
        free(bytes);
    }
    free(names.names);
    free(names.text);
    board_free(b);
    return status;
}

static int export_place(collect_counts *counts, export_mark *mark, const char *place,
                        const char *output, bool everybody)
{
    store *s = NULL;
    SERVER_TRY(store_open(&s, place, STORE_READ));
    int status = export_open(counts, mark, s, output, everybody);
    store_close(s);
    return status;
}

int collect_export(collect_counts *counts, const char *folder, const char *address,
                   const char *output, bool everybody)
{
    char *place = NULL;
    SERVER_TRY(project_place(&place, folder, address));
    int status = export_place(counts, NULL, place, output, everybody);
    free(place);
    return status;
}

int export_since(collect_counts *counts, export_mark *mark, const char *place, const char *output)
{
    return export_place(counts, mark, place, output, false);
}
