/* Reading pairs and piles with known answers. */
#include "checks.h"

#include "csv.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_CHECKS = 10000, MOST_EXAMPLES = 24 };

typedef struct known_pair {
    size_t left, right;
    bool same;
} known_pair;

static int word_value(bool *same, const char *word)
{
    static const char *const yes[] = {"1", "same", "yes", "true"};
    static const char *const no[] = {"0", "different", "no", "false"};
    for (int i = 0; i < 4; i++) {
        if (strcasecmp(word, yes[i]) == 0 || strcasecmp(word, no[i]) == 0) {
            *same = strcasecmp(word, yes[i]) == 0;
            return SCDC_OK;
        }
    }
    return server_fail(SCDC_ERR_INPUT, "'%s' is neither same nor different", word);
}

static int read_row(known_pair *out, const item_set *it, const csv_table *t, size_t row,
                    const int column[3])
{
    const char *left = csv_cell(t, row, column[0]), *right = csv_cell(t, row, column[1]);
    if (!items_find(&out->left, it, left))
        return server_fail(SCDC_ERR_INPUT, "there is no item '%s'", left);
    if (!items_find(&out->right, it, right))
        return server_fail(SCDC_ERR_INPUT, "there is no item '%s'", right);
    if (out->left == out->right)
        return server_fail(SCDC_ERR_INPUT, "item '%s' stands beside itself", left);
    return word_value(&out->same, csv_cell(t, row, column[2]));
}

static int read_pairs(known_pair **out, size_t *count, const item_set *it, const char *path,
                      size_t most)
{
    csv_table t = {0};
    SERVER_TRY(csv_open(&t, path));
    const int column[] = {csv_column(&t, "left"), csv_column(&t, "right"), csv_column(&t, "label")};
    int status = SCDC_OK;
    *count = csv_count(&t);
    if (column[0] < 0 || column[1] < 0 || column[2] < 0) {
        status = server_fail(SCDC_ERR_INPUT, "%s: needs the columns left, right and label", path);
    } else if (*count > most) {
        status =
            server_fail(SCDC_ERR_INPUT, "%s: %zu rows, at most %zu are taken", path, *count, most);
    }
    known_pair *pairs = need_zeroed(*count, sizeof *pairs);
    for (size_t i = 0; i < *count && status == SCDC_OK; i++) {
        status = read_row(&pairs[i], it, &t, i, column);
        if (status != SCDC_OK) {
            char *why = text_copy(server_error());
            status = server_fail(status, "%s: row %zu: %s", path, i + 2, why);
            free(why);
        }
    }
    csv_free(&t);
    if (status != SCDC_OK) {
        free(pairs);
        return status;
    }
    *out = pairs;
    return SCDC_OK;
}

/* New checks: on the board already, so that none is added twice, and soon in the store. */
typedef struct check_list {
    board *board;
    const item_set *items;
    record *tasks;
    size_t count, room;
} check_list;

static int add_check(check_list *l, char *items, char *truth)
{
    l->tasks = need_room(l->tasks, &l->room, l->count, sizeof *l->tasks);
    record *r = &l->tasks[l->count++];
    *r = (record){.kind = RECORD_TASK, .time = clock_wall()};
    r->task.number = (uint32_t)l->board->n_tasks;
    r->task.items = items;
    r->task.truth = truth;
    r->task.reason = text_copy("check");
    return board_apply(l->board, r);
}

static int add_pairs(check_list *l, const char *path)
{
    known_pair *pairs;
    size_t count;
    SERVER_TRY(read_pairs(&pairs, &count, l->items, path, MOST_CHECKS));
    int status = SCDC_OK;
    for (size_t i = 0; i < count && status == SCDC_OK; i++) {
        if (board_pair_task(l->board, (uint32_t)pairs[i].left, (uint32_t)pairs[i].right)) continue;
        status = add_check(l, text_format("%zu %zu", pairs[i].left, pairs[i].right),
                           text_copy(pairs[i].same ? "1" : "0"));
    }
    free(pairs);
    return status;
}

/* ---- piles ---------------------------------------------------------------------------------- */

typedef struct known_piles {
    const char *task, *groups[LARGEST_SET];
    uint32_t items[LARGEST_SET], count;
} known_piles;

