/* Options by name: a table of keys over a struct drives setting by text, getting as text, checking
 * and help. Which options there are is the business of the struct's owner. */
#ifndef SCDC_BASE_OPTION_TABLE_H
#define SCDC_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum option_kind {
    OPTION_SIZE,  /* size_t */
    OPTION_INT,   /* int */
    OPTION_REAL,  /* double */
    OPTION_SEED,  /* uint64_t, any */
    OPTION_WORD,  /* an enum: place of the word among `words` */
    OPTION_PAIR,  /* double[2], as a,b */
    OPTION_TEXT,  /* char[most], ended by 0; "" is auto */
    OPTION_SIZES, /* size_t[most], as a,b,c; how many is a size_t at `count_offset` */
} option_kind;

/* "auto" as a text, and how the struct says it. */
typedef enum option_auto {
    AUTO_NEVER,
    AUTO_ZERO,     /* 0, of SIZES none; the text 0 is a value only where the range holds it */
    AUTO_NEGATIVE, /* any negative number; set to -1 */
} option_auto;

/* Numbers lie in [low, high]; an open lower end refuses low itself. */
typedef struct option_key {
    const char *name;
    option_kind kind;
    size_t offset;
    double low, high;
    bool open_low;
    option_auto automatic;
    const char *const *words; /* NULL-terminated */
    const char *help;
    size_t count_offset, most;
} option_key;

/* A line of a table: option_key of a field that is named like its key. After the help text may come
 * other members. */
#define OPTION_KEY(struct_, field_, kind_, ...)                                                    \
    {                                                                                              \
        .name = #field_, .kind = OPTION_##kind_, .offset = offsetof(struct_, field_),              \
        .help = __VA_ARGS__                                                                        \
    }

typedef struct option_table {
    const option_key *keys;
    size_t count;
    const char *owner; /* for messages: "", or " of the baselines" */
} option_table;

/* Name of key `index`, its help in *help (may be NULL); NULL beyond the last. */
const char *option_name(const option_table *table, size_t index, const char **help);
/* A value that is refused leaves the struct as it was. */
int option_set(const option_table *table, void *object, const char *name, const char *value);
int option_get(char *out, size_t size, const option_table *table, const void *object,
               const char *name);
/* All fields, which may have been written directly. */
int option_check(const option_table *table, const void *object);

#endif
