/* A strict look at markup: elements nest and close, attributes are quoted, & only begins an entity.
 * For SVG and the HTML the library writes (whose void elements are known). */
#ifndef SCDC_TESTS_XML_H
#define SCDC_TESTS_XML_H

#include "support/check.h"

#include <ctype.h>
#include <stdbool.h>

static inline bool xml_is_void(const char *name)
{
    static const char *const names[] = {"meta", "img", "br", "hr", "link", "col"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

/* Text up to `end`: no quote left open, every & an entity. */
static inline void xml_check_entities(const char *from, const char *end)
{
    for (const char *c = from; c < end; c++) {
        if (*c != '&') continue;
        const char *stop = memchr(c, ';', (size_t)(end - c));
        if (!stop || stop - c > 8) fail_msg("& that begins no entity: %.40s", c);
        for (const char *d = c + 1; d < stop; d++) {
            if (!isalnum((unsigned char)*d) && *d != '#') fail_msg("bad entity: %.40s", c);
        }
    }
}

/* Behind the '>' of the tag that begins at `at`; `closed` when it ends in "/>". */
static inline const char *xml_skip_tag(bool *closed, const char *at)
{
    const char *c = at + 1;
    while (*c && *c != '>') {
        if (*c == '<') fail_msg("< inside a tag: %.60s", at);
        if (*c == '"') {
            const char *quote = strchr(c + 1, '"');
            if (!quote) fail_msg("a quote is not closed: %.60s", at);
            if (memchr(c + 1, '<', (size_t)(quote - c - 1))) fail_msg("< in a value: %.60s", at);
            xml_check_entities(c + 1, quote);
            c = quote;
        }
        c++;
    }
    if (!*c) fail_msg("a tag is not closed: %.60s", at);
    *closed = c[-1] == '/';
    return c + 1;
}

/* Fails the test unless `text` is well-formed. Returns the number of elements. */
static inline size_t xml_check(const char *text)
{
    enum { DEEP = 64, LONG = 24 };
    char open[DEEP][LONG];
    size_t depth = 0, count = 0;
    for (const char *c = text; *c;) {
        const char *next = strchr(c, '<');
        xml_check_entities(c, next ? next : c + strlen(c));
        if (!next) break;
        bool closed, ending = next[1] == '/';
        const char *name = next + 1 + ending;
        size_t length = strcspn(name, " />\n");
        const char *after = xml_skip_tag(&closed, next);
        assert_true(length > 0 && length < LONG);
        if (ending) {
            if (depth == 0 || strlen(open[depth - 1]) != length ||
                strncmp(open[depth - 1], name, length) != 0)
                fail_msg("</%.*s> closes %s", (int)length, name, depth ? open[depth - 1] : "none");
            depth--;
        } else if (next[1] != '!') {
            count++;
            assert_true(depth < DEEP);
            snprintf(open[depth], LONG, "%.*s", (int)length, name);
            if (!closed && !xml_is_void(open[depth])) depth++;
            if (strcmp(open[depth ? depth - 1 : 0], "style") == 0 ||
                strcmp(open[depth ? depth - 1 : 0], "script") == 0) {
                after = strstr(after, "</"); /* raw text */
                assert_non_null(after);
            }
        }
        c = after;
    }
    if (depth) fail_msg("<%s> is not closed", open[depth - 1]);
    return count;
}

static inline size_t xml_occurrences(const char *text, const char *piece)
{
    size_t count = 0;
    for (const char *c = text; (c = strstr(c, piece)); c += strlen(piece)) count++;
    return count;
}

#endif
