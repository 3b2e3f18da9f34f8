/* runs.csv: one table of columns drives reading and writing. */
#include "reproduce/runs.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXPERIMENT, METHOD, RECIPE, SETTING, SEED, FIRST_FIELD };
enum { WEIGHTS = FIRST_FIELD + RUN_FIELDS, COLUMNS };
static const char *const column_names[COLUMNS] = {"experiment",
                                                  "method",
                                                  "recipe",
                                                  "setting",
                                                  "seed",
                                                  "acc",
                                                  "nmi",
                                                  "ami",
                                                  "ari",
                                                  "clusters",
                                                  "large_clusters",
                                                  "epochs",
                                                  "seconds",
                                                  "seconds_per_epoch",
                                                  "held_out_acc",
                                                  "held_out_nmi",
                                                  "weights"};

run_key run_key_of(const char *method, const char *recipe, const char *setting, uint64_t seed,
                   size_t epochs)
{
    run_key key = {.seed = seed, .epochs = epochs};
    snprintf(key.method, sizeof key.method, "%s", method);
    snprintf(key.recipe, sizeof key.recipe, "%s", recipe);
    snprintf(key.setting, sizeof key.setting, "%s", setting);
    return key;
}

void run_key_text(char *out, size_t size, const run_key *key)
{
    bool recipe = strcmp(key->recipe, "-") != 0;
    snprintf(out, size, "%s%s%s, %s, seed %" PRIu64, key->method, recipe ? ", " : "",
             recipe ? key->recipe : "", key->setting, key->seed);
}

run_row run_row_of(const run_key *key)
{
    run_row row = {.key = *key};
    for (size_t f = 0; f < RUN_FIELDS; f++) row.value[f] = NAN;
    return row;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int bad_field(const csv_reader *csv, size_t column, const char *expected)
{
    csv_field f = csv->fields[column];
    return fail_with(SCDC_ERR_INPUT,
                     "%s: line %zu: %s is '%.*s', not %s; delete the line to have the run repeated",
                     csv->name, csv->line, column_names[column], csv_shown(f), f.text, expected);
}

static bool copy_text(char out[RUN_TEXT], csv_field field)
{
    if (field.length == 0 || field.length >= RUN_TEXT) return false;
    memcpy(out, field.text, field.length);
    out[field.length] = '\0';
    return true;
}

/* Numbers with blanks between them. */
static bool parse_weights(run_row *row, csv_field field)
{
    const char *next = field.text, *end = field.text + field.length;
    while (next < end) {
        const char *blank = memchr(next, ' ', (size_t)(end - next));
        csv_field one = {next, (size_t)((blank ? blank : end) - next)};
        if (row->n_weights == RUN_MOST_WEIGHTS ||
            !csv_parse_double(&row->weight[row->n_weights++], one))
            return false;
        next = blank ? blank + 1 : end;
    }
    return true;
}

static int parse_row(run_row *out, const csv_reader *csv, const char *experiment)
{
    int64_t seed;
    char own[RUN_TEXT];
    run_key key = {0};
    char *const texts[] = {own, key.method, key.recipe, key.setting};
    if (csv->n_fields != COLUMNS) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: line %zu: %zu fields, not %d; delete the line to have the run "
                         "repeated",
                         csv->name, csv->line, csv->n_fields, (int)COLUMNS);
    }
    for (size_t c = EXPERIMENT; c <= SETTING; c++) {
        if (!copy_text(texts[c], csv->fields[c])) return bad_field(csv, c, "a short name");
    }
    if (strcmp(own, experiment) != 0) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%s: line %zu: the folder holds runs of '%s', not of '%s'; use another "
                         "folder",
                         csv->name, csv->line, own, experiment);
    }
    if (!csv_parse_int64(&seed, csv->fields[SEED]) || seed < 0)
        return bad_field(csv, SEED, "a whole number");
    key.seed = (uint64_t)seed;
    *out = run_row_of(&key);
    for (size_t f = 0; f < RUN_FIELDS; f++) {
        csv_field field = csv->fields[FIRST_FIELD + f];
        if (field.length && (!csv_parse_double(&out->value[f], field) || !isfinite(out->value[f])))
            return bad_field(csv, FIRST_FIELD + f, "a number");
    }
    double epochs = out->value[RUN_EPOCHS];
    out->key.epochs = epochs > 0 && epochs < 1e9 ? (size_t)epochs : 0;
    return parse_weights(out, csv->fields[WEIGHTS]) ? SCDC_OK
                                                    : bad_field(csv, WEIGHTS, "a few numbers");
}

static int check_header(const csv_reader *csv, bool more)
{
    bool good = more && csv->n_fields == COLUMNS;
    for (size_t c = 0; good && c < COLUMNS; c++) good = csv_equals(csv->fields[c], column_names[c]);
    return good ? SCDC_OK
                : fail_with(SCDC_ERR_INPUT,
                            "%s: not the runs of an experiment (its first line should begin with "
                            "'%s,%s'); use another folder",
                            csv->name, column_names[0], column_names[1]);
}

static int add_row(runs *r, const run_row *row)
{
    SCDC_TRY(mem_reserve(&r->rows, &r->capacity, r->count + 1, sizeof *r->rows, "runs"));
    r->rows[r->count++] = *row;
    return SCDC_OK;
}

