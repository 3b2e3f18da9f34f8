/* The items a question may be about, as points: latent means of a model, or principal components of
 * the items themselves. Of many items a sample is looked at, annotated ones first. */
#include "asking/asking.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "data/data.h"

#include <math.h>
#include <string.h>

enum {
    MOST = 4096,         /* items looked at */
    MOST_HEARD = 3072,   /* of these with answers */
    COLD_DIRECTIONS = 16 /* principal components without a model */
};

int check_crowd(const scdc_data *data, const scdc_crowd *crowd)
{
    scdc_crowd_info answers;
    if (!crowd) return SCDC_OK;
    SCDC_TRY(scdc_crowd_get_info(&answers, crowd));
    if (answers.max_item <= data->rows) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT,
                     "there is an answer about item %zu, but there are %zu items",
                     answers.max_item - 1, data->rows);
}

/* Marks up to `most` of the items that `among` says (NULL: all) and that are not marked yet. */
static size_t mark(uint8_t *chosen, const uint8_t *among, const uint32_t *order, size_t n,
                   size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < n && count < most; i++) {
        uint32_t item = order[i];
        if (chosen[item] || (among && !among[item])) continue;
        chosen[item] = 1;
        count++;
    }
    return count;
}

static int choose_items(looked_at *l, size_t n, const scdc_crowd *crowd, uint64_t seed)
{
    arena scratch = {0};
    uint8_t *chosen = arena_new(&scratch, n, 1, "chosen items");
    uint8_t *heard = arena_new(&scratch, n, 1, "annotated items");
    uint32_t *order = arena_new(&scratch, n, sizeof *order, "an order of the items");
    l->item = arena_new(&l->memory, n < MOST ? n : MOST, sizeof *l->item, "items to ask about");
    int status = arena_status(&scratch);
    if (status == SCDC_OK) status = arena_status(&l->memory);
    if (status == SCDC_OK) {
        size_t answers = 0;
        const scdc_answer *a = crowd ? scdc_crowd_answers(crowd, &answers) : NULL;
        for (size_t i = 0; i < answers; i++) {
            if (a[i].left < n) heard[a[i].left] = 1;
            if (a[i].right < n) heard[a[i].right] = 1;
        }
        rng r;
        rng_init(&r, seed, RNG_ASKING, 0, 0);
        rng_permutation(&r, order, n);
        size_t first = mark(chosen, heard, order, n, MOST_HEARD);
        mark(chosen, NULL, order, n, MOST - first);
        for (size_t i = 0; i < n; i++) {
            if (chosen[i]) l->item[l->count++] = (uint32_t)i;
        }
    }
    arena_free(&scratch);
    return status;
}

size_t looked_at_find(const looked_at *l, uint32_t item)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->item[middle] < item) low = middle + 1;
        else high = middle;
    }
    return low < l->count && l->item[low] == item ? low : SIZE_MAX;
}

/* The rows that are looked at, in their stored type. */
static int copy_rows(scdc_data **out, const looked_at *l, const scdc_data *data)
{
    static const size_t sizes[] = {0, 1, 4, 8, 4, 8};
    size_t bytes = sizes[data->dtype], row = data->cols * bytes;
    char *values;
    SCDC_TRY(mem_zeroed(&values, l->count * data->cols, bytes, "rows of items"));
    for (size_t i = 0; i < l->count; i++) memcpy(values + i * row, data_row(data, l->item[i]), row);
    int status = scdc_data_from_memory(out, values, data->dtype, l->count, data->cols, 1);
    mem_free(values);
    if (status == SCDC_OK)
        status = scdc_data_set_shape(*out, data->channels, data->height, data->width);
    return status;
}

/* Latent means, and where the model puts the items by their values alone. */
static int by_model(looked_at *l, const scdc_model *model, const scdc_data *rows)
{
    scdc_model_info info;
    scdc_placement place;
    SCDC_TRY(scdc_model_get_info(&info, model));
    l->width = info.latent;
    l->clusters = info.clusters;
    scdc_placement_init(&place);
    place.rows = l->count;
    place.clusters = info.clusters;
    place.latent = info.latent;
    place.means = l->x = arena_new(&l->memory, l->count * l->width, sizeof *l->x, "latent means");
    place.proba = l->proba =
        arena_new(&l->memory, l->count * l->clusters, sizeof *l->proba, "probabilities");
    SCDC_TRY(arena_status(&l->memory));
    SCDC_TRY(scdc_place(&place, model, rows));
    for (size_t i = 0; i < l->count; i++) {
        const float *p = l->proba + i * l->clusters;
        for (size_t c = 1; c < l->clusters; c++) {
            if (p[c] > p[l->label[i]]) l->label[i] = (uint32_t)c;
        }
    }
    return SCDC_OK;
}

/* Columns of a table have units of their own; pixels have one. */
static int scale_columns(float *x, const scdc_data *rows)
{
    scdc_column *columns;
    SCDC_TRY(mem_zeroed(&columns, rows->cols, sizeof *columns, "columns"));
    int status = scdc_data_columns(columns, rows->cols, rows);
    for (size_t i = 0; i < rows->rows && status == SCDC_OK; i++) {
        float *row = x + i * rows->cols;
        for (size_t c = 0; c < rows->cols; c++) {
            double width = columns[c].width > 0 ? columns[c].width : INFINITY;
            double value = ((double)row[c] - columns[c].centre) / width;
            row[c] = (float)fmax(-5, fmin(5, value));
        }
    }
    mem_free(columns);
    return status;
}

static int by_items(looked_at *l, const scdc_data *rows)
{
    size_t d = rows->cols, width = d < COLD_DIRECTIONS ? d : COLD_DIRECTIONS;
    if (width > l->count) width = l->count;
    scdc_data *scaled = NULL, *projected = NULL;
    float *x;
    SCDC_TRY(mem_zeroed(&x, l->count * d, sizeof *x, "items"));
    int status = scdc_data_rows(x, rows, 0, l->count);
    if (status == SCDC_OK && rows->dtype != SCDC_U8) status = scale_columns(x, rows);
    if (status == SCDC_OK) status = scdc_data_from_memory(&scaled, x, SCDC_F32, l->count, d, 0);
    if (status == SCDC_OK) status = scdc_data_pca(&projected, scaled, width);
    l->width = width;
    l->x = arena_new(&l->memory, l->count * width, sizeof *l->x, "principal components");
    if (status == SCDC_OK) status = arena_status(&l->memory);
    if (status == SCDC_OK) status = scdc_data_rows(l->x, projected, 0, l->count);
    scdc_data_free(projected);
    scdc_data_free(scaled);
    mem_free(x);
    return status;
}

int look_at_items(looked_at *out, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd, uint64_t seed)
{
    scdc_data *rows = NULL;
    *out = (looked_at){0};
    int status = choose_items(out, data->rows, crowd, seed);
    out->clusters = 1;
    out->label = arena_new(&out->memory, out->count, sizeof *out->label, "clusters of items");
    if (status == SCDC_OK) status = arena_status(&out->memory);
    if (status == SCDC_OK) status = copy_rows(&rows, out, data);
    if (status == SCDC_OK) status = model ? by_model(out, model, rows) : by_items(out, rows);
    scdc_data_free(rows);
    if (status != SCDC_OK) looked_at_free(out);
    return status;
}
