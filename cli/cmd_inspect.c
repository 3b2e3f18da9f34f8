/* scdc inspect: what files hold, as a table for people or one JSON object per file. */
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "output.h"

#include <scdc/exchange.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct inspection {
    const command_line *line;
    const char *items_path;
    scdc_data *items; /* the items that answers and labels are about; may be NULL */
    bool workers;     /* list every worker */
} inspection;

static void heading(const char *path, const char *kind)
{
    fputs(bold(stdout), stdout);
    put_text(stdout, path);
    printf("%s: %s\n", plain(stdout), kind);
}

#define LINE(name, ...)                                                                            \
    do {                                                                                           \
        printf("  %-12s ", name);                                                                  \
        printf(__VA_ARGS__);                                                                       \
        putchar('\n');                                                                             \
    } while (0)

static double percent(size_t part, size_t whole)
{
    return whole ? 100. * (double)part / (double)whole : 0;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- items ---------------------------------------------------------------------------------- */

static const char *type_name(scdc_dtype type)
{
    switch (type) {
    case SCDC_U8: return "uint8";
    case SCDC_I32: return "int32";
    case SCDC_I64: return "int64";
    case SCDC_F32: return "float32";
    case SCDC_F64: return "float64";
    }
    return "unknown";
}

static int show_items(const inspection *in, const char *path)
{
    scdc_data *data = NULL;
    scdc_data_info info;
    int status = scdc_data_open(&data, path);
    if (status == SCDC_OK) status = scdc_data_get_info(&info, data);
    if (status != SCDC_OK) {
        scdc_data_free(data);
        return report_failure(status);
    }
    bool image = info.height > 1 || info.width > 1;
    const char *first = info.named ? scdc_data_name(data, 0) : NULL;
    const char *classes = scdc_data_class_column(data);
    int code = EXIT_GOOD;
    if (in->line->common.json) {
        code = print_json(json_pack(
            "{s:o,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:s,s:b,s:b,s:o,s:o,s:o,s:o}", "path",
            json_text(path), "kind", "items", "format", info.format, "items", (json_int_t)info.rows,
            "values", (json_int_t)info.cols, "channels", (json_int_t)info.channels, "height",
            (json_int_t)info.height, "width", (json_int_t)info.width, "type", type_name(info.dtype),
            "mapped", info.mapped, "named", info.named, "min", json_number(info.min), "max",
            json_number(info.max), "mean", json_number(info.mean), "class_column",
            classes ? json_text(classes) : json_null()));
    } else {
        heading(path, "items");
        LINE("format", "%s, %s%s", info.format, type_name(info.dtype),
             info.mapped ? ", memory-mapped" : "");
        LINE("items", "%zu", info.rows);
        if (image) {
            LINE("values", "%zu each, an image of %zu x %zu with %zu channel%s", info.cols,
                 info.height, info.width, info.channels, plural(info.channels));
        } else {
            LINE("values", "%zu each", info.cols);
        }
        LINE("range", "%g to %g, mean %g", info.min, info.max, info.mean);
        if (first) {
            printf("  %-12s ", "names");
            put_text(stdout, first);
            puts(", ...");
        }
        if (!in->line->common.quiet) say_class_column(path, data);
    }
    scdc_data_free(data);
    return code;
}

/* ---- labels --------------------------------------------------------------------------------- */

typedef struct class_count {
    int64_t value;
    size_t count;
} class_count;

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The different values and how often each occurs, in ascending order; freed by the caller. */
static class_count *count_classes(size_t *classes, const scdc_labels *labels)
{
    size_t n = scdc_labels_count(labels);
    int64_t *sorted = must_resize(NULL, n, sizeof *sorted);
    memcpy(sorted, scdc_labels_values(labels), n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    class_count *counts = must_resize(NULL, n, sizeof *counts);
    *classes = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1])
            counts[(*classes)++] = (class_count){.value = sorted[i]};
        counts[*classes - 1].count++;
    }
    free(sorted);
    return counts;
}

static void class_name(char *out, size_t size, const scdc_labels *labels, int64_t value)
{
    const char *name = scdc_labels_name(labels, value);
    if (name) {
        snprintf(out, size, "%s", name);
    } else {
        snprintf(out, size, "%" PRId64, value);
    }
}

