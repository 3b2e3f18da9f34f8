/* The MNIST experiment (table 1 and figure 4a of the paper): both models with and without the real
 * answers, and items they make up while they learn. */
#include "base/memory.h"
#include "base/status.h"
#include "reproduce/method.h"
#include "reproduce/image_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAPER_EPOCHS = 200, SAMPLES = 10, SAMPLE_SEED = 1 };
enum { QUICK_IMAGES = 600, QUICK_TEST = 200, QUICK_PAPER_EPOCHS = 3, QUICK_HIDDEN = 64 };
#define DEFAULT_SAMPLES "samples-default.png"

static const char *const recipes[] = {"paper", "default"};
/* Epochs after which the paper shows made-up items, beside the last one. */
static const size_t shown_epochs[] = {1, 7, 25};
enum { SHOWN = sizeof shown_epochs / sizeof shown_epochs[0] };

/* A row of the paper's table. */
typedef struct paper_row {
    const char *method, *setting, *title, *acc, *nmi, *seconds;
} paper_row;
static const paper_row paper_rows[] = {
    {"amortized", "none", "SCDC without answers", ".6592 ± .0347", ".6953 ± .0167", "177.3"},
    {"amortized", "real", "SCDC with answers", ".8187 ± .0386", ".7657 ± .0233", "201.7"},
    {"bayes", "none", "BayesSCDC without answers", ".7764 ± .0397", ".7944 ± .0178", "11.2"},
    {"bayes", "real", "BayesSCDC with answers", ".8424 ± .0552", ".8120 ± .0210", "16.4"},
};
enum { ROWS = sizeof paper_rows / sizeof paper_rows[0] };

static size_t paper_epochs(const session *s)
{
    if (s->asked->epochs) return s->asked->epochs;
    return s->asked->quick ? QUICK_PAPER_EPOCHS : PAPER_EPOCHS;
}

/* Of the paper's recipe another number of epochs is another run; the default recipe stops itself.
 */
static run_key key_of(const session *s, const paper_row *row, size_t recipe, uint64_t seed)
{
    return run_key_of(row->method, recipes[recipe], row->setting, seed,
                      recipe == 0 ? paper_epochs(s) : 0);
}

/* ---- running -------------------------------------------------------------------------------- */

static int open_mnist(session *s)
{
    SCDC_TRY(mem_zeroed(&s->state, 1, sizeof(image_set), "MNIST"));
    SCDC_TRY(mnist_open(s->state, s->asked->data));
    return s->asked->quick ? image_set_shrink(s->state, QUICK_IMAGES, QUICK_TEST) : SCDC_OK;
}

static void close_mnist(session *s)
{
    if (s->state) image_set_close(s->state);
    mem_free(s->state);
}

/* The fast recipe and the models with answers come first: what most want to see. */
static int plan(session *s, uint64_t seed)
{
    for (size_t recipe = 2; recipe-- > 0;) {
        for (size_t row = ROWS; row-- > 0;)
            SCDC_TRY(session_add(s, key_of(s, &paper_rows[row], recipe, seed)));
    }
    return SCDC_OK;
}

/* The one place where the settings of our models on MNIST are chosen. */
static int choose_options(scdc_options *o, const session *s)
{
    scdc_options_init(o);
    if (strcmp(s->job.method, "amortized") == 0) o->model = SCDC_MODEL_AMORTIZED;
    if (strcmp(s->job.recipe, "paper") == 0) {
        SCDC_TRY(scdc_options_preset(o, "mnist"));
        o->epochs = paper_epochs(s);
        if (o->model == SCDC_MODEL_AMORTIZED) o->sum = SCDC_SUM_THRESHOLD;
    } else if (s->asked->quick) {
        o->warmup = 5;
        o->epochs = 3;
        o->classifier = SCDC_CLASSIFIER_NONE;
    }
    if (s->asked->quick) {
        o->hidden[0] = o->hidden[1] = QUICK_HIDDEN;
        o->n_hidden = 2;
    }
    return SCDC_OK;
}

/* ---- made-up items -------------------------------------------------------------------------- */

static void samples_name(char *out, size_t size, size_t epoch)
{
    snprintf(out, size, "samples-epoch-%03zu.png", epoch);
}

static bool is_shown(const session *s, size_t epoch)
{
    for (size_t i = 0; i < SHOWN; i++) {
        if (shown_epochs[i] == epoch) return true;
    }
    return epoch == paper_epochs(s);
}

static int write_samples(const session *s, const scdc_model *model, const char *name,
                         int components)
{
    char *path = session_path(s, name);
    if (!path) return SCDC_ERR_MEMORY;
    int status = scdc_write_samples(path, model, components, SAMPLES, SAMPLE_SEED);
    free(path);
    return status;
}

/* By component after chosen epochs of the paper's recipe, by cluster at the end of the default one.
 */
static int watch_samples(const scdc_progress *p, const scdc_model *model, void *user)
{
    char name[64];
    const session *s = user;
    bool paper = strcmp(s->job.recipe, "paper") == 0;
    if (!paper) return p ? SCDC_OK : write_samples(s, model, DEFAULT_SAMPLES, 0);
    if (!p || !is_shown(s, p->done->epoch)) return SCDC_OK;
    samples_name(name, sizeof name, p->done->epoch);
    return write_samples(s, model, name, 1);
}

