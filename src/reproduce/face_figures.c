/* Charts of the face experiment. */
#include "reproduce/face_figures.h"

#include "base/status.h"
#include "reproduce/figure.h"
#include "report/chart.h"

#include <math.h>

typedef struct line {
    double x[FACE_STEPS], y[FACE_STEPS], low[FACE_STEPS], high[FACE_STEPS];
} line;

/* Methods without any run are left out of the legend. */
static size_t fill_lines(line lines[FACE_METHODS], chart_series series[FACE_METHODS],
                         const session *s, size_t group)
{
    size_t used = 0;
    for (size_t m = 0; m < FACE_METHODS; m++) {
        line *l = &lines[used];
        bool any = false;
        for (size_t i = 0; i < face_steps(s); i++) {
            run_key key = face_key(m, group, i, 0);
            stats nmi = runs_stats(&s->runs, &key, RUN_NMI);
            l->x[i] = (double)face_answers[i];
            l->y[i] = nmi.count ? nmi.mean : NAN;
            l->low[i] = l->y[i] - stats_spread(&nmi);
            l->high[i] = l->y[i] + stats_spread(&nmi);
            any = any || nmi.count;
        }
        if (!any) continue;
        series[used++] = (chart_series){.name = face_methods[m].title,
                                        .count = face_steps(s),
                                        .x = l->x,
                                        .y = l->y,
                                        .low = l->low,
                                        .high = l->high,
                                        .dashed = m >= FACE_OURS,
                                        .dots = true,
                                        .colour = m};
    }
    return used;
}

static int draw_scores(result *out, const session *s, size_t group, const char *file,
                       const char *title)
{
    figure f;
    line lines[FACE_METHODS];
    chart_series series[FACE_METHODS];
    size_t used = fill_lines(lines, series, s, group);
    if (!used) return SCDC_OK;
    SCDC_TRY(figure_begin(&f, s, file, title));
    const chart frame = {.title = title,
                         .x = {.label = "answers of each worker"},
                         .y = {.label = "NMI", .low = 0, .high = 1},
                         .width = 640,
                         .height = 460,
                         .standalone = true};
    chart_lines(f.out.stream, &frame, series, used);
    return figure_end(&f, out);
}

static int draw_weights(result *out, const session *s, size_t group, const char *file,
                        const char *title)
{
    static const char *const names[FACE_WORKERS] = {".95", ".9", ".85", ".8", ".75"};
    figure f;
    double y[1 + FACE_OURS][FACE_WORKERS], low[FACE_OURS][FACE_WORKERS],
        high[FACE_OURS][FACE_WORKERS];
    chart_series series[1 + FACE_OURS] = {
        {.name = "true", .count = FACE_WORKERS, .y = y[0], .colour = 9}};
    size_t used = 1;
    for (size_t w = 0; w < FACE_WORKERS; w++) y[0][w] = face_true_weight(w);
    for (size_t m = 0; m < FACE_OURS; m++) {
        for (size_t w = 0; w < FACE_WORKERS; w++) {
            stats found = face_weight(s, m, group, w);
            y[1 + m][w] = found.count ? found.mean : NAN;
            low[m][w] = y[1 + m][w] - stats_spread(&found);
            high[m][w] = y[1 + m][w] + stats_spread(&found);
        }
        if (isnan(y[1 + m][0])) continue;
        series[used++] = (chart_series){.name = face_methods[m].title,
                                        .count = FACE_WORKERS,
                                        .y = y[1 + m],
                                        .low = low[m],
                                        .high = high[m],
                                        .colour = m};
    }
    if (used == 1) return SCDC_OK;
    SCDC_TRY(figure_begin(&f, s, file, title));
    const chart frame = {.title = title,
                         .x = {.label = "how often the worker is right"},
                         .y = {.label = "weight of an answer"},
                         .width = 640,
                         .height = 400,
                         .standalone = true};
    chart_bars(f.out.stream, &frame, names, FACE_WORKERS, series, used);
    return figure_end(&f, out);
}

int face_draw(result *out, const session *s)
{
    SCDC_TRY(draw_scores(out, s, 0, "all.svg", "NMI, answers about all images"));
    SCDC_TRY(draw_scores(out, s, 1, "100.svg", "NMI, answers about 100 images"));
    SCDC_TRY(draw_weights(out, s, 0, "weights-all.svg",
                          "Weights of the workers, most answers, about all images"));
    return draw_weights(out, s, 1, "weights-100.svg",
                        "Weights of the workers, most answers, about 100 images");
}
