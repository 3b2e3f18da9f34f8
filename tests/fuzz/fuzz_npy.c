/* Items from .npy. */
#include "fuzz/items.h"
#include "support/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_items(bytes, size, "fuzz.npy");
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const double zeros[32];
    switch (number) {
    case 0: return compose_npy(out, "<f8", 0, "(4, 3)", zeros, 96);
    case 1: return compose_npy(out, ">f4", 1, "(4, 3)", zeros, 48);
    case 2: return compose_npy(out, "|u1", 0, "(2, 3, 4)", zeros, 24);
    case 3: return compose_npy(out, "<i8", 1, "(2, 3, 2, 2)", zeros, 192);
    case 4: return compose_npy(out, ">i4", 0, "(7,)", zeros, 28);
    case 5: return compose_npy(out, "|b1", 0, "()", zeros, 1);
    case 6: { /* version 2.0 has a longer length field */
        size_t size = compose_npy(out, "<f4", 0, "(3, 2)", zeros, 24);
        memmove(out + 12, out + 10, size - 10);
        out[6] = 2;
        out[10] = out[11] = 0;
        return size + 2;
    }
    default: return 0;
    }
}
