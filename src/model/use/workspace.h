/* A model is used by several threads at once: its parameters are one, workspaces are many.
 *
 * Whoever places or generates takes a view of the model: the same parameters, with buffers that
 * are its own until they are given back. The first to come gets the model itself, so that a
 * single thread pays nothing; views of others are kept for the next ones. */
#ifndef SCDC_MODEL_WORKSPACE_H
#define SCDC_MODEL_WORKSPACE_H

#include "model/model.h"

#include <stdatomic.h>

enum { WORKSPACES_KEPT = 16 };

struct workspaces {
    atomic_bool model_taken;
    _Atomic(struct model_view *) spare[WORKSPACES_KEPT];
};

int workspace_take(scdc_model **out, const scdc_model *model);
void workspace_give(scdc_model *view, const scdc_model *model);
void workspaces_free(struct workspaces *w);

#endif
