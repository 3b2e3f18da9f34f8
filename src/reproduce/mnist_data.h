/* MNIST and the real answers about it, whole or a small part of both. */
#ifndef SCDC_REPRODUCE_MNIST_DATA_H
#define SCDC_REPRODUCE_MNIST_DATA_H

#include <scdc/scdc.h>

typedef struct mnist_data {
    scdc_data *images, *test;
    scdc_labels *truth, *test_truth;
    scdc_crowd *crowd;
} mnist_data;

/* folder: with the data sets, as place_of takes it. */
int mnist_open(mnist_data *out, const char *folder);
void mnist_close(mnist_data *m); /* safe on a zeroed struct */

/* Makes it small: so many of the annotated images with the answers between them, so many of the
 * test images. */
int mnist_shrink(mnist_data *m, size_t images, size_t test);

#endif
