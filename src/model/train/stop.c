/* The two criteria for stopping. */
#include "model/train/stop.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <math.h>

typedef struct sample {
    const scdc_model *model;
    int64_t *cluster;
} sample;

static int note_clusters(void *context, const chunk *c)
{
    const sample *s = context;
    size_t K = s->model->core->spec.components;
    for (size_t row = 0; row < c->rows; row++) {
        s->cluster[c->first + row] = s->model->cluster_of[argmax(c->z + row * K, K)];
    }
    return SCDC_OK;
}

int sample_clusters(int64_t *cluster, size_t count, scdc_model *model, const scdc_data *data)
{
    sample s = {model, cluster};
    uint32_t *item;
    SCDC_TRY(mem_zeroed(&item, count, sizeof *item, "a sample"));
    for (size_t i = 0; i < count; i++) {
        item[i] = (uint32_t)((double)i * (double)data->rows / (double)count);
    }
    int status = walk_items(&(walk){.model = model,
                                    .data = data,
                                    .count = count,
                                    .items = item,
                                    .take = note_clusters,
                                    .context = &s,
                                    .result = {{cluster, sizeof *cluster}}});
    mem_free(item);
    return status;
}

/* Counts outside the largest of each row of `table`, whose rows are `across` and columns `along`
 * apart. */
static size_t outside_largest(const size_t *table, size_t width, size_t across, size_t along)
{
    size_t outside = 0;
    for (size_t a = 0; a < width; a++) {
        size_t most = 0;
        for (size_t b = 0; b < width; b++) {
            size_t count = table[a * across + b * along];
            outside += count;
            most = count > most ? count : most;
        }
        outside -= most;
    }
    return outside;
}

size_t count_moved(const int64_t *before, const int64_t *after, size_t n, size_t clusters,
                   size_t *table)
{
    size_t width = clusters + 1;
    for (size_t i = 0; i < n; i++) {
        table[(size_t)(before[i] + 1) * width + (size_t)(after[i] + 1)]++;
    }
    size_t left = outside_largest(table, width, width, 1);
    size_t joined = outside_largest(table, width, 1, width);
    return left > joined ? left : joined;
}

int share_moved(double *moved, scdc_model *model, const scdc_data *data)
{
    cluster_level *t = model->clusters;
    size_t n = t->sampled, K = model->core->spec.components;
    int64_t *now;
    size_t *table;
    arena memory = {0};
    int status;
    *moved = 1;
    now = arena_new(&memory, n, sizeof *now, "a sample");
    table = arena_new(&memory, (K + 1) * (K + 1), sizeof *table, "a sample");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, sample_clusters(now, n, model, data));
    if (t->sample[0] >= -1) {
        *moved = (double)count_moved(t->sample, now, n, K, table) / (double)n;
    }
    for (size_t i = 0; i < n; i++) t->sample[i] = now[i];
done:
    arena_free(&memory);
    return status;
}

/* Counts epochs without a better bound. */
static void watch_bound(scdc_model *model, double bound)
{
    double least =
        model->best_bound + model->core->spec.options.tolerance * fabs(model->best_bound);
    if (bound > least || !isfinite(model->best_bound)) {
        model->best_bound = bound;
        model->epochs_without_rise = 0;
    } else {
        model->epochs_without_rise++;
    }
}

size_t steady_after(size_t steady, double moved)
{
    if (moved <= STEADY_SHARE) return steady + 1;
    return steady > (size_t)SETBACK ? steady - (size_t)SETBACK : 0;
}

bool fit_is_done(scdc_model *model, const scdc_epoch *last)
{
    size_t patience = model->core->spec.options.patience;
    watch_bound(model, last->bound);
    if (model->clusters) model->steady_epochs = steady_after(model->steady_epochs, last->moved);
    return patience && (model->epochs_without_rise >= patience || model->steady_epochs >= patience);
}
