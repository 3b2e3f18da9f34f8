/* Steps of any core. */
#include "model/core.h"
#include "base/status.h"

int core_step(bound_terms *terms, double *z, core *c, const minibatch *b, const step_rates *rates)
{
    SCDC_TRY(c->ops->measure(terms, z, c, b));
    return c->ops->improve(c, b, rates);
}

int core_warm_step(bound_terms *terms, core *c, const minibatch *b, const step_rates *rates)
{
    SCDC_TRY(c->ops->warm_measure(terms, c, b));
    return c->ops->warm_improve(c, b, rates);
}
