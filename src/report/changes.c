/* changes.csv: which items an update moved, and why. */
#include "base/memory.h"
#include "base/status.h"
#include "io/writer.h"

#include <inttypes.h>
#include <scdc/update.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TOLD = 3 }; /* answers named in a row */

typedef struct changes {
    const scdc_data *items;
    const int64_t *before, *labels;
    const double *probability;
    const scdc_crowd *more;
    size_t earlier, count;
    /* New answers about each item: places [start[i], start[i + 1]) of of_item. */
    size_t *start;
    uint32_t *of_item;
    arena memory;
} changes;

/* Answers about an item, in their order. */
static int list_answers(changes *c)
{
    size_t count = 0;
    const scdc_answer *a = c->more ? scdc_crowd_answers(c->more, &count) : NULL;
    c->start = arena_new(&c->memory, c->count + 2, sizeof *c->start, "answers");
    c->of_item = arena_new(&c->memory, 2 * count, sizeof *c->of_item, "answers");
    SCDC_TRY(arena_status(&c->memory));
    size_t *next = c->start + 1; /* one ahead while they are filled in */
    for (size_t i = 0; i < count; i++) {
        if (a[i].left >= c->count || a[i].right >= c->count)
            return fail_with(SCDC_ERR_ARGUMENT, "answer %zu is about an item beyond the last",
                             i + 1);
        next[a[i].left + 1]++;
        next[a[i].right + 1]++;
    }
    for (size_t i = 0; i < c->count; i++) next[i + 1] += next[i];
    for (size_t i = 0; i < count; i++) {
        c->of_item[next[a[i].left]++] = (uint32_t)i;
        c->of_item[next[a[i].right]++] = (uint32_t)i;
    }
    return SCDC_OK;
}

/* Does the answer draw the item where it went, or push it from where it was? */
static bool speaks(const changes *c, const scdc_answer *a, size_t item)
{
    size_t other = a->left == item ? a->right : a->left;
    if (a->same) return c->labels[other] == c->labels[item];
    bool was_there = other < c->earlier && c->before[other] == c->before[item];
    return (was_there || c->labels[other] == c->before[item]) &&
           c->labels[other] != c->labels[item];
}

static void write_item(writer *w, const changes *c, size_t item)
{
    const char *name = c->items ? scdc_data_name(c->items, item) : NULL;
    if (name) fputs(name, w->stream);
    else fprintf(w->stream, "%zu", item);
}

/* Whether half of the items of its old cluster went the same way. */
static bool moved_together(const changes *c, size_t item)
{
    size_t members = 0, same_way = 0;
    for (size_t i = 0; i < c->earlier; i++) {
        if (c->before[i] != c->before[item]) continue;
        members++;
        same_way += c->labels[i] == c->labels[item];
    }
    return 2 * same_way >= members;
}

static char *because(const changes *c, size_t item)
{
    char *text = NULL;
    size_t size = 0, told = 0;
    writer w = {.stream = open_memstream(&text, &size)};
    if (!w.stream) return NULL;
    const scdc_answer *answers = c->more ? scdc_crowd_answers(c->more, NULL) : NULL;
    for (size_t i = c->start[item]; i < c->start[item + 1]; i++) {
        const scdc_answer *a = answers + c->of_item[i];
        if (!speaks(c, a, item) || told++ >= TOLD) continue;
        if (told > 1) putc(' ', w.stream);
        fprintf(w.stream, "%s:", scdc_crowd_worker_name(c->more, a->worker));
        write_item(&w, c, a->left);
        putc('-', w.stream);
        write_item(&w, c, a->right);
        fputs(a->same ? ":same" : ":different", w.stream);
    }
    if (told > TOLD) fprintf(w.stream, " and %zu more", told - TOLD);
    if (!told) fputs(moved_together(c, item) ? "cluster" : "neighbours", w.stream);
    fclose(w.stream);
    return text;
}

static void write_row(writer *w, const changes *c, size_t item, const char *why)
{
    const char *name = c->items ? scdc_data_name(c->items, item) : NULL;
    if (name) writer_csv_field(w, name);
    else fprintf(w->stream, "%zu", item);
    fprintf(w->stream, ",%" PRId64 ",%" PRId64 ",%.6g,", c->before[item], c->labels[item],
            c->probability[item]);
    writer_csv_field(w, why);
    putc('\n', w->stream);
}

static int write_rows(size_t *changed, writer *w, const changes *c)
{
    *changed = 0;
    fputs("item,from,to,probability,because\n", w->stream);
    for (size_t i = 0; i < c->earlier && !writer_failed(w); i++) {
        if (c->before[i] == c->labels[i]) continue;
        char *why = because(c, i);
        if (!why) return fail_memory(0, "the reason of a change");
        write_row(w, c, i, why);
        free(why);
        ++*changed;
    }
    return SCDC_OK;
}

int scdc_write_changes(const char *path, size_t *changed, const scdc_data *items,
                       const int64_t *before, size_t earlier, const int64_t *labels,
                       const double *probability, size_t count, const scdc_crowd *more)
{
    if (!path || !before || !labels || !probability || earlier > count) {
        return fail_with(SCDC_ERR_ARGUMENT, "path, before, labels and probability must not be "
                                            "NULL, and before has no more items than labels");
    }
    changes c = {.items = items,
                 .before = before,
                 .labels = labels,
                 .probability = probability,
                 .more = more,
                 .earlier = earlier,
                 .count = count};
    size_t rows = 0;
    writer w = {0};
    int status = list_answers(&c);
    if (status == SCDC_OK) status = writer_open(&w, path);
    if (status == SCDC_OK) status = write_rows(&rows, &w, &c);
    if (status == SCDC_OK) status = writer_commit(&w);
    else writer_abandon(&w);
    if (status == SCDC_OK && changed) *changed = rows;
    arena_free(&c.memory);
    return status;
}
