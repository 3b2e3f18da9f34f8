/* The geometry of the pinwheel, apart from its random draws, so that it can be tested. */
#ifndef SCDC_DATA_SYNTHETIC_H
#define SCDC_DATA_SYNTHETIC_H

/* A point of the pinwheel from its two features and the angle of its arm (Johnson et al. 2016):
 * the arm bends by rate * exp(along). Scaled by 10 as theirs. */
void pinwheel_point(double out[2], double along, double across, double arm, double rate);

#endif
