/* The public doors to the options: callers may know an older or newer version of the struct. */
#include "base/sized.h"
#include "base/status.h"
#include "model/options.h"

#include <stdio.h>
#include <string.h>

void scdc_options_init_sized(scdc_options *options, size_t size)
{
    sized_init(options, size, &options_default, sizeof options_default);
}

int options_take(scdc_options *out, const scdc_options *theirs)
{
    if (!theirs) return fail_with(SCDC_ERR_ARGUMENT, "options must not be NULL");
    memcpy(out, &options_default, sizeof *out);
    int status = sized_take(out, sizeof *out, theirs, "scdc_options_init");
    return status == SCDC_OK ? SCDC_OK : fail_prefix(status, "options");
}

int scdc_options_copy_sized(scdc_options *out, size_t size, const scdc_options *from)
{
    scdc_options own;
    if (!out) return fail_with(SCDC_ERR_ARGUMENT, "scdc_options_copy: out must not be NULL");
    SCDC_TRY(options_take(&own, from));
    sized_init(out, size, &own, sizeof own);
    return SCDC_OK;
}

int scdc_options_set(scdc_options *options, const char *key, const char *value)
{
    scdc_options own;
    char what[80];
    if (!options || !key || !value) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_options_set: no argument may be NULL");
    }
    SCDC_TRY(options_take(&own, options));
    SCDC_TRY(options_set(&own, key, value));
    snprintf(what, sizeof what, "the option %.40s", key);
    return sized_give(options, &own, &options_default, sizeof own, what);
}

int scdc_options_preset(scdc_options *options, const char *name)
{
    scdc_options own;
    if (!options || !name) return fail_with(SCDC_ERR_ARGUMENT, "options and name must not be NULL");
    SCDC_TRY(options_take(&own, options));
    SCDC_TRY(options_preset(&own, name));
    return sized_give(options, &own, &options_default, sizeof own, "the preset");
}

int scdc_options_check(const scdc_options *options)
{
    scdc_options own;
    SCDC_TRY(options_take(&own, options));
    return options_check(&own);
}

int scdc_options_get(char *out, size_t size, const scdc_options *options, const char *key)
{
    scdc_options own;
    if (!out || !size || !key) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_options_get: no argument may be NULL or empty");
    }
    SCDC_TRY(options_take(&own, options));
    return options_get(out, size, &own, key);
}
