/* Two scales, or two numbers of latents, compared by the candidates that answers choose among, or
 * that the items show. */
#include "model/train/scale_trial.h"
#include "base/status.h"
#include "crowd/crowd.h"
#include "model/clusters/candidates.h"
#include "model/tuning.h"

#include <math.h>

/* One way to scale items or to take latents of them, and where they are then. */
typedef struct trial {
    input_scale input;
    linear_map map;
    size_t latent;
    bool alone;      /* what the items alone choose is asked for, too */
    double likely;   /* nats of the answers */
    size_t clusters; /* that the items alone choose */
    double steady;   /* how far halves of the items show these again */
} trial;

static void trial_free(trial *t)
{
    input_free(&t->input);
    linear_map_free(&t->map);
}

/* out [items][latent]. */
static int place_items(float *out, const trial *t, const scdc_data *data)
{
    size_t D = data->cols, d = t->latent;
    real *o;
    SCDC_TRY(mem_zeroed(&o, D, sizeof *o, "scaled items"));
    for (uint32_t i = 0; i < data->rows; i++) {
        input_gather(o, data, &t->input, &i, 1);
        for (size_t a = 0; a < d; a++) {
            const double *along = t->map.direction + a * D;
            double sum = 0;
            for (size_t c = 0; c < D; c++) sum += along[c] * ((double)o[c] - t->map.mean[c]);
            out[i * d + a] = (float)sum;
        }
    }
    mem_free(o);
    return SCDC_OK;
}

/* What the items choose by themselves. */
static int judge_unasked(trial *t, candidate_pool *pool, size_t answers)
{
    candidate_choice own = {0};
    bool *left_out;
    SCDC_TRY(mem_zeroed(&left_out, answers, sizeof *left_out, "answers"));
    for (size_t a = 0; a < answers; a++) left_out[a] = true;
    int status = candidates_pick(&own, pool, left_out);
    if (status == SCDC_OK) status = candidates_look_again(&own, pool);
    t->clusters = own.clusters;
    t->steady = own.steady;
    candidate_choice_free(&own);
    mem_free(left_out);
    return status;
}

static int judge(trial *t, const scdc_data *data, const scdc_crowd *crowd, const core_spec *s)
{
    size_t count;
    const scdc_answer *answers = crowd_answers_of(crowd, &count);
    candidate_pool *pool = NULL;
    candidate_choice best = {0};
    float *x;
    t->likely = -INFINITY;
    SCDC_TRY(mem_zeroed(&x, data->rows, t->latent * sizeof *x, "latent means"));
    int status = place_items(x, t, data);
    bool varies = status == SCDC_OK && mixture_mean_variance(x, data->rows, t->latent) > 0;
    if (!varies) goto done; /* nothing to choose among */
    status = candidates_open(&pool, x, data->rows, t->latent, answers, count, s->workers,
                             crowd ? crowd->known : NULL, &s->options);
    if (status == SCDC_OK && t->alone) status = judge_unasked(t, pool, count);
    if (status == SCDC_OK) status = candidates_pick(&best, pool, NULL);
    if (status == SCDC_OK) t->likely = best.likely;
done:
    candidate_choice_free(&best);
    candidates_close(pool);
    mem_free(x);
    return status;
}

static int try_columns(trial *t, const scdc_data *data, const scdc_crowd *crowd, core_spec s)
{
    scdc_scaling columns = SCDC_SCALING_COLUMNS;
    scdc_likelihood gaussian = SCDC_LIKELIHOOD_GAUSSIAN;
    SCDC_TRY(input_choose(&t->input, &gaussian, &columns, data, false));
    SCDC_TRY(linear_map_find(&t->map, &t->latent, data, &t->input));
    return judge(t, data, crowd, &s);
}

int scale_by_answers(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                     const scdc_options *options)
{
    core_spec *s = &p->spec;
    bool open = options->scaling == SCDC_SCALING_AUTO && !options->latent &&
                s->options.scaling == SCDC_SCALING_UNIT && s->options.components > 1;
    if (!open || !s->answers || data->rows > SCALE_TRIAL_ITEMS || data->rows < 2) return SCDC_OK;
    trial kept = {.input = p->input, .map = p->map, .latent = s->options.latent}, other = {0};
    int status = judge(&kept, data, crowd, s);
    bool judged = status == SCDC_OK;
    if (judged) status = try_columns(&other, data, crowd, *s);
    if (judged && status == SCDC_ERR_ARGUMENT) {
        status = SCDC_OK; /* not as many clusters as are asked for: no reason to fail */
    } else if (status == SCDC_OK && other.likely > kept.likely) {
        p->input = other.input;
        p->map = other.map;
        s->options.latent = other.latent;
        s->options.scaling = SCDC_SCALING_COLUMNS;
        other = kept;
    }
    trial_free(&other);
    return status;
}

/* Whether there may be kinds that the first directions do not tell apart, and items enough to find
 * them in more. */
static bool may_be_wider(const problem *p, const scdc_data *data, const scdc_options *options)
{
    const core_spec *s = &p->spec;
    bool open = !options->latent && s->options.components > 1;
    return open && s->options.latent == LINEAR_MOST && data->cols > LINEAR_WIDE &&
           data->rows >= LINEAR_WIDE * ITEMS_PER_LATENT && data->rows <= WIDE_TRIAL_ITEMS;
}

/* More clusters, and halves of the items show them no less, or show them anyway; or as many, which
 * they show only there. */
static bool shows_more(const trial *wide, const trial *kept)
{
    bool again = wide->steady >= FOUND_AGAIN;
    if (wide->clusters == kept->clusters) return again && kept->steady < FOUND_AGAIN;
    return wide->clusters > kept->clusters && (again || wide->steady >= kept->steady);
}

/* What the items show stays until answers speak clearly for the other. */
static bool is_better(const trial *wide, const trial *kept, bool answers)
{
    double gain = answers ? wide->likely - kept->likely : 0;
    return gain > (shows_more(wide, kept) ? -WIDE_MUST_GAIN : WIDE_MUST_GAIN);
}

int size_by_trials(problem *p, const scdc_data *data, const scdc_crowd *crowd,
                   const scdc_options *options)
{
    core_spec *s = &p->spec;
    if (!may_be_wider(p, data, options)) return SCDC_OK;
    trial kept = {.input = p->input, .map = p->map, .latent = LINEAR_MOST, .alone = true};
    trial wide = {.input = p->input, .latent = LINEAR_WIDE, .alone = true};
    int status = judge(&kept, data, crowd, s);
    if (status == SCDC_OK) status = linear_map_find(&wide.map, &wide.latent, data, &p->input);
    bool found = status == SCDC_OK;
    if (found) status = judge(&wide, data, crowd, s);
    if (found && status == SCDC_ERR_ARGUMENT) {
        status = SCDC_OK; /* not as many clusters as are asked for: no reason to fail */
    } else if (status == SCDC_OK && is_better(&wide, &kept, s->answers > 0)) {
        p->map = wide.map;
        s->options.latent = wide.latent;
        wide.map = kept.map;
    }
    linear_map_free(&wide.map);
    return status;
}
