/* Opening MNIST, and taking a part of it. */
#include "reproduce/mnist_data.h"

#include "base/memory.h"
#include "base/status.h"
#include "data/data.h"
#include "reproduce/places.h"

#include <stdlib.h>
#include <string.h>

static int open_images(scdc_data **out, const char *folder, const char *name)
{
    char *path = NULL;
    SCDC_TRY(place_of(&path, folder, "mnist", name));
    int status = scdc_data_open(out, path);
    free(path);
    return status;
}

static int open_classes(scdc_labels **out, const char *folder, const char *name,
                        const scdc_data *images)
{
    char *path = NULL;
    SCDC_TRY(place_of(&path, folder, "mnist", name));
    int status = scdc_labels_open(out, path, images);
    free(path);
    return status;
}

static int open_answers(scdc_crowd **out, const char *folder, const scdc_data *images)
{
    char *path = NULL;
    SCDC_TRY(place_of(&path, folder, "mnist-crowd", "pairs.npy"));
    const char *paths[] = {path};
    int status = scdc_crowd_open(out, paths, 1, images);
    free(path);
    return status;
}

int mnist_open(mnist_data *out, const char *folder)
{
    mnist_data m = {0};
    int status = open_images(&m.images, folder, "train-images-idx3-ubyte");
    if (status == SCDC_OK)
        status = open_classes(&m.truth, folder, "train-labels-idx1-ubyte", m.images);
    if (status == SCDC_OK) status = open_images(&m.test, folder, "t10k-images-idx3-ubyte");
    if (status == SCDC_OK)
        status = open_classes(&m.test_truth, folder, "t10k-labels-idx1-ubyte", m.test);
    if (status == SCDC_OK) status = open_answers(&m.crowd, folder, m.images);
    if (status == SCDC_OK) {
        *out = m;
    } else {
        mnist_close(&m);
    }
    return status;
}

void mnist_close(mnist_data *m)
{
    scdc_data_free(m->images);
    scdc_data_free(m->test);
    scdc_labels_free(m->truth);
    scdc_labels_free(m->test_truth);
    scdc_crowd_free(m->crowd);
    *m = (mnist_data){0};
}

/* ---- a part of it --------------------------------------------------------------------------- */

/* Puts the listed rows in the place of all of them. */
static int keep_rows(scdc_data **images, scdc_labels **truth, const uint32_t *rows, size_t count)
{
    scdc_data *all = *images, *part = NULL;
    scdc_labels *classes = NULL;
    unsigned char *values = NULL;
    int64_t *labels = NULL;
    int status = all->dtype == SCDC_U8 ? mem_zeroed(&values, count * all->cols, 1, "images")
                                       : fail_with(SCDC_ERR_INPUT, "the images are not of bytes");
    SCDC_TRY_OR(done, status, status);
    SCDC_TRY_OR(done, status, mem_zeroed(&labels, count, sizeof *labels, "labels"));
    for (size_t i = 0; i < count; i++) {
        memcpy(values + i * all->cols, data_row(all, rows[i]), all->cols);
        labels[i] = scdc_labels_values(*truth)[rows[i]];
    }
    SCDC_TRY_OR(done, status, scdc_data_from_memory(&part, values, SCDC_U8, count, all->cols, 1));
    SCDC_TRY_OR(done, status, scdc_data_set_shape(part, all->channels, all->height, all->width));
    SCDC_TRY_OR(done, status, scdc_labels_from_memory(&classes, labels, count));
    scdc_data_free(all);
    scdc_labels_free(*truth);
    *images = part;
    *truth = classes;
    part = NULL;
done:
    scdc_data_free(part);
    mem_free(labels);
    mem_free(values);
    return status;
}

/* Answers between kept items, by their new numbers; place[i] is that of item i plus 1, or 0. */
static int keep_answers(scdc_crowd **crowd, const uint32_t *place)
{
    size_t count, kept = 0;
    scdc_answer *answers;
    scdc_crowd *part = NULL;
    const scdc_answer *all = scdc_crowd_answers(*crowd, &count);
    SCDC_TRY(mem_zeroed(&answers, count, sizeof *answers, "answers"));
    for (size_t t = 0; t < count; t++) {
        if (!place[all[t].left] || !place[all[t].right]) continue;
        answers[kept] = all[t];
        answers[kept].left = place[all[t].left] - 1;
        answers[kept++].right = place[all[t].right] - 1;
    }
    int status = scdc_crowd_from_memory(&part, answers, kept);
    mem_free(answers);
    if (status != SCDC_OK) return status;
    scdc_crowd_free(*crowd);
    *crowd = part;
    return SCDC_OK;
}

int mnist_shrink(mnist_data *m, size_t images, size_t test)
{
    uint32_t *place, *rows = NULL;
    size_t answers, kept = 0, n = m->images->rows;
    const scdc_answer *answer = scdc_crowd_answers(m->crowd, &answers);
    if (test > m->test->rows) test = m->test->rows;
    SCDC_TRY(mem_zeroed(&place, n, sizeof *place, "items"));
    int status = mem_zeroed(&rows, images > test ? images : test, sizeof *rows, "items");
    SCDC_TRY_OR(done, status, status);
    for (size_t t = 0; t < answers; t++) place[answer[t].left] = place[answer[t].right] = 1;
    for (size_t i = 0; i < n; i++) {
        bool keep = place[i] && kept < images;
        if (keep) rows[kept++] = (uint32_t)i;
        place[i] = keep ? (uint32_t)kept : 0;
    }
    SCDC_TRY_OR(done, status, keep_answers(&m->crowd, place));
    SCDC_TRY_OR(done, status, keep_rows(&m->images, &m->truth, rows, kept));
    for (size_t i = 0; i < test; i++) rows[i] = (uint32_t)i;
    status = keep_rows(&m->test, &m->test_truth, rows, test);
done:
    mem_free(rows);
    mem_free(place);
    return status;
}
