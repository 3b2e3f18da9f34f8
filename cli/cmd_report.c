/* scdc report: RUN/report.html again, from what is in RUN and from the inputs where they still
 * are. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "run_labels.h"
#include "run_report.h"
#include "run_source.h"

#include <scdc/report.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    run_report report;
    const char *data, *truth; /* given by options, in place of those that were recorded */
    text_list annotations;
    json_t *json; /* run.json */
    scdc_model *model;
    fit_inputs in;
    fit_outcome outcome;
    scdc_data *table; /* labels.csv: cluster, probability, component */
    char **owned;     /* texts: paths and notes */
    size_t n_owned;
    const char **notes;
    bool own_answers; /* those that RUN keeps */
    bool joined;      /* items of several files, each of which is what it was */
} job;

static const char *keep(job *j, char *text)
{
    j->owned = must_resize(j->owned, j->n_owned + 1, sizeof *j->owned);
    j->owned[j->n_owned++] = text;
    return text;
}

__attribute__((format(printf, 2, 3))) static void note(job *j, const char *format, ...)
{
    va_list values;
    char *text = NULL;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0) return;
    j->notes = must_resize(j->notes, j->report.notes.count + 1, sizeof *j->notes);
    j->notes[j->report.notes.count++] = keep(j, text);
    j->report.notes.values = j->notes;
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* A recorded path, from the directory the fit ran in. */
static const char *recorded_path(job *j, const json_t *value)
{
    char *path = run_recorded_path(j->json, value);
    return path ? keep(j, path) : NULL;
}

static bool is_recorded(const job *j, const char *input, uint32_t checksum)
{
    const json_t *then = json_object_get(json_object_get(j->json, "inputs"), input);
    const char *text = json_string_value(json_object_get(then, "crc32"));
    char now[16];
    snprintf(now, sizeof now, "%08x", (unsigned)checksum);
    return text && strcmp(now, text) == 0;
}

/* What is not what the fit had is left out. */
static void drop_strangers(job *j)
{
    if (j->in.data && !j->joined && !is_recorded(j, "data", scdc_data_checksum(j->in.data))) {
        note(j,
             "%s is not the file the run was fitted on (its checksum differs), so there are no "
             "pictures and no latent space.",
             j->in.data_path);
        scdc_data_free(j->in.data);
        j->in.data = NULL;
    }
    if (j->in.crowd && !j->own_answers &&
        !is_recorded(j, "annotations", scdc_crowd_checksum(j->in.crowd))) {
        note(j, "The answers are not those the run was fitted on, so none are shown.");
        scdc_crowd_free(j->in.crowd);
        j->in.crowd = NULL;
    }
}

static void open_data(job *j)
{
    const json_t *data = json_object_get(json_object_get(j->json, "inputs"), "data");
    const char *path = j->data ? j->data : recorded_path(j, json_object_get(data, "path"));
    if (!path || strcmp(path, "-") == 0) {
        note(j, "The items came from standard input, so there are no pictures and no latent "
                "space. --data DATA brings them back.");
        return;
    }
    j->in.data_path = path;
    const json_t *more = json_object_get(json_object_get(j->json, "inputs"), "more_data");
    if (!j->data && json_array_size(more)) {
        if (run_items_open(&j->in.data, &(run_source){.run = j->report.run, .json = j->json}) ==
            EXIT_GOOD) {
            j->joined = true;
            return;
        }
    } else if (scdc_data_open(&j->in.data, path) == SCDC_OK) {
        return;
    }
    note(j,
         "The items could not be read (%s), so there are no pictures and no latent space. --data "
         "DATA says where they are.",
         scdc_last_error());
}

static void open_answers(job *j)
{
    const json_t *answers = json_object_get(json_object_get(j->json, "inputs"), "annotations");
    const json_t *paths = json_object_get(answers, "paths"), *path;
    size_t i, count = j->annotations.count;
    if (!json_is_object(answers)) return;
    const char **files = must_resize(NULL, count + 1 + json_array_size(paths), sizeof *files);
    for (i = 0; i < count; i++) files[i] = j->annotations.values[i];
    j->own_answers = !count && run_has_answers(j->report.run);
    if (j->own_answers) {
        files[count++] = keep(j, run_path(j->report.run, RUN_ANSWERS));
    } else if (!count) {
        json_array_foreach(paths, i, path)
        {
            const char *file = recorded_path(j, path);
            if (file) files[count++] = file;
        }
    }
    j->in.annotations = (text_list){files, count};
    /* labels.csv has the names of the items, when they themselves are gone. */
    const scdc_data *items = j->in.data ? j->in.data : j->table;
    const char *why;
    if (count && read_crowd(&j->in.crowd, &why, files, count, items) != SCDC_OK)
        note(j, "The answers could not be read (%s), so none are shown.", why);
}