static int print_labels_json(const char *path, const scdc_labels *labels, const class_count *counts,
                             size_t classes)
{
    json_t *sizes = json_array();
    for (size_t i = 0; i < classes; i++) {
        char name[256];
        class_name(name, sizeof name, labels, counts[i].value);
        json_array_append_new(sizes, json_pack("{s:o,s:I}", "class", json_text(name), "items",
                                               (json_int_t)counts[i].count));
    }
    return print_json(json_pack("{s:o,s:s,s:I,s:I,s:o}", "path", json_text(path), "kind", "labels",
                                "items", (json_int_t)scdc_labels_count(labels), "classes",
                                (json_int_t)classes, "sizes", sizes));
}

static int show_labels(const inspection *in, const char *path)
{
    enum { MOST_SHOWN = 30 };
    scdc_labels *labels = NULL;
    int status = scdc_labels_open(&labels, path, in->items);
    if (status != SCDC_OK) return report_failure(status);
    size_t classes;
    class_count *counts = count_classes(&classes, labels);
    int code = EXIT_GOOD;
    if (in->line->common.json) {
        code = print_labels_json(path, labels, counts, classes);
    } else {
        heading(path, "labels");
        LINE("items", "%zu", scdc_labels_count(labels));
        LINE("classes", "%zu", classes);
        text_table t;
        table_start(&t, 2, (const char *const[]){"  class", ">items"});
        for (size_t i = 0; i < classes && i < MOST_SHOWN; i++) {
            char name[200];
            class_name(name, sizeof name, labels, counts[i].value);
            table_cell(&t, "  %s", name);
            table_cell(&t, "%zu", counts[i].count);
        }
        table_print(&t, stdout);
        if (classes > MOST_SHOWN) printf("    ... and %zu more\n", classes - MOST_SHOWN);
        if (!in->line->common.quiet) say_guess(path, labels);
    }
    free(counts);
    scdc_labels_free(labels);
    return code;
}

/* ---- answers -------------------------------------------------------------------------------- */

typedef struct worker_count {
    size_t answers, same;
} worker_count;

static worker_count *count_workers(const scdc_crowd *crowd, size_t workers)
{
    worker_count *counts = must_resize(NULL, workers, sizeof *counts);
    memset(counts, 0, workers * sizeof *counts);
    size_t n;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &n);
    for (size_t i = 0; i < n; i++) {
        counts[answers[i].worker].answers++;
        counts[answers[i].worker].same += answers[i].same;
    }
    return counts;
}

static json_t *workers_json(const scdc_crowd *crowd, size_t workers)
{
    worker_count *counts = count_workers(crowd, workers);
    json_t *list = json_array();
    for (size_t i = 0; i < workers; i++) {
        json_array_append_new(list, json_pack("{s:o,s:I,s:I}", "worker",
                                              json_text(scdc_crowd_worker_name(crowd, i)),
                                              "answers", (json_int_t)counts[i].answers, "same",
                                              (json_int_t)counts[i].same));
    }
    free(counts);
    return list;
}

static void print_workers(const scdc_crowd *crowd, size_t workers)
{
    worker_count *counts = count_workers(crowd, workers);
    text_table t;
    table_start(&t, 3, (const char *const[]){"  worker", ">answers", ">said same"});
    for (size_t i = 0; i < workers; i++) {
        table_cell(&t, "  %s", scdc_crowd_worker_name(crowd, i));
        table_cell(&t, "%zu", counts[i].answers);
        table_cell(&t, "%.1f %%", percent(counts[i].same, counts[i].answers));
    }
    table_print(&t, stdout);
    free(counts);
}

static int print_answers_json(const inspection *in, const char *path, const scdc_crowd *crowd,
                              const scdc_crowd_info *a, size_t all_items)
{
    json_t *object =
        json_pack("{s:o,s:s,s:I,s:I,s:I,s:I,s:I,s:I}", "path", json_text(path), "kind", "answers",
                  "answers", (json_int_t)a->answers, "same", (json_int_t)a->same, "workers",
                  (json_int_t)a->workers, "tasks", (json_int_t)a->tasks, "items",
                  (json_int_t)a->items, "max_item", (json_int_t)a->max_item);
    json_t *more = json_pack(
        "{s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:I,s:b}", "pairs", (json_int_t)a->pairs,
        "pairs_twice", (json_int_t)a->pairs_twice, "conflicts", (json_int_t)a->conflicts, "unsure",
        (json_int_t)a->unsure, "repeated", (json_int_t)a->repeated, "single_answer_workers",
        (json_int_t)a->single_answer_workers, "min_per_worker", json_number(a->min_per_worker),
        "max_per_worker", json_number(a->max_per_worker), "mean_per_worker",
        json_number(a->mean_per_worker), "mean_neighbours", json_number(a->mean_neighbours),
        "components", (json_int_t)a->components, "named_items", a->named_items);
    json_object_update(object, more);
    json_decref(more);
    more = json_pack("{s:I,s:I,s:I}", "groupings", (json_int_t)a->groupings, "placements",
                     (json_int_t)a->placements, "grouped", (json_int_t)a->grouped);
    json_object_update(object, more);
    json_decref(more);
    if (all_items)
        json_object_set_new(object, "coverage", json_real((double)a->items / (double)all_items));
    if (in->workers) json_object_set_new(object, "worker_list", workers_json(crowd, a->workers));
    return print_json(object);
}

