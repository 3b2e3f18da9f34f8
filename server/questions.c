/* Reading question,kind,items,worker,gain,reason. */
#include "questions.h"

#include "csv.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_QUESTIONS = 20000 };

/* Names of items are written with %20 for a blank and %25 for a per cent sign. */
static void decode(char *name)
{
    char *to = name;
    for (const char *at = name; *at; at++) {
        bool blank = strncmp(at, "%20", 3) == 0, percent = strncmp(at, "%25", 3) == 0;
        *to++ = blank ? ' ' : *at;
        if (blank || percent) at += 2;
    }
    *to = '\0';
}

static bool read_items(question *out, const item_set *it, const char *text)
{
    char *copy = text_copy(text), *rest = NULL;
    bool good = true;
    for (char *name = strtok_r(copy, " ", &rest); name && good; name = strtok_r(NULL, " ", &rest)) {
        size_t item;
        decode(name);
        good = out->count < LARGEST_SET && items_find(&item, it, name);
        if (good) out->items[out->count++] = (uint32_t)item;
    }
    free(copy);
    return good && out->count >= 2;
}

/* Reasons are kept with the tasks; only those we know. */
static const char *reason_of(const char *word)
{
    static const char *const known[] = {"spread", "groups", "doubtful", "place", "again", "check"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i], word) == 0) return known[i];
    }
    return "suggested";
}

void questions_read(questions *q, const item_set *it, const char *path)
{
    csv_table t = {0};
    if (csv_open(&t, path) != SCDC_OK) return;
    int items = csv_column(&t, "items"), worker = csv_column(&t, "worker"),
        gain = csv_column(&t, "gain"), reason = csv_column(&t, "reason");
    size_t count = items < 0 || worker < 0 || gain < 0 || reason < 0 ? 0 : csv_count(&t);
    if (count > MOST_QUESTIONS) count = MOST_QUESTIONS;
    q->list = need_resize(q->list, q->count + count, sizeof *q->list);
    for (size_t i = 0; i < count; i++) {
        question one = {.gain = strtod(csv_cell(&t, i, gain), NULL),
                        .reason = reason_of(csv_cell(&t, i, reason))};
        if (!read_items(&one, it, csv_cell(&t, i, items))) continue;
        one.worker = text_copy(csv_cell(&t, i, worker));
        q->list[q->count++] = one;
    }
    csv_free(&t);
}

/* Where a question stands among those for the same worker. */
typedef struct placed_question {
    question one;
    size_t rank, place;
} placed_question;

static int by_rank(const void *a, const void *b)
{
    const placed_question *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

void questions_mix(questions *q)
{
    placed_question *list = need_resize(NULL, q->count, sizeof *list);
    for (size_t i = 0; i < q->count; i++) {
        bool follows = i > 0 && strcmp(q->list[i - 1].worker, q->list[i].worker) == 0;
        list[i] = (placed_question){q->list[i], follows ? list[i - 1].rank + 1 : 0, i};
    }
    qsort(list, q->count, sizeof *list, by_rank);
    for (size_t i = 0; i < q->count; i++) q->list[i] = list[i].one;
    free(list);
}

void questions_free(questions *q)
{
    for (size_t i = 0; i < q->count; i++) free(q->list[i].worker);
    free(q->list);
    *q = (questions){0};
}
