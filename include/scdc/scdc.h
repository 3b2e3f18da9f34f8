/* scdc: semi-crowdsourced deep clustering. Items, answers, models; beside it are
 * <scdc/asking.h>, <scdc/baselines.h>, <scdc/calibration.h>, <scdc/exchange.h>, <scdc/report.h>,
 * <scdc/reproduce.h>, <scdc/stream.h> and <scdc/update.h>. A guide with an example: docs/api.md.
 *
 * Rules: out parameters come first; functions return SCDC_OK (0) or a negative scdc_status, and
 * then scdc_last_error() says what happened, where and what to do. Handles are opaque and freed by
 * their own _free function, which accepts NULL. Out parameters are untouched on failure unless the
 * comment says otherwise. The library never prints, exits or installs signal handlers.
 *
 * Threads: any function may be called from any thread, and any number of threads may use one handle
 * at the same time through functions that take it const (scdc_predict, scdc_embed, scdc_sample,
 * scdc_model_save and all that read). A function that takes it without const (_free,
 * scdc_fit_resume, scdc_model_set_threads, scdc_data_set_shape) needs it alone. Results never
 * depend on the number of threads. Errors, timings and watches belong to the thread that called.
 *
 * Processes: the library starts helper threads of its own, which take no signals. They end when it
 * is unloaded (dlclose) or the program ends. A child of fork may go on using the library, when no
 * other thread was inside a call at the fork. OpenBLAS is held at one thread while a call runs; its
 * number of threads is then what it was before.
 *
 * Structs grow in later versions, by fields at their end, and programs compiled before go on
 * working without being compiled again:
 *  - Structs you fill (options) begin with their size. scdc_X_init(&x) sets it, and every field to
 *    its default; set what you want otherwise. Fields that your version does not have are defaults;
 *    fields that the library does not have yet are refused when they are not 0.
 *  - Structs the library fills (_info, scdc_scores, scdc_worker) are filled as far as yours goes.
 *  - In C both are calls of macros that add sizeof: scdc_X(a, b) is scdc_X_sized(a, sizeof *a, b).
 *    Bindings of other languages call the _sized functions with the size of the struct they know.
 *  - Structs the library shows you (scdc_progress) are read through the pointer it gives.
 *  - Structs that lie in arrays (scdc_answer, scdc_epoch, scdc_report_start) keep their size.
 *
 * Arrays the library fills: `room` is how many values yours holds; SCDC_ERR_ARGUMENT, and nothing
 * is written, when there are more. scdc_predict, scdc_predict_together, scdc_model_labels,
 * scdc_embed fill a row for every item of `data`; scdc_place does so and checks lengths. */
#ifndef SCDC_SCDC_H
#define SCDC_SCDC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCDC_VERSION_MAJOR 0
#define SCDC_VERSION_MINOR 2
#define SCDC_VERSION_PATCH 0

#if defined(__GNUC__)
#define SCDC_API __attribute__((visibility("default")))
#define SCDC_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SCDC_API
#define SCDC_MUST_CHECK
#endif
#define SCDC_DEFAULT_SEED 1 /* of every struct of options that has a seed */
/* ---- status and version -------------------------------------------------------------------- */
typedef enum scdc_status {
    SCDC_OK = 0,
    SCDC_ERR_ARGUMENT = -1,    /* a value the caller gave is out of its domain */
    SCDC_ERR_INPUT = -2,       /* a file is missing, unreadable or does not hold what it should */
    SCDC_ERR_OUTPUT = -3,      /* a file could not be written (nothing half-written is left) */
    SCDC_ERR_MEMORY = -4,      /* out of memory */
    SCDC_ERR_NUMERIC = -5,     /* values stopped being finite and could not be recovered */
    SCDC_ERR_STOPPED = -6,     /* the progress callback asked to stop */
    SCDC_ERR_UNSUPPORTED = -7, /* this build cannot do it */
    SCDC_ERR_INTERNAL = -8     /* a defect of the library */
} scdc_status;

/* Name of a status code ("SCDC_ERR_INPUT"); "unknown status" for anything else. */
SCDC_API const char *scdc_status_name(int status);
/* Text of the last error of the calling thread; "" when there was none. */
SCDC_API const char *scdc_last_error(void);
SCDC_API const char *scdc_version(void);
/* What this build is made of and runs on: name of fact `index` and its value (may be NULL; valid
 * until the calling thread's next call); NULL beyond the last. */
SCDC_API const char *scdc_about(size_t index, const char **value);

/* ---- watching long calls --------------------------------------------------------------------- */
/* Where a call is. */
typedef struct scdc_work {
    const char *what;   /* "placing items"; static string */
    size_t done, total; /* parts of it; total 0: not known */
} scdc_work;
/* Called often, by the thread that made the call; calls it makes itself are not watched. Non-zero
 * asks to stop: the call returns SCDC_ERR_STOPPED, and what it was to fill holds nothing of use. */
typedef int (*scdc_watch_fn)(const scdc_work *work, void *user);
/* From now on watches the calling thread's long calls that have no callback of their own: predict,
 * embed, sample, k-means, baselines (between iterations or starts), reports, a fit without a
 * callback. NULL: no longer. */
SCDC_API void scdc_watch(scdc_watch_fn watch, void *user);

