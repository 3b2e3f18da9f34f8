/* Tables of pairs: one row, one answer. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int crowd_read_worker(uint32_t *worker, crowd_reader *r, const answer_table *t)
{
    csv_field text = answer_table_field(t, ROLE_WORKER);
    size_t number;
    if (text.length == 0) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: the worker is missing", t->reader.name,
                         t->reader.line);
    }
    SCDC_TRY(names_add(&number, NULL, &r->crowd->workers, text.text, text.length));
    *worker = (uint32_t)number;
    return SCDC_OK;
}

int crowd_read_task(uint32_t *task, crowd_reader *r, uint32_t worker, csv_field text)
{
    char prefix[16];
    size_t number;
    *task = SCDC_NO_TASK;
    if (text.length == 0) return SCDC_OK;
    int length = snprintf(prefix, sizeof prefix, "%" PRIu32 " ", worker);
    size_t size = (size_t)length + text.length;
    SCDC_TRY(mem_reserve(&r->key, &r->key_capacity, size, 1, "the name of a task"));
    memcpy(r->key, prefix, (size_t)length);
    memcpy(r->key + length, text.text, text.length);
    SCDC_TRY(names_add(&number, NULL, &r->tasks, r->key, size));
    if (r->before + number >= SCDC_NO_TASK) {
        return fail_with(SCDC_ERR_INPUT, "more than %u tasks", SCDC_NO_TASK);
    }
    *task = (uint32_t)(r->before + number);
    return SCDC_OK;
}

static bool fields_equal(csv_field a, csv_field b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static int fail_label(const answer_table *t)
{
    csv_field label = answer_table_field(t, ROLE_LABEL);
    if (fields_equal(label, answer_table_field(t, ROLE_LEFT)) ||
        fields_equal(label, answer_table_field(t, ROLE_RIGHT))) {
        return fail_with(
            SCDC_ERR_INPUT,
            "%s: line %zu: the label \"%.*s\" is one of the two items: this looks like "
            "a ranking (which of two), but answers must say whether two items are of "
            "the same kind (1 or 0)",
            t->reader.name, t->reader.line, csv_shown(label), label.text);
    }
    return fail_with(SCDC_ERR_INPUT,
                     "%s: line %zu: the label \"%.*s\" is no answer: expected 1 or 0, same or "
                     "different, yes or no, true or false; nothing, unsure, ? or na for no answer",
                     t->reader.name, t->reader.line, csv_shown(label), label.text);
}

/* What is known to be right of the pair: the same words as a label. */
static int read_gold(crowd_reader *r, const answer_table *t, const scdc_answer *a)
{
    csv_field text = answer_table_field(t, ROLE_GOLD);
    label_word gold = label_of(text);
    if (gold == LABEL_UNSURE) return SCDC_OK;
    if (gold == LABEL_UNKNOWN) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: gold \"%.*s\" is no answer: expected 1 or 0, or nothing "
                         "where it is not known",
                         t->reader.name, t->reader.line, csv_shown(text), text.text);
    }
    return gold_note(&r->gold, a->left, a->right, gold == LABEL_SAME, t->reader.name,
                     t->reader.line);
}

static int read_row(crowd_reader *r, const answer_table *t)
{
    place at = {t->reader.name, "line", t->reader.line};
    label_word label = label_of(answer_table_field(t, ROLE_LABEL));
    scdc_answer a = {.same = label == LABEL_SAME};
    if (label == LABEL_UNKNOWN) return fail_label(t);
    if (label == LABEL_UNSURE) {
        r->crowd->unsure++;
        return SCDC_OK;
    }
    csv_field left = answer_table_field(t, ROLE_LEFT);
    SCDC_TRY(crowd_read_worker(&a.worker, r, t));
    SCDC_TRY(crowd_read_task(&a.task, r, a.worker, answer_table_field(t, ROLE_TASK)));
    SCDC_TRY(resolve_text(&a.left, &r->items, left, at));
    SCDC_TRY(resolve_text(&a.right, &r->items, answer_table_field(t, ROLE_RIGHT), at));
    if (a.left == a.right) {
        return fail_with(SCDC_ERR_INPUT, "%s: line %zu: item \"%.*s\" is compared with itself",
                         at.file, at.number, csv_shown(left), left.text);
    }
    SCDC_TRY(read_gold(r, t, &a));
    return crowd_append(r->crowd, a);
}

int crowd_read_pairs(crowd_reader *r, answer_table *table)
{
    for (size_t rows = 0;; rows++) {
        bool more;
        SCDC_TRY(answer_table_next(&more, table));
        if (!more && rows == 0) {
            return fail_with(SCDC_ERR_INPUT, "%s: holds a header but no answers",
                             table->reader.name);
        }
        if (!more) return SCDC_OK;
        SCDC_TRY(read_row(r, table));
    }
}
