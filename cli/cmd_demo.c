/* scdc demo: a whole run on made-up items and answers, to see what the program does. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_log.h"
#include "run_report.h"

#include <scdc/scdc.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 20, ANSWERS_EACH = 49, ANNOTATED = 100, ARMS = 5, COMPONENTS = 15, EPOCHS = 20 };
#define SKILL 0.9 /* how often a worker is right */

/* The files of a demonstration, beside those of any RUN. */
enum { ITEMS, TRUTH, ANSWERS, FILES };
static const char *const file_names[FILES] = {"items.npy", "truth.csv", "answers.csv"};

typedef struct demo {
    const char *folder;
    char *path[FILES];
    const char *answers; /* path[ANSWERS], as a list of one */
    run_dir dir;
    run_record record;
    fit_inputs in;
    scdc_model *model;
    fit_outcome outcome;
    scdc_scores kmeans; /* of k-means, which hears no answers */
} demo;

static void demo_free(demo *d)
{
    for (size_t i = 0; i < FILES; i++) free(d->path[i]);
    run_record_free(&d->record);
    fit_outcome_free(&d->outcome);
    fit_inputs_free(&d->in);
    scdc_model_free(d->model);
    run_dir_free(&d->dir);
}

/* ---- items and answers ---------------------------------------------------------------------- */

static int write_inputs(const demo *d, const common_options *common)
{
    scdc_data *items = NULL;
    scdc_labels *truth = NULL;
    scdc_crowd *crowd = NULL;
    scdc_pinwheel pinwheel;
    scdc_simulation simulation;
    const double skill = SKILL;
    scdc_pinwheel_init(&pinwheel);
    scdc_simulation_init(&simulation);
    pinwheel.seed = simulation.seed = common->seed;
    simulation.workers = WORKERS;
    simulation.pairs = WORKERS * ANSWERS_EACH;
    simulation.items = ANNOTATED;
    simulation.sensitivity = simulation.specificity = &skill;
    simulation.n_sensitivity = simulation.n_specificity = 1;
    int status = scdc_make_pinwheel(&items, &truth, &pinwheel);
    if (status == SCDC_OK) status = scdc_simulate_answers(&crowd, truth, &simulation);
    if (status == SCDC_OK) status = scdc_data_write_npy(items, d->path[ITEMS]);
    if (status == SCDC_OK) status = scdc_labels_write_csv(truth, NULL, d->path[TRUTH]);
    if (status == SCDC_OK) status = scdc_crowd_write_csv(crowd, NULL, d->path[ANSWERS]);
    scdc_data_free(items);
    scdc_labels_free(truth);
    scdc_crowd_free(crowd);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* Reads them back, so that RUN tells of files that anybody can fit again. */
static int make_inputs(demo *d, const common_options *common)
{
    for (size_t i = 0; i < FILES; i++) d->path[i] = run_path(d->folder, file_names[i]);
    int code = write_inputs(d, common);
    d->in.data_path = d->path[ITEMS];
    d->in.truth_path = d->path[TRUTH];
    d->answers = d->path[ANSWERS];
    d->in.annotations = (text_list){&d->answers, 1};
    return code == EXIT_GOOD ? fit_inputs_open(&d->in) : code;
}

/* ---- clusters ------------------------------------------------------------------------------- */

static int run_kmeans(demo *d, const common_options *common)
{
    size_t n = d->in.items.rows;
    int64_t *labels = must_resize(NULL, n, sizeof *labels);
    scdc_kmeans_options options;
    scdc_kmeans_options_init(&options);
    options.k = ARMS;
    options.seed = common->seed;
    options.threads = (int)common->threads;
    int status = scdc_kmeans(labels, NULL, d->in.data, &options);
    if (status == SCDC_OK)
        status = scdc_score(&d->kmeans, labels, scdc_labels_values(d->in.truth), n);
    free(labels);
    return status;
}

static scdc_options model_options(const common_options *common)
{
    scdc_options options;
    scdc_options_init(&options);
    options.components = COMPONENTS;
    options.epochs = EPOCHS;
    options.seed = common->seed;
    options.threads = (int)common->threads;
    return options;
}

static int save(demo *d)
{
    int code = run_save_model(&d->dir, d->model);
    if (code == EXIT_GOOD) code = fit_outcome_begin(&d->outcome, d->model);
    if (code == EXIT_GOOD) code = run_log_end(&(run_log){.run = d->folder}, d->model);
    if (code == EXIT_GOOD) code = run_save_workers(&d->dir, d->model, d->outcome.info.workers);
    if (code == EXIT_GOOD) code = run_save_labels(&d->outcome, &d->dir, d->model, &d->in);
    if (code == EXIT_GOOD)
        code = run_record_save(&d->record, "finished", scdc_model_options(d->model), &d->outcome,
                               d->model);
    const run_report report = {
        .run = d->folder, .model = d->model, .in = &d->in, .outcome = &d->outcome};
    return code == EXIT_GOOD ? run_report_write(&report) : code;
}

/* ---- what came out -------------------------------------------------------------------------- */

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
    score_row(&t, "scdc, with the answers", &d->outcome.scores);
    table_print(&t, stdout);
}

