/* The paper's settings by name, and the choices made when nothing is asked for. */
#include "base/ranks.h"
#include "base/status.h"
#include "model/options.h"
#include "model/recipe.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

/* The settings all of the paper's Bayesian experiments share ("Experiment settings"). */
static void paper_common(scdc_options *o)
{
    o->recipe = SCDC_RECIPE_PAPER;
    o->optimizer = SCDC_OPTIMIZER_MOMENTUM;
    o->learning_rate = 1e-3;
    o->momentum = 0.9;
    o->global_rate = 1e-4;
    o->global_momentum = 0.9;
    o->iterations = 4;
    o->prior_kappa = 0.5;
    o->prior_nu = 0.5;
    o->start_spread = 3;
    o->prior_sensitivity[0] = o->prior_sensitivity[1] = 1;
    o->prior_specificity[0] = o->prior_specificity[1] = 1;
    if (o->model == SCDC_MODEL_AMORTIZED) o->optimizer = SCDC_OPTIMIZER_ADAM;
}

static void two_layers(scdc_options *o, size_t units)
{
    o->hidden[0] = o->hidden[1] = units;
    o->n_hidden = 2;
}

/* The experiment of Johnson et al. 2016 whose settings the paper follows for the pinwheel: data as
 * they are, networks that begin as isometries, and a prior whose 0.05 / K is alpha - 1. The full
 * natural gradient is the paper's own. */
static void start_as_johnson(scdc_options *o)
{
    o->scaling = SCDC_SCALING_NONE;
    o->net_start = SCDC_NET_START_LINEAR;
    o->prior_alpha = 1 + 0.05 / (double)o->components;
    o->natgrad = SCDC_NATGRAD_FULL;
}

/* Five residual blocks from 32 x 32 pixels to 8 x 8 and back, nine convolutions for q(z|o). The
 * text says neither how wide they are (as narrow here as lets a processor without a graphics card
 * run some epochs), nor the likelihood, nor how workers begin. */
static void as_on_cifar10(scdc_options *o)
{
    o->model = SCDC_MODEL_AMORTIZED;
    o->components = 10;
    o->latent = 64;
    o->net = SCDC_NET_RESNET;
    strcpy(o->encoder, "conv16,res16,res32/2,res32,res64/2,res64");
    strcpy(o->decoder, "map64,res64,res64,up2,res32,res32,up2,res16");
    strcpy(o->encoder_z, "conv32,conv32,conv32,max2,conv64,conv64,conv64,max2,conv64,conv64,"
                         "conv64,mean");
    o->batch = 100;
    o->answers_batch = 200;
    o->epochs = 200;
    o->optimizer = SCDC_OPTIMIZER_ADAM;
    o->learning_rate = 3e-3;
    o->likelihood = SCDC_LIKELIHOOD_GAUSSIAN;
    o->start_spread = 0.01; /* as for the faces, for the same reason */
    o->start_coins = 0.9;
}

int options_preset(scdc_options *options, const char *name)
{
    scdc_options o = *options;
    paper_common(&o);
    if (strcmp(name, "pinwheel") == 0) {
        o.components = 15;
        o.latent = 2;
        two_layers(&o, 40);
        o.batch = 50;
        o.epochs = 20;
        o.likelihood = SCDC_LIKELIHOOD_GAUSSIAN;
        if (o.model == SCDC_MODEL_BAYES) start_as_johnson(&o);
    } else if (strcmp(name, "face") == 0) {
        o.model = SCDC_MODEL_AMORTIZED; /* the paper's Face experiment is SCDC's */
        o.components = 4;
        o.latent = 8;
        two_layers(&o, 40);
        o.batch = 10;
        o.epochs = 20;
        o.optimizer = SCDC_OPTIMIZER_ADAM;
        o.likelihood = SCDC_LIKELIHOOD_GAUSSIAN;
        /* The text says neither. With components apart from the start images fall into one or two
         * of them before answers are heard; coins as in the published code (docs/running.md). */
        o.start_spread = 0.01;
        o.start_coins = 0.9;
    } else if (strcmp(name, "mnist") == 0) {
        o.components = 50;
        o.latent = 8;
        two_layers(&o, 500);
        o.batch = 128;
        o.epochs = 200;
        o.likelihood = SCDC_LIKELIHOOD_BERNOULLI;
        o.global_rate = 0;    /* 10 / N, as in the published code; the text gives none here */
        o.prior_alpha = 1.05; /* as in the published code */
    } else if (strcmp(name, "cifar10") == 0) {
        as_on_cifar10(&o);
    } else {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "preset must be one of pinwheel, face, mnist, cifar10, not '%s'", name);
    }
    *options = o;
    return SCDC_OK;
}

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

