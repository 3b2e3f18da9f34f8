/* Marks and texts of SVG, and the colours of light and dark screens. */
#include "report/svg.h"

#include "report/markup.h"

#include <math.h>
#include <string.h>

/* The ten series colours are told apart by lightness too, and keep a contrast of 3 to 1 or more. */
static const char *const light[CHART_COLOURS] = {"#3267ad", "#d0690f", "#23864a", "#c2363c",
                                                 "#7650b0", "#0f8296", "#85592f", "#bd4b94",
                                                 "#767a12", "#5a6675"};
static const char *const dark[CHART_COLOURS] = {"#77aaf0", "#f0a05a", "#62c483", "#f28084",
                                                "#b394e8", "#4dbfd2", "#c9a37a", "#ef97cf",
                                                "#bec05a", "#9fadbe"};
static const struct {
    const char *name, *property, *light, *dark;
} inks[] = {
    [SVG_TEXT] = {"ink", "fill", "#1d2129", "#e8eaee"},
    [SVG_MUTED] = {"muted", "fill", "#59606b", "#a8afba"},
    [SVG_AXIS] = {"axis", "stroke", "#868d98", "#7d8591"},
    [SVG_GRID] = {"grid", "stroke", "#e4e7eb", "#333942"},
};

static void put_rules(FILE *out, bool in_dark)
{
    for (size_t i = 0; i < sizeof inks / sizeof inks[0]; i++)
        fprintf(out, ".%s{%s:%s}", inks[i].name, inks[i].property,
                in_dark ? inks[i].dark : inks[i].light);
    for (size_t i = 0; i < CHART_COLOURS; i++) {
        const char *colour = in_dark ? dark[i] : light[i];
        fprintf(out, ".f%zu{fill:%s;background:%s}.s%zu{stroke:%s}", i, colour, colour, i, colour);
    }
}

void chart_css(FILE *out)
{
    put_rules(out, false);
    fputs(".rim{stroke:#fff}.rims{stroke:#1d2129}@media screen and (prefers-color-scheme:dark){",
          out);
    put_rules(out, true);
    fputs(".rim{stroke:#16181d}.rims{stroke:#fff}}", out);
}

/* Of a wide typeface, so that texts rather have too much room than too little. */
static double character_width(unsigned char c)
{
    if (c >= 0x80 && c < 0xC0) return 0; /* a later byte of a character */
    if (strchr("mMwW", c)) return 0.9 * SVG_FONT;
    if (c >= 'A' && c <= 'Z') return 0.7 * SVG_FONT;
    if (strchr(" ijl.,:;'|!()", c)) return 0.38 * SVG_FONT;
    return 0.63 * SVG_FONT;
}

double svg_text_width(const char *text)
{
    double width = 0;
    size_t length = 0;
    for (; *text && length <= SVG_MOST_TEXT; text++) {
        double more = character_width((unsigned char)*text);
        width += more;
        length += more > 0;
    }
    return width;
}

static void put_size(FILE *out, const char *name, double value)
{
    fprintf(out, " %s=\"", name);
    markup_number(out, value);
    putc('"', out);
}

void svg_begin(FILE *out, const chart *c, double width, double height)
{
    fputs("<svg", out);
    if (c->standalone) {
        fputs(" xmlns=\"http://www.w3.org/2000/svg\"", out);
        put_size(out, "width", width);
        put_size(out, "height", height);
    }
    fputs(" viewBox=\"0 0 ", out);
    markup_number(out, width);
    putc(' ', out);
    markup_number(out, height);
    fprintf(out,
            "\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"%d\" aria-label=\"",
            SVG_FONT);
    markup_text(out, c->title ? c->title : "chart");
    if (c->text) {
        fputs(". ", out);
        markup_text(out, c->text);
    }
    putc('"', out);
    if (!c->standalone) {
        fputs(" style=\"max-width:", out);
        markup_number(out, 1.15 * width); /* larger, its texts would be larger than the page's */
        fputs("px\">\n", out);
        return;
    }
    fputs(">\n", out);
    fputs("<title>", out);
    markup_text(out, c->title ? c->title : "chart");
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
}

void svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void svg_line(FILE *out, svg_ink ink, double x1, double y1, double x2, double y2)
{
    fprintf(out, "<path class=\"%s\" stroke=\"%s\" d=\"M", inks[ink].name, inks[ink].light);
    markup_number(out, x1);
    putc(' ', out);
    markup_number(out, y1);
    putc('L', out);
    markup_number(out, x2);
    putc(' ', out);
    markup_number(out, y2);
    fputs("\"/>\n", out);
}

static void text_attributes(FILE *out, svg_ink ink, svg_anchor anchor)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fprintf(out, " class=\"%s\" fill=\"%s\"%s", inks[ink].name, inks[ink].light, anchors[anchor]);
}

void svg_text(FILE *out, svg_ink ink, svg_anchor anchor, double x, double y, const char *text)
{
    svg_text_cut(out, ink, anchor, x, y, text, SVG_MOST_TEXT);
}

void svg_text_cut(FILE *out, svg_ink ink, svg_anchor anchor, double x, double y, const char *text,
                  size_t most)
{
    fputs("<text", out);
    text_attributes(out, ink, anchor);
    put_size(out, "x", x);
    put_size(out, "y", y);
    putc('>', out);
    markup_short(out, text, most);
    fputs("</text>\n", out);
}

void svg_fill(FILE *out, size_t colour)
{
    colour %= CHART_COLOURS;
    fprintf(out, " class=\"f%zu\" fill=\"%s\"", colour, light[colour]);
}

void svg_stroke(FILE *out, size_t colour)
{
    if (colour == SVG_NO_COLOUR) {
        fprintf(out, " class=\"rims\" stroke=\"%s\"", inks[SVG_TEXT].light);
        return;
    }
    colour %= CHART_COLOURS;
    fprintf(out, " class=\"s%zu\" stroke=\"%s\"", colour, light[colour]);
}

/* ---- labels that keep apart ----------------------------------------------------------------- */

static bool is_free(const svg_labels *l, double left, double top, double right, double bottom)
{
    for (size_t i = 0; i < l->count; i++) {
        if (left < l->box[i].right && right > l->box[i].left && top < l->box[i].bottom &&
            bottom > l->box[i].top)
            return false;
    }
    return true;
}

void svg_place(svg_plot *p, svg_labels *l, svg_anchor anchor, double x, double y, const char *text)
{
    enum { STEPS = 9 };
    double width = svg_text_width(text) + 4, height = SVG_FONT + 3;
    for (int step = 0; step < STEPS && l->count < SVG_MOST_LABELS; step++) {
        /* 0, then up and down in turn */
        double dy = height * (double)((step + 1) / 2) * (step % 2 ? -1 : 1);
        double left = anchor == SVG_START ? x : anchor == SVG_END ? x - width : x - width / 2;
        if (left + width > p->right) left = p->right - width;
        if (left < p->left) left = p->left;
        double bottom = y + dy + 3, top = bottom - height;
        if (top < p->top || bottom > p->bottom) continue;
        if (!is_free(l, left, top, left + width, bottom)) continue;
        l->box[l->count].left = left;
        l->box[l->count].right = left + width;
        l->box[l->count].top = top;
        l->box[l->count++].bottom = bottom;
        fputs("<g class=\"rim\" stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
              "paint-order=\"stroke\" font-weight=\"600\">",
              p->out);
        svg_text(p->out, SVG_TEXT, SVG_START, left + 2, y + dy, text);
        fputs("</g>\n", p->out);
        return;
    }
}
