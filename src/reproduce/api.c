/* scdc_reproduce: from what was asked to jobs, rows, tables and figures. */
#include "base/memory.h"
#include "base/sized.h"
#include "base/status.h"
#include "reproduce/session.h"

#include <stdio.h>
#include <string.h>

static const experiment *const experiments[] = {&experiment_pinwheel, &experiment_face,
                                                &experiment_mnist, &experiment_cifar10};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

static const scdc_reproduction default_reproduction = {.size = sizeof default_reproduction};

void scdc_reproduction_init_sized(scdc_reproduction *options, size_t size)
{
    sized_init(options, size, &default_reproduction, sizeof default_reproduction);
}

const char *scdc_reproduction_name(size_t index)
{
    return index < EXPERIMENTS ? experiments[index]->name : NULL;
}

static int find_experiment(const experiment **out, const char *name)
{
    char all[128] = "";
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        size_t used = strlen(all);
        *out = experiments[i];
        if (strcmp((*out)->name, name) == 0) return SCDC_OK;
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", (*out)->name);
    }
    return fail_with(SCDC_ERR_ARGUMENT, "experiment must be one of %s, not '%s'", all, name);
}

enum { MOST_SEEDS = 10000 };

static int plan(session *s)
{
    const scdc_reproduction *a = s->asked;
    const experiment *e = s->experiment;
    size_t seeds = a->seeds ? a->seeds : a->quick ? e->quick_seeds : e->seeds;
    if (seeds > MOST_SEEDS) {
        return fail_with(SCDC_ERR_ARGUMENT, "seeds must be at most %d, not %zu", (int)MOST_SEEDS,
                         seeds);
    }
    if (a->epochs && !e->epochs) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "epochs cannot be set for '%s', only for 'mnist' and "
                         "'cifar10'",
                         e->name);
    }
    for (uint64_t seed = 1; seed <= seeds; seed++) SCDC_TRY(e->plan(s, seed));
    for (size_t i = 0; i < a->n_only; i++) {
        if (!s->word_used[i])
            return fail_with(SCDC_ERR_ARGUMENT,
                             "only: no run of '%s' has the method, recipe or setting '%s'", e->name,
                             a->only[i]);
    }
    return SCDC_OK;
}

static int write_result(session *s)
{
    result r;
    result_begin(&r, s->experiment->name, s->experiment->title, s->asked->command);
    if (s->asked->quick)
        result_note(&r, "This is the quick version, with less of everything: it shows that all of "
                        "it works, and says nothing about the paper.");
    int status = s->experiment->tell(&r, s);
    if (status == SCDC_OK) status = result_write(&r, s->asked->folder);
    result_free(&r);
    return status;
}

static int work(session *s)
{
    char name[RUN_TEXT];
    const scdc_reproduction *a = s->asked;
    /* Runs of the small version are not mixed with the real ones. */
    snprintf(name, sizeof name, "%s%s", s->experiment->name, a->quick ? "-quick" : "");
    SCDC_TRY(mem_zeroed(&s->word_used, a->n_only, sizeof *s->word_used, "words"));
    SCDC_TRY(plan(s));
    SCDC_TRY(s->experiment->open(s));
    SCDC_TRY(runs_open(&s->runs, a->folder, name));
    int status = session_run(s);
    if (status != SCDC_OK && status != SCDC_ERR_STOPPED) return status;
    /* Stopped or not: what is finished is shown. */
    SCDC_TRY(write_result(s));
    return status;
}

int scdc_reproduce(const char *experiment_name, const scdc_reproduction *options,
                   scdc_reproduction_fn progress, void *user)
{
    scdc_reproduction own = default_reproduction;
    session s = {.asked = &own, .progress = progress, .user = user};
    if (!experiment_name || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "experiment and options must not be NULL");
    }
    SCDC_TRY(sized_take(&own, sizeof own, options, "scdc_reproduction_init"));
    if (!own.folder || (!own.only && own.n_only)) {
        return fail_with(SCDC_ERR_ARGUMENT, "options->folder and options->only must not be NULL");
    }
    SCDC_TRY(find_experiment(&s.experiment, experiment_name));
    int status = work(&s);
    s.experiment->close(&s);
    runs_close(&s.runs);
    mem_free(s.jobs);
    mem_free(s.word_used);
    return status;
}
