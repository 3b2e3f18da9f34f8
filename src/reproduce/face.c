/* The face experiment (figure 3 of the paper and its comparison with deep MCVC): our models beside
 * the methods compared with, answers about all images or about 100 of them. */
#include "base/memory.h"
#include "base/status.h"
#include "reproduce/face_figures.h"
#include "reproduce/face_setting.h"
#include "reproduce/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SCDC_HAVE_METIS
enum { HAVE_METIS = 1 };
#else
enum { HAVE_METIS = 0 };
#endif

const face_method face_methods[FACE_METHODS] = {
    {"amortized", "paper", "SCDC, paper recipe", "highest line in its figure"},
    {"amortized", "default", "SCDC, default recipe", "not in the paper"},
    {"bayes", "default", "BayesSCDC, default recipe", "not in the paper"},
    {"mcvc", "-", "MCVC", "a line in its figure"},
    {"deep-mcvc", "-", "deep MCVC", "a line in its supplement, 100 images"},
    {"semicrowd", "-", "SemiCrowd", "a line in its figure"},
    {"itml", "-", "ITML", "a line in its figure"},
    {"mpckmeans", "-", "MPCKMeans", "a line in its figure"},
    {"cspa", "-", "CSPA", "a line in its figure"},
};
const char *const face_groups[FACE_GROUPS] = {"all", "100"};

enum { QUICK_STEPS = 2, QUICK_EPOCHS = 10, QUICK_WARMUP = 20 };

static void setting_text(char out[RUN_TEXT], size_t group, size_t step)
{
    snprintf(out, RUN_TEXT, "%s-%zu", face_groups[group], face_answers[step]);
}

size_t face_steps(const session *s)
{
    return s->asked->quick ? QUICK_STEPS : FACE_STEPS;
}

run_key face_key(size_t method, size_t group, size_t step, uint64_t seed)
{
    char setting[RUN_TEXT];
    setting_text(setting, group, step);
    return run_key_of(face_methods[method].method, face_methods[method].recipe, setting, seed, 0);
}

/* ---- running -------------------------------------------------------------------------------- */

static int open_faces(session *s)
{
    SCDC_TRY(mem_zeroed(&s->state, 1, sizeof(faces), "faces"));
    return faces_open(s->state, s->asked->data);
}

static void close_faces(session *s)
{
    if (s->state) faces_close(s->state);
    mem_free(s->state);
}

static int plan(session *s, uint64_t seed)
{
    for (size_t group = 0; group < FACE_GROUPS; group++) {
        for (size_t step = 0; step < face_steps(s); step++) {
            for (size_t m = 0; m < FACE_METHODS; m++) {
                if (!HAVE_METIS && strcmp(face_methods[m].method, "cspa") == 0) continue;
                SCDC_TRY(session_add(s, face_key(m, group, step, seed)));
            }
        }
    }
    return SCDC_OK;
}

/* The one place where the settings of our models on faces are chosen. */
static int choose_options(scdc_options *o, const session *s)
{
    scdc_options_init(o);
    if (strcmp(s->job.method, "amortized") == 0) o->model = SCDC_MODEL_AMORTIZED;
    if (strcmp(s->job.recipe, "paper") == 0) return scdc_options_preset(o, "face");
    if (s->asked->quick) {
        o->epochs = QUICK_EPOCHS;
        o->warmup = QUICK_WARMUP;
    }
    return SCDC_OK;
}

static int run(run_row *out, session *s)
{
    scdc_options o;
    scdc_crowd *crowd = NULL;
    const faces *f = s->state;
    const char *dash = strchr(s->job.setting, '-');
    bool few = strncmp(s->job.setting, "100-", 4) == 0;
    size_t each = dash ? strtoul(dash + 1, NULL, 10) : 0;
    SCDC_TRY(faces_ask(&crowd, f, each, few ? FACE_FEW : 0, s->job.seed));
    method_input in = {.items = f->items, .crowd = crowd, .truth = f->poses};
    int status;
    if (strcmp(s->job.recipe, "-") == 0) {
        status = method_baseline(out, s, &in, FACE_POSES);
    } else {
        status = choose_options(&o, s);
        if (status == SCDC_OK) status = method_fit(out, s, &in, &o, NULL, NULL, NULL);
    }
    scdc_crowd_free(crowd);
    return status;
}

/* ---- results -------------------------------------------------------------------------------- */

