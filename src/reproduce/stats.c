/* Sums by Welford's way: no cancellation, and one pass. */
#include "reproduce/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void stats_add(stats *s, double value)
{
    if (isnan(value)) return;
    double before = value - s->mean;
    s->mean += before / (double)++s->count;
    s->squares += before * (value - s->mean);
}

double stats_spread(const stats *s)
{
    return s->count ? sqrt(s->squares / (double)s->count) : 0;
}

void stats_number(char *out, size_t size, double value, int decimals)
{
    char text[64];
    if (!isfinite(value)) {
        snprintf(out, size, "-");
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals, fabs(value));
    /* A score: ".956", as the tables of papers have it. */
    const char *digits = text[0] == '0' && text[1] == '.' ? text + 1 : text;
    snprintf(out, size, "%s%s", value < 0 && strspn(text, "0.") < strlen(text) ? "-" : "", digits);
}

void stats_text(char *out, size_t size, const stats *s, int decimals)
{
    char mean[64], spread[64];
    if (s->count == 0) {
        snprintf(out, size, "-");
        return;
    }
    stats_number(mean, sizeof mean, s->mean, decimals);
    stats_number(spread, sizeof spread, stats_spread(s), decimals);
    if (s->count == 1) {
        snprintf(out, size, "%s (1)", mean);
    } else {
        snprintf(out, size, "%s ± %s (%zu)", mean, spread, s->count);
    }
}