/* ---- items ---------------------------------------------------------------------------------- */
typedef enum scdc_dtype { SCDC_U8 = 1, SCDC_I32, SCDC_I64, SCDC_F32, SCDC_F64 } scdc_dtype;

typedef struct scdc_data scdc_data; /* N items of D values each, in their stored type */

typedef struct scdc_data_info {
    size_t rows;                    /* N */
    size_t cols;                    /* D = channels * height * width */
    size_t channels, height, width; /* images; D x 1 x 1 for plain vectors */
    scdc_dtype dtype;
    const char *format; /* "npy", "csv", "idx", "cifar10", "images", "memory"; static string */
    int mapped;         /* 1 when the values are memory-mapped */
    int named;          /* 1 when items have names (id column or file names) */
    double min, max, mean;
} scdc_data_info;

/* Reads .npy, .csv/.tsv, IDX(.gz), CIFAR-10 binary or a directory of PGM/PNG/JPEG images;
 * "-" reads csv, npy, IDX or CIFAR-10 from standard input. The format is told by content, not by
 * name, except CIFAR-10 (told by .bin and its size). Arrays have one to four dimensions: items,
 * items x values, items x height x width, items x channels x height x width. A csv may have a
 * header row, and item ids in a first column of text or in a column called id, item, name or file.
 * Images are sorted by name, must be alike, and are scaled to 0..255. Every value must be finite.
 * A mapped file (scdc_data_info) must keep its length as long as the handle lives: reading what
 * somebody has cut off raises SIGBUS. Replacing it (rename over it) is safe. */
SCDC_API SCDC_MUST_CHECK int scdc_data_open(scdc_data **out, const char *path);
/* copy = 0 borrows values, which must then outlive the handle. */
SCDC_API SCDC_MUST_CHECK int scdc_data_from_memory(scdc_data **out, const void *values,
                                                   scdc_dtype dtype, size_t rows, size_t cols,
                                                   int copy);
/* Says that each row is an image channels x height x width (their product must equal D). */
SCDC_API SCDC_MUST_CHECK int scdc_data_set_shape(scdc_data *data, size_t channels, size_t height,
                                                 size_t width);
SCDC_API void scdc_data_free(scdc_data *data);
/* Scans all values once for min, max and mean. */
SCDC_API SCDC_MUST_CHECK int scdc_data_get_info_sized(scdc_data_info *out, size_t size,
                                                      const scdc_data *data);
#define scdc_data_get_info(out, data) scdc_data_get_info_sized(out, sizeof(scdc_data_info), data)
/* Name of an item, or NULL when items are only numbered or the index is out of range. */
SCDC_API const char *scdc_data_name(const scdc_data *data, size_t item);
/* Name of a csv column that looks like class numbers (called class, label, target, y or so, few
 * different whole numbers) and was taken as a value of the items; NULL when there is none. */
SCDC_API const char *scdc_data_class_column(const scdc_data *data);
/* Name of a column of a csv with a header; NULL when columns have no (different) names or the index
 * is out of range. */
SCDC_API const char *scdc_data_column_name(const scdc_data *data, size_t column);

typedef enum scdc_column_kind {
    SCDC_COLUMN_PLAIN = 0,
    SCDC_COLUMN_CONSTANT,  /* one value in every row: it tells nothing */
    SCDC_COLUMN_SET_APART, /* an end value is repeated far from all others, as -999 for unknown */
    SCDC_COLUMN_HEAVY_TAILED, /* some values lie more than 10 widths from the centre */
    SCDC_COLUMN_CODES         /* 3 to 12 whole numbers: perhaps codes of kinds without an order */
} scdc_column_kind;
typedef struct scdc_column {
    scdc_column_kind kind;
    int whole;            /* 1: whole numbers only */
    size_t different;     /* values */
    double min, max;      /* of the rows looked at */
    double centre, width; /* mean and standard deviation of values clipped at their 2 % and 98 %
                             quantiles; of all of them when those are equal; width 0: constant */
} scdc_column;
/* What the columns look like, as many as scdc_data_info tells; from at most 8,192 rows. */
SCDC_API SCDC_MUST_CHECK int scdc_data_columns_sized(scdc_column *out, size_t size, size_t room,
                                                     const scdc_data *data);
#define scdc_data_columns(out, room, data)                                                         \
    scdc_data_columns_sized(out, sizeof(scdc_column), room, data)
/* Values of `count` rows from `first` as float, unscaled, row-major. */
SCDC_API SCDC_MUST_CHECK int scdc_data_rows(float *out, const scdc_data *data, size_t first,
                                            size_t count);
/* CRC-32 of the values, row after row, in their stored type; 0 for NULL. */
SCDC_API uint32_t scdc_data_checksum(const scdc_data *data);
SCDC_API SCDC_MUST_CHECK int scdc_data_write_npy(const scdc_data *data, const char *path);
/* Projection on the first `components` principal directions (exact, LAPACK); float32 rows. */
SCDC_API SCDC_MUST_CHECK int scdc_data_pca(scdc_data **out, const scdc_data *data,
                                           size_t components);

/* ---- labels --------------------------------------------------------------------------------- */
typedef struct scdc_labels scdc_labels; /* one integer per item; text labels become codes */

