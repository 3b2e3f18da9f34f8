/* scdc_plan: how good the labels are by now, how that grew, and what more answers would give. */
#include "asking/outlook.h"

#include "base/parallel.h"
#include "base/sized.h"
#include "base/status.h"

static const scdc_plan_options usual = {.size = sizeof usual,
                                        .confidence = .95,
                                        .workers = 5,
                                        .sensitivity = .85,
                                        .specificity = .85,
                                        .most = 10000,
                                        .seed = SCDC_DEFAULT_SEED};

void scdc_plan_options_init_sized(scdc_plan_options *options, size_t size)
{
    sized_init(options, size, &usual, sizeof usual);
}

static int check_share(const char *name, double value, double low, double high)
{
    if (value >= low && value <= high) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be %g to %g, not %g", name, low, high, value);
}

static int check_options(const scdc_plan_options *o)
{
    SCDC_TRY(check_share("accuracy", o->accuracy, 0, 1));
    SCDC_TRY(check_share("confidence", o->confidence, .5, .999));
    SCDC_TRY(check_share("sensitivity", o->sensitivity, .5, 1));
    SCDC_TRY(check_share("specificity", o->specificity, .5, 1));
    if (o->workers < 1) return fail_with(SCDC_ERR_ARGUMENT, "workers must be 1 or more, not 0");
    if (o->most < 1) return fail_with(SCDC_ERR_ARGUMENT, "most must be 1 or more, not 0");
    if (o->threads < 0)
        return fail_with(SCDC_ERR_ARGUMENT, "threads must be 0 or more, not %d", o->threads);
    return SCDC_OK;
}

void outlook_add(scdc_outlook *out, scdc_plan_point point)
{
    if (out->n_points < MOST_POINTS) out->points[out->n_points++] = point;
}

int scdc_plan(scdc_outlook **out, const scdc_model *model, const scdc_data *data,
              const scdc_crowd *crowd, const scdc_plan_options *options)
{
    scdc_plan_options o = usual;
    scdc_outlook *made;
    if (!out || !data) return fail_with(SCDC_ERR_ARGUMENT, "out and data must not be NULL");
    if (options) SCDC_TRY(sized_take(&o, sizeof o, options, "scdc_plan_options_init"));
    SCDC_TRY(check_options(&o));
    SCDC_TRY(check_crowd(data, crowd));
    parallel_set_threads(o.threads);
    SCDC_TRY(mem_zeroed(&made, 1, sizeof *made, "a plan"));
    made->points = arena_new(&made->memory, MOST_POINTS, sizeof *made->points, "a plan");
    int status = arena_status(&made->memory);
    if (status == SCDC_OK)
        status =
            model ? plan_from_run(made, model, data, crowd, &o) : plan_from_nothing(made, data, &o);
    made->info.sentence = made->sentence;
    if (status == SCDC_OK) *out = made;
    else scdc_outlook_free(made);
    return status;
}

void scdc_outlook_free(scdc_outlook *outlook)
{
    if (!outlook) return;
    arena_free(&outlook->memory);
    mem_free(outlook);
}

int scdc_outlook_get_info_sized(scdc_outlook_info *out, size_t size, const scdc_outlook *outlook)
{
    if (!out || !outlook) return fail_with(SCDC_ERR_ARGUMENT, "out and outlook must not be NULL");
    sized_fill(out, size, &outlook->info, sizeof outlook->info);
    return SCDC_OK;
}

const scdc_plan_point *scdc_outlook_points(const scdc_outlook *outlook, size_t *count)
{
    if (count) *count = outlook ? outlook->n_points : 0;
    return outlook ? outlook->points : NULL;
}
