/* scdc eval: scores of clusters against true classes. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"

#include <scdc/calibration.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a csv's column `probability`, in the order of its rows; NULL when there is none,
 * or when labels may be in another order: their rows are numbered, but not from 0 on. */
static double *open_probability(const char *path, size_t count)
{
    scdc_data *table;
    scdc_data_info info;
    size_t column = 0;
    double *out = NULL;
    float *row = NULL;
    if (strcmp(path, "-") == 0 || scdc_data_open(&table, path) != SCDC_OK) return NULL;
    int status = scdc_data_get_info(&info, table);
    const char *id = scdc_data_name(table, 0);
    bool numbered = id && *id >= '0' && *id <= '9';
    while (column < info.cols && scdc_data_column_name(table, column) &&
           strcmp(scdc_data_column_name(table, column), "probability") != 0)
        column++;
    if (status == SCDC_OK && info.rows == count && !numbered && column < info.cols &&
        scdc_data_column_name(table, column)) {
        out = must_resize(NULL, count, sizeof *out);
        row = must_resize(NULL, info.cols, sizeof *row);
        for (size_t i = 0; i < count && status == SCDC_OK; i++) {
            status = scdc_data_rows(row, table, i, 1);
            out[i] = (double)row[column];
        }
    }
    free(row);
    scdc_data_free(table);
    return out;
}

/* Scores, and what probabilities are worth when LABELS has them. */
static int score_items(const scdc_labels *labels, const scdc_labels *truth,
                       const double *probability)
{
    scdc_scores scores;
    scdc_calibration calibration;
    size_t n = scdc_labels_count(labels);
    const int64_t *a = scdc_labels_values(labels), *b = scdc_labels_values(truth);
    int status = scdc_score(&scores, a, b, n);
    if (status == SCDC_OK && probability)
        status = scdc_calibrate(&calibration, a, probability, b, n);
    if (status != SCDC_OK) return report_failure(status);
    return print_json(scores_json(&scores, probability ? &calibration : NULL));
}

static int score(const char *labels_path, const char *truth_path, bool quiet)
{
    scdc_labels *labels = NULL, *truth = NULL, *matched = NULL;
    double *probability = NULL;
    int code = open_labels(&labels, labels_path, NULL);
    if (code == EXIT_GOOD) code = open_labels(&truth, truth_path, NULL);
    if (code != EXIT_GOOD) goto done;
    if (!quiet) {
        say_guess(labels_path, labels);
        say_guess(truth_path, truth);
    }
    size_t found = scdc_labels_count(labels), expected = scdc_labels_count(truth);
    if (found != expected) {
        code = refuse(EXIT_INPUT, "%s has %zu labels, but %s has %zu", labels_path, found,
                      truth_path, expected);
        goto done;
    }
    int status = scdc_labels_match(&matched, truth, labels);
    probability = open_probability(labels_path, found);
    code = status == SCDC_OK ? score_items(labels, matched, probability) : report_failure(status);
done:
    free(probability);
    scdc_labels_free(labels);
    scdc_labels_free(truth);
    scdc_labels_free(matched);
    return code;
}

int cmd_eval(int argc, char **argv)
{
    command_line line = {
        .command = "eval",
        .operands = "LABELS TRUTH",
        .least = 2,
        .most = 2,
        .about =
            "Compares clusters with the true classes and prints one JSON object: accuracy "
            "under the best one-to-one matching (acc), normalised and adjusted mutual "
            "information (nmi, ami) and the adjusted Rand index (ari); where LABELS has a column "
            "'probability', also its mean and the expected calibration error (ece). Both files "
            "hold one "
            "label per item: csv (FILE.csv:COLUMN picks a column), npy or IDX.",
        .uses = USES_JSON,
        .examples = "  scdc eval RUN/labels.csv truth.csv\n"
                    "  scdc eval clusters.csv faces/index.csv:pose\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) code = score(line.operand[0], line.operand[1], line.common.quiet);
    options_free(&line);
    return code;
}
