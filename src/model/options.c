/* The options of a fit as a table, and their defaults. */
#include "model/options.h"
#include "base/option_table.h"
#include "base/status.h"
#include "base/tree_sum.h"

static const char *const model_words[] = {"bayes", "amortized", NULL};
static const char *const recipe_words[] = {"default", "paper", NULL};
static const char *const likelihood_words[] = {"auto", "bernoulli", "gaussian", "logistic", NULL};
static const char *const optimizer_words[] = {"adam", "momentum", NULL};
static const char *const schedule_words[] = {"constant", "cosine", "decay", NULL};
static const char *const covariance_words[] = {"diagonal", "full", "auto", NULL};
static const char *const sum_words[] = {"auto", "exact", "threshold", "top", NULL};
static const char *const natgrad_words[] = {"svi", "full", NULL};
static const char *const net_start_words[] = {"random", "linear", "glorot", NULL};
static const char *const batches_words[] = {"unbiased", "halves", NULL};
static const char *const scaling_words[] = {"unit", "none", "columns", "auto", NULL};
static const char *const net_words[] = {"auto", "mlp", "linear", "conv", "resnet", NULL};
static const char *const classifier_words[] = {"auto", "none", "dense", "conv", "resnet", NULL};
static const char *const augment_words[] = {"auto", "none", "shift", "affine",
                                            "flip", "crop", NULL};
static const char *const clusters_from_words[] = {"auto", "components", "answers", NULL};
static const char *const coins_words[] = {"own", "shared", NULL};

#define MANY 1e9
#define KEY(field, kind, ...) OPTION_KEY(scdc_options, field, kind, __VA_ARGS__)
#define SIZE(field, low_, high_, automatic_, help)                                                 \
    KEY(field, SIZE, help, .low = low_, .high = high_, .automatic = automatic_)
#define NUMBER(field, low_, high_, open, automatic_, help)                                         \
    KEY(field, REAL, help, .low = low_, .high = high_, .open_low = open, .automatic = automatic_)
#define WORD(field, words_, help) KEY(field, WORD, help, .words = words_)
#define TEXT(field, help) KEY(field, TEXT, help, .most = SCDC_MAX_WORDS, .automatic = AUTO_ZERO)
#define BETA(field, help) KEY(field, PAIR, help, .low = PRIOR_LEAST, .high = PRIOR_MOST)

