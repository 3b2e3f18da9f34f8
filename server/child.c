/* Starting and watching child processes. */
#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NICE = 10 };

extern char **environ;

bool child_start(child *c, const char *program, const char *const *words, const char *output,
                 const char *log, int seconds)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t pipe_only, none;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (output)
        posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    else posix_spawn_file_actions_adddup2(&files, 2, 1);
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
    bool good = posix_spawn(&c->pid, program, &files, &how, argv, environ) == 0;
    if (good) setpriority(PRIO_PROCESS, (id_t)c->pid, NICE);
    else c->pid = 0;
    c->until = clock_steady() + seconds * 1000LL;
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return good;
}

child_state child_look(child *c)
{
    int state;
    if (!c->pid) return CHILD_FAILED;
    pid_t ended = waitpid(c->pid, &state, WNOHANG);
    if (ended == 0) {
        if (clock_steady() > c->until) kill(c->pid, SIGKILL);
        return CHILD_RUNS;
    }
    c->pid = 0;
    return ended > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0 ? CHILD_GOOD : CHILD_FAILED;
}

void child_end(child *c)
{
    if (c->pid <= 0) return;
    kill(c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    c->pid = 0;
}
