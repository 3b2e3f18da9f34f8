/* The runner: skips what is finished, runs the rest, keeps a row each, tells how long it takes. */
#include "reproduce/session.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "reproduce/unfinished.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *session_path(const session *s, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", s->asked->folder, name) < 0) {
        fail_memory(strlen(name), "a path");
        return NULL;
    }
    return path;
}

/* ---- planning ------------------------------------------------------------------------------- */

/* Every word must be the job's method, recipe or setting. */
static bool is_asked(session *s, const run_key *job)
{
    bool all = true;
    for (size_t i = 0; i < s->asked->n_only; i++) {
        const char *word = s->asked->only[i];
        bool good = strcmp(word, job->method) == 0 || strcmp(word, job->recipe) == 0 ||
                    strcmp(word, job->setting) == 0;
        s->word_used[i] = s->word_used[i] || good;
        all = all && good;
    }
    return all;
}

int session_add(session *s, run_key job)
{
    if (!is_asked(s, &job)) return SCDC_OK;
    SCDC_TRY(mem_reserve(&s->jobs, &s->capacity, s->n_jobs + 1, sizeof *s->jobs, "jobs"));
    s->jobs[s->n_jobs++] = (session_job){.key = job};
    return SCDC_OK;
}

/* ---- time left ------------------------------------------------------------------------------ */

/* What a finished run says of all planned ones. */
static void learn(session *s, const run_row *row)
{
    for (size_t i = 0; i < s->n_jobs; i++) {
        session_job *job = &s->jobs[i];
        double seconds = row->value[RUN_SECONDS];
        bool alike = runs_alike(row, &job->key);
        if (alike) stats_add(&job->alike, seconds);
        if (alike && row->key.seed == job->key.seed) job->finished = true;
        if (strcmp(row->key.method, job->key.method) == 0 &&
            strcmp(row->key.recipe, job->key.recipe) == 0)
            stats_add(&job->same_method, seconds);
    }
}

static double expected_seconds(const session_job *job)
{
    return job->alike.count         ? job->alike.mean
           : job->same_method.count ? job->same_method.mean
                                    : NAN;
}

/* Of the jobs after the one at hand; those of an unknown kind take what the others take. */
static void look_ahead(session *s)
{
    stats known = {0};
    double sum = 0;
    size_t unknown = 0;
    s->expected = expected_seconds(&s->jobs[s->number - 1]);
    stats_add(&known, s->expected);
    for (size_t i = s->number; i < s->n_jobs; i++) {
        if (s->jobs[i].finished) continue;
        double seconds = expected_seconds(&s->jobs[i]);
        stats_add(&known, seconds);
        sum += isnan(seconds) ? 0 : seconds;
        unknown += isnan(seconds);
    }
    double mean = known.count ? known.mean : NAN;
    s->left_after = unknown ? sum + (double)unknown * mean : sum;
}

static double seconds_left(const session *s, double share)
{
    double spent = seconds_now() - s->begun;
    double own = isfinite(s->expected) ? s->expected - spent
                 : share > 0.02        ? spent / share - spent
                                       : NAN;
    return fmax(own, 0) + s->left_after;
}

/* ---- running -------------------------------------------------------------------------------- */

static int tell(session *s, double share, const run_row *row)
{
    char title[128];
    if (!s->progress) return SCDC_OK;
    run_key_text(title, sizeof title, &s->job);
    scdc_reproduction_progress p = {.job = title,
                                    .number = s->number,
                                    .jobs = s->n_jobs,
                                    .share = share,
                                    .left = row ? s->left_after : seconds_left(s, share),
                                    .finished = row != NULL};
    if (row) {
        p.acc = row->value[RUN_ACC];
        p.nmi = row->value[RUN_NMI];
        double whole = row->value[RUN_SECONDS]; /* not known of a run that was stopped on the way */
        p.seconds = isnan(whole) ? seconds_now() - s->begun : whole;
    }
    return s->progress(&p, s->user) == 0
               ? SCDC_OK
               : fail_with(SCDC_ERR_STOPPED, "stopped; finished runs are in %s", s->runs.path);
}

int session_progress(session *s, double share)
{
    return tell(s, share, NULL);
}

static int run_job(session *s)
{
    char title[128];
    run_row row = run_row_of(&s->job);
    s->begun = seconds_now();
    look_ahead(s);
    SCDC_TRY(session_progress(s, 0));
    int status = s->experiment->run(&row, s);
    if (status == SCDC_ERR_STOPPED) return status;
    run_key_text(title, sizeof title, &s->job);
    if (status != SCDC_OK) return fail_prefix(status, "%s", title);
    SCDC_TRY(runs_append(&s->runs, &row));
    SCDC_TRY(unfinished_forget(s));
    learn(s, &s->runs.rows[s->runs.count - 1]);
    look_ahead(s);
    return tell(s, 1, &row);
}

int session_run(session *s)
{
    for (size_t i = 0; i < s->runs.count; i++) learn(s, &s->runs.rows[i]);
    for (size_t i = 0; i < s->n_jobs; i++) {
        s->number = i + 1;
        s->job = s->jobs[i].key;
        if (!s->jobs[i].finished) SCDC_TRY(run_job(s));
    }
    return SCDC_OK;
}
