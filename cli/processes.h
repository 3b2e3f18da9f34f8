/* Several processes that run one command (scdc-mpi); with one, nothing here does anything. */
#ifndef SCDC_CLI_PROCESSES_H
#define SCDC_CLI_PROCESSES_H

/* Called by all: nobody goes on when one cannot. The own code if it is not EXIT_GOOD; a negative
 * one of another process, which is a word to all; else EXIT_GOOD, or EXIT_ELSEWHERE. */
int agree(int code);

#endif
