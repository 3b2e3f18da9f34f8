/* What a report shows, gathered once: clusters with the items that stand for them, the drawn sample
 * of the latent space, workers with their flags, answers the clusters contradict.
 *
 * Everything is known through the public header: a report sees a model as any user does. The cost
 * does not grow with the items beyond a few passes over the labels: only a few thousand items are
 * read and placed in the latent space. */
#ifndef SCDC_REPORT_VIEW_H
#define SCDC_REPORT_VIEW_H

#include "base/memory.h"
#include "report/worker_flag.h"

#include <scdc/report.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    VIEW_SIDE = 64,        /* pixels of a picture from a folder */
    VIEW_STRIP = 8,        /* items of a strip of pictures */
    VIEW_CARDS = 40,       /* clusters shown with pictures; the largest */
    VIEW_UNSURE = 12,      /* items with the most uncertain cluster */
    VIEW_DISPUTES = 20,    /* answers shown */
    VIEW_CANDIDATES = 500, /* most certain ones they are chosen from */
    VIEW_DRAWN = 2500,     /* random items of the scatter plot */
    VIEW_ANNOTATED = 1000  /* annotated items of the scatter plot */
};

typedef struct view_cluster {
    size_t items;
    double share;      /* of the items; without labels, of the mixture */
    double confidence; /* mean probability of its items */
    size_t modes;      /* components */
    size_t n_typical, n_unsure;
    uint32_t typical[VIEW_STRIP], unsure[VIEW_STRIP]; /* items, the best example first */
} view_cluster;

/* Items that were read and placed, in increasing order. */
typedef struct view_picks {
    size_t count;
    uint32_t *item;
    bool *drawn;   /* in the scatter plot */
    float *values; /* [count][D] */
    /* Where pictures are apart: those of the picks that strips show, and where each of them is. */
    float *shown;     /* [.][channels][height][width] */
    size_t *shown_at; /* [count] */
    float *latent;    /* [count][d] */
    double *plane;    /* [count][2] latent, or its two principal directions */
} view_picks;

typedef struct view_dispute {
    uint32_t answer;  /* its number */
    double certainty; /* probability of the two clusters its items were put in */
} view_dispute;

typedef struct report_view {
    const scdc_report *in;
    scdc_model_info info;
    bool images;                    /* items can be shown as pictures */
    bool apart;                     /* which are not their values, but files of a folder */
    size_t channels, height, width; /* of a picture */
    size_t clusters, cards;
    view_cluster *cluster;
    size_t *order;       /* [clusters] the largest first */
    double *proportions; /* [components] */
    int64_t *cluster_of; /* [components] position of its cluster */
    int64_t *number;     /* [clusters] as users see them; in->labels are positions */
    double confidence;   /* mean over all items */
    size_t doubtful;     /* items below probability 0.6 */
    uint32_t unsure[VIEW_UNSURE];
    size_t n_unsure;
    bool *annotated; /* [items] or NULL */
    size_t n_annotated;
    view_picks picks;
    scdc_worker *workers;
    worker_flag *flags;                    /* [info.workers] */
    view_dispute dispute[VIEW_CANDIDATES]; /* the first n_disputes are shown */
    size_t n_disputes, contradicted;       /* shown; in all */
    size_t asked[2], agreed[2]; /* answers about pairs put apart, together; as the clusters */
    size_t answers;
    arena memory;
} report_view;

int view_create(report_view *out, const scdc_report *report);
void view_free(report_view *view);

/* view_picks.c: chooses, reads and places items, and finds the typical ones of each cluster. */
int view_pick(report_view *view);
/* The picture of a pick: channels x height x width values. */
const float *view_picture(const report_view *view, size_t pick);
/* Where an item is among the picks; false when it was not read. */
bool view_find(size_t *pick, const report_view *view, uint32_t item);

#endif
