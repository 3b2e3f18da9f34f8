/* Help texts, made from the same tables that parsing uses. */
#include "options.h"
#include "output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 92 };

/* The default as text, from what the target holds now; "" when there is none to show. */
static void default_text(char *out, size_t size, const option *o)
{
    out[0] = '\0';
    if (o->fallback) {
        snprintf(out, size, "%s", o->fallback);
        return;
    }
    switch (o->type) {
    case OPTION_TEXT: {
        const char *text = *(const char **)o->target;
        snprintf(out, size, "%s", text ? text : "");
        return;
    }
    case OPTION_COUNT: snprintf(out, size, "%zu", *(size_t *)o->target); return;
    case OPTION_SEED: snprintf(out, size, "%" PRIu64, *(uint64_t *)o->target); return;
    case OPTION_NUMBER: snprintf(out, size, "%g", *(double *)o->target); return;
    case OPTION_CHOICE: snprintf(out, size, "%s", o->choices[*(int *)o->target]); return;
    case OPTION_NUMBERS: {
        const number_list *list = o->target;
        if (list->count == 1) snprintf(out, size, "%g", list->values[0]);
        return;
    }
    case OPTION_FLAG:
    case OPTION_TEXTS: return;
    }
}

/* Words from column `column` on, wrapped at HELP_WIDTH; `used` is where the cursor stands. */
static void print_wrapped(const char *text, size_t used, size_t column)
{
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " ");
        if (!first && used + 1 + length > HELP_WIDTH) {
            printf("\n%*s", (int)column, "");
            used = column;
            first = true;
        }
        printf("%s%.*s", first ? "" : " ", (int)length, text);
        used += length + !first;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

void help_entry(const char *left, const char *text)
{
    size_t used = 2 + strlen(left);
    printf("  %s", left);
    if (used + 2 > HELP_COLUMN) {
        putchar('\n');
        used = 0;
    }
    printf("%*s", (int)(HELP_COLUMN - used), "");
    print_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

static void print_option(const option *o)
{
    char left[128], fallback[128], text[512];
    char letter[] = {'-', o->letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? letter : "    ", o->name,
             o->value ? " " : "", o->value ? o->value : "");
    default_text(fallback, sizeof fallback, o);
    bool shown = fallback[0] && !o->required;
    snprintf(text, sizeof text, "%s%s%s%s%s", o->help, o->required ? " (required)" : "",
             shown ? " (default: " : "", shown ? fallback : "", shown ? ")" : "");
    help_entry(left, text);
}

void help_heading(const char *text)
{
    printf("\n%s%s%s\n", bold(stdout), text, plain(stdout));
}

static bool means_something(const command_line *line, const char *name)
{
    if (strcmp(name, "json") == 0) return line->uses & USES_JSON;
    if (strcmp(name, "seed") == 0) return line->uses & USES_SEED;
    if (strcmp(name, "threads") == 0) return line->uses & USES_THREADS;
    return true;
}

void help_print(command_line *line)
{
    option common[COMMON_OPTIONS];
    options_common(common, line);
    printf("%susage:%s scdc %s %s%s[options]\n\n", bold(stdout), plain(stdout), line->command,
           line->operands, *line->operands ? " " : "");
    print_wrapped(line->about, 0, 0);
    if (line->n_options) help_heading("Options");
    for (size_t i = 0; i < line->n_options; i++) print_option(&line->options[i]);
    help_heading("Common options");
    for (size_t i = 0; i < COMMON_OPTIONS; i++) {
        if (means_something(line, common[i].name)) print_option(&common[i]);
    }
    if (line->more_help) line->more_help();
    help_heading("Example");
    fputs(line->examples, stdout);
}