/* csv, .npy or IDX of integers, or the labels of a CIFAR-10 file. In a csv the labels are the
 * column `cluster`, else `label`, `true_cluster`, `class` or `truth`, else the last one (see
 * scdc_labels_guess); `path:column` picks another by name. Text labels become codes 0, 1, ... in
 * sorted order. Rows are matched to items by the column `item`, `id`, `name` or `file` (or a first
 * column that holds such ids): by name when `items` has names, by number when the ids are 0 to N-1
 * in any order; otherwise they come in item order. With `items` there must be one label for each.
 */
SCDC_API SCDC_MUST_CHECK int scdc_labels_open(scdc_labels **out, const char *path,
                                              const scdc_data *items /* may be NULL */);
SCDC_API SCDC_MUST_CHECK int scdc_labels_from_memory(scdc_labels **out, const int64_t *values,
                                                     size_t count);
SCDC_API void scdc_labels_free(scdc_labels *labels);
SCDC_API size_t scdc_labels_count(const scdc_labels *labels);
SCDC_API const int64_t *scdc_labels_values(const scdc_labels *labels);
/* The text of a label value when labels were text; NULL otherwise. */
SCDC_API const char *scdc_labels_name(const scdc_labels *labels, int64_t value);
/* The column of a csv that was taken although others might as well hold the labels: its name, or
 * "column 3" where columns have no names. NULL when there was no doubt. */
SCDC_API const char *scdc_labels_guess(const scdc_labels *labels);
/* `labels` in the order of `reference`: by item id when both files gave ids, otherwise as they are.
 * Both must have as many labels. */
SCDC_API SCDC_MUST_CHECK int scdc_labels_match(scdc_labels **out, const scdc_labels *labels,
                                               const scdc_labels *reference);
/* item,label csv (item = number, or name when `items` has names). */
SCDC_API SCDC_MUST_CHECK int scdc_labels_write_csv(const scdc_labels *labels,
                                                   const scdc_data *items /* may be NULL */,
                                                   const char *path);

/* ---- synthetic items ------------------------------------------------------------------------ */
/* Arms of equal size that bend around the origin (Johnson et al. 2016); labels (may be NULL)
 * receives the arm of each item. Rows are in random order. */
typedef struct scdc_pinwheel {
    size_t size;
    size_t arms, per_arm;
    double radial, tangential, rate;
    uint64_t seed;
} scdc_pinwheel;
SCDC_API void scdc_pinwheel_init_sized(scdc_pinwheel *options, size_t size);
#define scdc_pinwheel_init(options) scdc_pinwheel_init_sized(options, sizeof(scdc_pinwheel))
SCDC_API SCDC_MUST_CHECK int scdc_make_pinwheel(scdc_data **out, scdc_labels **labels,
                                                const scdc_pinwheel *options);

typedef struct scdc_blobs {
    size_t size;
    size_t clusters, items, dims;
    double spread;     /* standard deviation inside a cluster */
    double separation; /* standard deviation of the cluster centres */
    uint64_t seed;
} scdc_blobs;
SCDC_API void scdc_blobs_init_sized(scdc_blobs *options, size_t size);
#define scdc_blobs_init(options) scdc_blobs_init_sized(options, sizeof(scdc_blobs))
SCDC_API SCDC_MUST_CHECK int scdc_make_blobs(scdc_data **out, scdc_labels **labels,
                                             const scdc_blobs *options);

/* ---- answers of the crowd ------------------------------------------------------------------- */
typedef struct scdc_answer {
    uint32_t left, right; /* item numbers, left != right */
    uint32_t worker;
    uint32_t task; /* answers of one task are one partition; SCDC_NO_TASK for a single question */
    uint32_t same; /* 1 same kind, 0 different */
} scdc_answer;
#define SCDC_NO_TASK UINT32_MAX

typedef struct scdc_crowd scdc_crowd;

typedef struct scdc_crowd_info {
    size_t answers, same, workers, tasks;
    size_t items;       /* distinct items with at least one answer (N_l) */
    size_t max_item;    /* largest item number seen + 1 */
    size_t unsure;      /* rows read without an answer (unsure or empty), dropped */
    size_t repeated;    /* answers that repeat an earlier one exactly (pair, worker, value) */
    size_t pairs;       /* distinct unordered pairs */
    size_t pairs_twice; /* pairs answered more than once */
    size_t conflicts;   /* pairs with both answers present */
    size_t single_answer_workers;
    double min_per_worker, max_per_worker, mean_per_worker;
    double mean_neighbours; /* distinct partners per annotated item */
    size_t components;      /* connected components of the comparison graph */
    int named_items;        /* 1 when items were given by name */
    /* Tasks whose answers are one worker's partition of three items or more: understood as items
     * put on piles, not as pairs. How many there are, how many items were placed in them, and how
     * many of the answers they are. */
    size_t groupings, placements, grouped;
} scdc_crowd_info;

/* Reads one or more annotation files (pairs csv/tsv/npy or groupings csv). `items` resolves names
 * and bounds item numbers; without it numbers are taken as they are and names get codes in order
 * of appearance. */
SCDC_API SCDC_MUST_CHECK int scdc_crowd_open(scdc_crowd **out, const char *const *paths,
                                             size_t n_paths, const scdc_data *items);
/* Copies. Worker and task numbers with gaps are made dense in increasing order; a worker's name is
 * the number it came with. */
SCDC_API SCDC_MUST_CHECK int scdc_crowd_from_memory(scdc_crowd **out, const scdc_answer *answers,
                                                    size_t count);
