/* The pinwheel experiment (figure 2 of the paper): BayesSCDC with and without answers, in both
 * recipes; how good and how bad starts end; pictures of the clusters. */
#include "base/memory.h"
#include "base/status.h"
#include "reproduce/method.h"
#include "reproduce/pinwheel_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORKERS = 20, ANSWERS = 980, COMPONENTS = 15, QUICK_PER_ARM = 40 };
static const double SKILL = .9;
static const char *const recipes[] = {"paper", "default"};
static const char *const settings[] = {"none", "answers"};

static int make(pinwheel_case *c, const session *s, uint64_t seed)
{
    scdc_pinwheel wheel;
    scdc_simulation crowd;
    scdc_pinwheel_init(&wheel);
    scdc_simulation_init(&crowd);
    wheel.seed = crowd.seed = seed;
    if (s->asked->quick) wheel.per_arm = QUICK_PER_ARM;
    crowd.workers = WORKERS;
    crowd.pairs = ANSWERS;
    crowd.items = PINWHEEL_ANNOTATED;
    crowd.sensitivity = crowd.specificity = &SKILL;
    crowd.n_sensitivity = crowd.n_specificity = 1;
    *c = (pinwheel_case){0};
    int status = scdc_make_pinwheel(&c->items, &c->truth, &wheel);
    if (status == SCDC_OK) status = scdc_simulate_answers(&c->crowd, c->truth, &crowd);
    if (status != SCDC_OK) pinwheel_case_free(c);
    return status;
}

void pinwheel_case_free(pinwheel_case *c)
{
    scdc_data_free(c->items);
    scdc_labels_free(c->truth);
    scdc_crowd_free(c->crowd);
    *c = (pinwheel_case){0};
}

/* Kept labels go there; made with the first of them, so that a folder without runs stays empty. */
static int make_folder(session *s)
{
    char *path = session_path(s, "labels");
    if (!path) return SCDC_ERR_MEMORY;
    int status = mkdir(path, 0777) == 0 || errno == EEXIST
                     ? SCDC_OK
                     : fail_with(SCDC_ERR_OUTPUT, "%s: cannot make the directory: %s", path,
                                 strerror(errno));
    free(path);
    return status;
}

static int open_nothing(session *s)
{
    (void)s;
    return SCDC_OK;
}
static void close_nothing(session *s)
{
    (void)s;
}

static int plan(session *s, uint64_t seed)
{
    for (size_t i = 0; i < 2; i++) {
        for (size_t r = 0; r < 2; r++)
            SCDC_TRY(session_add(s, run_key_of("bayes", recipes[r], settings[i], seed, 0)));
    }
    return SCDC_OK;
}

static char *labels_path(const session *s, const run_key *key)
{
    char name[96];
    snprintf(name, sizeof name, "labels/%s-%s-%llu.csv", key->recipe, key->setting,
             (unsigned long long)key->seed);
    return session_path(s, name);
}

static int run(run_row *out, session *s)
{
    scdc_options o;
    pinwheel_case c;
    scdc_options_init(&o);
    if (strcmp(s->job.recipe, "paper") == 0) {
        SCDC_TRY(scdc_options_preset(&o, "pinwheel"));
    } else {
        o.components = COMPONENTS;
    }
    SCDC_TRY(make_folder(s));
    SCDC_TRY(make(&c, s, s->job.seed));
    char *path = labels_path(s, &s->job);
    bool answers = strcmp(s->job.setting, "answers") == 0;
    method_input in = {.items = c.items, .crowd = answers ? c.crowd : NULL, .truth = c.truth};
    int status = path ? method_fit(out, s, &in, &o, path, NULL, NULL) : SCDC_ERR_MEMORY;
    free(path);
    pinwheel_case_free(&c);
    return status;
}

/* ---- results -------------------------------------------------------------------------------- */

/* The run at `place` (0 the worst, 1 the best, .5 the median) by ACC, or NULL. */
static const run_row *run_at(const session *s, const run_key *key, double place)
{
    const run_row *found = NULL;
    stats all = runs_stats(&s->runs, key, RUN_ACC);
    size_t wanted = (size_t)(place * (double)(all.count - !!all.count) + .5);
    for (size_t i = 0; i < s->runs.count; i++) {
        const run_row *a = &s->runs.rows[i];
        size_t before = 0;
        if (!runs_alike(a, key)) continue;
        for (size_t j = 0; j < s->runs.count; j++) {
            const run_row *b = &s->runs.rows[j];
            double difference = b->value[RUN_ACC] - a->value[RUN_ACC];
            before += runs_alike(b, key) && (difference < 0 || (difference == 0 && j < i));
        }
        if (before == wanted) found = a;
    }
    return found;
}

static void row_of(result *out, const session *s, const char *name, const char *setting,
                   run_field field, const char *paper)
{
    result_row(out, "%s", name);
    result_text(out, "%s", paper);
    for (size_t r = 0; r < 2; r++) {
        run_key key = run_key_of("bayes", recipes[r], setting, 0, 0);
        stats all = runs_stats(&s->runs, &key, field);
        result_stats(out, &all,
                     field == RUN_ACC || field == RUN_NMI ? 3
                     : field == RUN_SECONDS               ? 2
                                                          : 1);
    }
}

