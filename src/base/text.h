/* Words and numbers in texts, the same in every locale. */
#ifndef SCDC_BASE_TEXT_H
#define SCDC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text is the word; ASCII letters of either case are the same. */
bool text_equals(const char *text, size_t length, const char *word);

/* False, and nothing is written, when the text is not entirely such a number. */
bool text_double(double *out, const char *text, size_t length); /* takes inf and nan too */
bool text_int64(int64_t *out, const char *text, size_t length);
bool text_uint64(uint64_t *out, const char *text, size_t length); /* digits alone */

/* The shortest text that reads back as the same number; 17 digits always do. */
void text_of_double(char *out, size_t size, double value);

#endif
