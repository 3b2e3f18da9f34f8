/* scdc sample: items a fitted model makes up, as a picture or as numbers. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"
#include "run_dir.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct sample {
    const char *run, *output;
    bool components; /* a group is a component, not a cluster */
    size_t count;    /* items per group */
    scdc_model *model;
    scdc_model_info info;
    size_t groups;
    float *values; /* groups x count x D */
} sample;

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), more = strlen(end);
    return length > more && strcasecmp(path + length - more, end) == 0;
}

static int check_output(const sample *s)
{
    const scdc_model_info *i = &s->info;
    if (ends_in(s->output, ".npy") || ends_in(s->output, ".csv")) return EXIT_GOOD;
    if (!ends_in(s->output, ".png")) {
        return refuse(EXIT_USAGE, "%s: the name must end in .png (picture), .npy or .csv (values)",
                      s->output);
    }
    if (items_are_pictures(i->channels, i->height, i->width)) return EXIT_GOOD;
    int code = refuse(EXIT_USAGE, "%s: the items of %s are no images, but vectors of %zu values",
                      s->output, s->run, i->cols);
    hint("write their values with -o FILE.csv or -o FILE.npy");
    return code;
}

/* ---- making --------------------------------------------------------------------------------- */

static int make(sample *s, uint64_t seed)
{
    if (s->count > SIZE_MAX / sizeof *s->values / s->groups / s->info.cols)
        return refuse(EXIT_USAGE, "--number %zu is too large", s->count);
    size_t room = s->groups * s->count * s->info.cols;
    s->values = must_resize(NULL, room, sizeof *s->values);
    int status = scdc_sample(s->values, room, s->model, s->components, s->count, seed);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* ---- writing -------------------------------------------------------------------------------- */

static int write_png(const sample *s, uint64_t seed)
{
    int status = scdc_write_samples(s->output, s->model, s->components, s->count, seed);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int write_npy(const sample *s)
{
    scdc_data *matrix = NULL;
    const scdc_model_info *i = &s->info;
    int status =
        scdc_data_from_memory(&matrix, s->values, SCDC_F32, s->groups * s->count, i->cols, 0);
    if (status == SCDC_OK) status = scdc_data_set_shape(matrix, i->channels, i->height, i->width);
    if (status == SCDC_OK) status = scdc_data_write_npy(matrix, s->output);
    scdc_data_free(matrix);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int write_csv(const sample *s)
{
    char *text = NULL;
    size_t size = 0, cols = s->info.cols;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return refuse(EXIT_FAILED, "out of memory");
    fputs(s->components ? "component" : "cluster", stream);
    for (size_t v = 0; v < cols; v++) fprintf(stream, ",v%zu", v);
    fputc('\n', stream);
    for (size_t item = 0; item < s->groups * s->count; item++) {
        fprintf(stream, "%zu", item / s->count);
        for (size_t v = 0; v < cols; v++)
            fprintf(stream, ",%.6g", (double)s->values[item * cols + v]);
        fputc('\n', stream);
    }
    if (fclose(stream) != 0) {
        free(text);
        return refuse(EXIT_FAILED, "out of memory");
    }
    int status = scdc_write_file(s->output, text, size);
    free(text);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

static int run(sample *s, const common_options *common)
{
    if (s->count < 1) return refuse(EXIT_USAGE, "--number must be 1 or more");
    int code = open_model(&s->model, s->run);
    if (code != EXIT_GOOD) return code;
    int status = scdc_model_get_info(&s->info, s->model);
    if (status != SCDC_OK) return report_failure(status);
    s->groups = s->components ? s->info.components : s->info.clusters;
    code = check_output(s);
    if (code != EXIT_GOOD) return code;
    status = scdc_model_set_threads(s->model, common->threads < 1024 ? (int)common->threads : 1024);
    if (status != SCDC_OK) return report_failure(status);
    if (ends_in(s->output, ".png")) {
        code = write_png(s, common->seed);
    } else {
        code = make(s, common->seed);
        if (code == EXIT_GOOD) code = ends_in(s->output, ".npy") ? write_npy(s) : write_csv(s);
    }
    if (code != EXIT_GOOD) return code;
    if (common->json) {
        return print_json(json_pack("{s:o,s:I,s:I}", "file", json_text(s->output), "groups",
                                    (json_int_t)s->groups, "number", (json_int_t)s->count));
    }
    if (!common->quiet)
        say("%s: %zu items of each of %zu %s", s->output, s->count, s->groups,
            s->components ? "components" : "clusters");
    return EXIT_GOOD;
}

int cmd_sample(int argc, char **argv)
{
    sample s = {.count = 10};
    const option options[] = {
        OPTION(TEXT, "output", 'o', &s.output, "FILE", "FILE.png, FILE.npy or FILE.csv",
               .required = true),
        OPTION(COUNT, "number", 'n', &s.count, "N", "items of each cluster"),
        OPTION(FLAG, "components", 0, &s.components, NULL,
               "items of each mixture component instead of each cluster"),
    };
    command_line line = {
        .command = "sample",
        .operands = "RUN",
        .least = 1,
        .most = 1,
        .about = "Makes up items of each cluster. FILE.png (images only) shows a column for each "
                 "cluster, the brighter the larger it is; FILE.npy and FILE.csv hold the values, "
                 "the N items of cluster 0 first.",
        .uses = USES_JSON | USES_SEED | USES_THREADS,
        .options = options,
        .n_options = LENGTH_OF(options),
        .common = {.seed = SCDC_DEFAULT_SEED},
        .examples = "  scdc sample RUN -o samples.png\n"
                    "  scdc sample RUN -n 1000 -o samples.npy\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) {
        s.run = line.operand[0];
        code = run(&s, &line.common);
    }
    scdc_model_free(s.model);
    free(s.values);
    options_free(&line);
    return code;
}
