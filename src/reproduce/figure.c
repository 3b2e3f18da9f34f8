/* Opening and closing figures. */
#include "reproduce/figure.h"

#include "base/status.h"

#include <stdlib.h>

int figure_begin(figure *f, const session *s, const char *file, const char *title)
{
    *f = (figure){.file = file, .title = title};
    char *path = session_path(s, file);
    int status = path ? writer_open(&f->out, path) : SCDC_ERR_MEMORY;
    free(path);
    return status;
}

int figure_end(figure *f, result *page)
{
    SCDC_TRY(writer_commit(&f->out));
    result_figure(page, f->file, f->title);
    return SCDC_OK;
}
