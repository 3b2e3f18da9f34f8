/* Random numbers for choosing tasks: from a seed and the task's number, so that a restart does not
 * repeat what was asked. */
#ifndef SCDC_SERVER_DRAW_H
#define SCDC_SERVER_DRAW_H

#include <stddef.h>
#include <stdint.h>

typedef struct draw {
    uint64_t state;
} draw;

static inline uint64_t draw_bits(draw *d)
{
    uint64_t x = d->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline draw draw_start(uint64_t seed, uint64_t number)
{
    draw d = {seed * 0xd1342543de82ef95u + number};
    draw_bits(&d);
    return d;
}

static inline double draw_unit(draw *d)
{
    return (double)(draw_bits(d) >> 11) * 0x1p-53;
}

/* 0 to count - 1. */
static inline size_t draw_below(draw *d, size_t count)
{
    return (size_t)(draw_unit(d) * (double)count);
}

#endif
