/* Every allocation and every step of writing a file fails once in turn, in small fits of both
 * models and what follows a fit: the call says so, nothing is left behind, and the next call works.
 * Under the address sanitizer also: nothing leaks. */
#include "base/memory.h"
#include "io/writer.h"
#include "support/files.h"

#include <scdc/exchange.h>
#include <scdc/report.h>

enum { ITEMS = 60 };

static scdc_data *items;
static scdc_crowd *crowd;

static int begin(void **state)
{
    static float values[ITEMS * 2]; /* borrowed */
    scdc_answer answers[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        values[2 * i] = (float)(i % 3) * 4 + (float)(i * 37 % 11) / 20;
        values[2 * i + 1] = (float)(i % 3 == 1) * 5 + (float)(i * 17 % 13) / 20;
        answers[i] = (scdc_answer){.left = (uint32_t)i,
                                   .right = (uint32_t)((i * 7 + 3) % ITEMS),
                                   .worker = (uint32_t)(i % 2),
                                   .task = SCDC_NO_TASK};
        if (answers[i].left == answers[i].right) answers[i].right = (uint32_t)((i + 1) % ITEMS);
        answers[i].same = answers[i].left % 3 == answers[i].right % 3;
    }
    assert_ok(scdc_data_from_memory(&items, values, SCDC_F32, ITEMS, 2, 0));
    assert_ok(scdc_crowd_from_memory(&crowd, answers, ITEMS));
    return scratch_begin(state);
}

static int end(void **state)
{
    scdc_data_free(items);
    scdc_crowd_free(crowd);
    return scratch_end(state);
}

static scdc_options small_fit(const char *model, const char *recipe)
{
    scdc_options o;
    scdc_options_init(&o);
    assert_ok(scdc_options_set(&o, "model", model));
    assert_ok(scdc_options_set(&o, "recipe", recipe));
    assert_ok(scdc_options_set(&o, "components", "4"));
    assert_ok(scdc_options_set(&o, "hidden", "4"));
    assert_ok(scdc_options_set(&o, "latent", "2"));
    assert_ok(scdc_options_set(&o, "epochs", "1"));
    assert_ok(scdc_options_set(&o, "warmup", "1"));
    assert_ok(scdc_options_set(&o, "threads", "1"));
    return o;
}

/* ---- memory ---- */

typedef int (*work)(const void *what);

/* Fails allocation after allocation of the work; it must say so, until none is left to fail. */
static void fail_each(work do_it, const void *what)
{
    size_t failed = 0;
    mem_fail_at(0);
    assert_ok(do_it(what));
    size_t all = mem_fail_at(0);
    assert_true(all > 0);
    for (size_t number = 1; number <= all; number++) {
        mem_fail_at(number);
        int status = do_it(what);
        mem_fail_at(0);
        failed++;
        if (status != SCDC_ERR_MEMORY || !strstr(scdc_last_error(), "out of memory"))
            fail_msg("allocation %zu of %zu: %s: %s", number, all, scdc_status_name(status),
                     scdc_last_error());
    }
    print_message("%zu allocations, %zu failures told\n", all, failed);
    assert_true(failed > 0);
    assert_ok(do_it(what));
}

static int fit(const void *what)
{
    scdc_model *model = NULL;
    int status = scdc_fit(&model, items, crowd, what, NULL, NULL);
    if (status != SCDC_OK) assert_null(model);
    scdc_model_free(model);
    return status;
}

static void fits_tell_of_memory(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        scdc_options paper = small_fit(m ? "amortized" : "bayes", "paper");
        scdc_options standard = small_fit(m ? "amortized" : "bayes", "default");
        fail_each(fit, &paper);
        fail_each(fit, &standard);
    }
}

static int load_and_use(const void *path)
{
    int64_t labels[ITEMS];
    double probability[ITEMS];
    scdc_model *model = NULL;
    int status = scdc_model_load(&model, path);
    if (status == SCDC_OK)
        status = scdc_predict(labels, probability, NULL, NULL, model, items, NULL);
    scdc_model_free(model);
    return status;
}

static scdc_model *fitted(void)
{
    scdc_options o = small_fit("bayes", "default");
    scdc_model *model = NULL;
    assert_ok(scdc_fit(&model, items, crowd, &o, NULL, NULL));
    return model;
}

static void models_tell_of_memory(void **state)
{
    const char *path = scratch_path("m.safetensors");
    scdc_model *model = fitted();
    (void)state;
    assert_ok(scdc_model_save(model, path));
    scdc_model_free(model);
    fail_each(load_and_use, path);
}

static int read_answers(const void *path)
{
    scdc_crowd *read = NULL;
    const char *const paths[] = {path};
    int status = scdc_crowd_open(&read, paths, 1, NULL);
    scdc_crowd_free(read);
    return status;
}

static int import(const void *path)
{
    return scdc_import(NULL, path, "/dev/null", NULL);
}

static void readers_tell_of_memory(void **state)
{
    const char *path = scratch_text(
        "g.csv", "worker,task,item,group\na,1,x,p\na,1,y,p\na,1,z,q\nb,1,x,q\nb,1,y,p\n");
    (void)state;
    fail_each(read_answers, path);
    fail_each(import, scratch_text("k.csv", "task,worker,label\nx,a,p\ny,a,q\nz,a,p\n"));
}

/* ---- writing ---- */

static const scdc_model *saved;

static int save(const char *path)
{
    return scdc_model_save(saved, path);
}

static int write_report(const char *path)
{
    scdc_report report;
    scdc_report_init(&report);
    report.model = saved;
    return scdc_report_write(path, &report);
}

static int write_workers(const char *path)
{
    scdc_worker workers[2];
    assert_ok(scdc_workers(workers, 2, saved));
    return scdc_write_workers(path, workers, 2);
}

/* A file that was there stays as it was; one that was not is not there. */
static void writing_is_all_or_nothing(void **state)
{
    static int (*const writers[])(const char *) = {save, write_report, write_workers};
    scdc_model *model = fitted();
    (void)state;
    saved = model;
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        const char *path = scratch_path("written");
        int before = scratch_entries();
        writer_fail_at(0);
        assert_ok(writers[k](path));
        size_t all = writer_fail_at(0);
        assert_true(all >= 4);
        for (int there = 0; there < 2; there++) {
            for (size_t number = 1; number <= all; number++) {
                char text[8] = "";
                unlink(path);
                if (there) scratch_text("written", "before");
                writer_fail_at(number);
                assert_fails(writers[k](path), SCDC_ERR_OUTPUT, "No space left");
                writer_fail_at(0);
                assert_int_equal(scratch_entries(), before + there);
                if (!there) continue;
                FILE *file = fopen(path, "r");
                assert_non_null(fgets(text, sizeof text, file));
                fclose(file);
                assert_string_equal(text, "before");
            }
        }
        assert_ok(writers[k](path));
        unlink(path);
    }
    scdc_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_tell_of_memory),
        cmocka_unit_test(models_tell_of_memory),
        cmocka_unit_test(readers_tell_of_memory),
        cmocka_unit_test(writing_is_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
