/* Made-up workers who answer while somebody watches. */
#ifndef SCDC_SERVER_DEMO_H
#define SCDC_SERVER_DEMO_H

#include "api.h"

typedef struct demo demo;

/* `truth` is a file of labels, one per item. */
int demo_start(demo **out, app *a, size_t workers, const char *truth);
void demo_stop(demo *d);

#endif
