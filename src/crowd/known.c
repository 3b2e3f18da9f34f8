/* What is known of workers before they answer: counts of answers that an earlier run saw. */
#include "base/memory.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "crowd/gold.h"
#include "io/csv.h"

#include <math.h>
#include <scdc/update.h>
#include <string.h>

#define NORMAL_95 3.92 /* width of a 95 % interval in standard deviations */
#define MOST_COUNTS 1e6

/* Counts beside a flat prior from the mean and the interval of a Beta distribution. */
static void counts_of(double out[2], double mean, double low, double high)
{
    double deviation = (high - low) / NORMAL_95;
    double n = mean * (1 - mean) / (deviation * deviation) - 1;
    if (!(n < MOST_COUNTS)) n = MOST_COUNTS;
    out[0] = fmax(n * mean - 1, 0);
    out[1] = fmax(n * (1 - mean) - 1, 0);
}

enum {
    NAME,
    SENSITIVITY,
    SENSITIVITY_LOW,
    SENSITIVITY_HIGH,
    SPECIFICITY,
    SPECIFICITY_LOW,
    SPECIFICITY_HIGH,
    COLUMNS
};
static const char *const headings[COLUMNS] = {"worker",           "sensitivity", "sensitivity_low",
                                              "sensitivity_high", "specificity", "specificity_low",
                                              "specificity_high"};

static int find_columns(size_t at[COLUMNS], const csv_reader *r)
{
    for (size_t h = 0; h < COLUMNS; h++) {
        at[h] = SIZE_MAX;
        for (size_t c = 0; c < r->n_fields; c++)
            if (csv_equals(r->fields[c], headings[h])) at[h] = c;
        if (at[h] == SIZE_MAX) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: line %zu: there is no column %s: expected the workers.csv of a "
                             "run",
                             r->name, r->line, headings[h]);
        }
    }
    return SCDC_OK;
}

static int read_rate(double out[2], const csv_reader *r, const size_t *at)
{
    double v[3];
    for (size_t i = 0; i < 3; i++) {
        csv_field f = r->fields[at[i]];
        if (!csv_parse_double(&v[i], f) || !(v[i] >= 0 && v[i] <= 1)) {
            return fail_with(SCDC_ERR_INPUT, "%s: line %zu: \"%.*s\" is no rate between 0 and 1",
                             r->name, r->line, csv_shown(f), f.text);
        }
    }
    if (!(v[0] > 0 && v[0] < 1 && v[1] < v[2])) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: a rate of %g with the interval %g to %g is none", r->name,
                         r->line, v[0], v[1], v[2]);
    }
    counts_of(out, v[0], v[1], v[2]);
    return SCDC_OK;
}

static int read_row(size_t *found, scdc_crowd *crowd, const csv_reader *r, const size_t *at)
{
    csv_field name = r->fields[at[NAME]];
    two_coin_counts known;
    size_t worker;
    SCDC_TRY(read_rate(known.alpha, r, at + SENSITIVITY));
    SCDC_TRY(read_rate(known.beta, r, at + SPECIFICITY));
    if (!names_find(&worker, &crowd->workers, name.text, name.length)) return SCDC_OK;
    crowd->known[worker] = known;
    ++*found;
    return SCDC_OK;
}

int crowd_know(scdc_crowd *crowd)
{
    size_t gold;
    if (crowd->known) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&crowd->known, crowd->workers.count, sizeof *crowd->known, "workers"));
    crowd->known_count = crowd->workers.count;
    if (names_find(&gold, &crowd->workers, GOLD_WORKER, strlen(GOLD_WORKER)))
        crowd->known[gold] = (two_coin_counts){{GOLD_COUNT, 0}, {GOLD_COUNT, 0}};
    return SCDC_OK;
}

int scdc_crowd_know_workers(scdc_crowd *crowd, size_t *known, const char *path)
{
    file_bytes file;
    csv_reader r = {0};
    size_t at[COLUMNS], found = 0;
    bool more;
    if (!crowd || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "answers: crowd and path must not be NULL");
    }
    SCDC_TRY(crowd_know(crowd));
    SCDC_TRY(file_open(&file, path));
    int status = csv_open(&r, &file);
    if (status == SCDC_OK) status = csv_next(&more, &r);
    if (status == SCDC_OK && !more) status = fail_with(SCDC_ERR_INPUT, "%s: is empty", path);
    if (status == SCDC_OK) status = find_columns(at, &r);
    size_t fields = r.n_fields;
    while (status == SCDC_OK) {
        status = csv_next(&more, &r);
        if (status != SCDC_OK || !more) break;
        status = r.n_fields == fields
                     ? read_row(&found, crowd, &r, at)
                     : fail_with(SCDC_ERR_INPUT,
                                 "%s: line %zu: has %zu fields, but the first line has %zu", path,
                                 r.line, r.n_fields, fields);
    }
    csv_close(&r);
    file_close(&file);
    if (status == SCDC_OK && known) *known = found;
    return status;
}
