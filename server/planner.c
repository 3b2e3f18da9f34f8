/* Refilling tasks, and the fits in the background. */
#include "planner.h"

#include "choose.h"
#include "fitting.h"
#include "relay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PAUSE_MS = 250,
    RELAY_MS = 1000, /* between two looks at what the server that leads has found */
    ACTIVE_MS = 120000,
    SPARE = 64,      /* answers wanted ahead, */
    SPARE_EACH = 10, /* and for each worker at work */
    MOST_AT_ONCE = 2000,
    MOST_SHARED = 400 /* a database takes some 80 ms for 1,000, and everybody waits for a commit */
};

struct planner {
    planner_setup setup;
    chooser chooser;
    fitting *fitting;
    store *store;   /* of this thread, where servers share one; NULL: not open */
    int64_t looked; /* at what the others tell */
    relayed round;  /* the last one that was told or heard */
    size_t untold;  /* our last one, while the others do not know of it; 0: they do */
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t work;
    bool stopping, woken;
    planner_state state;
    pthread_mutex_t findings_lock;
    findings *findings;
    char *report; /* of the fit that found them */
};

/* ---- tasks ---------------------------------------------------------------------------------- */

static char *items_text(const uint32_t *items, size_t count)
{
    char *text = need_resize(NULL, count * 11 + 1, 1), *to = text;
    for (size_t i = 0; i < count; i++)
        to += sprintf(to, "%s%lu", i ? " " : "", (unsigned long)items[i]);
    return text;
}

static void add_wish(record *out, uint32_t task, uint32_t worker, bool again)
{
    *out = (record){.kind = RECORD_WISH, .time = clock_wall()};
    out->wish.task = task;
    out->wish.worker = worker;
    out->wish.again = again;
}

static bool wished_again(const record *list, size_t count, uint32_t task)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].kind == RECORD_WISH && list[i].wish.task == task) return true;
    }
    return false;
}

/* Up to two records for each of the `want` tasks: what is asked, and of whom first. */
static size_t make_tasks(planner *p, record *out, size_t want)
{
    board *b = p->setup.project->board;
    size_t count = 0;
    uint32_t number = (uint32_t)b->n_tasks;
    for (size_t i = 0; i < want; i++) {
        chosen what;
        if (!choose_items(&what, &p->chooser, b, p->findings, number)) break;
        uint32_t worker = board_worker_named(b, what.worker);
        if (what.again) {
            if (!wished_again(out, count, what.again))
                add_wish(&out[count++], what.again, worker, true);
            continue;
        }
        out[count] = (record){.kind = RECORD_TASK, .time = clock_wall()};
        out[count].task.number = number;
        out[count].task.items = items_text(what.items, what.count);
        out[count].task.truth = text_copy("");
        out[count++].task.reason = text_copy(what.why);
        if (worker) add_wish(&out[count++], number, worker, false);
        number++;
    }
    return count;
}

static size_t tasks_missing(planner *p)
{
    board *b = p->setup.project->board;
    int64_t now = clock_steady();
    board_expire(b, now);
    size_t target = SPARE + SPARE_EACH * board_active(b, now - ACTIVE_MS);
    size_t wanted = board_wanted(b);
    if (wanted >= target) return 0;
    size_t tasks = (target - wanted) / b->rules.redundancy + 1;
    size_t most = p->setup.project->shared ? MOST_SHARED : MOST_AT_ONCE;
    return tasks < most ? tasks : most;
}

static void note(planner *p, bool exhausted, const char *trouble)
{
    pthread_mutex_lock(&p->lock);
    p->state.exhausted = exhausted;
    snprintf(p->state.trouble, sizeof p->state.trouble, "%s", trouble);
    pthread_mutex_unlock(&p->lock);
}

static void refill(planner *p, bool leads)
{
    board *b = p->setup.project->board;
    pthread_mutex_lock(&b->lock);
    size_t missing = tasks_missing(p);
    if (!leads) missing = 0;
    record *records = need_zeroed(2 * missing, sizeof *records);
    size_t count = make_tasks(p, records, missing);
    pthread_mutex_unlock(&b->lock);
    /* Only this thread of the server that leads makes tasks, so their numbers are still free when
     * they are written; where another leads by now, the store refuses them. */
    if (count) {
        int status = writer_write(p->setup.writer, records, count);
        chooser_settle(&p->chooser);
        note(p, false, status == SCDC_OK ? "" : server_error());
    } else if (missing) {
        note(p, true, "");
    }
    free(records);
}

/* ---- fits ----------------------------------------------------------------------------------- */

static void take_findings(planner *p, findings *fresh)
{
    fresh->moved = p->findings ? findings_moved(fresh, p->findings) : -1;
    pthread_mutex_lock(&p->findings_lock);
    findings *before = p->findings;
    p->findings = fresh;
    free(p->report);
    p->report = fitting_report(p->fitting);
    pthread_mutex_unlock(&p->findings_lock);
    findings_free(before);
}

