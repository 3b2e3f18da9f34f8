/* Escaping, numbers and data URIs. */
#include "report/markup.h"

#include <math.h>
#include <stdint.h>

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* Length of the UTF-8 sequence at `s` and its character; 0 for bytes that are none (overlong forms
 * and surrogates too). A sequence ends at the NUL at the latest. */
static size_t decode(uint32_t *out, const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xC0 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (length == 0 || s[0] > 0xF4) return 0;
    uint32_t c = length == 1 ? s[0] : s[0] & (0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3F);
    }
    if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
    *out = c;
    return length;
}

static void put_character(FILE *out, uint32_t c, const unsigned char *bytes, size_t length)
{
    switch (c) {
    case '&': fputs("&amp;", out); return;
    case '<': fputs("&lt;", out); return;
    case '>': fputs("&gt;", out); return;
    case '"': fputs("&quot;", out); return;
    case '\'': fputs("&#39;", out); return;
    case '\t':
    case '\n':
    case '\r': putc(' ', out); return;
    default: break;
    }
    if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF) {
        fputs(REPLACEMENT, out);
    } else {
        fwrite(bytes, 1, length, out);
    }
}

void markup_short(FILE *out, const char *text, size_t most)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t written = 0; *s; written++) {
        uint32_t c;
        size_t length = decode(&c, s);
        if (written == most) {
            fputs("\xE2\x80\xA6", out);
            return;
        }
        if (length) {
            put_character(out, c, s, length);
        } else {
            fputs(REPLACEMENT, out);
            length = 1;
        }
        s += length;
    }
}

void markup_text(FILE *out, const char *text)
{
    markup_short(out, text, SIZE_MAX);
}

size_t markup_length(const char *text)
{
    size_t count = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s; count++) {
        uint32_t c;
        size_t length = decode(&c, s);
        s += length ? length : 1;
    }
    return count;
}

void markup_number(FILE *out, double value)
{
    if (!(fabs(value) < 1e12)) value = 0;
    long long hundredths = llround(value * 100);
    if (hundredths < 0) {
        putc('-', out);
        hundredths = -hundredths;
    }
    fprintf(out, "%lld", hundredths / 100);
    int rest = (int)(hundredths % 100);
    if (rest == 0) return;
    fprintf(out, rest % 10 ? ".%02d" : ".%d", rest % 10 ? rest : rest / 10);
}

void markup_count(FILE *out, size_t value)
{
    if (value >= 1000) {
        markup_count(out, value / 1000);
        fprintf(out, "\xE2\x80\xAF%03zu", value % 1000);
    } else {
        fprintf(out, "%zu", value);
    }
}

void markup_data_uri(FILE *out, const char *mime, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    fprintf(out, "data:%s;base64,", mime);
    for (size_t i = 0; i < size; i += 3) {
        size_t have = size - i < 3 ? size - i : 3;
        uint32_t group = (uint32_t)b[i] << 16;
        if (have > 1) group |= (uint32_t)b[i + 1] << 8;
        if (have > 2) group |= b[i + 2];
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        have > 1 ? digits[group >> 6 & 63] : '=',
                        have > 2 ? digits[group & 63] : '='};
        fwrite(four, 1, 4, out);
    }
}
