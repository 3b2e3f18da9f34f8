/* Seconds that only go forward. */
#ifndef SCDC_BASE_CLOCK_H
#define SCDC_BASE_CLOCK_H

/* Since some moment in the past. For differences; never for anything that decides a result. */
double seconds_now(void);

#endif
