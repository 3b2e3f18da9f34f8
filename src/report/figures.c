/* Charts from a view: training, the latent plane, workers. */
#include "report/figures.h"

#include "base/status.h"
#include "report/chart.h"
#include "report/plan_chart.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_WORKERS = 300, MOST_NAMED = 12, LEAST_FOR_ELLIPSE = 5, SHORT_NAME = 24 };

/* ---- training ------------------------------------------------------------------------------- */

/* Columns of the record of epochs; terms are per item and without their sign. */
typedef struct epoch_columns {
    size_t count;
    double *epoch, *bound, *term[5], *live, *clusters, *seconds;
} epoch_columns;

/* Of the epoch at `index`; NaN when nobody tells. */
static double seconds_of(const scdc_report *in, const scdc_epoch *epochs, size_t index)
{
    return in->seconds ? in->seconds[index] : epochs[index].seconds;
}

static void fill_columns(epoch_columns *c, const scdc_report *in, const scdc_epoch *epochs,
                         double items)
{
    for (size_t i = 0; i < c->count; i++) {
        const scdc_epoch *e = &epochs[i];
        const double terms[5] = {e->reconstruction, e->kl_z, e->kl_x, e->answers, e->kl_global};
        c->epoch[i] = (double)e->epoch;
        c->bound[i] = e->bound / items;
        for (size_t t = 0; t < 5; t++) {
            double size = fabs(terms[t]) / items;
            c->term[t][i] = size > 0 ? size : NAN;
        }
        c->live[i] = (double)e->live_components;
        c->clusters[i] = (double)e->clusters;
        c->seconds[i] = seconds_of(in, epochs, i);
    }
}

static void draw_terms(FILE *out, const epoch_columns *c, bool standalone)
{
    static const char *const names[5] = {"reconstruction", "KL of z", "KL of x", "answers",
                                         "KL of the globals"};
    chart_series series[5];
    size_t used = 0;
    for (size_t t = 0; t < 5; t++) {
        bool any = false;
        for (size_t i = 0; i < c->count; i++) any = any || isfinite(c->term[t][i]);
        if (any)
            series[used++] = (chart_series){
                .name = names[t], .count = c->count, .x = c->epoch, .y = c->term[t], .colour = t};
    }
    chart_lines(out,
                &(chart){.title = "Terms of the bound over epochs",
                         .text = "sizes without sign, per item, on a logarithmic axis",
                         .x = {.label = "epoch", .whole = true},
                         .y = {.label = "nats per item, size", .log = true},
                         .standalone = standalone},
                series, used);
}

static void draw_epochs(FILE *out, figure_kind kind, const epoch_columns *c, bool standalone)
{
    chart frame = {.x = {.label = "epoch", .whole = true}, .standalone = standalone};
    chart_series one = {.count = c->count, .x = c->epoch};
    if (kind == FIGURE_BOUND) {
        one.y = c->bound;
        frame.title = "The bound over epochs";
        frame.y.label = "nats per item";
        chart_lines(out, &frame, &one, 1);
    } else if (kind == FIGURE_SECONDS) {
        one.y = c->seconds;
        frame.title = "Seconds per epoch";
        frame.y.label = "seconds";
        frame.y.high = 0;
        for (size_t i = 0; i < c->count; i++) frame.y.high = fmax(frame.y.high, c->seconds[i]);
        frame.y.high *= 1.08;
        chart_lines(out, &frame, &one, 1);
    } else {
        const chart_series both[2] = {
            {.name = "live components", .count = c->count, .x = c->epoch, .y = c->live},
            {.name = "clusters", .count = c->count, .x = c->epoch, .y = c->clusters, .colour = 1}};
        frame.title = "Live components and clusters over epochs";
        frame.y = (chart_axis){.whole = true};
        for (size_t i = 0; i < c->count; i++) frame.y.high = fmax(frame.y.high, c->live[i] + 1);
        chart_lines(out, &frame, both, 2);
    }
}

static int figure_training(FILE *out, figure_kind kind, const report_view *v, bool standalone)
{
    epoch_columns c;
    double *block, **column[] = {&c.epoch,   &c.bound,   &c.term[0], &c.term[1],  &c.term[2],
                                 &c.term[3], &c.term[4], &c.live,    &c.clusters, &c.seconds};
    enum { COLUMNS = sizeof column / sizeof column[0] };
    const scdc_epoch *epochs = scdc_model_epochs(v->in->model, &c.count);
    SCDC_TRY(mem_zeroed(&block, c.count * COLUMNS, sizeof *block, "epochs"));
    for (size_t i = 0; i < COLUMNS; i++) *column[i] = block + i * c.count;
    fill_columns(&c, v->in, epochs, (double)(v->info.items ? v->info.items : 1));
    if (kind == FIGURE_TERMS) {
        draw_terms(out, &c, standalone);
    } else {
        draw_epochs(out, kind, &c, standalone);
    }
    mem_free(block);
    return SCDC_OK;
}

