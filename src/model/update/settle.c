/* What all answers say, given networks and components; at the end the experts are weighed as at the
 * end of a fit. */
#include "base/status.h"
#include "model/train/finish.h"
#include "model/train/unheard.h"
#include "model/update/update.h"

int update_settle(scdc_model *model, const scdc_data *data)
{
    cluster_level *t = model->clusters;
    cluster_state before = t->state;
    if (!t->unasked) {
        SCDC_TRY(hear_answers_again(model, data));
        return finish_fit(model, data);
    }
    SCDC_TRY(hear_first_answers(model, data));
    SCDC_TRY(finish_fit(model, data));
    take_links(&t->state, &before); /* the next update chooses again */
    return SCDC_OK;
}
