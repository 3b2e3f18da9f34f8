/* base/parallel: slots are never shared, loops nest, several callers and forked children work,
 * helpers keep off the caller's core. */
#include "base/cores.h"
#include "base/parallel.h"
#include "support/check.h"
#include "support/sanitizers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 3000, SLOTS = 8 };

struct crossing {
    atomic_int inside[SLOTS], shared, beyond;
    atomic_size_t items;
};

/* Long enough that pieces of different threads overlap. */
static void cross(void *context, size_t begin, size_t end, size_t piece)
{
    struct crossing *c = context;
    size_t slot = parallel_slot();
    (void)piece;
    if (slot >= parallel_slots() || slot >= SLOTS) {
        atomic_fetch_add(&c->beyond, 1);
        return;
    }
    if (atomic_fetch_add(&c->inside[slot], 1) != 0) atomic_fetch_add(&c->shared, 1);
    for (volatile int i = 0; i < 200; i++) {
    }
    atomic_fetch_sub(&c->inside[slot], 1);
    atomic_fetch_add(&c->items, end - begin);
}

static void slots_are_never_shared(void **state)
{
    (void)state;
    for (int threads = 1; threads <= SLOTS; threads++) {
        struct crossing c = {.shared = 0};
        parallel_set_threads(threads);
        assert_int_equal(parallel_slots(), threads);
        parallel_for(3 * PIECES - 1, 3, cross, &c);
        assert_int_equal(atomic_load(&c.items), 3 * PIECES - 1);
        assert_int_equal(atomic_load(&c.shared), 0);
        assert_int_equal(atomic_load(&c.beyond), 0);
        assert_int_equal(parallel_slot(), 0);
    }
    parallel_set_threads(0);
}

/* Loops follow each other closely, with every size of team: nobody joins the wrong one. */
static void add_one(void *context, size_t begin, size_t end, size_t piece)
{
    int *counts = context;
    (void)piece;
    for (size_t i = begin; i < end; i++) counts[i]++;
}

static void many_short_loops(void **state)
{
    (void)state;
    int counts[64] = {0};
    for (int round = 0; round < 5000; round++) {
        parallel_set_threads(1 + round % SLOTS);
        parallel_for(64, 1 + (size_t)round % 9, add_one, counts);
    }
    parallel_set_threads(0);
    for (int i = 0; i < 64; i++) assert_int_equal(counts[i], 5000);
}

static void nest(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    for (size_t i = begin; i < end; i++) parallel_for(10, 1, cross, context);
}

static void nested_loops_stay_on_their_thread(void **state)
{
    (void)state;
    struct crossing c = {.shared = 0};
    parallel_set_threads(4);
    parallel_for(200, 1, nest, &c);
    parallel_set_threads(0);
    assert_int_equal(atomic_load(&c.items), 2000);
    assert_int_equal(atomic_load(&c.shared), 0);
    assert_int_equal(atomic_load(&c.beyond), 0);
}

static void *call_many(void *context)
{
    (void)context;
    size_t items = 0;
    parallel_set_threads(3);
    for (int round = 0; round < 200; round++) {
        struct crossing c = {.shared = 0};
        parallel_for(100, 1, cross, &c);
        items += atomic_load(&c.shared) || atomic_load(&c.beyond) ? 0 : atomic_load(&c.items);
    }
    return (void *)items;
}

static void several_threads_may_call(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int t = 0; t < 4; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, call_many, NULL), 0);
    for (int t = 0; t < 4; t++) {
        void *items;
        assert_int_equal(pthread_join(threads[t], &items), 0);
        assert_int_equal((size_t)items, 20000);
    }
}

static void forked_children_work(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) skip(); /* it knows no threads in a child of a process with threads */
    parallel_set_threads(4);
    int counts[64] = {0};
    parallel_for(64, 1, add_one, counts);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        parallel_for(64, 1, add_one, counts);
        bool good = true;
        for (int i = 0; i < 64; i++) good = good && counts[i] == 2;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    parallel_for(64, 1, add_one, counts);
    for (int i = 0; i < 64; i++) assert_int_equal(counts[i], 2);
    parallel_set_threads(0);
}

#ifdef __linux__
/* A core that a helper may run on and should not, unless the caller changed cores meanwhile. */
struct placing {
    int core;  /* the caller's when the loop began */
    int alone; /* cores the caller counted */
    atomic_int helped, beside;
};

static void note_place(void *context, size_t begin, size_t end, size_t piece)
{
    struct placing *p = context;
    cpu_set_t allowed;
    (void)begin, (void)end, (void)piece;
    for (volatile int i = 0; i < 20000; i++) {
    }
    if (parallel_slot() == 0) return;
    atomic_fetch_add(&p->helped, 1);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_ISSET(p->core, &allowed))
        atomic_fetch_add(&p->beside, 1);
}

/* One loop with helpers, of a caller that did not change cores. */
static void place_helpers(struct placing *out, int threads)
{
    parallel_set_threads(threads);
    for (int round = 0; round < 1000; round++) {
        *out = (struct placing){.core = cores_current(), .alone = out->alone};
        parallel_for(40, 1, note_place, out);
        if (atomic_load(&out->helped) && cores_current() == out->core) break;
    }
    parallel_set_threads(0);
    assert_true(atomic_load(&out->helped) > 0);
}

static void helpers_keep_off_the_callers_core(void **state)
{
    (void)state;
    cpu_set_t before, after;
    if (cores_count() < 2 || cores_current() < 0) skip();
    if (sched_getaffinity(0, sizeof before, &before) != 0) skip(); /* more than a set holds */
    struct placing p = {.core = cores_current()};
    place_helpers(&p, 2);
    assert_int_equal(atomic_load(&p.beside), 0);
    /* The caller's own cores are its own business. */
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    /* More threads than cores use all of them. */
    place_helpers(&p, cores_count() + 1);
    assert_true(atomic_load(&p.beside) > 0);
    place_helpers(&p, 2);
    assert_int_equal(atomic_load(&p.beside), 0);
}

/* Helpers of a caller with one core stay on it, and leave it for the next caller. */
static void *call_from_one_core(void *context)
{
    struct placing *p = context;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(p->core, &one);
    if (pthread_setaffinity_np(pthread_self(), sizeof one, &one) != 0) return NULL;
    p->alone = cores_count();
    place_helpers(p, 2);
    return p;
}

static void helpers_follow_the_caller(void **state)
{
    (void)state;
    if (cores_count() < 2 || cores_current() < 0) skip();
    for (int round = 0; round < 20; round++) { /* in some the second caller is on the same core */
        pthread_t thread;
        void *done;
        struct placing p = {.core = cores_current()};
        assert_int_equal(pthread_create(&thread, NULL, call_from_one_core, &p), 0);
        assert_int_equal(pthread_join(thread, &done), 0);
        if (!done) skip();
        assert_int_equal(p.alone, 1);
        assert_int_equal(atomic_load(&p.beside), atomic_load(&p.helped));
        place_helpers(&p, 2);
        assert_int_equal(atomic_load(&p.beside), 0);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_are_never_shared),
        cmocka_unit_test(many_short_loops),
        cmocka_unit_test(nested_loops_stay_on_their_thread),
        cmocka_unit_test(several_threads_may_call),
        cmocka_unit_test(forked_children_work),
#ifdef __linux__
        cmocka_unit_test(helpers_keep_off_the_callers_core),
        cmocka_unit_test(helpers_follow_the_caller),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
