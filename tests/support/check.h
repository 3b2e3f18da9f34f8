/* What every unit test includes: cmocka and comparisons of floating numbers. */
#ifndef SCDC_TESTS_CHECK_H
#define SCDC_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <scdc/scdc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* |a - b| <= tolerance, with both values in the message. NaN fails. */
#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        double close_a_ = (a), close_b_ = (b), close_t_ = (tolerance);                             \
        if (!(fabs(close_a_ - close_b_) <= close_t_)) {                                            \
            fail_msg("%s = %.17g, expected %.17g within %g", #a, close_a_, close_b_, close_t_);    \
        }                                                                                          \
    } while (0)

/* Relative to the larger of |b| and 1. */
#define assert_near(a, b, relative)                                                                \
    assert_close(a, b, (relative) * (fabs((double)(b)) > 1 ? fabs((double)(b)) : 1))

#define assert_ok(expression)                                                                      \
    do {                                                                                           \
        int ok_status_ = (expression);                                                             \
        if (ok_status_ != SCDC_OK) {                                                               \
            fail_msg("%s: %s: %s", #expression, scdc_status_name(ok_status_), scdc_last_error());  \
        }                                                                                          \
    } while (0)

/* The call fails with this status and its message contains `text`. */
#define assert_fails(expression, status, text)                                                     \
    do {                                                                                           \
        int got_status_ = (expression);                                                            \
        if (got_status_ != (status) || !strstr(scdc_last_error(), text)) {                         \
            fail_msg("%s: got %s \"%s\", expected %s with \"%s\"", #expression,                    \
                     scdc_status_name(got_status_), scdc_last_error(), #status, text);             \
        }                                                                                          \
    } while (0)

/* Path of a file in the shared data folder, or NULL (test then skips with a message). */
static inline const char *shared_path(const char *name)
{
    static char path[4096];
    const char *root = getenv("SCDC_SHARED");
    snprintf(path, sizeof path, "%s/data/%s", root ? root : "../shared", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("skipped: %s is not there\n", path);
        return NULL;
    }
    fclose(file);
    return path;
}

#endif
