/* Reading pairs with known answers. */
#include "checks.h"

#include "csv.h"

#include <jansson.h>
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

int checks_add(store *s, board *b, const item_set *it, const char *path)
{
    known_pair *pairs;
    size_t count;
    if (b->rules.sets)
        return server_fail(SCDC_ERR_ARGUMENT,
                           "--checks is for pairs: piles have no one right answer");
    SERVER_TRY(read_pairs(&pairs, &count, it, path, MOST_CHECKS));
    int status = SCDC_OK;
    for (size_t i = 0; i < count && status == SCDC_OK; i++) {
        if (board_pair_used(b, (uint32_t)pairs[i].left, (uint32_t)pairs[i].right)) continue;
        record r = {.kind = RECORD_TASK, .time = clock_wall()};
        r.task.number = (uint32_t)b->n_tasks;
        r.task.items = text_format("%zu %zu", pairs[i].left, pairs[i].right);
        r.task.truth = text_copy(pairs[i].same ? "1" : "0");
        r.task.reason = text_copy("check");
        status = store_write(s, &r, 1);
        if (status == SCDC_OK) status = board_apply(b, &r);
        record_clear(&r);
    }
    free(pairs);
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
