/* Parsing of the words after a command's name, by its option table. */
#include "options.h"

#include "commands.h"
#include "output.h"

#include <errno.h>
#include <scdc/scdc.h>
#include <stdlib.h>
#include <string.h>

void options_common(option out[COMMON_OPTIONS], command_line *line)
{
    common_options *c = &line->common;
    const option table[COMMON_OPTIONS] = {
        OPTION(FLAG, "json", 0, &c->json, NULL, "print JSON, one object per line"),
        OPTION(SEED, "seed", 0, &c->seed, "N", "the same seed gives the same bytes"),
        OPTION(COUNT, "threads", 0, &c->threads, "N", "threads to use; never changes a result",
               .fallback = "all cores"),
        OPTION(FLAG, "quiet", 'q', &c->quiet, NULL, "no messages, only results and errors"),
        OPTION(FLAG, "help", 'h', &line->help, NULL, "show this text"),
        OPTION(FLAG, "version", 0, &line->version, NULL, "show the version"),
    };
    memcpy(out, table, sizeof table);
}

/* ---- finding an option ---------------------------------------------------------------------- */

static const option *find_name(const option *table, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
            return &table[i];
    }
    return NULL;
}

static const option *find_letter(const option *table, size_t count, char letter)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].letter == letter) return &table[i];
    }
    return NULL;
}

static int unknown_option(const command_line *line, const option *common, const char *word)
{
    int code = refuse(EXIT_USAGE, "unknown option '%s' of 'scdc %s'", word, line->command);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    size_t total = line->n_options + COMMON_OPTIONS;
    const char **names = must_resize(NULL, total, sizeof *names);
    for (size_t i = 0; i < total; i++) {
        names[i] = i < line->n_options ? line->options[i].name : common[i - line->n_options].name;
    }
    const char *nearest = suggest_nearest(name + strspn(name, "-"), names, total);
    if (nearest) {
        hint("did you mean --%s?", nearest);
    } else {
        hint("'scdc %s --help' lists the options", line->command);
    }
    free(names);
    return code;
}

/* ---- values --------------------------------------------------------------------------------- */

static int bad_value(const option *o, const char *value, const char *expected)
{
    return refuse(EXIT_USAGE, "--%s: '%s' is not %s", o->name, value, expected);
}

/* Digits only: strtoull alone would take "-1" and " 7". */
static bool parse_unsigned(unsigned long long *out, const char *text)
{
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') return false;
    errno = 0;
    *out = strtoull(text, NULL, 10);
    return errno == 0;
}

/* A decimal number that ends at `stop`; what strtod takes besides (hex, inf, nan) is refused. */
static bool parse_number(double *out, const char *text, const char *stop)
{
    char copy[64], *end;
    size_t length = (size_t)(stop - text);
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (copy[strspn(copy, "+-.0123456789eE")] != '\0') return false;
    errno = 0;
    *out = strtod(copy, &end);
    return *end == '\0' && errno != ERANGE;
}

/* Memory that lives as long as the command line. */
static void *own(command_line *line, size_t count, size_t size)
{
    void *block = must_resize(NULL, count, size);
    line->owned = must_resize(line->owned, line->n_owned + 1, sizeof *line->owned);
    line->owned[line->n_owned++] = block;
    return block;
}

static int set_choice(const option *o, const char *value)
{
    size_t count = 0;
    for (; o->choices[count]; count++) {
        if (strcmp(o->choices[count], value) == 0) {
            *(int *)o->target = (int)count;
            return OPTIONS_GO;
        }
    }
    int code = refuse(EXIT_USAGE, "--%s: '%s' is not one of %s", o->name, value, o->value);
    const char *nearest = suggest_nearest(value, o->choices, count);
    if (nearest) hint("did you mean %s?", nearest);
    return code;
}

/* The first use of the option replaces the default, later ones add to the list. */
static int add_numbers(command_line *line, const option *o, const char *value, bool first)
{
    number_list *list = o->target;
    size_t more = 1;
    for (const char *c = value; *c; c++) more += *c == ',';
    number_list grown = {.count = first ? 0 : list->count};
    grown.values = own(line, grown.count + more, sizeof *grown.values);
    if (grown.count) memcpy(grown.values, list->values, grown.count * sizeof *grown.values);
    for (const char *text = value; more > 0; more--) {
        const char *stop = text + strcspn(text, ",");
        if (!parse_number(&grown.values[grown.count++], text, stop))
            return bad_value(o, value, "a number, or several with commas between (0.9,0.8)");
        text = stop + 1;
    }
    *list = grown;
    return OPTIONS_GO;
}

static int set_value(command_line *line, const option *o, const char *value, bool first)
{
    unsigned long long whole;
    switch (o->type) {
    case OPTION_FLAG: *(bool *)o->target = true; return OPTIONS_GO;
    case OPTION_TEXT:
        if (*value == '\0') return refuse(EXIT_USAGE, "--%s: the value is empty", o->name);
        *(const char **)o->target = value;
        return OPTIONS_GO;
    case OPTION_COUNT:
        if (!parse_unsigned(&whole, value) || whole > SIZE_MAX / 2)
            return bad_value(o, value, "a whole number from 0 on");
        *(size_t *)o->target = (size_t)whole;
        return OPTIONS_GO;
    case OPTION_SEED:
        if (!parse_unsigned(&whole, value))
            return bad_value(o, value, "a whole number from 0 to 18446744073709551615");
        *(uint64_t *)o->target = whole;
        return OPTIONS_GO;
    case OPTION_NUMBER:
        if (!parse_number(o->target, value, value + strlen(value)))
            return bad_value(o, value, "a number");
        return OPTIONS_GO;
    case OPTION_CHOICE: return set_choice(o, value);
    case OPTION_NUMBERS: return add_numbers(line, o, value, first);
    case OPTION_TEXTS: {
        text_list *list = o->target;
        list->values[list->count++] = value;
        return OPTIONS_GO;
    }
    }
    return OPTIONS_GO;
}

