/* Lets the compiler turn loops with choices (a < b ? c : d) into vector code. Include last.
 *
 * GCC otherwise keeps a branch per value, in case a comparison raised a floating-point exception
 * that someone has unmasked; nobody does, and no value changes. Other compilers do so anyway. */
#ifndef SCDC_KERNELS_VECTOR_H
#define SCDC_KERNELS_VECTOR_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#endif
