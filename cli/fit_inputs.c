/* Opening, describing and comparing the inputs of a fit. */
#include "fit_inputs.h"

#include "answer_files.h"
#include "commands.h"
#include "inputs.h"
#include "output.h"

#include <scdc/ranks.h>
#include <scdc/report.h>
#include <string.h>

static int open_truth(fit_inputs *in)
{
    int code = open_labels(&in->truth, in->truth_path, in->data);
    if (code != EXIT_GOOD) return code;
    size_t count = scdc_labels_count(in->truth);
    if (count == in->items.rows) return EXIT_GOOD;
    return refuse(EXIT_INPUT, "%s: %zu labels, but %s holds %zu items", in->truth_path, count,
                  in->data_path, in->items.rows);
}

int fit_inputs_open(fit_inputs *in)
{
    int code = open_items(&in->data, in->data_path);
    if (code != EXIT_GOOD) return code;
    int status = scdc_data_get_info(&in->items, in->data);
    if (status == SCDC_OK && in->annotations.count) {
        code = open_crowd(&in->crowd, in->annotations.values, in->annotations.count, in->data);
        if (code == EXIT_GOOD) code = know_workers(in->crowd, in->known_path, true);
        if (code != EXIT_GOOD) return code;
        status = scdc_crowd_get_info(&in->answers, in->crowd);
    }
    if (status == SCDC_OK && in->show_path) status = scdc_pictures_check(in->show_path, in->data);
    if (status != SCDC_OK) return report_failure(status);
    /* Whoever writes the scores reads what they are against. */
    return in->truth_path && scdc_ranks_rank() == 0 ? open_truth(in) : EXIT_GOOD;
}

void fit_inputs_free(fit_inputs *in)
{
    scdc_data_free(in->data);
    scdc_crowd_free(in->crowd);
    scdc_labels_free(in->truth);
    in->data = NULL;
    in->crowd = NULL;
    in->truth = NULL;
}

/* ---- run.json ------------------------------------------------------------------------------- */

static json_t *checksum_json(uint32_t checksum)
{
    return json_sprintf("%08x", (unsigned)checksum);
}

json_t *fit_data_json(const scdc_data *data, const char *path)
{
    scdc_data_info i;
    if (!data || scdc_data_get_info(&i, data) != SCDC_OK) return json_null(); /* not read yet */
    return json_pack("{s:o,s:s,s:I,s:I,s:[I,I,I],s:o}", "path", json_text(path), "format", i.format,
                     "items", (json_int_t)i.rows, "values", (json_int_t)i.cols, "shape",
                     (json_int_t)i.channels, (json_int_t)i.height, (json_int_t)i.width, "crc32",
                     checksum_json(scdc_data_checksum(data)));
}

json_t *fit_answers_json(const fit_inputs *in, json_t *paths)
{
    return json_pack("{s:o,s:I,s:I,s:I,s:o}", "paths", paths, "answers",
                     (json_int_t)in->answers.answers, "workers", (json_int_t)in->answers.workers,
                     "items", (json_int_t)in->answers.items, "crc32",
                     checksum_json(scdc_crowd_checksum(in->crowd)));
}

static json_t *data_json(const fit_inputs *in)
{
    return fit_data_json(in->data, in->data_path);
}

static json_t *answers_json(const fit_inputs *in)
{
    if (!in->crowd) return json_null();
    json_t *paths = json_array();
    for (size_t i = 0; i < in->annotations.count; i++)
        json_array_append_new(paths, json_text(in->annotations.values[i]));
    json_t *out = fit_answers_json(in, paths);
    json_object_set_new(out, "fingerprints",
                        answer_files_json(&in->annotations, in->crowd, in->data));
    return out;
}

json_t *fit_inputs_json(const fit_inputs *in)
{
    return json_pack("{s:o,s:o,s:o,s:o}", "data", data_json(in), "annotations", answers_json(in),
                     "truth", in->truth_path ? json_text(in->truth_path) : json_null(), "show",
                     in->show_path ? json_text(in->show_path) : json_null());
}

/* ---- resuming ------------------------------------------------------------------------------- */

static int differs(const char *path, const char *what, json_int_t have, json_int_t had)
{
    int code = refuse(EXIT_INPUT,
                      "%s: %" JSON_INTEGER_FORMAT " %s, but the fit had "
                      "%" JSON_INTEGER_FORMAT,
                      path, have, what, had);
    hint("--resume needs the inputs of the first part");
    return code;
}

/* Sizes first, because they tell people more than a checksum does. */
static int compare(const char *path, const json_t *have, const json_t *had,
                   const char *const *sizes)
{
    for (; *sizes; sizes++) {
        json_int_t now = json_integer_value(json_object_get(have, *sizes));
        json_int_t then = json_integer_value(json_object_get(had, *sizes));
        if (now != then) return differs(path, *sizes, now, then);
    }
    const char *now = json_string_value(json_object_get(have, "crc32"));
    const char *then = json_string_value(json_object_get(had, "crc32"));
    if (now && then && strcmp(now, then) == 0) return EXIT_GOOD;
    int code = refuse(EXIT_INPUT, "%s: the content is not what the fit had (checksum %s, was %s)",
                      path, now ? now : "none", then ? then : "none");
    hint("--resume needs the inputs of the first part");
    return code;
}

int fit_inputs_agree(const fit_inputs *in, const json_t *earlier)
{
    const json_t *had = json_object_get(earlier, "inputs");
    const json_t *had_answers = json_object_get(had, "annotations");
    if (json_is_object(had_answers) != (in->crowd != NULL)) {
        int code = refuse(EXIT_USAGE, "--resume: the fit had %s, this command has %s",
                          in->crowd ? "no answers" : "answers", in->crowd ? "some" : "none");
        hint("--resume needs the same --annotations as the first part");
        return code;
    }
    json_t *data = data_json(in), *answers = answers_json(in);
    int code = compare(in->data_path, data, json_object_get(had, "data"),
                       (const char *const[]){"items", "values", NULL});
    if (code == EXIT_GOOD && in->crowd) {
        code = compare(in->annotations.values[0], answers, had_answers,
                       (const char *const[]){"answers", "workers", NULL});
    }
    json_decref(data);
    json_decref(answers);
    return code;
}