SCDC_API void scdc_crowd_free(scdc_crowd *crowd);
SCDC_API SCDC_MUST_CHECK int scdc_crowd_get_info_sized(scdc_crowd_info *out, size_t size,
                                                       const scdc_crowd *crowd);
#define scdc_crowd_get_info(out, crowd)                                                            \
    scdc_crowd_get_info_sized(out, sizeof(scdc_crowd_info), crowd)
SCDC_API const scdc_answer *scdc_crowd_answers(const scdc_crowd *crowd, size_t *count);
/* CRC-32 of the answers, in their order; 0 for NULL. */
SCDC_API uint32_t scdc_crowd_checksum(const scdc_crowd *crowd);
/* Name of a worker ("w00", or the number as text). NULL when out of range. */
SCDC_API const char *scdc_crowd_worker_name(const scdc_crowd *crowd, size_t worker);
/* Name of an item when the files gave names and were read without `items`; NULL otherwise. */
SCDC_API const char *scdc_crowd_item_name(const scdc_crowd *crowd, size_t item);
/* worker,left,right,label (with a task column when there are tasks). */
SCDC_API SCDC_MUST_CHECK int scdc_crowd_write_csv(const scdc_crowd *crowd,
                                                  const scdc_data *items /* may be NULL */,
                                                  const char *path);

typedef enum scdc_scheme {
    SCDC_SCHEME_PAIRS = 0, /* uniform pairs among the chosen items */
    SCDC_SCHEME_BALANCED,  /* as many truly-same as truly-different pairs per worker */
    SCDC_SCHEME_GRID       /* a task shows `grid` items; the worker partitions them. Needs
                              sensitivity + specificity >= 1: no partition is worse than chance */
} scdc_scheme;

/* How a worker errs when sorting items (grid). */
typedef enum scdc_slips {
    SCDC_SLIPS_APART = 0, /* items stand alone, kinds get mixed: both rates are kept exactly */
    SCDC_SLIPS_PILES      /* every item goes to its kind's pile with the chance `sensitivity`, else
                             to another kind's; specificity does not count */
} scdc_slips;

/* What a worker takes for a kind. */
typedef enum scdc_worker_kinds {
    SCDC_KINDS_TRUE = 0, /* the classes */
    SCDC_KINDS_COARSE,   /* two classes, taken in order, are one kind */
    SCDC_KINDS_FINE,     /* each class is two kinds; which an item is of does not change */
    SCDC_KINDS_OTHER,    /* kinds that have nothing to do with the classes, as many as these */
    SCDC_KINDS_MIXED     /* the four in turn, worker by worker */
} scdc_worker_kinds;

typedef struct scdc_simulation {
    size_t size;
    size_t workers;
    const double *sensitivity; /* one value, or one per worker */
    size_t n_sensitivity;
    const double *specificity;
    size_t n_specificity;
    size_t pairs; /* answers in all, one per worker or more, shared evenly (pairs, balanced) */
    size_t tasks; /* tasks in all, one per worker or more, shared evenly (grid) */
    size_t items; /* items drawn at random for annotation; 0 = all */
    scdc_scheme scheme;
    size_t grid;
    uint64_t seed;
    scdc_slips slips;        /* grid */
    scdc_worker_kinds kinds; /* grid */
} scdc_simulation;
SCDC_API void scdc_simulation_init_sized(scdc_simulation *options, size_t size);
#define scdc_simulation_init(options) scdc_simulation_init_sized(options, sizeof(scdc_simulation))
SCDC_API SCDC_MUST_CHECK int scdc_simulate_answers(scdc_crowd **out, const scdc_labels *truth,
                                                   const scdc_simulation *options);

/* ---- kinds of files ------------------------------------------------------------------------- */
typedef enum scdc_kind { SCDC_KIND_ITEMS = 0, SCDC_KIND_LABELS, SCDC_KIND_ANSWERS } scdc_kind;
/* What a file seems to hold, by its header only: csv columns worker, left, right or worker, task,
 * item, and npy rows of four integers, are answers; a csv label or cluster column, `path:column`,
 * and npy integers or IDX of one dimension, are labels; anything else is items. */
SCDC_API SCDC_MUST_CHECK int scdc_detect(scdc_kind *out, const char *path);

/* ---- scores --------------------------------------------------------------------------------- */
typedef struct scdc_scores {
    size_t items, clusters, classes;
    double acc; /* best one-to-one matching of clusters to classes (Hungarian) */
    double nmi; /* mutual information over the arithmetic mean of the entropies */
    double ami; /* adjusted for chance, exact expectation, arithmetic mean */
    double ari;
} scdc_scores;
/* Any label values. n must be at least 1. */
SCDC_API SCDC_MUST_CHECK int scdc_score_sized(scdc_scores *out, size_t size, const int64_t *labels,
                                              const int64_t *truth, size_t n);
#define scdc_score(out, labels, truth, n)                                                          \
    scdc_score_sized(out, sizeof(scdc_scores), labels, truth, n)

/* ---- simple clustering ---------------------------------------------------------------------- */
typedef struct scdc_kmeans_options {
    size_t size;
    size_t k, starts, max_iterations;
    uint64_t seed;
    int threads; /* 0 = all cores */
} scdc_kmeans_options;
SCDC_API void scdc_kmeans_options_init_sized(scdc_kmeans_options *options, size_t size);
#define scdc_kmeans_options_init(options)                                                          \
    scdc_kmeans_options_init_sized(options, sizeof(scdc_kmeans_options))
