/* Frames of a fit: one column per component, so that columns stay what they are from epoch to
 * epoch. */
#include "fit_frames.h"

#include "commands.h"
#include "inputs.h"
#include "output.h"
#include "run_report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, SEED = 1 }; /* items of a component, always the same draws */

static int refuse_list(const fit_frames *f)
{
    int code =
        refuse(EXIT_USAGE, "--frames: '%s' is neither 'all' nor epochs such as 1,5,20", f->asked);
    hint("epochs are numbered from 1");
    return code;
}

int fit_frames_parse(fit_frames *f)
{
    if (!f->asked) return EXIT_GOOD;
    f->all = strcmp(f->asked, "all") == 0;
    for (const char *c = f->asked; !f->all;) {
        char *end;
        errno = 0;
        unsigned long long epoch = strtoull(c, &end, 10);
        if (!isdigit((unsigned char)*c) || errno || epoch == 0 || (*end && *end != ','))
            return refuse_list(f);
        f->epochs = must_resize(f->epochs, f->count + 1, sizeof *f->epochs);
        f->epochs[f->count++] = (size_t)epoch;
        if (!*end) break;
        c = end + 1;
    }
    return EXIT_GOOD;
}

int fit_frames_check(const fit_frames *f, const scdc_data_info *i)
{
    if (!f->asked || items_are_pictures(i->channels, i->height, i->width)) return EXIT_GOOD;
    int code =
        refuse(EXIT_USAGE, "--frames: the items are no images, but vectors of %zu values", i->cols);
    hint("'scdc sample RUN -o FILE.csv' writes made-up vectors");
    return code;
}

static bool is_asked(const fit_frames *f, size_t epoch)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->epochs[i] == epoch) return true;
    }
    return f->all;
}

static int write_frame(const char *folder, const scdc_progress *p)
{
    char name[64];
    if (p->restarts > 1) {
        snprintf(name, sizeof name, "restart-%zu-epoch-%03zu.png", p->restart, p->done->epoch);
    } else {
        snprintf(name, sizeof name, "epoch-%03zu.png", p->done->epoch);
    }
    char *path = run_path(folder, name);
    int status = scdc_write_samples(path, p->model, 1, ROWS, SEED);
    free(path);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

int fit_frames_keep(const fit_frames *f, const char *run, const scdc_progress *p)
{
    if (!f->asked || !p->done || !p->model || !is_asked(f, p->done->epoch)) return EXIT_GOOD;
    char *folder = run_path(run, "frames");
    int code = make_folder(folder);
    if (code == EXIT_GOOD) code = write_frame(folder, p);
    free(folder);
    return code;
}

void fit_frames_free(fit_frames *f)
{
    free(f->epochs);
    *f = (fit_frames){0};
}
