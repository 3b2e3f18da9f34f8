/* Text for HTML, SVG and XML: escaping of whatever users named things, numbers for people, bytes as
 * data URIs. Everything that comes from a file or a command line goes through here. Errors stay in
 * the stream, for whoever opened it. */
#ifndef SCDC_REPORT_MARKUP_H
#define SCDC_REPORT_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* `text` as content or inside a quoted attribute: & < > " ' become entities; line ends and tabs
 * become blanks; bytes that are no UTF-8, and characters that no XML may hold, become U+FFFD. */
void markup_text(FILE *out, const char *text);
/* The same, cut after `most` characters with an ellipsis. */
void markup_short(FILE *out, const char *text, size_t most);

/* Characters of a text as the two functions above write it. */
size_t markup_length(const char *text);

/* A coordinate: at most two decimals, no exponent, a point whatever the locale; not finite: 0. */
void markup_number(FILE *out, double value);
/* A count in groups of three digits, with narrow no-break spaces: 60 000. */
void markup_count(FILE *out, size_t value);

/* data:MIME;base64,... */
void markup_data_uri(FILE *out, const char *mime, const void *bytes, size_t size);

#endif
