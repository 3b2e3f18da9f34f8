/* scdc baseline: the methods to compare with. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "progress.h"

#include <scdc/baselines.h>
#include <string.h>

typedef struct baseline_run {
    const char *method, *data_path, *output, *proba, *workers; /* data_path may be NULL */
    text_list annotations, settings;
    size_t components; /* 0: items as they are */
    scdc_baseline_options options;
} baseline_run;

static void list_methods(void)
{
    help_heading("Methods");
    for (size_t i = 0; i < scdc_baseline_count(); i++)
        help_entry(scdc_baseline_name(i), scdc_baseline_summary(i));
    help_heading("Keys of --set");
    const char *name, *text;
    for (size_t i = 0; (name = scdc_baseline_key(i, &text)); i++) {
        /* These have options of their own. */
        if (!strcmp(name, "k") || !strcmp(name, "seed") || !strcmp(name, "threads")) continue;
        help_entry(name, text);
    }
}

static int check_method(const baseline_run *run)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < scdc_baseline_count() && count < MOST; count++) {
        names[count] = scdc_baseline_name(count);
        if (strcmp(run->method, names[count]) != 0) continue;
        if (run->proba && !scdc_baseline_gives_probabilities(count))
            return refuse(EXIT_USAGE, "--proba: %s gives no probabilities", run->method);
        if (run->workers && !scdc_baseline_gives_workers(count))
            return refuse(EXIT_USAGE, "--workers: %s does not estimate workers", run->method);
        if (run->components && !run->data_path)
            return refuse(EXIT_USAGE, "--pca: there is no DATA to take components of");
        return EXIT_GOOD;
    }
    int code = refuse(EXIT_USAGE, "unknown method '%s'", run->method);
    const char *nearest = suggest_nearest(run->method, names, count);
    if (nearest) {
        hint("did you mean %s?", nearest);
    } else {
        hint("'scdc baseline --help' lists the methods");
    }
    return code;
}

static int print_result(const command_line *line, const baseline_run *run,
                        const scdc_clustering_info *info)
{
    if (line->common.json) {
        return print_json(json_pack(
            "{s:s,s:o,s:I,s:I,s:I,s:b,s:s,s:o,s:o}", "method", info->method, "file",
            json_text(run->output), "items", (json_int_t)info->items, "clusters",
            (json_int_t)info->clusters, "iterations", (json_int_t)info->iterations, "converged",
            info->converged, "objective_name", info->objective_name, "objective",
            json_number(info->objective), "seconds", json_number(info->seconds)));
    }
    if (line->common.quiet) return EXIT_GOOD;
    say("%s: %zu clusters of %zu items, %s %g after %zu iterations%s, %.2f s", info->method,
        info->clusters, info->items, info->objective_name, info->objective, info->iterations,
        info->converged ? "" : " (not converged)", info->seconds);
    return EXIT_GOOD;
}

static int write_proba(const scdc_clustering *found, const scdc_clustering_info *info,
                       const char *path)
{
    scdc_data *matrix = NULL;
    int status = scdc_data_from_memory(&matrix, scdc_clustering_probabilities(found), SCDC_F64,
                                       info->items, info->columns, 0);
    if (status == SCDC_OK) status = scdc_data_write_npy(matrix, path);
    scdc_data_free(matrix);
    return status;
}

