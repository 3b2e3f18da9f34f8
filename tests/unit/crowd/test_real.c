/* Real annotation files: the MNIST crowd in its three forms, and the dogs. */
#include "crowd/crowd.h"
#include "support/check.h"

static scdc_crowd *open_shared(const char *name)
{
    const char *path = shared_path(name);
    scdc_crowd *crowd = NULL;
    if (path) assert_ok(scdc_crowd_open(&crowd, &path, 1, NULL));
    return crowd;
}

static void check_mnist(const scdc_crowd *crowd, size_t tasks)
{
    scdc_crowd_info info;
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.answers, 57330);
    assert_int_equal(info.workers, 48);
    assert_int_equal(info.items, 2759);
    assert_int_equal(info.tasks, tasks);
    assert_int_equal(info.pairs_twice, 36);
    assert_int_equal(info.unsure, 0);
    assert_true(info.min_per_worker == 630 && info.max_per_worker == 5040);
    assert_true(info.mean_neighbours > 41 && info.mean_neighbours < 42);
}

static int compare_answers(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(scdc_answer));
}

/* Answers as a sorted set: ends in order, worker as the number in its name, no task. */
static scdc_answer *sorted(const scdc_crowd *crowd)
{
    size_t count;
    const scdc_answer *from = scdc_crowd_answers(crowd, &count);
    scdc_answer *to = calloc(count, sizeof *to);
    for (size_t i = 0; i < count; i++) {
        const char *worker = scdc_crowd_worker_name(crowd, from[i].worker);
        if (*worker == 'w') worker++;
        to[i] = from[i];
        to[i].left = from[i].left < from[i].right ? from[i].left : from[i].right;
        to[i].right = from[i].left < from[i].right ? from[i].right : from[i].left;
        to[i].worker = (uint32_t)strtoul(worker, NULL, 10);
        to[i].task = 0;
    }
    qsort(to, count, sizeof *to, compare_answers);
    return to;
}

static void three_forms_of_the_mnist_crowd_agree(void **state)
{
    (void)state;
    scdc_crowd *pairs = open_shared("mnist_crowd/pairs.csv");
    scdc_crowd *rows = open_shared("mnist_crowd/pairs.npy");
    scdc_crowd *groupings = open_shared("mnist_crowd/groupings.csv");
    if (!pairs || !rows || !groupings) {
        skip();
        return;
    }
    check_mnist(pairs, 0);
    check_mnist(rows, 0);
    check_mnist(groupings, 91);
    scdc_answer *a = sorted(pairs), *b = sorted(rows), *c = sorted(groupings);
    assert_memory_equal(a, b, 57330 * sizeof *a);
    assert_memory_equal(a, c, 57330 * sizeof *a);
    free(a);
    free(b);
    free(c);
    scdc_crowd_free(pairs);
    scdc_crowd_free(rows);
    scdc_crowd_free(groupings);
}

static void dogs_are_read(void **state)
{
    (void)state;
    scdc_crowd *crowd = open_shared("dogs3/pairs.csv");
    scdc_crowd_info info;
    if (!crowd) {
        skip();
        return;
    }
    assert_ok(scdc_crowd_get_info(&info, crowd));
    assert_int_equal(info.answers + info.unsure, 54000);
    assert_int_equal(info.workers, 900);
    assert_int_equal(info.items, 473);
    assert_true(info.tasks > 0);
    scdc_crowd_free(crowd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_forms_of_the_mnist_crowd_agree),
        cmocka_unit_test(dogs_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
