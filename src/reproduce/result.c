/* The object behind result.json, and the page written from it. */
#include "reproduce/result.h"

#include "base/status.h"
#include "io/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- where and when ------------------------------------------------------------------------- */

/* What the system calls the processor; its architecture where it tells no name. */
static void processor_name(char *out, size_t size)
{
    char line[256];
    struct utsname system;
    snprintf(out, size, "%s", uname(&system) == 0 ? system.machine : "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (file) fclose(file);
}

static json_t *today(void)
{
    char text[16];
    struct tm parts;
    time_t now = time(NULL);
    bool good = gmtime_r(&now, &parts) && strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return json_string(good ? text : "?");
}

void result_begin(result *r, const char *experiment, const char *title, const char *command)
{
    char processor[160];
    processor_name(processor, sizeof processor);
    *r = (result){0};
    json_t *words = command ? json_string(command) : NULL;
    r->json = json_pack("{s:s,s:s,s:s,s:o,s:s,s:I,s:o,s:[],s:[],s:[]}", "scdc", scdc_version(),
                        "experiment", experiment, "title", title, "date", today(), "processor",
                        processor, "cores", (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "command",
                        words ? words : json_null(), "tables", "figures", "notes");
}

void result_free(result *r)
{
    json_decref(r->json);
    *r = (result){0};
}

/* ---- building ------------------------------------------------------------------------------- */

/* Appends to a list of the object; once memory is out there is no object. */
static json_t *append(result *r, json_t *list, json_t *value)
{
    if (r->json && value && json_array_append_new(list, value) == 0) return value;
    if (!r->json) json_decref(value);
    json_decref(r->json);
    r->json = NULL;
    return NULL;
}

static json_t *list_of(const result *r, const char *name)
{
    return json_object_get(r->json, name);
}

void result_table(result *r, const char *title, const char *const *columns, size_t count)
{
    json_t *table = json_pack("{s:s,s:[],s:[]}", "title", title, "columns", "rows");
    r->table = append(r, list_of(r, "tables"), table);
    r->row = NULL;
    for (size_t c = 0; c < count && r->table; c++)
        append(r, json_object_get(r->table, "columns"), json_string(columns[c]));
}

static json_t *text_json(const char *format, va_list values)
{
    char text[512];
    vsnprintf(text, sizeof text, format, values);
    return json_string(text);
}

void result_row(result *r, const char *format, ...)
{
    va_list values;
    if (!r->json) return;
    r->row = append(r, json_object_get(r->table, "rows"), json_array());
    va_start(values, format);
    append(r, r->row, text_json(format, values));
    va_end(values);
}

void result_text(result *r, const char *format, ...)
{
    va_list values;
    if (!r->json) return;
    va_start(values, format);
    append(r, r->row, text_json(format, values));
    va_end(values);
}

void result_stats(result *r, const stats *s, int decimals)
{
    char text[128];
    if (!r->json) return;
    stats_text(text, sizeof text, s, decimals);
    append(r, r->row,
           s->count
               ? json_pack("{s:f,s:f,s:I,s:s}", "mean", s->mean, "sd", stats_spread(s), "runs",
                           (json_int_t)s->count, "text", text)
               : json_pack("{s:n,s:n,s:I,s:s}", "mean", "sd", "runs", (json_int_t)0, "text", text));
}

void result_figure(result *r, const char *file, const char *title)
{
    if (!r->json) return;
    append(r, list_of(r, "figures"), json_pack("{s:s,s:s}", "file", file, "title", title));
}

void result_note(result *r, const char *format, ...)
{
    va_list values;
    if (!r->json) return;
    va_start(values, format);
    append(r, list_of(r, "notes"), text_json(format, values));
    va_end(values);
}

/* ---- the page ------------------------------------------------------------------------------- */

static const char *text_of(const json_t *value)
{
    const char *text =
        json_string_value(json_is_object(value) ? json_object_get(value, "text") : value);
    return text ? text : "";
}

static const char *field(const json_t *object, const char *name)
{
    return text_of(json_object_get(object, name));
}

static void write_row(FILE *out, const json_t *cells)
{
    size_t i;
    const json_t *cell;
    json_array_foreach(cells, i, cell) fprintf(out, "| %s ", text_of(cell));
    fputs("|\n", out);
}

static void write_table(FILE *out, const json_t *table)
{
    size_t i;
    const json_t *row, *columns = json_object_get(table, "columns");
    fprintf(out, "\n## %s\n\n", field(table, "title"));
    write_row(out, columns);
    for (i = 0; i < json_array_size(columns); i++) fputs("|---", out);
    fputs("|\n", out);
    json_array_foreach(json_object_get(table, "rows"), i, row) write_row(out, row);
}

static void write_page(FILE *out, const json_t *json)
{
    size_t i;
    const json_t *one, *notes = json_object_get(json, "notes");
    fprintf(out, "# %s\n\n", field(json, "title"));
    fprintf(out, "%s, scdc %s, %" JSON_INTEGER_FORMAT " cores of %s.\n", field(json, "date"),
            field(json, "scdc"), json_integer_value(json_object_get(json, "cores")),
            field(json, "processor"));
    if (*field(json, "command")) fprintf(out, "\n    %s\n", field(json, "command"));
    fputs("\nMean ± standard deviation (number of runs). True classes are used to score, never to "
          "fit or to\nchoose. `runs.csv` holds every run, `result.json` this page for machines.\n",
          out);
    json_array_foreach(json_object_get(json, "tables"), i, one) write_table(out, one);
    if (json_array_size(notes)) fputs("\n## Remarks\n\n", out);
    json_array_foreach(notes, i, one) fprintf(out, "* %s\n", text_of(one));
    json_array_foreach(json_object_get(json, "figures"), i, one)
    {
        if (i == 0) fputs("\n## Figures\n", out);
        fprintf(out, "\n%s:\n\n![%s](%s)\n", field(one, "title"), field(one, "title"),
                field(one, "file"));
    }
}

static int write_one(const json_t *json, const char *folder, const char *name, bool page)
{
    writer w;
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0) return fail_memory(strlen(folder), "a path");
    int status = writer_open(&w, path);
    free(path);
    if (status != SCDC_OK) return status;
    if (page) {
        write_page(w.stream, json);
    } else {
        json_dumpf(json, w.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        fputc('\n', w.stream);
    }
    return writer_commit(&w);
}

int result_write(const result *r, const char *folder)
{
    if (!r->json) return fail_memory(1024, "a table of results");
    SCDC_TRY(write_one(r->json, folder, "result.json", false));
    return write_one(r->json, folder, "result.md", true);
}
