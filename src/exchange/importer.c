/* From an entry to answers: which fields are the items, which is the answer, and what it means. */
#include "exchange/importer.h"

#include "base/status.h"
#include "exchange/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { STEM_SIZE = 64, LONGEST_ITEM = 1000 };

int importer_fail(const importer *in, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return in->number ? fail_with(SCDC_ERR_INPUT, "%s: %s %zu: %s", in->file->path, in->unit,
                                  in->number, text)
                      : fail_with(SCDC_ERR_INPUT, "%s: %s", in->file->path, text);
}

void importer_clear(importer *in)
{
    entry *e = &in->entry;
    fields_clear(&e->input);
    fields_clear(&e->said);
    fields_clear(&e->about);
    e->skipped = e->many = e->by_answer = false;
}

bool importer_leaves_out(importer *in, const char *status)
{
    static const char *const words[] = {"rejected",  "returned",  "timed-out", "timed out",
                                        "timed_out", "withdrawn", "expired",   "screened out",
                                        "discarded", "draft",     "active",    NULL};
    if (!status || in->options->rejected) return false;
    for (const char *const *word = words; *word; word++) {
        if (strcasecmp(status, *word) != 0) continue;
        in->rejected++;
        return true;
    }
    return false;
}

/* Names of fields as a list for messages. */
static void list_names(char *out, size_t size, const fields *f)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < f->count && used + 8 < size; i++) {
        int n = snprintf(out + used, size - used, "%s%.40s", i ? ", " : "", fields_name(f, i));
        used += n > 0 ? (size_t)n : 0;
    }
}

static int fail_names(const importer *in, const char *what, const fields *f, const char *advice)
{
    char listed[400];
    list_names(listed, sizeof listed, f);
    return importer_fail(in, "%s (fields: %s): %s", what, listed, advice);
}

/* ---- items ---------------------------------------------------------------------------------- */

/* How sure it is that two fields with this name, left and right, are the items. */
static int rank_of_stem(const char *stem)
{
    static const char *const first[] = {"",   "item",      "item id", "unique id",
                                        "id", "record id", NULL};
    static const char *const second[] = {
        "image",   "img",   "image url", "img url", "url",     "file",     "path",
        "picture", "photo", "audio",     "video",   "text",    "sentence", "record",
        "name",    "doc",   "document",  "entity",  "product", "question", NULL};
    for (const char *const *s = first; *s; s++) {
        if (strcmp(stem, *s) == 0) return 0;
    }
    for (const char *const *s = second; *s; s++) {
        if (strcmp(stem, *s) == 0) return 1;
    }
    return 2;
}

static bool find_other_side(size_t *right, const fields *f, const char *stem)
{
    char other[STEM_SIZE];
    for (size_t j = 0; j < f->count; j++) {
        if (side_of_name(other, sizeof other, fields_name(f, j)) != SIDE_RIGHT) continue;
        if (strcmp(other, stem) != 0) continue;
        *right = j;
        return true;
    }
    return false;
}

/* The two fields that are called alike but for the side. Returns their rank, 3 for none. */
static int find_pair(const char **left, const char **right, const fields *f)
{
    int best = 3;
    for (size_t i = 0; i < f->count && best > 0; i++) {
        char stem[STEM_SIZE];
        size_t j;
        if (side_of_name(stem, sizeof stem, fields_name(f, i)) != SIDE_LEFT) continue;
        int rank = rank_of_stem(stem);
        if (rank >= best || !find_other_side(&j, f, stem)) continue;
        best = rank;
        *left = fields_text(f, i);
        *right = fields_text(f, j);
    }
    return best;
}

static const char *find_single(const fields *f)
{
    static const char *const known[] = {
        "item",    "item_id", "itemid",  "id",       "meta.id",     "image",    "image_url",
        "img_url", "img",     "picture", "photo",    "url",         "file",     "filename",
        "path",    "audio",   "video",   "text",     "sentence",    "document", "doc",
        "record",  "name",    "task",    "question", "instance_id", NULL};
    for (const char *const *name = known; *name; name++) {
        const char *text = fields_find(f, *name);
        /* A picture in the file itself is no name for anything. */
        if (text && *text && strncmp(text, "data:", 5) != 0) return text;
    }
    return f->count == 1 ? fields_text(f, 0) : NULL;
}

