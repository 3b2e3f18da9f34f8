/* The charts of a report: drawn into the page, or as files of their own. */
#ifndef SCDC_REPORT_FIGURES_H
#define SCDC_REPORT_FIGURES_H

#include "report/view.h"

#include <stdio.h>

typedef enum figure_kind {
    FIGURE_BOUND,
    FIGURE_TERMS,
    FIGURE_CLUSTERS,
    FIGURE_SECONDS,
    FIGURE_LATENT,
    FIGURE_WORKERS,
    FIGURE_WEIGHTS,
    FIGURE_OUTLOOK,
    FIGURES
} figure_kind;

/* "bound", for bound.svg. */
const char *figure_name(figure_kind kind);
/* Whether there is something to draw. */
bool figure_there(figure_kind kind, const report_view *view);
int figure_draw(FILE *out, figure_kind kind, const report_view *view, bool standalone);

/* The colour of a flag, for charts and their keys. */
size_t figure_flag_colour(worker_flag flag);

#endif
