/* From the files of a run to its report. */
#include "run_report.h"

#include "commands.h"
#include "output.h"
#include "run_changes.h"
#include "run_facts.h"
#include "run_log.h"
#include "run_source.h"

#include <errno.h>
#include <math.h>
#include <scdc/asking.h>
#include <scdc/report.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of more items an outlook takes a second, which is long for an update. */
enum { BRIEF_ITEMS = 10000 };

/* ---- writing -------------------------------------------------------------------------------- */

json_t *run_json_load(const char *run)
{
    FILE *file = run_open(run, RUN_JSON);
    json_t *json = file ? json_loadf(file, 0, NULL) : NULL;
    if (file) fclose(file);
    return json;
}

int make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return EXIT_GOOD;
    return refuse(EXIT_FAILED, "%s: cannot make the directory: %s", path, strerror(errno));
}

static int write_all(const run_report *r, const scdc_report *report)
{
    char *path = r->output ? NULL : run_path(r->run, RUN_REPORT);
    int code = EXIT_GOOD, status = scdc_report_write(r->output ? r->output : path, report);
    free(path);
    if (status == SCDC_OK && r->figures) {
        code = make_folder(r->figures);
        if (code == EXIT_GOOD) status = scdc_report_figures(r->figures, report);
    }
    return status == SCDC_OK ? code : report_failure(status);
}

/* The folder that was named, or the one that RUN remembers while it is what it was. */
static char *find_pictures(const run_report *r, const json_t *json)
{
    const json_t *then = json_object_get(json_object_get(json, "inputs"), "show");
    if (!r->in->data) return NULL;
    if (r->in->show_path) return strdup(r->in->show_path);
    char *path = json_is_string(then) ? run_recorded_path(json, then) : NULL;
    if (path && scdc_pictures_check(path, r->in->data) != SCDC_OK) {
        say("note: the report shows no pictures (%s); --show FOLDER of 'scdc report' says where "
            "they are",
            scdc_last_error());
        free(path);
        path = NULL;
    }
    return path;
}

/* The outlook of a run that has items, labels and answers; NULL where there is none to give. */
static scdc_outlook *find_outlook(const run_report *r)
{
    scdc_plan_options o;
    scdc_outlook *outlook = NULL;
    scdc_crowd_info answers;
    if (!r->in->data || !r->in->crowd || !r->outcome->labels) return NULL;
    if (r->brief && r->in->items.rows > BRIEF_ITEMS) return NULL;
    scdc_plan_options_init(&o);
    o.threads = scdc_model_options(r->model)->threads;
    bool any = scdc_crowd_get_info(&answers, r->in->crowd) == SCDC_OK && answers.answers > 0;
    if (any && scdc_plan(&outlook, r->model, r->in->data, r->in->crowd, &o) != SCDC_OK)
        say("note: the report has no outlook (%s)", scdc_last_error());
    return outlook;
}

int run_report_write(const run_report *r)
{
    run_facts f;
    scdc_report report;
    json_t *json = run_json_load(r->run);
    run_facts_read(&f, json, r->run, scdc_model_options(r->model)->seed);
    scdc_report_init(&report);
    report.model = r->model;
    report.labels = r->outcome->labels;
    report.probability = r->outcome->probability;
    report.component = r->outcome->component;
    report.data = r->in->data;
    report.crowd = r->in->crowd;
    report.truth = r->in->truth;
    report.names = r->names;
    char *show = find_pictures(r, json);
    report.show = show;
    report.source = f.source;
    report.command = f.command && *f.command ? f.command : NULL;
    report.facts = (const char *const *)f.words;
    report.n_facts = f.count / 2;
    report.notes = r->notes.values;
    report.n_notes = r->notes.count;
    report.starts = f.starts;
    report.n_starts = f.n_starts;
    if (isfinite(f.stability)) report.stability = f.stability;
    size_t epochs;
    scdc_model_epochs(r->model, &epochs);
    double *seconds = run_log_seconds(r->run, epochs);
    report.seconds = seconds;
    run_changes changes;
    run_changes_read(&changes, r->run);
    report.updates = f.updates;
    report.changes = (const char *const *)changes.rows;
    report.n_changes = changes.count;
    scdc_outlook *outlook = find_outlook(r);
    report.outlook = outlook;
    int code = write_all(r, &report);
    scdc_outlook_free(outlook);
    run_changes_free(&changes);
    free(seconds);
    free(show);
    run_facts_free(&f);
    json_decref(json);
    return code;
}
