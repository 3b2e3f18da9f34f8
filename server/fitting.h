/* Thinking in the background: child processes run this program on the answers so far (fit, update,
 * suggest, plan), and what they leave is read from their files. One that is slow or dies costs only
 * its own result. */
#ifndef SCDC_SERVER_FITTING_H
#define SCDC_SERVER_FITTING_H

#include "findings.h"
#include "project.h"

typedef struct fitting fitting;

/* `quick` takes small networks and few epochs: for a demonstration. */
fitting *fitting_create(project *p, const char *program, size_t refit, size_t threads, bool quick);
/* Ends a child that runs. */
void fitting_free(fitting *f);
/* Starts a child when there are enough new answers, looks whether one has ended. Never waits. Sets
 * *fresh when there are new findings, which then belong to the caller. */
void fitting_step(fitting *f, findings **fresh);
/* Ends a round that is under way: another server leads now. */
void fitting_rest(fitting *f);
/* Takes over what another server has found: `number` is newer than fitting_number, and its files
 * are in fitting_folder_of(number). */
void fitting_adopt(fitting *f, size_t number, size_t answers, findings **fresh);
size_t fitting_number(const fitting *f); /* of the last round; 0: none */
/* Both freed by the caller: the folder of a round, and the report of the round at hand. */
char *fitting_folder_of(const fitting *f, size_t number);
char *fitting_report(const fitting *f);
void fitting_look(const fitting *f, bool *running, size_t *good, size_t *failed);

#endif
