/* Words are compared without case, and with blanks, dashes and underscores alike. docs/import.md
 * lists them for users. */
#include "exchange/words.h"

#include <string.h>

enum { LONGEST = 64 };

/* ASCII, whatever the locale. */
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Small letters, one blank for every run of blanks, dashes and underscores, no marks at the end.
 * False when it is longer than any word we know. */
static bool plain_words(char out[LONGEST], const char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool blank = c == '_' || is_space(c) || (c == '-' && used > 0); /* -1 is a number */
        if (blank && (used == 0 || out[used - 1] == ' ')) continue;
        if (used == LONGEST - 1) return false;
        out[used++] = blank ? ' ' : small_letter(c);
    }
    while (used && strchr(" .!", out[used - 1])) used--;
    out[used] = '\0';
    return true;
}

static bool among(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0) return true;
    }
    return false;
}

/* ---- sides ---------------------------------------------------------------------------------- */

typedef struct side_word {
    const char *word;
    side side;
} side_word;

static const side_word side_words[] = {
    {"left", SIDE_LEFT}, {"right", SIDE_RIGHT}, {"first", SIDE_LEFT}, {"second", SIDE_RIGHT},
    {"1", SIDE_LEFT},    {"2", SIDE_RIGHT},     {"a", SIDE_LEFT},     {"b", SIDE_RIGHT},
    {"l", SIDE_LEFT},    {"r", SIDE_RIGHT},     {"i", SIDE_LEFT},     {"j", SIDE_RIGHT},
};

/* text1, image2: a digit needs nothing before it; a letter or a word must stand alone. */
static side side_at_end(size_t *length, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof side_words / sizeof *side_words; i++) {
        size_t m = strlen(side_words[i].word);
        if (n < m || strcmp(name + n - m, side_words[i].word) != 0) continue;
        bool digit = is_digit(side_words[i].word[0]);
        if (n > m && !(digit ? !is_digit(name[n - m - 1]) : name[n - m - 1] == ' ')) continue;
        *length = n > m && name[n - m - 1] == ' ' ? n - m - 1 : n - m;
        return side_words[i].side;
    }
    return SIDE_NONE;
}

static side side_at_begin(size_t *length, const char *name)
{
    for (size_t i = 0; i < sizeof side_words / sizeof *side_words; i++) {
        size_t m = strlen(side_words[i].word);
        if (strncmp(name, side_words[i].word, m) != 0 || name[m] != ' ') continue;
        *length = m + 1;
        return side_words[i].side;
    }
    return SIDE_NONE;
}

side side_of_name(char *stem, size_t size, const char *name)
{
    char words[LONGEST];
    size_t length = 0;
    if (!plain_words(words, name, strlen(name))) return SIDE_NONE;
    for (char *c = words; *c; c++) {
        if (*c == '.' || *c == ':') *c = ' ';
    }
    side s = side_at_end(&length, words);
    if (s != SIDE_NONE) {
        words[length] = '\0';
    } else {
        s = side_at_begin(&length, words);
        memmove(words, words + length, strlen(words + length) + 1);
    }
    if (strlen(words) >= size) return SIDE_NONE;
    strcpy(stem, words);
    return s;
}

/* ---- answers -------------------------------------------------------------------------------- */

static const char *const same_words[] = {
    "1",         "1.0",       "+1",        "same",     "yes",   "true",  "y",
    "t",         "match",     "matching",  "matches",  "equal", "alike", "similar",
    "identical", "duplicate", "must link", "mustlink", "ml",    "link",  "linked",
    "together",  "accept",    "positive",  NULL};
static const char *const different_words[] = {
    "0",        "0.0",        "-1",        "different", "no",          "false",      "n",
    "f",        "non match",  "nonmatch",  "no match",  "distinct",    "unequal",    "unlike",
    "unlinked", "dissimilar", "differ",    "not same",  "cannot link", "cannotlink", "cl",
    "apart",    "reject",     "not match", "negative",  NULL};
static const char *const unsure_words[] = {
    "",          "unsure",     "?",         "na",          "n/a",         "nan",        "none",
    "null",      "ignore",     "ignored",   "skip",        "skipped",     "not sure",   "uncertain",
    "undecided", "don't know", "dont know", "do not know", "cannot tell", "can't tell", "cant tell",
    "unclear",   "maybe",      "no answer", "not clear",   "unknown",     "idk",        NULL};
static const char *const winner_words[] = {"left",     "right",   "a",       "b",      "first",
                                           "second",   "2",       "tie",     "both",   "neither",
                                           "item a",   "item b",  "item 1",  "item 2", "option a",
                                           "option b", "image a", "image b", NULL};

/* Is the word one of a list separated by |? */
static bool in_list(const char *word, const char *list)
{
    while (list && *list) {
        char one[LONGEST];
        size_t length = strcspn(list, "|");
        if (plain_words(one, list, length) && strcmp(one, word) == 0) return true;
        list += length + (list[length] == '|');
    }
    return false;
}

static bool begins_with(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && strchr(" ,.:;(", text[length]);
}

answer_word answer_of_word(const char *text, const char *same, const char *different)
{
    char word[LONGEST];
    if (!plain_words(word, text, strlen(text))) return ANSWER_UNKNOWN;
    if (in_list(word, same)) return ANSWER_SAME;
    if (in_list(word, different)) return ANSWER_DIFFERENT;
    if (among(word, same_words)) return ANSWER_SAME;
    if (among(word, different_words)) return ANSWER_DIFFERENT;
    if (among(word, unsure_words)) return ANSWER_UNSURE;
    if (among(word, winner_words)) return ANSWER_WINNER;
    /* "Same animal", "Not the same", "Yes, the same" */
    if (begins_with(word, "same") || begins_with(word, "yes")) return ANSWER_SAME;
    if (begins_with(word, "different") || begins_with(word, "no") || begins_with(word, "not"))
        return ANSWER_DIFFERENT;
    return ANSWER_UNKNOWN;
}

bool names_a_winner(const char *name)
{
    static const char *const stems[] = {"winner", "prefer", "better", "best", "chosen", NULL};
    char words[LONGEST];
    if (!plain_words(words, name, strlen(name))) return false;
    for (const char *const *stem = stems; *stem; stem++) {
        if (strstr(words, *stem)) return true;
    }
    return false;
}

bool says_nothing(const char *text)
{
    char word[LONGEST];
    return plain_words(word, text, strlen(text)) && among(word, unsure_words);
}
