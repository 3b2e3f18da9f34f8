/* Another library's convolution, to compare with: oneDNN where the build found it. */
#ifndef SCDC_BENCH_CONV_PEER_H
#define SCDC_BENCH_CONV_PEER_H

#include "kernels/conv.h"

typedef struct conv_peer conv_peer;

const char *conv_peer_name(void); /* NULL: there is none, and the others do nothing */
/* Lives until the program ends. back: with the gradient by the input. */
conv_peer *conv_peer_create(const conv_shape *s, size_t images, bool back);
void conv_peer_forward(conv_peer *p);
void conv_peer_backward(conv_peer *p);

#endif