static void tell_group(result *out, const session *s, size_t group, const char *title)
{
    char texts[FACE_STEPS][RUN_TEXT];
    const char *columns[FACE_STEPS + 2] = {"NMI, by answers per worker", "paper"};
    size_t steps = face_steps(s);
    for (size_t i = 0; i < steps; i++) {
        snprintf(texts[i], RUN_TEXT, "%zu", face_answers[i]);
        columns[2 + i] = texts[i];
    }
    result_table(out, title, columns, 2 + steps);
    for (size_t m = 0; m < FACE_METHODS; m++) {
        result_row(out, "%s", face_methods[m].title);
        result_text(out, "%s", face_methods[m].paper);
        for (size_t i = 0; i < steps; i++) {
            run_key key = face_key(m, group, i, 0);
            stats nmi = runs_stats(&s->runs, &key, RUN_NMI);
            result_stats(out, &nmi, 2);
        }
    }
}

double face_true_weight(size_t worker)
{
    return 2 * log(face_quality[worker] / (1 - face_quality[worker]));
}

stats face_weight(const session *s, size_t method, size_t group, size_t worker)
{
    stats all = {0};
    run_key key = face_key(method, group, face_steps(s) - 1, 0);
    for (size_t i = 0; i < s->runs.count; i++) {
        const run_row *row = &s->runs.rows[i];
        if (runs_alike(row, &key) && worker < row->n_weights) stats_add(&all, row->weight[worker]);
    }
    return all;
}

static size_t most_answers(const session *s)
{
    return face_answers[face_steps(s) - 1];
}

static void tell_weights(result *out, const session *s, size_t group, const char *which)
{
    char title[128];
    snprintf(title, sizeof title, "Weights of the workers, %zu answers each about %s",
             most_answers(s), which);
    const char *columns[2 + FACE_OURS] = {"worker", "true"};
    for (size_t m = 0; m < FACE_OURS; m++) columns[2 + m] = face_methods[m].title;
    result_table(out, title, columns, 2 + FACE_OURS);
    for (size_t w = 0; w < FACE_WORKERS; w++) {
        char weight[16];
        stats_number(weight, sizeof weight, face_true_weight(w), 2);
        result_row(out, "%zu, right %.0f %% of the time", w + 1, 100 * face_quality[w]);
        result_text(out, "%s", weight);
        for (size_t m = 0; m < FACE_OURS; m++) {
            stats found = face_weight(s, m, group, w);
            result_stats(out, &found, 2);
        }
    }
}

/* One column of seconds for each method, with the most answers about all images. */
static void tell_seconds(result *out, const session *s)
{
    static const char *const columns[] = {"", "seconds", "clusters"};
    char title[128];
    snprintf(title, sizeof title, "Time and clusters, %zu answers of each worker about all images",
             most_answers(s));
    result_table(out, title, columns, 3);
    for (size_t m = 0; m < FACE_METHODS; m++) {
        run_key key = face_key(m, 0, face_steps(s) - 1, 0);
        stats seconds = runs_stats(&s->runs, &key, RUN_SECONDS);
        stats clusters = runs_stats(&s->runs, &key, RUN_CLUSTERS);
        result_row(out, "%s", face_methods[m].title);
        result_stats(out, &seconds, 2);
        result_stats(out, &clusters, 1);
    }
}

static void tell_notes(result *out)
{
    result_note(out,
                "The %d whole images, %d principal components, truth = %d poses. %d simulated "
                "workers with sensitivity = specificity = .95, .9, .85, .8 and .75; as many truly "
                "same as truly different pairs. All methods of a run hear the same answers. NMI is "
                "over all images.",
                624, (int)FACE_COMPONENTS, (int)FACE_POSES, (int)FACE_WORKERS);
    result_note(out, "The paper gives this experiment only as figures.");
    result_note(out,
                "SCDC, paper recipe: `--preset face`, which fixes %d components. Default recipes: "
                "nothing set, the number of clusters is found. The methods compared with are told "
                "that there are %d clusters.",
                (int)FACE_POSES, (int)FACE_POSES);
    if (!HAVE_METIS) result_note(out, "CSPA is left out: this build has no METIS (libmetis-dev).");
}

static int tell(result *out, session *s)
{
    tell_group(out, s, 0, "Answers about all images (figure 3a)");
    tell_group(out, s, 1, "Answers about 100 images (figure 3b, and deep MCVC)");
    tell_weights(out, s, 0, "all images (figure 3c)");
    tell_weights(out, s, 1, "100 images");
    tell_seconds(out, s);
    tell_notes(out);
    return face_draw(out, s);
}

const experiment experiment_face = {
    .name = "face",
    .title = "The face experiment of the paper (figure 3 and its supplement), repeated",
    .seeds = 10,
    .quick_seeds = 1,
    .open = open_faces,
    .close = close_faces,
    .plan = plan,
    .run = run,
    .tell = tell,
};
