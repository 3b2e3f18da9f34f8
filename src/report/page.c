/* The page of a report. It names no host, and tells the browser to ask none. */
#include "report/page.h"

#include "report/chart.h"
#include "report/markup.h"
#include "report/page_style.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* 97.3 %; nothing that is not certain is called 100 %, nothing that is there 0 %. */
static void put_percentage(FILE *out, double share)
{
    long tenths = lround(1000 * fmin(1, fmax(0, share)));
    if (share <= 0 || share >= 1) {
        fputs(share <= 0 ? "0" : "100", out);
    } else if (tenths == 0 || tenths == 1000) {
        fputs(tenths ? "over 99.9" : "below 0.1", out);
    } else {
        fprintf(out, "%ld.%ld", tenths / 10, tenths % 10);
    }
    fputs("\xE2\x80\xAF%", out);
}

/* 0.973, and never 1.000 for what is less. */
static void put_share(FILE *out, double share)
{
    long thousandths = lround(1000 * fmin(1, fmax(0, share)));
    if (thousandths == 1000 && share < 1) {
        fputs("&gt;0.999", out);
    } else {
        fprintf(out, "%ld.%03ld", thousandths / 1000, thousandths % 1000);
    }
}

/* 0.90, with a minus sign where there is one; whatever the locale. */
static void put_fixed(FILE *out, double value)
{
    long hundredths = isfinite(value) ? lround(100 * fmin(1e6, fmax(-1e6, value))) : 0;
    if (hundredths < 0) fputs("\xE2\x88\x92", out);
    hundredths = labs(hundredths);
    fprintf(out, "%ld.%02ld", hundredths / 100, hundredths % 100);
}

void page_put(FILE *out, const char *form, ...)
{
    va_list values;
    va_start(values, form);
    for (const char *f = form; *f; f++) {
        if (*f != '%') {
            putc(*f, out);
            continue;
        }
        switch (*++f) {
        case 't': markup_text(out, va_arg(values, const char *)); break;
        case 'n': markup_short(out, va_arg(values, const char *), 60); break;
        case 'c': markup_count(out, va_arg(values, size_t)); break;
        case 'u': fprintf(out, "%zu", va_arg(values, size_t)); break;
        case 'f': markup_number(out, va_arg(values, double)); break;
        case 'd': put_fixed(out, va_arg(values, double)); break;
        case 'q': put_share(out, va_arg(values, double)); break;
        case 'p': put_percentage(out, va_arg(values, double)); break;
        default: putc('%', out); break;
        }
    }
    va_end(values);
}

void page_begin(FILE *out, const char *title)
{
    page_put(out,
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
             "img-src data:; style-src &#39;unsafe-inline&#39;; script-src "
             "&#39;unsafe-inline&#39;\">\n"
             "<meta name=\"referrer\" content=\"no-referrer\">\n<title>%t</title>\n<style>",
             title);
    fputs(page_style, out);
    chart_css(out);
    page_put(out, "</style>\n</head>\n<body>\n<header>\n<h1>%t</h1>\n", title);
}

void page_end(FILE *out)
{
    fputs("<script>", out);
    fputs(page_script, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

void page_section(FILE *out, const char *id, const char *heading)
{
    page_put(out, "<section id=\"%t\">\n<h2>%t</h2>\n", id, heading);
}

void page_section_end(FILE *out)
{
    fputs("</section>\n", out);
}

const char *page_plural(size_t count)
{
    return count == 1 ? "" : "s";
}
