/* The public report: one page, or its charts as files. */
#include "base/status.h"
#include "base/sized.h"
#include "io/writer.h"
#include "report/figures.h"
#include "report/page.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

static const scdc_report no_report = {.size = sizeof no_report, .stability = NAN};

void scdc_report_init_sized(scdc_report *report, size_t size)
{
    sized_init(report, size, &no_report, sizeof no_report);
}

static int take(scdc_report *out, const scdc_report *theirs)
{
    if (!theirs) return fail_with(SCDC_ERR_ARGUMENT, "report must not be NULL");
    *out = no_report;
    return sized_take(out, sizeof *out, theirs, "scdc_report_init");
}

static void put_contents(FILE *out, const report_view *v)
{
    static const char *const links[][2] = {
        {"clusters", "Clusters"},  {"changes", "Changes"},     {"outlook", "Outlook"},
        {"truth", "True classes"}, {"latent", "Latent space"}, {"workers", "Workers"},
        {"answers", "Disputed"},   {"training", "Training"},   {"origin", "How it was made"},
    };
    fputs("<nav aria-label=\"Sections\">\n", out);
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        bool truth = strcmp(links[i][0], "truth") == 0;
        if (truth && !(v->in->truth && v->in->labels)) continue;
        if (strcmp(links[i][0], "changes") == 0 && !v->in->updates) continue;
        if (strcmp(links[i][0], "outlook") == 0 && !v->in->outlook) continue;
        page_put(out, "<a href=\"#%t\">%t</a>\n", links[i][0], links[i][1]);
    }
    fputs("</nav>\n", out);
}

static int put_page(FILE *out, const report_view *v)
{
    static int (*const sections[])(FILE *, const report_view *) = {
        section_clusters, section_changes, section_outlook,  section_truth,  section_latent,
        section_workers,  section_answers, section_training, section_origin,
    };
    char title[512];
    snprintf(title, sizeof title, "Clusters of %s", v->in->source ? v->in->source : "items");
    page_begin(out, title);
    section_lead(out, v);
    put_contents(out, v);
    fputs("</header>\n<main>\n", out);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) SCDC_TRY(sections[i](out, v));
    fputs("</main>\n", out);
    page_end(out);
    return SCDC_OK;
}

int scdc_report_write(const char *path, const scdc_report *report)
{
    if (!path) return fail_with(SCDC_ERR_ARGUMENT, "path must not be NULL");
    report_view view;
    scdc_report own;
    writer w;
    SCDC_TRY(take(&own, report));
    SCDC_TRY(view_create(&view, &own));
    int status = writer_open(&w, path);
    if (status == SCDC_OK) {
        status = put_page(w.stream, &view);
        if (status == SCDC_OK) {
            status = writer_commit(&w);
        } else {
            writer_abandon(&w);
        }
    }
    view_free(&view);
    return status;
}

static int write_figure(const char *folder, figure_kind kind, const report_view *view)
{
    char path[4096];
    writer w;
    int length = snprintf(path, sizeof path, "%s/%s.svg", folder, figure_name(kind));
    if (length < 0 || (size_t)length >= sizeof path)
        return fail_with(SCDC_ERR_ARGUMENT, "the folder's name is too long");
    SCDC_TRY(writer_open(&w, path));
    int status = figure_draw(w.stream, kind, view, true);
    if (status == SCDC_OK) return writer_commit(&w);
    writer_abandon(&w);
    return status;
}

int scdc_report_figures(const char *folder, const scdc_report *report)
{
    if (!folder) return fail_with(SCDC_ERR_ARGUMENT, "folder must not be NULL");
    report_view view;
    scdc_report own;
    SCDC_TRY(take(&own, report));
    SCDC_TRY(view_create(&view, &own));
    int status = SCDC_OK;
    for (figure_kind kind = 0; kind < FIGURES && status == SCDC_OK; kind++) {
        if (figure_there(kind, &view)) status = write_figure(folder, kind, &view);
    }
    view_free(&view);
    return status;
}