static const option_key keys[] = {
    WORD(model, model_words, "bayes (message passing, workers as posteriors) or amortized"),
    WORD(recipe, recipe_words, "default, or paper: exactly the published algorithm"),
    SIZE(components, 1, 65535, AUTO_ZERO, "most mixture components K; auto = from the data"),
    SIZE(clusters, 1, 65535, AUTO_ZERO, "number of clusters; auto = found by the model"),
    SIZE(latent, 1, 256, AUTO_ZERO, "latent size d; auto = from the data"),
    KEY(hidden, SIZES, "sizes of the hidden layers, as 500,500; auto = from the data",
        .count_offset = offsetof(scdc_options, n_hidden), .most = SCDC_MAX_HIDDEN, .low = 1,
        .high = 65536, .automatic = AUTO_ZERO),
    WORD(likelihood, likelihood_words,
         "auto, bernoulli (data in [0,1]), gaussian or logistic (bytes, as of coloured pictures)"),
    SIZE(epochs, 1, MANY, AUTO_ZERO, "most passes over the data; auto = from the data"),
    SIZE(batch, 1, MANY, AUTO_ZERO, "items in a minibatch; auto = from the data"),
    SIZE(answers_batch, 1, MANY, AUTO_ZERO,
         "answers in a minibatch; auto = in proportion to the items"),
    SIZE(restarts, 1, 1000, AUTO_NEVER,
         "starts with this seed and the next ones; kept is the one that foretells answers best "
         "(without answers: the highest bound)"),
    KEY(seed, SEED, "same seed, same result"),
    KEY(threads, INT, "threads; auto or 0 = all cores", .high = 1024, .automatic = AUTO_ZERO),
    WORD(optimizer, optimizer_words, "adam or momentum, for the networks"),
    NUMBER(learning_rate, 0, 10, true, AUTO_ZERO,
           "step of the networks' optimiser; auto = 1e-3 or 2e-3"),
    NUMBER(momentum, 0, 0.9999, false, AUTO_NEVER, "of the momentum optimiser"),
    WORD(schedule, schedule_words, "learning rate over the epochs: constant, cosine or decay"),
    SIZE(patience, 1, MANY, AUTO_ZERO,
         "stop after so many epochs without a better bound or with clusters that stay; auto = 5 "
         "to 60 from the data, in the paper's recipe never"),
    NUMBER(tolerance, 0, 1, false, AUTO_NEVER, "relative rise of the bound that counts as better"),
    NUMBER(checkpoint, 0, MANY, false, AUTO_NEVER,
           "seconds between two saves of the model while the program fits; 0 = never"),
    WORD(covariance, covariance_words,
         "component covariances of the amortised model: diagonal, full or auto"),
    WORD(sum, sum_words,
         "sum over components in the amortised model: auto, exact, threshold or top"),
    NUMBER(sum_threshold, 0, 0.5, true, AUTO_ZERO,
           "components less likely are skipped (sum=threshold)"),
    SIZE(sum_top, 1, 65535, AUTO_NEVER, "components summed exactly (sum=top)"),
    WORD(natgrad, natgrad_words,
         "natural gradient of the Bayesian model: svi (first term) or full"),
    SIZE(iterations, 1, 100, AUTO_ZERO, "local message iterations T"),
    NUMBER(global_rate, 0, 1, true, AUTO_ZERO,
           "step of the global parameters; auto = from the data"),
    NUMBER(global_momentum, 0, 0.9999, false, AUTO_NEVER, "momentum of the global parameters"),
    NUMBER(prior_alpha, PRIOR_LEAST, 1e6, false, AUTO_ZERO,
           "Dirichlet prior, per component; auto = 0.05 / K"),
    NUMBER(prior_kappa, PRIOR_LEAST, 1e6, false, AUTO_NEVER, "prior weight of the component means"),
    NUMBER(prior_nu, -1, 1e6, true, AUTO_NEVER, "prior degrees of freedom beyond the latent size"),
    BETA(prior_sensitivity, "Beta prior a,b of every worker's sensitivity"),
    BETA(prior_specificity, "Beta prior a,b of every worker's specificity"),
    NUMBER(start_spread, 0, 1e6, true, AUTO_NEVER,
           "standard deviation of the first component means"),
    WORD(net_start, net_start_words,
         "first weights of the networks: random (He), glorot, or linear (Bayesian model: an "
         "isometry)"),
    WORD(scaling, scaling_words,
         "of values that are not bytes or within [0,1]: columns (each by its own width), unit (one "
         "for all) or none; auto = columns unless they are alike (pixels, embeddings)"),
    SIZE(warmup, 1, 10000, AUTO_ZERO, "epochs of a plain autoencoder before components begin"),
    SIZE(annotated_batch, 1, MANY, AUTO_ZERO, "annotated items in a minibatch (default recipe)"),
    NUMBER(annotated_weight, 0, 1e6, true, AUTO_ZERO, "how much more an annotated item counts"),
    WORD(batches, batches_words,
         "weights in a minibatch of the Bayesian model with answers (paper's recipe): unbiased, or "
         "halves (all items one half, items with answers the other, as the published code)"),
    NUMBER(
        start_coins, 0.01, 0.99, false, AUTO_ZERO,
        "sensitivity and specificity that workers of the amortised model begin with; auto = each "
        "drawn from .6 to .9"),
    WORD(coins, coins_words,
         "own: each worker is weighed by how good it is; shared: all weigh the same (default "
         "recipe)"),
    SIZE(neighbours, 0, 32, AUTO_NEVER,
         "nearest items that are evidence of one cluster (default recipe); 0 = none"),
    WORD(clusters_from, clusters_from_words,
         "clusters are groups of components, or classes learned from the answers; auto: what "
         "explains the answers (default recipe)"),
    WORD(
        net, net_words,
        "between items and latents: mlp (layers that are learned), conv, resnet (layers of images) "
        "or linear (principal components); auto = linear, mlp for 1,000 images or more or with "
        "hidden, conv with layers by words"),
    TEXT(encoder, "layers of net conv and resnet by words, as conv32,res64/2; auto = by the net"),
    TEXT(decoder, "layers back to images, as map64,up2,conv32,up2; auto = by the net"),
    TEXT(encoder_z, "layers of q(z|o) (amortised model); auto = by the net"),
    WORD(
        classifier, classifier_words,
        "network that places items into clusters, taught at the end of a fit: none, dense, conv or "
        "resnet; auto = conv for 1,000 images or more of which 500 have answers, kept where it "
        "foretells answers that nobody has heard (default recipe)"),
    WORD(augment, augment_words,
         "views of images that teach it and link components: none, shift, affine, flip (affine and "
         "mirrored) or crop (shifted and mirrored); auto = affine for grey images, crop for colour "
         "ones"),
    SIZE(classifier_epochs, 1, 1000, AUTO_ZERO,
         "passes over the items that teach it; auto = 6 to 30, the more the fewer items there are"),
    SIZE(shards, 1, MOST_SHARDS, AUTO_ZERO,
         "parts of a minibatch, each summed up alone, that processes share (default recipe): the "
         "same shards, the same bytes on any number of processes; auto = 1, 16 in scdc-mpi"),
};
static const option_table table = {keys, sizeof keys / sizeof *keys, ""};

const scdc_options options_default = {
    .size = sizeof options_default,
    .model = SCDC_MODEL_BAYES,
    .recipe = SCDC_RECIPE_DEFAULT,
    .likelihood = SCDC_LIKELIHOOD_AUTO,
    .restarts = 1,
    .seed = SCDC_DEFAULT_SEED,
    .optimizer = SCDC_OPTIMIZER_ADAM,
    .momentum = 0.9,
    .schedule = SCDC_SCHEDULE_CONSTANT,
    .tolerance = 1e-4,
    .checkpoint = 60,
    .covariance = SCDC_COVARIANCE_AUTO,
    .sum = SCDC_SUM_AUTO,
    .sum_top = 3,
    .natgrad = SCDC_NATGRAD_SVI,
    .prior_kappa = 0.5,
    .prior_nu = 0.5,
    .prior_sensitivity = {1, 1},
    .prior_specificity = {1, 1},
    .start_spread = 3,
    .net_start = SCDC_NET_START_RANDOM,
    .scaling = SCDC_SCALING_AUTO,
    .neighbours = 10,
    .classifier = SCDC_CLASSIFIER_AUTO,
};

const char *scdc_options_key(size_t index, const char **help)
{
    return option_name(&table, index, help);
}

int options_set(scdc_options *options, const char *name, const char *value)
{
    return option_set(&table, options, name, value);
}

int options_get(char *out, size_t size, const scdc_options *options, const char *name)
{
    return option_get(out, size, &table, options, name);
}

int options_check(const scdc_options *options)
{
    SCDC_TRY(option_check(&table, options));
    if (options->components && options->clusters > options->components) {
        return fail_with(SCDC_ERR_ARGUMENT, "clusters (%zu) cannot exceed components (%zu)",
                         options->clusters, options->components);
    }
    return SCDC_OK;
}
