/* scdc update: new answers, and new items, for a RUN, without a new fit. */
#include "answer_files.h"
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "run_log.h"
#include "run_report.h"
#include "run_source.h"
#include "run_swap.h"
#include "signals.h"

#include <scdc/update.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct update_job {
    const command_line *line;
    const char *run, *output, *more_path, *truth_path, *known_path;
    text_list annotations;
    size_t epochs;
    bool again;
    int argc;
    char **argv;
    run_source from;
    scdc_data *more;  /* items that are new, or NULL */
    scdc_data *data;  /* all items */
    scdc_crowd *news; /* the new answers, or NULL */
    scdc_crowd *all;
    char *kept_path;      /* RUN/worker-prior.csv, or NULL */
    json_t *fingerprints; /* of the new files */
    size_t earlier;       /* items before */
    size_t changed;
    size_t had;    /* answers of the files that RUN had already */
    fit_inputs in; /* what all of it is now; borrowed */
    fit_outcome outcome;
    run_dir dir; /* where results are made */
    run_swap swap;
    progress_line progress;
    double begun;
} update_job;

/* ---- inputs --------------------------------------------------------------------------------- */

static int open_more(update_job *j)
{
    j->earlier = j->from.info.items;
    if (!j->more_path) {
        j->data = j->from.data;
        return EXIT_GOOD;
    }
    int code = open_items(&j->more, j->more_path);
    if (code != EXIT_GOOD) return code;
    const scdc_data *parts[] = {j->from.data, j->more};
    if (scdc_data_join(&j->data, parts, 2) == SCDC_OK) return EXIT_GOOD;
    return refuse(EXIT_INPUT, "%s: %s", j->more_path, scdc_last_error());
}

static const json_t *earlier_files(const update_job *j)
{
    const json_t *inputs = json_object_get(j->from.json, "inputs");
    return json_object_get(json_object_get(inputs, "annotations"), "fingerprints");
}

/* The file that tells of known workers: given now, or kept since the fit. */
static const char *known_file(update_job *j)
{
    char *path = run_path(j->run, RUN_KNOWN);
    j->kept_path = access(path, F_OK) == 0 ? path : NULL;
    if (!j->kept_path) free(path);
    return j->known_path ? j->known_path : j->kept_path;
}

/* Files grow: what RUN has already does not count twice. */
static int leave_out_known(update_job *j)
{
    size_t count = 0;
    scdc_crowd_answers(j->news, &count);
    int status = scdc_crowd_leave_out(&j->news, &j->had, j->from.crowd);
    if (status != SCDC_OK) return report_failure(status);
    if (!j->had) return EXIT_GOOD;
    if (j->news) {
        if (j->line->common.quiet) return EXIT_GOOD;
        say("%zu of %zu answers are in %s already and left out; --again counts them once more",
            j->had, count, j->run);
        return EXIT_GOOD;
    }
    int code = refuse(EXIT_INPUT, "%s: all of these %zu answers are in %s already",
                      j->annotations.values[0], count, j->run);
    hint("--again counts them once more");
    return code;
}

static int open_news(update_job *j)
{
    if (!j->annotations.count && !j->more && !j->epochs) {
        int code = refuse(EXIT_USAGE, "there is nothing to update %s with", j->run);
        hint("--annotations names new answers, --data new items, --epochs trains on");
        return code;
    }
    if (j->annotations.count) {
        int code = open_crowd(&j->news, j->annotations.values, j->annotations.count, j->data);
        if (code != EXIT_GOOD) return code;
        j->fingerprints = answer_files_json(&j->annotations, j->news, j->data);
        if (!j->again)
            code = answer_files_check(&j->annotations, j->fingerprints, earlier_files(j));
        if (code == EXIT_GOOD && !j->again) code = leave_out_known(j);
        if (code != EXIT_GOOD) return code;
    }
    const scdc_crowd *parts[] = {j->from.crowd, j->news};
    for (size_t i = 0; i < LENGTH_OF(parts); i++) {
        if (!parts[i]) continue;
        int status = scdc_crowd_append(&j->all, parts[i]);
        if (status != SCDC_OK) return report_failure(status);
    }
    if (j->all) return know_workers(j->all, known_file(j), j->line->common.quiet);
    int code = refuse(EXIT_USAGE, "%s has no answers, and there are no new ones", j->run);
    hint("'scdc predict' places new items; --annotations names answers");
    return code;
}

static void say_inputs(const update_job *j)
{
    size_t before = 0, now = 0, fresh = 0;
    if (j->line->common.quiet) return;
    scdc_crowd_answers(j->from.crowd, &before);
    scdc_crowd_answers(j->all, &now);
    scdc_crowd_answers(j->news, &fresh);
    say("%s: %zu items and %zu answers so far; %zu new answers", j->run, j->earlier, before, fresh);
}

