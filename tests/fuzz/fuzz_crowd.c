/* Annotation files of any bytes: an error or answers that hold together, never a crash. The first
 * byte chooses what is known of the items, the second where a second file begins. */
#include "crowd/graph.h"
#include "crowd/read.h"
#include "data/data.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { ITEMS = 50 };

static scdc_data *make_items(const char *pattern)
{
    static const float values[ITEMS];
    scdc_data *items = NULL;
    if (scdc_data_from_memory(&items, values, SCDC_F32, ITEMS, 1, 0) != SCDC_OK) abort();
    for (int i = 0; pattern && i < ITEMS; i++) {
        char text[16];
        size_t number;
        int length = snprintf(text, sizeof text, pattern, i);
        if (names_add(&number, NULL, &items->names, text, (size_t)length) != SCDC_OK) abort();
    }
    return items;
}

/* No items, numbered ones, named ones, ones with numbers for names. */
static const scdc_data *items_of_kind(unsigned kind)
{
    static scdc_data *made[4];
    static const char *const pattern[] = {NULL, NULL, "i%d", "1%d"};
    kind %= 4;
    if (kind > 0 && !made[kind]) made[kind] = make_items(pattern[kind]);
    return made[kind];
}

static void check(bool holds)
{
    if (!holds) abort();
}

static void check_crowd(const scdc_crowd *crowd, const scdc_data *items)
{
    scdc_crowd_info info;
    crowd_graph graph;
    check(crowd->count > 0);
    for (size_t i = 0; i < crowd->count; i++) {
        const scdc_answer *a = crowd->answers + i;
        check(a->left != a->right && a->same <= 1);
        check(a->worker < crowd->workers.count);
        check(a->task == SCDC_NO_TASK || a->task < crowd->tasks);
        check(!items || (a->left < ITEMS && a->right < ITEMS));
    }
    check(scdc_crowd_get_info(&info, crowd) == SCDC_OK);
    check(info.min_per_worker >= 1 && info.pairs <= info.answers && info.components >= 1);
    check(crowd_graph_build(&graph, crowd->answers, crowd->count) == SCDC_OK);
    check(graph.nodes == info.items && graph.start[graph.nodes] == 2 * crowd->count);
    crowd_graph_free(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    const scdc_data *items = items_of_kind(bytes[0]);
    size_t rest = size - 2, first = bytes[1] ? rest * bytes[1] / 255 : rest;
    file_bytes files[2];
    file_from_memory(files, bytes + 2, first, "one");
    file_from_memory(files + 1, bytes + 2 + first, rest - first, "two");
    scdc_crowd *crowd = NULL;
    if (crowd_from_files(&crowd, files, bytes[1] ? 2 : 1, items) == SCDC_OK) {
        check_crowd(crowd, items);
        scdc_crowd_free(crowd);
    } else {
        check(!crowd && *scdc_last_error());
    }
    file_close(files);
    file_close(files + 1);
    return 0;
}
