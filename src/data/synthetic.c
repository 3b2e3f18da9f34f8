/* Synthetic items: the pinwheel of Johnson et al. 2016 and Gaussian blobs. */
#include "data/synthetic.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/sized.h"
#include "base/status.h"
#include "data/data.h"
#include "data/labels.h"

#include <math.h>
#include <stdint.h>

static int check_spread(const char *name, double value)
{
    if (value >= 0 && isfinite(value)) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be a finite number of 0 or more, not %g", name,
                     value);
}

/* The first `items % clusters` clusters hold one item more. */
static size_t cluster_of(size_t index, size_t items, size_t clusters)
{
    size_t small = items / clusters, large = items % clusters;
    if (index < large * (small + 1)) return index / (small + 1);
    return large + (index - large * (small + 1)) / small;
}

/* One item of its cluster; `index` is its number before the shuffle. */
typedef void (*draw_item)(void *context, double *value, size_t index, size_t cluster);

/* items x dims float64 in random order and the cluster of each row (labels may be NULL). */
static int make_items(scdc_data **out, scdc_labels **labels, size_t items, size_t dims,
                      size_t clusters, rng *shuffle, draw_item draw, void *context)
{
    scdc_data *data = NULL;
    scdc_labels *truth = NULL;
    uint32_t *place = NULL;
    double *values;
    int status;
    SCDC_TRY_OR(done, status, data_new(&data, "memory", "memory", SCDC_F64, items, dims));
    SCDC_TRY_OR(done, status, data_own_values(&values, data));
    SCDC_TRY_OR(done, status, labels_new(&truth, items));
    SCDC_TRY_OR(done, status, mem_zeroed(&place, items, sizeof *place, "an order of the items"));
    rng_permutation(shuffle, place, items);
    for (size_t i = 0; i < items; i++) {
        size_t cluster = cluster_of(i, items, clusters);
        draw(context, values + (size_t)place[i] * dims, i, cluster);
        truth->values[place[i]] = (int64_t)cluster;
    }
    status = data_check_finite(data, "the options make an item that is no number");
    if (status == SCDC_ERR_INPUT) status = SCDC_ERR_ARGUMENT;
done:
    mem_free(place);
    if (status != SCDC_OK || !labels) scdc_labels_free(truth);
    if (status != SCDC_OK) {
        scdc_data_free(data);
        return status;
    }
    *out = data;
    if (labels) *labels = truth;
    return SCDC_OK;
}

static const scdc_pinwheel default_pinwheel = {.size = sizeof default_pinwheel,
                                               .arms = 5,
                                               .per_arm = 100,
                                               .radial = 0.3,
                                               .tangential = 0.05,
                                               .rate = 0.25,
                                               .seed = SCDC_DEFAULT_SEED};

void scdc_pinwheel_init_sized(scdc_pinwheel *options, size_t size)
{
    sized_init(options, size, &default_pinwheel, sizeof default_pinwheel);
}

void pinwheel_point(double out[2], double along, double across, double arm, double rate)
{
    double angle = arm + rate * exp(along), c = cos(angle), s = sin(angle);
    out[0] = 10 * (along * c + across * s);
    out[1] = 10 * (across * c - along * s);
}

static void draw_pinwheel(void *context, double *value, size_t index, size_t arm)
{
    const scdc_pinwheel *o = context;
    rng r;
    rng_init(&r, o->seed, RNG_PINWHEEL, 0, index);
    double along = 1 + o->radial * rng_normal(&r), across = o->tangential * rng_normal(&r);
    pinwheel_point(value, along, across, 2 * M_PI * (double)arm / (double)o->arms, o->rate);
}

int scdc_make_pinwheel(scdc_data **out, scdc_labels **labels, const scdc_pinwheel *options)
{
    if (!out || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_make_pinwheel: %s is NULL",
                         out ? "options" : "out");
    }
    scdc_pinwheel o = default_pinwheel;
    size_t items;
    SCDC_TRY(sized_take(&o, sizeof o, options, "scdc_pinwheel_init"));
    if (o.arms == 0 || o.per_arm == 0) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the pinwheel needs 1 arm and 1 item per arm or more, "
                         "not %zu and %zu",
                         o.arms, o.per_arm);
    }
    if (!size_mul(&items, o.arms, o.per_arm) || items >= UINT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu arms of %zu items are too many (at most %u items)",
                         o.arms, o.per_arm, UINT32_MAX - 1);
    }
    SCDC_TRY(check_spread("radial", o.radial));
    SCDC_TRY(check_spread("tangential", o.tangential));
    if (!isfinite(o.rate)) {
        return fail_with(SCDC_ERR_ARGUMENT, "rate must be a finite number, not %g", o.rate);
    }
    rng shuffle;
    rng_init(&shuffle, o.seed, RNG_PINWHEEL, 1, 0);
    return make_items(out, labels, items, 2, o.arms, &shuffle, draw_pinwheel, &o);
}

static const scdc_blobs default_blobs = {.size = sizeof default_blobs,
                                         .clusters = 5,
                                         .items = 500,
                                         .dims = 2,
                                         .spread = 1,
                                         .separation = 5,
                                         .seed = SCDC_DEFAULT_SEED};

void scdc_blobs_init_sized(scdc_blobs *options, size_t size)
{
    sized_init(options, size, &default_blobs, sizeof default_blobs);
}

/* The centre of a cluster is drawn again for each of its items: the stream says it all, and nothing
 * has to be kept. */
static void draw_blob(void *context, double *value, size_t index, size_t cluster)
{
    const scdc_blobs *o = context;
    rng centre, item;
    rng_init(&centre, o->seed, RNG_BLOBS, 0, cluster);
    rng_init(&item, o->seed, RNG_BLOBS, 1, index);
    for (size_t d = 0; d < o->dims; d++) {
        value[d] = o->separation * rng_normal(&centre) + o->spread * rng_normal(&item);
    }
}

int scdc_make_blobs(scdc_data **out, scdc_labels **labels, const scdc_blobs *options)
{
    if (!out || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_make_blobs: %s is NULL", out ? "options" : "out");
    }
    scdc_blobs o = default_blobs;
    size_t values;
    SCDC_TRY(sized_take(&o, sizeof o, options, "scdc_blobs_init"));
    if (o.clusters == 0 || o.dims == 0 || o.items < o.clusters) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "blobs need 1 cluster, 1 dimension and 1 item per "
                         "cluster or more, not %zu, %zu and %zu items",
                         o.clusters, o.dims, o.items);
    }
    if (o.items >= UINT32_MAX || !size_mul(&values, o.items, o.dims) ||
        !size_mul(&values, values, sizeof(double))) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%zu items of %zu values are too many (at most %u "
                         "items)",
                         o.items, o.dims, UINT32_MAX - 1);
    }
    SCDC_TRY(check_spread("spread", o.spread));
    SCDC_TRY(check_spread("separation", o.separation));
    rng shuffle;
    rng_init(&shuffle, o.seed, RNG_BLOBS, 2, 0);
    return make_items(out, labels, o.items, o.dims, o.clusters, &shuffle, draw_blob, &o);
}
