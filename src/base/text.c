/* Numbers in texts: an exact fast path for short decimals and the C library in the "C" locale for
 * the rest. */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

/* Longer numerals are refused: nobody writes them, and it bounds the copy on the stack. */
enum { LONGEST_NUMERAL = 1023 };

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

bool text_equals(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    for (; i < length; i++) {
        if (!word[i] || lower(text[i]) != lower(word[i])) return false;
    }
    return !word[i];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal numeral taken apart. */
typedef struct numeral {
    bool negative;
    uint64_t digits; /* all of them as one integer, when there are at most 19 significant ones */
    int n_digits;    /* significant ones */
    long exponent;   /* value = digits * 10^exponent */
} numeral;

static const char *take_digits(numeral *n, const char *p, const char *end, size_t *seen)
{
    for (; p < end && is_digit(*p); p++, ++*seen) {
        if (n->n_digits == 20) continue; /* too many already; only the exponent is wanted */
        n->digits = n->digits * 10 + (uint64_t)(*p - '0');
        n->n_digits += n->n_digits > 0 || *p != '0';
    }
    return p;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit somewhere before the e. */
static bool take_apart(numeral *n, const char *p, const char *end)
{
    size_t whole = 0, fraction = 0;
    if (p < end && (*p == '+' || *p == '-')) n->negative = *p++ == '-';
    p = take_digits(n, p, end, &whole);
    if (p < end && *p == '.') p = take_digits(n, p + 1, end, &fraction);
    if (whole + fraction == 0) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool down = false;
        size_t seen = 0;
        p++;
        if (p < end && (*p == '+' || *p == '-')) down = *p++ == '-';
        for (; p < end && is_digit(*p); p++, seen++) {
            if (n->exponent < 100000) n->exponent = n->exponent * 10 + (*p - '0');
        }
        if (!seen) return false;
        if (down) n->exponent = -n->exponent;
    }
    n->exponent -= (long)fraction;
    return p == end;
}

static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool parse_special(double *out, const char *text, size_t length)
{
    bool negative = length && text[0] == '-';
    if (length && (text[0] == '-' || text[0] == '+')) {
        text++;
        length--;
    }
    if (text_equals(text, length, "nan")) {
        *out = NAN;
    } else if (text_equals(text, length, "inf") || text_equals(text, length, "infinity")) {
        *out = negative ? -INFINITY : INFINITY;
    } else {
        return false;
    }
    return true;
}

static bool parse_slowly(double *out, const char *text, size_t length)
{
    char copy[LONGEST_NUMERAL + 1];
    if (length > LONGEST_NUMERAL) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    pthread_once(&c_locale_once, make_c_locale);
    if (!c_locale) return false;
    char *end;
    *out = strtod_l(copy, &end, c_locale);
    return end == copy + length;
}

bool text_double(double *out, const char *text, size_t length)
{
    numeral n = {0};
    if (!take_apart(&n, text, text + length)) return parse_special(out, text, length);
    /* Both factors are exact doubles, so one multiplication or division rounds correctly. */
    if (n.n_digits <= 19 && n.digits <= (uint64_t)1 << 53 && n.exponent >= -22 &&
        n.exponent <= 22) {
        double value = (double)n.digits;
        value = n.exponent < 0 ? value / powers[-n.exponent] : value * powers[n.exponent];
        *out = n.negative ? -value : value;
        return true;
    }
    return parse_slowly(out, text, length);
}

bool text_int64(int64_t *out, const char *text, size_t length)
{
    const char *p = text, *end = p + length;
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
    if (p == end) return false;
    int64_t value = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) return false;
        int digit = *p - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value)) {
            return false;
        }
    }
    /* Counted downwards, because INT64_MIN has no positive twin. */
    if (!negative && value == INT64_MIN) return false;
    *out = negative ? value : -value;
    return true;
}

bool text_uint64(uint64_t *out, const char *text, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value)) {
            return false;
        }
    }
    if (length) *out = value;
    return length > 0;
}

void text_of_double(char *out, size_t size, double value)
{
    pthread_once(&c_locale_once, make_c_locale);
    locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    bool plain = fabs(value) < 1e15 && value == floor(value); /* 60, not 6e+01 */
    if (plain) snprintf(out, size, "%.0f", value);
    for (int digits = 1; !plain && digits <= 17; digits++) {
        double again;
        snprintf(out, size, "%.*g", digits, value);
        if (text_double(&again, out, strlen(out)) && again == value) break;
    }
    if (before) uselocale(before);
}
