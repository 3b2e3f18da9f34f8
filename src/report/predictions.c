/* Where items belong, as a csv file and as a matrix of probabilities, all at once or part by part.
 */
#include "base/memory.h"
#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "io/writer.h"

#include <inttypes.h>
#include <scdc/stream.h>

struct scdc_predictions {
    writer labels, proba;  /* stream NULL: not written */
    size_t rows, clusters; /* as the matrix says */
    size_t done;
};

static int write_head(scdc_predictions *p)
{
    return npy_write_header(p->proba.stream, SCDC_F32, (size_t[]){p->rows, p->clusters}, 2);
}

static int open_files(scdc_predictions *p, const char *labels_path, const char *proba_path)
{
    if (labels_path) {
        SCDC_TRY(writer_open(&p->labels, labels_path));
        fputs("item,cluster,probability,component\n", p->labels.stream);
    }
    if (!proba_path) return SCDC_OK;
    SCDC_TRY(writer_open(&p->proba, proba_path));
    if (!p->rows && fseek(p->proba.stream, 0, SEEK_CUR) != 0) {
        return fail_with(SCDC_ERR_OUTPUT,
                         "%s: a pipe cannot take the matrix of items whose number is told by "
                         "their end only: give a file",
                         proba_path);
    }
    return write_head(p);
}

int scdc_predictions_create(scdc_predictions **out, const char *labels_path, const char *proba_path,
                            size_t rows, size_t clusters)
{
    scdc_predictions *p;
    if (!out) return fail_with(SCDC_ERR_ARGUMENT, "out must not be NULL");
    SCDC_TRY(mem_zeroed(&p, 1, sizeof *p, "results"));
    p->rows = rows;
    p->clusters = clusters;
    int status = open_files(p, labels_path, proba_path);
    if (status != SCDC_OK) {
        scdc_predictions_free(p);
        return status;
    }
    *out = p;
    return SCDC_OK;
}

static void write_labels(scdc_predictions *p, const scdc_data *items, const int64_t *labels,
                         const double *probability, const int64_t *component, size_t count)
{
    writer *w = &p->labels;
    for (size_t i = 0; i < count && !writer_failed(w); i++) {
        const char *name = items ? scdc_data_name(items, i) : NULL;
        if (name) writer_csv_field(w, name);
        else fprintf(w->stream, "%zu", p->done + i);
        fprintf(w->stream, ",%" PRId64 ",%.6g,%" PRId64 "\n", labels[i], probability[i],
                component[i]);
    }
}

/* Whether writing failed already: no more items need be placed then. */
static int still_good(scdc_predictions *p)
{
    bool failed = (p->labels.stream && writer_failed(&p->labels)) ||
                  (p->proba.stream && writer_failed(&p->proba));
    return failed ? scdc_predictions_finish(p) : SCDC_OK;
}

int scdc_predictions_add(scdc_predictions *p, const scdc_data *items, const int64_t *labels,
                         const double *probability, const int64_t *component, const float *proba,
                         size_t count)
{
    if (!p || (p->labels.stream && (!labels || !probability || !component)) ||
        (p->proba.stream && !proba)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "predictions, labels, probability and component must not be NULL, nor "
                         "proba when a matrix is written");
    }
    if (p->labels.stream) write_labels(p, items, labels, probability, component, count);
    if (p->proba.stream) write_values(p->proba.stream, proba, count * p->clusters, sizeof *proba);
    p->done += count;
    return still_good(p);
}

/* The matrix now knows how many rows it has. The header's size does not depend on it. */
static int correct_head(scdc_predictions *p)
{
    if (p->done == p->rows) return SCDC_OK;
    p->rows = p->done;
    if (fseek(p->proba.stream, 0, SEEK_SET) != 0) {
        return fail_with(SCDC_ERR_OUTPUT, "%s: has another number of rows than its header says",
                         p->proba.path);
    }
    return write_head(p);
}

int scdc_predictions_finish(scdc_predictions *p)
{
    if (!p) return fail_with(SCDC_ERR_ARGUMENT, "predictions must not be NULL");
    int status = SCDC_OK;
    /* No matrix without its labels. */
    if (p->labels.stream && writer_failed(&p->labels)) return writer_commit(&p->labels);
    if (p->proba.stream && !writer_failed(&p->proba)) status = correct_head(p);
    if (p->proba.stream && status == SCDC_OK) status = writer_commit(&p->proba);
    if (p->labels.stream && status == SCDC_OK) status = writer_commit(&p->labels);
    return status;
}

void scdc_predictions_free(scdc_predictions *p)
{
    if (!p) return;
    if (p->labels.stream) writer_abandon(&p->labels);
    if (p->proba.stream) writer_abandon(&p->proba);
    mem_free(p);
}

int scdc_write_predictions(const char *path, const scdc_data *items, const int64_t *labels,
                           const double *probability, const int64_t *component, size_t count)
{
    if (!path || !labels || !probability || !component) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "path, labels, probability and component must not be NULL");
    }
    scdc_predictions *p;
    SCDC_TRY(scdc_predictions_create(&p, path, NULL, 0, 0));
    int status = scdc_predictions_add(p, items, labels, probability, component, NULL, count);
    if (status == SCDC_OK) status = scdc_predictions_finish(p);
    scdc_predictions_free(p);
    return status;
}