/* What the results are made from, as a fit's. */
static int describe_inputs(update_job *j)
{
    j->in = (fit_inputs){.data = j->data, .crowd = j->all};
    int status = scdc_data_get_info(&j->in.items, j->data);
    if (status == SCDC_OK) status = scdc_crowd_get_info(&j->in.answers, j->all);
    if (status != SCDC_OK) return report_failure(status);
    char *recorded = run_recorded_path(
        j->from.json, json_object_get(json_object_get(j->from.json, "inputs"), "truth"));
    int code = EXIT_GOOD;
    if (j->truth_path) {
        code = open_labels(&j->in.truth, j->truth_path, j->data);
    } else if (recorded && !j->more &&
               scdc_labels_open(&j->in.truth, recorded, j->data) != SCDC_OK) {
        j->in.truth = NULL; /* gone: no scores then */
    }
    if (j->in.truth && scdc_labels_count(j->in.truth) != j->in.items.rows) {
        if (j->truth_path)
            code = refuse(EXIT_INPUT, "%s: %zu labels, but there are %zu items", j->truth_path,
                          scdc_labels_count(j->in.truth), j->in.items.rows);
        scdc_labels_free(j->in.truth);
        j->in.truth = NULL;
    }
    free(recorded);
    return code;
}

static int prepare(update_job *j)
{
    int code = run_source_open(&j->from, j->run);
    if (code == EXIT_GOOD) code = run_source_labels(&j->from);
    if (code == EXIT_GOOD) code = open_more(j);
    if (code == EXIT_GOOD) code = open_news(j);
    if (code == EXIT_GOOD) code = describe_inputs(j);
    return code;
}

/* ---- updating ------------------------------------------------------------------------------- */

static int on_progress(const scdc_progress *p, void *user)
{
    update_job *j = user;
    progress_show(&j->progress, p);
    return signals_caught();
}

/* A memory only: without it, or when it is of something else, the update makes it anew. */
static void recall_items(update_job *j)
{
    char *path = run_path(j->run, RUN_ITEMS);
    if (access(path, F_OK) == 0 && scdc_items_load(j->from.model, j->data, path) != SCDC_OK)
        say("%s; it is made anew", scdc_last_error());
    free(path);
}

static int update(update_job *j)
{
    scdc_update options;
    scdc_update_init(&options);
    options.labels = j->from.labels.labels;
    options.epochs = j->epochs;
    options.progress = j->epochs ? on_progress : NULL;
    options.user = j;
    int status = scdc_model_set_threads(j->from.model, (int)j->line->common.threads);
    recall_items(j);
    signals_catch();
    progress_begin(&j->progress, j->line->common.quiet || !j->epochs, j->in.items.rows);
    progress_watch_begin(j->line->common.quiet);
    if (status == SCDC_OK) status = scdc_model_update(j->from.model, j->data, j->all, &options);
    progress_watch_end();
    progress_clear(&j->progress);
    if (status == SCDC_OK) return EXIT_GOOD;
    int code = report_failure(status);
    hint("%s is as it was before", j->run);
    return status == SCDC_ERR_STOPPED ? EXIT_INTERRUPTED : code;
}

/* ---- results -------------------------------------------------------------------------------- */

