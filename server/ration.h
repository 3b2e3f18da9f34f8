/* How often somebody may ask: buckets that fill with time. */
#ifndef SCDC_SERVER_RATION_H
#define SCDC_SERVER_RATION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Takes one from a bucket of `most` that gains `rate` a second. False when it is empty. */
bool bucket_take(double *left, int64_t *filled, double most, double rate, int64_t now);

enum { ADDRESS_BUCKETS = 4096 };

/* For callers without a good token. Addresses share buckets by chance: the table never grows. */
typedef struct address_limits {
    pthread_mutex_t lock;
    struct {
        double left;
        int64_t filled;
    } buckets[ADDRESS_BUCKETS];
} address_limits;

bool address_allowed(address_limits *l, uint64_t address, int64_t now);

#endif
