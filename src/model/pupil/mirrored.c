/* Mirrored images, judged by answers kept back. */
#include "model/pupil/mirrored.h"
#include "base/status.h"
#include "model/clusters/kept_answers.h"
#include "model/pupil/views.h"
#include "model/tuning.h"

int pupil_words(float *word, pupil *f, const scdc_model *model, const scdc_data *data,
                const uint32_t *items, size_t n, bool mirrored)
{
    size_t C = f->classes;
    arena memory = {0};
    real *o = arena_new(&memory, PUPIL_PLACED, data->cols * sizeof *o, "a chunk");
    double *p = arena_new(&memory, PUPIL_PLACED, C * sizeof *p, "a chunk");
    int status = arena_status(&memory);
    for (size_t first = 0; first < n && status == SCDC_OK; first += PUPIL_PLACED) {
        uint32_t item[PUPIL_PLACED];
        size_t rows = n - first < PUPIL_PLACED ? n - first : PUPIL_PLACED;
        for (size_t i = 0; i < rows; i++)
            item[i] = items ? items[first + i] : (uint32_t)(first + i);
        input_gather(o, data, &model->input, item, rows);
        if (mirrored) mirror_rows(o, f->in, rows);
        pupil_place(p, f, o, rows);
        for (size_t i = 0; i < rows * C; i++) word[first * C + i] = (float)p[i];
    }
    arena_free(&memory);
    return status;
}

/* What it says of annotated items, [2 nodes][outputs]: as they are, and then mirrored. */
static int ask_both_ways(double *word, pupil *f, const scdc_model *model, const scdc_data *data)
{
    const crowd_graph *g = &model->clusters->graph;
    size_t values = g->nodes * f->classes;
    float *said;
    SCDC_TRY(mem_zeroed(&said, 2 * values, sizeof *said, "a network's word"));
    int status = pupil_words(said, f, model, data, g->item, g->nodes, false);
    if (status == SCDC_OK)
        status = pupil_words(said + values, f, model, data, g->item, g->nodes, true);
    for (size_t i = 0; i < 2 * values; i++) word[i] = (double)said[i];
    mem_free(said);
    return status;
}

/* One of every two items is mirrored: were both, kinds that mirroring exchanges would pass. */
static bool tell_as_much(kept_answers *kept, const double *word, size_t nodes, size_t C)
{
    double plain = kept_answers_told(kept, word, C);
    for (size_t i = 0; i < kept->count; i++) kept->pair[i].left += (uint32_t)nodes;
    return plain > 0 && kept_answers_told(kept, word, C) >= MIRRORED_TELL * plain;
}

int may_be_mirrored(bool *out, pupil *f, const scdc_model *model, const scdc_data *data)
{
    kept_answers kept;
    double *word = NULL;
    size_t nodes = model->clusters->graph.nodes;
    *out = false;
    if (model->core->spec.options.augment != SCDC_AUGMENT_AUTO) return SCDC_OK;
    int status = kept_answers_create(&kept, model->clusters);
    if (status == SCDC_OK && kept.count) {
        status = mem_zeroed(&word, 2 * nodes, f->classes * sizeof *word, "a network's word");
        if (status == SCDC_OK) status = ask_both_ways(word, f, model, data);
        *out = status == SCDC_OK && tell_as_much(&kept, word, nodes, f->classes);
    }
    mem_free(word);
    kept_answers_free(&kept);
    return status;
}
