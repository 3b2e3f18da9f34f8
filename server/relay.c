/* Rounds travel as settings: one text with all files, and a short one that tells which round it is.
 */
#include "relay.h"

#include "findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 64 << 20, MOST_QUESTIONS = 16 };

/* NULL when there is none, or none that can travel. */
static json_t *file_text(const char *run, const char *name)
{
    char *path = text_format("%s/%s", run, name), *bytes = NULL;
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0 && size <= LARGEST_FILE) {
        rewind(f);
        bytes = need_zeroed((size_t)size + 1, 1);
        if (fread(bytes, 1, (size_t)size, f) != (size_t)size) size = -1;
    }
    json_t *text = bytes && size >= 0 ? json_stringn(bytes, (size_t)size) : NULL;
    if (f) fclose(f);
    free(bytes);
    free(path);
    return text;
}

static void pack(json_t *files, const char *run, const char *name)
{
    json_t *text = file_text(run, name);
    if (text) json_object_set_new(files, name, text);
}

int relay_round(store *s, const char *run, size_t number, size_t answers)
{
    static const char *const names[] = {"labels.csv", "workers.csv", PLAN_FILE, "report.html"};
    json_t *files = json_object();
    char name[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) pack(files, run, names[i]);
    for (size_t i = 0; i < MOST_QUESTIONS; i++) {
        snprintf(name, sizeof name, QUESTIONS_FILE, i);
        pack(files, run, name);
    }
    char *text = json_dumps(files, JSON_COMPACT);
    json_decref(files);
    int status = text ? store_set(s, "round_files", text)
                      : server_fail(SCDC_ERR_MEMORY, "a round is too large to be told");
    free(text);
    SERVER_TRY(status);
    snprintf(name, sizeof name, "%zu %zu", number, answers);
    return store_set(s, "round", name);
}

int relay_exhausted(store *s, bool exhausted)
{
    return store_set(s, "exhausted", exhausted ? "yes" : "no");
}

void relay_look(relayed *out, store *s)
{
    char *round = store_get(s, "round"), *exhausted = store_get(s, "exhausted");
    *out = (relayed){.exhausted = exhausted && strcmp(exhausted, "yes") == 0};
    if (round && sscanf(round, "%zu %zu", &out->number, &out->answers) != 2)
        *out = (relayed){.exhausted = out->exhausted};
    free(round);
    free(exhausted);
}

int relay_take(store *s, const char *run)
{
    char *text = store_get(s, "round_files");
    json_t *files = text ? json_loads(text, 0, NULL) : NULL, *one;
    const char *name;
    int status = SCDC_OK;
    free(text);
    if (!json_is_object(files)) {
        json_decref(files);
        return server_fail(SCDC_ERR_INPUT, "the last round cannot be read");
    }
    if (mkdir(run, 0700) != 0 && errno != EEXIST)
        status = server_fail(SCDC_ERR_OUTPUT, "%s: %s", run, strerror(errno));
    json_object_foreach(files, name, one)
    {
        if (status != SCDC_OK || !json_is_string(one) || strchr(name, '/')) continue;
        char *path = text_format("%s/%s", run, name);
        status = scdc_write_file(path, json_string_value(one), json_string_length(one));
        if (status != SCDC_OK) status = server_fail_lib(status);
        free(path);
    }
    json_decref(files);
    return status;
}
