/* The learning curve of a plan as a chart: what was reached, and what is expected. */
#ifndef SCDC_REPORT_PLAN_CHART_H
#define SCDC_REPORT_PLAN_CHART_H

#include <scdc/asking.h>
#include <stdbool.h>
#include <stdio.h>

int plan_chart(FILE *out, const scdc_outlook *outlook, bool standalone);

#endif
