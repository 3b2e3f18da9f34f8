/* scdc fit: clusters items, into a RUN directory. Options, inputs, directory and results have files
 * of their own; here is the way through them. */
#include "commands.h"
#include "fit_frames.h"
#include "fit_options.h"
#include "fit_summary.h"
#include "inputs.h"
#include "output.h"
#include "processes.h"
#include "progress.h"
#include "run_log.h"
#include "run_report.h"
#include "signals.h"

#include <errno.h>
#include <scdc/ranks.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fit_job {
    const command_line *line;
    fit_options asked;
    scdc_options options; /* from what was asked */
    fit_inputs in;
    const char *run;
    bool resume, timings;
    bool follows; /* another process writes the files */
    fit_frames frames;
    run_dir dir;
    run_record record;
    run_log log;
    progress_line progress;
    scdc_model *model;
    size_t epochs;     /* of a resumed fit, in all */
    double checkpoint; /* seconds between two saves of the model; 0 = none */
    double saved;      /* when the last was, or the fit began */
    bool kept;         /* a checkpoint was saved */
    bool warned, told; /* a checkpoint or frame failed; the user knows that we are stopping */
} fit_job;

/* ---- before training ------------------------------------------------------------------------ */

static void say_inputs(const fit_job *job)
{
    const scdc_data_info *i = &job->in.items;
    if (i->height > 1 || i->width > 1) {
        say("%s: %zu images of %zu x %zu%s", job->in.data_path, i->rows, i->width, i->height,
            i->channels == 3 ? " in colour" : "");
    } else {
        say("%s: %zu items of %zu values", job->in.data_path, i->rows, i->cols);
    }
    say_class_column(job->in.data_path, job->in.data);
    if (job->in.truth) say_guess(job->in.truth_path, job->in.truth);
    const scdc_crowd_info *a = &job->in.answers;
    if (job->in.crowd) {
        say("%zu answers of %zu workers about %zu items", a->answers, a->workers, a->items);
    } else {
        say("no answers: clusters come from the items alone");
    }
}

/* To how many epochs a resumed fit goes. */
static int choose_epochs(fit_job *job, const scdc_model_info *info)
{
    job->epochs = job->options.epochs;
    /* A fit that ended early because its bound stopped rising is not pushed on unasked. */
    if (!job->epochs) {
        job->epochs = info->finished ? info->epochs_done : scdc_model_options(job->model)->epochs;
    }
    if (job->epochs > info->epochs_done) return EXIT_GOOD;
    if (!info->finished || job->epochs < info->epochs_done) {
        return refuse(EXIT_USAGE, "--epochs %zu: the fit in %s has done %zu epochs already",
                      job->epochs, job->run, info->epochs_done);
    }
    if (!job->line->common.quiet)
        say("%s has all of its %zu epochs; --epochs asks for more", job->run, info->epochs_done);
    return EXIT_GOOD;
}

/* Loads the fit to go on with, and checks that it is the one that was asked for. */
static int prepare_resume(fit_job *job)
{
    scdc_model_info info;
    int code = open_model(&job->model, job->run);
    if (code == EXIT_GOOD) code = fit_inputs_agree(&job->in, job->dir.earlier);
    if (code != EXIT_GOOD) return code;
    const scdc_options *kept = scdc_model_options(job->model);
    code = fit_options_agree(&job->asked, &job->options, kept);
    if (code != EXIT_GOOD) return code;
    if (!fit_options_given(&job->asked, "checkpoint")) job->checkpoint = kept->checkpoint;
    int status = scdc_model_set_threads(job->model, job->options.threads);
    if (status == SCDC_OK) status = scdc_model_get_info(&info, job->model);
    return status == SCDC_OK ? choose_epochs(job, &info) : report_failure(status);
}

/* A fit that was killed before it saved a model begins anew, with the options it had. */
static int prepare_anew(fit_job *job)
{
    scdc_options kept;
    fit_options_recall(&kept, &job->asked, &job->options,
                       json_object_get(job->dir.earlier, "options"));
    int code = fit_inputs_agree(&job->in, job->dir.earlier);
    if (code == EXIT_GOOD) code = fit_options_agree(&job->asked, &job->options, &kept);
    if (code != EXIT_GOOD) return code;
    job->options = kept;
    job->resume = false;
    if (!job->line->common.quiet)
        say("%s was killed before it saved a model: it begins anew", job->run);
    return EXIT_GOOD;
}

