/* Scatter plots. A cluster has the colour of the class most of its items are of, unless a larger
 * cluster has it already, so that arms keep their colours from picture to picture. */
#include "reproduce/pinwheel_figures.h"

#include "base/memory.h"
#include "base/status.h"
#include "report/chart.h"
#include "reproduce/figure.h"

/* counts: clusters x classes. The larger a cluster, the earlier it chooses. */
static int choose_colours(size_t *colour, const size_t *counts, size_t clusters, size_t classes)
{
    bool *chosen, taken[CHART_COLOURS] = {false};
    size_t next = classes;
    SCDC_TRY(mem_zeroed(&chosen, clusters, sizeof *chosen, "colours"));
    for (size_t turn = 0; turn < clusters; turn++) {
        size_t largest = 0, most = 0, best = 0;
        for (size_t c = 0; c < clusters; c++) {
            size_t size = 1;
            for (size_t k = 0; k < classes; k++) size += counts[c * classes + k];
            if (chosen[c] || size <= most) continue;
            most = size;
            largest = c;
        }
        for (size_t k = 1; k < classes; k++) {
            if (counts[largest * classes + k] > counts[largest * classes + best]) best = k;
        }
        chosen[largest] = true;
        bool own = best < CHART_COLOURS && !taken[best];
        colour[largest] = own ? best : next++ % CHART_COLOURS;
        taken[colour[largest]] = true;
    }
    mem_free(chosen);
    return SCDC_OK;
}

static size_t count_values(const int64_t *values, size_t n)
{
    int64_t most = 0;
    for (size_t i = 0; i < n; i++) most = values[i] > most ? values[i] : most;
    return (size_t)most + 1;
}

/* Items with their colours. */
static int fill_points(chart_point *points, const pinwheel_case *c, const scdc_labels *labels)
{
    size_t n = scdc_labels_count(labels), *counts = NULL, *colour = NULL;
    const int64_t *cluster = scdc_labels_values(labels), *class = scdc_labels_values(c->truth);
    size_t clusters = count_values(cluster, n), classes = count_values(class, n);
    float *values = NULL;
    /* The labels come from a file: more clusters than items are none of ours. */
    for (size_t i = 0; i < n; i++) {
        if (cluster[i] < 0 || (size_t)cluster[i] >= n)
            return fail_with(SCDC_ERR_INPUT, "a label is %lld, not from 0 to %zu",
                             (long long)cluster[i], n - 1);
    }
    int status = mem_zeroed(&counts, clusters * classes, sizeof *counts, "clusters");
    SCDC_TRY_OR(done, status, status);
    SCDC_TRY_OR(done, status, mem_zeroed(&colour, clusters, sizeof *colour, "clusters"));
    SCDC_TRY_OR(done, status, mem_zeroed(&values, 2 * n, sizeof *values, "items"));
    SCDC_TRY_OR(done, status, scdc_data_rows(values, c->items, 0, n));
    for (size_t i = 0; i < n; i++) counts[(size_t)cluster[i] * classes + (size_t) class[i]]++;
    SCDC_TRY_OR(done, status, choose_colours(colour, counts, clusters, classes));
    for (size_t i = 0; i < n; i++)
        points[i] = (chart_point){
            .x = values[2 * i], .y = values[2 * i + 1], .group = (uint32_t)colour[cluster[i]]};
done:
    mem_free(values);
    mem_free(colour);
    mem_free(counts);
    return status;
}

static int write_chart(result *page, const session *s, const char *file, const char *title,
                       const chart_point *points, size_t count)
{
    figure f;
    SCDC_TRY(figure_begin(&f, s, file, title));
    const chart frame = {.title = title, .width = 420, .height = 400, .standalone = true};
    chart_scatter(f.out.stream, &frame, points, count, NULL, 0, NULL, 0);
    return figure_end(&f, page);
}

int pinwheel_draw(result *page, const session *s, const pinwheel_case *c, const scdc_labels *labels,
                  bool marked, const char *file, const char *title)
{
    chart_point *points;
    size_t n = scdc_labels_count(labels), answers = 0;
    SCDC_TRY(mem_zeroed(&points, n, sizeof *points, "points"));
    int status = fill_points(points, c, labels);
    const scdc_answer *answer = scdc_crowd_answers(c->crowd, &answers);
    for (size_t t = 0; marked && t < answers; t++)
        points[answer[t].left].marked = points[answer[t].right].marked = true;
    if (status == SCDC_OK) status = write_chart(page, s, file, title, points, n);
    mem_free(points);
    return status;
}
