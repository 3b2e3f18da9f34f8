/* scdc predict: puts items into the clusters of a fitted model. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "processes.h"
#include "progress.h"
#include "run_dir.h"

#include <scdc/ranks.h>
#include <scdc/stream.h>
#include <stdlib.h>
#include <string.h>

/* Items are placed part by part, in memory that does not grow with their number; those who hear
 * answers or each other are one part. Of several processes each places parts of its own, or its
 * part of all, and the first one writes. */
typedef struct prediction {
    const char *run, *data_path, *output, *proba_path;
    bool together;
    text_list annotations;
    const common_options *common;
    scdc_model *model;
    scdc_model_info info;
    scdc_stream *stream; /* NULL: all at once */
    scdc_data *part;     /* NULL: other processes may have one */
    bool opened, ended;
    scdc_crowd *crowd; /* answers about these items, or NULL */
    scdc_predictions *files;
    size_t done, capacity; /* items: placed so far, that the arrays have room for */
    int64_t *labels, *component;
    double *probability;
    float *proba; /* items x clusters; NULL when nobody wants it */
} prediction;

/* Items of a part: enough for all cores, few enough for any memory, and one for each process. */
static size_t rows_at_once(const prediction *p)
{
    enum { LEAST = 512, MOST = 65536 };
    size_t rows = ((size_t)1 << 22) / (p->info.cols ? p->info.cols : 1);
    size_t processes = scdc_ranks_count(), all = scdc_stream_rows(p->stream);
    size_t share = all ? all / processes / LEAST * LEAST + LEAST : LEAST;
    if (processes > 1 && rows > share) rows = share;
    return rows < LEAST ? LEAST : rows > MOST ? MOST : rows;
}

static bool all_at_once(const prediction *p)
{
    return p->together || p->annotations.count;
}

/* Closes the last part and opens the next; p->ended when no process has one. */
static int next_part(prediction *p)
{
    scdc_data_free(p->part);
    p->part = NULL;
    int status = SCDC_OK;
    if (p->stream) status = scdc_stream_next(&p->part, p->stream, rows_at_once(p));
    else if (!p->opened) status = scdc_data_open(&p->part, p->data_path);
    p->opened = true;
    p->ended = p->stream ? scdc_stream_ended(p->stream) : !p->part;
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* Processes with other models would write labels that do not belong together. */
static int compare_models(const prediction *p)
{
    char text[200];
    size_t epochs;
    const scdc_epoch *history = scdc_model_epochs(p->model, &epochs);
    snprintf(text, sizeof text, "%zu clusters of %zu components after %zu epochs, bound %.17g",
             p->info.clusters, p->info.components, epochs, epochs ? history[epochs - 1].bound : 0);
    int status = scdc_ranks_same("model", text);
    if (status == SCDC_OK) status = scdc_ranks_same("items", p->data_path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int open_own_model(prediction *p)
{
    int code = open_model(&p->model, p->run), status;
    if (code != EXIT_GOOD) return code;
    size_t threads = p->common->threads;
    status = scdc_model_set_threads(p->model, threads < 1024 ? (int)threads : 1024);
    if (status == SCDC_OK) status = scdc_model_get_info(&p->info, p->model);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int open_stream(prediction *p)
{
    if (all_at_once(p)) return EXIT_GOOD;
    int status = scdc_stream_open(&p->stream, p->data_path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* What several processes cannot do. */
static int check_processes(const prediction *p)
{
    if (scdc_ranks_count() == 1) return EXIT_GOOD;
    if (all_at_once(p) && strcmp(p->data_path, "-") == 0)
        return refuse(EXIT_USAGE, "several processes read all items at once from a file only");
    if (p->common->json && !p->output)
        return refuse(EXIT_USAGE, "several processes need -o FILE.csv with --json");
    return EXIT_GOOD;
}

static int open_inputs(prediction *p)
{
    int code = agree(check_processes(p));
    if (code == EXIT_GOOD) code = agree(open_own_model(p));
    if (code == EXIT_GOOD) code = compare_models(p);
    if (code == EXIT_GOOD) code = agree(open_stream(p));
    if (code == EXIT_GOOD) code = next_part(p);
    if (code != EXIT_GOOD || !p->annotations.count) return code;
    return open_crowd(&p->crowd, p->annotations.values, p->annotations.count, p->part);
}

static bool writes_labels(const prediction *p)
{
    return p->output || !p->common->json;
}

static int open_outputs(prediction *p, size_t rows)
{
    if (p->stream) rows = scdc_stream_rows(p->stream);
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

/* Places the part of this process; *rows: how many it has. */
static int place_part(size_t *rows, prediction *p)
{
    scdc_data_info items;
    int status = scdc_data_get_info(&items, p->part);
    if (status != SCDC_OK) return report_failure(status);
    if (items.cols != p->info.cols) {
        return refuse(EXIT_INPUT, "%s: items of %zu values, but %s was fitted on items of %zu",
                      p->data_path, items.cols, p->run, p->info.cols);
    }
    *rows = items.rows;
    make_room(p, items.rows);
    progress_watch_begin(p->common->quiet);
    status = (p->together ? scdc_predict_together : scdc_predict)(
        p->labels, p->probability, p->component, p->proba, p->model, p->part, p->crowd);
    progress_watch_end();
    /* The argument left to be wrong is the range of the values. */
    if (status == SCDC_ERR_ARGUMENT)
        return refuse(EXIT_INPUT, "%s: %s", p->data_path, scdc_last_error());
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* A part of one process is its own affair; all items at once are everybody's, and one process
 * brings their results. */
static int place_own(size_t *rows, prediction *p)
{
    int code = EXIT_GOOD;
    *rows = 0;
    scdc_ranks_alone(p->stream != NULL);
    if (p->part) code = place_part(rows, p);
    if (p->stream) scdc_ranks_alone(0);
    else if (scdc_ranks_rank() > 0) *rows = 0;
    return agree(code);
}

static int place_all(prediction *p)
{
    int code = EXIT_GOOD, status = SCDC_OK;
    while (code == EXIT_GOOD && !p->ended) {
        size_t rows;
        code = place_own(&rows, p);
        if (code == EXIT_GOOD && !p->files) code = open_outputs(p, rows);
        if (code != EXIT_GOOD) return code;
        status = scdc_predictions_add(p->files, p->part, p->labels, p->probability, p->component,
                                      p->proba, rows);
        if (status != SCDC_OK) return report_failure(status);
        if (!writes_labels(p)) code = print_items(p, rows);
        p->done = scdc_predictions_count(p->files);
        if (code == EXIT_GOOD) code = next_part(p);
    }
    if (code != EXIT_GOOD) return code;
    status = scdc_predictions_finish(p->files);
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
