/* Which file of the page belongs to which path. */
#include "assets.h"

#include "api.h"

#include <string.h>

static const char *file_of(const char *path, bool *framed)
{
    *framed = strcmp(path, "/mturk") == 0;
    if (*framed || strcmp(path, "/") == 0) return "worker.html";
    if (strcmp(path, "/owner") == 0) return "owner.html";
    return strncmp(path, "/page/", 6) == 0 ? path + 6 : NULL;
}

bool asset_reply(reply *out, const char *path)
{
    bool framed;
    const char *name = file_of(path, &framed);
    for (size_t i = 0; name && i < n_assets; i++) {
        if (strcmp(assets[i].name, name) != 0) continue;
        out->status = 200;
        out->type = assets[i].type;
        out->body = (char *)(uintptr_t)assets[i].bytes; /* only read: not owned */
        out->size = assets[i].size;
        out->etag = assets[i].etag;
        out->framed = framed;
        return true;
    }
    return false;
}