int importer_item(uint32_t *out, importer *in, const char *text)
{
    const char *slash = in->options->base_names ? strrchr(text, '/') : NULL;
    if (slash && slash[1]) text = slash + 1;
    if (!*text) return importer_fail(in, "an item is missing");
    if (strlen(text) > LONGEST_ITEM) {
        return importer_fail(in,
                             "an item's name has %zu bytes, at most %d are expected: name the "
                             "field that identifies an item (--item, or --left and --right)",
                             strlen(text), LONGEST_ITEM);
    }
    return rows_text(out, &in->rows, text);
}

/* Both items, or the one item in *left and NULL in *right. */
static int find_items(const char **left, const char **right, const importer *in)
{
    const scdc_import_options *o = in->options;
    const fields *f = &in->entry.input;
    *left = *right = NULL;
    if (!in->sides_known && (o->left || o->right || o->item)) {
        *left = fields_find(f, o->item ? o->item : o->left);
        *right = o->item ? NULL : fields_find(f, o->right);
        if (*left && (o->item || *right)) return SCDC_OK;
        return fail_names(in, "there is no such field for an item", f, "choose one of these");
    }
    const char *single = find_single(f);
    int rank = find_pair(left, right, f);
    if (rank < 2 || (rank == 2 && !single)) return SCDC_OK;
    *left = single ? single : fields_find(&in->entry.about, "task");
    *right = NULL;
    if (*left) return SCDC_OK;
    return fail_names(in, "it cannot be told which field is the item", f,
                      "name it with --item, or two of them with --left and --right");
}

/* ---- answers -------------------------------------------------------------------------------- */

/* *said = NULL: skipped. */
static int find_answer(const char **said, importer *in)
{
    const entry *e = &in->entry;
    const char *chosen = in->options->answer;
    uint32_t name;
    *said = NULL;
    if (e->skipped || e->said.count == 0) return SCDC_OK;
    if (!chosen && e->said.count > 1) {
        return fail_names(in, "there are several answers", &e->said, "choose one with --answer");
    }
    if (!chosen) chosen = fields_name(&e->said, 0);
    *said = fields_find(&e->said, chosen);
    if (*said && names_a_winner(chosen) && !in->options->answer) {
        return importer_fail(in,
                             "the answers are called \"%.40s\": they say which of two items is "
                             "better, but answers must say whether two items are of the same kind",
                             chosen);
    }
    SCDC_TRY(rows_text(&name, &in->rows, chosen));
    if (in->question == NO_TEXT) in->question = name;
    if (in->question != name) {
        return importer_fail(in,
                             "there are several questions (\"%.40s\" and \"%.40s\"): choose one "
                             "with --answer",
                             names_at(&in->rows.texts, in->question), chosen);
    }
    return SCDC_OK;
}

static int fail_winner(const importer *in, const char *said)
{
    return importer_fail(in,
                         "the answer \"%.40s\" says which of the two items (the better, the "
                         "preferred one): a ranking does not tell whether two items are of the "
                         "same kind, and cannot be used",
                         said);
}

static int decide_form(importer *in, row_form form, bool classes)
{
    if (in->rows.form == ROWS_UNDECIDED) {
        in->rows.form = form;
        in->rows.classes = classes;
    }
    if (in->rows.form == form && in->rows.classes == classes) return SCDC_OK;
    return importer_fail(in, "the file holds questions about one item and about two: split it, or "
                             "name the fields with --item, or --left and --right");
}

