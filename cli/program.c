/* The command table, the way from words to a command, and the last look at stdout. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "signals.h"

#include <scdc/scdc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const command simulate_data[] = {
    {"pinwheel", "items on the bent arms of a wheel", cmd_simulate_pinwheel, NULL},
    {"blobs", "items in round Gaussian clusters", cmd_simulate_blobs, NULL},
    {NULL, NULL, NULL, NULL},
};

static const command simulate[] = {
    {"data", "items with known classes", NULL, simulate_data},
    {"answers", "answers of simulated workers", cmd_simulate_answers, NULL},
    {NULL, NULL, NULL, NULL},
};

static const command commands[] = {
    {"baseline", "cluster by a method to compare with", cmd_baseline, NULL},
    {"collect", "serve a page on which people answer", cmd_collect, NULL},
    {"demo", "a whole run on made-up items and answers", cmd_demo, NULL},
    {"eval", "score clusters against the true classes", cmd_eval, NULL},
    {"export", "write results for other tools", cmd_export, NULL},
    {"fit", "cluster items, with or without answers of workers", cmd_fit, NULL},
    {"import", "turn files of other annotation tools into answers", cmd_import, NULL},
    {"inspect", "tell what files hold", cmd_inspect, NULL},
    {"plan", "tell what more answers would give, and when to stop", cmd_plan, NULL},
    {"predict", "put items into the clusters of a fitted model", cmd_predict, NULL},
    {"report", "write the report of a run", cmd_report, NULL},
    {"reproduce", "run an experiment of the paper again", cmd_reproduce, NULL},
    {"sample", "make up items of each cluster", cmd_sample, NULL},
    {"simulate", "make items or answers to try things on", NULL, simulate},
    {"suggest", "choose the next questions for workers", cmd_suggest, NULL},
    {"update", "new answers for a run, without a new fit", cmd_update, NULL},
    {"version", "show the version", cmd_version, NULL},
    {"workers", "show how good each worker is", cmd_workers, NULL},
    {NULL, NULL, NULL, NULL},
};

/* The manual page of the program or of a group, or its words. */
static void print_commands_as(help_style style, const char *group, const command *table)
{
    if (style == HELP_MANUAL) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(*group ? strlen(group) - 1 : 0), group);
        help_title(name, "clusters items from their features plus noisy answers of crowd workers");
        printf(".SH SYNOPSIS\n.B scdc %s\nCOMMAND [operands] [options]\n.SH COMMANDS\n", group);
    }
    for (; table->name; table++) help_command(group, table->name, table->summary, style);
    if (style == HELP_MANUAL)
        puts(".SH SEE ALSO\nEach command has a page of its own: scdc\\-fit(1) and so on.");
}

/* `group` is "" at the top, else "simulate " and so on. */
static void print_commands(FILE *stream, const char *group, const command *table)
{
    fprintf(stream, "%susage:%s scdc %sCOMMAND [operands] [options]\n\n", bold(stream),
            plain(stream), group);
    if (!*group) {
        fputs("Clusters items from their features or pixels plus noisy same/different answers of "
              "crowd\nworkers.\n\n",
              stream);
    }
    fprintf(stream, "%sCommands%s\n", bold(stream), plain(stream));
    for (; table->name; table++)
        fprintf(stream, "  %s%-12s  %s\n", group, table->name, table->summary);
    fprintf(stream, "\n'scdc %sCOMMAND --help' or 'scdc help %sCOMMAND' tells more.\n", group,
            group);
}

static int unknown_command(const char *group, const command *table, const char *word)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    for (; table[count].name && count < MOST; count++) names[count] = table[count].name;
    int code = word[0] == '-' ? refuse(EXIT_USAGE, "option '%s' stands before the command", word)
                              : refuse(EXIT_USAGE, "unknown command '%s%s'", group, word);
    const char *nearest = suggest_nearest(word, names, count);
    const char *const leading[] = {"--help", "--version"};
    const char *meant = suggest_nearest(word, leading, LENGTH_OF(leading));
    if (word[0] == '-' && meant) {
        hint("did you mean 'scdc %s%s'?", group, meant);
    } else if (word[0] == '-') {
        hint("options come after the command: scdc %sCOMMAND %s", group, word);
    } else if (nearest) {
        hint("did you mean 'scdc %s%s'?", group, nearest);
    } else {
        hint("'scdc help' lists the commands");
    }
    return code;
}

/* Walks down the groups; `group` collects the words walked, for messages. */
static int dispatch(const command *table, char *group, size_t size, int argc, char **argv)
{
    if (argc == 0) {
        print_commands(stderr, group, table);
        return EXIT_USAGE;
    }
    const char *word = argv[0];
    help_style style;
    if (help_asked(&style, word)) {
        if (style == HELP_TEXT) print_commands(stdout, group, table);
        else print_commands_as(style, group, table);
        return EXIT_GOOD;
    }
    for (const command *c = table; c->name; c++) {
        if (strcmp(word, c->name) != 0) continue;
        if (c->run) return c->run(argc - 1, argv + 1);
        size_t length = strlen(group);
        snprintf(group + length, size - length, "%s ", c->name);
        return dispatch(c->group, group, size, argc - 1, argv + 1);
    }
    return unknown_command(group, table, word);
}

/* `scdc help simulate answers` is `scdc simulate answers --help`. */
static int help_about(int argc, char **argv)
{
    enum { DEEPEST = 4 };
    char *words[DEEPEST + 1], help[] = "--help", group[64] = "";
    if (argc > DEEPEST) argc = DEEPEST;
    memcpy(words, argv, (size_t)argc * sizeof *words);
    words[argc] = help;
    return dispatch(commands, group, sizeof group, argc + 1, words);
}

static int run(int argc, char **argv)
{
    char group[64] = "";
    if (argc > 0 && strcmp(argv[0], "help") == 0) return help_about(argc - 1, argv + 1);
    if (argc > 0 && strcmp(argv[0], "--version") == 0) return cmd_version(argc - 1, argv + 1);
    return dispatch(commands, group, sizeof group, argc, argv);
}

int run_program(int argc, char **argv)
{
    /* A reader that goes away, or a file that reached its limit, is an error of the write that met
     * it: a signal would leave temporary files behind. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signals_guard_files();
    return finish_output(run(argc - 1, argv + 1));
}
