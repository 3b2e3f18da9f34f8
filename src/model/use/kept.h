/* The components of a fit, and the links between them, aside from the model that an update made:
 * where it took classes learned from answers, the next one compares with these again, and does not
 * depend on what this one chose. */
#ifndef SCDC_MODEL_KEPT_H
#define SCDC_MODEL_KEPT_H

#include "model/model.h"

enum { KEPT_MOST = 12 };

typedef struct kept_components {
    size_t count;
    tensor_ref tensor[KEPT_MOST]; /* under the names that they have in a file */
    arena memory;
} kept_components;

/* In every file that has such components. */
#define KEPT_LINKS "kept.second.links"
/* In those that tell which links count. */
#define KEPT_STATE "kept.second.state"

/* A copy of those that the model has now; of those in `from` (NULL: none). */
int kept_take(kept_components **out, scdc_model *model);
/* Which links count is not known, as in older files. */
void kept_forget_state(kept_components *k);
int kept_copy(kept_components **out, const kept_components *from);
/* They are the model's again. */
int kept_restore(scdc_model *model, const kept_components *k);
void kept_free(kept_components *k);

/* Their names and values, for files (k may be NULL: there are none). Returns how many. */
size_t kept_tensors(tensor_ref *out, const kept_components *k);

#endif
