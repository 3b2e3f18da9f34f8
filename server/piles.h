/* Answers about piles, whose values read "0 0 1 ? 2": the pile of each item, or that it was left
 * over. */
#ifndef SCDC_SERVER_PILES_H
#define SCDC_SERVER_PILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PILE_UNSURE = 255 };

void piles_read(unsigned char *out, uint32_t count, const char *value);
/* Share of the pairs of items that two answers see alike; -1 when no pair was seen by both. */
double piles_alike(const unsigned char *a, const unsigned char *b, uint32_t count);
/* Whether an answer is the right one but for one item: on the wrong pile, or left over. */
bool piles_right(const char *truth, const char *value, uint32_t count);

#endif
