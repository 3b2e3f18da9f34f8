/* A round of thinking in child processes, one after another: the first fit of the answers so far,
 * later an update of the last run by the new ones; then the next questions (for people at work,
 * each by name, and for anybody else), then the outlook. PROJECT/runs/N is the RUN folder of round
 * N. */
#include "fitting.h"

#include "child.h"
#include "export.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIRST_ANSWERS = 40, /* before that a fit would tell nothing of the answers */
    MOST_SECONDS = 3600,
    ASK_SECONDS = 300,
    PAUSE_MS = 5000, /* between two rounds */
    ACTIVE_MS = 120000,
    MOST_ASKED = 6 /* people who get questions of their own: those with most answers */
};

typedef enum stage { RESTING, FITTING, ASKING, PLANNING } stage;

struct fitting {
    project *project;
    char *program, *folder, *log;
    char *answers, *run, *before; /* of the round at hand, and the run of the round before */
    size_t refit, threads, number;
    stage stage;
    child child;
    int64_t started, ended;
    size_t answers_then, answers_last; /* known to this round, and to the last one */
    size_t fitted;                     /* known to the last whole fit; 0: the next one is whole */
    export_mark known, then;           /* which these are: of the last round, and of this one */
    char *asked[MOST_ASKED + 1];       /* whom to choose questions for; "": anybody */
    size_t n_asked, asking;
    size_t good, failed;
    bool updating;
    bool quick;
    bool first_look; /* at what an earlier server left */
};

/* ---- folders -------------------------------------------------------------------------------- */

