/* scdc predict: puts items into the clusters of a fitted model. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "run_dir.h"

#include <stdlib.h>

typedef struct prediction {
    const char *run, *data_path, *output, *proba_path;
    bool together;
    text_list annotations;
    scdc_model *model;
    scdc_data *data;
    scdc_crowd *crowd; /* answers about these items, or NULL */
    scdc_model_info info;
    scdc_data_info items;
    int64_t *labels, *component;
    double *probability;
    float *proba; /* items x clusters; NULL when nobody wants it */
} prediction;

static int load(prediction *p, size_t threads)
{
    int code = open_model(&p->model, p->run);
    if (code != EXIT_GOOD) return code;
    int status = scdc_model_set_threads(p->model, threads < 1024 ? (int)threads : 1024);
    if (status == SCDC_OK) status = scdc_model_get_info(&p->info, p->model);
    if (status == SCDC_OK) status = scdc_data_open(&p->data, p->data_path);
    if (status == SCDC_OK) status = scdc_data_get_info(&p->items, p->data);
    if (status != SCDC_OK) return report_failure(status);
    if (p->annotations.count) {
        code = open_crowd(&p->crowd, p->annotations.values, p->annotations.count, p->data);
        if (code != EXIT_GOOD) return code;
    }
    if (p->items.cols == p->info.cols) return EXIT_GOOD;
    return refuse(EXIT_INPUT, "%s: items of %zu values, but %s was fitted on items of %zu",
                  p->data_path, p->items.cols, p->run, p->info.cols);
}

static int predict(prediction *p)
{
    size_t n = p->items.rows;
    p->labels = must_resize(NULL, n, sizeof *p->labels);
    p->component = must_resize(NULL, n, sizeof *p->component);
    p->probability = must_resize(NULL, n, sizeof *p->probability);
    if (p->proba_path) p->proba = must_resize(NULL, n, p->info.clusters * sizeof *p->proba);
    int status = (p->together ? scdc_predict_together : scdc_predict)(
        p->labels, p->probability, p->component, p->proba, p->model, p->data, p->crowd);
    if (status == SCDC_OK) return EXIT_GOOD;
    /* The argument left to be wrong is the range of the values. */
    if (status == SCDC_ERR_ARGUMENT)
        return refuse(EXIT_INPUT, "%s: %s", p->data_path, scdc_last_error());
    return report_failure(status);
}

static int write_proba(const prediction *p)
{
    scdc_data *matrix;
    int status =
        scdc_data_from_memory(&matrix, p->proba, SCDC_F32, p->items.rows, p->info.clusters, 0);
    if (status != SCDC_OK) return status;
    status = scdc_data_write_npy(matrix, p->proba_path);
    scdc_data_free(matrix);
    return status;
}

/* A line per item, for --json without -o. */
static int print_items(const prediction *p)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < p->items.rows && code == EXIT_GOOD; i++) {
        const char *name = scdc_data_name(p->data, i);
        code = print_json(json_pack(
            "{s:o,s:I,s:o,s:I}", "item", name ? json_text(name) : json_integer((json_int_t)i),
            "cluster", (json_int_t)p->labels[i], "probability", json_number(p->probability[i]),
            "component", (json_int_t)p->component[i]));
    }
    return code;
}

static int save(const prediction *p, const common_options *common)
{
    int status = p->proba ? write_proba(p) : SCDC_OK;
    if (status == SCDC_OK && !p->output && common->json) return print_items(p);
    if (status == SCDC_OK)
        status = scdc_write_predictions(p->output ? p->output : "-", p->data, p->labels,
                                        p->probability, p->component, p->items.rows);
    if (status != SCDC_OK) return report_failure(status);
    if (!p->output) return EXIT_GOOD;
    if (common->json) {
        return print_json(json_pack("{s:I,s:I,s:o,s:o}", "items", (json_int_t)p->items.rows,
                                    "clusters", (json_int_t)p->info.clusters, "labels",
                                    json_text(p->output), "proba",
                                    p->proba_path ? json_text(p->proba_path) : json_null()));
    }
    if (!common->quiet) say("%zu items put into %zu clusters", p->items.rows, p->info.clusters);
    return EXIT_GOOD;
}

static void prediction_free(prediction *p)
{
    scdc_model_free(p->model);
    scdc_data_free(p->data);
    scdc_crowd_free(p->crowd);
    free(p->labels);
    free(p->component);
    free(p->probability);
    free(p->proba);
}

int cmd_predict(int argc, char **argv)
{
    prediction p = {0};
    const option options[] = {
        OPTION(TEXT, "output", 'o', &p.output, "FILE.csv",
               "where the rows item,cluster,probability,component go",
               .fallback = "standard output"),
        OPTION(TEXTS, "annotations", 'a', &p.annotations, "FILE",
               "answers of the model's workers about these items; may be repeated"),
        OPTION(FLAG, "together", 0, &p.together, NULL,
               "let items hear their nearest neighbours among them: better labels for many items "
               "at once"),
        OPTION(TEXT, "proba", 0, &p.proba_path, "FILE.npy",
               "probability of every cluster for every item, as a float matrix"),
    };
    command_line line = {
        .command = "predict",
        .operands = "RUN DATA",
        .least = 2,
        .most = 2,
        .about = "Puts the items of DATA into the clusters of a fitted model. RUN is a directory "
                 "made by 'scdc fit', or a model file. Items are placed one by one from their own "
                 "values: in which order or company they come changes nothing, unless --together "
                 "says so. With the items and the answers of the fit, --together gives the labels "
                 "of the fit again.",
        .uses = USES_JSON | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc predict RUN new-items.npy -o labels.csv\n"
                    "  scdc predict RUN new-items.npy --proba proba.npy\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        p.run = line.operand[0];
        p.data_path = line.operand[1];
        code = load(&p, line.common.threads);
        if (code == EXIT_GOOD) code = predict(&p);
        if (code == EXIT_GOOD) code = save(&p, &line.common);
    }
    prediction_free(&p);
    options_free(&line);
    return code;
}
