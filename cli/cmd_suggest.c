/* scdc suggest: the questions whose answers would tell most. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_inputs.h"

#include <scdc/asking.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat s;
    return path && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_csv(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && !is_folder(path) &&
           (strcmp(ending, ".csv") == 0 || strcmp(ending, ".tsv") == 0);
}

static bool known_worker(const scdc_model *model, const char *name)
{
    scdc_model_info info;
    bool found = false;
    if (!model || scdc_model_get_info(&info, model) != SCDC_OK) return false;
    scdc_worker *workers = must_resize(NULL, info.workers, sizeof *workers);
    if (scdc_workers(workers, info.workers, model) == SCDC_OK) {
        for (size_t m = 0; m < info.workers; m++) found |= strcmp(workers[m].name, name) == 0;
    }
    free(workers);
    return found;
}

static int suggest(run_inputs *in, const char *run, const scdc_suggest_options *o,
                   scdc_suggest_file *file, const char *output, const common_options *common)
{
    scdc_suggestions *questions = NULL;
    int code = run_inputs_open(in, run);
    if (code != EXIT_GOOD) return code;
    int status =
        in->source.model ? scdc_model_set_threads(in->source.model, (int)common->threads) : SCDC_OK;
    if (status == SCDC_OK)
        status = scdc_suggest(&questions, in->source.model, in->source.data, in->source.crowd, o);
    if (status != SCDC_OK) return report_failure(status);
    size_t count = scdc_suggestions_count(questions);
    file->names = in->source.data;
    status = scdc_suggestions_write(output, questions, file);
    scdc_suggestions_free(questions);
    if (status != SCDC_OK) return report_failure(status);
    if (common->quiet) return EXIT_GOOD;
    if (count < o->count) say("note: there are no more than %zu different questions", count);
    if (o->worker && in->source.model && !known_worker(in->source.model, o->worker))
        say("note: worker '%s' has not answered yet and is taken for a typical one", o->worker);
    if (strcmp(output, "-") != 0)
        say("%zu question%s written to %s", count, count == 1 ? "" : "s", output);
    return EXIT_GOOD;
}

int cmd_suggest(int argc, char **argv)
{
    static const char *const tasks[] = {"pairs", "sets", NULL};
    static const char *const formats[] = {"csv", "jsonl", NULL};
    const char *output = "-", *show = NULL;
    int task = 0, format = 0;
    run_inputs in = {0};
    scdc_suggest_options o;
    scdc_suggest_file file;
    scdc_suggest_options_init(&o);
    scdc_suggest_file_init(&file);
    const option options[] = {
        OPTION(COUNT, "count", 'n', &o.count, "N", "how many questions"),
        OPTION(CHOICE, "task", 0, &task, "pairs|sets",
               "are these two of one kind, or sort these items into piles", .choices = tasks),
        OPTION(COUNT, "set-size", 0, &o.set_size, "N", "items of a set, 2 to 100"),
        OPTION(TEXT, "worker", 'w', &o.worker, "NAME", "who will answer",
               .fallback = "a typical worker"),
        OPTION(CHOICE, "format", 0, &format, "csv|jsonl",
               "a table, or a JSON object per line with ids and paths of the items",
               .choices = formats),
        OPTION(TEXT, "output", 'o', &output, "FILE", "where the questions go",
               .fallback = "standard output"),
        OPTION(TEXT, "data", 0, &in.data_path, "DATA",
               "the items: without RUN to begin with, with RUN when they have moved"),
        OPTION(TEXTS, "annotations", 'a', &in.annotations, "FILE",
               "the answers so far, when RUN does not know them all; may be given several times",
               .fallback = "those of RUN"),
        OPTION(TEXT, "show", 0, &show, "FOLDER|CSV",
               "for jsonl: where files with the names of the items are, or their texts: a csv "
               "with columns id and text",
               .fallback = "DATA, when it is a folder of images"),
    };
    command_line line = {
        .command = "suggest",
        .operands = "[RUN]",
        .least = 0,
        .most = 1,
        .about = "Chooses the next questions for workers: those whose answers are expected to tell "
                 "most about the clusters of all items, given the answers so far and how good the "
                 "worker is. The gain of a question is the share of the items whose company its "
                 "answer is expected to settle. Before the first fit, --data alone is enough.",
        .uses = USES_SEED | USES_THREADS,
        .common.seed = SCDC_DEFAULT_SEED,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc suggest RUN -n 50 -o questions.csv\n"
                    "  scdc suggest RUN -n 10 --task sets --set-size 8 --worker anna\n"
                    "  scdc suggest --data photos -n 100 --format jsonl -o questions.jsonl\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        const char *run = line.n_operands ? line.operand[0] : NULL;
        o.kind = task ? SCDC_QUESTION_SET : SCDC_QUESTION_PAIR;
        o.seed = line.common.seed;
        o.threads = (int)line.common.threads;
        file.format = formats[format];
        if (show && is_csv(show)) file.texts_file = show;
        else file.folder = show;
        if (!file.folder && is_folder(in.data_path)) file.folder = in.data_path;
        if (run || in.data_path) {
            code = suggest(&in, run, &o, &file, output, &line.common);
        } else {
            code = refuse(EXIT_USAGE, "nothing to ask about: give a RUN, or items by --data");
            hint("'scdc suggest --help' tells more");
        }
    }
    run_inputs_free(&in);
    options_free(&line);
    return code;
}
