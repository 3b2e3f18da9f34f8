/* scdc collect: the page on which people answer, and what came in as csv. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_dir.h"
#include "signals.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SCDC_HAVE_COLLECT
#include "../server/collect.h"

static int fail(int status)
{
    int code = status == SCDC_ERR_INPUT      ? EXIT_INPUT
               : status == SCDC_ERR_ARGUMENT ? EXIT_USAGE
                                             : EXIT_FAILED;
    return refuse(code, "%s", collect_error());
}

/* ---- serving -------------------------------------------------------------------------------- */

static int tell(const collect *c, const collect_options *o, const common_options *common)
{
    if (common->json) {
        int code = print_json(json_pack("{s:s,s:s,s:s}", "url", collect_url(c), "owner_url",
                                        collect_owner_url(c), "worker_url", collect_worker_url(c)));
        fflush(stdout);
        return code;
    }
    if (common->quiet) return EXIT_GOOD;
    say("collecting in %s", o->project);
    say("  for you (keep it):       %s", collect_owner_url(c));
    say("  for people who answer:   %s", collect_worker_url(c));
    say("Ctrl-C ends it; the same command goes on.");
    return EXIT_GOOD;
}

static int serve(collect_options *o, const common_options *common)
{
    collect *c;
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    o->program = length > 0 ? self : NULL;
    o->seed = common->seed;
    signals_catch();
    int status = collect_start(&c, o);
    if (status != SCDC_OK) return fail(status);
    int code = tell(c, o, common);
    while (code == EXIT_GOOD && !signals_caught()) signals_wait();
    collect_stop(c);
    if (!common->quiet && code == EXIT_GOOD) say("stopped; everything acknowledged is kept");
    return code;
}

/* A demonstration brings its own pictures unless there are others. */
static int prepare_demo(collect_options *o, char **items, char **truth, uint64_t seed)
{
    if (!o->data) {
        int status = collect_demo_data(o->project, seed);
        if (status != SCDC_OK) return fail(status);
        o->data = *items = run_path(o->project, DEMO_ITEMS);
        o->demo_truth = *truth = run_path(o->project, DEMO_TRUTH);
        if (!o->title) o->title = "Which shapes belong together?";
    }
    if (!o->demo_truth)
        return refuse(EXIT_USAGE,
                      "--demo with DATA needs --truth, by which made-up workers answer");
    if (!o->demo) o->demo = 12;
    return EXIT_GOOD;
}