/* How often all workers together agree with the clusters about pairs put together (or apart). The
 * mean over workers would say less: each has about ten pairs of one arm, so that its own estimate
 * leans on its prior. */
static double pooled_skill(const demo *d, bool together)
{
    size_t n, pairs = 0, agreed = 0;
    const int64_t *label = d->outcome.labels;
    const scdc_answer *answers = scdc_crowd_answers(d->in.crowd, &n);
    for (size_t i = 0; i < n; i++) {
        bool same = label[answers[i].left] == label[answers[i].right];
        if (same != together) continue;
        pairs++;
        agreed += (answers[i].same == 1) == same;
    }
    return pairs ? (double)agreed / (double)pairs : 0;
}

/* How good the model thinks the workers are, beside how good they were made. */
static int print_workers(const demo *d)
{
    scdc_worker workers[WORKERS];
    text_table t;
    if (d->outcome.info.workers != WORKERS) return EXIT_GOOD;
    int status = scdc_workers(workers, WORKERS, d->model);
    if (status != SCDC_OK) return report_failure(status);
    table_start(&t, 4,
                (const char *const[]){"workers", ">true", ">found, all together",
                                      ">95 % intervals that hold it"});
    for (int part = 0; part < 2; part++) {
        size_t held = 0;
        for (size_t w = 0; w < WORKERS; w++) {
            const scdc_worker *one = &workers[w];
            held += part ? one->specificity_low <= SKILL && SKILL <= one->specificity_high
                         : one->sensitivity_low <= SKILL && SKILL <= one->sensitivity_high;
        }
        table_cell(&t, part ? "specificity" : "sensitivity");
        table_cell(&t, "%.2f", SKILL);
        table_cell(&t, "%.2f", pooled_skill(d, !part));
        table_cell(&t, "%zu of %d", held, WORKERS);
    }
    table_print(&t, stdout);
    return EXIT_GOOD;
}

/* Three things; a build without the server names another third. */
static void print_next(const char *folder)
{
    size_t width = strlen(folder);
    fputs("\nTo try next:\n"
          "  scdc fit YOUR-ITEMS -o RUN          your own pictures (a folder), table or .npy\n"
#ifdef SCDC_HAVE_COLLECT
          "  scdc collect --demo -o PROJECT      the page on which people answer\n"
#else
          "  scdc import FILE -o answers.csv     answers from the tool people answered with\n"
#endif
          "  scdc workers ",
          stdout);
    put_text(stdout, folder);
    printf("%*s  how good each worker is\n", width < 21 ? (int)(21 - width) : 0, "");
}

static int print_outcome(const demo *d, const common_options *common)
{
    if (common->json) return print_json(scores_json(&d->outcome.scores, &d->outcome.calibration));
    print_scores(d);
    putchar('\n');
    int code = print_workers(d);
    if (common->quiet) return code;
    char *path = run_path(d->folder, RUN_REPORT);
    fputs("\nThe report: ", stdout);
    put_text(stdout, path);
    putchar('\n');
    free(path);
    print_next(d->folder);
    return code;
}

static int run_demo(demo *d, const common_options *common, int argc, char **argv)
{
    int code = run_dir_replace(&d->dir, d->folder, "demo");
    if (code != EXIT_GOOD) return code;
    const scdc_options options = model_options(common);
    run_record_begin(&d->record, &d->dir, &d->in, "demo", argc, argv);
    /* First of all, so that RUN is known as a demonstration's should this one be interrupted. */
    code = run_record_save(&d->record, "running", &options, NULL, NULL);
    if (code != EXIT_GOOD) return code;
    if (!common->quiet) say("making a pinwheel and the answers of %d workers", WORKERS);
    code = make_inputs(d, common);
    if (code != EXIT_GOOD) return code;
    int status = run_kmeans(d, common);
    if (status == SCDC_OK)
        status = scdc_fit(&d->model, d->in.data, d->in.crowd, &options, NULL, NULL);
    if (status != SCDC_OK) return report_failure(status);
    code = save(d);
    return code == EXIT_GOOD ? print_outcome(d, common) : code;
}

int cmd_demo(int argc, char **argv)
{
    demo d = {.folder = "scdc-demo", .dir = {.lock = -1}};
    scdc_pinwheel pinwheel;
    scdc_pinwheel_init(&pinwheel);
    const option options[] = {
        OPTION(TEXT, "output", 'o', &d.folder, "RUN",
               "folder for the run; an earlier "
               "demonstration in it is replaced"),
    };
    command_line line = {
        .command = "demo",
        .operands = "",
        .about = "Makes a pinwheel of 500 items and the answers of 20 simulated workers about 100 "
                 "of them, finds clusters and tells how good they and the workers are: in short "
                 "here, in full in RUN/report.html. RUN also gets the items, the answers and the "
                 "true classes. Needs no file.",
        .uses = USES_JSON | USES_SEED | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = pinwheel.seed},
        .examples = "  scdc demo\n"
                    "  scdc demo -o RUN && scdc inspect RUN/answers.csv --data RUN/items.npy\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) code = run_demo(&d, &line.common, argc, argv);
    demo_free(&d);
    options_free(&line);
    return code;
}
