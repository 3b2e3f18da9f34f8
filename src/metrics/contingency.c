/* Codes for arbitrary label values, and the sparse contingency table by one counting sort. */
#include "metrics/contingency.h"

#include "base/memory.h"
#include "base/status.h"

/* ---- codes ---------------------------------------------------------------------------------- */

/* *slot: the code of the label + 1, 0 when it was not seen yet. */
static int code_item(label_codes *codes, size_t *capacity, size_t i, int64_t label, uint32_t *slot)
{
    if (!*slot) {
        SCDC_TRY(mem_reserve(&codes->value, capacity, codes->count + 1, sizeof *codes->value,
                             "label values"));
        codes->value[codes->count++] = label;
        *slot = (uint32_t)codes->count;
    }
    codes->code[i] = *slot - 1;
    return SCDC_OK;
}

/* Values within a narrow range: a table from value to code. */
static int code_by_range(label_codes *codes, const int64_t *labels, size_t n, int64_t smallest,
                         size_t range)
{
    uint32_t *table; /* code + 1, 0 for a value not seen yet */
    size_t capacity = 0;
    SCDC_TRY(mem_zeroed(&table, range, sizeof *table, "the table of label values"));
    int status = SCDC_OK;
    for (size_t i = 0; i < n; i++) {
        uint32_t *slot = table + ((uint64_t)labels[i] - (uint64_t)smallest);
        SCDC_TRY_OR(done, status, code_item(codes, &capacity, i, labels[i], slot));
    }
done:
    mem_free(table);
    return status;
}

/* The finaliser of SplitMix64: every bit of the label reaches every bit of the slot. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint32_t *find_slot(uint32_t *slots, size_t mask, const int64_t *value, int64_t label)
{
    size_t at = mix((uint64_t)label) & mask;
    while (slots[at] && value[slots[at] - 1] != label) at = (at + 1) & mask;
    return slots + at;
}

/* Any values: open addressing, at most half full. */
static int code_by_hash(label_codes *codes, const int64_t *labels, size_t n)
{
    size_t slots_size = 1024, capacity = 0;
    uint32_t *slots; /* code + 1, 0 for free */
    SCDC_TRY(mem_zeroed(&slots, slots_size, sizeof *slots, "the hash of label values"));
    int status = SCDC_OK;
    for (size_t i = 0; i < n; i++) {
        uint32_t *slot = find_slot(slots, slots_size - 1, codes->value, labels[i]);
        SCDC_TRY_OR(done, status, code_item(codes, &capacity, i, labels[i], slot));
        if (codes->count * 2 <= slots_size) continue;
        uint32_t *larger;
        SCDC_TRY_OR(done, status,
                    mem_zeroed(&larger, slots_size * 4, sizeof *larger, "the hash of labels"));
        mem_free(slots);
        slots = larger;
        slots_size *= 4;
        for (size_t c = 0; c < codes->count; c++) {
            *find_slot(slots, slots_size - 1, codes->value, codes->value[c]) = (uint32_t)c + 1;
        }
    }
done:
    mem_free(slots);
    return status;
}

int label_codes_build(label_codes *out, const int64_t *labels, size_t n)
{
    label_codes codes = {0};
    *out = codes;
    if (n == 0) return SCDC_OK;
    if (n >= UINT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu labels: at most %u are supported", n,
                         UINT32_MAX - 1);
    }
    int64_t smallest = labels[0], largest = labels[0];
    for (size_t i = 1; i < n; i++) {
        if (labels[i] < smallest) smallest = labels[i];
        if (labels[i] > largest) largest = labels[i];
    }
    SCDC_TRY(mem_zeroed(&codes.code, n, sizeof *codes.code, "label codes"));
    uint64_t span = (uint64_t)largest - (uint64_t)smallest;
    int status = span < 4 * (uint64_t)n + 1024
                     ? code_by_range(&codes, labels, n, smallest, (size_t)span + 1)
                     : code_by_hash(&codes, labels, n);
    if (status != SCDC_OK) {
        label_codes_free(&codes);
        return status;
    }
    *out = codes;
    return SCDC_OK;
}