static void row_of_start(result *out, const session *s, const char *name, double place,
                         const char *paper)
{
    result_row(out, "%s", name);
    result_text(out, "%s", paper);
    for (size_t r = 0; r < 2; r++) {
        run_key key = run_key_of("bayes", recipes[r], "none", 0, 0);
        const run_row *row = run_at(s, &key, place);
        char acc[16] = "-", nmi[16] = "-";
        if (row) {
            stats_number(acc, sizeof acc, row->value[RUN_ACC], 3);
            stats_number(nmi, sizeof nmi, row->value[RUN_NMI], 3);
        }
        result_text(out, row ? "ACC %s, NMI %s, %.0f clusters (seed %llu)" : "-", acc, nmi,
                    row ? row->value[RUN_CLUSTERS] : 0,
                    (unsigned long long)(row ? row->key.seed : 0));
    }
}

static void tell_table(result *out, const session *s)
{
    static const char *const columns[] = {"", "paper", "paper recipe here", "default recipe here"};
    result_table(out, "BayesSCDC on the pinwheel", columns, 4);
    row_of(out, s, "with answers: ACC", "answers", RUN_ACC, ".966");
    row_of(out, s, "NMI", "answers", RUN_NMI, ".94");
    row_of(out, s, "clusters", "answers", RUN_CLUSTERS, "6");
    row_of(out, s, "clusters of 5 items or more", "answers", RUN_LARGE_CLUSTERS, "-");
    row_of(out, s, "without answers: ACC", "none", RUN_ACC, ".956 and .756");
    row_of(out, s, "NMI", "none", RUN_NMI, ".91 and .806");
    row_of(out, s, "clusters", "none", RUN_CLUSTERS, "8");
    row_of(out, s, "clusters of 5 items or more", "none", RUN_LARGE_CLUSTERS, "-");
    row_of_start(out, s, "without answers, best seed", 1,
                 "good start: ACC .956, NMI .91, 8 clusters");
    row_of_start(out, s, "without answers, worst seed", 0, "bad start: ACC .756, NMI .806");
    row_of(out, s, "seconds of a fit with answers", "answers", RUN_SECONDS, "-");
    result_note(
        out,
        "A pinwheel of 5 arms and %d answers of %d workers (sensitivity and specificity .9) "
        "about %d of its items; items, answers and start are drawn anew for every seed. The "
        "paper shows one run of each kind.",
        (int)ANSWERS, (int)WORKERS, (int)PINWHEEL_ANNOTATED);
    result_note(out,
                "Paper recipe: `--preset pinwheel`. Default recipe: `-k %d`, all else at its "
                "default. Best and worst seed are by ACC. Clusters are counted "
                "when they hold an item.",
                (int)COMPONENTS);
}

static int draw_run(result *out, session *s, const run_key *key, double place, const char *name,
                    const char *title)
{
    pinwheel_case c;
    scdc_labels *labels = NULL;
    char file[64], text[160];
    const run_row *row = run_at(s, key, place);
    if (!row) return SCDC_OK;
    SCDC_TRY(make(&c, s, row->key.seed));
    char *kept = labels_path(s, &row->key);
    int status = kept ? scdc_labels_open(&labels, kept, c.items) : SCDC_ERR_MEMORY;
    snprintf(file, sizeof file, "%s-%s.svg", key->recipe, name);
    snprintf(text, sizeof text, "%s recipe, %s (seed %llu)",
             strcmp(key->recipe, "paper") == 0 ? "Paper" : "Default", title,
             (unsigned long long)row->key.seed);
    if (status == SCDC_OK)
        status =
            pinwheel_draw(out, s, &c, labels, strcmp(key->setting, "answers") == 0, file, text);
    /* Somebody took the kept labels away: the tables are as good as before. */
    if (status == SCDC_ERR_INPUT) {
        result_note(out, "A figure is left out: %s", scdc_last_error());
        status = SCDC_OK;
    }
    scdc_labels_free(labels);
    free(kept);
    pinwheel_case_free(&c);
    return status;
}

static int draw_data(result *out, session *s)
{
    static const char title[] = "A pinwheel and its classes (seed 1)";
    pinwheel_case c;
    SCDC_TRY(make(&c, s, 1));
    int status = pinwheel_draw(out, s, &c, c.truth, false, "data.svg", title);
    pinwheel_case_free(&c);
    return status;
}

static int tell(result *out, session *s)
{
    tell_table(out, s);
    SCDC_TRY(draw_data(out, s));
    for (size_t r = 0; r < 2; r++) {
        run_key none = run_key_of("bayes", recipes[r], "none", 0, 0);
        run_key answers = run_key_of("bayes", recipes[r], "answers", 0, 0);
        SCDC_TRY(draw_run(out, s, &none, 1, "without-best", "without answers, best seed"));
        SCDC_TRY(draw_run(out, s, &none, 0, "without-worst", "without answers, worst seed"));
        SCDC_TRY(
            draw_run(out, s, &answers, .5, "with", "with answers (items with a rim), median seed"));
    }
    return SCDC_OK;
}

const experiment experiment_pinwheel = {
    .name = "pinwheel",
    .title = "The pinwheel experiment of the paper (figure 2), repeated",
    .seeds = 10,
    .quick_seeds = 2,
    .open = open_nothing,
    .close = close_nothing,
    .plan = plan,
    .run = run,
    .tell = tell,
};
