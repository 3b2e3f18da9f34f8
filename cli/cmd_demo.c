/* scdc demo: a whole run on made-up items and answers, to see what the program does. */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <errno.h>
#include <scdc/scdc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORKERS = 20, ANSWERS_EACH = 49, ANNOTATED = 100, ARMS = 5, COMPONENTS = 15, EPOCHS = 20 };

typedef struct demo {
    scdc_data *items;
    scdc_labels *truth, *found;
    scdc_crowd *crowd;
    scdc_model *model;
    scdc_scores kmeans, scores; /* of k-means, which hears no answers, and of the model */
} demo;

static void demo_free(demo *d)
{
    scdc_data_free(d->items);
    scdc_labels_free(d->truth);
    scdc_labels_free(d->found);
    scdc_crowd_free(d->crowd);
    scdc_model_free(d->model);
}

static int make_inputs(demo *d, const common_options *common)
{
    scdc_pinwheel pinwheel;
    scdc_simulation simulation;
    const double skill = .9;
    scdc_pinwheel_init(&pinwheel);
    scdc_simulation_init(&simulation);
    pinwheel.seed = simulation.seed = common->seed;
    simulation.workers = WORKERS;
    simulation.pairs = WORKERS * ANSWERS_EACH;
    simulation.items = ANNOTATED;
    simulation.sensitivity = simulation.specificity = &skill;
    simulation.n_sensitivity = simulation.n_specificity = 1;
    int status = scdc_make_pinwheel(&d->items, &d->truth, &pinwheel);
    if (status == SCDC_OK) status = scdc_simulate_answers(&d->crowd, d->truth, &simulation);
    return status;
}

static int run_kmeans(demo *d, int64_t *labels, const common_options *common)
{
    size_t n = scdc_labels_count(d->truth);
    scdc_kmeans_options options;
    scdc_kmeans_options_init(&options);
    options.k = ARMS;
    options.seed = common->seed;
    options.threads = (int)common->threads;
    int status = scdc_kmeans(labels, NULL, d->items, &options);
    if (status != SCDC_OK) return status;
    return scdc_score(&d->kmeans, labels, scdc_labels_values(d->truth), n);
}

static int fit_model(demo *d, const common_options *common)
{
    scdc_options options;
    scdc_options_init(&options);
    options.components = COMPONENTS;
    options.epochs = EPOCHS;
    options.seed = common->seed;
    options.threads = (int)common->threads;
    return scdc_fit(&d->model, d->items, d->crowd, &options, NULL, NULL);
}

static int cluster(demo *d, const common_options *common)
{
    size_t n = scdc_labels_count(d->truth);
    int64_t *labels = must_resize(NULL, n, sizeof *labels);
    int status = run_kmeans(d, labels, common);
    if (status == SCDC_OK) status = fit_model(d, common);
    if (status == SCDC_OK) {
        status = scdc_predict(labels, NULL, NULL, NULL, d->model, d->items, d->crowd);
    }
    if (status == SCDC_OK) status = scdc_labels_from_memory(&d->found, labels, n);
    if (status == SCDC_OK) status = scdc_score(&d->scores, labels, scdc_labels_values(d->truth), n);
    free(labels);
    return status;
}

/* How good the model thinks the workers are (all are right 9 times in 10), and how often their
 * answers agree with the clusters found. */