/* ---- latent plane --------------------------------------------------------------------------- */

/* Sums over the picks of a component or a cluster. */
typedef struct moments {
    double n, x, y, xx, xy, yy;
} moments;

static void moments_add(moments *m, const double *at)
{
    m->n++;
    m->x += at[0];
    m->y += at[1];
    m->xx += at[0] * at[0];
    m->xy += at[0] * at[1];
    m->yy += at[1] * at[1];
}

static size_t make_ellipses(chart_ellipse *out, const moments *components, const report_view *v)
{
    size_t count = 0;
    double largest = 1e-12;
    for (size_t k = 0; k < v->info.components; k++) largest = fmax(largest, v->proportions[k]);
    for (size_t k = 0; k < v->info.components; k++) {
        const moments *m = &components[k];
        if (v->cluster_of[k] < 0 || m->n < LEAST_FOR_ELLIPSE) continue;
        double x = m->x / m->n, y = m->y / m->n;
        out[count++] = (chart_ellipse){.x = x,
                                       .y = y,
                                       .xx = m->xx / m->n - x * x,
                                       .xy = m->xy / m->n - x * y,
                                       .yy = m->yy / m->n - y * y,
                                       .group = (uint32_t)v->cluster_of[k],
                                       .weight = v->proportions[k] / largest};
    }
    return count;
}

typedef struct plane {
    chart_point *points;
    moments *components, *clusters;
    chart_ellipse *ellipses;
    chart_label *labels;
    char (*names)[SHORT_NAME];
    arena memory;
} plane;

static int plane_create(plane *p, const report_view *v)
{
    size_t K = v->info.components, C = v->clusters;
    p->points = arena_new(&p->memory, v->picks.count, sizeof *p->points, "points");
    p->components = arena_new(&p->memory, K, sizeof *p->components, "components");
    p->clusters = arena_new(&p->memory, C, sizeof *p->clusters, "clusters");
    p->ellipses = arena_new(&p->memory, K, sizeof *p->ellipses, "components");
    p->labels = arena_new(&p->memory, C, sizeof *p->labels, "clusters");
    p->names = arena_new(&p->memory, C, sizeof *p->names, "clusters");
    return arena_status(&p->memory);
}

static size_t plane_points(plane *p, const report_view *v)
{
    size_t drawn = 0;
    for (size_t i = 0; i < v->picks.count; i++) {
        uint32_t item = v->picks.item[i];
        const double *at = v->picks.plane + 2 * i;
        moments_add(&p->components[v->in->component[item]], at);
        moments_add(&p->clusters[v->in->labels[item]], at);
        if (v->picks.drawn[i])
            p->points[drawn++] = (chart_point){at[0], at[1], (uint32_t)v->in->labels[item],
                                               v->annotated ? v->annotated[item] : false};
    }
    return drawn;
}

/* The number of each cluster at its middle, the largest first. */
static size_t plane_labels(plane *p, const report_view *v)
{
    size_t count = 0;
    for (size_t i = 0; i < v->clusters; i++) {
        size_t c = v->order[i];
        const moments *m = &p->clusters[c];
        if (m->n < 1) continue;
        snprintf(p->names[c], SHORT_NAME, "%lld", (long long)v->number[c]);
        p->labels[count++] = (chart_label){m->x / m->n, m->y / m->n, p->names[c]};
    }
    return count;
}

static int figure_latent(FILE *out, const report_view *v, bool standalone)
{
    plane p = {0};
    int status = plane_create(&p, v);
    if (status == SCDC_OK) {
        bool projected = v->info.latent > 2;
        size_t points = plane_points(&p, v), labels = plane_labels(&p, v);
        size_t ellipses = make_ellipses(p.ellipses, p.components, v);
        chart_scatter(
            out,
            &(chart){
                .title = "The latent space",
                .text = "items as dots, coloured by cluster; components as ellipses",
                .x = {.label = projected ? "first principal direction" : "latent dimension 1"},
                .y = {.label = projected ? "second principal direction" : "latent dimension 2"},
                .width = 560,
                .height = 500,
                .standalone = standalone},
            p.points, points, p.ellipses, ellipses, p.labels, labels);
    }
    arena_free(&p.memory);
    return status;
}

/* ---- workers -------------------------------------------------------------------------------- */