static int read_rows(runs *r, const file_bytes *file)
{
    csv_reader csv;
    bool more;
    run_row row;
    SCDC_TRY(csv_open(&csv, file));
    int status = csv_next(&more, &csv);
    if (status == SCDC_OK) status = check_header(&csv, more);
    while (status == SCDC_OK) {
        status = csv_next(&more, &csv);
        if (status != SCDC_OK || !more) break;
        status = parse_row(&row, &csv, r->experiment);
        if (status == SCDC_OK) status = add_row(r, &row);
    }
    csv_close(&csv);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

static int write_header(const char *path)
{
    char text[512] = "";
    for (size_t c = 0; c < COLUMNS; c++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", column_names[c],
                 c + 1 < COLUMNS ? "," : "\n");
    }
    return scdc_write_file(path, text, strlen(text));
}

/* A value with the digits that the file keeps, so that a row read again is the row of the run. */
static double as_written(double value)
{
    char text[40];
    double again = NAN;
    snprintf(text, sizeof text, "%.10g", value);
    return csv_parse_double(&again, (csv_field){text, strlen(text)}) ? again : NAN;
}

static run_row row_as_written(const run_row *row)
{
    run_row out = *row;
    for (size_t f = 0; f < RUN_FIELDS; f++) out.value[f] = as_written(row->value[f]);
    for (size_t w = 0; w < row->n_weights; w++) out.weight[w] = as_written(row->weight[w]);
    out.key.epochs = out.value[RUN_EPOCHS] > 0 ? (size_t)out.value[RUN_EPOCHS] : 0;
    return out;
}

/* The length of the line, at most `size` - 1. */
static size_t format_row(char *out, size_t size, const char *experiment, const run_row *row)
{
    const run_key *k = &row->key;
    size_t used = (size_t)snprintf(out, size, "%s,%s,%s,%s,%" PRIu64, experiment, k->method,
                                   k->recipe, k->setting, k->seed);
    for (size_t f = 0; f < RUN_FIELDS; f++) {
        char number[40] = "";
        if (isfinite(row->value[f])) snprintf(number, sizeof number, "%.10g", row->value[f]);
        used += (size_t)snprintf(out + used, size - used, ",%s", number);
    }
    for (size_t w = 0; w < row->n_weights; w++)
        used += (size_t)snprintf(out + used, size - used, "%c%.10g", w ? ' ' : ',', row->weight[w]);
    return used + (size_t)snprintf(out + used, size - used, "%s\n", row->n_weights ? "" : ",");
}

static int write_all(int file, const char *text, size_t size)
{
    while (size) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        text += written;
        size -= (size_t)written;
    }
    return fsync(file) == 0 ? 0 : errno;
}

int runs_append(runs *r, const run_row *row)
{
    char line[1024];
    struct stat before;
    run_row kept = row_as_written(row);
    size_t size = format_row(line, sizeof line, r->experiment, &kept);
    SCDC_TRY(add_row(r, &kept));
    int file = open(r->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    int reason = file < 0 || fstat(file, &before) != 0 ? errno : write_all(file, line, size);
    /* Half a row would be taken for damage. */
    if (reason && file >= 0) (void)!ftruncate(file, before.st_size);
    if (file >= 0) close(file);
    if (!reason) return SCDC_OK;
    r->count--;
    return fail_with(SCDC_ERR_OUTPUT, "%s: cannot write: %s", r->path, strerror(reason));
}

/* ---- opening -------------------------------------------------------------------------------- */

/* The rows of a file that is there; `whole` is its size without a row that was cut off. */
static int read_file(runs *r, size_t *size, size_t *whole)
{
    file_bytes file, lines;
    SCDC_TRY(file_open(&file, r->path));
    *size = *whole = file.size;
    while (*whole && file.bytes[*whole - 1] != '\n') --*whole;
    file_from_memory(&lines, file.bytes, *whole, r->path);
    int status = read_rows(r, &lines);
    file_close(&file);
    return status;
}

int runs_open(runs *out, const char *folder, const char *experiment)
{
    struct stat st;
    size_t size, whole;
    runs r = {0};
    snprintf(r.experiment, sizeof r.experiment, "%s", experiment);
    if (asprintf(&r.path, "%s/" RUNS_FILE, folder) < 0)
        return fail_memory(strlen(folder), "a path");
    bool there = stat(r.path, &st) == 0;
    int status = there ? read_file(&r, &size, &whole) : write_header(r.path);
    if (status == SCDC_OK && there && whole < size && truncate(r.path, (off_t)whole) != 0)
        status = fail_with(SCDC_ERR_OUTPUT, "%s: cannot write: %s", r.path, strerror(errno));
    if (status == SCDC_OK) {
        *out = r;
    } else {
        runs_close(&r);
    }
    return status;
}

void runs_close(runs *r)
{
    free(r->path);
    mem_free(r->rows);
    *r = (runs){0};
}

/* ---- looking -------------------------------------------------------------------------------- */

bool runs_alike(const run_row *row, const run_key *key)
{
    const run_key *own = &row->key;
    return strcmp(own->method, key->method) == 0 && strcmp(own->recipe, key->recipe) == 0 &&
           strcmp(own->setting, key->setting) == 0 && (!key->epochs || key->epochs == own->epochs);
}

const run_row *runs_find(const runs *r, const run_key *key)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->rows[i].key.seed == key->seed && runs_alike(&r->rows[i], key)) return &r->rows[i];
    }
    return NULL;
}

stats runs_stats(const runs *r, const run_key *key, run_field field)
{
    stats s = {0};
    for (size_t i = 0; i < r->count; i++) {
        if (runs_alike(&r->rows[i], key)) stats_add(&s, r->rows[i].value[field]);
    }
    return s;
}