/* What every process can say before anything is written. */
static int look(fit_job *job)
{
    int code = agree(run_dir_look(&job->dir, job->run, job->resume));
    if (code == EXIT_GOOD) code = fit_inputs_open(&job->in);
    if (code == EXIT_GOOD) code = fit_frames_check(&job->frames, &job->in.items);
    if (code != EXIT_GOOD) return code;
    if (!job->line->common.quiet) say_inputs(job);
    if (job->resume && run_dir_begins_anew(&job->dir)) code = prepare_anew(job);
    job->checkpoint = job->options.checkpoint;
    if (code == EXIT_GOOD && job->resume) code = prepare_resume(job);
    return code;
}

/* The directory is this fit's from here on. */
static int claim(fit_job *job, int argc, char **argv)
{
    int code = run_dir_claim(&job->dir, job->resume);
    if (code != EXIT_GOOD) return code;
    run_record_begin(&job->record, &job->dir, &job->in, "fit", argc, argv);
    job->record.timings = job->timings;
    if (job->resume) return run_log_begin(&job->log, job->run, job->model);
    /* From here on the directory is a RUN, also if this program is killed. */
    code = run_record_save(&job->record, "running", &job->options, NULL, NULL);
    if (code != EXIT_GOOD) run_dir_undo(&job->dir);
    else code = run_log_begin(&job->log, job->run, NULL);
    return code;
}

/* What the process that writes files says to the others when it wants all items labelled. */
enum { ASK_FOR_LABELS = -1 };

static int prepare(fit_job *job, int argc, char **argv)
{
    int code = agree(look(job));
    scdc_ranks_alone(1);
    if (code == EXIT_GOOD && !job->follows) code = claim(job, argc, argv);
    scdc_ranks_alone(0);
    return agree(code);
}

/* ---- training ------------------------------------------------------------------------------- */

/* From time to time, and before the start of the components: inside it there is nothing to save. */
static bool checkpoint_due(const fit_job *job, const scdc_progress *p)
{
    static const double worth_keeping = 10; /* seconds of work */
    if (job->checkpoint <= 0 || !p->model) return false;
    double since = seconds_now() - job->saved;
    bool before_start = p->stage && strcmp(p->stage, "start") == 0;
    return since >= job->checkpoint || (before_start && since >= worth_keeping);
}

static void save_checkpoint(fit_job *job, const scdc_model *model)
{
    char *path = run_path(job->run, RUN_MODEL);
    bool saved = scdc_model_save(model, path) == SCDC_OK;
    if (!saved && !job->warned) {
        progress_clear(&job->progress);
        say("warning: no checkpoint was saved: %s", scdc_last_error());
        job->warned = true;
    }
    if (saved) job->kept = true;
    job->saved = seconds_now();
    free(path);
}

/* A picture that cannot be written ends pictures, not the fit. */
static void keep_frame(fit_job *job, const scdc_progress *p)
{
    progress_clear(&job->progress);
    if (fit_frames_keep(&job->frames, job->run, p) == EXIT_GOOD) return;
    hint("no more frames are kept; the fit goes on");
    fit_frames_free(&job->frames);
}

static void log_epoch(fit_job *job, const scdc_progress *p)
{
    if (!p->done || run_log_epoch(&job->log, p)) return;
    progress_clear(&job->progress);
    say("warning: %s/%s gets no line until the end: %s", job->run, RUN_LOG, strerror(errno));
}

static void note_progress(fit_job *job, const scdc_progress *p)
{
    log_epoch(job, p); /* first: what was shown is in the log, also after a kill */
    progress_show(&job->progress, p);
    run_record_epoch(&job->record, p);
    if (checkpoint_due(job, p)) save_checkpoint(job, p->model);
    if (p->done && job->frames.asked) keep_frame(job, p);
}

static int on_progress(const scdc_progress *p, void *user)
{
    fit_job *job = user;
    scdc_ranks_alone(1); /* the others do nothing of this */
    note_progress(job, p);
    scdc_ranks_alone(0);
    if (!signals_caught()) return 0;
    if (!job->told && !job->line->common.quiet) {
        progress_clear(&job->progress);
        say("stopping and saving (a second signal leaves at once)");
    }
    job->told = true;
    return 1;
}

