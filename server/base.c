/* Errors, memory, text and clocks of the server. */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Thread_local char last_error[512];

int server_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    return status;
}

int server_fail_lib(int status)
{
    return server_fail(status, "%s", scdc_last_error());
}

const char *server_error(void)
{
    return last_error;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void *needed(void *block)
{
    if (block) return block;
    fputs("scdc: out of memory\n", stderr);
    exit(1); /* answers that were acknowledged are on disk */
}

void *need_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return needed(NULL);
    return needed(realloc(block, bytes ? bytes : 1));
}

void *need_zeroed(size_t count, size_t size)
{
    return needed(calloc(count ? count : 1, size ? size : 1));
}

void *need_room(void *block, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) return block;
    *capacity = *capacity ? *capacity * 2 : 16;
    return need_resize(block, *capacity, size);
}

/* ---- text ----------------------------------------------------------------------------------- */

char *text_copy(const char *text)
{
    return needed(strdup(text ? text : ""));
}

char *text_format(const char *format, ...)
{
    char *out = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&out, format, args);
    va_end(args);
    return needed(length < 0 ? NULL : out);
}

/* Bytes of the character at `at`; 0 when it is no UTF-8. */
static size_t character(const unsigned char *at)
{
    size_t more = *at < 0x80 ? 0 : *at >= 0xc2 && *at < 0xe0 ? 1 : *at < 0xc2 ? 9 : 2;
    if (*at >= 0xf0) more = *at < 0xf5 ? 3 : 9;
    if (more == 9) return 0;
    for (size_t i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    return more + 1;
}

bool text_clean(char *text, size_t most)
{
    size_t length = 0;
    for (size_t i = 0, step; text[i]; i += step) {
        step = character((const unsigned char *)text + i);
        if (!step) return false;
        if (length + step > most) break;
        bool blank = (unsigned char)text[i] <= ' ' || text[i] == 127;
        if (blank && length == 0) continue;
        memmove(text + length, text + i, step);
        if (blank) text[length] = ' ';
        length += step;
    }
    while (length && text[length - 1] == ' ') length--;
    text[length] = '\0';
    return length > 0;
}

/* ---- clocks --------------------------------------------------------------------------------- */

int64_t clock_shift;

static int64_t clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + clock_shift;
}

int64_t clock_wall(void)
{
    return clock_of(CLOCK_REALTIME);
}

int64_t clock_steady(void)
{
    return clock_of(CLOCK_MONOTONIC);
}
