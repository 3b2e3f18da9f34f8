/* HTML: the page around a report, and text with values in it. */
#ifndef SCDC_REPORT_PAGE_H
#define SCDC_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes `form`, which is markup, with its values:
 *   %t  const char *, escaped          %n  const char *, escaped, cut at 60 characters
 *   %c  size_t in groups of three      %u  size_t as it is, for attributes
 *   %f  double with two decimals       %p  double 0 to 1 as a percentage
 *   %d  double, always two decimals    %q  double 0 to 1, always three decimals
 *   %%  a percent sign */
void page_put(FILE *out, const char *form, ...);

/* Up to the end of the header: style, title, heading. `title` is escaped. */
void page_begin(FILE *out, const char *title);
void page_end(FILE *out);
/* A section with an anchor and a heading. */
void page_section(FILE *out, const char *id, const char *heading);
void page_section_end(FILE *out);

/* "s" unless count is 1. */
const char *page_plural(size_t count);

#endif
