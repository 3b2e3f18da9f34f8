/* Networks by words. */
#include "nets/words.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* What a word asks for: its name, a size and a step. */
typedef struct word {
    char name[12];
    double size;
    size_t step;
} word;

/* Words (of which the last may be two layers), hidden layers, and what stands around them. */
enum { MOST_LAYERS = MOST_WORDS + 1 + SCDC_MAX_HIDDEN + 3 };

typedef struct builder {
    arena *memory;
    shape at; /* what the last layer gives */
    size_t max_rows;
    shape whole; /* the images that are to come out, where they are; else 0 x 0 */
    size_t ups;  /* times the words make images larger */
    layer *layers[MOST_LAYERS];
    size_t count;
} builder;

static int add_layer(builder *b, layer *l)
{
    if (b->count == MOST_LAYERS)
        return fail_with(SCDC_ERR_ARGUMENT, "a network of more than %d layers", MOST_LAYERS);
    b->layers[b->count++] = l;
    b->at = l->out;
    return SCDC_OK;
}

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

/* The normalisation shifts and rectifies; it is the word's second layer. */
static int add_batch(layer **out, builder *b, const word *w)
{
    layer *conv;
    SCDC_TRY(
        make_conv(&conv, b, b->at, (conv_options){(size_t)w->size, .side = 3, .stride = w->step}));
    SCDC_TRY(add_layer(b, conv));
    return batch_norm_create(out, b->memory, conv->out, true);
}

/* The way around a block, where it cannot be the input itself. */
static int add_shortcut(layer **out, builder *b, const word *w)
{
    size_t filters = (size_t)w->size;
    *out = NULL;
    if (w->step == 1 && filters == b->at.channels) return SCDC_OK;
    return make_conv(out, b, b->at, (conv_options){filters, .side = 1, .stride = w->step});
}

static int add_batch_res(layer **out, builder *b, const word *w)
{
    size_t filters = (size_t)w->size;
    layer *branch[4], *shortcut;
    SCDC_TRY(
        make_conv(&branch[0], b, b->at, (conv_options){filters, .side = 3, .stride = w->step}));
    SCDC_TRY(batch_norm_create(&branch[1], b->memory, branch[0]->out, true));
    SCDC_TRY(
        make_conv(&branch[2], b, branch[0]->out, (conv_options){filters, .side = 3, .stride = 1}));
    SCDC_TRY(batch_norm_create(&branch[3], b->memory, branch[2]->out, false));
    SCDC_TRY(add_shortcut(&shortcut, b, w));
    return residual_create(out, b->memory, branch, 4, shortcut, b->max_rows);
}

/* The block's last convolution begins as zero: a deep stack begins at the scale of its input, and
 * needs no normalisation (Zhang, Dauphin and Ma 2019). */
static int add_res(layer **out, builder *b, const word *w)
{
    size_t filters = (size_t)w->size;
    layer *branch[2], *shortcut;
    SCDC_TRY(make_conv(&branch[0], b, b->at,
                       (conv_options){filters, .side = 3, .stride = w->step, .relu = true}));
    SCDC_TRY(make_conv(&branch[1], b, branch[0]->out,
                       (conv_options){filters, .side = 3, .stride = 1, .start_zero = true}));
    SCDC_TRY(add_shortcut(&shortcut, b, w));
    return residual_create(out, b->memory, branch, 2, shortcut, b->max_rows);
}

/* An image out of a vector: the dense layer does not know that its outputs are one. */
static int add_map(layer **out, builder *b, const word *w)
{
    size_t filters = (size_t)w->size, values;
    if (!b->whole.height || b->at.height != 1 || b->at.width != 1)
        return fail_with(SCDC_ERR_ARGUMENT,
                         "map%zu makes an image of a vector: it can only be the "
                         "first layer of a decoder",
                         filters);
    shape map = {filters, (b->whole.height + b->ups - 1) / b->ups,
                 (b->whole.width + b->ups - 1) / b->ups};
    if (!size_mul(&values, map.height, map.width) || !size_mul(&values, values, filters))
        return fail_with(SCDC_ERR_ARGUMENT, "images of %zu channels are too large", filters);
    SCDC_TRY(dense_create(out, b->memory, b->at, values, true));
    (*out)->out = map;
    return SCDC_OK;
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
    {"res", add_res, true, true, true},      {"map", add_map, true, false, true},
    {"batch", add_batch, true, true, true},  {"batchres", add_batch_res, true, true, true},
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

static int no_layer(const char *text, size_t length)
{
    return fail_with(SCDC_ERR_ARGUMENT,
                     "'%.*s' is no layer: at most %d of dense128, conv32, conv48/2, wide64/2, "
                     "res64/2, batch32, batchres64/2, norm8, max2, mean2, mean, up2, drop0.3 (a "
                     "decoder begins with map64), separated by commas",
                     (int)(length > 40 ? 40 : length), text, MOST_WORDS);
}

/* Values of one image behind a layer: whoever wrote the words may have meant harm. */
static bool is_too_large(const builder *b, const word *w)
{
    enum { MOST_VALUES = 1 << 24 };
    double pixels = (double)b->at.height * (double)b->at.width;
    bool up = strcmp(w->name, "up") == 0;
    return pixels * (up ? (double)b->at.channels * w->size * w->size : w->size) > MOST_VALUES;
}

static int add_word(builder *b, const char *text, size_t length)
{
    word w;
    layer *made;
    const struct kind *kind = read_word(&w, text, length) ? find_kind(&w) : NULL;
    if (!kind || b->count >= MOST_WORDS) return no_layer(text, length);
    if (is_too_large(b, &w)) {
        return fail_with(SCDC_ERR_ARGUMENT, "'%.*s' is too large for images of %zu x %zu pixels",
                         (int)length, text, b->at.height, b->at.width);
    }
    SCDC_TRY(kind->add(&made, b, &w));
    return add_layer(b, made);
}

static int add_words(builder *b, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, ",");
        SCDC_TRY(add_word(b, words, length));
        words += length;
        if (*words == ',' && !*++words) return no_layer(words, 0); /* nothing behind it */
    }
    return SCDC_OK;
}

