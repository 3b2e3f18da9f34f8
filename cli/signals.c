/* Noting signals; everything else about stopping is done outside the handler. */
#include "signals.h"

#include "commands.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void note(int number)
{
    (void)number;
    if (caught) _exit(EXIT_INTERRUPTED);
    caught = 1;
}

void signals_catch(void)
{
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
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    /* Blocked while looking, so that none slips in between looking and sleeping. */
    sigprocmask(SIG_BLOCK, &stops, &before);
    while (!caught) sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
