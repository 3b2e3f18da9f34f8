/* The commands of program scdc and the exit codes they share. */
#ifndef SCDC_CLI_COMMANDS_H
#define SCDC_CLI_COMMANDS_H

enum exit_code {
    EXIT_GOOD = 0,
    EXIT_FAILED = 1,        /* the work failed */
    EXIT_USAGE = 2,         /* wrong usage */
    EXIT_INPUT = 3,         /* a bad input file */
    EXIT_INTERRUPTED = 130, /* stopped by the user */
    EXIT_ELSEWHERE = -2,    /* another process of scdc-mpi failed, and says why; never left with */
};

/* A command, or a group of commands such as `simulate` (then `group` ends in a NULL name and `run`
 * is NULL). argv[0] is the first word after the command's own name. Returns an exit code. */
typedef struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    const struct command *group;
} command;

int cmd_baseline(int argc, char **argv);
int cmd_collect(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_sample(int argc, char **argv);
int cmd_simulate_answers(int argc, char **argv);
int cmd_simulate_blobs(int argc, char **argv);
int cmd_simulate_pinwheel(int argc, char **argv);
int cmd_suggest(int argc, char **argv);
int cmd_update(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_workers(int argc, char **argv);

/* program.c: all of the program but its beginning and its end. Returns an exit code. */
int run_program(int argc, char **argv);

/* fast_products.c: begins anew where OpenBLAS took the products of its oldest processor for one
 * that it does not know. Returns otherwise. */
void take_fast_products(char **argv);

#endif
