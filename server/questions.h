/* The questions that scdc suggest chose, best first, from the files it wrote. */
#ifndef SCDC_SERVER_QUESTIONS_H
#define SCDC_SERVER_QUESTIONS_H

#include "board.h"
#include "items.h"

typedef struct question {
    uint32_t items[LARGEST_SET];
    uint32_t count;
    char *worker; /* whom it was chosen for; "": anybody */
    double gain;  /* share of the items whose company its answer is expected to settle */
    const char *reason;
} question;

typedef struct questions {
    question *list;
    size_t count, next; /* next: the first that was not taken yet */
} questions;

/* Adds the questions of a file of `scdc suggest`. What is not understood is left out: there is
 * another way to choose. */
void questions_read(questions *q, const item_set *it, const char *path);
/* The best of all files first, then the second of each, and so on. */
void questions_mix(questions *q);
void questions_free(questions *q);

#endif