static int place(known_piles *k, const item_set *it, const char *item, const char *group)
{
    size_t found;
    if (!items_find(&found, it, item))
        return server_fail(SCDC_ERR_INPUT, "there is no item '%s'", item);
    for (uint32_t i = 0; i < k->count; i++) {
        if (k->items[i] == found)
            return server_fail(SCDC_ERR_INPUT, "item '%s' is in task '%s' already", item, k->task);
    }
    if (k->count == LARGEST_SET)
        return server_fail(SCDC_ERR_INPUT, "task '%s' has more than %d items", k->task,
                           LARGEST_SET);
    k->items[k->count] = (uint32_t)found;
    k->groups[k->count++] = group;
    return SCDC_OK;
}

static bool piles_there(const board *b, const known_piles *k)
{
    for (size_t i = 0; i < b->n_checks; i++) {
        const board_task *t = &b->tasks[b->checks[i]];
        if (t->count == k->count &&
            memcmp(board_items(b, t), k->items, k->count * sizeof *k->items) == 0)
            return true;
    }
    return false;
}

static int add_task(check_list *l, const known_piles *k)
{
    if (k->count < 2) return server_fail(SCDC_ERR_INPUT, "task '%s' has one item only", k->task);
    if (piles_there(l->board, k)) return SCDC_OK;
    char *items = need_zeroed(k->count, 11), *truth = need_zeroed(k->count, 11);
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t pile = 0; /* named after its first item */
        while (strcmp(k->groups[pile], k->groups[i]) != 0) pile++;
        sprintf(items + strlen(items), "%s%lu", i ? " " : "", (unsigned long)k->items[i]);
        sprintf(truth + strlen(truth), "%s%lu", i ? " " : "", (unsigned long)pile);
    }
    return add_check(l, items, truth);
}

/* Rows of one task stand one after another. */
static int add_piles_of(check_list *l, const csv_table *t, const int column[3], size_t *row)
{
    known_piles k = {0};
    size_t count = csv_count(t);
    for (*row = 0; *row < count; (*row)++) {
        const char *task = csv_cell(t, *row, column[0]);
        if (k.task && strcmp(k.task, task) != 0) {
            SERVER_TRY(add_task(l, &k));
            k = (known_piles){0};
        }
        k.task = task;
        SERVER_TRY(place(&k, l->items, csv_cell(t, *row, column[1]), csv_cell(t, *row, column[2])));
    }
    return k.task ? add_task(l, &k) : SCDC_OK;
}

static int add_piles(check_list *l, const char *path)
{
    csv_table t = {0};
    SERVER_TRY(csv_open(&t, path));
    const int column[] = {csv_column(&t, "task"), csv_column(&t, "item"), csv_column(&t, "group")};
    size_t row = 0;
    int status;
    if (column[0] < 0 || column[1] < 0 || column[2] < 0) {
        status = server_fail(SCDC_ERR_INPUT, "%s: needs the columns task, item and group", path);
    } else if (csv_count(&t) > MOST_CHECKS) {
        status = server_fail(SCDC_ERR_INPUT, "%s: %zu rows, at most %d are taken", path,
                             csv_count(&t), MOST_CHECKS);
    } else {
        status = add_piles_of(l, &t, column, &row);
        if (status != SCDC_OK) {
            char *why = text_copy(server_error());
            status = server_fail(status, "%s: row %zu: %s", path, row + 2, why);
            free(why);
        }
    }
    csv_free(&t);
    return status;
}

static int apply(const record *r, void *user)
{
    return board_apply(user, r);
}

int checks_add(project *p, const char *path)
{
    check_list l = {.board = p->board, .items = p->items};
    SERVER_TRY(store_begin(p->store, apply, p->board));
    int status = (p->sets ? add_piles : add_pairs)(&l, path);
    if (status == SCDC_OK) status = store_commit(p->store, l.tasks, l.count);
    for (size_t i = 0; i < l.count; i++) record_clear(&l.tasks[i]);
    free(l.tasks);
    return status;
}

int examples_json(char **out, const item_set *it, const char *path)
{
    known_pair *pairs;
    size_t count;
    SERVER_TRY(read_pairs(&pairs, &count, it, path, MOST_EXAMPLES));
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:I,s:I,s:b}", "left", (json_int_t)pairs[i].left, "right",
                                        (json_int_t)pairs[i].right, "same", (int)pairs[i].same));
    free(pairs);
    *out = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return SCDC_OK;
}
