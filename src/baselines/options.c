/* Options of the baselines: one table of keys for defaults, parsing, checking and help. */
#include "baselines/baseline.h"

#include "base/sized.h"
#include "base/status.h"
#include "io/csv.h"

#include <math.h>
#include <string.h>

typedef enum key_kind {
    KEY_COUNT,
    KEY_REAL,
    KEY_TOLERANCE,
    KEY_SEED,
    KEY_INT,
    KEY_COVARIANCE
} key_kind;

typedef struct option_key {
    const char *name;
    key_kind kind;
    size_t offset;
    double low, high, usual;
    const char *help;
} option_key;

#define KEY(field, kind, low, high, usual, help)                                                   \
    {                                                                                              \
#field, kind, offsetof(scdc_baseline_options, field), low, high, usual, help               \
    }
static const option_key keys[] = {
    KEY(k, KEY_COUNT, 0, 1e6, 0, "clusters; the most clusters for crowdclustering"),
    KEY(starts, KEY_COUNT, 0, 1e6, 0,
        "starts, of which the best is kept; 0 = the method's default"),
    KEY(max_iterations, KEY_COUNT, 0, 1e9, 0, "most iterations; 0 = the method's default"),
    KEY(tolerance, KEY_TOLERANCE, 0, 1, -1, "convergence threshold; auto = the method's default"),
    KEY(seed, KEY_SEED, 0, 0, SCDC_DEFAULT_SEED, "same seed, same result"),
    KEY(threads, KEY_INT, 0, 1024, 0, "threads; 0 = all cores"),
    KEY(covariance, KEY_COVARIANCE, 0, 0, SCDC_COVARIANCE_FULL, "gmm: full or diagonal"),
    KEY(ridge, KEY_REAL, 0, 1, 1e-6, "gmm: added to variances, relative to the mean variance"),
    KEY(slack, KEY_REAL, 1e-12, 1e12, 1, "itml: gamma, weight of the answers against the prior"),
    KEY(link_weight, KEY_REAL, 0, 1e12, 1, "mpckmeans, cspa: cost of a broken answer"),
    KEY(certain, KEY_REAL, 0, .5, .25,
        "semicrowd: least distance of a pair's mean answer from 1/2"),
    KEY(views, KEY_COUNT, 1, 1000, 1, "mcvc, deep-mcvc: most groups of workers"),
    KEY(view, KEY_COUNT, 0, 999, 0, "mcvc, deep-mcvc: which group's clustering; 0 = most workers"),
    KEY(latent, KEY_COUNT, 1, 8, 4, "crowdclustering: dimensions of an item's vector"),
    KEY(learning_rate, KEY_REAL, 1e-9, 1, 1e-2, "deep-mcvc: step of the optimiser"),
};
enum { KEYS = sizeof keys / sizeof *keys };

static void *place(scdc_baseline_options *options, const option_key *key)
{
    return (char *)options + key->offset;
}

static void store(scdc_baseline_options *options, const option_key *key, double value)
{
    void *at = place(options, key);
    switch (key->kind) {
    case KEY_COUNT: *(size_t *)at = (size_t)value; break;
    case KEY_REAL:
    case KEY_TOLERANCE: *(double *)at = value; break;
    case KEY_SEED: *(uint64_t *)at = (uint64_t)value; break;
    case KEY_INT: *(int *)at = (int)value; break;
    case KEY_COVARIANCE: *(scdc_covariance *)at = (scdc_covariance)value; break;
    }
}

static void set_defaults(scdc_baseline_options *options)
{
    memset(options, 0, sizeof *options);
    options->size = sizeof *options;
    for (size_t i = 0; i < KEYS; i++) store(options, &keys[i], keys[i].usual);
}

void scdc_baseline_options_init_sized(scdc_baseline_options *options, size_t size)
{
    scdc_baseline_options defaults;
    set_defaults(&defaults);
    sized_init(options, size, &defaults, sizeof defaults);
}

int baseline_take_options(scdc_baseline_options *out, const scdc_baseline_options *theirs)
{
    set_defaults(out);
    return sized_take(out, sizeof *out, theirs, "scdc_baseline_options_init");
}

const char *scdc_baseline_key(size_t index, const char **help)
{
    if (index >= KEYS) return NULL;
    if (help) *help = keys[index].help;
    return keys[index].name;
}

static int set_number(scdc_baseline_options *options, const option_key *key, const char *value)
{
    csv_field text = {value, strlen(value)};
    double number;
    if (key->kind == KEY_TOLERANCE && csv_equals(text, "auto")) {
        store(options, key, key->usual);
        return SCDC_OK;
    }
    if (!csv_parse_double(&number, text) || !(number >= key->low && number <= key->high)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be a number from %g to %g, not '%s'",
                         key->name, key->low, key->high, value);
    }
    if ((key->kind == KEY_COUNT || key->kind == KEY_INT) && number != floor(number)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be a whole number, not '%s'", key->name,
                         value);
    }
    store(options, key, number);
    return SCDC_OK;
}

static int set_seed(scdc_baseline_options *options, const option_key *key, const char *value)
{
    int64_t seed;
    if (!csv_parse_int64(&seed, (csv_field){value, strlen(value)}) || seed < 0) {
        return fail_with(SCDC_ERR_ARGUMENT, "seed must be a whole number of 0 or more, not '%s'",
                         value);
    }
    *(uint64_t *)place(options, key) = (uint64_t)seed;
    return SCDC_OK;
}

static int set_covariance(scdc_baseline_options *options, const option_key *key, const char *value)
{
    csv_field text = {value, strlen(value)};
    int full = csv_equals(text, "full");
    if (!full && !csv_equals(text, "diagonal")) {
        return fail_with(SCDC_ERR_ARGUMENT, "covariance must be full or diagonal, not '%s'", value);
    }
    store(options, key, full ? SCDC_COVARIANCE_FULL : SCDC_COVARIANCE_DIAGONAL);
    return SCDC_OK;
}

static int set(scdc_baseline_options *options, const char *name, const char *value)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0) continue;
        if (keys[i].kind == KEY_SEED) return set_seed(options, &keys[i], value);
        if (keys[i].kind == KEY_COVARIANCE) return set_covariance(options, &keys[i], value);
        return set_number(options, &keys[i], value);
    }
    return fail_with(SCDC_ERR_ARGUMENT, "no option of the baselines is called '%s'", name);
}

int scdc_baseline_set(scdc_baseline_options *options, const char *name, const char *value)
{
    scdc_baseline_options own, defaults;
    if (!options || !name || !value) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_baseline_set: options, key and value are needed");
    }
    set_defaults(&defaults);
    SCDC_TRY(baseline_take_options(&own, options));
    SCDC_TRY(set(&own, name, value));
    return sized_give(options, &own, &defaults, sizeof own, name);
}

int baseline_check_options(const scdc_baseline_options *options)
{
    for (size_t i = 0; i < KEYS; i++) {
        const char *at = (const char *)options + keys[i].offset;
        double value;
        switch (keys[i].kind) {
        case KEY_COUNT: value = (double)*(const size_t *)(const void *)at; break;
        case KEY_REAL: value = *(const double *)(const void *)at; break;
        case KEY_INT: value = *(const int *)(const void *)at; break;
        default: continue; /* any seed, any tolerance, two covariances */
        }
        if (value >= keys[i].low && value <= keys[i].high) continue;
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be from %g to %g, not %g", keys[i].name,
                         keys[i].low, keys[i].high, value);
    }
    return SCDC_OK;
}