static int take_pair(importer *in, row base, const char *left, const char *right, const char *said)
{
    const scdc_import_options *o = in->options;
    answer_word answer = ANSWER_UNSURE;
    SCDC_TRY(decide_form(in, ROWS_PAIRS, false));
    if (said) {
        answer = answer_of_word(said, o->same, o->different);
        bool known = answer == ANSWER_SAME || answer == ANSWER_DIFFERENT;
        bool names_item = strcmp(said, left) == 0 || strcmp(said, right) == 0;
        if (answer == ANSWER_WINNER || (names_item && !known)) return fail_winner(in, said);
        if (answer == ANSWER_UNKNOWN) {
            return importer_fail(in,
                                 "the answer \"%.60s\" is not known to mean same or different: say "
                                 "what it means with --same or --different",
                                 said);
        }
    }
    const char *gold = fields_find(&in->entry.about, "gold");
    answer_word right_answer = gold ? answer_of_word(gold, o->same, o->different) : ANSWER_UNKNOWN;
    if (right_answer == ANSWER_SAME || right_answer == ANSWER_DIFFERENT)
        SCDC_TRY(rows_text(&base.gold, &in->rows, right_answer == ANSWER_SAME ? "1" : "0"));
    SCDC_TRY(importer_item(&base.left, in, left));
    SCDC_TRY(importer_item(&base.right, in, right));
    base.answer = (uint8_t)answer;
    if (base.left == base.right) {
        in->dropped++;
        return SCDC_OK;
    }
    return rows_add(&in->rows, base);
}

static int take_class(importer *in, row base, const char *item, const char *said)
{
    SCDC_TRY(decide_form(in, ROWS_GROUPINGS, true));
    if (in->entry.many) {
        in->dropped++;
        return SCDC_OK;
    }
    bool nothing = !said || says_nothing(said);
    base.answer = nothing ? ANSWER_UNSURE : ANSWER_SAME;
    SCDC_TRY(importer_item(&base.left, in, item));
    if (!nothing) SCDC_TRY(rows_text(&base.right, &in->rows, said));
    SCDC_TRY(rows_text(&base.gold, &in->rows, fields_find(&in->entry.about, "gold")));
    return rows_add(&in->rows, base);
}

static int find_worker(uint32_t *worker, importer *in)
{
    const scdc_import_options *o = in->options;
    /* A table has put the column of this name in its place already. */
    const char *name = o->worker ? fields_find(&in->entry.input, o->worker) : NULL;
    if (!name) name = fields_find(&in->entry.about, "worker");
    if (!name || !*name) name = o->worker_name ? o->worker_name : in->default_worker;
    if (!name || !*name) {
        return fail_names(in, "nothing says who answered", &in->entry.input,
                          "name the field with --worker, or the one worker with --worker-name");
    }
    return rows_text(worker, &in->rows, name);
}

static int take(importer *in)
{
    row base = {NO_TEXT, NO_TEXT, NO_TEXT, NO_TEXT, NO_TEXT, NO_TEXT, NO_TEXT, 0};
    const fields *about = &in->entry.about;
    const char *said, *left, *right;
    bool grouping = false;
    if (importer_leaves_out(in, fields_find(about, "status"))) return SCDC_OK;
    if (in->entry.by_answer && in->options->answer &&
        !fields_find(&in->entry.said, in->options->answer))
        return SCDC_OK;
    SCDC_TRY(find_worker(&base.worker, in));
    SCDC_TRY(find_answer(&said, in));
    SCDC_TRY(rows_text(&base.time, &in->rows, fields_find(about, "time")));
    SCDC_TRY(rows_text(&base.seconds, &in->rows, fields_find(about, "seconds")));
    if (said && (*said == '{' || *said == '[')) {
        SCDC_TRY(rows_text(&base.task, &in->rows, fields_find(about, "task")));
        SCDC_TRY(importer_take_grouping(&grouping, in, said, base));
        if (grouping) return decide_form(in, ROWS_GROUPINGS, false);
    }
    SCDC_TRY(find_items(&left, &right, in));
    return right ? take_pair(in, base, left, right, said) : take_class(in, base, left, said);
}

int importer_take(importer *in)
{
    int status = take(in);
    importer_clear(in);
    return status;
}