static int add_hidden(builder *b, size_t outputs, bool relu)
{
    layer *made;
    SCDC_TRY(dense_create(&made, b->memory, b->at, outputs, relu));
    return add_layer(b, made);
}

static int finish(net *out, builder *b)
{
    return net_create(out, b->memory, b->layers, b->count, b->max_rows);
}

int net_by_words(net *out, arena *a, shape in, const char *words, size_t outputs, size_t max_rows)
{
    builder b = {.memory = a, .at = in, .max_rows = max_rows};
    SCDC_TRY(add_words(&b, words));
    SCDC_TRY(add_hidden(&b, outputs, false));
    return finish(out, &b);
}

/* ---- images as items are stored ---- */

/* Images of one channel are the same either way. */
static int begin_images(builder *b, const char *words)
{
    layer *made;
    if (b->at.channels > 1) {
        SCDC_TRY(pixels_create(&made, b->memory, b->at));
        SCDC_TRY(add_layer(b, made));
    }
    return add_words(b, words);
}

int net_from_images(net *out, arena *a, shape in, const char *words, size_t max_rows)
{
    builder b = {.memory = a, .at = in, .max_rows = max_rows};
    SCDC_TRY(begin_images(&b, words));
    return finish(out, &b);
}

int net_of_images(net *out, arena *a, shape in, const char *words, const size_t *hidden,
                  size_t n_hidden, size_t outputs, size_t max_rows)
{
    builder b = {.memory = a, .at = in, .max_rows = max_rows};
    SCDC_TRY(begin_images(&b, words));
    for (size_t l = 0; l < n_hidden; l++) SCDC_TRY(add_hidden(&b, hidden[l], true));
    SCDC_TRY(add_hidden(&b, outputs, false));
    return finish(out, &b);
}

/* How many times larger the words make an image. */
static int count_ups(size_t *out, const char *words)
{
    *out = 1;
    while (*words) {
        word w;
        size_t length = strcspn(words, ",");
        if (read_word(&w, words, length) && strcmp(w.name, "up") == 0 && w.size >= 1) {
            if (w.size > 64 || (*out *= (size_t)w.size) > 4096) return no_layer(words, length);
        }
        words += length + (words[length] == ',');
    }
    return SCDC_OK;
}

int net_to_images(net *out, layer **last, arena *a, size_t latent, const size_t *hidden,
                  size_t n_hidden, const char *words, shape images, size_t parts, size_t max_rows)
{
    builder b = {.memory = a, .at = shape_vector(latent), .max_rows = max_rows, .whole = images};
    layer *made;
    SCDC_TRY(count_ups(&b.ups, words));
    for (size_t l = 0; l < n_hidden; l++) SCDC_TRY(add_hidden(&b, hidden[l], true));
    SCDC_TRY(add_words(&b, words));
    if (b.at.height < images.height || b.at.width < images.width) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the layers '%.60s' make images of %zu x %zu pixels where %zu x %zu are "
                         "wanted: a decoder begins with map64 and has no steps",
                         words, b.at.height, b.at.width, images.height, images.width);
    }
    SCDC_TRY(
        make_conv(last, &b, b.at, (conv_options){images.channels * parts, .side = 3, .stride = 1}));
    SCDC_TRY(add_layer(&b, *last));
    SCDC_TRY(planes_create(&made, a, b.at, images.height, images.width));
    SCDC_TRY(add_layer(&b, made));
    return finish(out, &b);
}
