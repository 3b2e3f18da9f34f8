/* How time per epoch and peak memory grow with the items N, the answers N_a, the components K, the
 * latent size d and the workers M: small networks, one thread, a process per point, items memory-
 * mapped from a .npy of bytes. Each series ends in its fitted exponents (of all points, and between
 * the last two). */
#include "base/parallel.h"
#include "bench.h"
#include "items.h"

#include <scdc/scdc.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLS = 64, HIDDEN = 32, BATCH = 256, MOST_POINTS = 6 };

typedef struct problem {
    size_t items, answers, components, latent, workers;
    scdc_recipe recipe;
    bool classes; /* clusters are learned from the answers */
} problem;

typedef struct point {
    double value, epoch_s, fit_s, peak_mb;
} point;

static char path[4096];

static void fail(const char *what)
{
    fprintf(stderr, "bench_growth: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- in a process of its own ---- */

static void write_items(const problem *p)
{
    scdc_data *data;
    uint8_t *values = bench_made_up(p->items, COLS);
    bench_need(scdc_data_from_memory(&data, values, SCDC_U8, p->items, COLS, 0));
    bench_need(scdc_data_write_npy(data, path));
}

static scdc_options options_of(const problem *p)
{
    scdc_options o;
    scdc_options_init(&o);
    o.recipe = p->recipe;
    /* Said, not found out: looking for classes takes as long whatever N is, and whether it is worth
     * trying depends on how far so few epochs get. It has a series of its own. */
    o.clusters_from = p->classes ? SCDC_CLUSTERS_FROM_ANSWERS : SCDC_CLUSTERS_FROM_COMPONENTS;
    o.components = p->components;
    o.latent = p->latent;
    o.hidden[0] = o.hidden[1] = HIDDEN;
    o.n_hidden = 2;
    o.batch = BATCH;
    o.epochs = 3;
    o.warmup = 1;
    o.threads = 1;
    return o;
}

static void measure(const problem *p, int out)
{
    point result = {0};
    bench_watch w = {.threads = 1};
    scdc_options o = options_of(p);
    scdc_model *model;
    scdc_data *data;
    bench_need(scdc_data_open(&data, path));
    scdc_crowd *crowd =
        p->answers ? bench_made_up_answers(p->answers, p->items / 2, p->workers) : NULL;
    double begin = bench_now(1);
    bench_need(scdc_fit(&model, data, crowd, &o, bench_watch_progress, &w));
    result.fit_s = bench_now(1) - begin;
    result.epoch_s = w.seconds;
    if (write(out, &result, sizeof result) != sizeof result) fail("pipe");
}

/* Runs one of the two above; *usage is the child's. */
static void run_child(const problem *p, int out, struct rusage *usage)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        if (out < 0) write_items(p);
        else measure(p, out);
        _exit(EXIT_SUCCESS);
    }
    if (wait4(child, &status, 0, usage) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        unlink(path);
        fail("a point failed");
    }
}

static point run_point(const problem *p)
{
    struct rusage usage;
    point result;
    int ends[2];
    if (pipe(ends) != 0) fail("pipe");
    run_child(p, -1, &usage);
    run_child(p, ends[1], &usage);
    if (read(ends[0], &result, sizeof result) != sizeof result) fail("pipe");
    close(ends[0]), close(ends[1]);
    unlink(path);
    result.peak_mb = (double)usage.ru_maxrss / 1024;
    return result;
}

/* ---- series ---- */

static double slope(const point *p, size_t n, size_t offset)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < n; i++) {
        double x = log(p[i].value), y = log(*(const double *)((const char *)&p[i] + offset));
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double m = (double)n;
    return (m * sxy - sx * sy) / (m * sxx - sx * sx);
}

typedef struct series {
    const char *name, *letter;
    const problem *problem;
    size_t field; /* offset of what varies */
    size_t values[MOST_POINTS], count;
} series;

static void run_series(const series *s, bool quick)
{
    point points[MOST_POINTS];
    const char *name = s->name, *letter = s->letter;
    size_t count = quick ? 1 : s->count;
    const size_t *values = s->values;
    for (size_t i = 0; i < count; i++) {
        problem p = *s->problem;
        memcpy((char *)&p + s->field, &values[i], sizeof values[i]);
        points[i] = run_point(&p);
        points[i].value = (double)values[i];
        bench_figure("growth, %s, %s %zu", name, letter, values[i]);
        bench_put("epoch_s", "%.4f", points[i].epoch_s);
        bench_put("fit_s", "%.3f", points[i].fit_s);
        bench_put("peak_mb", "%.1f", points[i].peak_mb);
        bench_put("file_mb", "%.1f", (double)(p.items * COLS) / 1048576);
        bench_end();
    }
    if (count < 2) return;
    bench_figure("growth, %s, exponents in %s", name, letter);
    bench_put("epoch", "%.3f", slope(points, count, offsetof(point, epoch_s)));
    bench_put("epoch_last_two", "%.3f", slope(points + count - 2, 2, offsetof(point, epoch_s)));
    bench_put("fit", "%.3f", slope(points, count, offsetof(point, fit_s)));
    bench_put("memory", "%.3f", slope(points, count, offsetof(point, peak_mb)));
    bench_end();
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 1);
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/scdc-bench-%ld-growth.npy", folder ? folder : P_tmpdir,
             (long)getpid());
    size_t n = o.quick ? 1000 : 20000;
    problem usual = {.items = n, .answers = n, .components = 10, .latent = 4, .workers = 20};
    problem paper = usual, alone = usual, classes = usual;
    classes.classes = true;
    paper.recipe = alone.recipe = SCDC_RECIPE_PAPER;
    alone.answers = 0;
    const series all[] = {
        {"paper's recipe, no answers",
         "N",
         &alone,
         offsetof(problem, items),
         {10000, 30000, 100000, 300000, 1000000},
         5},
        {"default recipe",
         "N",
         &usual,
         offsetof(problem, items),
         {10000, 30000, 100000, 300000, 1000000},
         5},
        {"default recipe",
         "N_a",
         &usual,
         offsetof(problem, answers),
         {1000, 10000, 100000, 1000000},
         4},
        {"default recipe, classes",
         "N_a",
         &classes,
         offsetof(problem, answers),
         {1000, 10000, 100000},
         3},
        {"paper's recipe",
         "N_a",
         &paper,
         offsetof(problem, answers),
         {1000, 10000, 100000, 1000000},
         4},
        {"paper's recipe", "K", &paper, offsetof(problem, components), {10, 25, 50, 100, 200}, 5},
        {"paper's recipe", "d", &paper, offsetof(problem, latent), {2, 4, 8, 16, 32}, 5},
        {"default recipe", "M", &usual, offsetof(problem, workers), {5, 50, 500, 5000}, 4},
    };
    /* Quick: the smallest point of each series but the first two, which are large at it. */
    for (size_t i = o.quick ? 2 : 0; i < sizeof all / sizeof *all; i++)
        run_series(&all[i], o.quick);
    return EXIT_SUCCESS;
}
