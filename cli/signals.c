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

bool signals_caught(void)
{
    return caught != 0;
}
