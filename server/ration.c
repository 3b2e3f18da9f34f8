/* Buckets. */
#include "ration.h"

static const double ADDRESS_MOST = 120, ADDRESS_RATE = 2;

bool bucket_take(double *left, int64_t *filled, double most, double rate, int64_t now)
{
    if (!*filled) {
        *left = most;
    } else if (now > *filled) {
        *left += rate * (double)(now - *filled) / 1000;
        if (*left > most) *left = most;
    }
    *filled = now ? now : 1;
    if (*left < 1) return false;
    *left -= 1;
    return true;
}

bool address_allowed(address_limits *l, uint64_t address, int64_t now)
{
    uint64_t h = address * 0x9e3779b97f4a7c15u;
    pthread_mutex_lock(&l->lock);
    size_t at = (size_t)(h >> 40) % ADDRESS_BUCKETS;
    bool allowed =
        bucket_take(&l->buckets[at].left, &l->buckets[at].filled, ADDRESS_MOST, ADDRESS_RATE, now);
    pthread_mutex_unlock(&l->lock);
    return allowed;
}
