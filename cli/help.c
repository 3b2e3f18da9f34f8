/* Help texts, manual pages and words to complete, made from the same tables that parsing uses. */
#include "options.h"
#include "output.h"

#include <scdc/scdc.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 92 };

/* What is being printed; sections that commands add (more_help) follow it. */
static help_style style;

bool help_asked(help_style *out, const char *word)
{
    static const struct {
        const char *word;
        help_style style;
    } words[] = {{"--help", HELP_TEXT},
                 {"-h", HELP_TEXT},
                 {"--help=man", HELP_MANUAL},
                 {"--help=words", HELP_WORDS}};
    for (size_t i = 0; i < LENGTH_OF(words); i++) {
        if (strcmp(word, words[i].word) != 0) continue;
        *out = words[i].style;
        return true;
    }
    return false;
}

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

/* ---- manual pages --------------------------------------------------------------------------- */

/* Text that troff shows as it is. */
static void put_roff(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool begins = c == text || c[-1] == '\n';
        if (begins && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        if (*c == '\\') fputs("\\e", stdout);
        else if (*c == '-') fputs("\\-", stdout);
        else putchar(*c);
    }
}

/* "simulate answers" is the page scdc-simulate-answers. */
void help_title(const char *command, const char *summary)
{
    char page[64];
    snprintf(page, sizeof page, "scdc%s%s", *command ? "-" : "", command);
    for (char *c = page; *c; c++) *c = *c == ' ' ? '-' : *c;
    printf(".TH \"%s\" 1 \"\" \"scdc %s\" \"Semi-crowdsourced deep clustering\"\n.SH NAME\n", page,
           scdc_version());
    put_roff(page);
    fputs(" \\- ", stdout);
    put_roff(summary);
    putchar('\n');
}

/* The first sentence, without its end. */
static void print_title(const command_line *line)
{
    char summary[256];
    size_t length = strcspn(line->about, ".");
    snprintf(summary, sizeof summary, "%.*s", (int)length, line->about);
    if (summary[0] >= 'A' && summary[0] <= 'Z') summary[0] = (char)(summary[0] + ('a' - 'A'));
    help_title(line->command, summary);
    printf(".SH SYNOPSIS\n.B scdc ");
    put_roff(line->command);
    putchar('\n');
    put_roff(line->operands);
    printf("%s[options]\n.SH DESCRIPTION\n", *line->operands ? " " : "");
    put_roff(line->about);
    putchar('\n');
}

/* ---- entries -------------------------------------------------------------------------------- */

void help_entry(const char *left, const char *text)
{
    if (style == HELP_WORDS) return;
    if (style == HELP_MANUAL) {
        fputs(".TP\n.B ", stdout);
        put_roff(left + strspn(left, " "));
        putchar('\n');
        put_roff(text);
        putchar('\n');
        return;
    }
    size_t used = 2 + strlen(left);
    printf("  %s", left);
    if (used + 2 > HELP_COLUMN) {
        putchar('\n');
        used = 0;
    }
    printf("%*s", (int)(HELP_COLUMN - used), "");
    print_wrapped(text, HELP_COLUMN, HELP_COLUMN);
}

void help_heading(const char *text)
{
    if (style == HELP_WORDS) return;
    if (style == HELP_TEXT) {
        printf("\n%s%s%s\n", bold(stdout), text, plain(stdout));
        return;
    }
    fputs(".SH ", stdout);
    for (; *text; text++) putchar(*text >= 'a' && *text <= 'z' ? *text - ('a' - 'A') : *text);
    putchar('\n');
}

static void print_option(const option *o)
{
    char left[128], fallback[128], text[512];
    char letter[] = {'-', o->letter, ',', ' ', '\0'};
    if (style == HELP_WORDS) {
        printf("--%s\t%s\t%s\n", o->name, o->value ? o->value : "", o->help);
        return;
    }
    snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? letter : "    ", o->name,
             o->value ? " " : "", o->value ? o->value : "");
    default_text(fallback, sizeof fallback, o);
    bool shown = fallback[0] && !o->required;
    snprintf(text, sizeof text, "%s%s%s%s%s", o->help, o->required ? " (required)" : "",
             shown ? " (default: " : "", shown ? fallback : "", shown ? ")" : "");
    help_entry(left, text);
}

void help_command(const char *group, const char *name, const char *summary, help_style wanted)
{
    char left[96];
    style = wanted;
    if (wanted == HELP_WORDS) {
        printf("%s\t\t%s\n", name, summary);
        return;
    }
    snprintf(left, sizeof left, "scdc %s%s", group, name);
    help_entry(left, summary);
}

static bool means_something(const command_line *line, const char *name)
{
    if (strcmp(name, "json") == 0) return line->uses & USES_JSON;
    if (strcmp(name, "seed") == 0) return line->uses & USES_SEED;
    if (strcmp(name, "threads") == 0) return line->uses & USES_THREADS;
    return true;
}

static void print_examples(const command_line *line)
{
    help_heading("Example");
    if (style == HELP_MANUAL) {
        fputs(".nf\n", stdout);
        put_roff(line->examples);
        fputs(".fi\n.SH SEE ALSO\n.BR scdc (1)\n", stdout);
    } else if (style == HELP_TEXT) {
        fputs(line->examples, stdout);
    }
}

void help_print(command_line *line, help_style wanted)
{
    option common[COMMON_OPTIONS];
    style = wanted;
    options_common(common, line);
    if (style == HELP_TEXT) {
        printf("%susage:%s scdc %s %s%s[options]\n\n", bold(stdout), plain(stdout), line->command,
               line->operands, *line->operands ? " " : "");
        print_wrapped(line->about, 0, 0);
    } else if (style == HELP_MANUAL) {
        print_title(line);
    }
    if (line->n_options) help_heading("Options");
    for (size_t i = 0; i < line->n_options; i++) print_option(&line->options[i]);
    help_heading("Common options");
    for (size_t i = 0; i < COMMON_OPTIONS; i++) {
        if (means_something(line, common[i].name)) print_option(&common[i]);
    }
    if (line->more_help) line->more_help();
    print_examples(line);
}
