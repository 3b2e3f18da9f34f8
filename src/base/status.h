/* Status codes with a thread-local message. Not for printing: the library never prints. */
#ifndef SCDC_BASE_STATUS_H
#define SCDC_BASE_STATUS_H

#include <scdc/scdc.h>

/* Sets this thread's message (printf-style) and returns `code`, so that a failing function ends in
 * `return fail_with(SCDC_ERR_INPUT, "%s: line %zu: ...", ...)`. Say what, where, which value and
 * what was expected. */
int fail_with(scdc_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Puts `prefix: ` before this thread's message, to add where it happened on the way up. */
int fail_prefix(int code, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

int fail_memory(size_t bytes, const char *what) __attribute__((cold));

/* Hands a failing status on to the caller. */
#define SCDC_TRY(expression)                                                                       \
    do {                                                                                           \
        int try_status_ = (expression);                                                            \
        if (try_status_ != SCDC_OK) return try_status_;                                            \
    } while (0)

/* As SCDC_TRY, with clean-up: sets `status` and jumps to the label. */
#define SCDC_TRY_OR(label, status, expression)                                                     \
    do {                                                                                           \
        (status) = (expression);                                                                   \
        if ((status) != SCDC_OK) goto label;                                                       \
    } while (0)

#endif
