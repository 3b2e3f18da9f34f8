/* Items and answers for benchmarks of whole fits. */
#include "items.h"

#include "base/rng.h"
#include "bench.h"

#include <string.h>
#include <unistd.h>

enum { PATTERNS = 10, DIMS = 784, ALL_ITEMS = 60000, ALL_ANSWERS = 57330, WORKERS = 48 };
enum { ANNOTATED = 3000 };

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (block) return block;
    fprintf(stderr, "benchmark: out of memory\n");
    exit(EXIT_FAILURE);
}

uint8_t *bench_made_up(size_t rows, size_t cols)
{
    uint8_t *values = allocate(rows, cols), *pattern = allocate(PATTERNS, cols);
    rng r;
    rng_init(&r, 1, RNG_TEST, 0, 0);
    for (size_t i = 0; i < PATTERNS * cols; i++) pattern[i] = rng_uniform(&r) < 0.2 ? 217 : 8;
    for (size_t i = 0; i < rows; i++) {
        const uint8_t *p = pattern + i % PATTERNS * cols;
        uint64_t bits = rng_u64(&r);
        for (size_t c = 0; c < cols; c++) {
            /* Cheap noise: a million items are to be made in a moment. */
            bits = bits * 6364136223846793005u + 1442695040888963407u;
            uint8_t noise = (uint8_t)(bits >> 59);
            values[i * cols + c] = (uint8_t)(p[c] + noise);
        }
    }
    free(pattern);
    return values;
}

scdc_crowd *bench_made_up_answers(size_t count, size_t annotated, size_t workers)
{
    scdc_answer *answers = allocate(count, sizeof *answers);
    scdc_crowd *crowd;
    rng r;
    rng_init(&r, 2, RNG_TEST, 0, 0);
    for (size_t a = 0; a < count; a++) {
        uint32_t left = (uint32_t)rng_below(&r, annotated);
        uint32_t right = (left + 1 + (uint32_t)rng_below(&r, annotated - 1)) % (uint32_t)annotated;
        bool same = left % PATTERNS == right % PATTERNS, wrong = rng_uniform(&r) < 0.2;
        answers[a] =
            (scdc_answer){left, right, (uint32_t)(a % workers), SCDC_NO_TASK, same != wrong};
    }
    bench_need(scdc_crowd_from_memory(&crowd, answers, count));
    free(answers);
    return crowd;
}

static bool shared_file(char *out, size_t room, const char *name)
{
    const char *root = getenv("SCDC_SHARED");
    snprintf(out, room, "%s/data/%s", root ? root : "../shared", name);
    return access(out, R_OK) == 0;
}

static void made_up_mnist(bench_items *out, size_t most)
{
    size_t rows = most < ALL_ITEMS ? most : ALL_ITEMS;
    size_t annotated = rows < ANNOTATED ? rows : ANNOTATED;
    uint8_t *values = bench_made_up(rows, DIMS);
    bench_need(scdc_data_from_memory(&out->data, values, SCDC_U8, rows, DIMS, 1));
    free(values);
    out->crowd = bench_made_up_answers(ALL_ANSWERS * rows / ALL_ITEMS + 1, annotated, WORKERS);
    out->origin = "made up";
}

/* The first items, and the answers about them. */
static void shorten(bench_items *items, size_t most)
{
    scdc_data_info info;
    bench_need(scdc_data_get_info(&info, items->data));
    if (info.rows <= most) return;
    size_t count, kept = 0;
    float *rows = allocate(most * info.cols, sizeof *rows);
    uint8_t *values = allocate(most, info.cols);
    bench_need(scdc_data_rows(rows, items->data, 0, most));
    for (size_t i = 0; i < most * info.cols; i++) values[i] = (uint8_t)rows[i];
    scdc_data_free(items->data);
    bench_need(scdc_data_from_memory(&items->data, values, SCDC_U8, most, info.cols, 1));
    const scdc_answer *all = scdc_crowd_answers(items->crowd, &count);
    scdc_answer *about = allocate(count, sizeof *about);
    for (size_t a = 0; a < count; a++) {
        if (all[a].left < most && all[a].right < most) about[kept++] = all[a];
    }
    scdc_crowd_free(items->crowd);
    bench_need(scdc_crowd_from_memory(&items->crowd, about, kept));
    free(about), free(values), free(rows);
}

bench_items bench_items_open(size_t most)
{
    bench_items items = {.origin = "mnist"};
    char images[4096], pairs[4096];
    const char *files[] = {pairs};
    if (!shared_file(images, sizeof images, "mnist/train-images-idx3-ubyte.gz") ||
        !shared_file(pairs, sizeof pairs, "mnist_crowd/pairs.csv")) {
        made_up_mnist(&items, most);
        return items;
    }
    bench_need(scdc_data_open(&items.data, images));
    bench_need(scdc_crowd_open(&items.crowd, files, 1, items.data));
    shorten(&items, most);
    return items;
}

void bench_items_free(bench_items *items)
{
    scdc_data_free(items->data);
    scdc_crowd_free(items->crowd);
}

int bench_watch_progress(const scdc_progress *p, void *watch)
{
    bench_watch *w = watch;
    if (!p->done) return 0;
    double now = bench_now(w->threads), rows = p->items_per_second * p->seconds;
    if (w->ended > 0 && (w->seconds == 0 || now - w->ended < w->seconds)) {
        w->seconds = now - w->ended;
        w->rows_in_epoch = rows - w->rows;
        w->steps = (double)p->batches;
    }
    w->ended = now;
    w->rows = rows;
    return 0;
}
