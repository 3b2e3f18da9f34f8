/* How much the items alone say about kinds: where people see what neighbours and the model's
 * clusters show, bonds mean much; where they see something else, little. The strength is the one of
 * a few under which partitions drawn from the items alone foretell the answers best. */
#include "asking/asking.h"
#include "asking/choose.h"

#include "base/status.h"

#include <math.h>

/* Log odds; the first that is as good as any is taken, and without answers the usual one. */
static const double strengths[] = {6, 12, 24, 48};
static const double usual = 12;
enum { TUNED_BY = 2000, FEWEST = 20 }; /* answers at most, the last ones; and at least */

static double chance_of_same(const partitions *p, size_t left, size_t right)
{
    int same = __builtin_popcountll((unsigned long long)same_in(p, left, right));
    return (same + .5) / (SAMPLES + 1.0);
}

/* Mean log likelihood of answers between blocks. */
static double foretold(const partitions *p, const blocks *b, const looked_at *l,
                       const scdc_answer *answers, size_t count, const coins *of_worker)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t left = looked_at_find(l, answers[i].left),
               right = looked_at_find(l, answers[i].right);
        if (left == SIZE_MAX || right == SIZE_MAX || b->block_of[left] == b->block_of[right])
            continue;
        const coins *c = &of_worker[answers[i].worker];
        double s = chance_of_same(p, b->block_of[left], b->block_of[right]);
        double yes = s * c->sensitivity + (1 - s) * (1 - c->specificity);
        sum += log(answers[i].same ? yes : 1 - yes);
        n++;
    }
    return n >= FEWEST ? sum / n : 0;
}

int blocks_tune(blocks *b, const looked_at *l, const scdc_crowd *crowd, const coins *of_worker,
                uint64_t seed)
{
    size_t count = 0;
    const scdc_answer *answers = crowd ? scdc_crowd_answers(crowd, &count) : NULL;
    double best = -INFINITY, chosen = usual;
    b->strength = usual;
    if (count > TUNED_BY) {
        answers += count - TUNED_BY;
        count = TUNED_BY;
    }
    for (size_t k = 0; k < sizeof strengths / sizeof *strengths && count >= FEWEST; k++) {
        partitions p;
        b->strength = strengths[k];
        SCDC_TRY(partitions_draw(&p, b, seed, 1000 + (uint32_t)k));
        double likelihood = foretold(&p, b, l, answers, count, of_worker);
        partitions_free(&p);
        if (likelihood == 0) break; /* too few to tell */
        if (likelihood > best) {
            best = likelihood;
            chosen = strengths[k];
        }
    }
    b->strength = chosen;
    return SCDC_OK;
}
