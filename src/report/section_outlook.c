/* How good the labels are by now, how that has grown, and what more answers would give. */
#include "report/sections.h"

#include "base/status.h"
#include "report/figures.h"
#include "report/page.h"

#include <scdc/asking.h>

int section_outlook(FILE *out, const report_view *v)
{
    scdc_outlook_info info;
    if (!v->in->outlook) return SCDC_OK;
    SCDC_TRY(scdc_outlook_get_info(&info, v->in->outlook));
    page_section(out, "outlook", "Outlook");
    page_put(out, "<p>%t</p>\n<figure>\n", info.sentence);
    int status = figure_draw(out, FIGURE_OUTLOOK, v, false);
    fputs("<figcaption>Share of right labels, judged by the answers: so far, and as more answers "
          "are expected to change it. Bars are 95 % ranges.</figcaption>\n</figure>\n",
          out);
    page_section_end(out);
    return status;
}