/* A process beside the one that talks and writes: only what it was told by its signals. */
static int on_progress_quiet(const scdc_progress *p, void *user)
{
    (void)p;
    (void)user;
    return signals_caught();
}

static int follow(fit_job *job)
{
    signals_catch();
    int status = job->resume ? scdc_fit_resume(job->model, job->in.data, job->in.crowd, job->epochs,
                                               on_progress_quiet, job)
                             : scdc_fit(&job->model, job->in.data, job->in.crowd, &job->options,
                                        on_progress_quiet, job);
    bool stopped = status == SCDC_ERR_STOPPED;
    if (status != SCDC_OK && !stopped) return report_failure(status);
    if (agree(EXIT_GOOD) == ASK_FOR_LABELS) {
        int code = fit_outcome_help(job->model, &job->in);
        if (code != EXIT_GOOD) return code;
    }
    return stopped ? EXIT_INTERRUPTED : EXIT_GOOD;
}

static int train(fit_job *job)
{
    signals_catch();
    if (job->record.timings) scdc_timings_start();
    progress_begin(&job->progress, job->line->common.quiet, job->in.items.rows);
    job->saved = seconds_now();
    int status = job->resume ? scdc_fit_resume(job->model, job->in.data, job->in.crowd, job->epochs,
                                               on_progress, job)
                             : scdc_fit(&job->model, job->in.data, job->in.crowd, &job->options,
                                        on_progress, job);
    scdc_timings_stop();
    progress_clear(&job->progress);
    return status;
}

/* ---- after training ------------------------------------------------------------------------- */

static int fail(fit_job *job, int status)
{
    int code = report_failure(status);
    if (job->resume) {
        if (!job->kept) run_log_undo(&job->log);
        hint(job->kept ? "the last checkpoint is in %s" : "%s is as it was before", job->run);
        return code;
    }
    char *path = run_path(job->run, RUN_MODEL);
    if (access(path, F_OK) == 0) {
        hint("the last checkpoint is in %s", job->run);
    } else {
        run_log_undo(&job->log);
        run_dir_undo(&job->dir);
    }
    free(path);
    return code;
}

