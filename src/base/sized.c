/* Copies between the caller's version of a struct and the library's. */
#include "base/sized.h"
#include "base/status.h"

#include <string.h>

/* No struct of ours will be so long: a larger size was never set. */
enum { LONGEST = 4096 };

static size_t shorter(size_t a, size_t b)
{
    return a < b ? a : b;
}

void sized_fill(void *theirs, size_t size, const void *own, size_t own_size)
{
    size_t common = shorter(size, own_size);
    memcpy(theirs, own, common);
    memset((char *)theirs + common, 0, size - common);
}

void sized_init(void *theirs, size_t size, const void *defaults, size_t own_size)
{
    if (!theirs || size < sizeof size) return;
    sized_fill(theirs, size, defaults, own_size);
    memcpy(theirs, &size, sizeof size);
}

int sized_take(void *own, size_t own_size, const void *theirs, const char *init)
{
    const char *bytes = theirs;
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size <= sizeof size || size > LONGEST) {
        return fail_with(SCDC_ERR_ARGUMENT, "the field size is %zu, not %zu: call %s first", size,
                         own_size, init);
    }
    for (size_t i = own_size; i < size; i++) {
        if (bytes[i]) {
            return fail_with(SCDC_ERR_UNSUPPORTED,
                             "a field at byte %zu is set, but version %s of the library knows only "
                             "%zu bytes: it is older than the program, update it",
                             i, scdc_version(), own_size);
        }
    }
    memcpy(own, theirs, shorter(size, own_size));
    memcpy(own, &own_size, sizeof own_size);
    return SCDC_OK;
}

int sized_give(void *theirs, const void *own, const void *defaults, size_t own_size,
               const char *what)
{
    size_t size, common;
    memcpy(&size, theirs, sizeof size);
    common = shorter(size, own_size);
    if (memcmp((const char *)own + common, (const char *)defaults + common, own_size - common)) {
        return fail_with(
            SCDC_ERR_UNSUPPORTED,
            "%s is newer than the program, which was compiled for %zu of the %zu bytes "
            "of the options: compile it again",
            what, size, own_size);
    }
    memcpy((char *)theirs + sizeof size, (const char *)own + sizeof size, common - sizeof size);
    return SCDC_OK;
}

int sized_room(size_t room, size_t count, const char *what)
{
    if (room >= count) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "room: the array has room for %zu %s, there are %zu", room,
                     what, count);
}