static void tell_round(planner *p, size_t number, const findings *fresh)
{
    p->untold = number;
    if (!p->store) return;
    char *run = fitting_folder_of(p->fitting, number);
    /* After a failure it is told again with the next look: there may be no next round. */
    if (relay_round(p->store, run, number, fresh->answers) == SCDC_OK) {
        p->round = (relayed){.number = number, .answers = fresh->answers};
        p->untold = 0;
    } else {
        note(p, false, server_error());
    }
    free(run);
}

static void look_after_fit(planner *p, bool leads)
{
    if (!p->fitting) return;
    findings *fresh = NULL;
    if (leads) fitting_step(p->fitting, &fresh);
    else fitting_rest(p->fitting);
    if (fresh) tell_round(p, fitting_number(p->fitting), fresh);
    if (fresh) take_findings(p, fresh);
    pthread_mutex_lock(&p->lock);
    fitting_look(p->fitting, &p->state.fitting, &p->state.fits, &p->state.failed_fits);
    pthread_mutex_unlock(&p->lock);
}

/* ---- servers that share a store ------------------------------------------------------------- */

static void take_round(planner *p, const relayed *r)
{
    findings *fresh = NULL;
    char *run = fitting_folder_of(p->fitting, r->number);
    fitting_rest(p->fitting);
    if (relay_take(p->store, run) == SCDC_OK) {
        fitting_adopt(p->fitting, r->number, r->answers, &fresh);
        p->round = *r;
        p->untold = 0;
    }
    free(run);
    if (fresh) take_findings(p, fresh);
}

/* Before anything of our own: who begins to lead goes on where another one ended. */
static void keep_up(planner *p, bool leads)
{
    const project *job = p->setup.project;
    int64_t now = clock_steady();
    if (!job->shared || now - p->looked < RELAY_MS) return;
    p->looked = now;
    if (!p->store && store_open(&p->store, job->place, STORE_WRITE) != SCDC_OK) return;
    relayed r;
    relay_look(&r, p->store);
    bool news = r.number != p->round.number || r.answers != p->round.answers;
    if (p->fitting && r.number && news) take_round(p, &r);
    else if (leads && p->untold) tell_round(p, p->untold, p->findings);
    pthread_mutex_lock(&p->lock);
    if (!leads) p->state.exhausted = r.exhausted;
    bool exhausted = p->state.exhausted;
    pthread_mutex_unlock(&p->lock);
    if (leads && exhausted != r.exhausted) relay_exhausted(p->store, exhausted);
}

/* ---- the thread ----------------------------------------------------------------------------- */

static bool rest(planner *p)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PAUSE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&p->lock);
    if (!p->stopping && !p->woken) pthread_cond_timedwait(&p->work, &p->lock, &until);
    p->woken = false;
    bool go_on = !p->stopping;
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

static void *run(void *argument)
{
    planner *p = argument;
    do {
        bool leads = writer_leads(p->setup.writer);
        keep_up(p, leads);
        refill(p, leads);
        look_after_fit(p, leads);
    } while (rest(p));
    return NULL;
}

planner *planner_start(const planner_setup *setup)
{
    planner *p = need_zeroed(1, sizeof *p);
    const project *job = setup->project;
    p->setup = *setup;
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->findings_lock, NULL);
    pthread_cond_init(&p->work, NULL);
    chooser_init(&p->chooser, job->strategy, job->seed, items_count(job->items), job->set_size);
    if (setup->program)
        p->fitting = fitting_create(setup->project, setup->program, setup->refit, setup->threads,
                                    setup->quick_fits);
    if (pthread_create(&p->thread, NULL, run, p) == 0) return p;
    fitting_free(p->fitting);
    chooser_free(&p->chooser);
    free(p);
    return NULL;
}

void planner_close(planner *p)
{
    if (!p || p->stopping) return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    fitting_free(p->fitting);
    p->fitting = NULL;
}

void planner_free(planner *p)
{
    if (!p) return;
    planner_close(p);
    findings_free(p->findings);
    free(p->report);
    chooser_free(&p->chooser);
    store_close(p->store);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->findings_lock);
    free(p);
}

void planner_wake(planner *p)
{
    pthread_mutex_lock(&p->lock);
    p->woken = true;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

void planner_look(planner *p, planner_state *out)
{
    pthread_mutex_lock(&p->lock);
    *out = p->state;
    pthread_mutex_unlock(&p->lock);
}

const findings *planner_findings_lock(planner *p)
{
    pthread_mutex_lock(&p->findings_lock);
    return p->findings;
}

void planner_findings_unlock(planner *p)
{
    pthread_mutex_unlock(&p->findings_lock);
}

char *planner_report(planner *p)
{
    pthread_mutex_lock(&p->findings_lock);
    char *path = p->report ? text_copy(p->report) : NULL;
    pthread_mutex_unlock(&p->findings_lock);
    return path;
}