static void print_answers(const inspection *in, const char *path, const scdc_crowd *crowd,
                          const scdc_crowd_info *a, size_t all_items)
{
    heading(path, "answers");
    LINE("answers", "%zu: %zu same (%.1f %%), %zu different", a->answers, a->same,
         percent(a->same, a->answers), a->answers - a->same);
    if (a->min_per_worker < a->max_per_worker) {
        LINE("workers", "%zu with %.0f to %.0f answers each, mean %.1f", a->workers,
             a->min_per_worker, a->max_per_worker, a->mean_per_worker);
    } else {
        LINE("workers", "%zu with %.0f answers each", a->workers, a->max_per_worker);
    }
    if (a->single_answer_workers)
        LINE("", "%zu of them gave a single answer", a->single_answer_workers);
    if (a->tasks) LINE("tasks", "%zu", a->tasks);
    if (a->groupings) {
        LINE("groupings", "%zu task%s that sort items into piles: %zu placements (%zu answers)",
             a->groupings, plural(a->groupings), a->placements, a->grouped);
    }
    if (all_items) {
        LINE("items", "%zu of %zu (%.1f %%)", a->items, all_items, percent(a->items, all_items));
    } else if (a->named_items) {
        LINE("items", "%zu, given by name", a->items);
    } else {
        LINE("items", "%zu, the largest number is %zu", a->items, a->max_item - 1);
    }
    LINE("neighbours", "%.1f different partners per item; %zu connected part%s", a->mean_neighbours,
         a->components, plural(a->components));
    LINE("pairs", "%zu different; %zu answered more than once", a->pairs, a->pairs_twice);
    LINE("conflicts", "%zu pair%s with both answers", a->conflicts, plural(a->conflicts));
    if (a->repeated)
        LINE("repeated", "%zu answer%s given before: same pair, worker and value", a->repeated,
             plural(a->repeated));
    if (a->unsure)
        LINE("unsure", "%zu row%s without an answer, left out", a->unsure, plural(a->unsure));
    if (in->workers) print_workers(crowd, a->workers);
}

static int show_answers(const inspection *in, const char *path)
{
    scdc_crowd *crowd = NULL;
    scdc_crowd_info info;
    scdc_data_info items = {0};
    int status = scdc_crowd_open(&crowd, &path, 1, in->items), code = EXIT_GOOD;
    if (status == SCDC_OK) status = scdc_crowd_get_info(&info, crowd);
    if (status == SCDC_OK && in->items) status = scdc_data_get_info(&items, in->items);
    if (status != SCDC_OK) {
        code = report_failure(status);
    } else if (in->line->common.json) {
        code = print_answers_json(in, path, crowd, &info, items.rows);
    } else {
        print_answers(in, path, crowd, &info, items.rows);
    }
    scdc_crowd_free(crowd);
    return code;
}

/* ---- files of other tools ------------------------------------------------------------------- */

static int show_foreign(const inspection *in, const char *path, const char *tool)
{
    scdc_import_info info = {0};
    /* Read to the end, to tell what there is; what it becomes is thrown away. */
    bool good = scdc_import(&info, path, "/dev/null", NULL) == SCDC_OK;
    if (in->line->common.json) {
        return print_json(json_pack(
            "{s:o,s:s,s:s,s:o,s:I,s:I,s:I,s:I,s:I,s:o}", "path", json_text(path), "kind",
            "other tool", "tool", tool, "form", good ? json_string(info.form) : json_null(), "rows",
            (json_int_t)info.rows, "workers", (json_int_t)info.workers, "items",
            (json_int_t)info.items, "skipped", (json_int_t)info.skipped, "gold",
            (json_int_t)info.gold, "problem", good ? json_null() : json_text(scdc_last_error())));
    }
    heading(path, "answers of another tool");
    LINE("tool", "%s", tool);
    if (good) {
        LINE("answers", "%zu row%s of %s, %zu without an answer", info.rows, plural(info.rows),
             info.form, info.skipped);
        LINE("workers", "%zu", info.workers);
        LINE("items", "%zu", info.items);
        if (info.gold) LINE("gold", "%zu with a known right answer", info.gold);
    } else {
        fputs("  problem      ", stdout);
        put_text(stdout, scdc_last_error());
        putchar('\n');
    }
    if (good && !in->line->common.quiet)
        hint("'scdc import' turns it into answers for --annotations");
    return EXIT_GOOD;
}

