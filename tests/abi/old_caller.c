/* A program compiled before the structs grew, and one compiled after: it declares by itself what it
 * knew of the interface, shorter or longer than the library's. Bytes around each struct are
 * watched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

typedef struct scdc_data scdc_data;
typedef struct scdc_labels scdc_labels;
typedef struct scdc_crowd scdc_crowd;
typedef struct scdc_model scdc_model;

/* Options when there were only these. */
typedef struct old_options {
    size_t size;
    int model, recipe;
    size_t components, clusters, latent, hidden[8], n_hidden;
    int likelihood;
    size_t epochs, batch, answers_batch, restarts;
    uint64_t seed;
} old_options;

typedef struct old_blobs {
    size_t size, clusters, items, dims;
} old_blobs;

typedef struct new_blobs {
    size_t size, clusters, items, dims;
    double spread, separation;
    uint64_t seed;
    double later, still_later;
} new_blobs;

typedef struct old_simulation {
    size_t size, workers;
} old_simulation;

typedef struct old_worker {
    const char *name;
    size_t answers;
    double sensitivity;
} old_worker;

typedef struct new_worker {
    const char *name;
    size_t answers;
    double known[7], later[2];
} new_worker;

typedef struct old_info {
    int kind;
    size_t components, clusters, live_components, latent, workers;
} old_info;

void scdc_options_init_sized(void *options, size_t size);
int scdc_options_set(void *options, const char *key, const char *value);
int scdc_options_get(char *out, size_t size, const void *options, const char *key);
int scdc_options_preset(void *options, const char *name);
int scdc_options_check(const void *options);
int scdc_options_copy_sized(void *out, size_t size, const void *from);
void scdc_blobs_init_sized(void *options, size_t size);
int scdc_make_blobs(scdc_data **out, scdc_labels **labels, const void *options);
void scdc_simulation_init_sized(void *options, size_t size);
int scdc_simulate_answers(scdc_crowd **out, const scdc_labels *truth, const void *options);
int scdc_fit(scdc_model **out, const scdc_data *data, const scdc_crowd *crowd, const void *options,
             void *progress, void *user);
const void *scdc_model_options(const scdc_model *model);
int scdc_model_get_info_sized(void *out, size_t size, const scdc_model *model);
int scdc_data_get_info_sized(void *out, size_t size, const scdc_data *data);
int scdc_crowd_get_info_sized(void *out, size_t size, const scdc_crowd *crowd);
int scdc_score_sized(void *out, size_t size, const int64_t *labels, const int64_t *truth, size_t n);
int scdc_workers_sized(void *out, size_t size, size_t room, const scdc_model *model);
const int64_t *scdc_labels_values(const scdc_labels *labels);
const char *scdc_last_error(void);
void scdc_baseline_options_init_sized(void *options, size_t size);
int scdc_baseline_set(void *options, const char *key, const char *value);
int scdc_baseline(void **out, const char *method, const scdc_data *data, const scdc_crowd *crowd,
                  const void *options);
int scdc_clustering_get_info_sized(void *out, size_t size, const void *clustering);
void scdc_clustering_free(void *clustering);
void scdc_report_init_sized(void *report, size_t size);
int scdc_report_write(const char *path, const void *report);
void scdc_data_free(scdc_data *data);
void scdc_labels_free(scdc_labels *labels);
void scdc_crowd_free(scdc_crowd *crowd);
void scdc_model_free(scdc_model *model);

enum { ARGUMENT = -1, UNSUPPORTED = -7, GUARD = 64, ROOM = 2048, MARK = 0xa5 };

/* A struct with bytes around it that nobody may touch. */
typedef struct guarded {
    unsigned char before[GUARD];
    union {
        unsigned char bytes[ROOM];
        size_t aligned;
    } at;
} guarded;

static void *guard(guarded *g)
{
    memset(g, MARK, sizeof *g);
    return g->at.bytes;
}

static void check_guard(const guarded *g, size_t size)
{
    for (size_t i = 0; i < GUARD; i++) assert_int_equal(g->before[i], MARK);
    for (size_t i = size; i < ROOM; i++) assert_int_equal(g->at.bytes[i], MARK);
}