static int run(run_row *out, session *s)
{
    scdc_options o;
    const image_set *m = s->state;
    bool answers = strcmp(s->job.setting, "real") == 0;
    bool watched = answers && strcmp(s->job.method, "bayes") == 0 && s->job.seed == 1;
    method_input in = {.items = m->images,
                       .crowd = answers ? m->crowd : NULL,
                       .truth = m->truth,
                       .test = m->test,
                       .test_truth = m->test_truth};
    SCDC_TRY(choose_options(&o, s));
    return method_fit(out, s, &in, &o, NULL, watched ? watch_samples : NULL, s);
}

/* ---- results -------------------------------------------------------------------------------- */

static void cells(result *out, const session *s, const paper_row *row, size_t recipe,
                  run_field field, int decimals)
{
    run_key key = key_of(s, row, recipe, 0);
    stats all = runs_stats(&s->runs, &key, field);
    result_stats(out, &all, decimals);
}

static void tell_scores(result *out, const session *s)
{
    static const char *const columns[] = {
        "",   "paper: ACC", "NMI", "paper recipe here: ACC", "NMI", "default recipe here: ACC",
        "NMI"};
    result_table(out, "Scores on MNIST (table 1)", columns, 7);
    for (size_t i = 0; i < ROWS; i++) {
        const paper_row *row = &paper_rows[i];
        result_row(out, "%s", row->title);
        result_text(out, "%s", row->acc);
        result_text(out, "%s", row->nmi);
        for (size_t recipe = 0; recipe < 2; recipe++) {
            cells(out, s, row, recipe, RUN_ACC, 4);
            cells(out, s, row, recipe, RUN_NMI, 4);
        }
    }
}

static void tell_details(result *out, const session *s, const paper_row *row)
{
    static const char *const columns[] = {"", "paper", "paper recipe here", "default recipe here"};
    const struct {
        const char *name, *paper;
        run_field field;
        int decimals;
    } lines[] = {
        {"ACC", row->acc, RUN_ACC, 4},
        {"NMI", row->nmi, RUN_NMI, 4},
        {"AMI", "-", RUN_AMI, 4},
        {"clusters", "-", RUN_CLUSTERS, 1},
        {"held-out images: ACC", "-", RUN_HELD_OUT_ACC, 4},
        {"held-out images: NMI", "-", RUN_HELD_OUT_NMI, 4},
        {"epochs", "200", RUN_EPOCHS, 1},
        {"seconds per epoch", row->seconds, RUN_SECONDS_PER_EPOCH, 2},
        {"seconds in all", "-", RUN_SECONDS, 1},
    };
    result_table(out, row->title, columns, 4);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        result_row(out, "%s", lines[i].name);
        result_text(out, "%s", lines[i].paper);
        for (size_t recipe = 0; recipe < 2; recipe++)
            cells(out, s, row, recipe, lines[i].field, lines[i].decimals);
    }
}

static int tell_notes(result *out, const session *s)
{
    const image_set *m = s->state;
    scdc_crowd_info crowd;
    SCDC_TRY(scdc_crowd_get_info(&crowd, m->crowd));
    result_note(out,
                "%zu images; %zu real answers of %zu workers about %zu of them; %zu held-out "
                "images, placed one by one.",
                scdc_labels_count(m->truth), crowd.answers, crowd.workers, crowd.items,
                scdc_labels_count(m->test_truth));
    result_note(out, "The paper's scores are means of 5 runs of 200 epochs, and a run is the best "
                     "of ten starts, chosen with the true labels. Here a run is one start, and "
                     "every run counts. The paper's seconds are of its GPU.");
    result_note(out,
                "Paper recipe: `--preset mnist --epochs %zu`, with `--model amortized --set "
                "sum=threshold` for SCDC. Default recipe: nothing set but the model; it stops by "
                "itself.",
                paper_epochs(s));
    result_note(out, "Seconds depend on what else the machine was doing.");
    return SCDC_OK;
}

static int show(result *out, const session *s, const char *name, const char *title)
{
    char *path = session_path(s, name);
    if (!path) return SCDC_ERR_MEMORY;
    if (access(path, F_OK) == 0) result_figure(out, name, title);
    free(path);
    return SCDC_OK;
}

static int show_samples(result *out, const session *s)
{
    size_t last = paper_epochs(s);
    char name[64], title[128];
    for (size_t i = 0; i <= SHOWN; i++) {
        size_t epoch = i < SHOWN ? shown_epochs[i] : last;
        if (i < SHOWN && epoch >= last) continue;
        samples_name(name, sizeof name, epoch);
        snprintf(title, sizeof title,
                 "BayesSCDC with answers, paper recipe, after epoch %zu: a column per component, "
                 "the brighter the larger",
                 epoch);
        SCDC_TRY(show(out, s, name, title));
    }
    return show(out, s, DEFAULT_SAMPLES,
                "BayesSCDC with answers, default recipe, at the end: a column per cluster, the "
                "brighter the larger");
}

static int tell(result *out, session *s)
{
    tell_scores(out, s);
    for (size_t i = 0; i < ROWS; i++) tell_details(out, s, &paper_rows[i]);
    SCDC_TRY(tell_notes(out, s));
    return show_samples(out, s);
}

const experiment experiment_mnist = {
    .name = "mnist",
    .title = "The MNIST experiment of the paper (table 1 and figure 4a), repeated",
    .seeds = 5,
    .quick_seeds = 1,
    .epochs = true,
    .open = open_mnist,
    .close = close_mnist,
    .plan = plan,
    .run = run,
    .tell = tell,
};
