/* scdc simulate: synthetic items with known classes, and answers of simulated workers. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"

#include <scdc/scdc.h>

/* ---- items ---------------------------------------------------------------------------------- */

typedef struct item_files {
    const char *data, *labels;
} item_files;

/* Writes what a generator made and says what it is; frees both. */
static int write_items(const command_line *line, int status, scdc_data *data, scdc_labels *labels,
                       const item_files *files)
{
    scdc_data_info info;
    if (status == SCDC_OK) status = scdc_data_get_info(&info, data);
    if (status == SCDC_OK) status = scdc_data_write_npy(data, files->data);
    if (status == SCDC_OK && files->labels)
        status = scdc_labels_write_csv(labels, NULL, files->labels);
    scdc_data_free(data);
    scdc_labels_free(labels);
    if (status != SCDC_OK) return report_failure(status);
    if (line->common.json) {
        return print_json(json_pack("{s:o,s:I,s:I}", "file", json_text(files->data), "items",
                                    (json_int_t)info.rows, "values", (json_int_t)info.cols));
    }
    if (!line->common.quiet) say("%s: %zu items of %zu values", files->data, info.rows, info.cols);
    return EXIT_GOOD;
}

int cmd_simulate_pinwheel(int argc, char **argv)
{
    scdc_pinwheel pinwheel;
    scdc_pinwheel_init(&pinwheel);
    item_files files = {NULL, NULL};
    const option options[] = {
        OPTION(TEXT, "output", 'o', &files.data, "FILE.npy", "where the items go",
               .required = true),
        OPTION(TEXT, "labels", 'l', &files.labels, "FILE.csv", "where their true classes go"),
        OPTION(COUNT, "arms", 'k', &pinwheel.arms, "K", "arms of the wheel, one class each"),
        OPTION(COUNT, "per-arm", 'n', &pinwheel.per_arm, "N", "items in each arm"),
        OPTION(NUMBER, "radial", 0, &pinwheel.radial, "S", "standard deviation along an arm"),
        OPTION(NUMBER, "tangential", 0, &pinwheel.tangential, "S",
               "standard deviation across an arm"),
        OPTION(NUMBER, "rate", 0, &pinwheel.rate, "R", "how strongly the arms are bent"),
    };
    command_line line = {
        .command = "simulate data pinwheel",
        .operands = "",
        .about = "Makes items of two values that lie on the bent arms of a wheel: clusters that "
                 "are no Gaussians.",
        .uses = USES_JSON | USES_SEED,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = pinwheel.seed},
        .examples = "  scdc simulate data pinwheel -o wheel.npy --labels wheel.csv\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        scdc_data *data = NULL;
        scdc_labels *labels = NULL;
        pinwheel.seed = line.common.seed;
        int status = scdc_make_pinwheel(&data, &labels, &pinwheel);
        code = write_items(&line, status, data, labels, &files);
    }
    options_free(&line);
    return code;
}

int cmd_simulate_blobs(int argc, char **argv)
{
    scdc_blobs blobs;
    scdc_blobs_init(&blobs);
    item_files files = {NULL, NULL};
    const option options[] = {
        OPTION(TEXT, "output", 'o', &files.data, "FILE.npy", "where the items go",
               .required = true),
        OPTION(TEXT, "labels", 'l', &files.labels, "FILE.csv", "where their true classes go"),
        OPTION(COUNT, "clusters", 'k', &blobs.clusters, "K", "number of clusters"),
        OPTION(COUNT, "items", 'n', &blobs.items, "N", "items in all"),
        OPTION(COUNT, "dims", 'd', &blobs.dims, "D", "values per item"),
        OPTION(NUMBER, "spread", 0, &blobs.spread, "S", "standard deviation inside a cluster"),
        OPTION(NUMBER, "separation", 0, &blobs.separation, "S",
               "standard deviation of the cluster centres"),
    };
    command_line line = {
        .command = "simulate data blobs",
        .operands = "",
        .about = "Makes items in round Gaussian clusters of random centres.",
        .uses = USES_JSON | USES_SEED,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = blobs.seed},
        .examples = "  scdc simulate data blobs -k 4 -n 1000 -d 8 -o blobs.npy --labels "
                    "blobs.csv\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        scdc_data *data = NULL;
        scdc_labels *labels = NULL;
        blobs.seed = line.common.seed;
        int status = scdc_make_blobs(&data, &labels, &blobs);
        code = write_items(&line, status, data, labels, &files);
    }
    options_free(&line);
    return code;
}

/* ---- answers -------------------------------------------------------------------------------- */

