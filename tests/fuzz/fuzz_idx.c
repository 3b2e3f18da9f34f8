/* Items from IDX and CIFAR-10, plain and gzipped. */
#include "fuzz/items.h"
#include "support/npy.h"

#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_items(bytes, size, "fuzz.bin");
    return 0;
}

static size_t zip(uint8_t *out, size_t used, const uint8_t *bytes, size_t size)
{
    z_stream stream = {0};
    uint8_t copy[4096];
    memcpy(copy, bytes, size);
    if (deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = copy;
    stream.avail_in = (uInt)size;
    stream.next_out = out + used;
    stream.avail_out = (uInt)(FUZZ_ROOM - used);
    deflate(&stream, Z_FINISH);
    used += stream.total_out;
    deflateEnd(&stream);
    return used;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const double zeros[32];
    static const uint32_t shape[] = {4, 3, 2, 1};
    uint8_t plain[4096] = {0};
    size_t size;
    switch (number) {
    case 0: return compose_idx(out, 8, 3, shape, zeros, 24);
    case 1: return compose_idx(out, 12, 2, shape, zeros, 48);
    case 2: return compose_idx(out, 13, 1, shape, zeros, 16);
    case 3: return compose_idx(out, 14, 4, shape, zeros, 192);
    case 4: size = compose_idx(plain, 8, 3, shape, zeros, 24); return zip(out, 0, plain, size);
    case 5: /* two members */
        size = compose_idx(plain, 8, 3, shape, zeros, 24);
        return zip(out, zip(out, 0, plain, 10), plain + 10, size - 10);
    case 6: memset(out, 7, 2 * CIFAR_RECORD); return 2 * CIFAR_RECORD;
    case 7: memset(plain, 3, CIFAR_RECORD); return zip(out, 0, plain, CIFAR_RECORD);
    default: return 0;
    }
}
