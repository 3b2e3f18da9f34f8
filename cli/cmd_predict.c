/* scdc predict: puts items into the clusters of a fitted model. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "run_dir.h"

#include <scdc/stream.h>
#include <stdlib.h>

/* Items are placed part by part, in memory that does not grow with their number; those who hear
 * answers or each other are one part. */
typedef struct prediction {
    const char *run, *data_path, *output, *proba_path;
    bool together;
    text_list annotations;
    const common_options *common;
    scdc_model *model;
    scdc_model_info info;
    scdc_stream *stream; /* NULL: all at once */
    scdc_data *part;
    scdc_crowd *crowd; /* answers about these items, or NULL */
    scdc_predictions *files;
    size_t done, capacity; /* items: placed so far, that the arrays have room for */
    int64_t *labels, *component;
    double *probability;
    float *proba; /* items x clusters; NULL when nobody wants it */
} prediction;

/* Items of a part: enough for all cores, few enough for any memory. */
static size_t rows_at_once(const prediction *p)
{
    size_t rows = ((size_t)1 << 22) / (p->info.cols ? p->info.cols : 1);
    return rows < 512 ? 512 : rows > 65536 ? 65536 : rows;
}

static bool all_at_once(const prediction *p)
{
    return p->together || p->annotations.count;
}

/* Closes the last part and opens the next; p->part is NULL at the end. */
static int next_part(prediction *p)
{
    scdc_data_free(p->part);
    p->part = NULL;
    int status = SCDC_OK;
    if (p->stream) status = scdc_stream_next(&p->part, p->stream, rows_at_once(p));
    else if (!p->done) status = scdc_data_open(&p->part, p->data_path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int open_inputs(prediction *p)
{
    int code = open_model(&p->model, p->run), status;
    if (code != EXIT_GOOD) return code;
    size_t threads = p->common->threads;
    status = scdc_model_set_threads(p->model, threads < 1024 ? (int)threads : 1024);
    if (status == SCDC_OK) status = scdc_model_get_info(&p->info, p->model);
    if (status == SCDC_OK && !all_at_once(p)) status = scdc_stream_open(&p->stream, p->data_path);
    if (status != SCDC_OK) return report_failure(status);
    code = next_part(p);
    if (code != EXIT_GOOD || !p->annotations.count) return code;
    return open_crowd(&p->crowd, p->annotations.values, p->annotations.count, p->part);
}

static bool writes_labels(const prediction *p)
{
    return p->output || !p->common->json;
}

static int open_outputs(prediction *p, const scdc_data_info *items)
{
    size_t rows = p->stream ? scdc_stream_rows(p->stream) : items->rows;
    const char *labels = writes_labels(p) ? (p->output ? p->output : "-") : NULL;
    int status = scdc_predictions_create(&p->files, labels, p->proba_path, rows, p->info.clusters);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static void make_room(prediction *p, size_t rows)
{
    if (rows <= p->capacity) return;
    p->labels = must_resize(p->labels, rows, sizeof *p->labels);
    p->component = must_resize(p->component, rows, sizeof *p->component);
    p->probability = must_resize(p->probability, rows, sizeof *p->probability);
    if (p->proba_path) p->proba = must_resize(p->proba, rows, p->info.clusters * sizeof *p->proba);
    p->capacity = rows;
}

/* A line per item, for --json without -o. */
static int print_items(const prediction *p, size_t rows)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < rows && code == EXIT_GOOD; i++) {
        const char *name = scdc_data_name(p->part, i);
        code = print_json(
            json_pack("{s:o,s:I,s:o,s:I}", "item",
                      name ? json_text(name) : json_integer((json_int_t)(p->done + i)), "cluster",
                      (json_int_t)p->labels[i], "probability", json_number(p->probability[i]),
                      "component", (json_int_t)p->component[i]));
    }
    return code;
}

static int place_part(prediction *p, const scdc_data_info *items)
{
    if (items->cols != p->info.cols) {
        return refuse(EXIT_INPUT, "%s: items of %zu values, but %s was fitted on items of %zu",
                      p->data_path, items->cols, p->run, p->info.cols);
    }
    make_room(p, items->rows);
    progress_watch_begin(p->common->quiet);
    int status = (p->together ? scdc_predict_together : scdc_predict)(
        p->labels, p->probability, p->component, p->proba, p->model, p->part, p->crowd);
    progress_watch_end();
    /* The argument left to be wrong is the range of the values. */
    if (status == SCDC_ERR_ARGUMENT)
        return refuse(EXIT_INPUT, "%s: %s", p->data_path, scdc_last_error());
    if (status == SCDC_OK && !p->files) {
        int code = open_outputs(p, items);
        if (code != EXIT_GOOD) return code;
    }
    if (status == SCDC_OK)
        status = scdc_predictions_add(p->files, p->part, p->labels, p->probability, p->component,
                                      p->proba, items->rows);
    if (status != SCDC_OK) return report_failure(status);
    return writes_labels(p) ? EXIT_GOOD : print_items(p, items->rows);
}

static int place_all(prediction *p)
{
    int code = EXIT_GOOD;
    while (code == EXIT_GOOD && p->part) {
        scdc_data_info items;
        int status = scdc_data_get_info(&items, p->part);
        if (status != SCDC_OK) return report_failure(status);
        code = place_part(p, &items);
        p->done += items.rows;
        if (code == EXIT_GOOD) code = next_part(p);
    }
    if (code != EXIT_GOOD) return code;
    int status = scdc_predictions_finish(p->files);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int say_what_was_done(const prediction *p)
{
    if (!p->output) return EXIT_GOOD;
    if (p->common->json) {
        return print_json(json_pack("{s:I,s:I,s:o,s:o}", "items", (json_int_t)p->done, "clusters",
                                    (json_int_t)p->info.clusters, "labels", json_text(p->output),
                                    "proba",
                                    p->proba_path ? json_text(p->proba_path) : json_null()));
    }
    if (!p->common->quiet) say("%zu items put into %zu clusters", p->done, p->info.clusters);
    return EXIT_GOOD;
}

static void prediction_free(prediction *p)
{
    scdc_predictions_free(p->files);
    scdc_data_free(p->part);
    scdc_stream_free(p->stream);
    scdc_model_free(p->model);
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
                 "of the fit again. Files larger than memory and pipes (DATA -) are placed part by "
                 "part as they come, unless --together or --annotations need all items at once.",
        .uses = USES_JSON | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc predict RUN new-items.npy -o labels.csv\n"
                    "  scdc predict RUN new-items.npy --proba proba.npy\n"
                    "  zcat items.csv.gz | scdc predict RUN - | gzip > labels.csv.gz\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        p.run = line.operand[0];
        p.data_path = line.operand[1];
        p.common = &line.common;
        code = open_inputs(&p);
        if (code == EXIT_GOOD) code = place_all(&p);
        if (code == EXIT_GOOD) code = say_what_was_done(&p);
    }
    prediction_free(&p);
    options_free(&line);
    return code;
}
