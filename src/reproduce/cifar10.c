/* The CIFAR-10 experiment (section 5.3 and figure 4b of the paper): SCDC with and without answers,
 * deep MCVC on the same answers, and the test images each model is surest of. */
#include "base/memory.h"
#include "base/status.h"
#include "reproduce/certain.h"
#include "reproduce/image_set.h"
#include "reproduce/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAPER_EPOCHS = 200, CLASSES = 10, SHOWN = 10, MOST_ROWS = 20 };
enum { QUICK_IMAGES = 150, QUICK_TEST = 60, QUICK_PAPER_EPOCHS = 1 };

/* A line of the result: the text gives its numbers in passing. */
typedef struct line {
    const char *method, *recipe, *setting, *title, *acc, *nmi;
} line;
static const line lines[] = {
    {"amortized", "paper", "none", "SCDC without answers, paper recipe", ".1423 ± .0069",
     ".0424 ± .0119"},
    {"amortized", "paper", "answers", "SCDC with answers, paper recipe", ".5009 ± .0008",
     ".5549 ± .0028"},
    {"deep-mcvc", "-", "answers", "deep MCVC", "-", ".44 (best of 5)"},
    {"bayes", "default", "none", "default recipe without answers", "-", "-"},
    {"bayes", "default", "answers", "default recipe with answers", "-", "-"},
};
enum { LINES = sizeof lines / sizeof lines[0] };

static bool is_paper(const char *recipe)
{
    return strcmp(recipe, "paper") == 0;
}

static size_t paper_epochs(const session *s)
{
    if (s->asked->epochs) return s->asked->epochs;
    return s->asked->quick ? QUICK_PAPER_EPOCHS : PAPER_EPOCHS;
}

static run_key key_of(const session *s, const line *l, uint64_t seed)
{
    return run_key_of(l->method, l->recipe, l->setting, seed,
                      is_paper(l->recipe) ? paper_epochs(s) : 0);
}

/* ---- running -------------------------------------------------------------------------------- */

static int open_cifar10(session *s)
{
    SCDC_TRY(mem_zeroed(&s->state, 1, sizeof(image_set), "CIFAR-10"));
    SCDC_TRY(cifar10_open(s->state, s->asked->data));
    return s->asked->quick ? image_set_shrink(s->state, QUICK_IMAGES, QUICK_TEST) : SCDC_OK;
}

static void close_cifar10(session *s)
{
    if (s->state) image_set_close(s->state);
    mem_free(s->state);
}

/* What most want to see, and what takes least time, comes first. */
static int plan(session *s, uint64_t seed)
{
    for (size_t i = LINES; i-- > 0;) SCDC_TRY(session_add(s, key_of(s, &lines[i], seed)));
    return SCDC_OK;
}

/* The one place where the settings of our models on CIFAR-10 are chosen. */
static int choose_options(scdc_options *o, const session *s)
{
    scdc_options_init(o);
    if (is_paper(s->job.recipe)) {
        SCDC_TRY(scdc_options_preset(o, "cifar10"));
        o->epochs = paper_epochs(s);
        if (!s->asked->quick) return SCDC_OK;
        o->latent = 8;
        SCDC_TRY(scdc_options_set(o, "encoder", "conv4/2,res4/2"));
        SCDC_TRY(scdc_options_set(o, "decoder", "map4,res4,up4"));
        SCDC_TRY(scdc_options_set(o, "encoder_z", "conv4/2,conv4/2,mean"));
    } else if (s->asked->quick) {
        o->warmup = 2;
        o->epochs = 2;
        o->classifier_epochs = 1;
        SCDC_TRY(scdc_options_set(o, "hidden", "32"));
    }
    return SCDC_OK;
}

static void figure_name(char *out, size_t size, const char *recipe, const char *setting)
{
    snprintf(out, size, "certain-%s-%s.png", recipe, setting);
}

static int draw_certain(const scdc_progress *p, const scdc_model *model, void *user)
{
    char name[64];
    const session *s = user;
    const image_set *m = s->state;
    if (p) return SCDC_OK; /* at the end only */
    figure_name(name, sizeof name, s->job.recipe, s->job.setting);
    char *path = session_path(s, name);
    if (!path) return SCDC_ERR_MEMORY;
    int status = certain_write(path, model, m->test, SHOWN, MOST_ROWS);
    free(path);
    return status;
}

