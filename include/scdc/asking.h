/* scdc: what to ask next, and whether to go on asking. The rules of <scdc/scdc.h> hold here, too.
 * How it works, with figures: docs/asking.md. */
#ifndef SCDC_ASKING_H
#define SCDC_ASKING_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the next questions --------------------------------------------------------------------- */

typedef enum scdc_question_kind {
    SCDC_QUESTION_PAIR = 0, /* are these two of one kind? */
    SCDC_QUESTION_SET       /* sort these items into piles */
} scdc_question_kind;

typedef struct scdc_suggest_options {
    size_t size;
    size_t count; /* questions wanted; 20 */
    scdc_question_kind kind;
    size_t set_size;    /* items of a set, 2 to 100; 8 */
    const char *worker; /* who will answer; NULL: a typical worker. A name that the model does not
                           know is a worker like any other of the crowd */
    uint64_t seed;
    int threads; /* 0 = all cores */
} scdc_suggest_options;
SCDC_API void scdc_suggest_options_init_sized(scdc_suggest_options *options, size_t size);
#define scdc_suggest_options_init(options)                                                         \
    scdc_suggest_options_init_sized(options, sizeof(scdc_suggest_options))

typedef struct scdc_question {
    scdc_question_kind kind;
    size_t count;          /* items */
    const uint32_t *items; /* their numbers; owned by the suggestions */
    const char *worker;    /* who should answer, or NULL: anybody */
    double gain;           /* share of the items whose company the answer is expected to settle */
    const char *reason;    /* static text: "spread", "groups", "doubtful",
                              "place", "check", "again" */
} scdc_question;

typedef struct scdc_suggestions scdc_suggestions;

/* Chooses questions whose answers are expected to tell most about the clusters of all items, best
 * first; a batch covers different doubts. `model` may be NULL: then from the items alone, and
 * `crowd` (the answers so far; may be NULL). Fewer questions than wanted come back when there are
 * no more pairs of items; none for fewer than two items. `options` may be NULL. */
SCDC_API SCDC_MUST_CHECK int scdc_suggest(scdc_suggestions **out, const scdc_model *model,
                                          const scdc_data *data, const scdc_crowd *crowd,
                                          const scdc_suggest_options *options);
SCDC_API void scdc_suggestions_free(scdc_suggestions *suggestions);
SCDC_API size_t scdc_suggestions_count(const scdc_suggestions *suggestions);
/* Question `index`; SCDC_ERR_ARGUMENT beyond the last. */
SCDC_API SCDC_MUST_CHECK int scdc_suggestions_get_sized(scdc_question *out, size_t size,
                                                        const scdc_suggestions *suggestions,
                                                        size_t index);
#define scdc_suggestions_get(out, suggestions, index)                                              \
    scdc_suggestions_get_sized(out, sizeof(scdc_question), suggestions, index)

/* How suggestions are written. */
typedef struct scdc_suggest_file {
    size_t size;
    const char *format;     /* "csv" or "jsonl" */
    const scdc_data *names; /* items that have the names; NULL: numbers */
    const char *folder;     /* of files named as the items: jsonl then tells their paths; or NULL */
    const char *const *texts; /* a text per item for jsonl; NULL, or NULL for an item: none */
    size_t n_texts;
    /* In place of texts: a csv with a column text and one of id, item, name or file, or a row for
     * each item; its items are those of names. */
    const char *texts_file;
} scdc_suggest_file;
SCDC_API void scdc_suggest_file_init_sized(scdc_suggest_file *file, size_t size);
#define scdc_suggest_file_init(file) scdc_suggest_file_init_sized(file, sizeof(scdc_suggest_file))
/* csv: question,kind,items,worker,gain,reason with items separated by spaces (a blank or % inside
 * a name is written %20 or %25). jsonl: an object a line with the same fields, where an item is
 * {"item": number, "id": name} with "path" and "text" where they are known. */
SCDC_API SCDC_MUST_CHECK int scdc_suggestions_write(const char *path,
                                                    const scdc_suggestions *suggestions,
                                                    const scdc_suggest_file *file);

/* ---- when to stop --------------------------------------------------------------------------- */

typedef struct scdc_plan_options {
    size_t size;
    double accuracy;    /* share of right labels that is wanted; 0: as much as there is to get */
    double confidence;  /* of the interval; .95 */
    size_t workers;     /* without a model: how many there will be; 5 */
    double sensitivity; /* and how good they are; .85 each */
    double specificity;
    size_t clusters; /* without a model: how many kinds there may be; 0: not known */
    size_t most;     /* answers that are looked ahead; 10,000 */
    uint64_t seed;
    int threads; /* 0 = all cores */
} scdc_plan_options;
SCDC_API void scdc_plan_options_init_sized(scdc_plan_options *options, size_t size);
#define scdc_plan_options_init(options)                                                            \
    scdc_plan_options_init_sized(options, sizeof(scdc_plan_options))

/* A point of the learning curve: accuracy with so many answers, and its interval. Lies in arrays
 * and keeps its size. */
typedef struct scdc_plan_point {
    double answers; /* in all */
    double accuracy, low, high;
    int measured;    /* 1: from answers that are there; 0: expected */
    int reserved[3]; /* 0 */
} scdc_plan_point;

typedef enum scdc_advice {
    SCDC_ADVICE_GO_ON = 0,
    SCDC_ADVICE_STOP,     /* settled: no other clusters are left that the answers leave room for */
    SCDC_ADVICE_REACHED,  /* the accuracy that was asked for is there */
    SCDC_ADVICE_NO_REACH, /* it cannot be reached with as many answers as are looked ahead */
} scdc_advice;

typedef struct scdc_outlook_info {
    size_t items, answers, workers, clusters;
    double accuracy, low, high; /* expected share of right labels now, and its interval */
    double needed;              /* answers in all until the accuracy asked for; NaN: not reached, or
                                   none was asked for */
    /* The stop rule: the log likelihood ratio between these clusters and the best that differ from
     * them in more than `margin` of the items, and what it has to exceed. */
    double ratio, threshold, margin;
    scdc_advice advice;
    const char *sentence; /* the advice in words; owned by the outlook */
} scdc_outlook_info;

typedef struct scdc_outlook scdc_outlook;

/* What the answers so far have given and what more would give. Without a model (NULL) from the
 * items alone, by simulated workers. `crowd` is what the model was fitted with; `options` may be
 * NULL. */
SCDC_API SCDC_MUST_CHECK int scdc_plan(scdc_outlook **out, const scdc_model *model,
                                       const scdc_data *data, const scdc_crowd *crowd,
                                       const scdc_plan_options *options);
SCDC_API void scdc_outlook_free(scdc_outlook *outlook);
SCDC_API SCDC_MUST_CHECK int scdc_outlook_get_info_sized(scdc_outlook_info *out, size_t size,
                                                         const scdc_outlook *outlook);
#define scdc_outlook_get_info(out, outlook)                                                        \
    scdc_outlook_get_info_sized(out, sizeof(scdc_outlook_info), outlook)
/* The learning curve: `count` points, first those that are measured. Owned by the outlook. */
SCDC_API const scdc_plan_point *scdc_outlook_points(const scdc_outlook *outlook, size_t *count);
/* The curve as an SVG file. */
SCDC_API SCDC_MUST_CHECK int scdc_outlook_write_svg(const char *path, const scdc_outlook *outlook);

#ifdef __cplusplus
}
#endif

#endif
