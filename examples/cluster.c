/* Clusters made-up items with the help of made-up workers, from C.
 *
 *     cc cluster.c -o cluster $(pkg-config --cflags --libs scdc) && ./cluster
 *
 * With files of your own: scdc_data_open(&items, "items.npy") and
 * scdc_crowd_open(&answers, (const char *[]){"answers.csv"}, 1, items). */
#include <scdc/scdc.h>
#include <stdio.h>
#include <stdlib.h>

/* Called after every minibatch; ^C could be noted by a signal handler and returned here. */
static int on_progress(const scdc_progress *p, void *user)
{
    (void)user;
    if (p->done) printf("epoch %zu: %zu clusters\n", p->done->epoch, p->done->clusters);
    return 0; /* 1: stop; scdc_fit returns SCDC_ERR_STOPPED and the model so far */
}

/* 300 items in three groups, and 400 answers of five workers about 60 of them. */
static int make_problem(scdc_data **items, scdc_labels **truth, scdc_crowd **answers)
{
    scdc_blobs blobs;
    scdc_simulation workers;
    scdc_blobs_init(&blobs);
    blobs.clusters = 3;
    blobs.items = 300;
    scdc_simulation_init(&workers);
    workers.workers = 5;
    workers.pairs = 400;
    workers.items = 60;
    int status = scdc_make_blobs(items, truth, &blobs);
    return status ? status : scdc_simulate_answers(answers, *truth, &workers);
}

static int fit(scdc_model **model, const scdc_data *items, const scdc_crowd *answers)
{
    scdc_options options;
    scdc_options_init(&options);                             /* every field has a default */
    options.epochs = 10;                                     /* fields are set directly, */
    int status = scdc_options_set(&options, "warmup", "20"); /* or by name */
    return status ? status : scdc_fit(model, items, answers, &options, on_progress, NULL);
}

static int show_items(const scdc_model *model, const scdc_data *items, const scdc_crowd *answers,
                      const scdc_labels *truth)
{
    scdc_data_info data;
    scdc_scores scores;
    int status = scdc_data_get_info(&data, items);
    if (status) return status;
    int64_t *labels = calloc(data.rows, sizeof *labels);
    if (!labels) return SCDC_ERR_MEMORY;
    scdc_placement place;
    scdc_placement_init(&place);
    place.rows = data.rows; /* how long the arrays are */
    place.labels = labels;
    place.crowd = answers;
    place.together = 1; /* items hear their neighbours: the labels of the fit */
    status = scdc_place(&place, model, items);
    if (!status) {
        status = scdc_score(&scores, labels, scdc_labels_values(truth), data.rows);
    }
    if (!status) printf("%zu clusters, accuracy %.2f\n", scores.clusters, scores.acc);
    free(labels);
    return status;
}

static int show_workers(const scdc_model *model)
{
    scdc_model_info info;
    int status = scdc_model_get_info(&info, model);
    if (status) return status;
    scdc_worker *workers = calloc(info.workers, sizeof *workers);
    if (!workers) return SCDC_ERR_MEMORY;
    status = scdc_workers(workers, info.workers, model);
    for (size_t m = 0; m < info.workers && !status; m++) {
        printf("worker %s: sensitivity %.2f, specificity %.2f\n", workers[m].name,
               workers[m].sensitivity, workers[m].specificity);
    }
    free(workers);
    return status;
}

int main(void)
{
    scdc_data *items = NULL;
    scdc_labels *truth = NULL;
    scdc_crowd *answers = NULL;
    scdc_model *model = NULL;
    int status = make_problem(&items, &truth, &answers);
    if (!status) status = fit(&model, items, answers);
    if (!status) status = show_items(model, items, answers, truth);
    if (!status) status = show_workers(model);
    if (status) fprintf(stderr, "%s: %s\n", scdc_status_name(status), scdc_last_error());
    scdc_model_free(model); /* what was never made is NULL */
    scdc_crowd_free(answers);
    scdc_labels_free(truth);
    scdc_data_free(items);
    return status != SCDC_OK;
}
