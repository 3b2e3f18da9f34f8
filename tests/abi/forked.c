/* A program that used the library's threads forks: the child, which has none of them, goes on using
 * the library and gets the same results; so does its parent, and OpenBLAS keeps its threads. */
#include <dirent.h>
#include <scdc/scdc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 500, THREADS = 4, CHILDREN = 3, PATIENCE = 60 };

extern int openblas_get_num_threads(void) __attribute__((weak));

static int blas_threads(void)
{
    return openblas_get_num_threads ? openblas_get_num_threads() : 0;
}

/* 0 where nobody tells. */
static int count_threads(void)
{
    int count = -2; /* . and .. */
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    while (readdir(tasks)) count++;
    closedir(tasks);
    return count;
}

static scdc_data *items;

static int fit(scdc_model **out)
{
    scdc_options options;
    scdc_options_init(&options);
    options.warmup = options.epochs = 2;
    options.threads = THREADS;
    options.components = 6; /* few sizes of mixtures to compare: it is not the fit that is tried */
    return scdc_fit(out, items, NULL, &options, NULL, NULL);
}

/* The same labels from the model it has and from one it fits. */
static int same_again(const scdc_model *model, const int64_t *expected)
{
    static int64_t labels[ITEMS];
    scdc_model *own = NULL;
    int different = scdc_predict(labels, NULL, NULL, NULL, model, items, NULL) ||
                    memcmp(labels, expected, sizeof labels);
    different |= fit(&own) || scdc_predict(labels, NULL, NULL, NULL, own, items, NULL) ||
                 memcmp(labels, expected, sizeof labels);
    scdc_model_free(own);
    if (different) fprintf(stderr, "pid %d: %s\n", (int)getpid(), scdc_last_error());
    return different;
}

static int child_is_fine(const scdc_model *model, const int64_t *expected, int threads)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE); /* a child that waits for threads it does not have waits forever */
        int bad = same_again(model, expected) || blas_threads() != threads;
        int there = count_threads();
        if (there && there < THREADS) {
            fprintf(stderr, "the child has %d threads, not %d: it got no helpers\n", there,
                    THREADS);
            bad = 1;
        }
        scdc_data_free(items);
        exit(bad); /* with all that is done at the end of a program */
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

int main(void)
{
    static int64_t expected[ITEMS];
    scdc_blobs blobs;
    scdc_model *model = NULL;
    int threads = blas_threads(), bad = 0;
    scdc_blobs_init(&blobs);
    blobs.items = ITEMS;
    blobs.dims = 64;
    if (scdc_make_blobs(&items, NULL, &blobs) || fit(&model) ||
        scdc_predict(expected, NULL, NULL, NULL, model, items, NULL)) {
        fprintf(stderr, "%s\n", scdc_last_error());
        return 1;
    }
    for (int i = 0; i < CHILDREN; i++) {
        bad |= !child_is_fine(model, expected, threads);
        bad |= same_again(model, expected);
    }
    if (blas_threads() != threads) {
        fprintf(stderr, "OpenBLAS had %d threads and has %d\n", threads, blas_threads());
        bad = 1;
    }
    scdc_model_free(model);
    scdc_data_free(items);
    return bad;
}
