/* A fitted (or half-fitted) model: its core, what it was fitted on, and where training stands. */
#ifndef SCDC_MODEL_MODEL_H
#define SCDC_MODEL_MODEL_H

#include "model/train/batcher.h"
#include "model/core.h"
#include "model/classes/experts.h"
#include "model/clusters/cluster_level.h"

struct scdc_model {
    core *core;
    input_scale input;
    arena memory; /* names */
    const char **worker_names;
    size_t *worker_answers;

    /* The default recipe: clusters as groups of components. NULL: every component is a cluster. */
    cluster_level *clusters;
    /* Clusters that the answers tell and the mixture does not show (start_classes.c): who places
     * items into them. Taught by no items: the mixture does. */
    classifier classifier;
    /* Once a fit is done: what mixture and classifier (if any) count, weighed by the answers. */
    bool weighed;
    experts experts;
    /* How far the fit itself is doubted: of every item's probabilities so much is given to all
     * clusters alike. What halves of the items do not show again, weighed by answers if any. */
    double doubt;
    /* A network taught at the end of a fit, which then places items; NULL: there is none. */
    struct pupil *pupil;

    /* Where training stands: everything a resumed run needs beside the core's tensors. */
    size_t warm_epoch;   /* warm-up epochs done; only then components begin */
    bool begun;          /* the components have begun */
    size_t epoch, batch; /* epochs done; minibatches done in the current one */
    bound_terms sums;    /* of the current epoch's minibatches so far */
    double rate_scale;   /* shrunk after a step that was not finite */
    double best_bound;   /* of the epochs so far */
    size_t epochs_without_rise, steady_epochs;
    bool finished;
    double stability;    /* of several starts; NaN when there was one */
    scdc_epoch *history; /* [epoch] */
    size_t history_capacity;
    double *shares; /* [epoch][K] proportions after each epoch; NULL with a cluster level */
    size_t shares_capacity;

    /* Clusters: cluster_of[k] is the cluster of component k, -1 for a component that holds nothing.
     */
    int64_t *cluster_of;
    size_t n_clusters;
    int64_t *number;     /* [K] number of each cluster as users see it, increasing */
    int64_t next_number; /* above all that were ever used */
    size_t updates;      /* so many since the fit; numbers are then no longer 0, 1, 2, ... */
    size_t fit_answers;  /* of an update: those that networks and components learned from */
    /* Components of the fit, where an update took classes in their place; NULL: the core has them.
     */
    struct kept_components *kept;
    double *proportions; /* [K] scratch */

    /* Once a fit or an update is done: what is known of its items (use/known.h), and their labels
     * (use/settled.h). NULL: nothing. */
    struct known_items *known;
    struct settled *settled;

    struct workspaces *workspaces; /* of threads that use it: use/workspace.h */
};

/* An empty model around a new core; the core's state is not yet started, its inputs are as they
 * come. */
int model_create(scdc_model **out, const core_spec *spec);
size_t model_width(const scdc_model *model); /* D */
/* Whether clusters are groups of components (the default recipe). */
bool model_has_cluster_level(const core_spec *spec);
int model_create_clusters(scdc_model *model, size_t annotated);
/* Items whose answers the cluster level heard; 0 without one. */
size_t model_annotated(const scdc_model *model);
/* Room for a classifier of so many items and classes. */
int model_create_classifier(scdc_model *model, size_t items, size_t n_classes);
/* Without one, as before it was made. */
void model_drop_classifier(scdc_model *model);
/* A network that places items, with room for `rows` at a time; and without. */
int model_create_pupil(scdc_model *model, const char *words, size_t rows);
void model_drop_pupil(scdc_model *model);
/* Clusters are classes that the answers tell, and only a kernel classifier places items. */
bool model_is_judged(const scdc_model *model);
/* Clusters are those of its network, which learned them from answers alone (pupil/by_answers.h). */
bool model_is_led(const scdc_model *model);
/* Whether the kernel classifier is asked, alone or among others. */
bool model_asks_classifier(const scdc_model *model);
/* Whether mixture and classifier were weighed, and count beside the network, if there is one. */
bool model_heeds_experts(const scdc_model *model);
/* All of the state by name: the core's tensors and the cluster level's; and what is to be done
 * after they were written. */
size_t model_tensors(tensor_ref out[CORE_MAX_TENSORS], scdc_model *model);
int model_restored(scdc_model *model);
size_t tensor_bytes(const tensor_ref *t);
/* Probabilities of the clusters from those of the components. What belongs to no cluster is shared
 * out in proportion; when nothing belongs to one, the first cluster gets it. */
void model_clusters_of_row(double *out, const double *z, const scdc_model *model);
/* Forgets the experts' weights and the classifiers that were taught at the end of a fit. */
void model_forget_experts(scdc_model *model);
/* Clusters from the components that are alive. */
void model_regroup(scdc_model *model);
size_t model_live_components(const scdc_model *model);
/* Clusters as users number them: number of a cluster; cluster of a number (SIZE_MAX: none has it).
 */
int64_t model_number(const scdc_model *model, int64_t cluster);
size_t model_cluster_of_number(const scdc_model *model, int64_t number);
int model_check_width(const scdc_model *model, const scdc_data *data);
/* Values in the range the likelihood needs. */
int model_check_values(const scdc_model *model, const scdc_data *data);
/* Records an epoch, with these proportions [K] (NULL: those the model has now). */
int model_append_epoch(scdc_model *model, const scdc_epoch *epoch, const double *shares);

#endif
