/* Numbers in csv fields, the same in every locale: an exact fast path for short decimals and the C
 * library in the "C" locale for the rest. */
#include "io/csv.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
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

int csv_shown(csv_field field)
{
    return field.length > 40 ? 40 : (int)field.length;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

bool csv_equals(csv_field field, const char *text)
{
    size_t i = 0;
    for (; i < field.length; i++) {
        if (!text[i] || lower(field.text[i]) != lower(text[i])) return false;
    }
    return !text[i];
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

static bool parse_special(double *out, csv_field field)
{
    bool negative = field.length && field.text[0] == '-';
    if (field.length && (field.text[0] == '-' || field.text[0] == '+')) {
        field.text++;
        field.length--;
    }
    if (csv_equals(field, "nan")) {
        *out = NAN;
    } else if (csv_equals(field, "inf") || csv_equals(field, "infinity")) {
        *out = negative ? -INFINITY : INFINITY;
    } else {
        return false;
    }
    return true;
}

static bool parse_slowly(double *out, csv_field field)
{
    char text[LONGEST_NUMERAL + 1];
    if (field.length > LONGEST_NUMERAL) return false;
    memcpy(text, field.text, field.length);
    text[field.length] = '\0';
    pthread_once(&c_locale_once, make_c_locale);
    if (!c_locale) return false;
    char *end;
    *out = strtod_l(text, &end, c_locale);
    return end == text + field.length;
}

bool csv_parse_double(double *out, csv_field field)
{
    numeral n = {0};
    if (!take_apart(&n, field.text, field.text + field.length)) return parse_special(out, field);
    /* Both factors are exact doubles, so one multiplication or division rounds correctly. */
    if (n.n_digits <= 19 && n.digits <= (uint64_t)1 << 53 && n.exponent >= -22 &&
        n.exponent <= 22) {
        double value = (double)n.digits;
        value = n.exponent < 0 ? value / powers[-n.exponent] : value * powers[n.exponent];
        *out = n.negative ? -value : value;
        return true;
    }
    return parse_slowly(out, field);
}

bool csv_parse_int64(int64_t *out, csv_field field)
{
    const char *p = field.text, *end = p + field.length;
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
