/* MNIST and CIFAR-10 with answers of people about them, whole or a small part of both. */
#ifndef SCDC_REPRODUCE_IMAGE_SET_H
#define SCDC_REPRODUCE_IMAGE_SET_H

#include <scdc/scdc.h>

typedef struct image_set {
    scdc_data *images, *test;
    scdc_labels *truth, *test_truth;
    scdc_crowd *crowd;
} image_set;

/* folder: with the data sets, as place_of takes it. */
int mnist_open(image_set *out, const char *folder);
/* As many of the five batches as there are, one after the other, and of the test images; answers
 * about items that are not there are left out. */
int cifar10_open(image_set *out, const char *folder);
void image_set_close(image_set *m); /* safe on a zeroed struct */

/* Makes it small: so many of the annotated images with the answers between them, so many of the
 * test images. */
int image_set_shrink(image_set *m, size_t images, size_t test);

#endif
