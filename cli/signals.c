/* Noting signals; everything else about stopping is done outside the handler. */
#include "signals.h"

#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { LOOK_MS = 200 }; /* between two looks where there is no pipe */

static volatile sig_atomic_t caught;
/* What a signal wakes those who wait by: any thread may have to handle it, and a thread that sleeps
 * does not notice what another one handles. */
static int waking[2] = {-1, -1};

static void note(int number)
{
    int before = errno;
    (void)number;
    if (caught) _exit(EXIT_INTERRUPTED);
    caught = 1;
    ssize_t ignored = write(waking[1], "", 1);
    (void)ignored;
    errno = before;
}

static void open_pipe(void)
{
    if (waking[0] >= 0 || pipe(waking) != 0) return;
    for (int i = 0; i < 2; i++) fcntl(waking[i], F_SETFD, FD_CLOEXEC);
}

void signals_catch(void)
{
    open_pipe();
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* nohup has it ignored, and means it. */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

/* Only what a handler may do: the file that lost its end cannot be told from here. */
static void lost_file(int number, siginfo_t *info, void *context)
{
    static const char text[] =
        "scdc: an input file was shortened by another program while it was in use\n"
        "hint: run the command again on the complete file\n";
    (void)context;
    if (info->si_code == BUS_ADRERR) {
        ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
        (void)ignored;
        _exit(EXIT_INPUT);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void signals_guard_files(void)
{
    struct sigaction action = {.sa_sigaction = lost_file, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

bool signals_caught(void)
{
    return caught != 0;
}

void signals_wait(void)
{
    struct pollfd wait = {.fd = waking[0], .events = POLLIN};
    while (!caught) poll(&wait, 1, wait.fd < 0 ? LOOK_MS : -1);
}
