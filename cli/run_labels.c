/* Reading labels.csv back. */
#include "run_labels.h"

#include "commands.h"
#include "output.h"
#include "run_dir.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1 << 24 }; /* whole numbers that single precision tells apart */

static bool is_number(float value)
{
    return value >= 0 && value < MOST && value == floorf(value);
}

static int read_table(scdc_data **table, fit_outcome *o, const char *path)
{
    size_t n = o->info.items;
    scdc_data_info info;
    int status = scdc_data_open(table, path);
    if (status == SCDC_OK) status = scdc_data_get_info(&info, *table);
    if (status != SCDC_OK) return report_failure(status);
    if (info.rows != n || info.cols != 3) {
        return refuse(EXIT_INPUT, "%s: %zu rows of %zu values, expected %zu of 3", path, info.rows,
                      info.cols, n);
    }
    o->labels = must_resize(NULL, n, sizeof *o->labels);
    o->probability = must_resize(NULL, n, sizeof *o->probability);
    o->component = must_resize(NULL, n, sizeof *o->component);
    for (size_t i = 0; i < n; i++) {
        float row[3];
        if (scdc_data_rows(row, *table, i, 1) != SCDC_OK) break;
        if (!is_number(row[0]) || !is_number(row[2]) || !(row[1] >= 0 && row[1] <= 1))
            return refuse(EXIT_INPUT,
                          "%s: item %zu: cluster %g, probability %g, component %g are none", path,
                          i, (double)row[0], (double)row[1], (double)row[2]);
        o->labels[i] = (int64_t)row[0];
        o->probability[i] = (double)row[1];
        o->component[i] = (int64_t)row[2];
    }
    return EXIT_GOOD;
}

int run_labels_read(scdc_data **table, fit_outcome *o, const char *run)
{
    char *path = run_path(run, RUN_LABELS);
    int code = access(path, F_OK) == 0 ? read_table(table, o, path) : EXIT_GOOD;
    free(path);
    return code;
}