size_t figure_flag_colour(worker_flag flag)
{
    static const size_t colours[WORKER_FLAGS] = {
        [WORKER_FINE] = 0,      [WORKER_INVERTED] = 3, [WORKER_SAME] = 1,
        [WORKER_DIFFERENT] = 4, [WORKER_RANDOM] = 7,   [WORKER_UNKNOWN] = 9};
    return flag < WORKER_FLAGS ? colours[flag] : 0;
}

/* Numbers of the workers with most answers, at most MOST_WORKERS. */
static size_t busiest(size_t *out, const report_view *v)
{
    size_t count = 0;
    for (size_t m = 0; m < v->info.workers; m++) {
        size_t at = count < MOST_WORKERS ? count++ : MOST_WORKERS;
        if (at == MOST_WORKERS) {
            if (v->workers[m].answers <= v->workers[out[at - 1]].answers) continue;
            at--;
        }
        for (; at > 0 && v->workers[out[at - 1]].answers < v->workers[m].answers; at--)
            out[at] = out[at - 1];
        out[at] = m;
    }
    return count;
}

static int figure_workers(FILE *out, const report_view *v, bool standalone)
{
    chart_worker *list;
    size_t who[MOST_WORKERS], count = busiest(who, v), named = 0;
    SCDC_TRY(mem_zeroed(&list, count, sizeof *list, "workers"));
    for (size_t i = 0; i < count; i++) {
        const scdc_worker *w = &v->workers[who[i]];
        worker_flag flag = v->flags[who[i]];
        bool suspect = flag != WORKER_FINE && flag != WORKER_UNKNOWN;
        list[i] = (chart_worker){w->name,
                                 w->answers,
                                 w->sensitivity,
                                 w->specificity,
                                 w->sensitivity_low,
                                 w->sensitivity_high,
                                 w->specificity_low,
                                 w->specificity_high,
                                 figure_flag_colour(flag),
                                 suspect && named < MOST_NAMED};
        named += list[i].named;
    }
    chart_workers(out,
                  &(chart){.title = "Workers: sensitivity against specificity",
                           .text = "with 95 % intervals; the area of a disc is the number of "
                                   "answers; the table has all values",
                           .width = 460,
                           .height = 440,
                           .standalone = standalone},
                  list, count);
    mem_free(list);
    return SCDC_OK;
}

static int figure_weights(FILE *out, const report_view *v, bool standalone)
{
    size_t who[MOST_WORKERS], count = busiest(who, v);
    double weight[MOST_WORKERS], low[MOST_WORKERS], high[MOST_WORKERS];
    const char *names[MOST_WORKERS];
    for (size_t i = 0; i < count; i++) {
        size_t at = i, m = who[i];
        double w = v->workers[m].weight;
        for (; at > 0 && weight[at - 1] < w; at--) {
            weight[at] = weight[at - 1];
            low[at] = low[at - 1];
            high[at] = high[at - 1];
            names[at] = names[at - 1];
        }
        weight[at] = w;
        names[at] = v->workers[m].name;
        worker_weight_interval(&low[at], &high[at], &v->workers[m]);
    }
    const chart_series one = {.count = count, .y = weight, .low = low, .high = high};
    chart_bars(out,
               &(chart){.title = "Weight of one answer of each worker",
                        .text = "with 95 % intervals, largest first; 0 is a coin",
                        .y = {.label = "weight"},
                        .width = 620,
                        .standalone = standalone},
               names, count, &one, 1);
    return SCDC_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

const char *figure_name(figure_kind kind)
{
    static const char *const names[FIGURES] = {"bound",  "terms",   "clusters", "seconds",
                                               "latent", "workers", "weights",  "outlook"};
    return kind < FIGURES ? names[kind] : "";
}

static bool seconds_known(const report_view *v)
{
    size_t count;
    const scdc_epoch *epochs = scdc_model_epochs(v->in->model, &count);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(seconds_of(v->in, epochs, i))) return true;
    }
    return false;
}

bool figure_there(figure_kind kind, const report_view *v)
{
    switch (kind) {
    case FIGURE_LATENT: return v->picks.count > 0;
    case FIGURE_SECONDS: return seconds_known(v);
    case FIGURE_WORKERS:
    case FIGURE_WEIGHTS: return v->info.workers > 0;
    case FIGURE_OUTLOOK: return v->in->outlook != NULL;
    default: return v->info.epochs_done > 0;
    }
}

int figure_draw(FILE *out, figure_kind kind, const report_view *v, bool standalone)
{
    switch (kind) {
    case FIGURE_LATENT: return figure_latent(out, v, standalone);
    case FIGURE_WORKERS: return figure_workers(out, v, standalone);
    case FIGURE_WEIGHTS: return figure_weights(out, v, standalone);
    case FIGURE_OUTLOOK: return plan_chart(out, v->in->outlook, standalone);
    default: return figure_training(out, kind, v, standalone);
    }
}