/* Asked for, it must be there; recorded, it may be gone. */
static int open_truth(job *j)
{
    const json_t *recorded = json_object_get(json_object_get(j->json, "inputs"), "truth");
    const scdc_data *items = j->in.data ? j->in.data : j->report.names;
    if (j->truth) return open_labels(&j->in.truth, j->truth, items);
    const char *path = recorded_path(j, recorded);
    if (path && scdc_labels_open(&j->in.truth, path, items) != SCDC_OK)
        note(j, "The true classes could not be read (%s).", scdc_last_error());
    return EXIT_GOOD;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int run(job *j, const common_options *common)
{
    int code = open_model(&j->model, j->report.run);
    if (code != EXIT_GOOD) return code;
    code = fit_outcome_begin(&j->outcome, j->model);
    j->json = run_json_load(j->report.run);
    if (!j->json && code == EXIT_GOOD)
        code = refuse(EXIT_INPUT, "%s: there is no readable %s in it", j->report.run, RUN_JSON);
    if (code == EXIT_GOOD) code = run_labels_read(&j->table, &j->outcome, j->report.run);
    if (code != EXIT_GOOD) return code;
    open_data(j);
    open_answers(j);
    drop_strangers(j);
    if (!j->in.data) j->report.names = j->table;
    code = open_truth(j);
    if (code == EXIT_GOOD && j->in.data && j->in.show_path &&
        scdc_pictures_check(j->in.show_path, j->in.data) != SCDC_OK)
        code = report_failure(SCDC_ERR_INPUT);
    j->report.model = j->model;
    j->report.in = &j->in;
    j->report.outcome = &j->outcome;
    int status = scdc_model_set_threads(j->model, (int)common->threads);
    if (status != SCDC_OK) return report_failure(status);
    progress_watch_begin(common->quiet);
    if (code == EXIT_GOOD) code = run_report_write(&j->report);
    progress_watch_end();
    if (code != EXIT_GOOD) return code;
    char *path = run_path(j->report.run, RUN_REPORT);
    const char *file = j->report.output ? j->report.output : path;
    if (j->truth && !common->quiet) say_guess(j->truth, j->in.truth);
    for (size_t i = 0; i < j->report.notes.count && !common->quiet; i++)
        say("note: %s", j->report.notes.values[i]);
    if (common->json) {
        code = print_json(json_pack("{s:o,s:I}", "file", json_text(file), "notes",
                                    (json_int_t)j->report.notes.count));
    } else if (!common->quiet) {
        say("%s", file);
    }
    free(path);
    return code;
}

static void job_free(job *j)
{
    for (size_t i = 0; i < j->n_owned; i++) free(j->owned[i]);
    free(j->owned);
    free(j->notes);
    free(j->in.annotations.values);
    fit_inputs_free(&j->in);
    fit_outcome_free(&j->outcome);
    scdc_data_free(j->table);
    scdc_model_free(j->model);
    json_decref(j->json);
}

int cmd_report(int argc, char **argv)
{
    job j = {0};
    const option options[] = {
        OPTION(TEXT, "output", 'o', &j.report.output, "FILE", "the page to write",
               .fallback = "RUN/report.html"),
        OPTION(TEXT, "figures", 0, &j.report.figures, "DIR",
               "also write the charts as SVG files into DIR"),
        OPTION(TEXT, "truth", 0, &j.truth, "FILE",
               "true classes, for scores and the table of "
               "clusters against classes"),
        OPTION(TEXT, "data", 0, &j.data, "DATA", "the items, when they have moved"),
        OPTION(TEXT, "show", 0, &j.in.show_path, "FOLDER",
               "pictures of the items, where these are embeddings", .fallback = "that of the fit"),
        OPTION(TEXTS, "annotations", 'a', &j.annotations, "FILE",
               "the answers, when they have moved; may be given several times"),
    };
    command_line line = {
        .command = "report",
        .operands = "RUN",
        .least = 1,
        .most = 1,
        .about = "Writes RUN/report.html: clusters with their pictures, the latent space, workers, "
                 "disputed answers, the course of the fit and how to repeat it, in one file that "
                 "needs nothing else. Items and answers are read again from where the fit found "
                 "them; what is gone or has changed is left out, and the page says so.",
        .uses = USES_JSON | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc report RUN\n"
                    "  scdc report RUN --truth truth.csv --figures figures\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        j.report.run = line.operand[0];
        code = run(&j, &line.common);
    }
    job_free(&j);
    options_free(&line);
    return code;
}
