/* The methods and settings of the face experiment, and its charts. */
#ifndef SCDC_REPRODUCE_FACE_FIGURES_H
#define SCDC_REPRODUCE_FACE_FIGURES_H

#include "reproduce/face_setting.h"
#include "reproduce/session.h"

enum { FACE_METHODS = 9, FACE_OURS = 3 /* the first ones */, FACE_GROUPS = 2 };
typedef struct face_method {
    const char *method, *recipe, *title, *paper;
} face_method;
extern const face_method face_methods[FACE_METHODS];
extern const char *const face_groups[FACE_GROUPS]; /* which items have answers */

size_t face_steps(const session *s);
/* A run of method m with answers about `group`, step `step` of face_answers. */
run_key face_key(size_t method, size_t group, size_t step, uint64_t seed);
double face_true_weight(size_t worker);
/* As the runs with the most answers estimate it. */
stats face_weight(const session *s, size_t method, size_t group, size_t worker);

/* NMI by answers, and weights of workers: SVG files in the session's folder. */
int face_draw(result *out, const session *s);

#endif