static int print_workers(const demo *d)
{
    size_t answers[WORKERS] = {0}, agree[WORKERS] = {0}, count;
    const scdc_answer *list = scdc_crowd_answers(d->crowd, &count);
    const int64_t *found = scdc_labels_values(d->found);
    for (size_t i = 0; i < count; i++) {
        const scdc_answer *a = &list[i];
        if (a->worker >= WORKERS) continue;
        bool together = found[a->left] == found[a->right];
        answers[a->worker]++;
        agree[a->worker] += together == (a->same == 1);
    }
    scdc_worker workers[WORKERS];
    int status = scdc_workers(workers, d->model);
    if (status != SCDC_OK) return status;
    text_table t;
    table_start(&t, 6,
                (const char *const[]){"worker", ">answers", ">sensitivity", ">specificity",
                                      ">weight", ">agree with the clusters"});
    for (size_t w = 0; w < WORKERS; w++) {
        table_cell(&t, "%s", workers[w].name);
        table_cell(&t, "%zu", answers[w]);
        table_cell(&t, "%.2f", workers[w].sensitivity);
        table_cell(&t, "%.2f", workers[w].specificity);
        table_cell(&t, "%.2f", workers[w].weight);
        table_cell(&t, "%.0f %%", answers[w] ? 100. * (double)agree[w] / (double)answers[w] : 0.);
    }
    table_print(&t, stdout);
    return SCDC_OK;
}

static void score_row(text_table *t, const char *method, const scdc_scores *s)
{
    table_cell(t, "%s", method);
    table_cell(t, "%zu", s->clusters);
    table_cell(t, "%.3f", s->acc);
    table_cell(t, "%.3f", s->nmi);
    table_cell(t, "%.3f", s->ami);
    table_cell(t, "%.3f", s->ari);
}

static void print_scores(const demo *d)
{
    text_table t;
    table_start(&t, 6,
                (const char *const[]){"method", ">clusters", ">ACC", ">NMI", ">AMI", ">ARI"});
    score_row(&t, "k-means, told the number", &d->kmeans);
    score_row(&t, "scdc, with the answers", &d->scores);
    table_print(&t, stdout);
}

static int save(const demo *d, const char *folder)
{
    char path[4096];
    int status = SCDC_OK;
    snprintf(path, sizeof path, "%s/items.npy", folder);
    status = scdc_data_write_npy(d->items, path);
    snprintf(path, sizeof path, "%s/truth.csv", folder);
    if (status == SCDC_OK) status = scdc_labels_write_csv(d->truth, NULL, path);
    snprintf(path, sizeof path, "%s/answers.csv", folder);
    if (status == SCDC_OK) status = scdc_crowd_write_csv(d->crowd, NULL, path);
    snprintf(path, sizeof path, "%s/labels.csv", folder);
    if (status == SCDC_OK) status = scdc_labels_write_csv(d->found, NULL, path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int run_demo(const command_line *line, const char *folder)
{
    demo d = {0};
    const common_options *common = &line->common;
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return refuse(EXIT_FAILED, "%s: %s", folder, strerror(errno));
    if (!common->quiet) say("making a pinwheel and the answers of %d workers", WORKERS);
    int code = EXIT_GOOD, status = make_inputs(&d, common);
    if (status == SCDC_OK) status = cluster(&d, common);
    if (status != SCDC_OK) {
        code = report_failure(status);
    } else if (common->json) {
        code = print_json(scores_json(&d.scores));
    } else {
        print_scores(&d);
        putchar('\n');
        status = print_workers(&d);
        if (status != SCDC_OK) code = report_failure(status);
    }
    if (code == EXIT_GOOD && folder) {
        code = save(&d, folder);
        if (code == EXIT_GOOD && !common->quiet)
            say("items, truth, answers and labels are in %s", folder);
    }
    demo_free(&d);
    return code;
}

int cmd_demo(int argc, char **argv)
{
    const char *folder = NULL;
    scdc_pinwheel pinwheel;
    scdc_pinwheel_init(&pinwheel);
    const option options[] = {
        OPTION(TEXT, "output", 'o', &folder, "RUN",
               "folder for the items, the answers and the labels found"),
    };
    command_line line = {
        .command = "demo",
        .operands = "",
        .about = "Makes a pinwheel of 500 items and the answers of 20 simulated workers about 100 "
                 "of them, finds clusters and prints how good they and the workers are. Needs no "
                 "file.",
        .uses = USES_JSON | USES_SEED | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = pinwheel.seed},
        .examples = "  scdc demo\n"
                    "  scdc demo -o RUN && scdc inspect RUN/answers.csv --data RUN/items.npy\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) code = run_demo(&line, folder);
    options_free(&line);
    return code;
}
