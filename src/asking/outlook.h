/* The inside of scdc_outlook, and the two ways to one. */
#ifndef SCDC_ASKING_OUTLOOK_H
#define SCDC_ASKING_OUTLOOK_H

#include "asking/asking.h"
#include "crowd/two_coin.h"

struct scdc_outlook {
    scdc_outlook_info info;
    scdc_plan_point *points;
    size_t n_points;
    char sentence[400];
    arena memory;
};

enum { MOST_POINTS = 32 };

/* From a fit: what the answers so far tell. */
int plan_from_run(scdc_outlook *out, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd, const scdc_plan_options *o);
/* From nothing: by simulated workers on the items' own blocks. */
int plan_from_nothing(scdc_outlook *out, const scdc_data *data, const scdc_plan_options *o);

void outlook_add(scdc_outlook *out, scdc_plan_point point);
/* The number of the sampled partition that is nearest to all others. */
size_t partitions_medoid(const partitions *p);
/* Accuracy of one partition, were each of the samples the truth. */
int accuracy_of(scdc_plan_point *out, const uint16_t *group, const partitions *p, const blocks *b,
                double confidence);

/* Accuracy of the model's labels, judged by all answers. */
int judge_labels(scdc_plan_point *out, const looked_at *items, const scdc_crowd *crowd,
                 const coins *of_worker, const scdc_plan_options *o);

/* Counts of each worker's answers that no label judged, in `memory`; NULL: nothing is known. */
int workers_measured(two_coin_counts **out, const scdc_crowd *crowd, const uint32_t *of_task,
                     arena *memory);

int stop_ratio(double *out, const blocks *b, const uint16_t *group, double margin);
double stop_threshold(size_t alternatives, size_t answers, double delta);

#endif