static bool has_labels(const fit_job *job)
{
    char *path = run_path(job->run, RUN_LABELS);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Everything beside the model. An interrupted fit ends soon and places no items, unless it would
 * leave the labels of another state of the model behind. */
static int save_results(fit_job *job, fit_outcome *outcome)
{
    int code = fit_outcome_begin(outcome, job->model);
    if (code == EXIT_GOOD) code = run_log_end(&job->log, job->model);
    if (code == EXIT_GOOD) code = run_save_workers(&job->dir, job->model, outcome->info.workers);
    if (code == EXIT_GOOD) code = run_save_answers(&job->dir, &job->in);
    if (code == EXIT_GOOD) code = run_save_items(&job->dir, job->model, &job->in);
    if (code == EXIT_GOOD) code = keep_known_workers(job->run, job->in.known_path);
    bool labels = code == EXIT_GOOD && (outcome->info.finished || has_labels(job));
    if (agree(labels ? ASK_FOR_LABELS : EXIT_GOOD) == ASK_FOR_LABELS) {
        progress_watch_begin(job->line->common.quiet);
        code = run_save_labels(outcome, &job->dir, job->model, &job->in);
        progress_watch_end();
    }
    job->record.processes = scdc_ranks_count();
    job->record.sent = scdc_ranks_sent();
    /* What follows is this process's alone. */
    int status = scdc_ranks_use(NULL);
    return status == SCDC_OK ? code : report_failure(status);
}

/* Without labels an earlier report, if any, still tells of the labels that are there. */
static int write_report(const fit_job *job, const fit_outcome *outcome)
{
    const run_report report = {
        .run = job->run, .model = job->model, .in = &job->in, .outcome = outcome};
    if (!outcome->labels) return EXIT_GOOD;
    progress_watch_begin(job->line->common.quiet);
    int code = run_report_write(&report);
    progress_watch_end();
    return code;
}

static int conclude(fit_job *job, const fit_outcome *outcome)
{
    const char *word = outcome->info.finished ? "finished" : "interrupted";
    fit_summary summary = {.run = job->run,
                           .status = word,
                           .in = &job->in,
                           .outcome = outcome,
                           .model = job->model,
                           .seconds = run_record_seconds(&job->record)};
    int code =
        run_record_save(&job->record, word, scdc_model_options(job->model), outcome, job->model);
    if (code == EXIT_GOOD) code = write_report(job, outcome);
    if (code == EXIT_GOOD) code = fit_summary_print(&summary, &job->line->common);
    return code == EXIT_GOOD && !outcome->info.finished ? EXIT_INTERRUPTED : code;
}

static int finish(fit_job *job, int status)
{
    if (status != SCDC_OK && status != SCDC_ERR_STOPPED) return fail(job, status);
    fit_outcome outcome = {0};
    /* One of several processes does not look at the rows of the others. */
    bool alone = scdc_ranks_count() == 1;
    if (status == SCDC_OK && !job->line->common.quiet && !job->resume && alone)
        say_scaling(job->in.data, job->model, fit_options_given(&job->asked, "scaling"));
    int code = run_save_model(&job->dir, job->model);
    /* Labels are better than nothing, but not beside the model of an earlier part. */
    if (code != EXIT_GOOD && job->resume) {
        run_log_undo(&job->log);
        return agree(code);
    }
    int next = save_results(job, &outcome);
    if (code == EXIT_GOOD) code = next;
    if (code == EXIT_GOOD) code = conclude(job, &outcome);
    fit_outcome_free(&outcome);
    return code;
}

static int run(fit_job *job, int argc, char **argv)
{
    int code = fit_options_build(&job->options, &job->asked);
    if (code == EXIT_GOOD) code = fit_frames_parse(&job->frames);
    if (code == EXIT_GOOD) code = prepare(job, argc, argv);
    if (code == EXIT_GOOD) code = job->follows ? follow(job) : finish(job, train(job));
    scdc_model_free(job->model);
    run_record_free(&job->record);
    run_log_free(&job->log);
    fit_frames_free(&job->frames);
    run_dir_free(&job->dir);
    fit_inputs_free(&job->in);
    return code;
}

int cmd_fit(int argc, char **argv)
{
    fit_job job = {0};
    enum { OWN = 1 + 7 };
    option options[OWN + FIT_OPTIONS] = {
        OPTION(TEXT, "output", 'o', &job.run, "RUN", "directory for the results", .required = true),
        OPTION(TEXTS, "annotations", 'a', &job.in.annotations, "FILE",
               "answers of workers; may be given several times"),
        OPTION(TEXT, "worker-prior", 0, &job.in.known_path, "FILE",
               "workers.csv of an earlier run: who is named there is no stranger"),
        OPTION(TEXT, "truth", 0, &job.in.truth_path, "FILE",
               "true classes, to print scores at the end; never used to fit"),
        OPTION(TEXT, "show", 0, &job.in.show_path, "FOLDER",
               "pictures of the items, for the report, where DATA are embeddings of them"),
        OPTION(FLAG, "resume", 0, &job.resume, NULL,
               "go on with the fit in RUN, to --epochs in all"),
        OPTION(FLAG, "timings", 0, &job.timings, NULL,
               "record in RUN/run.json where the time of training went, by stage"),
        OPTION(TEXT, "frames", 0, &job.frames.asked, "EPOCHS",
               "keep a picture of made-up items after these epochs (1,5,20 or all) in "
               "RUN/frames"),
    };
    fit_options_table(options + OWN, &job.asked);
    command_line line = {
        .command = "fit",
        .operands = "DATA",
        .least = 1,
        .most = 1,
        .about = "Clusters the items of DATA, with the help of noisy same/different answers of "
                 "workers when there are any, finds how many clusters there are and how good each "
                 "worker is. RUN gets the model, the labels, the workers, a record of the fit and "
                 "report.html, which shows it all. "
                 "Interrupted (Ctrl-C), it saves what it has; --resume continues as if nothing had "
                 "happened.",
        .uses = USES_JSON,
        .options = options,
        .n_options = OWN + FIT_OPTIONS,
        .more_help = fit_options_help,
        .examples = "  scdc fit items.npy --annotations answers.csv -o RUN\n"
                    "  scdc fit train-images-idx3-ubyte.gz -a pairs.csv -o RUN --epochs 50\n"
                    "  scdc fit items.csv -a answers.csv -o RUN --preset pinwheel --set batch=25\n",
    };
    job.line = &line;
    job.follows = scdc_ranks_rank() > 0;
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        job.in.data_path = line.operand[0];
        code = run(&job, argc, argv);
    }
    options_free(&line);
    return code;
}