/* Every _init, for every size: it writes so many bytes, the first of them the size. */
static void init_writes_what_there_is(void **state)
{
    void scdc_pinwheel_init_sized(void *, size_t);
    void scdc_kmeans_options_init_sized(void *, size_t);
    void scdc_reproduction_init_sized(void *, size_t);
    void scdc_placement_init_sized(void *, size_t);
    void (*const inits[])(void *, size_t) = {
        scdc_options_init_sized,        scdc_pinwheel_init_sized,
        scdc_blobs_init_sized,          scdc_simulation_init_sized,
        scdc_kmeans_options_init_sized, scdc_baseline_options_init_sized,
        scdc_report_init_sized,         scdc_reproduction_init_sized,
        scdc_placement_init_sized};
    static guarded g;
    (void)state;
    for (size_t i = 0; i < sizeof inits / sizeof *inits; i++) {
        for (size_t size = 8; size <= 1024; size += 8) {
            size_t told;
            inits[i](guard(&g), size);
            memcpy(&told, g.at.bytes, sizeof told);
            assert_int_equal(told, size);
            check_guard(&g, size);
        }
        assert_int_equal(g.at.bytes[1023], 0); /* beyond what the library knows */
        inits[i](guard(&g), 4);                /* nonsense: nothing fits */
        check_guard(&g, 0);
        inits[i](NULL, 64);
    }
}

static void old_options_are_set_and_read(void **state)
{
    static guarded g;
    old_options *o = guard(&g);
    char text[64];
    (void)state;
    scdc_options_init_sized(o, sizeof *o);
    assert_int_equal(scdc_options_set(o, "components", "7"), 0);
    assert_int_equal(o->components, 7);
    assert_int_equal(o->size, sizeof *o);
    assert_int_equal(scdc_options_check(o), 0);
    /* A field it does not have stands at its default, and cannot be changed. */
    assert_int_equal(scdc_options_get(text, sizeof text, o, "neighbours"), 0);
    assert_string_equal(text, "10");
    assert_int_equal(scdc_options_set(o, "neighbours", "10"), 0);
    assert_int_equal(scdc_options_set(o, "neighbours", "9"), UNSUPPORTED);
    assert_non_null(strstr(scdc_last_error(), "neighbours"));
    assert_int_equal(scdc_options_preset(o, "mnist"), UNSUPPORTED);
    assert_int_equal(o->components, 7);
    o->components = 1000000000;
    assert_int_equal(scdc_options_check(o), ARGUMENT);
    check_guard(&g, sizeof *o);
}

static void options_without_init_are_refused(void **state)
{
    old_options o;
    (void)state;
    memset(&o, 0, sizeof o);
    assert_int_equal(scdc_options_check(&o), ARGUMENT);
    assert_non_null(strstr(scdc_last_error(), "scdc_options_init"));
    memset(&o, MARK, sizeof o);
    assert_int_equal(scdc_options_check(&o), ARGUMENT);
}

static void newer_fields_must_be_zero(void **state)
{
    new_blobs blobs;
    scdc_data *data = NULL;
    (void)state;
    scdc_blobs_init_sized(&blobs, sizeof blobs);
    assert_true(blobs.later == 0 && blobs.still_later == 0 && blobs.separation == 5);
    assert_int_equal(scdc_make_blobs(&data, NULL, &blobs), 0);
    scdc_data_free(data);
    blobs.still_later = 1;
    assert_int_equal(scdc_make_blobs(&data, NULL, &blobs), UNSUPPORTED);
    assert_non_null(strstr(scdc_last_error(), "older than the program"));
}

typedef struct fitted {
    scdc_data *data;
    scdc_labels *truth;
    scdc_crowd *crowd;
    scdc_model *model;
} fitted;

static void fit_as_of_old(fitted *f)
{
    old_blobs blobs;
    old_simulation answers;
    static guarded g;
    old_options *o = guard(&g);
    scdc_blobs_init_sized(&blobs, sizeof blobs);
    blobs.clusters = 3;
    blobs.items = 90;
    assert_int_equal(scdc_make_blobs(&f->data, &f->truth, &blobs), 0);
    scdc_simulation_init_sized(&answers, sizeof answers);
    answers.workers = 4;
    assert_int_equal(scdc_simulate_answers(&f->crowd, f->truth, &answers), 0);
    scdc_options_init_sized(o, sizeof *o);
    o->epochs = 2;
    assert_int_equal(scdc_fit(&f->model, f->data, f->crowd, o, NULL, NULL), 0);
    check_guard(&g, sizeof *o);
}

static void free_fitted(fitted *f)
{
    scdc_model_free(f->model);
    scdc_crowd_free(f->crowd);
    scdc_labels_free(f->truth);
    scdc_data_free(f->data);
}

