/* scdc workers: how good a fitted model thinks each worker is. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_dir.h"

#include <stdlib.h>
#include <string.h>

static const char *const orders[] = {"file", "weight", "answers", "name", NULL};
enum order { ORDER_FILE, ORDER_WEIGHT, ORDER_ANSWERS, ORDER_NAME };

/* Best first, ties by name. */
static int by_weight(const void *a, const void *b)
{
    const scdc_worker *left = a, *right = b;
    if (left->weight != right->weight) return left->weight > right->weight ? -1 : 1;
    return strcmp(left->name, right->name);
}

static int by_answers(const void *a, const void *b)
{
    const scdc_worker *left = a, *right = b;
    if (left->answers != right->answers) return left->answers > right->answers ? -1 : 1;
    return strcmp(left->name, right->name);
}

static int by_name(const void *a, const void *b)
{
    const scdc_worker *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static json_t *interval_json(double low, double high)
{
    return json_pack("[o,o]", json_number(low), json_number(high));
}

static int print_as_json(const scdc_worker *workers, size_t count)
{
    json_t *list = json_array();
    for (size_t m = 0; m < count; m++) {
        const scdc_worker *w = &workers[m];
        json_array_append_new(
            list, json_pack("{s:o,s:I,s:o,s:o,s:o,s:o,s:o}", "worker", json_text(w->name),
                            "answers", (json_int_t)w->answers, "sensitivity",
                            json_number(w->sensitivity), "sensitivity_interval",
                            interval_json(w->sensitivity_low, w->sensitivity_high), "specificity",
                            json_number(w->specificity), "specificity_interval",
                            interval_json(w->specificity_low, w->specificity_high), "weight",
                            json_number(w->weight)));
    }
    return print_json(json_pack("{s:o}", "workers", list));
}

static int print_as_table(const scdc_worker *workers, size_t count)
{
    text_table t;
    table_start(&t, 7,
                (const char *const[]){"worker", ">answers", ">sensitivity", "95 %", ">specificity",
                                      "95 %", ">weight"});
    for (size_t m = 0; m < count; m++) {
        const scdc_worker *w = &workers[m];
        table_cell(&t, "%s", w->name);
        table_cell(&t, "%zu", w->answers);
        table_cell(&t, "%.3f", w->sensitivity);
        table_cell(&t, "%.3f to %.3f", w->sensitivity_low, w->sensitivity_high);
        table_cell(&t, "%.3f", w->specificity);
        table_cell(&t, "%.3f to %.3f", w->specificity_low, w->specificity_high);
        table_cell(&t, "%.2f", w->weight);
    }
    table_print(&t, stdout);
    return EXIT_GOOD;
}

static int show(const scdc_model *model, enum order order, const common_options *common)
{
    scdc_model_info info;
    int status = scdc_model_get_info(&info, model);
    if (status != SCDC_OK) return report_failure(status);
    scdc_worker *workers = must_resize(NULL, info.workers, sizeof *workers);
    status = scdc_workers(workers, info.workers, model);
    int code = status == SCDC_OK ? EXIT_GOOD : report_failure(status);
    int (*const compare[])(const void *, const void *) = {NULL, by_weight, by_answers, by_name};
    if (code == EXIT_GOOD && compare[order])
        qsort(workers, info.workers, sizeof *workers, compare[order]);
    if (code == EXIT_GOOD && common->json) {
        code = print_as_json(workers, info.workers);
    } else if (code == EXIT_GOOD && info.workers) {
        code = print_as_table(workers, info.workers);
    } else if (code == EXIT_GOOD && !common->quiet) {
        say("the model was fitted without answers: it knows no workers");
    }
    free(workers);
    return code;
}

int cmd_workers(int argc, char **argv)
{
    int order = ORDER_FILE;
    const option options[] = {
        OPTION(CHOICE, "sort", 0, &order, "file|weight|answers|name",
               "order of the workers: as in the annotations, best first, busiest first, or by name",
               .choices = orders),
    };
    command_line line = {
        .command = "workers",
        .operands = "RUN",
        .least = 1,
        .most = 1,
        .about = "Shows what a fitted model thinks of each worker. Sensitivity: how often the "
                 "worker says 'same' about items of one cluster; specificity: how often "
                 "'different' about items of two; each with its 95 % interval. The weight is what "
                 "one answer of the worker counts: about 0 for a coin, below 0 for somebody who "
                 "answers the wrong way round.",
        .uses = USES_JSON,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc workers RUN\n"
                    "  scdc workers RUN --sort weight --json\n",
    };
    scdc_model *model = NULL;
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        code = open_model(&model, line.operand[0]);
        if (code == EXIT_GOOD) code = show(model, (enum order)order, &line.common);
    }
    scdc_model_free(model);
    options_free(&line);
    return code;
}