static void name_run(fitting *f, size_t number)
{
    f->number = number;
    free(f->before);
    free(f->answers);
    f->before = f->run;
    f->run = fitting_folder_of(f, number);
    f->answers = text_format("%s/%zu.csv", f->folder, number);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_run(const fitting *f, size_t number)
{
    char *run = fitting_folder_of(f, number);
    char *answers = text_format("%s/%zu.csv", f->folder, number);
    nftw(run, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    remove(answers);
    free(run);
    free(answers);
}

/* The highest number among the runs that are there. */
static size_t last_run(const char *folder)
{
    size_t most = 0;
    DIR *stream = opendir(folder);
    if (!stream) return 0;
    for (struct dirent *e; (e = readdir(stream));) {
        char *end;
        unsigned long number = strtoul(e->d_name, &end, 10);
        if (!*end && number > most && number < 1000000000) most = number;
    }
    closedir(stream);
    return most;
}

fitting *fitting_create(project *p, const char *program, size_t refit, size_t threads, bool quick)
{
    fitting *f = need_zeroed(1, sizeof *f);
    f->project = p;
    f->program = text_copy(program);
    f->folder = project_path(p->folder, "runs");
    mkdir(f->folder, 0700);
    f->log = project_path(f->folder, "log.txt");
    f->refit = refit;
    f->threads = threads;
    f->quick = quick;
    f->ended = -PAUSE_MS;
    f->first_look = true;
    name_run(f, last_run(f->folder));
    return f;
}

/* ---- the stages ----------------------------------------------------------------------------- */

static void end_round(fitting *f, bool good)
{
    f->stage = RESTING;
    f->ended = clock_steady();
    /* After a failure the next round waits for new answers as well, or it would fail the same way;
     * and then it is a whole fit. */
    f->answers_last = f->answers_then;
    if (good) f->known = f->then;
    else f->fitted = 0;
    f->good += good;
    f->failed += !good;
}

/* Whether this round updates the run before: not when answers that it knows count no longer (their
 * workers thought better of them, or were blocked), nor when there are twice as many by now, which
 * may show kinds that networks and components do not know yet. */
static int write_answers(fitting *f)
{
    collect_counts counts;
    bool update = f->fitted && f->answers_then < 2 * f->fitted;
    f->then = update ? f->known : (export_mark){0};
    int status = export_since(&counts, &f->then, f->project->place, f->answers);
    f->updating = update && !f->then.whole;
    return status;
}

static bool start_fit(fitting *f, const char *threads)
{
    const char *fit[] = {"scdc",          "fit",      f->project->data,
                         "--annotations", f->answers, "-o",
                         f->run,          "--quiet",  "--threads",
                         threads,         NULL,       "80,80",
                         "--epochs",      "25",       NULL};
    const char *update[] = {"scdc", "update",  f->before,   "--annotations", f->answers, "-o",
                            f->run, "--quiet", "--threads", threads,         NULL};
    if (f->quick) fit[10] = "--hidden";
    return child_start(&f->child, f->program, f->updating ? update : fit, NULL, f->log,
                       MOST_SECONDS);
}

/* As if it had never begun. */
static void forget_round(fitting *f)
{
    remove_run(f, f->number);
    f->stage = RESTING;
    f->ended = clock_steady();
    name_run(f, f->number - 1);
}

static void start_round(fitting *f)
{
    char threads[24];
    name_run(f, f->number + 1);
    remove_run(f, f->number); /* of a server that died, or that led before */
    snprintf(threads, sizeof threads, "%zu", f->threads);
    f->started = clock_steady();
    f->stage = FITTING;
    if (write_answers(f) == SCDC_OK && start_fit(f, threads)) return;
    /* The database is away, or there is no room: that says nothing of the answers, which would
     * wait for further ones that perhaps never come. The next try is after the pause. */
    f->failed++;
    forget_round(f);
}

/* People at work, those with most answers first, and then anybody. */
static void find_asked(fitting *f)
{
    board *b = f->project->board;
    int64_t since = clock_steady() - ACTIVE_MS;
    uint32_t best[MOST_ASKED];
    size_t count = 0;
    pthread_mutex_lock(&b->lock);
    for (uint32_t n = 1; n < b->n_workers; n++) {
        const board_worker *w = &b->workers[n];
        if (!w->answers || w->standing == STANDING_BLOCKED || w->seen < since) continue;
        size_t at = count;
        while (at && b->workers[best[at - 1]].answers < w->answers) at--;
        if (at == MOST_ASKED) continue;
        if (count < MOST_ASKED) count++;
        memmove(best + at + 1, best + at, (count - 1 - at) * sizeof *best);
        best[at] = n;
    }
    for (size_t i = 0; i < count; i++) f->asked[i] = text_copy(b->workers[best[i]].name);
    pthread_mutex_unlock(&b->lock);
    f->asked[count] = text_copy("");
    f->n_asked = count + 1;
    f->asking = 0;
}

static void forget_asked(fitting *f)
{
    for (size_t i = 0; i < f->n_asked; i++) free(f->asked[i]);
    f->n_asked = 0;
}

/* Enough for twice the answers until the next round. */
static bool start_asking(fitting *f)
{
    const char *who = f->asked[f->asking];
    char size[24], count[24], seed[24];
    char *path = text_format("%s/" QUESTIONS_FILE, f->run, f->asking);
    snprintf(size, sizeof size, "%zu", f->project->set_size);
    snprintf(count, sizeof count, "%zu", 10 + 2 * f->refit / (*who ? f->n_asked : 1));
    snprintf(seed, sizeof seed, "%zu", f->number);
    const char *words[] = {"scdc",
                           "suggest",
                           f->run,
                           "--task",
                           f->project->sets ? "sets" : "pairs",
                           "--set-size",
                           size,
                           "-n",
                           count,
                           "--seed",
                           seed,
                           "-o",
                           path,
                           "--threads",
                           "1",
                           "--quiet",
                           *who ? "--worker" : NULL,
                           who,
                           NULL};
    bool good = child_start(&f->child, f->program, words, NULL, f->log, ASK_SECONDS);
    free(path);
    return good;
}

static bool start_planning(fitting *f)
{
    char *path = text_format("%s/" PLAN_FILE, f->run);
    const char *words[] = {"scdc", "plan", f->run, "--json", "--threads", "1", NULL};
    f->stage = PLANNING;
    bool good = child_start(&f->child, f->program, words, path, f->log, ASK_SECONDS);
    free(path);
    return good;
}

static void take_result(fitting *f, findings **fresh)
{
    double seconds = (double)(clock_steady() - f->started) / 1000;
    bool good = findings_read(fresh, f->project->items, f->run) == SCDC_OK;
    if (good) {
        (*fresh)->answers = f->answers_then;
        (*fresh)->seconds = seconds;
        if (!f->updating) f->fitted = f->answers_then;
        if (f->number > 2) remove_run(f, f->number - 2);
    }
    end_round(f, good);
}

/* Questions and outlook are extras: without them there is another way to choose, and no advice. */
static void go_on(fitting *f, findings **fresh)
{
    if (f->stage == FITTING) {
        forget_asked(f);
        if (f->project->strategy == COLLECT_SUGGEST) find_asked(f);
        f->stage = ASKING;
    } else if (f->stage == ASKING) {
        f->asking++;
    }
    if (f->stage == ASKING) {
        for (; f->asking < f->n_asked; f->asking++) {
            if (start_asking(f)) return;
        }
        if (start_planning(f)) return;
    }
    take_result(f, fresh);
}

static void look_at_child(fitting *f, findings **fresh)
{
    child_state state = child_look(&f->child);
    if (state == CHILD_RUNS) return;
    if (state == CHILD_FAILED && f->stage == FITTING) end_round(f, false);
    else go_on(f, fresh);
}

static bool enough_answers(fitting *f)
{
    board *b = f->project->board;
    pthread_mutex_lock(&b->lock);
    size_t answers = b->live_answers * (f->project->sets ? f->project->set_size / 2 : 1);
    pthread_mutex_unlock(&b->lock);
    f->answers_then = answers;
    size_t more = answers - f->answers_last, tenth = f->answers_last / 10;
    return answers >= FIRST_ANSWERS && more >= (tenth > f->refit ? tenth : f->refit);
}

void fitting_step(fitting *f, findings **fresh)
{
    if (f->first_look) {
        f->first_look = false;
        if (f->number && findings_read(fresh, f->project->items, f->run) == SCDC_OK) {
            enough_answers(f);
            f->answers_last = (*fresh)->answers = f->answers_then;
            return;
        }
    }
    if (f->stage != RESTING) {
        look_at_child(f, fresh);
    } else if (clock_steady() - f->ended >= PAUSE_MS && enough_answers(f)) {
        start_round(f);
    }
}

void fitting_rest(fitting *f)
{
    if (f->stage == RESTING) return;
    child_end(&f->child);
    forget_round(f);
    f->fitted = 0;
}

void fitting_adopt(fitting *f, size_t number, size_t answers, findings **fresh)
{
    name_run(f, number);
    f->first_look = false;
    f->fitted = 0; /* the model is not here: our own next round is a whole fit */
    f->answers_last = answers;
    if (findings_read(fresh, f->project->items, f->run) == SCDC_OK) (*fresh)->answers = answers;
    if (number > 2) remove_run(f, number - 2);
}

size_t fitting_number(const fitting *f)
{
    return f->number;
}

char *fitting_folder_of(const fitting *f, size_t number)
{
    return text_format("%s/%zu", f->folder, number);
}

char *fitting_report(const fitting *f)
{
    return text_format("%s/report.html", f->run);
}

void fitting_look(const fitting *f, bool *running, size_t *good, size_t *failed)
{
    *running = f->stage != RESTING;
    *good = f->good;
    *failed = f->failed;
}

void fitting_free(fitting *f)
{
    if (!f) return;
    child_end(&f->child);
    forget_asked(f);
    char *texts[] = {f->program, f->folder, f->log, f->answers, f->run, f->before};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    free(f);
}
