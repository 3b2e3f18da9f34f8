/* Signals that ask a long command to stop: it finishes what it is doing, saves, and ends. A second
 * one ends the program at once. */
#ifndef SCDC_CLI_SIGNALS_H
#define SCDC_CLI_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program. */
void signals_catch(void);
/* Was one of them sent? */
bool signals_caught(void);

#endif
