/* The summary of a fit, for people or as JSON. */
#include "fit_summary.h"

#include "commands.h"
#include "output.h"
#include "progress.h"

#include <scdc/limits.h>
#include <stdlib.h>

enum { MOST_CLUSTERS = 30 }; /* longer tables tell nobody anything: labels.csv has them all */

static size_t count_held(const fit_outcome *o)
{
    size_t held = 0;
    for (size_t c = 0; c < o->info.clusters; c++) held += o->sizes[c] > 0;
    return held;
}

static void print_clusters(const fit_outcome *o)
{
    text_table t;
    size_t shown = 0, held = count_held(o);
    table_start(&t, 3, (const char *const[]){">cluster", ">items", ">share"});
    for (size_t c = 0; c < o->info.clusters && shown < MOST_CLUSTERS; c++) {
        if (o->sizes[c] == 0) continue;
        table_cell(&t, "%lld", (long long)o->numbers[c]);
        table_cell(&t, "%zu", o->sizes[c]);
        table_cell(&t, "%.1f %%", 100 * (double)o->sizes[c] / (double)o->info.items);
        shown++;
    }
    table_print(&t, stdout);
    if (held > shown) printf("  ... and %zu more\n", held - shown);
}

static void print_scores(const fit_summary *s)
{
    const scdc_scores *c = &s->outcome->scores;
    printf("ACC %.4f  NMI %.4f  AMI %.4f  ARI %.4f  against the %zu classes of ", c->acc, c->nmi,
           c->ami, c->ari, c->classes);
    put_text(stdout, s->in->truth_path);
    const scdc_calibration *p = &s->outcome->calibration;
    printf("\nprobabilities: %.4f on average where %.4f are right; calibration error %.4f\n",
           p->probability, p->right, p->ece);
}

static void print_command(const char *before, const char *run, const char *after)
{
    printf("  scdc %s ", before);
    put_text(stdout, run);
    puts(after);
}

static void print_next(const fit_summary *s)
{
    fputs("\nResults are in ", stdout);
    put_text(stdout, s->run);
    puts(". To look at them, open");
    char *report = run_path(s->run, "report.html");
    fputs("  ", stdout);
    put_text(stdout, report);
    puts("\nTo go on:");
    free(report);
    if (s->outcome->info.workers) print_command("workers", s->run, "");
    print_command("predict", s->run, " NEW-DATA");
    if (s->in->items.height > 1) print_command("sample", s->run, " -o samples.png");
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* What was left out, so that nobody takes a limit for a finding. */
static void print_limits(const scdc_model_info *info)
{
    if (info->items > SCDC_LIMIT_NEIGHBOURS && !info->judged && !(info->network > 0)) {
        printf("\nOf more than %d items each is placed by itself: neighbours are not heard.\n",
               SCDC_LIMIT_NEIGHBOURS);
    }
    if (info->annotated && info->clusters > SCDC_LIMIT_CLUSTERS) {
        printf("\nOf more than %d clusters answers tell which there are, but not how far to trust\n"
               "mixture and neighbours about an item; nor is a classifier taught.\n",
               SCDC_LIMIT_CLUSTERS);
    } else if (info->annotated && info->cols > SCDC_LIMIT_VALUES) {
        printf("\nItems of more than %d values: no classifier was taught by the answers.\n",
               SCDC_LIMIT_VALUES);
    }
    if (info->judged && info->clusters == info->most_classes) {
        printf("No more than %zu were looked for: --clusters G looks for more.\n",
               info->most_classes);
    }
    if (info->taught_by && info->taught_by < info->annotated) {
        printf("\nAll answers were heard; the classifier that places items beside the mixture was\n"
               "taught by the %zu of %zu annotated items with the most of them.\n",
               info->taught_by, info->annotated);
    }
}

static void print_text(const fit_summary *s)
{
    const fit_outcome *o = s->outcome;
    size_t held = count_held(o), empty = o->info.clusters - held;
    char took[40];
    format_duration(took, sizeof took, s->seconds);
    printf("%zu cluster%s of %zu items after %zu epoch%s (%s)", held, plural(held), o->info.items,
           o->info.epochs_done, plural(o->info.epochs_done), took);
    if (empty) printf(", and %zu without any item", empty);
    fputs("\n\n", stdout);
    print_clusters(o);
    if (o->info.judged) {
        puts("\nThese clusters were learned from the answers and the items' values together;\n"
             "they need not be groups that the items form by themselves.");
    }
    print_limits(&o->info);
    if (o->scored) putchar('\n');
}

static int print_json_summary(const fit_summary *s)
{
    json_t *out = json_pack("{s:o,s:s,s:o}", "run", json_text(s->run), "status", s->status,
                            "seconds", json_number(s->seconds));
    json_t *figures = fit_outcome_json(s->outcome, s->model);
    json_object_update(out, figures);
    json_decref(figures);
    return print_json(out);
}

int fit_summary_print(const fit_summary *s, const common_options *common)
{
    bool finished = s->outcome->info.finished;
    int code = EXIT_GOOD;
    if (common->json) {
        code = print_json_summary(s);
    } else {
        if (!common->quiet && s->outcome->sizes) print_text(s);
        if (s->outcome->scored) print_scores(s);
        if (!common->quiet && finished) print_next(s);
    }
    if (!common->quiet && !finished)
        say("interrupted after %zu epochs, saved in %s: the same command with --resume goes on",
            s->outcome->info.epochs_done, s->run);
    return code;
}
