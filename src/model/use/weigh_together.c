/* Words of annotated items among their neighbours, as if nobody had asked about them. */
#include "model/use/weigh_together.h"
#include "base/status.h"
#include "model/classes/alone.h"
#include "model/use/weigh_alone.h"

#include <string.h>

/* Items as they are without their answers, and what they were. */
typedef struct strangers {
    hood *h;
    const crowd_graph *graph;
    double *word; /* [nodes][C] */
    float *own;   /* [nodes][C] of the hood */
} strangers;

static void forget_answers(strangers *s)
{
    size_t C = s->h->clusters;
    for (size_t i = 0; i < s->graph->nodes; i++) {
        float *own = s->h->own + s->graph->item[i] * C;
        memcpy(s->own + i * C, own, C * sizeof *own);
        for (size_t c = 0; c < C; c++) own[c] = (float)s->word[i * C + c];
        s->h->annotated[s->graph->item[i]] = false;
    }
}

/* Takes the word that neighbours made of theirs, and gives them back what they had. */
static void remember_answers(strangers *s)
{
    size_t C = s->h->clusters;
    for (size_t i = 0; i < s->graph->nodes; i++) {
        size_t item = s->graph->item[i];
        for (size_t c = 0; c < C; c++) s->word[i * C + c] = (double)s->h->proba[item * C + c];
        memcpy(s->h->own + item * C, s->own + i * C, C * sizeof *s->own);
        s->h->annotated[item] = true;
    }
}

int weigh_together(scdc_model *model, hood *h, const scdc_data *data, const classes *found)
{
    const core_spec *spec = &model->core->spec;
    const crowd_graph *g = &found->graph;
    size_t n = g->nodes, C = model->n_clusters;
    arena memory = {0};
    strangers s = {.h = h, .graph = g};
    s.word = arena_new(&memory, n, C * sizeof *s.word, "clusters of items");
    s.own = arena_new(&memory, n, C * sizeof *s.own, "clusters of items");
    bool *unheard = arena_new(&memory, n, sizeof *unheard, "annotated items");
    int status = arena_status(&memory);
    if (status == SCDC_OK) status = words_alone(s.word, model, data, g, false);
    if (status == SCDC_OK) {
        forget_answers(&s);
        status = hood_settle(h, 1);
        remember_answers(&s);
    }
    expert_case given = {.answers = found->answers,
                         .graph = g,
                         .workers = spec->workers,
                         .clusters = C,
                         .mixture = s.word,
                         .options = &spec->options,
                         .known = spec->known};
    if (status == SCDC_OK) {
        bool kept_back = list_unheard(unheard, model->clusters, g);
        status = alone_doubt(&model->doubt,
                             &(alone_case){.given = &given, .unheard = kept_back ? unheard : NULL});
    }
    arena_free(&memory);
    return status;
}
