/* scdc plan: how good the labels are, what more answers would give, and whether to go on. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_inputs.h"

#include <math.h>
#include <scdc/asking.h>
#include <stdlib.h>
#include <string.h>

static const char *const advices[] = {"go on", "stop", "reached", "out of reach"};

static json_t *points_json(const scdc_plan_point *points, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(
            list, json_pack("{s:o,s:o,s:o,s:o,s:b}", "answers", json_number(points[i].answers),
                            "accuracy", json_number(points[i].accuracy), "low",
                            json_number(points[i].low), "high", json_number(points[i].high),
                            "measured", points[i].measured));
    }
    return list;
}

static int print_as_json(const scdc_outlook_info *i, const scdc_plan_point *points, size_t count)
{
    return print_json(json_pack(
        "{s:I,s:I,s:I,s:I,s:o,s:[o,o],s:o,s:{s:o,s:o,s:o},s:s,s:o,s:o}", "items",
        (json_int_t)i->items, "answers", (json_int_t)i->answers, "workers", (json_int_t)i->workers,
        "clusters", (json_int_t)i->clusters, "accuracy", json_number(i->accuracy), "interval",
        json_number(i->low), json_number(i->high), "needed", json_number(i->needed), "rule",
        "ratio", json_number(i->ratio), "threshold", json_number(i->threshold), "margin",
        json_number(i->margin), "advice", advices[i->advice], "sentence", json_text(i->sentence),
        "points", points_json(points, count)));
}

static void print_as_text(const scdc_outlook_info *i, const scdc_plan_point *points, size_t count)
{
    text_table t;
    table_start(&t, 4, (const char *const[]){">answers", ">accuracy", "range", ""});
    for (size_t p = 0; p < count; p++) {
        table_cell(&t, "%.0f", points[p].answers);
        table_cell(&t, "%.3f", points[p].accuracy);
        table_cell(&t, "%.3f to %.3f", points[p].low, points[p].high);
        table_cell(&t, "%s", points[p].measured ? "" : "expected");
    }
    table_print(&t, stdout);
    printf("%s\n", i->sentence);
}

static int plan(run_inputs *in, const char *run, const scdc_plan_options *o, const char *svg,
                const common_options *common)
{
    scdc_outlook *outlook = NULL;
    scdc_outlook_info info;
    size_t count;
    int code = run_inputs_open(in, run);
    if (code != EXIT_GOOD) return code;
    int status =
        in->source.model ? scdc_model_set_threads(in->source.model, (int)common->threads) : SCDC_OK;
    if (status == SCDC_OK)
        status = scdc_plan(&outlook, in->source.model, in->source.data, in->source.crowd, o);
    if (status == SCDC_OK) status = scdc_outlook_get_info(&info, outlook);
    if (status == SCDC_OK && svg) status = scdc_outlook_write_svg(svg, outlook);
    if (status != SCDC_OK) {
        scdc_outlook_free(outlook);
        return report_failure(status);
    }
    const scdc_plan_point *points = scdc_outlook_points(outlook, &count);
    if (common->json) code = print_as_json(&info, points, count);
    else print_as_text(&info, points, count);
    if (svg && !common->quiet) say("%s", svg);
    scdc_outlook_free(outlook);
    return code;
}

int cmd_plan(int argc, char **argv)
{
    const char *svg = NULL;
    run_inputs in = {0};
    double quality = NAN;
    scdc_plan_options o;
    scdc_plan_options_init(&o);
    const option options[] = {
        OPTION(NUMBER, "target", 0, &o.accuracy, "A", "share of right labels that is wanted",
               .fallback = "as much as there is to get"),
        OPTION(TEXT, "data", 0, &in.data_path, "DATA",
               "the items: without RUN to plan from nothing, with RUN when they have moved"),
        OPTION(TEXTS, "annotations", 'a', &in.annotations, "FILE",
               "the answers, when they have moved; may be given several times",
               .fallback = "those of RUN"),
        OPTION(COUNT, "workers", 0, &o.workers, "M", "from nothing: how many workers"),
        OPTION(NUMBER, "accuracy", 0, &quality, "A",
               "from nothing: how often a worker is right, of one kind or of two",
               .fallback = "0.85"),
        OPTION(NUMBER, "sensitivity", 0, &o.sensitivity, "A",
               "from nothing: how often a worker says 'same' about two of one kind"),
        OPTION(NUMBER, "specificity", 0, &o.specificity, "B",
               "from nothing: how often a worker says 'different' about two of two kinds"),
        OPTION(COUNT, "clusters", 0, &o.clusters, "G", "from nothing: how many kinds there may be",
               .fallback = "not known"),
        OPTION(COUNT, "most", 0, &o.most, "N", "answers to look ahead"),
        OPTION(TEXT, "svg", 0, &svg, "FILE", "write the curve as a chart"),
    };
    command_line line = {
        .command = "plan",
        .operands = "[RUN]",
        .least = 0,
        .most = 1,
        .about = "Tells how many labels of a run are right, judged by its answers, with the range "
                 "that holds in 95 of 100 cases, how that has grown with the answers, what more "
                 "answers are expected to give, and whether to go on or to stop. Without RUN, "
                 "--data DATA simulates workers of the "
                 "given quality on the items.",
        .uses = USES_JSON | USES_SEED | USES_THREADS,
        .common.seed = SCDC_DEFAULT_SEED,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc plan RUN\n"
                    "  scdc plan RUN --target .95 --svg plan.svg\n"
                    "  scdc plan --data items.npy --workers 5 --accuracy .85\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        const char *run = line.n_operands ? line.operand[0] : NULL;
        o.seed = line.common.seed;
        o.threads = (int)line.common.threads;
        if (!isnan(quality)) o.sensitivity = o.specificity = quality;
        if (!isnan(quality) && !(quality >= .5 && quality <= 1)) {
            code = refuse(EXIT_USAGE, "--accuracy must be 0.5 to 1, not %g", quality);
        } else if (run || in.data_path) {
            code = plan(&in, run, &o, svg, &line.common);
        } else {
            code = refuse(EXIT_USAGE, "nothing to plan for: give a RUN, or items by --data");
            hint("'scdc plan --help' tells more");
        }
    }
    run_inputs_free(&in);
    options_free(&line);
    return code;
}
