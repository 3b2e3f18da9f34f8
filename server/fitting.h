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
/* Path of the report of the run at hand; freed by the caller. */
char *fitting_report(const fitting *f);
void fitting_look(const fitting *f, bool *running, size_t *good, size_t *failed);

#endif