static int write_answers(const command_line *line, const scdc_simulation *simulation,
                         const char *path)
{
    scdc_labels *truth = NULL;
    scdc_crowd *crowd = NULL;
    scdc_crowd_info info;
    int code = open_labels(&truth, line->operand[0], NULL);
    if (code != EXIT_GOOD) return code;
    if (!line->common.quiet) say_guess(line->operand[0], truth);
    int status = scdc_simulate_answers(&crowd, truth, simulation);
    if (status == SCDC_OK) status = scdc_crowd_get_info(&info, crowd);
    if (status == SCDC_OK) status = scdc_crowd_write_csv(crowd, NULL, path);
    scdc_crowd_free(crowd);
    scdc_labels_free(truth);
    if (status != SCDC_OK) return report_failure(status);
    if (line->common.json) {
        return print_json(json_pack("{s:o,s:I,s:I,s:I,s:I}", "file", json_text(path), "answers",
                                    (json_int_t)info.answers, "same", (json_int_t)info.same,
                                    "workers", (json_int_t)info.workers, "items",
                                    (json_int_t)info.items));
    }
    if (!line->common.quiet)
        say("%s: %zu answers (%zu same) of %zu workers on %zu items", path, info.answers, info.same,
            info.workers, info.items);
    return EXIT_GOOD;
}

int cmd_simulate_answers(int argc, char **argv)
{
    static const char *const schemes[] = {"pairs", "balanced", "grid", NULL};
    static const char *const slips[] = {"apart", "piles", NULL};
    static const char *const kinds[] = {"true", "coarse", "fine", "other", "mixed", NULL};
    scdc_simulation simulation;
    scdc_simulation_init(&simulation);
    double sensitive = .9, specific = .9;
    number_list sensitivity = {&sensitive, 1}, specificity = {&specific, 1};
    int scheme = (int)simulation.scheme, slip = (int)simulation.slips, kind = (int)simulation.kinds;
    const char *path = NULL;
    const option options[] = {
        OPTION(TEXT, "output", 'o', &path, "FILE.csv", "where the answers go", .required = true),
        OPTION(COUNT, "workers", 'w', &simulation.workers, "M", "number of workers"),
        OPTION(NUMBERS, "sensitivity", 'a', &sensitivity, "A[,A..]",
               "chance to say 'same' of a same pair: one for all, or one per worker"),
        OPTION(NUMBERS, "specificity", 'b', &specificity, "B[,B..]",
               "chance to say 'different' of a different pair"),
        OPTION(COUNT, "pairs", 'p', &simulation.pairs, "P",
               "answers in all, shared evenly among the workers"),
        OPTION(COUNT, "items", 'n', &simulation.items, "N",
               "annotate so many items drawn at random; 0: all"),
        OPTION(CHOICE, "scheme", 0, &scheme, "pairs|balanced|grid",
               "random pairs; as many same as different ones; or tasks whose items a worker "
               "sorts into groups",
               .choices = schemes),
        OPTION(COUNT, "grid", 0, &simulation.grid, "G", "items a task shows (scheme grid)"),
        OPTION(COUNT, "tasks", 't', &simulation.tasks, "T", "tasks in all (scheme grid)"),
        OPTION(CHOICE, "slips", 0, &slip, "apart|piles",
               "errors of sorting: items stand alone and kinds get mixed, which keeps both rates; "
               "or an item lies on a wrong pile with probability 1 - A (scheme grid)",
               .choices = slips),
        OPTION(CHOICE, "kinds", 0, &kind, "true|coarse|fine|other|mixed",
               "what workers take for a kind: the classes, two of them as one, halves of them, "
               "something else, or these in turn (scheme grid)",
               .choices = kinds),
    };
    command_line line = {
        .command = "simulate answers",
        .operands = "LABELS",
        .least = 1,
        .most = 1,
        .about = "Makes answers of workers who look at pairs of items and say 'same kind' or "
                 "'different', with chances to be wrong. LABELS holds the true classes.",
        .uses = USES_JSON | USES_SEED,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = simulation.seed},
        .examples = "  scdc simulate answers wheel.csv --workers 20 --pairs 980 --items 100 -o "
                    "answers.csv\n"
                    "  scdc simulate answers wheel.csv -w 3 -a .95,.9,.6 -b .95,.9,.6 -p 600 -o "
                    "answers.csv\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        simulation.sensitivity = sensitivity.values;
        simulation.n_sensitivity = sensitivity.count;
        simulation.specificity = specificity.values;
        simulation.n_specificity = specificity.count;
        simulation.scheme = (scdc_scheme)scheme;
        simulation.slips = (scdc_slips)slip;
        simulation.kinds = (scdc_worker_kinds)kind;
        simulation.seed = line.common.seed;
        code = write_answers(&line, &simulation, path);
    }
    options_free(&line);
    return code;
}
