/* The pupil: a network q(c | o) that places items into clusters, taught by the fit's own labels and
 * then by its own on views of the items (teach.h). Knows items and clusters, nothing of workers or
 * components. */
#ifndef SCDC_MODEL_PUPIL_H
#define SCDC_MODEL_PUPIL_H

#include "model/core.h"
#include "nets/words.h"

enum { PUPIL_ROWS = 128, PUPIL_PLACED = 32, PUPIL_WORDS = 128 };

typedef struct pupil {
    char words[PUPIL_WORDS]; /* its layers (nets/words.h) */
    shape in;
    size_t classes;
    size_t rows; /* at a time, at most */
    net net;
    param_block block;
    real *o; /* [rows][D] pixel by pixel */
    /* What it says of the items of the fit [items][C], and their checksum; NULL: not known. */
    float *word;
    size_t items;
    uint32_t data;
    arena memory;
} pupil;

/* With room for at most `rows` items at a time; fewer where items are so large that their
 * activations would take up the memory. */
int pupil_create(pupil *out, const char *words, shape in, size_t classes, size_t rows);
void pupil_free(pupil *f);
/* A second one that reads the parameters of `owner` and has a workspace of its own. */
int pupil_reader(pupil *out, const pupil *owner);
/* Whether the reader reads this owner's parameters. */
bool pupil_reads(const pupil *reader, const pupil *owner);
/* What it knows, for saving. */
tensor_ref pupil_tensor(pupil *f);

/* p [rows][C] of inputs o [rows][D], as they are. */
void pupil_place(double *p, pupil *f, const real *o, size_t rows);

#endif