static void old_program_fits_and_reads(void **state)
{
    fitted f;
    static guarded g;
    old_info info;
    old_options mine;
    (void)state;
    fit_as_of_old(&f);
    assert_int_equal(scdc_model_get_info_sized(guard(&g), sizeof info, f.model), 0);
    check_guard(&g, sizeof info);
    memcpy(&info, g.at.bytes, sizeof info);
    assert_int_equal(info.workers, 4);

    /* Options of the model are longer than its own: copied, they are as long as its own. */
    const void *kept = scdc_model_options(f.model);
    assert_int_equal(scdc_options_copy_sized(guard(&g), sizeof mine, kept), 0);
    check_guard(&g, sizeof mine);
    memcpy(&mine, g.at.bytes, sizeof mine);
    assert_int_equal(mine.size, sizeof mine);
    assert_int_equal(mine.epochs, 2);
    assert_int_equal(mine.latent, info.latent);
    assert_int_equal(scdc_options_check(&mine), 0);

    /* Workers with the caller's stride, shorter and longer. */
    old_worker *old = guard(&g);
    assert_int_equal(scdc_workers_sized(old, sizeof *old, 4, f.model), 0);
    check_guard(&g, 4 * sizeof *old);
    new_worker wide[4];
    assert_int_equal(scdc_workers_sized(wide, sizeof *wide, 4, f.model), 0);
    for (size_t m = 0; m < 4; m++) {
        assert_string_equal(old[m].name, wide[m].name);
        assert_true(old[m].sensitivity == wide[m].known[0] && old[m].sensitivity > 0);
        assert_true(wide[m].later[0] == 0 && wide[m].later[1] == 0);
    }
    free_fitted(&f);
}

/* A baseline and a report with options that end early. */
static void old_programs_use_the_other_headers(void **state)
{
    struct {
        size_t size, k;
    } baseline;
    struct {
        size_t size;
        const scdc_model *model;
    } report;
    fitted f;
    static guarded g;
    void *found = NULL;
    (void)state;
    fit_as_of_old(&f);
    scdc_baseline_options_init_sized(&baseline, sizeof baseline);
    baseline.k = 3;
    assert_int_equal(scdc_baseline(&found, "kmeans", f.data, NULL, &baseline), 0);
    for (size_t size = 8; size <= 256; size += 8) {
        assert_int_equal(scdc_clustering_get_info_sized(guard(&g), size, found), 0);
        check_guard(&g, size);
    }
    assert_int_equal(scdc_baseline_set(&baseline, "k", "4"), 0);
    assert_int_equal(baseline.k, 4);
    assert_int_equal(scdc_baseline_set(&baseline, "latent", "2"), UNSUPPORTED);
    scdc_clustering_free(found);
    scdc_report_init_sized(&report, sizeof report);
    report.model = f.model;
    assert_int_equal(scdc_report_write("/dev/null", &report), 0);
    free_fitted(&f);
}

static void infos_are_filled_as_far_as_they_go(void **state)
{
    fitted f;
    static guarded g;
    (void)state;
    fit_as_of_old(&f);
    const int64_t *truth = scdc_labels_values(f.truth);
    for (size_t size = 8; size <= 512; size += 8) {
        assert_int_equal(scdc_data_get_info_sized(guard(&g), size, f.data), 0);
        check_guard(&g, size);
        assert_int_equal(scdc_crowd_get_info_sized(guard(&g), size, f.crowd), 0);
        check_guard(&g, size);
        assert_int_equal(scdc_model_get_info_sized(guard(&g), size, f.model), 0);
        check_guard(&g, size);
        assert_int_equal(scdc_score_sized(guard(&g), size, truth, truth, 90), 0);
        check_guard(&g, size);
    }
    assert_int_equal(scdc_data_get_info_sized(guard(&g), 8, f.data), 0);
    assert_int_equal(*(const size_t *)(const void *)g.at.bytes, 90);
    free_fitted(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_writes_what_there_is),
        cmocka_unit_test(old_options_are_set_and_read),
        cmocka_unit_test(options_without_init_are_refused),
        cmocka_unit_test(newer_fields_must_be_zero),
        cmocka_unit_test(old_program_fits_and_reads),
        cmocka_unit_test(infos_are_filled_as_far_as_they_go),
        cmocka_unit_test(old_programs_use_the_other_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
