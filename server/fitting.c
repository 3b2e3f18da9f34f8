/* The child process and its files: PROJECT/runs/N is the RUN folder of fit number N. */
#include "fitting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FIRST_ANSWERS = 40, /* before that a fit would tell nothing of the answers */
    MOST_SECONDS = 3600,
    PAUSE_MS = 5000, /* between two fits */
    NICE = 10
};

extern char **environ;

typedef enum stage { RESTING, FITTING, PLACING } stage;

struct fitting {
    project *project;
    char *program, *folder, *answers, *run, *proba;
    size_t refit, threads, number;
    stage stage;
    pid_t child;
    int64_t started, ended;
    size_t answers_then, answers_last; /* known to the running fit, and to the last one */
    size_t good, failed;
    bool quick;
    bool first_look; /* at what an earlier server left */
};

/* ---- folders -------------------------------------------------------------------------------- */

static void name_run(fitting *f, size_t number)
{
    f->number = number;
    free(f->run);
    free(f->proba);
    f->run = text_format("%s/%zu", f->folder, number);
    f->proba = text_format("%s/%zu.npy", f->folder, number);
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
    char *run = text_format("%s/%zu", f->folder, number);
    char *proba = text_format("%s/%zu.npy", f->folder, number);
    nftw(run, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    remove(proba);
    free(run);
    free(proba);
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
    f->answers = project_path(f->folder, "answers.csv");
    f->refit = refit;
    f->threads = threads;
    f->quick = quick;
    f->ended = -PAUSE_MS;
    f->first_look = true;
    name_run(f, last_run(f->folder));
    return f;
}

/* ---- the child ------------------------------------------------------------------------------ */

static void spawn(fitting *f, const char *const *words)
{
    char *log = project_path(f->folder, "log.txt");
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t pipe_only, none;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&how);
    sigemptyset(&none);
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    posix_spawnattr_setsigdefault(&how, &pipe_only);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0); /* Ctrl-C is for the server, which ends the child */
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETPGROUP);
    char *const *argv = (char *const *)(uintptr_t)words;
    if (posix_spawn(&f->child, f->program, &files, &how, argv, environ) != 0) {
        f->child = 0;
    } else {
        setpriority(PRIO_PROCESS, (id_t)f->child, NICE);
    }
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    free(log);
}

static void end_stage(fitting *f, bool good)
{
    f->stage = RESTING;
    f->child = 0;
    f->ended = clock_steady();
    /* After a failure the next fit waits for new answers as well, or it would fail the same way. */
    f->answers_last = f->answers_then;
    f->good += good;
    f->failed += !good;
}

static void start_fit(fitting *f)
{
    collect_counts counts;
    char threads[24];
    if (collect_export(&counts, f->project->folder, f->answers, false) != SCDC_OK) {
        end_stage(f, false);
        return;
    }
    name_run(f, f->number + 1);
    snprintf(threads, sizeof threads, "%zu", f->threads);
    const char *words[] = {"scdc",          "fit",      f->project->data,
                           "--annotations", f->answers, "-o",
                           f->run,          "--quiet",  "--threads",
                           threads,         NULL,       "80,80",
                           "--epochs",      "25",       NULL};
    if (f->quick) words[10] = "--hidden";
    f->started = clock_steady();
    f->stage = FITTING;
    spawn(f, words);
    if (!f->child) end_stage(f, false);
}

static void start_placing(fitting *f)
{
    const char *words[] = {"scdc",      "predict",    f->run,    f->project->data, "--annotations",
                           f->answers,  "--together", "--proba", f->proba,         "-o",
                           "/dev/null", "--quiet",    NULL};
    f->stage = PLACING;
    spawn(f, words);
    if (!f->child) end_stage(f, false);
}

static void take_result(fitting *f, findings **fresh)
{
    double seconds = (double)(clock_steady() - f->started) / 1000;
    bool good = findings_read(fresh, f->project->items, f->run, f->proba) == SCDC_OK;
    if (good) {
        (*fresh)->answers = f->answers_then;
        (*fresh)->seconds = seconds;
        if (f->number > 2) remove_run(f, f->number - 2);
    }
    end_stage(f, good);
}

static void look_at_child(fitting *f, findings **fresh)
{
    int state;
    pid_t ended = waitpid(f->child, &state, WNOHANG);
    if (ended == 0) {
        if (clock_steady() - f->started > MOST_SECONDS * 1000LL) kill(f->child, SIGKILL);
        return;
    }
    f->child = 0;
    if (ended < 0 || !WIFEXITED(state) || WEXITSTATUS(state) != 0) {
        end_stage(f, false);
    } else if (f->stage == FITTING) {
        start_placing(f);
    } else {
        take_result(f, fresh);
    }
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
        if (f->number && findings_read(fresh, f->project->items, f->run, f->proba) == SCDC_OK) {
            enough_answers(f);
            f->answers_last = (*fresh)->answers = f->answers_then;
            return;
        }
    }
    if (f->stage != RESTING) {
        look_at_child(f, fresh);
    } else if (clock_steady() - f->ended >= PAUSE_MS && enough_answers(f)) {
        start_fit(f);
    }
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
    if (f->child > 0) {
        kill(f->child, SIGKILL); /* it leaves whole files or none */
        waitpid(f->child, NULL, 0);
    }
    free(f->program);
    free(f->folder);
    free(f->answers);
    free(f->run);
    free(f->proba);
    free(f);
}
