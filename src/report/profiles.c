/* Mean profiles: one pass over the items. */
#include "report/profiles.h"

#include "base/status.h"
#include "data/data.h"
#include "report/chart.h"

#include <math.h>

enum { MOST_VALUES = 20000000, DOTS = 30 };

typedef struct sums {
    double *all, *squares; /* [columns] */
    size_t *count;         /* [clusters] */
    double *row;           /* [columns] */
    arena memory;
} sums;

static int add_up(profiles *p, sums *s, const report_view *v)
{
    size_t D = p->columns, every = 1 + v->info.items / (MOST_VALUES / D + 1), total = 0;
    s->all = arena_new(&s->memory, D, sizeof *s->all, "profiles");
    s->squares = arena_new(&s->memory, D, sizeof *s->squares, "profiles");
    s->row = arena_new(&s->memory, D, sizeof *s->row, "profiles");
    s->count = arena_new(&s->memory, v->clusters, sizeof *s->count, "profiles");
    SCDC_TRY(arena_status(&s->memory));
    for (size_t i = 0; i < v->info.items; i += every) {
        size_t c = (size_t)v->in->labels[i];
        data_rows_f64(s->row, v->in->data, i, 1, NULL);
        s->count[c]++;
        total++;
        for (size_t j = 0; j < D; j++) {
            s->all[j] += s->row[j];
            s->squares[j] += s->row[j] * s->row[j];
            p->values[c * D + j] += s->row[j];
        }
    }
    for (size_t j = 0; j < D; j++) {
        s->all[j] /= (double)total;
        double variance = s->squares[j] / (double)total - s->all[j] * s->all[j];
        s->squares[j] = variance > 0 ? sqrt(variance) : 0;
    }
    return SCDC_OK;
}

static void standardise(profiles *p, const sums *s, size_t clusters)
{
    for (size_t c = 0; c < clusters; c++) {
        for (size_t j = 0; j < p->columns && s->count[c]; j++) {
            double *value = &p->values[c * p->columns + j];
            double away = *value / (double)s->count[c] - s->all[j];
            *value = s->squares[j] > 0 ? away / s->squares[j] : 0;
            p->low = fmin(p->low, *value);
            p->high = fmax(p->high, *value);
        }
    }
}

int profiles_create(profiles *out, const report_view *v)
{
    size_t total;
    profiles p = {.columns = v->info.cols, .number = v->number, .low = -1, .high = 1};
    sums s = {0};
    if (!size_mul(&total, v->clusters, p.columns)) return fail_memory(SIZE_MAX, "profiles");
    SCDC_TRY(mem_zeroed(&p.values, total, sizeof *p.values, "profiles"));
    int status = add_up(&p, &s, v);
    if (status == SCDC_OK) standardise(&p, &s, v->clusters);
    arena_free(&s.memory);
    if (status != SCDC_OK) {
        profiles_free(&p);
        return status;
    }
    *out = p;
    return SCDC_OK;
}

void profiles_draw(FILE *out, const profiles *p, size_t cluster)
{
    char title[64];
    enum { MOST = 400 }; /* values drawn; wider items are thinned out */
    size_t every = (p->columns + MOST - 1) / MOST, count = 0;
    double x[MOST], y[MOST];
    for (size_t j = 0; j < p->columns; j += every, count++) {
        x[count] = (double)j + 1;
        y[count] = p->values[cluster * p->columns + j];
    }
    const chart_series one = {
        .count = count, .x = x, .y = y, .dots = p->columns <= DOTS, .colour = cluster};
    snprintf(title, sizeof title, "Mean profile of cluster %lld", (long long)p->number[cluster]);
    fputs("<figure>", out);
    chart_lines(out,
                &(chart){.title = title,
                         .text = "mean of each value, in standard deviations",
                         .x = {.whole = true, .label = "value"},
                         .y = {.low = p->low * 1.08, .high = p->high * 1.08},
                         .width = 320,
                         .height = 170},
                &one, 1);
    fputs("</figure>\n", out);
}

void profiles_free(profiles *p)
{
    mem_free(p->values);
    *p = (profiles){0};
}