static int run(run_row *out, session *s)
{
    scdc_options o;
    const image_set *m = s->state;
    bool answers = strcmp(s->job.setting, "answers") == 0;
    method_input in = {.items = m->images,
                       .crowd = answers ? m->crowd : NULL,
                       .truth = m->truth,
                       .test = m->test,
                       .test_truth = m->test_truth};
    if (strcmp(s->job.method, "deep-mcvc") == 0) return method_baseline(out, s, &in, CLASSES);
    SCDC_TRY(choose_options(&o, s));
    return method_fit(out, s, &in, &o, NULL, s->job.seed == 1 ? draw_certain : NULL, s);
}

/* ---- results -------------------------------------------------------------------------------- */

static void tell_scores(result *out, const session *s)
{
    static const char *const columns[] = {"",       "paper: ACC",
                                          "NMI",    "here, test images: ACC",
                                          "NMI",    "training images: ACC",
                                          "NMI",    "clusters",
                                          "epochs", "seconds"};
    static const struct {
        run_field field;
        int decimals;
    } cells[] = {{RUN_HELD_OUT_ACC, 4}, {RUN_HELD_OUT_NMI, 4}, {RUN_ACC, 4},    {RUN_NMI, 4},
                 {RUN_CLUSTERS, 1},     {RUN_EPOCHS, 1},       {RUN_SECONDS, 0}};
    result_table(out, "Scores on CIFAR-10", columns, 10);
    for (size_t i = 0; i < LINES; i++) {
        run_key key = key_of(s, &lines[i], 0);
        result_row(out, "%s", lines[i].title);
        result_text(out, "%s", lines[i].acc);
        result_text(out, "%s", lines[i].nmi);
        for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++) {
            stats all = runs_stats(&s->runs, &key, cells[c].field);
            result_stats(out, &all, cells[c].decimals);
        }
    }
}

static int tell_notes(result *out, const session *s)
{
    const image_set *m = s->state;
    scdc_crowd_info crowd;
    SCDC_TRY(scdc_crowd_get_info(&crowd, m->crowd));
    result_note(out,
                "%zu images; %zu answers (pairs of groupings) of %zu workers about %zu of them; "
                "%zu test images, placed one by one.",
                scdc_labels_count(m->truth), crowd.answers, crowd.workers, crowd.items,
                scdc_labels_count(m->test_truth));
    result_note(out,
                "The paper's answers were never published: these are others, collected or made "
                "by the same scheme (tasks of 36 images). Its scores are means of 5 runs.");
    result_note(
        out,
        "Paper recipe: `--preset cifar10 --epochs %zu`; the paper has 200, and says neither "
        "how wide its networks are nor which likelihood it takes. Default recipe: nothing "
        "set; it stops by itself.",
        paper_epochs(s));
    result_note(out, "Deep MCVC places training images alone. Seconds depend on what else the "
                     "machine was doing.");
    return SCDC_OK;
}

static int show_certain(result *out, const session *s)
{
    char name[64], title[160];
    for (size_t i = 0; i < LINES; i++) {
        const line *l = &lines[i];
        if (strcmp(l->recipe, "-") == 0) continue;
        figure_name(name, sizeof name, l->recipe, l->setting);
        snprintf(title, sizeof title,
                 "%s: the ten test images of each cluster that it is surest of, a row per cluster",
                 l->title);
        char *path = session_path(s, name);
        if (!path) return SCDC_ERR_MEMORY;
        if (access(path, F_OK) == 0) result_figure(out, name, title);
        free(path);
    }
    return SCDC_OK;
}

static int tell(result *out, session *s)
{
    tell_scores(out, s);
    SCDC_TRY(tell_notes(out, s));
    return show_certain(out, s);
}

const experiment experiment_cifar10 = {
    .name = "cifar10",
    .title = "The CIFAR-10 experiment of the paper (section 5.3 and figure 4b), repeated",
    .seeds = 5,
    .quick_seeds = 1,
    .epochs = true,
    .open = open_cifar10,
    .close = close_cifar10,
    .plan = plan,
    .run = run,
    .tell = tell,
};
