/* What a fuzz harness is made of. A harness defines both functions below; it is linked with
 * standalone.c (seeds and random mutations for a few seconds, any compiler) or with libFuzzer. */
#ifndef SCDC_TESTS_FUZZ_H
#define SCDC_TESTS_FUZZ_H

#include <scdc/scdc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One input. Must survive anything; breaks on a violated promise. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Writes valid input `number` into out (FUZZ_ROOM bytes) and returns its size; 0 = no more. */
size_t fuzz_seed(size_t number, uint8_t *out);
enum { FUZZ_ROOM = 1 << 16 };

/* A promise of the library. */
#define PROMISE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

static inline size_t fuzz_text(uint8_t *out, const char *text)
{
    memcpy(out, text, strlen(text));
    return strlen(text);
}

#endif
