/* What the last update changed: which items moved, from where to where, and why. */
#include "report/page.h"
#include "report/sections.h"

enum { MOST_ROWS = 50, FIELDS = 4 };

int section_changes(FILE *out, const report_view *v)
{
    const scdc_report *in = v->in;
    size_t shown = in->n_changes < MOST_ROWS ? in->n_changes : MOST_ROWS;
    if (!in->updates) return SCDC_OK;
    page_section(out, "changes", "Changes");
    page_put(out,
             "<p>The run was updated %c time%t since its fit. The last update moved <b>%c "
             "item%t</b>; clusters keep their numbers.</p>\n",
             in->updates, page_plural(in->updates), in->n_changes, page_plural(in->n_changes));
    if (!shown) return SCDC_OK;
    fputs("<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">item</th><th "
          "scope=\"col\">from</th><th scope=\"col\">to</th><th "
          "scope=\"col\">because</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < shown; i++) {
        const char *const *row = in->changes + i * FIELDS;
        page_put(out,
                 "<tr><td class=\"l\"><bdi>%t</bdi></td><td>%t</td><td>%t</td><td "
                 "class=\"l\"><bdi>%t</bdi></td></tr>\n",
                 row[0], row[1], row[2], row[3]);
    }
    fputs("</tbody></table></div>\n", out);
    if (shown < in->n_changes)
        page_put(out,
                 "<p class=\"quiet\">The first %c of %c are shown; changes.csv has them "
                 "all.</p>\n",
                 shown, in->n_changes);
    return SCDC_OK;
}
