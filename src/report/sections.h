/* The sections of a report, in their order. Each writes what there is to say and, where something
 * is missing, that it is missing. */
#ifndef SCDC_REPORT_SECTIONS_H
#define SCDC_REPORT_SECTIONS_H

#include "report/view.h"

#include <stdio.h>

void section_lead(FILE *out, const report_view *view);
int section_clusters(FILE *out, const report_view *view);
int section_changes(FILE *out, const report_view *view);
int section_outlook(FILE *out, const report_view *view);
int section_truth(FILE *out, const report_view *view);
int section_latent(FILE *out, const report_view *view);
int section_workers(FILE *out, const report_view *view);
int section_answers(FILE *out, const report_view *view);
int section_training(FILE *out, const report_view *view);
int section_origin(FILE *out, const report_view *view);

/* The name of an item, or "item 17" written into `buffer`. */
const char *item_name(char buffer[32], const report_view *view, size_t item);

#endif
