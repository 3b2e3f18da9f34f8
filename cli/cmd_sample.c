/* scdc sample: items a fitted model makes up, as a picture or as numbers. */
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run_dir.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GAP = 2, GAP_GREY = 64 }; /* pixels between the items of a picture, and their colour */

typedef struct sample {
    const char *run, *output;
    bool components; /* a group is a component, not a cluster */
    size_t count;    /* items per group */
    scdc_model *model;
    scdc_model_info info;
    size_t groups;
    float *values; /* groups x count x D */
    double *share; /* per group: its proportion over the largest one */
} sample;

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), more = strlen(end);
    return length > more && strcasecmp(path + length - more, end) == 0;
}

static int check_output(const sample *s)
{
    const scdc_model_info *i = &s->info;
    bool image = (i->height > 1 || i->width > 1) && (i->channels == 1 || i->channels == 3);
    if (ends_in(s->output, ".npy") || ends_in(s->output, ".csv")) return EXIT_GOOD;
    if (!ends_in(s->output, ".png")) {
        return refuse(EXIT_USAGE, "%s: the name must end in .png (picture), .npy or .csv (values)",
                      s->output);
    }
    if (image) return EXIT_GOOD;
    int code = refuse(EXIT_USAGE, "%s: the items of %s are no images, but vectors of %zu values",
                      s->output, s->run, i->cols);
    hint("write their values with -o FILE.csv or -o FILE.npy");
    return code;
}

/* ---- making --------------------------------------------------------------------------------- */

static int find_shares(sample *s)
{
    size_t components = s->info.components;
    double *proportions = must_resize(NULL, components, sizeof *proportions), largest = 0;
    int64_t *cluster = must_resize(NULL, components, sizeof *cluster);
    s->share = must_resize(NULL, s->groups, sizeof *s->share);
    for (size_t g = 0; g < s->groups; g++) s->share[g] = 0;
    int status = scdc_model_components(proportions, cluster, s->model);
    for (size_t k = 0; k < components && status == SCDC_OK; k++) {
        if (s->components) {
            s->share[k] = proportions[k];
        } else if (cluster[k] >= 0) {
            s->share[cluster[k]] += proportions[k];
        }
    }
    for (size_t g = 0; g < s->groups; g++) {
        if (s->share[g] > largest) largest = s->share[g];
    }
    for (size_t g = 0; g < s->groups && largest > 0; g++) s->share[g] /= largest;
    free(proportions);
    free(cluster);
    return status;
}

static int make(sample *s, uint64_t seed, size_t threads)
{
    int status = scdc_model_set_threads(s->model, threads < 1024 ? (int)threads : 1024);
    if (status == SCDC_OK) status = find_shares(s);
    if (s->count > SIZE_MAX / sizeof *s->values / s->groups / s->info.cols)
        return refuse(EXIT_USAGE, "--number %zu is too large", s->count);
    s->values = must_resize(NULL, s->groups * s->count * s->info.cols, sizeof *s->values);
    if (status == SCDC_OK) status = scdc_sample(s->values, s->model, s->components, s->count, seed);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Black and white of the picture: 0 and 1 for Bernoulli data, else what the values span. */
static void value_range(float *low, float *high, const sample *s)
{
    size_t total = s->groups * s->count * s->info.cols;
    *low = 0;
    *high = 1;
    if (s->info.likelihood == SCDC_LIKELIHOOD_BERNOULLI) return;
    *low = *high = s->values[0];
    for (size_t i = 0; i < total; i++) {
        if (s->values[i] < *low) *low = s->values[i];
        if (s->values[i] > *high) *high = s->values[i];
    }
    if (!(*high > *low)) *high = *low + 1;
}

static int write_png(const sample *s)
{
    const scdc_model_info *i = &s->info;
    size_t channels = i->channels, plane = i->height * i->width;
    size_t width = s->groups * (i->width + GAP) + GAP, height = s->count * (i->height + GAP) + GAP;
    if (width > SIZE_MAX / channels / height)
        return refuse(EXIT_USAGE, "--number %zu is too large", s->count);
    uint8_t *pixels = must_resize(NULL, width * channels, height);
    memset(pixels, GAP_GREY, width * channels * height);
    float low, high;
    value_range(&low, &high, s);
    for (size_t item = 0; item < s->groups * s->count; item++) {
        size_t group = item / s->count, left = GAP + group * (i->width + GAP),
               top = GAP + item % s->count * (i->height + GAP);
        for (size_t p = 0; p < plane * channels; p++) {
            size_t c = p / plane, y = p % plane / i->width, x = p % i->width;
            double v = ((double)s->values[item * i->cols + p] - low) / (high - low);
            v *= s->share[group];
            pixels[((top + y) * width + left + x) * channels + c] = (uint8_t)(255 * (v < 0   ? 0
                                                                                     : v > 1 ? 1
                                                                                             : v) +
                                                                              0.5);
        }
    }
    int status = scdc_write_png(s->output, pixels, channels, height, width);
    free(pixels);
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
    if (code == EXIT_GOOD) code = make(s, common->seed, common->threads);
    if (code != EXIT_GOOD) return code;
    if (ends_in(s->output, ".npy")) {
        code = write_npy(s);
    } else {
        code = ends_in(s->output, ".csv") ? write_csv(s) : write_png(s);
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
        .common = {.seed = 1},
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
    free(s.share);
    options_free(&line);
    return code;
}
