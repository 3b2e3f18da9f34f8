/* Labels; the first byte chooses whether items are there, and how they are called. */
#include "data/data.h"
#include "data/labels.h"
#include "fuzz/fuzz.h"
#include "support/npy.h"

static scdc_data *make_items(unsigned mode)
{
    static const uint8_t zeros[4];
    static const char *const ids[] = {"a", "b", "7"};
    scdc_data *items = NULL;
    size_t rows = 2 + mode % 2, number;
    if (mode < 2) return NULL;
    PROMISE(scdc_data_from_memory(&items, zeros, SCDC_U8, rows, 1, 0) == SCDC_OK);
    for (size_t i = 0; mode >= 4 && i < rows; i++) {
        PROMISE(names_add(&number, NULL, &items->names, ids[i], strlen(ids[i])) == SCDC_OK);
    }
    return items;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    unsigned mode = bytes[0] % 16;
    scdc_data *items = make_items(mode % 8);
    scdc_labels *labels = NULL, *matched = NULL;
    file_bytes file;
    file_from_memory(&file, bytes + 1, size - 1, "fuzz.bin");
    int status = labels_read(&labels, &file, mode >= 8 ? "x" : NULL, items);
    if (status == SCDC_OK) {
        PROMISE(labels && labels->count);
        PROMISE(!items || labels->count == items->rows);
        for (size_t i = 0; labels->texts.count && i < labels->count; i++) {
            PROMISE(scdc_labels_name(labels, labels->values[i]));
        }
        PROMISE(!labels->items.count || labels->items.count == labels->count);
        PROMISE(scdc_labels_match(&matched, labels, labels) == SCDC_OK);
        PROMISE(memcmp(matched->values, labels->values, labels->count * 8) == 0);
    } else {
        PROMISE(status == SCDC_ERR_INPUT && !labels && scdc_last_error()[0]);
    }
    scdc_labels_free(labels);
    scdc_labels_free(matched);
    scdc_data_free(items);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const seeds[] = {
        "\1item,label\n0,5\n1,6\n",
        "\2item,label\n1,5\n0,6\n",
        "\4file,label\na,cat\nb,dog\n",
        "\5name,cluster,x\n7,1,1\na,2,2\nb,1,3\n",
        "\1cat\ndog\ncat\n",
        "\3label\n1\n2\n3\n",
        "\12item;x;y\r\nq;1;2\r\nr;3;4\r\n",
        "\1a.pgm,\"c,at\"\nb.pgm,dog\n",
    };
    enum { TEXTS = sizeof seeds / sizeof *seeds };
    static const uint32_t shape[] = {3};
    static const int64_t values[] = {3, -1, 9};
    if (number < TEXTS) return fuzz_text(out, seeds[number]);
    out[0] = (uint8_t)number;
    switch (number - TEXTS) {
    case 0: return 1 + compose_npy(out + 1, "<i8", 0, "(3,)", values, 24);
    case 1: return 1 + compose_npy(out + 1, ">i4", 0, "(3, 1)", values, 12);
    case 2: return 1 + compose_idx(out + 1, 8, 1, shape, values, 3);
    case 3: return 1 + compose_idx(out + 1, 12, 1, shape, values, 12);
    default: return 0;
    }
}
