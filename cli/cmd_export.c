/* scdc export: the results of a run in the forms other tools read. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_dir.h"
#include "run_labels.h"

#include <scdc/exchange.h>
#include <stdlib.h>

enum { WHAT_LABELS, WHAT_WORKERS };

static void list_formats(void)
{
    help_heading("Formats");
    for (size_t i = 0; scdc_export_format(i); i++)
        help_entry(scdc_export_format(i), scdc_export_about(i));
}

static int export_labels(const char *run, const char *output, const scdc_model *model,
                         scdc_export *e)
{
    fit_outcome outcome = {0};
    scdc_data *table = NULL;
    int code = fit_outcome_begin(&outcome, model);
    if (code == EXIT_GOOD) code = run_labels_read(&table, &outcome, run);
    if (code == EXIT_GOOD && !table) {
        code = refuse(EXIT_INPUT, "%s: there is no %s in it", run, RUN_LABELS);
        hint("the fit was interrupted before items were placed: finish it with --resume");
    }
    if (code == EXIT_GOOD) {
        e->names = table;
        e->labels = outcome.labels;
        e->probability = outcome.probability;
        e->component = outcome.component;
        e->count = outcome.info.items;
        int status = scdc_export_labels(output, e);
        if (status != SCDC_OK) code = report_failure(status);
    }
    scdc_data_free(table);
    fit_outcome_free(&outcome);
    return code;
}

static int export_workers(const char *output, const scdc_model *model, const char *format)
{
    scdc_model_info info;
    int status = scdc_model_get_info(&info, model);
    if (status != SCDC_OK) return report_failure(status);
    scdc_worker *workers = must_resize(NULL, info.workers, sizeof *workers);
    status = scdc_workers(workers, info.workers, model);
    if (status == SCDC_OK) status = scdc_export_workers(output, format, workers, info.workers);
    free(workers);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

int cmd_export(int argc, char **argv)
{
    static const char *const kinds[] = {"labels", "workers", NULL};
    const char *output = "-";
    int what = WHAT_LABELS;
    scdc_export e;
    scdc_export_init(&e);
    const option options[] = {
        OPTION(TEXT, "to", 't', &e.format, "FORMAT", "the form of the file"),
        OPTION(TEXT, "output", 'o', &output, "FILE", "where it goes",
               .fallback = "standard output"),
        OPTION(CHOICE, "what", 0, &what, "labels|workers",
               "the clusters of the items, or the estimates of the workers", .choices = kinds),
        OPTION(TEXT, "from-name", 0, &e.from_name, "NAME",
               "Label Studio: the name of the control that shows the cluster",
               .fallback = "cluster"),
        OPTION(TEXT, "to-name", 0, &e.to_name, "NAME",
               "Label Studio: the name of the object that shows the item", .fallback = "item"),
        OPTION(TEXT, "data-key", 0, &e.data_key, "NAME",
               "Label Studio: the key of the item in the data of a task", .fallback = "item"),
        OPTION(TEXT, "prefix", 0, &e.prefix, "TEXT",
               "Label Studio: what comes before an item to make it an address"),
    };
    command_line line = {
        .command = "export",
        .operands = "RUN",
        .least = 1,
        .most = 1,
        .about = "Writes the clusters of a run, or what it thinks of the workers, as other tools "
                 "read them.",
        .options = options,
        .n_options = LENGTH_OF(options),
        .more_help = list_formats,
        .examples = "  scdc export RUN --to jsonl -o labels.jsonl\n"
                    "  scdc export RUN --what workers --to csv -o workers.csv\n"
                    "  scdc export RUN --to label-studio --data-key image --prefix https://host/ "
                    "-o tasks.json\n",
    };
    scdc_model *model = NULL;
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        code = open_model(&model, line.operand[0]);
        if (code == EXIT_GOOD)
            code = what == WHAT_WORKERS ? export_workers(output, model, e.format)
                                        : export_labels(line.operand[0], output, model, &e);
    }
    scdc_model_free(model);
    options_free(&line);
    return code;
}
