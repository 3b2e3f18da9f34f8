/* Signals that ask a long command to stop: it finishes what it is doing, saves, and ends. A second
 * one ends the program at once. */
#ifndef SCDC_CLI_SIGNALS_H
#define SCDC_CLI_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program. */
void signals_catch(void);
/* An input file lies mapped in memory; when somebody shortens it, reading it raises SIGBUS. From
 * now on the program then says so and ends, instead of dying without a word. */
void signals_guard_files(void);
/* Was one of them sent? */
bool signals_caught(void);

/* Sleeps until a signal has come, whichever thread it came to; also when it came before. */
void signals_wait(void);

#endif
