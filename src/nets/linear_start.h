/* First weights with which a net of dense rectified layers computes a linear map exactly: units in
 * mirrored pairs, max(0, u) - max(0, -u) = u ("looks linear", Balduzzi et al. 2017). The net learns
 * to bend from there. */
#ifndef SCDC_NETS_LINEAR_START_H
#define SCDC_NETS_LINEAR_START_H

#include "nets/net.h"

/* `count` random orthonormal rows of n >= count values, from stream `number`. */
void orthonormal_rows(double *rows, size_t count, size_t n, uint64_t seed, uint64_t number);

/* After net_init. The first `outputs` outputs become in * map, map [in size][outputs]; the others
 * begin as their biases, constant. Every hidden layer needs 2 min(in size, outputs) units. Layers
 * take the stream numbers from *number on. */
int net_start_linear(net *n, const double *map, size_t outputs, uint64_t seed, uint64_t *number);

#endif
