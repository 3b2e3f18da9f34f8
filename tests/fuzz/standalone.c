/* Runs a harness without libFuzzer: first its seeds, then random mutations of them with a fixed
 * seed until the time is over. Usage: harness SECONDS, or harness FILE... to try single inputs. */
#include "fuzz/fuzz.h"

#include "base/clock.h"

#include <stdio.h>

enum { MOST_SEEDS = 64 };

static uint8_t *seeds[MOST_SEEDS];
static size_t sizes[MOST_SEEDS], n_seeds;

static uint64_t state = 0x9e3779b97f4a7c15u;
static size_t below(size_t n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return n ? (size_t)((state >> 11) % n) : 0;
}

static void run_exact(const uint8_t *bytes, size_t size)
{
    /* A copy of exactly this size, so that the sanitizer sees any byte read behind it. */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t mutate_once(uint8_t *b, size_t size)
{
    static const uint32_t odd[] = {0, 1, 127, 128, 255, 256, 32767, 65535, 0x7fffffff, 0xffffffff};
    static const char texts[] = "0123456789.-+eE,;\t\n\r\"'(){}[]: \0naninfL";
    size_t at = below(size), run = 1 + below(8);
    switch (below(9)) {
    case 0: b[at] ^= (uint8_t)(1 << below(8)); break;
    case 1: b[at] = (uint8_t)below(256); break;
    case 2: b[at] = (uint8_t)texts[below(sizeof texts - 1)]; break;
    case 3: return below(size) + 1; /* cut */
    case 4:                         /* delete a run */
        if (run >= size - at) break;
        memmove(b + at, b + at + run, size - at - run);
        return size - run;
    case 5: /* repeat a run */
        if (size + run > FUZZ_ROOM || run > size - at) break;
        memmove(b + at + run, b + at, size - at);
        return size + run;
    case 6: { /* a 32-bit number in either byte order */
        uint32_t value = odd[below(sizeof odd / sizeof *odd)];
        int big = (int)below(2);
        for (size_t i = 0; i < 4 && at + i < size; i++) {
            b[at + i] = (uint8_t)(value >> 8 * (big ? 3 - i : i));
        }
        break;
    }
    case 7: { /* overwrite with a run of another seed */
        size_t other = below(n_seeds), from = below(sizes[other]);
        for (size_t i = 0; i < run * 4 && at + i < size && from + i < sizes[other]; i++) {
            b[at + i] = seeds[other][from + i];
        }
        break;
    }
    default: /* insert a character */
        if (size == FUZZ_ROOM) break;
        memmove(b + at + 1, b + at, size - at);
        b[at] = (uint8_t)texts[below(sizeof texts - 1)];
        return size + 1;
    }
    return size;
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 24);
    if (!file || !bytes) {
        perror(path);
        return 1;
    }
    size_t size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    run_exact(bytes, size);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t *work = malloc(FUZZ_ROOM);
    if (!work) return 1;
    for (; n_seeds < MOST_SEEDS && (sizes[n_seeds] = fuzz_seed(n_seeds, work)); n_seeds++) {
        seeds[n_seeds] = malloc(sizes[n_seeds]);
        if (!seeds[n_seeds]) return 1;
        memcpy(seeds[n_seeds], work, sizes[n_seeds]);
    }
    char *end = NULL;
    double seconds = argc == 2 ? strtod(argv[1], &end) : 0;
    int failed = 0;
    if (argc != 2 || *end) {
        for (int i = 1; i < argc; i++) failed |= run_file(argv[i]);
    } else {
        size_t runs = 0;
        run_exact(work, 0);
        for (size_t i = 0; i < n_seeds; i++) run_exact(seeds[i], sizes[i]);
        for (double stop = seconds_now() + seconds; seconds_now() < stop; runs++) {
            size_t seed = below(n_seeds), size = sizes[seed];
            memcpy(work, seeds[seed], size);
            for (size_t i = 1 + below(6); i > 0 && size > 0; i--) size = mutate_once(work, size);
            run_exact(work, size);
        }
        printf("%zu seeds, %zu mutations\n", n_seeds, runs);
    }
    for (size_t i = 0; i < n_seeds; i++) free(seeds[i]);
    free(work);
    return failed;
}
