/* What the header of a model file tells: sizes, options and numbers as texts. */
#include "base/status.h"
#include "base/text.h"
#include "model/model_file.h"
#include "model/pupil/pupil.h"
#include "model/options.h"

#include <stdio.h>
#include <string.h>

static void put_number(json_t *meta, const char *key, double value)
{
    char text[32];
    text_of_double(text, sizeof text, value);
    json_object_set_new(meta, key, json_string(text));
}

int file_number(double *out, const safetensors_file *st, const char *key)
{
    const char *text = safetensors_meta(st, key);
    if (!text || !text_double(out, text, strlen(text))) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: '%s' is missing or no number", st->file.path,
                         key);
    }
    return SCDC_OK;
}

int file_size(size_t *out, const safetensors_file *st, const char *key, size_t low, size_t high)
{
    double value = 0;
    SCDC_TRY(file_number(&value, st, key));
    if (!(value >= (double)low && value <= (double)high)) {
        return fail_with(SCDC_ERR_INPUT,
                         "%s: not a usable model file: %s is %g, expected %zu to %zu",
                         st->file.path, key, value, low, high);
    }
    *out = (size_t)value;
    return SCDC_OK;
}

void file_put_state(json_t *meta, const scdc_model *m)
{
    put_number(meta, "warm_epoch", (double)m->warm_epoch);
    put_number(meta, "begun", m->begun);
    put_number(meta, "annotated", (double)model_annotated(m));
    put_number(meta, "judge.items", (double)m->classifier.items);
    if (m->pupil) json_object_set_new(meta, "pupil.layers", json_string(m->pupil->words));
    put_number(meta, "experts.weighed", m->weighed);
    put_number(meta, "experts.doubt", m->experts.doubt);
    put_number(meta, "doubt", m->doubt);
    for (size_t w = 0; w < EXPERT_WAYS; w++) {
        char name[32];
        snprintf(name, sizeof name, EXPERT_WEIGHT, w);
        put_number(meta, name, m->experts.weight[w]);
    }
    for (size_t i = 0; i < EXPERT_SHARES; i++) {
        char name[32];
        snprintf(name, sizeof name, EXPERT_HEARD, i);
        put_number(meta, name, m->experts.heard[i]);
    }
    put_number(meta, "alone.experts", m->experts.alone.experts);
    put_number(meta, "alone.network", m->experts.alone.network);
    put_number(meta, "alone.doubt", m->experts.alone.doubt);
    put_number(meta, "epoch", (double)m->epoch);
    put_number(meta, "batch", (double)m->batch);
    put_number(meta, "finished", m->finished);
    put_number(meta, "sum.reconstruction", m->sums.reconstruction);
    put_number(meta, "sum.kl_z", m->sums.kl_z);
    put_number(meta, "sum.kl_x", m->sums.kl_x);
    put_number(meta, "sum.answers", m->sums.answers);
    put_number(meta, "sum.kl_global", m->sums.kl_global);
    put_number(meta, "sum.skipped", m->sums.skipped);
    put_number(meta, "rate_scale", m->rate_scale);
    put_number(meta, "best_bound", m->best_bound);
    put_number(meta, "epochs_without_rise", (double)m->epochs_without_rise);
    put_number(meta, "steady_epochs", (double)m->steady_epochs);
    put_number(meta, "clusters", (double)m->n_clusters);
    if (m->updates) {
        put_number(meta, "updates", (double)m->updates);
        put_number(meta, "next_cluster", (double)m->next_number);
        put_number(meta, "fit_answers", (double)m->fit_answers);
    }
    put_number(meta, "input.scale", (double)m->input.scale);
    put_number(meta, "input.shift", (double)m->input.shift);
}

