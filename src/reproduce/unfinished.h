/* The fit at hand, kept in the experiment's folder from time to time and when it is stopped: going
 * on later ends with the same results, and a power failure costs a minute. */
#ifndef SCDC_REPRODUCE_UNFINISHED_H
#define SCDC_REPRODUCE_UNFINISHED_H

#include "reproduce/session.h"

#include <scdc/scdc.h>

/* *out: what the session's job was stopped with; NULL when it was not. */
int unfinished_load(scdc_model **out, const session *s);
int unfinished_keep(const session *s, const scdc_model *model);
/* Its row is kept: nothing to go on with. */
int unfinished_forget(const session *s);

#endif
