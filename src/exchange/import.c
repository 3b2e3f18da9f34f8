/* scdc_import: the table of tools, telling them apart, and the way from file to file. */
#include "base/sized.h"
#include "base/status.h"
#include "exchange/detect.h"
#include "exchange/importer.h"
#include "io/csv.h"

#include <string.h>

enum { TASK_ITEMS = 200, LEAST_TASK_ITEMS = 4, MOST_TASK_ITEMS = 2000 };

typedef struct tool {
    const char *name, *about;
    int (*read)(importer *in);
} tool;

static const tool tools[] = {
    {"label-studio", "Label Studio: JSON, JSON-MIN or csv export", read_label_studio},
    {"prodigy", "Prodigy: JSON lines of db-out", read_prodigy},
    {"argilla", "Argilla: records as JSON or JSON lines", read_argilla},
    {"potato", "Potato: user_state.json or annotated_instances.jsonl", read_potato},
    {"mturk", "Mechanical Turk: batch results as csv", read_mturk},
    {"toloka", "Toloka: assignments as tsv", read_toloka},
    {"prolific", "Prolific: a table of answers with PROLIFIC_PID or participant_id", read_prolific},
    {"splink", "Splink: pairs with clerical_match_score", read_splink},
    {"crowd-kit", "crowd-kit: a table task,worker,label", read_crowd_kit},
    {"dedupe", "dedupe: the training file of labelled pairs", read_dedupe},
    {"mustlink", "must-links and cannot-links: lines of two items and 1 or -1, or JSON",
     read_mustlink},
    {"table", "any csv, tsv or JSON lines whose fields have telling names, or are named by options",
     read_plain},
};
enum { N_TOOLS = sizeof tools / sizeof *tools };

const char *scdc_import_tool(size_t index)
{
    return index < N_TOOLS ? tools[index].name : NULL;
}

const char *scdc_import_about(size_t index)
{
    return index < N_TOOLS ? tools[index].about : NULL;
}

static const tool *find_tool(const char *name)
{
    for (size_t i = 0; name && i < N_TOOLS; i++) {
        if (strcmp(tools[i].name, name) == 0) return tools + i;
    }
    return NULL;
}

static const scdc_import_options default_options = {.size = sizeof default_options};

void scdc_import_options_init_sized(scdc_import_options *options, size_t size)
{
    sized_init(options, size, &default_options, sizeof default_options);
}

int scdc_import_detect(const char **out, const char *path)
{
    if (!out || !path) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_import_detect: %s is NULL",
                         out ? "path" : "tool");
    }
    file_bytes file;
    SCDC_TRY(file_open(&file, path));
    const char *name;
    int status = detect_tool(&name, &file);
    const tool *found = status == SCDC_OK ? find_tool(name) : NULL;
    if (status == SCDC_OK) *out = found ? found->name : NULL;
    file_close(&file);
    return status;
}

static int choose_tool(const tool **out, const file_bytes *file, const char *from)
{
    if (from && strcmp(from, "auto") != 0) {
        *out = find_tool(from);
        if (*out) return SCDC_OK;
        return fail_with(SCDC_ERR_ARGUMENT, "from: '%s' is no tool whose files are known", from);
    }
    own_form own;
    const char *name;
    SCDC_TRY(detect_own(&own, file));
    SCDC_TRY(detect_tool(&name, file));
    if (own == OWN_GROUPINGS) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: is already a file of answers: give it to --annotations as it is",
                         file->path);
    }
    /* Pairs are read again, for their words and columns. */
    *out = find_tool(own == OWN_PAIRS ? "table" : name);
    if (*out) return SCDC_OK;
    return fail_with(SCDC_ERR_INPUT,
                     "%s: looks like no file of a known tool: say which one wrote it (--from), or "
                     "take it as a table and name its columns (--from table)",
                     file->path);
}

static int check_options(const scdc_import_options *o)
{
    if (o->task_items && (o->task_items < LEAST_TASK_ITEMS || o->task_items > MOST_TASK_ITEMS)) {
        return fail_with(SCDC_ERR_ARGUMENT, "task_items must be %d to %d, not %zu",
                         LEAST_TASK_ITEMS, MOST_TASK_ITEMS, o->task_items);
    }
    if ((o->left || o->right) && (!o->left || !o->right || o->item)) {
        return fail_with(SCDC_ERR_ARGUMENT, "items are named by left and right, or by item alone");
    }
    return SCDC_OK;
}

static int finish(scdc_import_info *info, importer *in, const tool *from, const char *output)
{
    const scdc_import_options *o = in->options;
    if (in->rows.count == 0) {
        in->number = 0;
        return importer_fail(in, "holds no answers (%zu left out as rejected, %zu of no use)",
                             in->rejected, in->dropped);
    }
    *info =
        (scdc_import_info){.tool = from->name, .rejected = in->rejected, .dropped = in->dropped};
    return rows_write(info, &in->rows, output, o->task_items ? o->task_items : TASK_ITEMS);
}

int exchange_import(scdc_import_info *info, const file_bytes *file, const char *output,
                    const scdc_import_options *options)
{
    const tool *from;
    if (file->size == 0) return fail_with(SCDC_ERR_INPUT, "%s: is empty", file->path);
    SCDC_TRY(csv_refuse_utf16(file));
    importer in = {.options = options, .file = file, .question = NO_TEXT, .unit = "line"};
    SCDC_TRY(choose_tool(&from, file, options->from));
    int status = from->read(&in);
    if (status == SCDC_OK) status = finish(info, &in, from, output);
    fields_free(&in.entry.input);
    fields_free(&in.entry.said);
    fields_free(&in.entry.about);
    rows_free(&in.rows);
    return status;
}

int scdc_import_sized(scdc_import_info *info, size_t size, const char *path, const char *output,
                      const scdc_import_options *options)
{
    scdc_import_options own = default_options;
    scdc_import_info told = {0};
    file_bytes file;
    if (!path || !output) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_import: %s is NULL", path ? "output" : "path");
    }
    if (options) SCDC_TRY(sized_take(&own, sizeof own, options, "scdc_import_options_init"));
    SCDC_TRY(check_options(&own));
    SCDC_TRY(file_open(&file, path));
    int status = exchange_import(&told, &file, output, &own);
    file_close(&file);
    if (status == SCDC_OK && info) sized_fill(info, size, &told, sizeof told);
    return status;
}