static int cluster(const command_line *line, const baseline_run *run)
{
    scdc_data *items = NULL, *components = NULL;
    scdc_crowd *crowd = NULL;
    scdc_clustering *found = NULL;
    scdc_clustering_info info;
    int code = run->data_path ? open_items(&items, run->data_path) : EXIT_GOOD;
    if (code != EXIT_GOOD) return code;
    if (!line->common.quiet && items) say_class_column(run->data_path, items);
    int status = SCDC_OK;
    if (items && run->components) status = scdc_data_pca(&components, items, run->components);
    if (status == SCDC_OK && run->annotations.count)
        code = open_crowd(&crowd, run->annotations.values, run->annotations.count, items);
    if (status == SCDC_OK && code == EXIT_GOOD) {
        progress_watch_begin(line->common.quiet);
        status = scdc_baseline(&found, run->method, components ? components : items, crowd,
                               &run->options);
        progress_watch_end();
    }
    if (status == SCDC_OK && found) status = scdc_clustering_get_info(&info, found);
    if (status == SCDC_OK && found && run->workers)
        status = scdc_clustering_write_workers(found, crowd, run->workers);
    if (status == SCDC_OK && found && run->proba) status = write_proba(found, &info, run->proba);
    if (status == SCDC_OK && found)
        status = scdc_clustering_write_labels(found, items, crowd, run->output);
    if (status != SCDC_OK) code = report_failure(status);
    if (code == EXIT_GOOD) code = print_result(line, run, &info);
    scdc_clustering_free(found);
    scdc_crowd_free(crowd);
    scdc_data_free(components);
    scdc_data_free(items);
    return code;
}

/* The library said that something is wrong; a key it does not know gets a suggestion. */
static void hint_at_key(const char *key)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && (names[count] = scdc_baseline_key(count, NULL)); count++) {
        if (strcmp(names[count], key) == 0) return;
    }
    const char *nearest = suggest_nearest(key, names, count);
    if (nearest) {
        hint("did you mean %s?", nearest);
    } else {
        hint("'scdc baseline --help' lists the keys");
    }
}

static int apply_settings(baseline_run *run)
{
    for (size_t i = 0; i < run->settings.count; i++) {
        const char *setting = run->settings.values[i], *equals = strchr(setting, '=');
        char key[64];
        if (!equals || (size_t)(equals - setting) >= sizeof key)
            return refuse(EXIT_USAGE, "--set: '%s' is not key=value", setting);
        snprintf(key, sizeof key, "%.*s", (int)(equals - setting), setting);
        int status = scdc_baseline_set(&run->options, key, equals + 1);
        if (status != SCDC_OK) {
            int code = report_failure(status);
            hint_at_key(key);
            return code;
        }
    }
    return EXIT_GOOD;
}

int cmd_baseline(int argc, char **argv)
{
    baseline_run run = {0};
    scdc_baseline_options_init(&run.options);
    const option options[] = {
        OPTION(TEXT, "output", 'o', &run.output, "FILE.csv", "where the labels go",
               .required = true),
        OPTION(COUNT, "clusters", 'k', &run.options.k, "K", "number of clusters", .required = true),
        OPTION(TEXTS, "annotations", 'a', &run.annotations, "FILE",
               "answers of workers; may be given several times"),
        OPTION(COUNT, "pca", 0, &run.components, "D",
               "cluster by so many principal components; 0: the items as they are"),
        OPTION(TEXT, "proba", 0, &run.proba, "FILE.npy",
               "probabilities of clusters go here (gmm, mcvc, deep-mcvc, crowdclustering)"),
        OPTION(TEXT, "workers", 0, &run.workers, "FILE.csv",
               "estimates of workers go here (mcvc, deep-mcvc, crowdclustering)"),
        OPTION(TEXTS, "set", 0, &run.settings, "KEY=VALUE",
               "a setting of the method; may be given several times"),
    };
    command_line line = {
        .command = "baseline",
        .operands = "METHOD [DATA]",
        .least = 1,
        .most = 2,
        .about =
            "Clusters items by one of the methods the paper compares with. DATA may be left out "
            "for crowdclustering, which looks at the answers only.",
        .uses = USES_JSON | USES_SEED | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = run.options.seed},
        .more_help = list_methods,
        .examples = "  scdc baseline kmeans wheel.npy -k 5 -o labels.csv\n"
                    "  scdc baseline itml wheel.npy --annotations answers.csv -k 5 -o "
                    "labels.csv\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        run.method = line.operand[0];
        run.data_path = line.n_operands > 1 ? line.operand[1] : NULL;
        run.options.seed = line.common.seed;
        run.options.threads = (int)line.common.threads;
        code = check_method(&run);
        if (code == EXIT_GOOD) code = apply_settings(&run);
        if (code == EXIT_GOOD) code = cluster(&line, &run);
    }
    options_free(&line);
    return code;
}
