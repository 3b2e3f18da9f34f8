/* Waiting for a signal: it wakes whoever waits, whichever thread has to handle it. */
#include "support/check.h"

#include "../../cli/signals.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static void *signal_itself(void *user)
{
    (void)user;
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL); /* most likely somebody waits now */
    raise(SIGTERM);                                            /* handled by this thread */
    return NULL;
}

static void signals_of_other_threads_wake(void **state)
{
    (void)state;
    pthread_t other;
    signals_catch();
    signals_catch(); /* twice is no harm */
    assert_false(signals_caught());
    alarm(60); /* ends this program where it would sleep for ever */
    assert_int_equal(pthread_create(&other, NULL, signal_itself, NULL), 0);
    signals_wait();
    assert_true(signals_caught());
    signals_wait(); /* one that came before */
    alarm(0);
    pthread_join(other, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_of_other_threads_wake)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
