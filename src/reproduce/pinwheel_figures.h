/* Pictures of clustered pinwheels. */
#ifndef SCDC_REPRODUCE_PINWHEEL_FIGURES_H
#define SCDC_REPRODUCE_PINWHEEL_FIGURES_H

#include "reproduce/session.h"

enum { PINWHEEL_ANNOTATED = 100 };

/* The items, classes and answers of one seed. */
typedef struct pinwheel_case {
    scdc_data *items;
    scdc_labels *truth;
    scdc_crowd *crowd;
} pinwheel_case;
void pinwheel_case_free(pinwheel_case *c);

/* A scatter plot in colours of the labels, as a file in the session's folder; `marked` rims the
 * items that have answers. */
int pinwheel_draw(result *page, const session *s, const pinwheel_case *c, const scdc_labels *labels,
                  bool marked, const char *file, const char *title);

#endif