int file_get_state(scdc_model *m, const safetensors_file *st)
{
    size_t finished, begun;
    double scale, shift;
    SCDC_TRY(file_size(&m->warm_epoch, st, "warm_epoch", 0, UINT32_MAX));
    SCDC_TRY(file_size(&begun, st, "begun", 0, 1));
    m->begun = begun;
    SCDC_TRY(file_size(&m->epoch, st, "epoch", 0, UINT32_MAX));
    SCDC_TRY(file_size(&m->batch, st, "batch", 0, UINT32_MAX));
    SCDC_TRY(file_size(&finished, st, "finished", 0, 1));
    m->finished = finished;
    SCDC_TRY(file_number(&m->sums.reconstruction, st, "sum.reconstruction"));
    SCDC_TRY(file_number(&m->sums.kl_z, st, "sum.kl_z"));
    SCDC_TRY(file_number(&m->sums.kl_x, st, "sum.kl_x"));
    SCDC_TRY(file_number(&m->sums.answers, st, "sum.answers"));
    SCDC_TRY(file_number(&m->sums.kl_global, st, "sum.kl_global"));
    SCDC_TRY(file_number(&m->sums.skipped, st, "sum.skipped"));
    SCDC_TRY(file_number(&m->rate_scale, st, "rate_scale"));
    SCDC_TRY(file_number(&m->best_bound, st, "best_bound"));
    SCDC_TRY(file_size(&m->epochs_without_rise, st, "epochs_without_rise", 0, UINT32_MAX));
    SCDC_TRY(file_size(&m->steady_epochs, st, "steady_epochs", 0, UINT32_MAX));
    SCDC_TRY(file_size(&m->n_clusters, st, "clusters", 1, m->core->spec.components));
    SCDC_TRY(file_number(&scale, st, "input.scale"));
    SCDC_TRY(file_number(&shift, st, "input.shift"));
    m->input.scale = (float)scale;
    m->input.shift = (float)shift;
    m->input.binarise = m->core->spec.likelihood == SCDC_LIKELIHOOD_BERNOULLI;
    return SCDC_OK;
}

void file_put_spec(json_t *meta, const core_spec *s)
{
    put_number(meta, "format_version", FORMAT_VERSION);
    put_number(meta, "items", (double)s->items);
    put_number(meta, "channels", (double)s->channels);
    put_number(meta, "height", (double)s->height);
    put_number(meta, "width", (double)s->width);
    put_number(meta, "workers", (double)s->workers);
    put_number(meta, "answers", (double)s->answers);
    put_number(meta, "max_rows", (double)s->max_rows);
    put_number(meta, "max_answers", (double)s->max_answers);
    const char *name;
    for (size_t i = 0; (name = scdc_options_key(i, NULL)); i++) {
        char key[64], value[256];
        /* Of the process, not of the model: the same fit gives the same file. */
        if (strcmp(name, "threads") == 0) continue;
        snprintf(key, sizeof key, "option.%s", name);
        if (scdc_options_get(value, sizeof value, &s->options, name) == SCDC_OK) {
            json_object_set_new(meta, key, json_string(value));
        }
    }
}

/* Files of 0.1.0 said by a word whether the program saves while it fits. */
static bool is_former_word(const char *name, const char *value)
{
    return strcmp(name, "checkpoint") == 0 &&
           (strcmp(value, "on") == 0 || strcmp(value, "off") == 0);
}

int file_get_spec(core_spec *s, const safetensors_file *st)
{
    const char *name;
    scdc_options_init(&s->options);
    s->options.net = SCDC_NET_MLP; /* the only one of 0.1.0, whose files do not tell */
    for (size_t i = 0; (name = scdc_options_key(i, NULL)); i++) {
        char key[64];
        snprintf(key, sizeof key, "option.%s", name);
        const char *value = safetensors_meta(st, key);
        /* An option younger than the file keeps its default. */
        if (!value || is_former_word(name, value)) continue;
        int status = scdc_options_set(&s->options, name, value);
        if (status != SCDC_OK) return fail_prefix(SCDC_ERR_INPUT, "%s", st->file.path);
    }
    SCDC_TRY(file_size(&s->items, st, "items", 1, UINT32_MAX));
    SCDC_TRY(file_size(&s->channels, st, "channels", 1, 1 << 30));
    SCDC_TRY(file_size(&s->height, st, "height", 1, 1 << 20));
    SCDC_TRY(file_size(&s->width, st, "width", 1, 1 << 20));
    SCDC_TRY(file_size(&s->workers, st, "workers", 0, UINT32_MAX));
    SCDC_TRY(file_size(&s->answers, st, "answers", 0, UINT32_MAX));
    SCDC_TRY(file_size(&s->max_rows, st, "max_rows", 1, 1 << 24));
    SCDC_TRY(file_size(&s->max_answers, st, "max_answers", 0, 1 << 28));
    /* What a file does not tell (an option younger than it, or one that somebody took out) is
     * chosen as for a new fit: nothing automatic is left to be divided by. */
    problem_size problem = {.items = s->items,
                            .dims = s->channels * s->height * s->width,
                            .answers = s->answers,
                            .workers = s->workers,
                            .image = s->height > 1 || s->width > 1};
    if (options_resolve(&s->options, &problem) != SCDC_OK)
        return fail_prefix(SCDC_ERR_INPUT, "%s", st->file.path);
    s->likelihood = s->options.likelihood;
    s->latent = s->options.latent;
    s->components = s->options.components;
    return SCDC_OK;
}
