/* Judging workers by their intervals, so that a few unlucky answers condemn nobody. */
#include "report/worker_flag.h"

#include <math.h>

static double logit(double p)
{
    const double edge = 1e-6; /* an interval may touch 0 or 1 */
    p = fmin(1 - edge, fmax(edge, p));
    return log(p / (1 - p));
}

/* The two logits are independent: half widths add in squares. */
void worker_weight_interval(double *low, double *high, const scdc_worker *w)
{
    double a = logit(w->sensitivity_high) - logit(w->sensitivity_low);
    double b = logit(w->specificity_high) - logit(w->specificity_low);
    double half = sqrt(a * a + b * b) / 2;
    *low = w->weight - half;
    *high = w->weight + half;
}

worker_flag worker_judge(const scdc_worker *w)
{
    double low, high;
    worker_weight_interval(&low, &high, w);
    if (high < 0) return WORKER_INVERTED;
    if (w->specificity_high < 0.5 && w->sensitivity > 0.5) return WORKER_SAME;
    if (w->sensitivity_high < 0.5 && w->specificity > 0.5) return WORKER_DIFFERENT;
    if (low > 0) return WORKER_FINE;
    return w->answers < WORKER_ENOUGH ? WORKER_UNKNOWN : WORKER_RANDOM;
}

const char *worker_flag_name(worker_flag flag)
{
    switch (flag) {
    case WORKER_FINE: return "";
    case WORKER_INVERTED: return "inverted";
    case WORKER_SAME: return "one-sided: same";
    case WORKER_DIFFERENT: return "one-sided: different";
    case WORKER_RANDOM: return "random";
    case WORKER_UNKNOWN: return "too few answers";
    case WORKER_FLAGS: break;
    }
    return "";
}

const char *worker_flag_meaning(worker_flag flag)
{
    switch (flag) {
    case WORKER_FINE: return "tells the clusters apart";
    case WORKER_INVERTED: return "answers the wrong way round; the model turns the answers";
    case WORKER_SAME: return "mostly says same, also of items that differ";
    case WORKER_DIFFERENT: return "mostly says different, also of items that belong together";
    case WORKER_RANDOM: return "the answers tell about as much as a coin";
    case WORKER_UNKNOWN: return "nothing can be said yet";
    case WORKER_FLAGS: break;
    }
    return "";
}
