/* Hot loops are compiled twice, once for any processor of the architecture and once for AVX2 and
 * FMA, and the dynamic loader takes the copy that the processor can run (-Dcpu=any, the default;
 * meson.build says where). To have a file compiled so:
 *
 *   its header   names each of its functions:  #define f VARIANT(f)
 *   meson.build  adds it to picked_sources instead of lib_sources
 *   a pick.c     in pick_sources has a line:   PICK(f)
 *
 * What is bound by arithmetic (convolution) is compiled a third time, for AVX-512: its files are in
 * broad_sources, too, and its line is PICK_BROAD(f).
 *
 * Results differ in the last digits between the copies, as they do between processors anyway; a
 * process uses one of them throughout. */
#ifndef SCDC_BASE_VARIANT_H
#define SCDC_BASE_VARIANT_H

#include <stdbool.h>

#ifdef SCDC_VARIANT /* compiling one of the copies: _any, _wide or _broad */
#define VARIANT_JOIN(name, suffix) name##suffix
#define VARIANT_NAME(name, suffix) VARIANT_JOIN(name, suffix)
#define VARIANT(name) VARIANT_NAME(name, SCDC_VARIANT)
#else
#define VARIANT(name) name
#endif

/* Defines the function that everybody calls. The choice is made when the program is loaded, before
 * anything else of it runs: no memory, no other function of ours. */
#define PICK(name)                                                                                 \
    extern __typeof__(name) name##_any, name##_wide;                                               \
    __attribute__((used)) static __typeof__(name) *pick_##name(void)                               \
    {                                                                                              \
        __builtin_cpu_init();                                                                      \
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_wide       \
                                                                               : name##_any;       \
    }                                                                                              \
    __typeof__(name) name __attribute__((ifunc("pick_" #name)))

#define PICK_BROAD(name)                                                                           \
    extern __typeof__(name) name##_any, name##_wide, name##_broad;                                 \
    __attribute__((used)) static __typeof__(name) *pick_##name(void)                               \
    {                                                                                              \
        __builtin_cpu_init();                                                                      \
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return name##_any;  \
        bool broad = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&    \
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");     \
        return broad ? name##_broad : name##_wide;                                                 \
    }                                                                                              \
    __typeof__(name) name __attribute__((ifunc("pick_" #name)))

#endif
