/* Annotation files of any bytes: an error or answers that hold together. The first byte chooses
 * what is known of the items; a byte 30 (record separator) begins a second file. */
#include "crowd/graph.h"
#include "crowd/read.h"
#include "data/data.h"
#include "fuzz/fuzz.h"
#include "support/npy.h"

#include <stdio.h>

enum { ITEMS = 50, SEPARATOR = 30 };

/* No items, numbered ones, named ones, ones with numbers for names. */
static scdc_data *make_items(unsigned kind)
{
    static const uint8_t zeros[ITEMS];
    scdc_data *items = NULL;
    if (kind == 0) return NULL;
    PROMISE(scdc_data_from_memory(&items, zeros, SCDC_U8, ITEMS, 1, 0) == SCDC_OK);
    for (int i = 0; kind > 1 && i < ITEMS; i++) {
        char text[16];
        size_t number;
        int length = snprintf(text, sizeof text, kind == 2 ? "i%d" : "1%d", i);
        PROMISE(names_add(&number, NULL, &items->names, text, (size_t)length) == SCDC_OK);
    }
    return items;
}

static void check_crowd(const scdc_crowd *crowd, const scdc_data *items)
{
    scdc_crowd_info info;
    crowd_graph graph;
    PROMISE(crowd && crowd->count > 0);
    for (size_t i = 0; i < crowd->count; i++) {
        const scdc_answer *a = crowd->answers + i;
        PROMISE(a->left != a->right && a->same <= 1);
        PROMISE(a->worker < crowd->workers.count);
        PROMISE(a->task == SCDC_NO_TASK || a->task < crowd->tasks);
        PROMISE(!items || (a->left < ITEMS && a->right < ITEMS));
    }
    PROMISE(scdc_crowd_get_info(&info, crowd) == SCDC_OK);
    PROMISE(info.min_per_worker >= 1 && info.pairs <= info.answers && info.components >= 1);
    PROMISE(crowd_graph_build(&graph, crowd->answers, crowd->count) == SCDC_OK);
    PROMISE(graph.nodes == info.items && graph.start[graph.nodes] == 2 * crowd->count);
    crowd_graph_free(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    scdc_data *items = make_items(bytes[0] % 4);
    const uint8_t *begin = bytes + 1, *end = bytes + size;
    const uint8_t *cut = memchr(begin, SEPARATOR, size - 1);
    const uint8_t *first_end = cut ? cut : end, *second = cut ? cut + 1 : end;
    file_bytes files[2];
    file_from_memory(files, begin, (size_t)(first_end - begin), "one");
    file_from_memory(files + 1, second, (size_t)(end - second), "two");
    scdc_crowd *crowd = NULL;
    int status = crowd_from_files(&crowd, files, cut ? 2 : 1, items);
    if (status == SCDC_OK) check_crowd(crowd, items);
    else PROMISE(status == SCDC_ERR_INPUT && !crowd && scdc_last_error()[0]);
    scdc_crowd_free(crowd);
    scdc_data_free(items);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const seeds[] = {
        "\4worker,left,right,label\nann,3,5,1\nbob,5,9,0\nann,9,3,unsure\n",
        "\1worker,task,item,group\na,t,3,x\na,t,5,y\nb,t,1,?\na,t,7,x\n",
        "\2user\ti\tj\tsame\tmore\nw\ti3\ti4\tyes\t\"q\"\"z\"\n",
        "\3worker,task,left,right,label\na,1,10,11,1\na,,12,13,0\n",
        "\4ann,3,5,same\nbob,5,9,different\n",
        "\4ann,3,5,1\r\nbob,5,9,0\r\n",
        "\4worker,left,right,label\na,cat,x,true\n\36worker,task,item,group\na,1,x,1\na,1,7,1\n",
    };
    enum { TEXTS = sizeof seeds / sizeof *seeds };
    static const int64_t wide[] = {3, 5, 40, 1, 5, 9, 7, 0};
    static const int32_t narrow[] = {3, 5, 40, 1};
    static const uint8_t bytes[] = {0, 1, 0, 3, 2, 0, 0, 0, 5, 1, 0, 1, 40, 1, 0, 1};
    if (number < TEXTS) return fuzz_text(out, seeds[number]);
    out[0] = (uint8_t)number;
    switch (number - TEXTS) {
    case 0: return 1 + compose_npy(out + 1, "<i8", 0, "(2, 4)", wide, sizeof wide);
    case 1: return 1 + compose_npy(out + 1, ">i4", 1, "(1, 4)", narrow, sizeof narrow);
    case 2: return 1 + compose_npy(out + 1, "|u1", 0, "(4, 4)", bytes, sizeof bytes);
    default: return 0;
    }
}