/* ---- words ---------------------------------------------------------------------------------- */

typedef struct words {
    int argc, next;
    char **argv;
    bool *given; /* per option of the command's own table */
} words;

/* An option whose value is `attached` ("=v", "-k3") or the next word. */
static int take_option(command_line *line, const option *o, const char *attached, words *w)
{
    if (o->type == OPTION_FLAG && attached)
        return refuse(EXIT_USAGE, "--%s takes no value ('%s')", o->name, attached);
    const char *value = attached;
    if (o->type != OPTION_FLAG && !value) {
        if (w->next == w->argc)
            return refuse(EXIT_USAGE, "--%s needs a value: --%s %s", o->name, o->name, o->value);
        value = w->argv[w->next++];
    }
    bool first = true;
    if (line->n_options && o >= line->options && o < line->options + line->n_options) {
        first = !w->given[o - line->options];
        w->given[o - line->options] = true;
    }
    return set_value(line, o, value, first);
}

static int take_long(command_line *line, const option *common, const char *word, words *w)
{
    size_t length = strcspn(word + 2, "=");
    const option *o = find_name(line->options, line->n_options, word + 2, length);
    if (!o) o = find_name(common, COMMON_OPTIONS, word + 2, length);
    if (!o) return unknown_option(line, common, word);
    return take_option(line, o, word[2 + length] == '=' ? word + 2 + length + 1 : NULL, w);
}

/* -k 3, -k3, and flags together (-qh). */
static int take_letters(command_line *line, const option *common, const char *word, words *w)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const option *o = find_letter(line->options, line->n_options, *letter);
        if (!o) o = find_letter(common, COMMON_OPTIONS, *letter);
        if (!o) return unknown_option(line, common, word);
        bool flag = o->type == OPTION_FLAG;
        int code = take_option(line, o, !flag && letter[1] ? letter + 1 : NULL, w);
        if (code != OPTIONS_GO || !flag) return code;
    }
    return OPTIONS_GO;
}

static int check_complete(const command_line *line, const words *w)
{
    if (line->n_operands < line->least || line->n_operands > line->most) {
        int code = line->n_operands < line->least
                       ? refuse(EXIT_USAGE, "'scdc %s' needs %s", line->command, line->operands)
                       : refuse(EXIT_USAGE, "'scdc %s' does not expect '%s'", line->command,
                                line->operand[line->most]);
        hint("usage: scdc %s %s%s[options]", line->command, line->operands,
             *line->operands ? " " : "");
        return code;
    }
    for (size_t i = 0; i < line->n_options; i++) {
        const option *o = &line->options[i];
        if (!o->required || w->given[i]) continue;
        int code = refuse(EXIT_USAGE, "'scdc %s' needs --%s %s", line->command, o->name, o->value);
        hint("--%s: %s", o->name, o->help);
        return code;
    }
    return OPTIONS_GO;
}

/* Room for every word, so that lists of words never grow. */
static void prepare(command_line *line, words *w)
{
    line->operand = own(line, (size_t)w->argc, sizeof *line->operand);
    w->given = own(line, line->n_options, sizeof *w->given);
    memset(w->given, 0, line->n_options * sizeof *w->given);
    for (size_t i = 0; i < line->n_options; i++) {
        if (line->options[i].type != OPTION_TEXTS) continue;
        text_list *list = line->options[i].target;
        list->values = own(line, (size_t)w->argc, sizeof *list->values);
        list->count = 0;
    }
}

/* Help wins over everything else on the line, and shows defaults because nothing is parsed yet. */
static bool wants_help(help_style *style, int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (help_asked(style, argv[i])) return true;
    }
    return false;
}

int options_parse(command_line *line, int argc, char **argv)
{
    help_style style;
    if (wants_help(&style, argc, argv)) {
        help_print(line, style);
        return EXIT_GOOD;
    }
    option common[COMMON_OPTIONS];
    options_common(common, line);
    words w = {.argc = argc, .argv = argv};
    prepare(line, &w);
    bool only_operands = false;
    while (w.next < argc) {
        const char *word = argv[w.next++];
        int code = OPTIONS_GO;
        if (only_operands || word[0] != '-' || word[1] == '\0') {
            line->operand[line->n_operands++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (word[1] == '-') {
            code = take_long(line, common, word, &w);
        } else {
            code = take_letters(line, common, word, &w);
        }
        if (code != OPTIONS_GO) return code;
    }
    if (line->help) {
        help_print(line, HELP_TEXT);
        return EXIT_GOOD;
    }
    if (line->version) {
        printf("scdc %s\n", scdc_version());
        return EXIT_GOOD;
    }
    return check_complete(line, &w);
}

void options_free(command_line *line)
{
    for (size_t i = 0; i < line->n_owned; i++) free(line->owned[i]);
    free(line->owned);
    line->owned = NULL;
    line->n_owned = 0;
}
