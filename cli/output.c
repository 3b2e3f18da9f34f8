/* Messages, exit codes and JSON lines of the program. */
#include "output.h"

#include "commands.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool coloured(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fileno(stream)) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

const char *bold(FILE *stream)
{
    return coloured(stream) ? "\033[1m" : "";
}

const char *plain(FILE *stream)
{
    return coloured(stream) ? "\033[0m" : "";
}

/* Bytes of the character that begins here when it can be shown, else 0: no control character, and
 * nothing that is not UTF-8. */
static size_t shown_bytes(const unsigned char *text)
{
    if (*text < 0x80) return *text >= ' ' && *text != 127;
    size_t more = *text >= 0xC2 && *text < 0xE0   ? 1
                  : *text >= 0xE0 && *text < 0xF0 ? 2
                  : *text >= 0xF0 && *text < 0xF5 ? 3
                                                  : 0;
    for (size_t i = 1; i <= more; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
    }
    /* U+0080 to U+009F control terminals, too. */
    return more && !(*text == 0xC2 && text[1] < 0xA0) ? 1 + more : 0;
}

void put_text(FILE *stream, const char *text)
{
    const unsigned char *next = (const unsigned char *)text;
    while (*next) {
        size_t bytes = shown_bytes(next);
        if (!bytes) putc('?', stream);
        fwrite(next, 1, bytes, stream);
        next += bytes ? bytes : 1;
    }
}

/* Where messages go when they are not to be seen yet. */
static FILE *kept;
static char *kept_text;
static size_t kept_length;

void keep_messages(void)
{
    kept = open_memstream(&kept_text, &kept_length);
}

void tell_kept(const char *prefix)
{
    if (!kept) return;
    fclose(kept);
    kept = NULL;
    for (char *line = kept_text, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        fprintf(stderr, "%s%.*s\n", prefix, (int)(end - line), line);
    }
    free(kept_text);
}

/* One line: file names may hold anything, also line ends and terminal escapes. */
static void print_line(const char *prefix, const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    FILE *to = kept ? kept : stderr;
    fflush(stdout); /* so that both streams stay in order when they are one file */
    fprintf(to, "%s%s%s", kept ? "" : bold(to), prefix, kept ? "" : plain(to));
    put_text(to, text);
    putc('\n', to);
}

#define PRINT_LINE(prefix)                                                                         \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        print_line(prefix, format, arguments);                                                     \
        va_end(arguments);                                                                         \
    } while (0)

int refuse(int code, const char *format, ...)
{
    PRINT_LINE("scdc: ");
    return code;
}

void hint(const char *format, ...)
{
    PRINT_LINE("hint: ");
}

void say(const char *format, ...)
{
    PRINT_LINE("");
}

static int exit_code_of(int status)
{
    switch (status) {
    case SCDC_OK: return EXIT_GOOD;
    case SCDC_ERR_ARGUMENT: return EXIT_USAGE;
    case SCDC_ERR_INPUT: return EXIT_INPUT;
    default: return EXIT_FAILED;
    }
}

/* Whoever read our output has seen enough (`| head`): no reason to complain. */
static bool reader_left(const char *text)
{
    char expected[128];
    snprintf(expected, sizeof expected, "standard output: cannot write: %s", strerror(EPIPE));
    return strcmp(text, expected) == 0;
}

int report_failure(int status)
{
    const char *text = scdc_last_error();
    if (status == SCDC_ERR_OUTPUT && reader_left(text)) return EXIT_FAILED;
    return refuse(exit_code_of(status), "%s", *text ? text : scdc_status_name(status));
}

int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (errno == EPIPE) return code == EXIT_GOOD ? EXIT_FAILED : code;
    return refuse(code == EXIT_GOOD ? EXIT_FAILED : code, "standard output: cannot write%s%s",
                  errno ? ": " : "", errno ? strerror(errno) : "");
}

static bool is_plain(const char *word)
{
    if (!*word) return false;
    for (; *word; word++) {
        if (!isalnum((unsigned char)*word) && !strchr("_-./=,:+@%", *word)) return false;
    }
    return true;
}

void put_shell_word(FILE *out, const char *word)
{
    if (is_plain(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word; word++) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            putc(*word, out);
        }
    }
    putc('\'', out);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value) return value;
    /* Not UTF-8: keep ASCII, replace every other byte. */
    size_t length = strlen(text), used = 0;
    char *copy = must_resize(NULL, length + 1, 3);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x80) {
            copy[used++] = text[i];
        } else {
            memcpy(copy + used, "\xEF\xBF\xBD", 3);
            used += 3;
        }
    }
    value = json_stringn(copy, used);
    free(copy);
    return value;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *scores_json(const scdc_scores *scores, const scdc_calibration *calibration)
{
    json_t *out =
        json_pack("{s:I,s:f,s:f,s:f,s:f,s:I,s:I}", "items", (json_int_t)scores->items, "acc",
                  scores->acc, "nmi", scores->nmi, "ami", scores->ami, "ari", scores->ari,
                  "clusters", (json_int_t)scores->clusters, "classes", (json_int_t)scores->classes);
    if (calibration) {
        json_object_set_new(out, "probability", json_number(calibration->probability));
        json_object_set_new(out, "ece", json_number(calibration->ece));
    }
    return out;
}

int print_json(json_t *value)
{
    /* 15 digits print .9 as 0.9 and lose nothing anybody reads. */
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(value);
    if (!text) return refuse(EXIT_FAILED, "out of memory");
    puts(text);
    free(text);
    return EXIT_GOOD;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* There under the leak sanitizer only, which looks for leaks at exit. */
extern void __lsan_do_leak_check(void) __attribute__((weak));

void end_program(int code)
{
    fflush(NULL);
    if (__lsan_do_leak_check) exit(code);
    _exit(code);
}

/* ---- memory --------------------------------------------------------------------------------- */

void *must_resize(void *block, size_t count, size_t size)
{
    if (count < 1) count = 1;
    void *grown = count > SIZE_MAX / size ? NULL : realloc(block, count * size);
    if (!grown) {
        fputs("scdc: out of memory\n", stderr);
        end_program(EXIT_FAILED);
    }
    return grown;
}
