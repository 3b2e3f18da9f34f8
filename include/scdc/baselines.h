/* The methods the paper compares with. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_BASELINES_H
#define SCDC_BASELINES_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The methods the paper compares with, by name: "kmeans", "gmm", "itml", "mpckmeans", "semicrowd",
 * "cspa", "mcvc", "deep-mcvc", "crowdclustering". A method ignores fields that do not concern it;
 * 0 in a count or a negative tolerance means the method's own default. */
typedef struct scdc_baseline_options {
    size_t size;
    size_t k;              /* clusters; the most clusters for crowdclustering */
    size_t starts;         /* of k-means, of the variational methods */
    size_t max_iterations; /* of the method's main loop */
    double tolerance;      /* the method's convergence threshold */
    uint64_t seed;
    int threads;                /* 0 = all cores */
    scdc_covariance covariance; /* gmm */
    double ridge;               /* gmm: added to variances, relative to the mean variance */
    double slack;               /* itml: gamma, weight of an answer against the prior metric */
    double link_weight;         /* mpckmeans, cspa: cost of a broken answer */
    double certain;       /* semicrowd: a pair counts when its mean answer is at least this far
                             from 1/2 (0 to 1/2) */
    size_t views;         /* mcvc, deep-mcvc: the most groups of workers (clustering views) */
    size_t view;          /* mcvc, deep-mcvc: which group's clustering; 0 = that of most workers */
    size_t latent;        /* crowdclustering: dimensions of an item's vector */
    double learning_rate; /* deep-mcvc */
} scdc_baseline_options;
SCDC_API void scdc_baseline_options_init_sized(scdc_baseline_options *options, size_t size);
#define scdc_baseline_options_init(options)                                                        \
    scdc_baseline_options_init_sized(options, sizeof(scdc_baseline_options))
/* The one parser: key as in scdc_baseline_key, value as text. Checks the value's domain. */
SCDC_API SCDC_MUST_CHECK int scdc_baseline_set(scdc_baseline_options *options, const char *key,
                                               const char *value);
/* Keys for help: name and help text of key `index`; NULL beyond the last. */
SCDC_API const char *scdc_baseline_key(size_t index, const char **help);

/* The table of methods, for listing. NULL or 0 when the index is out of range. */
SCDC_API size_t scdc_baseline_count(void);
SCDC_API const char *scdc_baseline_name(size_t index);
SCDC_API const char *scdc_baseline_summary(size_t index); /* one line: publication and idea */
SCDC_API int scdc_baseline_needs_items(size_t index);     /* 1: works on features */
SCDC_API int scdc_baseline_needs_answers(size_t index);   /* 1: works on answers */
SCDC_API int scdc_baseline_gives_probabilities(size_t index);
SCDC_API int scdc_baseline_gives_workers(size_t index);

typedef struct scdc_clustering scdc_clustering; /* what a baseline found */

/* data may be NULL for a method that needs no items, crowd for one that needs no answers (what a
 * method does not need it does not look at, except for the number of items). Items without any
 * answer get the label -1 from crowdclustering, which has nothing else to go by. */
SCDC_API SCDC_MUST_CHECK int scdc_baseline(scdc_clustering **out, const char *method,
                                           const scdc_data *data, const scdc_crowd *crowd,
                                           const scdc_baseline_options *options);
SCDC_API void scdc_clustering_free(scdc_clustering *clustering);

typedef struct scdc_clustering_info {
    const char *method;         /* static string */
    size_t items, clusters;     /* clusters: how many labels occur (-1 not counted) */
    size_t columns;             /* of the probabilities: 0 when the method has none */
    size_t workers;             /* with estimates: 0 when the method has none */
    size_t iterations;          /* of the main loop */
    int converged;              /* 0: the iteration limit ended it */
    double objective;           /* what the method minimises or maximises, at the end */
    const char *objective_name; /* static string: "inertia", "log likelihood", ... */
    double seconds;
} scdc_clustering_info;
SCDC_API SCDC_MUST_CHECK int scdc_clustering_get_info_sized(scdc_clustering_info *out, size_t size,
                                                            const scdc_clustering *clustering);
#define scdc_clustering_get_info(out, clustering)                                                  \
    scdc_clustering_get_info_sized(out, sizeof(scdc_clustering_info), clustering)
/* Owned by the clustering. NULL when the method does not tell. */
SCDC_API const int64_t *scdc_clustering_labels(const scdc_clustering *clustering); /* items */
SCDC_API const double *scdc_clustering_probabilities(const scdc_clustering *clustering);
SCDC_API const double *scdc_clustering_sensitivity(const scdc_clustering *clustering); /* workers */
SCDC_API const double *scdc_clustering_specificity(const scdc_clustering *clustering);
/* mcvc, deep-mcvc: the group each worker most likely belongs to, numbered as the option `view`. */
SCDC_API const int64_t *scdc_clustering_worker_views(const scdc_clustering *clustering);

/* item,label csv; names of items from data, else from crowd (either may be NULL). */
SCDC_API SCDC_MUST_CHECK int scdc_clustering_write_labels(const scdc_clustering *clustering,
                                                          const scdc_data *data,
                                                          const scdc_crowd *crowd,
                                                          const char *path);
/* worker,sensitivity,specificity[,view] csv; SCDC_ERR_ARGUMENT when the method does not
 * tell. Names of workers from crowd, which may be NULL. */
SCDC_API SCDC_MUST_CHECK int scdc_clustering_write_workers(const scdc_clustering *clustering,
                                                           const scdc_crowd *crowd,
                                                           const char *path);

#ifdef __cplusplus
}
#endif

#endif
