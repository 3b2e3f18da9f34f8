/* Class labels as groupings. A worker who gave classes to items has sorted them into groups; as
 * one grouping that would be pairs without end, so it is cut into tasks of a bounded size. Every
 * task begins with one item of each class the worker has used so far, so that the groups of two
 * tasks of a worker are known to be the same ones. */
#ifndef SCDC_EXCHANGE_CLASS_TASKS_H
#define SCDC_EXCHANGE_CLASS_TASKS_H

#include "exchange/rows.h"

typedef struct class_row {
    uint32_t row, task;
} class_row;

typedef struct class_tasks {
    class_row *list; /* in the order they are written: by worker, then by time of arrival */
    size_t count, capacity, tasks;
} class_tasks;

int class_tasks_make(class_tasks *out, const rows *r, size_t task_items);
void class_tasks_free(class_tasks *tasks);

#endif
