/* Opening MNIST and CIFAR-10, and taking a part of them. */
#include "reproduce/image_set.h"

#include "base/memory.h"
#include "base/status.h"
#include "data/data.h"
#include "reproduce/places.h"

#include <scdc/update.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_images(scdc_data **out, const char *folder, const char *set, const char *name)
{
    char *path = NULL;
    SCDC_TRY(place_of(&path, folder, set, name));
    int status = scdc_data_open(out, path);
    free(path);
    return status;
}

static int open_classes(scdc_labels **out, const char *folder, const char *set, const char *name,
                        const scdc_data *images)
{
    char *path = NULL;
    SCDC_TRY(place_of(&path, folder, set, name));
    int status = scdc_labels_open(out, path, images);
    free(path);
    return status;
}

static int open_answers(scdc_crowd **out, const char *folder, const char *set, const char *name,
                        const scdc_data *images)
{
    char *path = NULL;
    SCDC_TRY(place_of(&path, folder, set, name));
    const char *paths[] = {path};
    int status = scdc_crowd_open(out, paths, 1, images);
    free(path);
    return status;
}

int mnist_open(image_set *out, const char *folder)
{
    image_set m = {0};
    int status = open_images(&m.images, folder, "mnist", "train-images-idx3-ubyte");
    if (status == SCDC_OK)
        status = open_classes(&m.truth, folder, "mnist", "train-labels-idx1-ubyte", m.images);
    if (status == SCDC_OK) status = open_images(&m.test, folder, "mnist", "t10k-images-idx3-ubyte");
    if (status == SCDC_OK)
        status = open_classes(&m.test_truth, folder, "mnist", "t10k-labels-idx1-ubyte", m.test);
    if (status == SCDC_OK)
        status = open_answers(&m.crowd, folder, "mnist-crowd", "pairs.npy", m.images);
    if (status == SCDC_OK) {
        *out = m;
    } else {
        image_set_close(&m);
    }
    return status;
}

void image_set_close(image_set *m)
{
    scdc_data_free(m->images);
    scdc_data_free(m->test);
    scdc_labels_free(m->truth);
    scdc_labels_free(m->test_truth);
    scdc_crowd_free(m->crowd);
    *m = (image_set){0};
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

int image_set_shrink(image_set *m, size_t images, size_t test)
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

/* ---- CIFAR-10 ------------------------------------------------------------------------------- */

enum { BATCHES = 5 };

typedef struct batches {
    scdc_data *images[BATCHES];
    scdc_labels *classes[BATCHES];
    size_t count;
} batches;

/* The first must be there. */
static int open_batches(batches *b, const char *folder)
{
    for (size_t i = 0; i < BATCHES; i++) {
        char name[32];
        snprintf(name, sizeof name, "data_batch_%zu.bin", i + 1);
        if (open_images(&b->images[i], folder, "cifar10", name) != SCDC_OK)
            return i ? SCDC_OK : SCDC_ERR_INPUT;
        SCDC_TRY(open_classes(&b->classes[i], folder, "cifar10", name, b->images[i]));
        b->count++;
    }
    return SCDC_OK;
}

static int join_classes(scdc_labels **out, const batches *b)
{
    size_t rows = 0, at = 0;
    int64_t *all;
    for (size_t i = 0; i < b->count; i++) rows += scdc_labels_count(b->classes[i]);
    SCDC_TRY(mem_zeroed(&all, rows, sizeof *all, "labels"));
    for (size_t i = 0; i < b->count; i++) {
        size_t count = scdc_labels_count(b->classes[i]);
        memcpy(all + at, scdc_labels_values(b->classes[i]), count * sizeof *all);
        at += count;
    }
    int status = scdc_labels_from_memory(out, all, rows);
    mem_free(all);
    return status;
}

static int join_batches(image_set *out, const char *folder)
{
    batches b = {0};
    int status = open_batches(&b, folder);
    if (status == SCDC_OK)
        status = scdc_data_join(&out->images, (const scdc_data *const *)b.images, b.count);
    if (status == SCDC_OK) status = join_classes(&out->truth, &b);
    for (size_t i = 0; i < BATCHES; i++) {
        scdc_data_free(b.images[i]);
        scdc_labels_free(b.classes[i]);
    }
    return status;
}

/* All images, or the first 2,000. */
static int open_test(image_set *out, const char *folder)
{
    const char *name = "test_batch.bin", *part = "test_batch_2000.bin";
    int status = open_images(&out->test, folder, "cifar10", name);
    if (status != SCDC_OK && open_images(&out->test, folder, "cifar10", part) == SCDC_OK) {
        name = part;
        status = SCDC_OK;
    }
    SCDC_TRY(status);
    return open_classes(&out->test_truth, folder, "cifar10", name, out->test);
}

/* Item numbers are those of all 50,000 images; some of them may not be here. */
static int keep_known(image_set *out)
{
    uint32_t *place;
    size_t count, most = out->images->rows;
    const scdc_answer *all = scdc_crowd_answers(out->crowd, &count);
    for (size_t t = 0; t < count; t++) {
        most = all[t].left >= most ? (size_t)all[t].left + 1 : most;
        most = all[t].right >= most ? (size_t)all[t].right + 1 : most;
    }
    if (most == out->images->rows) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&place, most, sizeof *place, "items"));
    for (size_t i = 0; i < out->images->rows; i++) place[i] = (uint32_t)i + 1;
    int status = keep_answers(&out->crowd, place);
    mem_free(place);
    return status;
}

int cifar10_open(image_set *out, const char *folder)
{
    image_set m = {0};
    int status = join_batches(&m, folder);
    if (status == SCDC_OK) status = open_test(&m, folder);
    if (status == SCDC_OK)
        status = open_answers(&m.crowd, folder, "cifar10-crowd", "groupings.csv", NULL);
    if (status == SCDC_OK) status = keep_known(&m);
    if (status == SCDC_OK) {
        *out = m;
    } else {
        image_set_close(&m);
    }
    return status;
}
