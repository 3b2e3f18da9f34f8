/* Networks of images. */
#include "model/image_nets.h"
#include "base/status.h"
#include "nets/words.h"

#include <string.h>

enum {
    LEAST_SIDE = 4,        /* of an image: two halvings leave something */
    MOST_VALUES = 1 << 26, /* of the activations of all rows together: a quarter of a gigabyte */
    INSIDE = 3             /* a layer's outputs, what is inside of a block, and their gradients */
};

bool image_nets_asked(const scdc_options *o)
{
    return o->net == SCDC_NET_CONV || o->net == SCDC_NET_RESNET;
}

int core_decoder(decoder *out, arena *a, const core_spec *spec, size_t max_rows)
{
    const scdc_options *o = &spec->options;
    size_t reversed[SCDC_MAX_HIDDEN];
    for (size_t l = 0; l < o->n_hidden; l++) reversed[l] = o->hidden[o->n_hidden - 1 - l];
    decoder_form form = {.latent = spec->latent,
                         .observed = {spec->channels, spec->height, spec->width},
                         .hidden = reversed,
                         .n_hidden = o->n_hidden,
                         .words = image_nets_asked(o) ? o->decoder : NULL,
                         .likelihood = spec->likelihood,
                         .max_rows = max_rows};
    return decoder_create(out, a, &form);
}

static void add_net(image_nets_size *size, const net *n)
{
    size->params += net_room(n);
    for (size_t l = 0; l < n->depth; l++)
        size->activations += INSIDE * shape_size(n->layers[l]->out);
}

static int measure(image_nets_size *size, const core_spec *spec, arena *memory)
{
    const scdc_options *o = &spec->options;
    shape in = {spec->channels, spec->height, spec->width};
    net n;
    decoder d;
    SCDC_TRY(
        net_of_images(&n, memory, in, o->encoder, o->hidden, o->n_hidden, 2 * spec->latent, 1));
    add_net(size, &n);
    if (o->model == SCDC_MODEL_AMORTIZED) {
        SCDC_TRY(net_of_images(&n, memory, in, o->encoder_z, NULL, 0, spec->components, 1));
        add_net(size, &n);
    }
    SCDC_TRY(core_decoder(&d, memory, spec, 1));
    add_net(size, &d.net);
    return SCDC_OK;
}

int image_nets_measure(image_nets_size *out, const core_spec *spec)
{
    const scdc_options *o = &spec->options;
    arena memory = {0};
    if (spec->height < LEAST_SIDE || spec->width < LEAST_SIDE) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "net %s is for images of %d x %d pixels or more, and items are %zu x %zu: "
                         "use net mlp or linear",
                         o->net == SCDC_NET_CONV ? "conv" : "resnet", LEAST_SIDE, LEAST_SIDE,
                         spec->height, spec->width);
    }
    const char *words[] = {o->encoder, o->decoder, o->encoder_z};
    for (size_t n = 0; n < sizeof words / sizeof *words; n++) {
        if (strstr(words[n], "drop") || strstr(words[n], "batch")) {
            return fail_with(SCDC_ERR_ARGUMENT,
                             "dropout and normalised minibatches are for the classifier only, not "
                             "for encoder, decoder or encoder_z");
        }
    }
    *out = (image_nets_size){0};
    int status = measure(out, spec, &memory);
    arena_free(&memory);
    return status;
}

size_t image_nets_rows(const image_nets_size *size, size_t most)
{
    size_t rows = MOST_VALUES / (size->activations ? size->activations : 1);
    return rows < 1 ? 1 : rows < most ? rows : most;
}
