/* scdc import: files of other annotation tools as answers. */
#include "commands.h"
#include "options.h"
#include "output.h"

#include <scdc/exchange.h>
#include <stdlib.h>
#include <string.h>

static void list_tools(void)
{
    help_heading("Tools");
    for (size_t i = 0; scdc_import_tool(i); i++)
        help_entry(scdc_import_tool(i), scdc_import_about(i));
}

/* Words given one by one, as the library takes them: separated by |. Freed by the caller. */
static char *join_words(const text_list *list)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < list->count; i++) size += strlen(list->values[i]) + 1;
    char *joined = must_resize(NULL, size, 1);
    for (size_t i = 0; i < list->count; i++)
        used += (size_t)sprintf(joined + used, "%s%s", i ? "|" : "", list->values[i]);
    joined[used] = '\0';
    return joined;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void say_result(const scdc_import_info *info, const char *output)
{
    bool file = strcmp(output, "-") != 0;
    say("%s: %zu row%s of %s about %zu item%s by %zu worker%s%s%s", info->tool, info->rows,
        plural(info->rows), info->form, info->items, plural(info->items), info->workers,
        plural(info->workers), file ? ", written to " : "", file ? output : "");
    if (info->skipped) say("%zu of them without an answer (skipped, unsure)", info->skipped);
    if (info->gold) say("%zu of them with a known right answer, in the column gold", info->gold);
    if (info->rejected) {
        say("%zu answer%s left out: rejected, returned or unfinished work", info->rejected,
            plural(info->rejected));
        hint("--rejected takes them, too");
    }
    if (info->dropped)
        say("%zu answer%s left out: an item beside itself, or several classes for one item",
            info->dropped, plural(info->dropped));
}

static int print_result(const scdc_import_info *i)
{
    return print_json(json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "tool", i->tool,
                                "form", i->form, "rows", (json_int_t)i->rows, "workers",
                                (json_int_t)i->workers, "items", (json_int_t)i->items, "tasks",
                                (json_int_t)i->tasks, "skipped", (json_int_t)i->skipped, "gold",
                                (json_int_t)i->gold, "rejected", (json_int_t)i->rejected, "dropped",
                                (json_int_t)i->dropped));
}

static int check_tool(const char *from)
{
    enum { MOST = 32 };
    const char *names[MOST] = {"auto"};
    size_t count = 1;
    for (; count < MOST && scdc_import_tool(count - 1); count++)
        names[count] = scdc_import_tool(count - 1);
    for (size_t i = 0; i < count; i++) {
        if (!from || strcmp(names[i], from) == 0) return EXIT_GOOD;
    }
    int code = refuse(EXIT_USAGE, "--from: '%s' is no tool whose files are known", from);
    const char *nearest = suggest_nearest(from, names, count);
    if (nearest) hint("did you mean %s?", nearest);
    else hint("'scdc import --help' lists the tools");
    return code;
}

static int import(const char *path, const char *output, const scdc_import_options *o,
                  const common_options *common)
{
    scdc_import_info info;
    if (common->json && strcmp(output, "-") == 0) {
        int wrong = refuse(EXIT_USAGE, "--json and the answers cannot both go to standard output");
        hint("name a file for the answers: -o answers.csv");
        return wrong;
    }
    int code = check_tool(o->from);
    if (code != EXIT_GOOD) return code;
    int status = scdc_import(&info, path, output, o);
    if (status != SCDC_OK) return report_failure(status);
    if (common->json) return print_result(&info);
    if (!common->quiet) say_result(&info, output);
    return EXIT_GOOD;
}

int cmd_import(int argc, char **argv)
{
    const char *output = "-";
    bool base_names = false, rejected = false;
    text_list same = {0}, different = {0};
    scdc_import_options o;
    scdc_import_options_init(&o);
    o.task_items = 200;
    const option options[] = {
        OPTION(TEXT, "from", 'f', &o.from, "TOOL", "the tool that wrote the file",
               .fallback = "told by content"),
        OPTION(TEXT, "output", 'o', &output, "FILE.csv", "where the answers go",
               .fallback = "standard output"),
        OPTION(TEXT, "item", 0, &o.item, "FIELD", "field that identifies the one item asked about",
               .fallback = "told by its name"),
        OPTION(TEXT, "left", 0, &o.left, "FIELD", "field of the first of two items",
               .fallback = "told by its name"),
        OPTION(TEXT, "right", 0, &o.right, "FIELD", "field of the second of two items",
               .fallback = "told by its name"),
        OPTION(TEXT, "answer", 0, &o.answer, "FIELD",
               "field of the answer, where there are several", .fallback = "the only one"),
        OPTION(TEXT, "worker", 0, &o.worker, "FIELD", "field of the worker",
               .fallback = "the tool's own"),
        OPTION(TEXT, "worker-name", 0, &o.worker_name, "NAME",
               "who answered, for files that do not tell"),
        OPTION(TEXTS, "same", 0, &same, "WORD",
               "an answer that means the two are of one kind; may be repeated"),
        OPTION(TEXTS, "different", 0, &different, "WORD",
               "an answer that means they are not; may be repeated"),
        OPTION(COUNT, "task-items", 0, &o.task_items, "N",
               "most items of one grouping made of class labels, 4 to 2000"),
        OPTION(FLAG, "base-names", 0, &base_names, NULL,
               "of items that are paths or addresses take the last part only"),
        OPTION(FLAG, "rejected", 0, &rejected, NULL,
               "take work that was rejected, returned or left unfinished, too"),
    };
    command_line line = {
        .command = "import",
        .operands = "FILE",
        .least = 1,
        .most = 1,
        .about = "Turns a file of another annotation tool into a file of answers for "
                 "--annotations. Questions about two items become pairs; sorted items, and classes "
                 "that workers gave to single items, become groupings. Workers, times, known right "
                 "answers and skipped questions are kept. Files that say which of two items is "
                 "better are refused.",
        .uses = USES_JSON,
        .options = options,
        .n_options = LENGTH_OF(options),
        .more_help = list_tools,
        .examples = "  scdc import project-1.json -o answers.csv\n"
                    "  scdc import Batch_results.csv --from mturk --left image1 --right image2 "
                    "-o answers.csv\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        char *same_words = join_words(&same), *different_words = join_words(&different);
        o.same = same_words;
        o.different = different_words;
        o.base_names = base_names;
        o.rejected = rejected;
        code = import(line.operand[0], output, &o, &line.common);
        free(same_words);
        free(different_words);
    }
    options_free(&line);
    return code;
}
