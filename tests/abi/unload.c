/* The library is loaded, used with helper threads and unloaded, several times: no thread of it is
 * left in code that is gone, and OpenBLAS keeps the number of threads it had.
 * Usage: unload LIBRARY */
#include <dirent.h>
#include <dlfcn.h>
#include <scdc/scdc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 600, ROUNDS = 3, ODD_THREADS = 3 };

static size_t count_threads(void)
{
    size_t count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    while (readdir(tasks)) count++;
    closedir(tasks);
    return count;
}

/* POSIX says that dlsym's pointers are good for functions; ISO C has no cast for it. */
static void find(void *function, void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) fprintf(stderr, "%s is not there\n", name);
    memcpy(function, &found, sizeof found);
}

static int fit(void *library)
{
    void (*init_blobs)(scdc_blobs *, size_t);
    int (*make_blobs)(scdc_data **, scdc_labels **, const scdc_blobs *);
    void (*init_options)(scdc_options *, size_t);
    int (*fit_model)(scdc_model **, const scdc_data *, const scdc_crowd *, const scdc_options *,
                     scdc_progress_fn, void *);
    const char *(*last_error)(void);
    void (*free_data)(scdc_data *), (*free_model)(scdc_model *);
    scdc_blobs blobs;
    scdc_options options;
    scdc_data *data = NULL;
    scdc_model *model = NULL;
    find(&init_blobs, library, "scdc_blobs_init_sized");
    find(&make_blobs, library, "scdc_make_blobs");
    find(&init_options, library, "scdc_options_init_sized");
    find(&fit_model, library, "scdc_fit");
    find(&last_error, library, "scdc_last_error");
    find(&free_data, library, "scdc_data_free");
    find(&free_model, library, "scdc_model_free");
    init_blobs(&blobs, sizeof blobs);
    blobs.items = ITEMS;
    blobs.dims = 64;
    init_options(&options, sizeof options);
    options.warmup = options.epochs = 2;
    options.threads = 4;
    int status = make_blobs(&data, NULL, &blobs);
    if (status == SCDC_OK) status = fit_model(&model, data, NULL, &options, NULL, NULL);
    if (status != SCDC_OK) fprintf(stderr, "%s\n", last_error());
    free_model(model);
    free_data(data);
    return status;
}

static int use_once(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*get)(void) = NULL;
    void (*set)(int) = NULL;
    if (dlsym(library, "openblas_get_num_threads")) {
        find(&get, library, "openblas_get_num_threads");
        find(&set, library, "openblas_set_num_threads");
        set(ODD_THREADS);
    }
    int status = fit(library);
    int left = get ? get() : ODD_THREADS;
    if (left != ODD_THREADS) {
        fprintf(stderr, "OpenBLAS had %d threads and has %d\n", ODD_THREADS, left);
        status = 1;
    }
    dlclose(library);
    if (dlopen(path, RTLD_NOW | RTLD_NOLOAD)) {
        fprintf(stderr, "the library is still there: nothing is shown\n");
        status = 1;
    }
    return status;
}

int main(int count, char **words)
{
    if (count != 2) return 2;
    size_t before = count_threads();
    for (int round = 0; round < ROUNDS; round++) {
        if (use_once(words[1]) != 0) return 1;
        /* Whoever is left in code that is gone crashes here. */
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    size_t after = count_threads();
    if (after > before) fprintf(stderr, "%zu threads are left\n", after - before);
    return after > before;
}
