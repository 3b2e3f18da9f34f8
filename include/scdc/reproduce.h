/* The paper's experiments. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_REPRODUCE_H
#define SCDC_REPRODUCE_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an experiment is repeated. */
typedef struct scdc_reproduction {
    size_t size;
    const char *folder;  /* for the results; must exist and hold nothing else */
    const char *data;    /* folder with the data sets; NULL: $SCDC_DATA, else ~/.cache/scdc */
    const char *command; /* repeats the call, for result.md; may be NULL */
    int quick;           /* 1: a small version that takes seconds */
    size_t seeds;        /* runs of each setting, with seeds 1, 2, ...; 0 = the experiment's own */
    size_t epochs;       /* of the paper's recipe on MNIST and CIFAR-10; 0 = 200, as in the paper */
    const char *const *only; /* words: only runs whose method, recipe or setting is each of them */
    size_t n_only;
    int threads; /* 0 = all cores */
} scdc_reproduction;
SCDC_API void scdc_reproduction_init_sized(scdc_reproduction *options, size_t size);
#define scdc_reproduction_init(options)                                                            \
    scdc_reproduction_init_sized(options, sizeof(scdc_reproduction))

typedef struct scdc_reproduction_progress {
    const char *job;          /* the run at hand: "bayes, default, answers, seed 3" */
    size_t number, jobs;      /* which one it is, from 1, of how many */
    double share;             /* of it that is done, 0 to 1 */
    double left;              /* seconds to the end, from finished runs like it; NaN: not known */
    int finished;             /* 1: it has just been kept, and the rest is set */
    double acc, nmi, seconds; /* of a finished run */
} scdc_reproduction_progress;
/* Called often. Non-zero asks to stop: the run at hand is lost, finished ones are kept. */
typedef int (*scdc_reproduction_fn)(const scdc_reproduction_progress *progress, void *user);

/* "pinwheel", "face", "mnist", "cifar10": the experiments; NULL beyond the last. */
SCDC_API const char *scdc_reproduction_name(size_t index);
/* Runs what is not yet in folder/runs.csv (a row per finished run), then writes result.json,
 * result.md and the figures from all rows. SCDC_ERR_STOPPED when asked to stop: results so far are
 * written, and a second call goes on. */
SCDC_API SCDC_MUST_CHECK int scdc_reproduce(const char *experiment,
                                            const scdc_reproduction *options,
                                            scdc_reproduction_fn progress, void *user);

#ifdef __cplusplus
}
#endif

#endif