/* labels: N values 0..k-1. inertia (may be NULL): sum of squared distances of the best start. */
SCDC_API SCDC_MUST_CHECK int scdc_kmeans(int64_t *labels, double *inertia, const scdc_data *data,
                                         const scdc_kmeans_options *options);

/* ---- models: options ------------------------------------------------------------------------ */
typedef enum scdc_model_kind { SCDC_MODEL_BAYES = 0, SCDC_MODEL_AMORTIZED } scdc_model_kind;
typedef enum scdc_recipe { SCDC_RECIPE_DEFAULT = 0, SCDC_RECIPE_PAPER } scdc_recipe;
typedef enum scdc_likelihood {
    SCDC_LIKELIHOOD_AUTO = 0, /* Bernoulli for u8 images and data within [0,1], else Gaussian */
    SCDC_LIKELIHOOD_BERNOULLI,
    SCDC_LIKELIHOOD_GAUSSIAN,
    SCDC_LIKELIHOOD_LOGISTIC /* of the 256 steps of a byte: pictures, also coloured ones */
} scdc_likelihood;
typedef enum scdc_optimizer { SCDC_OPTIMIZER_ADAM = 0, SCDC_OPTIMIZER_MOMENTUM } scdc_optimizer;
typedef enum scdc_schedule {
    SCDC_SCHEDULE_CONSTANT = 0,
    SCDC_SCHEDULE_COSINE, /* from the full rate to a tenth over the epochs */
    SCDC_SCHEDULE_DECAY   /* rate / sqrt(1 + epoch) */
} scdc_schedule;
typedef enum scdc_net_start {
    SCDC_NET_START_RANDOM = 0, /* He weights before rectifiers */
    SCDC_NET_START_LINEAR,     /* encoder a random isometry, decoder its transpose */
    SCDC_NET_START_GLOROT      /* Glorot weights in every layer, as the published code has them */
} scdc_net_start;
typedef enum scdc_scaling {
    SCDC_SCALING_UNIT = 0, /* mean 0 and standard deviation 1 over all values */
    SCDC_SCALING_NONE,
    SCDC_SCALING_COLUMNS, /* each by its own centre and width (scdc_column); drawn in beyond 2 */
    SCDC_SCALING_AUTO     /* columns, or unit where they are of one kind: pixels, embeddings */
} scdc_scaling;
typedef enum scdc_net {
    SCDC_NET_AUTO = 0, /* linear; mlp for 1,000 images or more, or where `hidden` is given */
    SCDC_NET_MLP,      /* layers of rectified units (`hidden`), learned */
    SCDC_NET_LINEAR,   /* principal components of the scaled values: nothing to learn */
    SCDC_NET_CONV,     /* layers of images by words: convolutions */
    SCDC_NET_RESNET    /* ... residual blocks */
} scdc_net;
typedef enum scdc_classifier {
    SCDC_CLASSIFIER_AUTO = 0,
    SCDC_CLASSIFIER_NONE,
    SCDC_CLASSIFIER_DENSE,
    SCDC_CLASSIFIER_CONV,
    SCDC_CLASSIFIER_RESNET
} scdc_classifier;
typedef enum scdc_augment {
    SCDC_AUGMENT_AUTO = 0, /* affine for grey images, crop for colour ones; else none */
    SCDC_AUGMENT_NONE,
    SCDC_AUGMENT_SHIFT,
    SCDC_AUGMENT_AFFINE, /* shifted, turned, scaled and sheared */
    SCDC_AUGMENT_FLIP,   /* affine, and mirrored */
    SCDC_AUGMENT_CROP    /* shifted by up to an eighth of the side, and mirrored */
} scdc_augment;
/* The default recipe's clusters: groups of components, or classes learned from answers. */
typedef enum scdc_clusters_from {
    SCDC_CLUSTERS_FROM_AUTO = 0, /* from the answers where that explains them clearly better */
    SCDC_CLUSTERS_FROM_COMPONENTS,
    SCDC_CLUSTERS_FROM_ANSWERS
} scdc_clusters_from;
typedef enum scdc_batches { SCDC_BATCHES_UNBIASED = 0, SCDC_BATCHES_HALVES } scdc_batches;
typedef enum scdc_coins { SCDC_COINS_OWN = 0, SCDC_COINS_SHARED } scdc_coins;
typedef enum scdc_natgrad { SCDC_NATGRAD_SVI = 0, SCDC_NATGRAD_FULL } scdc_natgrad;
typedef enum scdc_covariance {
    SCDC_COVARIANCE_DIAGONAL = 0,
    SCDC_COVARIANCE_FULL,
    SCDC_COVARIANCE_AUTO /* of a model: full in the default recipe up to latent size 64 */
} scdc_covariance;
typedef enum scdc_sum_kind {
    SCDC_SUM_AUTO = 0,  /* exact in the paper's recipe, threshold in the default one */
    SCDC_SUM_EXACT,     /* all components */
    SCDC_SUM_THRESHOLD, /* skip components with q(z=k|o) below sum_threshold */
    SCDC_SUM_TOP        /* the sum_top most likely components and one drawn from the rest */
} scdc_sum_kind;

enum { SCDC_MAX_HIDDEN = 8, SCDC_MAX_WORDS = 128 };

