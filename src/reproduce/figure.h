/* A figure of an experiment: a file beside result.md, complete or absent, that the page shows. */
#ifndef SCDC_REPRODUCE_FIGURE_H
#define SCDC_REPRODUCE_FIGURE_H

#include "io/writer.h"
#include "reproduce/session.h"

typedef struct figure {
    writer out; /* draw into out.stream */
    const char *file, *title;
} figure;

int figure_begin(figure *f, const session *s, const char *file, const char *title);
int figure_end(figure *f, result *page);

#endif