void label_codes_free(label_codes *codes)
{
    mem_free(codes->code);
    mem_free(codes->value);
    *codes = (label_codes){0};
}

/* ---- table ---------------------------------------------------------------------------------- */

static int count_codes(uint32_t **out, const label_codes *codes, size_t n)
{
    SCDC_TRY(mem_zeroed(out, codes->count, sizeof **out, "label counts"));
    for (size_t i = 0; i < n; i++) (*out)[codes->code[i]]++;
    return SCDC_OK;
}

/* Column codes of the items, grouped by row, into t->col; row_start gets where the rows begin. */
static int sort_by_row(contingency *t, const label_codes *a, const label_codes *b)
{
    SCDC_TRY(mem_zeroed(&t->col, t->items, sizeof *t->col, "labels sorted by cluster"));
    size_t *next = t->row_start + 1; /* shifted by one: ends as the begin of the following row */
    for (size_t r = 1; r < t->rows; r++) next[r] = next[r - 1] + t->row_sum[r - 1];
    for (size_t i = 0; i < t->items; i++) t->col[next[a->code[i]]++] = b->code[i];
    return SCDC_OK;
}

/* Counts each row's columns in place: the row's cells overwrite its first items. */
static int count_cells(contingency *t)
{
    uint32_t *cell_of; /* last cell of a column, + 1; stale when it lies before the row at hand */
    SCDC_TRY(mem_zeroed(&cell_of, t->cols, sizeof *cell_of, "a row of the contingency table"));
    for (size_t r = 0, begin = 0; r < t->rows; r++) {
        size_t end = t->row_start[r + 1], first = t->cells;
        for (size_t i = begin; i < end; i++) {
            uint32_t col = t->col[i];
            if (cell_of[col] <= first) {
                t->col[t->cells++] = col;
                cell_of[col] = (uint32_t)t->cells;
            }
            t->count[cell_of[col] - 1]++;
        }
        begin = end;
        t->row_start[r + 1] = t->cells;
    }
    mem_free(cell_of);
    return SCDC_OK;
}

int contingency_build(contingency *out, const int64_t *a, const int64_t *b, size_t n)
{
    contingency t = {.items = n};
    label_codes rows = {0}, cols = {0};
    int status;
    *out = (contingency){0};
    SCDC_TRY_OR(done, status, label_codes_build(&rows, a, n));
    SCDC_TRY_OR(done, status, label_codes_build(&cols, b, n));
    t.rows = rows.count;
    t.cols = cols.count;
    SCDC_TRY_OR(done, status, count_codes(&t.row_sum, &rows, n));
    SCDC_TRY_OR(done, status, count_codes(&t.col_sum, &cols, n));
    SCDC_TRY_OR(done, status,
                mem_zeroed(&t.row_start, t.rows + 1, sizeof *t.row_start, "table rows"));
    SCDC_TRY_OR(done, status, sort_by_row(&t, &rows, &cols));
    SCDC_TRY_OR(done, status, mem_zeroed(&t.count, n, sizeof *t.count, "table counts"));
    SCDC_TRY_OR(done, status, count_cells(&t));
    t.row_value = rows.value;
    t.col_value = cols.value;
    rows.value = cols.value = NULL;
    *out = t;
    t = (contingency){0};
done:
    label_codes_free(&rows);
    label_codes_free(&cols);
    contingency_free(&t);
    return status;
}

void contingency_free(contingency *table)
{
    mem_free(table->row_start);
    mem_free(table->col);
    mem_free(table->count);
    mem_free(table->row_sum);
    mem_free(table->col_sum);
    mem_free(table->row_value);
    mem_free(table->col_value);
    *table = (contingency){0};
}
