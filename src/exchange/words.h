/* What words in files of other tools mean: sides of a pair in names of fields, and answers. */
#ifndef SCDC_EXCHANGE_WORDS_H
#define SCDC_EXCHANGE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum side { SIDE_NONE, SIDE_LEFT, SIDE_RIGHT } side;
/* Which side of a pair a field is called after (image_left, text2, unique_id_r), and its name
 * without the word for the side, in small letters, into stem. */
side side_of_name(char *stem, size_t size, const char *name);

typedef enum answer_word {
    ANSWER_DIFFERENT,
    ANSWER_SAME,
    ANSWER_UNSURE,
    ANSWER_WINNER, /* says which of two: not an answer of ours */
    ANSWER_UNKNOWN
} answer_word;
/* `same` and `different`: further words, separated by |; may be NULL. */
answer_word answer_of_word(const char *text, const char *same, const char *different);
/* A field called winner, preferred, better: it says which of two, whatever its words are. */
bool names_a_winner(const char *name);
/* No answer at all: empty, null, skipped. */
bool says_nothing(const char *text);

#endif
