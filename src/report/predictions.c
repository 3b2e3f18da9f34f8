/* Where items belong, as a csv file and as a matrix of probabilities, all at once or part by part.
 */
#include "base/memory.h"
#include "base/ranks.h"
#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"
#include "io/writer.h"

#include <inttypes.h>
#include <scdc/stream.h>
#include <stdlib.h>

struct scdc_predictions {
    bool has_labels, has_proba;
    writer labels, proba;  /* of process 0; stream NULL: not written */
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
    p->has_labels = labels_path != NULL;
    p->has_proba = proba_path != NULL;
    int status = scdc_ranks_rank() == 0 ? open_files(p, labels_path, proba_path) : SCDC_OK;
    status = ranks_settle(status);
    if (status != SCDC_OK) {
        scdc_predictions_free(p);
        return status;
    }
    *out = p;
    return SCDC_OK;
}

/* Results of items, the first of which is number `first`. */
typedef struct results {
    const scdc_data *items;
    const int64_t *labels, *component;
    const double *probability;
    const float *proba;
    size_t first, count;
} results;

static void write_labels(writer *w, const results *r)
{
    for (size_t i = 0; i < r->count && !writer_failed(w); i++) {
        const char *name = r->items ? scdc_data_name(r->items, i) : NULL;
        if (name) writer_csv_field(w, name);
        else fprintf(w->stream, "%zu", r->first + i);
        fprintf(w->stream, ",%" PRId64 ",%.6g,%" PRId64 "\n", r->labels[i], r->probability[i],
                r->component[i]);
    }
}

static void write_own(scdc_predictions *p, const results *r)
{
    if (p->labels.stream) write_labels(&p->labels, r);
    if (p->proba.stream)
        write_values(p->proba.stream, r->proba, r->count * p->clusters, sizeof *r->proba);
}

/* ---- several processes ---- */

/* What every process has in this round. */
typedef struct round {
    size_t processes;
    size_t *rows, *bytes; /* [processes] */
    size_t total;
    char *text; /* own rows of labels */
    size_t text_size;
    arena memory;
} round;

static int share_size(size_t *out, size_t own)
{
    out[scdc_ranks_rank()] = own;
    return ranks_share(out, sizeof *out, scdc_ranks_count(), 1);
}

static int make_text(round *s, const results *r)
{
    writer w = {.stream = open_memstream(&s->text, &s->text_size)};
    if (!w.stream) return fail_memory(r->count * 32, "labels");
    write_labels(&w, r);
    return fclose(w.stream) == 0 ? SCDC_OK : fail_memory(r->count * 32, "labels");
}

/* Own bytes of all processes, one after the other, in process 0's `all` (made here). */
static int collect(unsigned char **all, size_t *total, round *s, const void *own, size_t bytes)
{
    SCDC_TRY(share_size(s->bytes, bytes));
    *total = 0;
    for (size_t r = 0; r < s->processes; r++) *total += s->bytes[r];
    *all = NULL;
    int status = SCDC_OK;
    if (scdc_ranks_rank() == 0) {
        *all = arena_new(&s->memory, *total, 1, "results of processes");
        status = arena_status(&s->memory);
    }
    SCDC_TRY(ranks_settle(status));
    return ranks_collect(*all, own, s->bytes);
}

static int write_round(scdc_predictions *p, round *s, results *r)
{
    unsigned char *all;
    size_t bytes;
    SCDC_TRY(share_size(s->rows, r->count));
    r->first = p->done;
    for (size_t i = 0; i < s->processes; i++) {
        s->total += s->rows[i];
        if (i < scdc_ranks_rank()) r->first += s->rows[i];
    }
    if (p->has_labels) {
        SCDC_TRY(ranks_settle(make_text(s, r)));
        SCDC_TRY(collect(&all, &bytes, s, s->text, s->text_size));
        if (all) fwrite(all, 1, bytes, p->labels.stream);
    }
    if (p->has_proba) {
        SCDC_TRY(collect(&all, &bytes, s, r->proba, r->count * p->clusters * sizeof *r->proba));
        if (all) write_values(p->proba.stream, all, bytes / sizeof *r->proba, sizeof *r->proba);
    }
    return SCDC_OK;
}

static int add_round(scdc_predictions *p, results *r)
{
    round s = {.processes = scdc_ranks_count()};
    s.rows = arena_new(&s.memory, s.processes, sizeof *s.rows, "results of processes");
    s.bytes = arena_new(&s.memory, s.processes, sizeof *s.bytes, "results of processes");
    int status = arena_status(&s.memory);
    if (status == SCDC_OK) status = write_round(p, &s, r);
    r->count = s.total;
    free(s.text);
    arena_free(&s.memory);
    return status;
}

/* ---- */

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

static int finish(scdc_predictions *p)
{
    int status = SCDC_OK;
    /* No matrix without its labels. */
    if (p->labels.stream && writer_failed(&p->labels)) return writer_commit(&p->labels);
    if (p->proba.stream && !writer_failed(&p->proba)) status = correct_head(p);
    if (p->proba.stream && status == SCDC_OK) status = writer_commit(&p->proba);
    if (p->labels.stream && status == SCDC_OK) status = writer_commit(&p->labels);
    return status;
}

/* Whether writing failed already: no more items need be placed then. */
static int still_good(scdc_predictions *p)
{
    bool failed = (p->labels.stream && writer_failed(&p->labels)) ||
                  (p->proba.stream && writer_failed(&p->proba));
    return failed ? finish(p) : SCDC_OK;
}

int scdc_predictions_add(scdc_predictions *p, const scdc_data *items, const int64_t *labels,
                         const double *probability, const int64_t *component, const float *proba,
                         size_t count)
{
    if (!p || (count && p->has_labels && (!labels || !probability || !component)) ||
        (count && p->has_proba && !proba)) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "predictions, labels, probability and component must not be NULL, nor "
                         "proba when a matrix is written");
    }
    results r = {items, labels, component, probability, proba, p->done, count};
    if (scdc_ranks_count() > 1) SCDC_TRY(add_round(p, &r));
    else write_own(p, &r);
    p->done += r.count;
    return ranks_settle(still_good(p));
}

size_t scdc_predictions_count(const scdc_predictions *p)
{
    return p ? p->done : 0;
}

int scdc_predictions_finish(scdc_predictions *p)
{
    if (!p) return fail_with(SCDC_ERR_ARGUMENT, "predictions must not be NULL");
    return ranks_settle(finish(p));
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
    scdc_predictions *p = NULL;
    scdc_ranks_alone(1); /* whoever calls it has all of them */
    int status = scdc_predictions_create(&p, path, NULL, 0, 0);
    if (status == SCDC_OK)
        status = scdc_predictions_add(p, items, labels, probability, component, NULL, count);
    if (status == SCDC_OK) status = scdc_predictions_finish(p);
    scdc_predictions_free(p);
    scdc_ranks_alone(0);
    return status;
}
