/* scdc_about: what this build is made of and runs on, for reports of defects. */
#include "base/cores.h"

#include <jansson.h>
#include <jpeglib.h>
#include <png.h>
#include <scdc/scdc.h>
#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

/* Weak, so that any CBLAS links. */
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

static const char *compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

/* What the library was compiled for; where hot loops have several copies (base/variant.h), which of
 * them this processor runs. */
static const char *instructions(void)
{
#if defined(__AVX512F__)
    return "x86-64 with AVX-512";
#elif defined(__AVX2__)
    return "x86-64 with AVX2";
#elif defined(__x86_64__)
    __builtin_cpu_init();
    bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool broad = wide && __builtin_cpu_supports("avx512f");
    return broad ? "x86-64; AVX2 in hot loops and AVX-512 in convolutions, where the build has them"
           : wide ? "x86-64; AVX2 in hot loops, where the build has them"
                  : "x86-64";
#elif defined(__aarch64__)
    return "arm64";
#else
    return "plain C";
#endif
}

static const char *blas(void)
{
    return openblas_get_config ? openblas_get_config() : "a CBLAS that is not OpenBLAS";
}

static const char *blas_core(void)
{
    return openblas_get_corename ? openblas_get_corename() : "unknown";
}

static const char *jpeg(void)
{
#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)
#ifdef LIBJPEG_TURBO_VERSION
    return "turbo " TEXT_OF(LIBJPEG_TURBO_VERSION);
#else
    return TEXT_OF(JPEG_LIB_VERSION);
#endif
}

static const char *metis(void)
{
#ifdef SCDC_HAVE_METIS
    return "yes";
#else
    return "no";
#endif
}

static const char *cores(void)
{
    static _Thread_local char text[16];
    snprintf(text, sizeof text, "%d", cores_count());
    return text;
}

static const char *png(void)
{
    return png_get_libpng_ver(NULL);
}

static const struct {
    const char *name;
    const char *(*tell)(void);
} facts[] = {{"scdc", scdc_version},
             {"compiler", compiler},
             {"instructions", instructions},
             {"cores", cores},
             {"blas", blas},
             {"blas kernels", blas_core},
             {"zlib", zlibVersion},
             {"png", png},
             {"jpeg", jpeg},
             {"jansson", jansson_version_str},
             {"metis", metis}};

const char *scdc_about(size_t index, const char **value)
{
    if (index >= sizeof facts / sizeof *facts) return NULL;
    if (value) *value = facts[index].tell();
    return facts[index].name;
}
