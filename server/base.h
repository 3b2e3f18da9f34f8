/* What every file of the server uses: errors as a status and a text, memory that never fails (the
 * program ends with a message instead), text, the clock. */
#ifndef SCDC_SERVER_BASE_H
#define SCDC_SERVER_BASE_H

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers the text for server_error and returns `status` (an scdc_status). */
int server_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands on what the library says. */
int server_fail_lib(int status);
/* Text of the calling thread's last failure. */
const char *server_error(void);

#define SERVER_TRY(call)                                                                           \
    do {                                                                                           \
        int status_ = (call);                                                                      \
        if (status_ != SCDC_OK) return status_;                                                    \
    } while (0)

/* realloc for count elements; 0 elements give a block, too. */
void *need_resize(void *block, size_t count, size_t size);
void *need_zeroed(size_t count, size_t size);
/* Makes room for one more element behind `count` of them. */
void *need_room(void *block, size_t *capacity, size_t count, size_t size);
char *text_copy(const char *text);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Cleans a name a person typed: control characters become blanks, blanks at the ends go, cut after
 * `most` bytes at a whole UTF-8 character. False when nothing is left or it is no UTF-8. */
bool text_clean(char *text, size_t most);

/* Milliseconds since 1970, and of a clock that never goes back. */
int64_t clock_wall(void);
int64_t clock_steady(void);
/* Added to both, so that tests need not wait. */
extern int64_t clock_shift;

#endif
