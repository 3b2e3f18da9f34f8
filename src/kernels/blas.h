/* The one place that decides how many threads the BLAS library uses. Not a wrapper of BLAS. */
#ifndef SCDC_KERNELS_BLAS_H
#define SCDC_KERNELS_BLAS_H

/* Between begin and end BLAS and LAPACK calls run on the calling thread only, so that our own
 * pieces decide the work and results do not depend on the number of threads. Nests, also across
 * threads: the first one in saves the library's setting and the last one out restores it. Nothing
 * happens when the BLAS is not OpenBLAS (set its threads to 1 in its own way then). */
void blas_serial_begin(void);
void blas_serial_end(void);

#endif