static int save_changes(update_job *j)
{
    char *path = run_path(j->dir.path, RUN_CHANGES);
    int status =
        scdc_write_changes(path, &j->changed, j->data, j->from.labels.labels, j->earlier,
                           j->outcome.labels, j->outcome.probability, j->in.items.rows, j->news);
    free(path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int save_log(const update_job *j)
{
    run_log log;
    int code = run_log_begin(&log, j->dir.path, NULL);
    if (code == EXIT_GOOD) code = run_log_end(&log, j->from.model);
    run_log_free(&log);
    return code;
}

static int save(update_job *j)
{
    const scdc_model *model = j->from.model;
    const run_update what = {.from = j->from.json,
                             .in = &j->in,
                             .annotations = j->annotations,
                             .fingerprints = j->fingerprints,
                             .news = j->news,
                             .more_path = j->more_path,
                             .more = j->more,
                             .epochs = j->epochs,
                             .argc = j->argc,
                             .argv = j->argv};
    j->dir = (run_dir){.path = j->swap.made, .lock = -1};
    int code = fit_outcome_begin(&j->outcome, model);
    if (code == EXIT_GOOD) code = run_save_model(&j->dir, model);
    if (code == EXIT_GOOD) code = run_save_labels(&j->outcome, &j->dir, model, &j->in);
    if (code == EXIT_GOOD) code = run_save_workers(&j->dir, model, j->outcome.info.workers);
    if (code == EXIT_GOOD) code = run_save_answers(&j->dir, &j->in);
    if (code == EXIT_GOOD) code = run_save_items(&j->dir, model, &j->in);
    if (code == EXIT_GOOD)
        code = keep_known_workers(j->dir.path, j->known_path ? j->known_path : j->kept_path);
    if (code == EXIT_GOOD) code = save_changes(j);
    if (code == EXIT_GOOD) code = save_log(j);
    if (code == EXIT_GOOD) code = run_record_update(&j->dir, &what, &j->outcome, model, j->changed);
    if (code != EXIT_GOOD) return code;
    const run_report report = {
        .run = j->dir.path, .model = model, .in = &j->in, .outcome = &j->outcome, .brief = true};
    code = run_report_write(&report);
    return code == EXIT_GOOD ? run_swap_end(&j->swap) : code;
}

static int print_result(const update_job *j)
{
    const fit_outcome *o = &j->outcome;
    size_t fresh = 0;
    scdc_crowd_answers(j->news, &fresh);
    const char *run = j->output ? j->output : j->run;
    if (j->line->common.json) {
        return print_json(
            json_pack("{s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o}", "run", json_text(run), "answers",
                      (json_int_t)o->info.answers, "new_answers", (json_int_t)fresh,
                      "known_answers", (json_int_t)j->had, "items", (json_int_t)o->info.items,
                      "clusters", (json_int_t)o->info.clusters, "workers",
                      (json_int_t)o->info.workers, "changed", (json_int_t)j->changed, "scores",
                      o->scored ? scores_json(&o->scores, &o->calibration) : json_null()));
    }
    if (!j->line->common.quiet)
        printf("%zu answers in all, %zu clusters, %zu items moved\n", o->info.answers,
               o->info.clusters, j->changed);
    if (o->scored)
        printf("ACC %.4f  NMI %.4f  AMI %.4f  ARI %.4f\n", o->scores.acc, o->scores.nmi,
               o->scores.ami, o->scores.ari);
    return EXIT_GOOD;
}

static int run(update_job *j)
{
    int code = run_swap_begin(&j->swap, j->run, j->output);
    if (code == EXIT_GOOD) code = prepare(j);
    if (code == EXIT_GOOD) say_inputs(j);
    if (code == EXIT_GOOD) code = update(j);
    if (code == EXIT_GOOD) code = save(j);
    if (code == EXIT_GOOD) code = print_result(j);
    run_swap_free(&j->swap);
    return code;
}

static void job_free(update_job *j)
{
    if (j->data != j->from.data) scdc_data_free(j->data);
    scdc_data_free(j->more);
    scdc_crowd_free(j->news);
    scdc_crowd_free(j->all);
    scdc_labels_free(j->in.truth);
    fit_outcome_free(&j->outcome);
    json_decref(j->fingerprints);
    free(j->kept_path);
    run_source_free(&j->from);
}

int cmd_update(int argc, char **argv)
{
    update_job j = {.swap = {.lock = -1}};
    const option options[] = {
        OPTION(TEXTS, "annotations", 'a', &j.annotations, "FILE",
               "new answers; may be given several times"),
        OPTION(TEXT, "data", 0, &j.more_path, "MORE",
               "items that were not in the fit; they are numbered after the others"),
        OPTION(COUNT, "epochs", 0, &j.epochs, "E", "train the networks on, so many epochs",
               .fallback = "networks stay"),
        OPTION(TEXT, "worker-prior", 0, &j.known_path, "FILE",
               "workers.csv of another run: who is named there is no stranger",
               .fallback = "that of the fit"),
        OPTION(FLAG, "again", 0, &j.again, NULL, "take answers that RUN has had already"),
        OPTION(TEXT, "truth", 0, &j.truth_path, "FILE",
               "true classes, to print scores; never used otherwise",
               .fallback = "those of the fit"),
        OPTION(TEXT, "output", 'o', &j.output, "RUN2",
               "a new directory for the results; RUN then stays as it is", .fallback = "RUN"),
    };
    command_line line = {
        .command = "update",
        .operands = "RUN",
        .least = 1,
        .most = 1,
        .about = "Adds new answers, or new items, to a fitted RUN without a new fit: workers and "
                 "clusters are found again from all answers so far, networks stay. Clusters keep "
                 "their numbers. RUN/changes.csv tells which items moved, and because of which "
                 "answers. RUN is replaced as a whole at the end, or not at all.",
        .uses = USES_JSON | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc update RUN --annotations monday.csv\n"
                    "  scdc update RUN -a tuesday.csv --data new-items.npy -o RUN2\n",
    };
    j.line = &line;
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        j.run = line.operand[0];
        j.argc = argc;
        j.argv = argv;
        code = run(&j);
    }
    job_free(&j);
    options_free(&line);
    return code;
}
