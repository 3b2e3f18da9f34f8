/* Copies of tensors, and back. */
#include "model/use/kept.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "kept."
#define STATE "second.state"

/* What components are: all that places items but networks of their own, links, and last the state
 * that tells which of these count. */
static size_t component_tensors(tensor_ref out[CORE_MAX_TENSORS], scdc_model *model)
{
    static const char *const links[] = {"second.links", "second.views", STATE};
    tensor_ref all[CORE_MAX_TENSORS];
    size_t count = 0, n = model->core->ops->placing(all, model->core);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(all[i].name, "nets.", 5) != 0) out[count++] = all[i];
    }
    n = cluster_level_tensors(all, model->clusters);
    for (size_t i = 0; i < n; i++) {
        for (size_t l = 0; l < sizeof links / sizeof *links; l++) {
            if (strcmp(all[i].name, links[l]) == 0) out[count++] = all[i];
        }
    }
    return count;
}

static int copy_tensors(kept_components **out, const tensor_ref *from, size_t count,
                        const char *prefix)
{
    kept_components *k;
    SCDC_TRY(mem_zeroed(&k, 1, sizeof *k, "components"));
    for (size_t i = 0; i < count && i < KEPT_MOST; i++) {
        tensor_ref *t = &k->tensor[k->count++];
        *t = from[i];
        snprintf(t->name, sizeof t->name, "%s%.32s", prefix, from[i].name);
        t->values = arena_new(&k->memory, tensor_bytes(t), 1, "components");
        if (t->values) memcpy(t->values, from[i].values, tensor_bytes(t));
    }
    int status = arena_status(&k->memory);
    if (status == SCDC_OK) *out = k;
    else kept_free(k);
    return status;
}

int kept_take(kept_components **out, scdc_model *model)
{
    tensor_ref now[CORE_MAX_TENSORS];
    size_t count = component_tensors(now, model);
    return copy_tensors(out, now, count, PREFIX);
}

void kept_forget_state(kept_components *k)
{
    k->count--;
}

int kept_copy(kept_components **out, const kept_components *from)
{
    *out = NULL;
    return from ? copy_tensors(out, from->tensor, from->count, "") : SCDC_OK;
}

/* Whether there are links, in a file that does not tell: as if those of views did not count. */
static double any_links(const cluster_level *t)
{
    size_t K = t->core->spec.components;
    for (size_t i = 0; i < K * K; i++) {
        if (t->links[i] > 0) return 1;
    }
    return 0;
}

int kept_restore(scdc_model *model, const kept_components *k)
{
    tensor_ref now[CORE_MAX_TENSORS];
    cluster_level *t = model->clusters;
    cluster_state state = t->state;
    size_t count = component_tensors(now, model);
    for (size_t i = 0; i < count && i < k->count; i++)
        memcpy(now[i].values, k->tensor[i].values, tensor_bytes(&now[i]));
    if (k->count == count) take_links(&state, &t->state);
    else state.has_links = any_links(t);
    t->state = state;
    return model->core->ops->restored ? model->core->ops->restored(model->core) : SCDC_OK;
}

size_t kept_tensors(tensor_ref *out, const kept_components *k)
{
    size_t count = k ? k->count : 0;
    for (size_t i = 0; i < count; i++) out[i] = k->tensor[i];
    return count;
}

void kept_free(kept_components *k)
{
    if (!k) return;
    arena_free(&k->memory);
    mem_free(k);
}
