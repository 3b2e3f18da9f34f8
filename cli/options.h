/* Option tables: one table per command drives both parsing and its help text. Values are checked
 * for their syntax here and for their domain by the library. */
#ifndef SCDC_CLI_OPTIONS_H
#define SCDC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char * */
    OPTION_COUNT,  /* size_t */
    OPTION_SEED,   /* uint64_t */
    OPTION_NUMBER, /* double */
    OPTION_CHOICE, /* int: index into `choices`, which ends in NULL */
    OPTION_TEXTS,  /* text_list: may be given several times */
    OPTION_NUMBERS /* number_list: a,b,c; may be given several times */
} option_type;

typedef struct text_list {
    const char **values;
    size_t count;
} text_list;

typedef struct number_list {
    double *values;
    size_t count;
} number_list;

/* `target` holds the default before parsing; help shows it unless `fallback` says it in words.
 * An empty `fallback` shows no default. */
typedef struct option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    option_type type;
    void *target;
    const char *value; /* placeholder in help: "FILE" */
    const char *help;
    const char *fallback;
    const char *const *choices;
    bool required;
} option;

/* One line of a table; after the help text may come .fallback, .choices, .required. */
#define OPTION(type_, name_, letter_, target_, value_, ...)                                        \
    {                                                                                              \
        .type = OPTION_##type_, .name = name_, .letter = letter_, .target = target_,               \
        .value = value_, .help = __VA_ARGS__                                                       \
    }

/* Options of every command. */
typedef struct common_options {
    bool json, quiet;
    uint64_t seed;
    size_t threads; /* 0 = all cores */
} common_options;

/* Common options that mean something to a command; help lists only these. */
enum { USES_JSON = 1, USES_SEED = 2, USES_THREADS = 4 };

typedef struct command_line {
    const char *command;   /* "simulate answers" */
    const char *operands;  /* "LABELS TRUTH" */
    size_t least, most;    /* operands accepted */
    const char *about;     /* one paragraph */
    const char *examples;  /* lines */
    unsigned uses;         /* common options that mean something here */
    const option *options; /* of this command; may be NULL */
    size_t n_options;
    void (*more_help)(void); /* prints further sections; may be NULL */
    /* Filled by options_parse: */
    bool help, version; /* asked for */
    common_options common;
    const char **operand;
    size_t n_operands;
    void **owned; /* lists built while parsing */
    size_t n_owned;
} command_line;

#define LENGTH_OF(table) (sizeof(table) / sizeof((table)[0]))

/* What options_parse returns when the command should go on; anything else is an exit code. */
enum { OPTIONS_GO = -1 };

/* Reads the words after the command's name. Prints help or the reason of a refusal itself. */
int options_parse(command_line *line, int argc, char **argv);
/* Frees what parsing allocated; also after a failed parse. */
void options_free(command_line *line);

/* The options every command takes, as a table over `line`. */
enum { COMMON_OPTIONS = 6 };
void options_common(option out[COMMON_OPTIONS], command_line *line);

/* help.c: the same tables as a text for people, as a manual page, and as words for shells to
 * complete (a line each: word, placeholder of its value, what it means, separated by tabs). */
typedef enum help_style { HELP_TEXT, HELP_MANUAL, HELP_WORDS } help_style;
/* The style a word asks for (--help, -h, --help=man, --help=words); false for other words. */
bool help_asked(help_style *out, const char *word);
void help_print(command_line *line, help_style style);
/* One of the commands of the program or of a group, as a manual page or word. */
void help_command(const char *group, const char *name, const char *summary, help_style style);
/* The first lines of a manual page: its name and what it is about. */
void help_title(const char *command, const char *summary);
void help_heading(const char *text);
/* A name and what it means, wrapped beside it. */
void help_entry(const char *left, const char *text);
/* suggest.c: the candidate nearest to `word`, or NULL when none is near. */
const char *suggest_nearest(const char *word, const char *const *candidates, size_t count);

#endif