/* Filled by scdc_options_init; changed field by field or by scdc_options_set. 0 in a size means
 * "choose from the data" (what was chosen is told by scdc_model_options). */
typedef struct scdc_options {
    size_t size;
    scdc_model_kind model;
    scdc_recipe recipe;
    size_t components; /* K, the most mixture components */
    size_t clusters;   /* 0 = found by the model */
    size_t latent;     /* d */
    size_t hidden[SCDC_MAX_HIDDEN];
    size_t n_hidden;
    scdc_likelihood likelihood;
    size_t epochs;
    size_t batch;         /* B, items in a minibatch */
    size_t answers_batch; /* S, answers in a minibatch; 0 = N_a * B / N, at least 1 */
    size_t restarts; /* seeds seed, seed + 1, ...; kept: the best foretold answers, else bound */
    uint64_t seed;
    int threads; /* 0 = all cores */
    scdc_optimizer optimizer;
    double learning_rate, momentum;
    scdc_schedule schedule;
    size_t patience;   /* stop when bound or clusters stayed for so many epochs; 0 = automatic */
    double tolerance;  /* relative rise of the bound that counts */
    double checkpoint; /* seconds between two saves of the model by the program; 0 = never */
    /* amortised model */
    scdc_covariance covariance;
    scdc_sum_kind sum;
    double sum_threshold;
    size_t sum_top;
    /* Bayesian model */
    scdc_natgrad natgrad;
    size_t iterations; /* T, local message iterations */
    double global_rate;
    double global_momentum;
    double prior_alpha; /* Dirichlet, per component */
    double prior_kappa; /* normal-inverse-Wishart; m = 0 */
    double prior_nu;    /* degrees of freedom beyond d: nu = d + prior_nu, S = (d + prior_nu) I */
    double prior_sensitivity[2]; /* Beta(a, b) of every worker's sensitivity */
    double prior_specificity[2];
    double start_spread; /* standard deviation of the first component means */
    scdc_net_start net_start;
    scdc_scaling scaling; /* of Gaussian data */
    /* default recipe */
    size_t warmup;           /* epochs of a plain autoencoder before the components begin */
    size_t annotated_batch;  /* annotated items in a minibatch, beside `batch` others */
    double annotated_weight; /* how much more an annotated item counts than another */
    scdc_coins coins;        /* every worker has own coins, or all share one pair: plain votes */
    size_t neighbours;       /* nearest items in latent space that are evidence; 0 = none */
    scdc_clusters_from clusters_from;
    scdc_net net; /* between items and latents; linear is for the Bayesian default recipe */
    scdc_classifier classifier; /* a network taught at the end that then places items */
    scdc_augment augment;       /* views of images that teach it */
    size_t classifier_epochs;   /* 0 = automatic */
    size_t shards; /* of a minibatch, for processes that share a fit (<scdc/ranks.h>) */
    /* paper's recipe */
    scdc_batches batches; /* how items and items with answers weigh in a minibatch (Bayesian) */
    double start_coins;   /* first sensitivities and specificities (amortised); 0 = drawn */
    /* Layers of images by words, as "conv32,res64/2" (docs/running.md); "" = those of `net`.
     * `hidden` are dense layers between them and the latents. */
    char encoder[SCDC_MAX_WORDS];
    char decoder[SCDC_MAX_WORDS];   /* begins with map64 */
    char encoder_z[SCDC_MAX_WORDS]; /* of q(z|o), amortised model */
} scdc_options;

SCDC_API void scdc_options_init_sized(scdc_options *options, size_t size);
#define scdc_options_init(options) scdc_options_init_sized(options, sizeof(scdc_options))
/* Copies options, also those of scdc_model_options, which may be of another version than yours:
 * unlike `=` it keeps the size that your struct has, and leaves out what that does not have. */
SCDC_API SCDC_MUST_CHECK int scdc_options_copy_sized(scdc_options *out, size_t size,
                                                     const scdc_options *from);
#define scdc_options_copy(out, from) scdc_options_copy_sized(out, sizeof(scdc_options), from)
/* "pinwheel", "face", "mnist", "cifar10": the paper's settings. Sets the recipe to paper. */
SCDC_API SCDC_MUST_CHECK int scdc_options_preset(scdc_options *options, const char *name);
/* The one parser: key as in scdc_options_key, value as text. Checks the value's domain. */
SCDC_API SCDC_MUST_CHECK int scdc_options_set(scdc_options *options, const char *key,
                                              const char *value);
/* The one validator: every field in its domain, fields consistent with each other. */
SCDC_API SCDC_MUST_CHECK int scdc_options_check(const scdc_options *options);
/* Keys for help and files: name and help text of key `index`; NULL beyond the last. */
SCDC_API const char *scdc_options_key(size_t index, const char **help);
/* The value of a key as text, as scdc_options_set reads it. */
SCDC_API SCDC_MUST_CHECK int scdc_options_get(char *out, size_t size, const scdc_options *options,
                                              const char *key);

/* ---- models: fit and use -------------------------------------------------------------------- */
typedef struct scdc_model scdc_model;

/* One epoch of training. Bound and terms are of the whole data set, in nats:
 * bound = reconstruction - kl_z - kl_x + answers - kl_global. */
