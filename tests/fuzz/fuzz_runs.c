/* The finished runs of an experiment (runs.csv) of any bytes: an error, or rows whose numbers are
 * numbers, to which another can be added. */
#include "fuzz/scratch.h"
#include "reproduce/runs.h"

#include <math.h>

static void tidy(void)
{
    unlink(scratch_path(RUNS_FILE));
    rmdir(scratch_folder());
}

static void check_row(const run_row *row)
{
    for (size_t f = 0; f < RUN_FIELDS; f++) PROMISE(!isinf(row->value[f]));
    PROMISE(row->n_weights <= RUN_MOST_WEIGHTS);
    for (size_t w = 0; w < row->n_weights; w++) PROMISE(isfinite(row->weight[w]));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static int begun;
    runs r;
    if (!begun) begun = atexit(tidy) == 0;
    scratch_file(RUNS_FILE, bytes, size);
    int status = runs_open(&r, scratch_folder(), "pinwheel");
    if (status != SCDC_OK) {
        /* An argument is wrong where the runs are of another experiment. */
        PROMISE((status == SCDC_ERR_INPUT || status == SCDC_ERR_ARGUMENT) && scdc_last_error()[0]);
        return 0;
    }
    size_t count = r.count;
    for (size_t i = 0; i < count; i++) check_row(&r.rows[i]);
    runs_close(&r);
    /* What was cut off is gone, so a second look sees the same. */
    PROMISE(runs_open(&r, scratch_folder(), "pinwheel") == SCDC_OK && r.count == count);
    runs_close(&r);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
#define HEADER                                                                                     \
    "experiment,method,recipe,setting,seed,acc,nmi,ami,ari,clusters,large_clusters,epochs,"        \
    "seconds,seconds_per_epoch,held_out_acc,held_out_nmi,weights\n"
    static const char *const seeds[] = {
        HEADER,
        HEADER "pinwheel,bayes,default,answers,3,.5,.25,,1e-3,5,5,100,2.5,.025,,,1 .5 0\n",
        HEADER "pinwheel,kmeans,default,none,0,1,1,1,1,5,5,,,,.9,.8,\npinwheel,bayes,default,an",
        HEADER "face,kmeans,default,none,0,1,1,1,1,5,5,,,,.9,.8,\n",
    };
    return number < sizeof seeds / sizeof *seeds ? fuzz_text(out, seeds[number]) : 0;
}