static size_t choose_latent(const problem_size *p)
{
    if (p->dims <= 2) return p->dims;
    if (p->dims <= 16) return clamp(p->dims / 2, 2, 8);
    return p->items < 5000 ? 8 : 16;
}

static size_t choose_components(const problem_size *p, bool linear)
{
    /* Without networks mixtures of all sizes up to this are compared. */
    if (linear) return clamp(p->items / 8, 15, 60);
    /* About one component per 100 items, between 15 and 200: clusters are groups of components, so
     * more than enough components costs little. */
    return clamp(p->items / 100, 15, 200);
}

/* Annotated items carry what the crowd knows to the rest through the networks: the fewer they are,
 * the more each counts, up to ANNOTATED_MOST times. But together not more than half of what all
 * items count, and not more than 1 + its answers: items of which little is known would only distort
 * the rest. */
static double choose_annotated_weight(const problem_size *p)
{
    if (!p->annotated) return 1;
    double share = 0.5 * (double)p->items / (double)p->annotated;
    double known = 1 + 2 * (double)p->answers / (double)p->annotated;
    return fmax(1, fmin(ANNOTATED_MOST, fmin(share, known)));
}

static size_t choose_epochs(const scdc_options *o, const problem_size *p)
{
    if (o->model == SCDC_MODEL_AMORTIZED)
        return clamp((size_t)EPOCHS_ITEMS_AMORTIZED / p->items, 12, 400);
    return clamp((size_t)EPOCHS_ITEMS / p->items, 20, 400);
}

/* An epoch of few items is a handful of steps in which nothing seems to move. q(z|o) of the
 * amortised model goes on learning while clusters hardly move. */
static size_t choose_patience(const scdc_options *o, const problem_size *p)
{
    size_t least = o->model == SCDC_MODEL_AMORTIZED ? 10 : 5;
    return clamp((size_t)PATIENCE_ITEMS / p->items, least, 60);
}

/* Networks earn their keep on many pictures; elsewhere the values themselves, turned so that the
 * first say most, are as good and take no training. */
static int choose_net(scdc_options *o, const problem_size *p)
{
    bool possible = o->model == SCDC_MODEL_BAYES && recipe_of(o)->without_networks &&
                    o->likelihood != SCDC_LIKELIHOOD_BERNOULLI && !o->n_hidden;
    if (o->net == SCDC_NET_LINEAR && !possible) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "net linear is for the default recipe of the Bayesian model with Gaussian "
                         "likelihood and no hidden layers: use net mlp or auto");
    }
    if (o->net == SCDC_NET_AUTO && (*o->encoder || *o->decoder || *o->encoder_z)) {
        o->net = SCDC_NET_CONV;
    }
    if (o->net == SCDC_NET_AUTO) {
        bool pictures = p->image && p->items >= 1000;
        o->net = possible && !pictures ? SCDC_NET_LINEAR : SCDC_NET_MLP;
    }
    if (o->net == SCDC_NET_LINEAR) o->likelihood = SCDC_LIKELIHOOD_GAUSSIAN;
    return SCDC_OK;
}

/* Layers of images where none are given. q(z|o) may forget where in a picture things are, latents
 * may not. */
static int choose_layers(scdc_options *o)
{
    static const struct {
        const char *encoder, *decoder, *encoder_z;
    } layers[] = {[SCDC_NET_CONV] = {"conv32,conv48/2,conv64/2", "map64,up2,conv48,up2,conv32",
                                     "conv32,conv48/2,conv64/2"},
                  [SCDC_NET_RESNET] = {"conv16,res32/2,res64/2", "map64,res64,up2,res32,up2,conv16",
                                       "conv32,res32/2,res64/2,res128/2,mean"}};
    if (o->net != SCDC_NET_CONV && o->net != SCDC_NET_RESNET) {
        if (!*o->encoder && !*o->decoder && !*o->encoder_z) return SCDC_OK;
        return fail_with(SCDC_ERR_ARGUMENT, "encoder, decoder and encoder_z are layers of net conv "
                                            "or resnet; hidden are those of net mlp");
    }
    if (o->net_start != SCDC_NET_START_RANDOM) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "layers of images begin at random: net_start must be random");
    }
    /* All three have room for these. */
    if (!*o->encoder) strcpy(o->encoder, layers[o->net].encoder);
    if (!*o->decoder) strcpy(o->decoder, layers[o->net].decoder);
    if (!*o->encoder_z) strcpy(o->encoder_z, layers[o->net].encoder_z);
    if (!o->n_hidden) {
        o->hidden[0] = 128;
        o->n_hidden = 1;
    }
    return SCDC_OK;
}