typedef struct scdc_epoch {
    size_t epoch; /* 1-based */
    double bound, reconstruction, kl_z, kl_x, answers, kl_global;
    size_t live_components; /* components that hold at least 0.2 % of the items */
    size_t clusters;
    size_t shortened_steps; /* global steps shortened to stay in the domain */
    double skipped;         /* mean share of q(z) in components left out (sum = threshold) */
    double learning_rate;
    double moved; /* share of the items that changed cluster in this epoch, from a sample; 1 = not
                   * known */
    double foretold;    /* mean log likelihood of an answer, foretold by the items and all other
                         * answers (default recipe; 0 without answers) */
    double seconds;     /* NaN for epochs of a loaded model: model files hold no times */
    double reserved[8]; /* 0; later versions put more figures here */
} scdc_epoch;

typedef struct scdc_progress {
    size_t epoch, epochs;  /* current epoch, 1-based, and the most there will be */
    size_t batch, batches; /* minibatches done in this epoch */
    size_t restart, restarts;
    double seconds; /* since the fit began */
    double items_per_second;
    const scdc_epoch *done;  /* set once per epoch, when it is complete; else NULL */
    const char *stage;       /* "warm-up"; "start" (of the components; epoch 1 of 1, and batches are
                              * parts of what is at hand); "fit"; "classifier" (as "start") */
    const scdc_model *model; /* may be saved from inside the callback, and what was saved resumed;
                              * NULL inside the start, where there is nothing to go on from */
} scdc_progress;

/* Called after every minibatch, and often in the start. Non-zero asks to stop: the fit then returns
 * SCDC_ERR_STOPPED with the model so far in *out, which can be saved and resumed bit for bit. Of
 * several starts *out is the best so far, finished or not. */
typedef int (*scdc_progress_fn)(const scdc_progress *progress, void *user);

/* crowd may be NULL (unsupervised). On SCDC_ERR_STOPPED *out holds the model so far. */
SCDC_API SCDC_MUST_CHECK int scdc_fit(scdc_model **out, const scdc_data *data,
                                      const scdc_crowd *crowd, const scdc_options *options,
                                      scdc_progress_fn progress, void *user);
/* Continues a loaded model to `epochs` epochs in all, bit for bit as if never interrupted. */
SCDC_API SCDC_MUST_CHECK int scdc_fit_resume(scdc_model *model, const scdc_data *data,
                                             const scdc_crowd *crowd, size_t epochs,
                                             scdc_progress_fn progress, void *user);
SCDC_API void scdc_model_free(scdc_model *model);
/* Threads a model works with from now on; 0 = all cores. Never changes a result. */
SCDC_API SCDC_MUST_CHECK int scdc_model_set_threads(scdc_model *model, int threads);
SCDC_API SCDC_MUST_CHECK int scdc_model_save(const scdc_model *model, const char *path);
SCDC_API SCDC_MUST_CHECK int scdc_model_load(scdc_model **out, const char *path);

typedef struct scdc_model_info {
    scdc_model_kind kind;
    size_t components, clusters, live_components, latent, workers;
    size_t cols, channels, height, width;
    scdc_likelihood likelihood;
    size_t epochs_done;
    size_t items, answers; /* it was fitted on */
    int finished;          /* 0: stopped before its last epoch */
    int judged;            /* 1: clusters were learned from the answers (scdc_clusters_from) */
    size_t annotated;      /* items with answers, in the default recipe */
    size_t taught_by;      /* of these, with the most answers, taught the classifier; 0: none */
    size_t most_classes;   /* judged: the most clusters looked for; option clusters asks for more */
    double network;        /* share of a network classifier in what is said of items; 0: none */
} scdc_model_info;
SCDC_API SCDC_MUST_CHECK int scdc_model_get_info_sized(scdc_model_info *out, size_t size,
                                                       const scdc_model *model);
#define scdc_model_get_info(out, model)                                                            \
    scdc_model_get_info_sized(out, sizeof(scdc_model_info), model)
/* The options in force: what was asked and what was chosen. Copy them with scdc_options_copy. */
SCDC_API const scdc_options *scdc_model_options(const scdc_model *model);
/* How much several starts (`restarts`) agree: the mean of the adjusted Rand index over all pairs of
 * them, on a sample of the items. NaN for a single start or a loaded model. */
SCDC_API double scdc_model_stability(const scdc_model *model);
SCDC_API const scdc_epoch *scdc_model_epochs(const scdc_model *model, size_t *count);
/* Proportion of each component after epoch number `epoch` + 1; NULL when there was none, or when
 * clusters are groups of components (the default recipe). */
SCDC_API const double *scdc_model_epoch_proportions(const scdc_model *model, size_t epoch);
/* Proportion of each component and the cluster it belongs to; either may be NULL. */
SCDC_API SCDC_MUST_CHECK int scdc_model_components(double *proportions, int64_t *clusters,
                                                   size_t room, const scdc_model *model);

/* Clusters of items. Each out pointer may be NULL. labels: N, numbers of clusters
 * (0, 1, 2, ... until <scdc/update.h> says otherwise); probability: N, of that label;
 * component: N, the most likely component; proba: N x clusters, rows sum to 1.
 * `crowd` (may be NULL) adds the answers about these items, for the items a model was fitted on. */
SCDC_API SCDC_MUST_CHECK int scdc_predict(int64_t *labels, double *probability, int64_t *component,
                                          float *proba, const scdc_model *model,
                                          const scdc_data *data, const scdc_crowd *crowd);
