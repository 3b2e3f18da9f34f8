/* What another run knows of workers (workers.csv) of any bytes: an error, or counts that a worker
 * can have. */
#include "crowd/crowd.h"
#include "fuzz/scratch.h"

#include <math.h>
#include <scdc/update.h>

static void tidy(void)
{
    unlink(scratch_path("workers.csv"));
    rmdir(scratch_folder());
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const scdc_answer answers[] = {
        {.left = 0, .right = 1, .task = SCDC_NO_TASK},
        {.left = 1, .right = 2, .worker = 1, .task = SCDC_NO_TASK}};
    static int begun;
    scdc_crowd *crowd = NULL;
    size_t known = 0;
    if (!begun) begun = atexit(tidy) == 0;
    PROMISE(scdc_crowd_from_memory(&crowd, answers, 2) == SCDC_OK);
    int status = scdc_crowd_know_workers(crowd, &known, scratch_file("workers.csv", bytes, size));
    PROMISE(status == SCDC_OK || (status == SCDC_ERR_INPUT && scdc_last_error()[0]));
    for (size_t i = 0; crowd->known && i < crowd->known_count; i++) {
        for (size_t c = 0; c < 2; c++) {
            PROMISE(isfinite(crowd->known[i].alpha[c]) && crowd->known[i].alpha[c] >= 0);
            PROMISE(isfinite(crowd->known[i].beta[c]) && crowd->known[i].beta[c] >= 0);
        }
    }
    scdc_crowd_free(crowd);
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
#define HEADER                                                                                     \
    "worker,answers,sensitivity,sensitivity_low,sensitivity_high,specificity,specificity_low,"     \
    "specificity_high,weight\n"
    static const char *const seeds[] = {
        HEADER "0,12,.9,.8,.95,.7,.6,.8,1\n1,3,.5,.1,.9,.5,.1,.9,0\n",
        HEADER "0,12,.999999,.999,1,.000001,0,.1,1\nsomebody,1,.9,.8,.95,.7,.6,.8,1\n",
    };
    return number < sizeof seeds / sizeof *seeds ? fuzz_text(out, seeds[number]) : 0;
}
