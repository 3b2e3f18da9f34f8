/* What it takes to start the program: `scdc version`, and `scdc predict` of one item with a model
 * of MNIST size, in milliseconds of the wall. The program is the one beside this build's bench/. */
#include "bench.h"
#include "items.h"

#include <fcntl.h>
#include <scdc/scdc.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DIMS = 784, ITEMS = 256, MOST_PATH = 4096 };
extern char **environ;

/* Runs the program with its output thrown away. */
static void run(void *context)
{
    char **words = context;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, words[0], &actions, NULL, words, environ) != 0 ||
        waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench_start: %s %s failed\n", words[0], words[1]);
        exit(EXIT_FAILURE);
    }
    posix_spawn_file_actions_destroy(&actions);
}

static void scratch(char *out, const char *name)
{
    const char *folder = getenv("TMPDIR");
    snprintf(out, MOST_PATH, "%s/scdc-bench-%ld-%s", folder ? folder : P_tmpdir, (long)getpid(),
             name);
}

/* A model with the paper's nets and one item for it. */
static void prepare(const char *model_path, const char *item_path)
{
    scdc_options o;
    scdc_data *data, *one;
    scdc_model *model;
    uint8_t *values = bench_made_up(ITEMS, DIMS);
    scdc_options_init(&o);
    bench_need(scdc_options_preset(&o, "mnist"));
    o.epochs = 1;
    bench_need(scdc_data_from_memory(&data, values, SCDC_U8, ITEMS, DIMS, 1));
    bench_need(scdc_data_from_memory(&one, values, SCDC_U8, 1, DIMS, 1));
    bench_need(scdc_fit(&model, data, NULL, &o, NULL, NULL));
    bench_need(scdc_model_save(model, model_path));
    bench_need(scdc_data_write_npy(one, item_path));
    scdc_model_free(model);
    scdc_data_free(data), scdc_data_free(one);
    free(values);
}

static void report(const char *name, char **words, int rounds)
{
    const bench_body body = run;
    void *context = words;
    bench_time time;
    run(words);
    bench_compare(&time, &body, &context, 1, rounds, 1, 0);
    bench_figure("%s", name);
    bench_put_time("start", &time);
    bench_put("rounds", "%d", rounds);
    bench_end();
}

int main(int argc, char **argv)
{
    bench_options o = bench_arguments(argc, argv, 15);
    char program[MOST_PATH], model[MOST_PATH], item[MOST_PATH];
    const char *slash = strrchr(argv[0], '/');
    snprintf(program, sizeof program, "%.*s../scdc", slash ? (int)(slash + 1 - argv[0]) : 0,
             argv[0]);
    scratch(model, "model.safetensors");
    scratch(item, "item.npy");
    prepare(model, item);
    report("start, version", (char *[]){program, "version", NULL}, o.rounds);
    report("start, predict one item", (char *[]){program, "predict", model, item, "-q", NULL},
           o.rounds);
    unlink(model);
    unlink(item);
    return EXIT_SUCCESS;
}
