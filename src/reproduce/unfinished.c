/* One model file for each job that was stopped. */
#include "reproduce/unfinished.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *path_of(const session *s)
{
    char name[4 * RUN_TEXT + 64];
    const run_key *k = &s->job;
    snprintf(name, sizeof name, "unfinished-%s-%s-%s-seed-%" PRIu64 "-epochs-%zu.safetensors",
             k->method, k->recipe, k->setting, k->seed, k->epochs);
    return session_path(s, name);
}

int unfinished_load(scdc_model **out, const session *s)
{
    char *path = path_of(s);
    *out = NULL;
    if (!path) return SCDC_ERR_MEMORY;
    int status = SCDC_OK;
    if (access(path, F_OK) == 0) {
        status = scdc_model_load(out, path);
        if (status != SCDC_OK) status = fail_prefix(status, "delete it to begin this run anew");
    }
    if (status == SCDC_OK && *out) status = scdc_model_set_threads(*out, s->asked->threads);
    free(path);
    return status;
}

int unfinished_keep(const session *s, const scdc_model *model)
{
    char *path = path_of(s);
    if (!path) return SCDC_ERR_MEMORY;
    int status = scdc_model_save(model, path);
    free(path);
    return status;
}

int unfinished_forget(const session *s)
{
    char *path = path_of(s);
    if (!path) return SCDC_ERR_MEMORY;
    unlink(path); /* most runs never had one */
    free(path);
    return SCDC_OK;
}
