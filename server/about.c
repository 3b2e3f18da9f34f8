/* The libraries that the server runs with, as they tell of themselves. */
#include "collect.h"

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <sqlite3.h>

const char *collect_about(size_t index, const char **value)
{
    switch (index) {
    case 0: *value = MHD_get_version(); return "microhttpd";
    case 1: *value = sqlite3_libversion(); return "sqlite";
    case 2: *value = gnutls_check_version(NULL); return "gnutls";
#ifdef SCDC_HAVE_POSTGRESQL
    case 3: *value = "yes, loaded when a project is kept there"; return "postgresql";
#endif
    default: return NULL;
    }
}
