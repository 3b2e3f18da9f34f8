/* The floating type of networks and kernels: float, or double in the build that checks gradients
 * by finite differences (-DSCDC_REAL_DOUBLE, tests only). */
#ifndef SCDC_BASE_REAL_H
#define SCDC_BASE_REAL_H

#include <math.h>

#ifdef SCDC_REAL_DOUBLE
typedef double real;
#define REAL(x) x
#define real_exp exp
#define real_log log
#define real_log1p log1p
#define real_sqrt sqrt
#define real_fabs fabs
#else
typedef float real;
#define REAL(x) x##f
#define real_exp expf
#define real_log logf
#define real_log1p log1pf
#define real_sqrt sqrtf
#define real_fabs fabsf
#endif

#endif
