/* Structs that belong to callers, who may know an older (shorter) or a newer (longer) version of
 * them than the library. Versions differ only by fields at the end. */
#ifndef SCDC_BASE_SIZED_H
#define SCDC_BASE_SIZED_H

#include <stddef.h>

/* ---- structs the library fills: the caller's size comes as an argument ---- */

/* As much of `own` as the caller's struct of `size` bytes has room for; what it has beyond is 0. */
void sized_fill(void *theirs, size_t size, const void *own, size_t own_size);

/* ---- structs the caller fills: they begin with their size, a size_t, set by an _init ---- */

/* The _init: defaults, and the caller's size. Does nothing for NULL. */
void sized_init(void *theirs, size_t size, const void *defaults, size_t own_size);
/* Fills `own`, which holds the defaults, with what the caller's struct has. Refuses a struct that
 * no _init has seen (`init` is its name), and fields of a newer version that are set. */
int sized_take(void *own, size_t own_size, const void *theirs, const char *init);
/* Back to the caller's struct. Refuses, and writes nothing, when a field it does not have is other
 * than in `defaults`: `what` (an option, a preset) is then too new for the caller. */
int sized_give(void *theirs, const void *own, const void *defaults, size_t own_size,
               const char *what);

/* ---- arrays the library fills ---- */

/* Refuses an array of the caller's with room for fewer values than there are of `what`. */
int sized_room(size_t room, size_t count, const char *what);

#endif
