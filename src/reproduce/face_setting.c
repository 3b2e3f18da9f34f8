/* Faces and simulated answers. */
#include "reproduce/face_setting.h"

#include "base/status.h"
#include "reproduce/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double face_quality[FACE_WORKERS] = {.95, .9, .85, .8, .75};
const size_t face_answers[FACE_STEPS] = {200, 500, 1000, 1500, 2000};

static int open_poses(scdc_labels **out, const char *data, const scdc_data *images)
{
    char *index = NULL, *column = NULL;
    SCDC_TRY(place_of(&index, data, "faces", "index.csv"));
    int status = asprintf(&column, "%s:pose", index) < 0 ? fail_memory(strlen(index), "a path")
                                                         : scdc_labels_open(out, column, images);
    free(column);
    free(index);
    return status;
}

int faces_open(faces *out, const char *data)
{
    faces f = {0};
    char *folder = NULL;
    scdc_data *images = NULL;
    SCDC_TRY(place_of(&folder, data, "faces", "faces_4"));
    int status = scdc_data_open(&images, folder);
    if (status == SCDC_OK) status = open_poses(&f.poses, data, images);
    if (status == SCDC_OK) status = scdc_data_pca(&f.items, images, FACE_COMPONENTS);
    scdc_data_free(images);
    free(folder);
    if (status == SCDC_OK) {
        *out = f;
    } else {
        faces_close(&f);
    }
    return status;
}

void faces_close(faces *f)
{
    scdc_data_free(f->items);
    scdc_labels_free(f->poses);
    *f = (faces){0};
}

int faces_ask(scdc_crowd **out, const faces *f, size_t each, size_t annotated, uint64_t seed)
{
    scdc_simulation s;
    scdc_simulation_init(&s);
    s.workers = FACE_WORKERS;
    s.sensitivity = s.specificity = face_quality;
    s.n_sensitivity = s.n_specificity = FACE_WORKERS;
    s.pairs = each * FACE_WORKERS;
    s.items = annotated;
    s.scheme = SCDC_SCHEME_BALANCED;
    s.seed = seed;
    return scdc_simulate_answers(out, f->poses, &s);
}
