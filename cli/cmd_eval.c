/* scdc eval: scores of clusters against true classes. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"

#include <scdc/scdc.h>

static int score(const char *labels_path, const char *truth_path, bool quiet)
{
    scdc_labels *labels = NULL, *truth = NULL, *matched = NULL;
    scdc_scores scores;
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
    int status = scdc_labels_match(&matched, labels, truth);
    if (status == SCDC_OK)
        status =
            scdc_score(&scores, scdc_labels_values(matched), scdc_labels_values(truth), expected);
    code = status == SCDC_OK ? print_json(scores_json(&scores)) : report_failure(status);
done:
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
        .about = "Compares clusters with the true classes and prints one JSON object: accuracy "
                 "under the best one-to-one matching (acc), normalised and adjusted mutual "
                 "information (nmi, ami) and the adjusted Rand index (ari). Both files hold one "
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
