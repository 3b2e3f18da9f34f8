/* scdc reproduce: an experiment of the paper, run again. The library does the work and keeps the
 * runs; here are the folder, progress and the printed table. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "run_dir.h"
#include "signals.h"

#include <math.h>
#include <scdc/reproduce.h>
#include <stdlib.h>
#include <string.h>

#define RUNS "runs.csv"
#define RESULT "result.json"
#define PAGE "result.md"

typedef struct reproduction {
    const char *experiment;
    scdc_reproduction options;
    bool quick, quiet;
    text_list only;
    size_t ran; /* jobs finished by this call */
    progress_line progress;
    run_dir dir;
} reproduction;

static int check_experiment(const char *word)
{
    enum { MOST = 16 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && (names[count] = scdc_reproduction_name(count)); count++) {
        if (strcmp(word, names[count]) == 0) return EXIT_GOOD;
    }
    int code = refuse(EXIT_USAGE, "unknown experiment '%s'", word);
    const char *nearest = suggest_nearest(word, names, count);
    if (nearest) {
        hint("did you mean 'scdc reproduce %s'?", nearest);
    } else {
        hint("'scdc reproduce --help' lists the experiments");
    }
    return code;
}

/* ---- progress ------------------------------------------------------------------------------- */

/* "; 3 min 05 s left", or nothing. */
static void format_left(char *out, size_t size, double left)
{
    char text[40];
    out[0] = '\0';
    if (!isfinite(left) || left < 0.05) return;
    format_duration(text, sizeof text, left);
    snprintf(out, size, "; %s left", text);
}

static int on_progress(const scdc_reproduction_progress *p, void *user)
{
    reproduction *r = user;
    char left[64], took[40], text[256];
    format_left(left, sizeof left, p->left);
    if (p->finished) r->ran++;
    if (p->finished && !r->quiet) {
        progress_clear(&r->progress);
        format_duration(took, sizeof took, p->seconds);
        say("%zu/%zu %s: ACC %.3f, NMI %.3f, %s%s", p->number, p->jobs, p->job, p->acc, p->nmi,
            took, left);
    } else if (progress_due(&r->progress)) {
        snprintf(text, sizeof text, "%zu/%zu %s  %3.0f %%%s", p->number, p->jobs, p->job,
                 100 * p->share, left);
        progress_text(&r->progress, text);
    }
    return signals_caught();
}

/* ---- what came out -------------------------------------------------------------------------- */

static const char *text_of(const json_t *cell)
{
    const char *text =
        json_string_value(json_is_object(cell) ? json_object_get(cell, "text") : cell);
    return text ? text : "";
}

static void print_table(const json_t *table)
{
    text_table t;
    size_t i, j;
    const json_t *columns = json_object_get(table, "columns"), *row, *cell;
    size_t count = json_array_size(columns);
    const char **headings = must_resize(NULL, count, sizeof *headings);
    for (i = 0; i < count; i++) headings[i] = text_of(json_array_get(columns, i));
    printf("%s%s%s\n", bold(stdout), text_of(json_object_get(table, "title")), plain(stdout));
    table_start(&t, count, headings);
    json_array_foreach(json_object_get(table, "rows"), i, row)
    {
        json_array_foreach(row, j, cell) table_cell(&t, "%s", text_of(cell));
    }
    table_print(&t, stdout);
    putchar('\n');
    free(headings);
}

static int print_result(const reproduction *r, bool as_json)
{
    size_t i;
    const json_t *table;
    char *path = run_path(r->options.folder, RESULT), *page = run_path(r->options.folder, PAGE);
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    int code = EXIT_GOOD;
    if (!json) {
        code = refuse(EXIT_FAILED, "%s: %s", path, error.text);
    } else if (as_json) {
        code = print_json(json_incref(json));
    } else {
        json_array_foreach(json_object_get(json, "tables"), i, table) print_table(table);
        if (!r->quiet) {
            fputs("mean ± standard deviation (number of runs); figures and remarks: ", stdout);
            put_text(stdout, page);
            putchar('\n');
        }
    }
    json_decref(json);
    free(path);
    free(page);
    return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

static char *command_words(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fputs("scdc reproduce", out);
    for (int i = 0; i < argc; i++) {
        putc(' ', out);
        put_shell_word(out, argv[i]);
    }
    fclose(out);
    return text;
}

static int run(reproduction *r, const common_options *common)
{
    int code = check_experiment(r->experiment);
    if (code == EXIT_GOOD) code = run_dir_share(&r->dir, r->options.folder, RUNS, "reproduce");
    if (code != EXIT_GOOD) return code;
    signals_catch();
    progress_begin(&r->progress, r->quiet, 1);
    int status = scdc_reproduce(r->experiment, &r->options, on_progress, r);
    progress_clear(&r->progress);
    if (status == SCDC_ERR_STOPPED) {
        if (!r->quiet)
            say("interrupted; %s keeps the finished runs and the results so far: the same command "
                "goes on",
                r->options.folder);
        return EXIT_INTERRUPTED;
    }
    if (status != SCDC_OK) {
        code = report_failure(status);
        run_dir_undo(&r->dir);
        return code;
    }
    if (!r->ran && !r->quiet) say("all runs were there already");
    return print_result(r, common->json);
}

int cmd_reproduce(int argc, char **argv)
{
    reproduction r = {.dir = {.lock = -1}};
    scdc_reproduction_init(&r.options);
    const option options[] = {
        OPTION(TEXT, "output", 'o', &r.options.folder, "DIR",
               "folder for the results; runs that are in it are not repeated", .required = true),
        OPTION(TEXT, "data", 0, &r.options.data, "DIR", "folder with the data sets",
               .fallback = "where tools/get-data puts them"),
        OPTION(FLAG, "quick", 0, &r.quick, NULL, "a small version that takes seconds"),
        OPTION(COUNT, "seeds", 0, &r.options.seeds, "R", "runs of each setting",
               .fallback = "as many as in the paper"),
        OPTION(COUNT, "epochs", 0, &r.options.epochs, "E",
               "epochs of the paper's recipe on MNIST and CIFAR-10; runs of other numbers are not "
               "counted",
               .fallback = "200, as in the paper"),
        OPTION(TEXTS, "only", 0, &r.only, "WORD",
               "only runs of this method, recipe or setting; may be given several times"),
    };
    command_line line = {
        .command = "reproduce",
        .operands = "pinwheel|face|mnist|cifar10",
        .least = 1,
        .most = 1,
        .about = "Runs an experiment of the paper again, in the paper's recipe and in the default "
                 "one, and shows the paper's figures beside those found here. DIR gets runs.csv "
                 "(a row per finished run), result.json, result.md and the figures. Interrupted "
                 "(Ctrl-C), it keeps the finished runs; the same command goes on, and more "
                 "--seeds adds runs.",
        .uses = USES_JSON | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc reproduce pinwheel -o DIR\n"
                    "  scdc reproduce mnist -o DIR --only default --seeds 1\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        char *words = command_words(argc, argv);
        r.experiment = line.operand[0];
        r.quiet = line.common.quiet;
        r.options.command = words;
        r.options.quick = r.quick;
        r.options.only = r.only.values;
        r.options.n_only = r.only.count;
        r.options.threads = (int)line.common.threads;
        code = run(&r, &line.common);
        free(words);
    }
    run_dir_free(&r.dir);
    options_free(&line);
    return code;
}