/* The labels of the fit itself: of the items and the answers it was made with, in the way of its
 * recipe (default: items also hear their neighbours; paper: each is placed by itself). What `scdc
 * fit` writes. Out pointers as in scdc_predict. */
SCDC_API SCDC_MUST_CHECK int scdc_model_labels(int64_t *labels, double *probability,
                                               int64_t *component, float *proba,
                                               const scdc_model *model, const scdc_data *data,
                                               const scdc_crowd *crowd);
/* As scdc_predict, and each item also hears its nearest neighbours among these items, which makes
 * labels better where there are many items at once. An item's result depends on its company. */
SCDC_API SCDC_MUST_CHECK int scdc_predict_together(int64_t *labels, double *probability,
                                                   int64_t *component, float *proba,
                                                   const scdc_model *model, const scdc_data *data,
                                                   const scdc_crowd *crowd);
/* Latent means, N x latent. */
SCDC_API SCDC_MUST_CHECK int scdc_embed(float *out, const scdc_model *model, const scdc_data *data);
/* All of these in one call that knows how long the arrays are: what is not NULL is filled, and
 * SCDC_ERR_ARGUMENT says which array is too short before any is touched. */
typedef struct scdc_placement {
    size_t size;
    size_t rows;     /* items the arrays have room for */
    int64_t *labels; /* [rows] */
    double *probability;
    int64_t *component;
    float *proba;            /* [rows x clusters], filled without gaps */
    size_t clusters;         /* room for them in a row of proba */
    float *means;            /* [rows x latent], filled without gaps */
    size_t latent;           /* room for them in a row of means */
    const scdc_crowd *crowd; /* answers about these items; NULL: none */
    int together;            /* 1: as scdc_predict_together */
    int of_fit;              /* 1: as scdc_model_labels */
} scdc_placement;
SCDC_API void scdc_placement_init_sized(scdc_placement *placement, size_t size);
#define scdc_placement_init(placement) scdc_placement_init_sized(placement, sizeof(scdc_placement))
SCDC_API SCDC_MUST_CHECK int scdc_place(const scdc_placement *out, const scdc_model *model,
                                        const scdc_data *data);
/* `count` generated items per cluster (components = 0) or per component (components = 1):
 * out is groups x count x D, the decoder's mean; room: of so many values. */
SCDC_API SCDC_MUST_CHECK int scdc_sample(float *out, size_t room, const scdc_model *model,
                                         int components, size_t count, uint64_t seed);

typedef struct scdc_worker {
    const char *name; /* owned by the model */
    size_t answers;
    double sensitivity, specificity;          /* posterior means (amortised: estimates) */
    double sensitivity_low, sensitivity_high; /* 95 % interval */
    double specificity_low, specificity_high;
    double weight; /* ln(a/(1-a)) + ln(b/(1-b)) */
} scdc_worker;
/* All workers, as many as scdc_model_info tells. */
SCDC_API SCDC_MUST_CHECK int scdc_workers_sized(scdc_worker *out, size_t size, size_t room,
                                                const scdc_model *model);
#define scdc_workers(out, room, model) scdc_workers_sized(out, sizeof(scdc_worker), room, model)

/* ---- timings -------------------------------------------------------------------------------- */
/* Where the time of fitting and predicting goes, stage by stage, for the work the calling thread
 * asks for between start (from zero) and stop. Off until started, and then free of cost. */
SCDC_API void scdc_timings_start(void);
SCDC_API void scdc_timings_stop(void);
/* Name of stage `index`, and its seconds (may be NULL) until the stop; NULL beyond the last. */
SCDC_API const char *scdc_timings_stage(size_t index, double *seconds);

/* ---- files ---------------------------------------------------------------------------------- */
/* Writes a whole file, complete or absent: under a temporary name beside it, synced, then renamed.
 * "-" is standard output; devices and pipes are written directly. */
SCDC_API SCDC_MUST_CHECK int scdc_write_file(const char *path, const void *bytes, size_t size);
/* The same for a PNG picture: pixels height x width x channels; 1 channel grey, 3 in colour. */
SCDC_API SCDC_MUST_CHECK int scdc_write_png(const char *path, const uint8_t *pixels,
                                            size_t channels, size_t height, size_t width);

/* A PNG picture of items the model makes up: a column of `count` for each cluster (components = 0)
 * or component (components = 1), the brighter the larger its proportion. SCDC_ERR_ARGUMENT when the
 * items are no images of one or three channels. */
SCDC_API SCDC_MUST_CHECK int scdc_write_samples(const char *path, const scdc_model *model,
                                                int components, size_t count, uint64_t seed);

/* item,cluster,probability,component csv of `count` items (item = number, or name when `items` has
 * names), from what scdc_predict gave. */
SCDC_API SCDC_MUST_CHECK int scdc_write_predictions(const char *path,
                                                    const scdc_data *items /* may be NULL */,
                                                    const int64_t *labels,
                                                    const double *probability,
                                                    const int64_t *component, size_t count);
/* The fields of scdc_worker as csv, a row per worker. */
SCDC_API SCDC_MUST_CHECK int scdc_write_workers_sized(const char *path, const scdc_worker *workers,
                                                      size_t size, size_t count);
#define scdc_write_workers(path, workers, count)                                                   \
    scdc_write_workers_sized(path, workers, sizeof(scdc_worker), count)

#ifdef __cplusplus
}
#endif

#endif
