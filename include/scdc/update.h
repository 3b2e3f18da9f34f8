/* New answers, and new items, for a fitted model, without a new fit. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_UPDATE_H
#define SCDC_UPDATE_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- answers and items that came later ------------------------------------------------------ */

/* Adds the answers of `more` to *crowd (NULL: there are none yet), both about the same items.
 * Workers are told by their names; a task of one is never a task of the other. The order of what
 * comes out is that of names and numbers: in which order and in how many parts answers came cannot
 * be seen. */
SCDC_API SCDC_MUST_CHECK int scdc_crowd_append(scdc_crowd **crowd, const scdc_crowd *more);
/* Takes those answers out of *crowd that `had` holds already: by a worker of the same name about
 * the same two items with the same outcome, or a sorted task with the same piles; as often as `had`
 * holds them. For files that grow. *crowd becomes NULL when nothing is left. `had` may be NULL. */
SCDC_API SCDC_MUST_CHECK int scdc_crowd_leave_out(scdc_crowd **crowd, size_t *left_out,
                                                  const scdc_crowd *had);
/* What is known of workers from an earlier run: `path` is its workers.csv. Who is in `crowd` under
 * the same name is no stranger then: the earlier answers count beside the new ones in a fit or an
 * update. known (may be NULL): how many workers were found. */
SCDC_API SCDC_MUST_CHECK int scdc_crowd_know_workers(scdc_crowd *crowd, size_t *known,
                                                     const char *path);
/* The items of several handles one after the other, copied: of one width, all named or none, no
 * name twice. Stored as the first ones are where that holds them all, else as floats. */
SCDC_API SCDC_MUST_CHECK int scdc_data_join(scdc_data **out, const scdc_data *const *parts,
                                            size_t n_parts);

/* ---- the update ------------------------------------------------------------------------------ */

typedef struct scdc_update {
    size_t size;
    /* Clusters of the items so far, by their numbers, as scdc_model_labels gave them: what numbers
     * are matched by. NULL: as the model places the items by themselves. */
    const int64_t *labels;
    size_t epochs;             /* training goes on for so many epochs; 0 = networks stay */
    scdc_progress_fn progress; /* of these epochs; may be NULL */
    void *user;
} scdc_update;
SCDC_API void scdc_update_init_sized(scdc_update *update, size_t size);
#define scdc_update_init(update) scdc_update_init_sized(update, sizeof(scdc_update))
/* The model as all answers say: `crowd` holds those it was fitted on and new ones
 * (scdc_crowd_append), `data` the items it was fitted on, and after them new ones, if any. Networks
 * and components stay, unless `epochs` says otherwise or there are no networks, where components
 * are chosen anew: workers, clusters and what was learned from the answers are found again from all
 * answers, so that many small updates end where one large one does. Clusters keep their numbers:
 * each is matched to the earlier one it shares most items with, a new one gets a number that was
 * never used. scdc_model_labels then gives the labels of all items. On failure, and when stopped,
 * the model is as it was. SCDC_ERR_UNSUPPORTED for fits of the paper's recipe. `options` may be
 * NULL. */
SCDC_API SCDC_MUST_CHECK int scdc_model_update(scdc_model *model, const scdc_data *data,
                                               const scdc_crowd *crowd, const scdc_update *options);
/* What networks and components say of the items of the fit (latent means, likely components,
 * nearest items), as a file: an update that has it need not place all items again. A fit and an
 * update leave it in the model; nothing is written where there is none. What is loaded must be of
 * this model and these items, SCDC_ERR_INPUT: an update then makes it anew, as without a file. */
SCDC_API SCDC_MUST_CHECK int scdc_items_save(const char *path, const scdc_model *model);
SCDC_API SCDC_MUST_CHECK int scdc_items_load(scdc_model *model, const scdc_data *data,
                                             const char *path);
/* Numbers of the clusters, as many as scdc_model_info tells, increasing: what labels show, in the
 * order of the columns of `proba` and of scdc_sample. 0, 1, 2, ... until an update (either may be
 * NULL). next: the number a new cluster would get. */
SCDC_API SCDC_MUST_CHECK int scdc_model_clusters(int64_t *numbers, size_t room, int64_t *next,
                                                 const scdc_model *model);

/* What an update changed, as csv: item,from,to,probability,because. A row for each of `count` items
 * whose label is another than `before` ([earlier] items; new items are no changes), and why: which
 * of the new answers `more` (may be NULL) speak for the new cluster or against the old one, as
 * worker:left-right:same or :different, at most three of them; `cluster` where half of its old
 * cluster or more went the same way; else `neighbours`. */
SCDC_API SCDC_MUST_CHECK int scdc_write_changes(const char *path, size_t *changed,
                                                const scdc_data *items /* may be NULL */,
                                                const int64_t *before, size_t earlier,
                                                const int64_t *labels, const double *probability,
                                                size_t count, const scdc_crowd *more);

#ifdef __cplusplus
}
#endif

#endif