/* The tool a file comes from, unless it is one of ours. */
static const char *tool_of(const char *path, scdc_kind kind)
{
    const char *tool = NULL;
    if (kind == SCDC_KIND_ANSWERS || scdc_import_detect(&tool, path) != SCDC_OK) return NULL;
    return tool;
}

/* ---- the command ---------------------------------------------------------------------------- */

enum { AS_AUTO, AS_DATA, AS_ANSWERS, AS_LABELS };

static int inspect(const inspection *in, const char *path, int as)
{
    if (as == AS_AUTO && strcmp(path, "-") == 0) {
        int code = refuse(EXIT_USAGE, "standard input can be read only once");
        hint("say what it holds: --as data|answers|labels");
        return code;
    }
    if (as == AS_AUTO) {
        scdc_kind kind;
        int status = scdc_detect(&kind, path);
        const char *tool = tool_of(path, status == SCDC_OK ? kind : SCDC_KIND_ITEMS);
        if (tool) return show_foreign(in, path, tool);
        if (status != SCDC_OK) status = scdc_detect(&kind, path); /* for its message */
        if (status != SCDC_OK) return report_failure(status);
        as = kind == SCDC_KIND_ANSWERS  ? AS_ANSWERS
             : kind == SCDC_KIND_LABELS ? AS_LABELS
                                        : AS_DATA;
    }
    switch (as) {
    case AS_ANSWERS: return show_answers(in, path);
    case AS_LABELS: return show_labels(in, path);
    default: return show_items(in, path);
    }
}

static int inspect_all(inspection *in, int as)
{
    if (in->items_path) {
        int status = scdc_data_open(&in->items, in->items_path);
        if (status != SCDC_OK) return report_failure(status);
    }
    /* Every file is tried; the first trouble decides the exit code. */
    int worst = EXIT_GOOD;
    for (size_t i = 0; i < in->line->n_operands; i++) {
        if (i > 0 && !in->line->common.json) putchar('\n');
        int code = inspect(in, in->line->operand[i], as);
        if (worst == EXIT_GOOD) worst = code;
    }
    scdc_data_free(in->items);
    return worst;
}

int cmd_inspect(int argc, char **argv)
{
    static const char *const kinds[] = {"auto", "data", "answers", "labels", NULL};
    int as = AS_AUTO;
    command_line line;
    inspection in = {.line = &line};
    const option options[] = {
        OPTION(CHOICE, "as", 0, &as, "auto|data|answers|labels", "what the files hold",
               .choices = kinds),
        OPTION(TEXT, "data", 'd', &in.items_path, "DATA",
               "the items that answers or labels are about: looks names up, checks numbers, tells "
               "how many items are covered"),
        OPTION(FLAG, "workers", 'w', &in.workers, NULL, "list the workers of answer files"),
    };
    line = (command_line){
        .command = "inspect",
        .operands = "FILE...",
        .least = 1,
        .most = SIZE_MAX,
        .about = "Tells what files hold. A csv with the columns worker, left, right or worker, "
                 "task, item, and an npy of four integer columns, are answers; a csv with a label "
                 "or cluster column, and an npy or IDX file of one dimension, are labels; files of "
                 "other "
                 "annotation tools are told by their fields; anything else is items.",
        .uses = USES_JSON,
        .options = options,
        .n_options = LENGTH_OF(options),
        .examples = "  scdc inspect train-images-idx3-ubyte.gz answers.csv\n"
                    "  scdc inspect answers.csv --data train-images-idx3-ubyte.gz --workers\n",
    };
    int code = options_parse(&line, argc, argv);
    if (code == OPTIONS_GO) code = inspect_all(&in, as);
    options_free(&line);
    return code;
}