static int collect_main(int argc, char **argv)
{
    static const char *const tasks[] = {"pairs", "sets", NULL};
    static const char *const strategies[] = {"suggest", "random", "grid", NULL};
    collect_options o;
    collect_options_init(&o);
    bool demo = false, no_fit = false;
    const option options[] = {
        OPTION(TEXT, "output", 'o', &o.project, "PROJECT",
               "folder of the project; made when it is missing, gone on with when it is there",
               .required = true),
        OPTION(TEXT, "store", 0, &o.store, "URL",
               "keep answers in this PostgreSQL database, which several servers may share "
               "(postgresql://user@host/database)",
               .fallback = "a file in PROJECT"),
        OPTION(CHOICE, "task", 't', &o.sets, "pairs|sets",
               "same or different, or sets of items sorted into piles", .choices = tasks,
               .fallback = "pairs"),
        OPTION(COUNT, "set-size", 0, &o.set_size, "N", "items of a set, 2 to 36", .fallback = "8"),
        OPTION(CHOICE, "strategy", 0, &o.strategy, "suggest|random|grid",
               "ask what the last fit was unsure of, anything, or about every item equally often",
               .choices = strategies, .fallback = "suggest"),
        OPTION(COUNT, "redundancy", 'r', &o.redundancy, "R", "people who answer the same question",
               .fallback = "2"),
        OPTION(COUNT, "quota", 0, &o.quota, "N", "most answers of one person",
               .fallback = "any number"),
        OPTION(TEXT, "show", 0, &o.show, "FOLDER|CSV",
               "show these pictures, named like the items, or the column text of a csv"),
        OPTION(TEXT, "title", 0, &o.title, "TEXT", "heading of the page", .fallback = ""),
        OPTION(TEXT, "instructions", 0, &o.instructions, "FILE.md", "what people read first"),
        OPTION(TEXT, "examples", 0, &o.examples, "FILE.csv",
               "pairs with their answers for the instructions: left,right,label"),
        OPTION(TEXT, "checks", 0, &o.checks, "FILE.csv",
               "questions with known answers, mixed in to see who pays attention: "
               "left,right,label of pairs, task,item,group of sets"),
        OPTION(TEXT, "completion", 0, &o.completion, "CODE|URL",
               "what people get when their quota is reached (Prolific)"),
        OPTION(COUNT, "lease", 0, &o.lease, "SECONDS",
               "a question not answered so long goes to somebody else",
               .fallback = "180, sets 900"),
        OPTION(TEXT, "listen", 'l', &o.listen, "ADDRESS:PORT", "where to serve"),
        OPTION(TEXT, "url", 0, &o.public_url, "URL", "how others reach it, behind a proxy"),
        OPTION(TEXT, "cert", 0, &o.cert, "FILE", "certificate for https, as PEM"),
        OPTION(TEXT, "key", 0, &o.key, "FILE", "its key"),
        OPTION(FLAG, "proxied", 0, &o.proxied, NULL,
               "a proxy stands before it: believe X-Forwarded-For"),
        OPTION(COUNT, "connections", 0, &o.connections, "N", "most connections"),
        OPTION(COUNT, "per-address", 0, &o.per_address, "N",
               "most connections of one address; 0: any number"),
        OPTION(COUNT, "refit", 0, &o.refit, "N", "new answers between two fits"),
        OPTION(FLAG, "no-fit", 0, &no_fit, NULL, "do not cluster in the background"),
        OPTION(FLAG, "demo", 0, &demo, NULL, "made-up people answer, to watch"),
        OPTION(TEXT, "truth", 0, &o.demo_truth, "LABELS", "by which they answer; for --demo only"),
    };
    command_line line = {
        .command = "collect",
        .operands = "[DATA]",
        .least = 0,
        .most = 1,
        .about = "Serves a page on which people say which items are of the same kind, and keeps "
                 "their answers in PROJECT. Prints a link for you, who watch, and one for the "
                 "people who answer. 'scdc collect export PROJECT' gives the answers as csv; "
                 "'scdc fit DATA --annotations PROJECT' takes them as they are.",
        .uses = USES_JSON | USES_SEED,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = o.seed},
        .examples = "  scdc collect pictures/ -o PROJECT\n"
                    "  scdc collect items.npy -o PROJECT --task sets --set-size 12 --listen "
                    "0.0.0.0:8080\n"
                    "  scdc collect --demo -o PROJECT\n",
    };
    char *items = NULL, *truth = NULL;
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        o.data = line.n_operands ? line.operand[0] : NULL;
        o.fits = !no_fit;
        code = demo     ? prepare_demo(&o, &items, &truth, line.common.seed)
               : o.data ? EXIT_GOOD
                        : refuse(EXIT_USAGE, "DATA is missing: the items people are asked about");
        if (code == EXIT_GOOD) code = serve(&o, &line.common);
    }
    free(items);
    free(truth);
    options_free(&line);
    return code;
}

/* ---- exporting ------------------------------------------------------------------------------ */

static int export_main(int argc, char **argv)
{
    const char *output = "-", *store = NULL;
    bool everybody = false;
    const option options[] = {
        OPTION(TEXT, "output", 'o', &output, "FILE.csv", "where the answers go",
               .fallback = "standard output"),
        OPTION(TEXT, "store", 0, &store, "URL", "the project's database",
               .fallback = "as PROJECT says"),
        OPTION(FLAG, "all", 0, &everybody, NULL, "with the answers of blocked people"),
    };
    command_line line = {
        .command = "collect export",
        .operands = "PROJECT",
        .least = 1,
        .most = 1,
        .about = "Writes the answers of a project of 'scdc collect' as csv: "
                 "worker,left,right,label of pairs, worker,task,item,group of piles. Works "
                 "while people answer.",
        .uses = USES_JSON,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc collect export PROJECT -o answers.csv\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        collect_counts counts;
        int status = collect_export(&counts, line.operand[0], store, output, everybody);
        bool file = strcmp(output, "-") != 0;
        if (status != SCDC_OK) {
            code = fail(status);
        } else if (file && line.common.json) {
            code = print_json(json_pack("{s:o,s:I,s:I}", "file", json_text(output), "answers",
                                        (json_int_t)counts.answers, "workers",
                                        (json_int_t)counts.workers));
        } else {
            code = EXIT_GOOD;
            if (file && !line.common.quiet)
                say("%s: %zu answers of %zu people", output, counts.answers, counts.workers);
        }
    }
    options_free(&line);
    return code;
}

int cmd_collect(int argc, char **argv)
{
    bool export = argc > 0 && strcmp(argv[0], "export") == 0;
    return export ? export_main(argc - 1, argv + 1) : collect_main(argc, argv);
}

#else

int cmd_collect(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    int code = refuse(EXIT_FAILED, "this scdc was built without 'scdc collect'");
    hint("it needs libmicrohttpd, SQLite and GnuTLS when it is built");
    return code;
}

#endif