/* Never long beside the epochs that were asked for. */
static size_t choose_warmup(const problem_size *p, size_t epochs_asked)
{
    size_t warmup = clamp((size_t)WARM_UP_ITEMS / p->items, 8, 800);
    return epochs_asked && warmup > 4 * epochs_asked ? 4 * epochs_asked : warmup;
}

/* Shards are for those who share a fit; one process has the same bytes with the same shards. */
enum { SHARDS_OF_MANY = 16 };

int options_fit_processes(const scdc_options *o)
{
    size_t processes = scdc_ranks_count();
    if (o->shards <= 1 || o->shards >= processes) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT,
                     "%zu shards are too few for %zu processes: start fewer, or set shards to %zu "
                     "or more in a new fit",
                     o->shards, processes, processes);
}

static int choose_shards(scdc_options *o)
{
    bool possible = recipe_of(o)->may_shard;
    if (!possible && o->shards > 1) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "minibatches of the paper's recipe have 1 shard, not %zu", o->shards);
    }
    if (!o->shards) o->shards = ranks_in_use() && possible ? SHARDS_OF_MANY : 1;
    return options_fit_processes(o);
}

int options_resolve(scdc_options *o, const problem_size *p)
{
    const recipe *r = recipe_of(o);
    size_t epochs_asked = o->epochs;
    if (p->items < 1) return fail_with(SCDC_ERR_ARGUMENT, "there are no items to cluster");
    if (o->components > p->items) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "components must be at most the number of items (%zu), not %zu", p->items,
                         o->components);
    }
    if (o->clusters && !r->cluster_level) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "clusters can be set for the default recipe only (in "
                         "the paper's recipe every live component is a cluster)");
    }
    SCDC_TRY(choose_shards(o));
    SCDC_TRY(choose_net(o, p));
    SCDC_TRY(choose_layers(o));
    bool linear = o->net == SCDC_NET_LINEAR; /* its latent size is told by the values */
    if (!o->components) {
        size_t usual = choose_components(p, linear);
        o->components = clamp(usual > o->clusters ? usual : o->clusters, 1, p->items);
    }
    if (!o->latent && !linear)
        o->latent = r->latent ? clamp(p->dims, 1, r->latent) : choose_latent(p);
    if (!o->n_hidden && !linear) two_layers(o, p->dims > 64 ? 500 : p->dims > 16 ? 100 : 40);
    if (!o->batch) o->batch = clamp(p->items / 20, 10, r->batch);
    if (!o->epochs) o->epochs = r->epochs ? r->epochs : linear ? 1 : choose_epochs(o, p);
    if (!o->patience && r->ends_by_itself) o->patience = choose_patience(o, p);
    if (!o->iterations) o->iterations = r->iterations;
    if (o->global_rate == 0) o->global_rate = r->global_rate;
    if (o->global_rate == 0) o->global_rate = 10.0 / (double)p->items;
    if (o->global_rate > 1) o->global_rate = 1;
    if (o->prior_alpha == 0) o->prior_alpha = 0.05 / (double)o->components;
    if (o->batch > p->items) o->batch = p->items;
    if (!o->warmup && !linear) o->warmup = choose_warmup(p, epochs_asked);
    if (!o->annotated_batch) o->annotated_batch = clamp(o->batch / 2, 1, p->items);
    if (o->annotated_weight == 0) o->annotated_weight = choose_annotated_weight(p);
    if (o->covariance == SCDC_COVARIANCE_AUTO) {
        o->covariance = o->latent <= 64 ? r->wide : SCDC_COVARIANCE_DIAGONAL;
    }
    bool amortized = o->model == SCDC_MODEL_AMORTIZED;
    if (o->learning_rate == 0) o->learning_rate = amortized ? r->amortized_rate : 1e-3;
    if (o->sum == SCDC_SUM_AUTO) o->sum = r->sum;
    if (o->sum_threshold == 0) o->sum_threshold = r->sum_threshold;
    if (o->sum_top > o->components) o->sum_top = o->components;
    return options_check(o);
}
