/* The thread behind the page: keeps enough tasks open, takes back what nobody answers, and has the
 * items clustered by a child process now and then. The page never waits for it. */
#ifndef SCDC_SERVER_PLANNER_H
#define SCDC_SERVER_PLANNER_H

#include "findings.h"
#include "project.h"
#include "writer.h"

typedef struct planner planner;

typedef struct planner_setup {
    project *project;
    writer *writer;
    const char *program; /* NULL: no fits */
    size_t refit;        /* new answers between two fits */
    size_t threads;
    bool quick_fits;
} planner_setup;

typedef struct planner_state {
    bool exhausted; /* no further task can be made */
    bool fitting;
    size_t fits, failed_fits;
    char trouble[256];
} planner_state;

planner *planner_start(const planner_setup *setup);
/* Ends the thread and a running fit; what was found can still be looked at. */
void planner_close(planner *p);
void planner_free(planner *p);
/* More tasks are wanted soon. */
void planner_wake(planner *p);
void planner_look(planner *p, planner_state *out);
/* The last findings, or NULL; unlock when done with them. */
const findings *planner_findings_lock(planner *p);
void planner_findings_unlock(planner *p);
/* Path of the last fit's report, freed by the caller; NULL when there is none. */
char *planner_report(planner *p);

#endif
