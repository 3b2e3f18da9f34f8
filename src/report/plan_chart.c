/* The learning curve of a plan as a chart. */
#include "report/plan_chart.h"

#include "base/memory.h"
#include "base/status.h"
#include "io/writer.h"
#include "report/chart.h"

enum { MEASURED, EXPECTED, LINES };

int plan_chart(FILE *out, const scdc_outlook *outlook, bool standalone)
{
    size_t count;
    double *columns;
    const scdc_plan_point *points = scdc_outlook_points(outlook, &count);
    SCDC_TRY(mem_zeroed(&columns, 4 * count, sizeof *columns, "a chart"));
    size_t measured = 0;
    for (size_t i = 0; i < count; i++) {
        columns[i] = points[i].answers > 1 ? points[i].answers : 1; /* the axis has no 0 */
        columns[count + i] = points[i].accuracy;
        columns[2 * count + i] = points[i].low;
        columns[3 * count + i] = points[i].high;
        if (points[i].measured) measured = i + 1;
    }
    chart_series lines[LINES];
    for (size_t s = 0; s < LINES; s++) {
        size_t from = s == EXPECTED && measured ? measured - 1 : 0;
        lines[s] = (chart_series){.name = s == MEASURED ? "so far" : "expected",
                                  .count = s == MEASURED ? measured : count - from,
                                  .x = columns + from,
                                  .y = columns + count + from,
                                  .low = columns + 2 * count + from,
                                  .high = columns + 3 * count + from,
                                  .dashed = s == EXPECTED,
                                  .dots = true,
                                  .colour = 0};
    }
    chart c = {.title = "Accuracy and answers",
               .text = "Share of right labels against the number of answers",
               .x = {.label = "answers", .log = true},
               .y = {.label = "share of right labels"},
               .standalone = standalone};
    chart_lines(out, &c, lines + (measured ? 0 : 1), measured ? LINES : 1);
    mem_free(columns);
    return SCDC_OK;
}

int scdc_outlook_write_svg(const char *path, const scdc_outlook *outlook)
{
    writer w;
    if (!path || !outlook) return fail_with(SCDC_ERR_ARGUMENT, "path and outlook must not be NULL");
    SCDC_TRY(writer_open(&w, path));
    int status = plan_chart(w.stream, outlook, true);
    if (status == SCDC_OK) return writer_commit(&w);
    writer_abandon(&w);
    return status;
}
