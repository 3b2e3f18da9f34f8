/* The one place that decides how many threads the BLAS library uses. Not a wrapper of BLAS. */
#ifndef SCDC_KERNELS_BLAS_H
#define SCDC_KERNELS_BLAS_H

/* Between begin and end BLAS and LAPACK calls run on the calling thread only, so that our own
 * pieces decide the work and results do not depend on the number of threads. Nests, also across
 * threads: the first one in saves the library's setting and the last one out restores it. Nothing
 * happens when the BLAS is not OpenBLAS (set its threads to 1 in its own way then). */
void blas_serial_begin(void);
void blas_serial_end(void);

/* Makes OpenBLAS set aside the work space that products on parallel_threads() threads need, now:
 * where there is no room, it would ask the system for it over and over inside a product and never
 * return. With room for fewer threads, fewer are used from now on (results do not change);
 * SCDC_ERR_MEMORY when there is no room for one. To be called by every entry point that chooses the
 * number of threads. */
int blas_reserve(void);

#endif
