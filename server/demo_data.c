/* Pictures to try things on: five shapes, turned, moved and blurred a little. */
#include "base.h"
#include "collect.h"
#include "draw.h"
#include "project.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIDE = 32, SHAPES = 5, PICTURES = 400 };

/* How far inside a shape the point is; negative outside. Shapes have radius about 1. */
static double inside(int shape, double x, double y)
{
    double r = hypot(x, y), a = atan2(y, x), edge;
    switch (shape) {
    case 0: return .9 - r;                                       /* disc */
    case 1: return .8 - fmax(fabs(x), fabs(y));                  /* square */
    case 2: edge = M_PI * 2 / 3; break;                          /* triangle */
    case 3: return .25 - fabs(r - .68);                          /* ring */
    default: return fmin(.95 - r, .26 - fmin(fabs(x), fabs(y))); /* cross */
    }
    double turned = a - edge * floor(a / edge) - edge / 2;
    return .5 - r * cos(turned);
}

static void paint(unsigned char *pixels, int shape, draw *d)
{
    double turn = (draw_unit(d) - .5) * .5, size = 10 + 3 * draw_unit(d);
    double cx = SIDE / 2.0 + 3 * (draw_unit(d) - .5), cy = SIDE / 2.0 + 3 * (draw_unit(d) - .5);
    double light = 170 + 80 * draw_unit(d), dark = 10 + 30 * draw_unit(d);
    for (int v = 0; v < SIDE; v++) {
        for (int u = 0; u < SIDE; u++) {
            double x = (u + .5 - cx) / size, y = (v + .5 - cy) / size;
            double in = inside(shape, x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn));
            double cover = fmin(1, fmax(0, in * size + .5));
            double value = dark + (light - dark) * cover + 14 * (draw_unit(d) - .5);
            pixels[v * SIDE + u] = (unsigned char)fmin(255, fmax(0, value));
        }
    }
}

static int write_items(const unsigned char *pixels, const char *path)
{
    scdc_data *data = NULL;
    int status = scdc_data_from_memory(&data, pixels, SCDC_U8, PICTURES, SIDE * SIDE, 0);
    if (status == SCDC_OK) status = scdc_data_set_shape(data, 1, SIDE, SIDE);
    if (status == SCDC_OK) status = scdc_data_write_npy(data, path);
    scdc_data_free(data);
    return status == SCDC_OK ? SCDC_OK : server_fail_lib(status);
}

static int write_truth(const int64_t *kinds, const char *path)
{
    scdc_labels *labels = NULL;
    int status = scdc_labels_from_memory(&labels, kinds, PICTURES);
    if (status == SCDC_OK) status = scdc_labels_write_csv(labels, NULL, path);
    scdc_labels_free(labels);
    return status == SCDC_OK ? SCDC_OK : server_fail_lib(status);
}

int collect_demo_data(const char *folder, uint64_t seed)
{
    char *items = project_path(folder, DEMO_ITEMS), *truth = project_path(folder, DEMO_TRUTH);
    unsigned char *pixels = need_resize(NULL, PICTURES, SIDE * SIDE);
    int64_t kinds[PICTURES];
    int status = SCDC_OK;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        status = server_fail(SCDC_ERR_OUTPUT, "%s: %s", folder, strerror(errno));
    if (status == SCDC_OK && access(truth, R_OK) != 0) {
        draw d = draw_start(seed, 7);
        for (int i = 0; i < PICTURES; i++) {
            kinds[i] = (int64_t)draw_below(&d, SHAPES);
            paint(pixels + i * SIDE * SIDE, (int)kinds[i], &d);
        }
        status = write_items(pixels, items);
        if (status == SCDC_OK) status = write_truth(kinds, truth);
    }
    free(pixels);
    free(items);
    free(truth);
    return status;
}
