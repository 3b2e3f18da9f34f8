/* The paper's setting on faces: items, poses, and answers of five unlike workers. Shared by the
 * experiment and the benchmark of the methods compared with. */
#ifndef SCDC_REPRODUCE_FACE_SETTING_H
#define SCDC_REPRODUCE_FACE_SETTING_H

#include <scdc/scdc.h>

enum { FACE_COMPONENTS = 20, FACE_POSES = 4, FACE_WORKERS = 5, FACE_STEPS = 5, FACE_FEW = 100 };
/* Sensitivity and specificity of each worker. */
extern const double face_quality[FACE_WORKERS];
/* Answers of each worker. */
extern const size_t face_answers[FACE_STEPS];

typedef struct faces {
    scdc_data *items; /* principal components of the images */
    scdc_labels *poses;
} faces;

/* data: the folder with the data sets, as place_of takes it. */
int faces_open(faces *out, const char *data);
void faces_close(faces *f); /* safe on a zeroed struct */
/* `each` answers of every worker, as many about truly same as about truly different pairs, about
 * `annotated` items (0: all). */
int faces_ask(scdc_crowd **out, const faces *f, size_t each, size_t annotated, uint64_t seed);

#endif
