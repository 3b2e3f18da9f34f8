/* Networks by words. */
#include "nets/words.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* What a word asks for: its name, a size and a step. */
typedef struct word {
    char name[8];
    double size;
    size_t step;
} word;

typedef struct builder {
    arena *memory;
    shape at; /* what the last layer gives */
    size_t max_rows;
    layer *layers[MOST_WORDS + 1];
    size_t count;
} builder;

/* ---- layers of a word ---- */

static int make_conv(layer **out, builder *b, shape in, conv_options o)
{
    o.pad = o.side / 2;
    return conv_create(out, b->memory, in, &o);
}

static int add_dense(layer **out, builder *b, const word *w)
{
    return dense_create(out, b->memory, b->at, (size_t)w->size, true);
}

static int add_conv(layer **out, builder *b, const word *w)
{
    return make_conv(out, b, b->at,
                     (conv_options){(size_t)w->size, .side = 3, .stride = w->step, .relu = true});
}

static int add_wide(layer **out, builder *b, const word *w)
{
    return make_conv(out, b, b->at,
                     (conv_options){(size_t)w->size, .side = 5, .stride = w->step, .relu = true});
}

static int add_norm(layer **out, builder *b, const word *w)
{
    return group_norm_create(out, b->memory, b->at, (size_t)w->size, false);
}

static int add_max(layer **out, builder *b, const word *w)
{
    return pool_create(out, b->memory, b->at, POOL_MAX, (size_t)w->size);
}

static int add_mean(layer **out, builder *b, const word *w)
{
    if (w->size == 0) return global_mean_create(out, b->memory, b->at);
    return pool_create(out, b->memory, b->at, POOL_MEAN, (size_t)w->size);
}

static int add_up(layer **out, builder *b, const word *w)
{
    return upsample_create(out, b->memory, b->at, (size_t)w->size);
}

static int add_drop(layer **out, builder *b, const word *w)
{
    return dropout_create(out, b->memory, b->at, w->size);
}

/* The block's last convolution begins as zero: a deep stack begins at the scale of its input, and
 * needs no normalisation (Zhang, Dauphin and Ma 2019). */
static int add_res(layer **out, builder *b, const word *w)
{
    size_t filters = (size_t)w->size;
    layer *branch[2], *shortcut = NULL;
    SCDC_TRY(make_conv(&branch[0], b, b->at,
                       (conv_options){filters, .side = 3, .stride = w->step, .relu = true}));
    SCDC_TRY(make_conv(&branch[1], b, branch[0]->out,
                       (conv_options){filters, .side = 3, .stride = 1, .start_zero = true}));
    if (w->step != 1 || filters != b->at.channels) {
        SCDC_TRY(
            make_conv(&shortcut, b, b->at, (conv_options){filters, .side = 1, .stride = w->step}));
    }
    return residual_create(out, b->memory, branch, 2, shortcut, b->max_rows);
}

/* ---- words ---- */

static const struct kind {
    const char *name;
    int (*add)(layer **out, builder *b, const word *w);
    bool sized, stepped, whole;
} kinds[] = {
    {"dense", add_dense, true, false, true}, {"conv", add_conv, true, true, true},
    {"wide", add_wide, true, true, true},    {"norm", add_norm, true, false, true},
    {"max", add_max, true, false, true},     {"mean", add_mean, false, false, true},
    {"up", add_up, true, false, true},       {"drop", add_drop, true, false, false},
    {"res", add_res, true, true, true},
};

/* [A-Z a-z]*[number][/number], all of the text. */
static bool read_word(word *out, const char *text, size_t length)
{
    char copy[32], *end;
    word w = {.step = 1};
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    size_t name = strcspn(copy, "0123456789./");
    if (name == 0 || name >= sizeof w.name) return false;
    memcpy(w.name, copy, name);
    end = copy + name;
    if (*end && *end != '/') w.size = strtod(end, &end);
    if (*end == '/') {
        char *digits = end + 1;
        w.step = (size_t)strtoul(digits, &end, 10);
        if (end == digits) return false;
    }
    *out = w;
    return *end == '\0' && w.size >= 0 && w.size <= 65536 && w.step >= 1 && w.step <= 64;
}

static const struct kind *find_kind(const word *w)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct kind *kind = &kinds[k];
        if (strcmp(kind->name, w->name) != 0) continue;
        bool size = w->size > 0 || !kind->sized, step = w->step == 1 || kind->stepped;
        return size && step && (!kind->whole || w->size == (double)(size_t)w->size) ? kind : NULL;
    }
    return NULL;
}

static int add_word(builder *b, const char *text, size_t length)
{
    word w;
    const struct kind *kind = read_word(&w, text, length) ? find_kind(&w) : NULL;
    if (!kind || b->count == MOST_WORDS) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "'%.*s' is no layer: at most %d of dense128, conv32, conv48/2, wide64/2, "
                         "res64/2, norm8, max2, mean2, mean, up2, drop0.3, separated by commas",
                         (int)(length > 40 ? 40 : length), text, MOST_WORDS);
    }
    SCDC_TRY(kind->add(&b->layers[b->count], b, &w));
    b->at = b->layers[b->count++]->out;
    return SCDC_OK;
}

int net_by_words(net *out, arena *a, shape in, const char *words, size_t outputs, size_t max_rows)
{
    builder b = {.memory = a, .at = in, .max_rows = max_rows};
    while (*words) {
        size_t length = strcspn(words, ",");
        SCDC_TRY(add_word(&b, words, length));
        words += length;
        if (*words == ',' && !*++words) return add_word(&b, words, 0); /* nothing behind it */
    }
    SCDC_TRY(dense_create(&b.layers[b.count], a, b.at, outputs, false));
    return net_create(out, a, b.layers, b.count + 1, max_rows);
}
