/* Ranges, scales and tick marks. */
#include "report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void axis_include(axis_range *range, double value)
{
    if (!isfinite(value)) return;
    if (range->low > range->high) {
        range->low = range->high = value;
    } else if (value < range->low) {
        range->low = value;
    } else if (value > range->high) {
        range->high = value;
    }
}

axis_range axis_usable(axis_range r, double margin, bool log)
{
    if (r.low > r.high) r = (axis_range){log ? 1 : 0, log ? 10 : 1};
    if (log) {
        if (!(r.high > 0)) r.high = 1;
        if (!(r.low > 0)) r.low = r.high / 1000;
        double factor = r.high > r.low ? pow(r.high, margin) / pow(r.low, margin) : 2;
        return (axis_range){r.low / factor, r.high * factor};
    }
    /* Below this a width is noise of the last digits, and marks would not differ. */
    double least = 1e-9 * fmax(fabs(r.low), fabs(r.high));
    if (r.high - r.low <= least) {
        double half = r.low == 0 ? 1 : fabs(r.low) / 10;
        return (axis_range){r.low - half, r.high + half};
    }
    double more = margin * (r.high - r.low);
    return (axis_range){r.low - more, r.high + more};
}

double axis_at(const axis_scale *s, double value)
{
    double low = s->values.low, high = s->values.high;
    if (s->log) {
        low = log(low);
        high = log(high);
        value = value > 0 ? log(value) : low;
    }
    double share = (value - low) / (high - low);
    if (!(share > 0)) share = 0;
    if (share > 1) share = 1;
    return s->from + share * (s->to - s->from);
}

/* ---- ticks ---------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < 3; i++) {
        static const double steps[] = {1, 2, 5};
        if (steps[i] * power >= least * (1 - 1e-9)) return steps[i] * power;
    }
    return 10 * power;
}

/* The locale's decimal comma becomes a point, the hyphen a minus sign. */
static void write_label(char out[AXIS_LABEL], double value, int decimals, const char *unit)
{
    char digits[AXIS_LABEL];
    bool negative = value < 0;
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    for (char *c = digits; *c; c++) {
        if (*c == ',') *c = '.';
    }
    snprintf(out, AXIS_LABEL, "%s%.*s%s", negative ? "\xE2\x88\x92" : "", AXIS_LABEL - 6, digits,
             unit);
}

static void label_linear(axis_ticks *t, double step)
{
    double largest = 0;
    for (size_t i = 0; i < t->count; i++) largest = fmax(largest, fabs(t->at[i]));
    static const struct {
        double size;
        const char *name;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
    double divisor = 1;
    const char *unit = "";
    for (size_t i = 0; i < sizeof units / sizeof units[0] && divisor == 1; i++) {
        if (largest < units[i].size) continue;
        divisor = units[i].size == 1e4 ? 1e3 : units[i].size;
        unit = units[i].name;
    }
    double places = -floor(log10(step / divisor) + 1e-9);
    int decimals = places < 0 ? 0 : places > 9 ? 9 : (int)places;
    for (size_t i = 0; i < t->count; i++)
        write_label(t->label[i], t->at[i] / divisor, decimals, t->at[i] == 0 ? "" : unit);
}

static void linear_ticks(axis_ticks *t, axis_range r, size_t wanted, bool whole)
{
    double step = round_step((r.high - r.low) / (double)(wanted ? wanted : 1));
    if (whole && step < 1) step = 1;
    double slack = 1e-9 * step;
    for (double k = ceil((r.low - slack) / step); t->count < AXIS_MOST_TICKS; k++) {
        double value = k * step;
        if (value > r.high + slack) break;
        t->at[t->count++] = value == 0 ? 0 : value; /* no negative zero */
    }
    label_linear(t, step);
}

static void log_ticks(axis_ticks *t, axis_range r)
{
    double decades = log10(r.high) - log10(r.low);
    double every = decades > 8 ? ceil(decades / 8) : 1;
    for (double e = floor(log10(r.low)); e <= log10(r.high) && t->count < AXIS_MOST_TICKS;
         e += every) {
        static const double fine[] = {1, 2, 5};
        for (size_t i = 0; i < (decades < 2.5 ? 3 : 1) && t->count < AXIS_MOST_TICKS; i++) {
            double value = fine[i] * pow(10, e);
            if (value < r.low * (1 - 1e-9) || value > r.high * (1 + 1e-9)) continue;
            t->at[t->count] = value;
            char *label = t->label[t->count++];
            if (e >= -4 && e < 4) {
                write_label(label, value, e < 0 ? (int)-e : 0, "");
            } else {
                snprintf(label, AXIS_LABEL, "%.0fe%d", fine[i], (int)e);
            }
        }
    }
}

void axis_make_ticks(axis_ticks *out, axis_range range, size_t wanted, bool log, bool whole)
{
    *out = (axis_ticks){0};
    if (!(range.high > range.low) || !isfinite(range.high - range.low)) return;
    if (log) {
        log_ticks(out, range);
    } else {
        linear_ticks(out, range, wanted, whole);
    }
}
