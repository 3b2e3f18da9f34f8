/* The lessons of a pupil, one part after the other: by the fit's labels, by answers alone, by its
 * own labels. */
#ifndef SCDC_MODEL_SCHOOL_H
#define SCDC_MODEL_SCHOOL_H

#include "model/pupil/teach.h"

typedef struct school {
    scdc_model *model;
    const scdc_data *data;
    const scdc_crowd *crowd;
    lesson_items items;
    double (*coins)[2]; /* [workers] that answers teach with */
    lesson_answers answers;
    lesson_plan plan;
    bool mirrored;      /* views, too */
    size_t alone, next; /* epochs of answers alone; the next one of all */
    arena memory;
} school;

/* Model, data and crowd are set. */
int school_open(school *s);
void school_close(school *s);
/* All lessons of the model's pupil, which has the only word on items alone. One that leads has only
 * the last part. */
int school_run(school *s);

#endif
