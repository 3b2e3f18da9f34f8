/* Options: one table of keys drives setting, getting, checking and help. */
#include "model/options.h"
#include "base/status.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum key_kind { KEY_SIZE, KEY_INT, KEY_SEED, KEY_REAL, KEY_WORD, KEY_SIZES, KEY_PAIR };

/* A key of scdc_options. Numbers lie in [low, high]; an open lower end refuses low itself.
 * 0 means "automatic" where automatic is set, and is then allowed whatever low says. */
struct key {
    const char *name;
    enum key_kind kind;
    size_t offset;
    double low, high;
    bool open_low, automatic;
    const char *const *words; /* values of an enum, in order, NULL-terminated */
    const char *help;
};

static const char *const model_words[] = {"bayes", "amortized", NULL};
static const char *const recipe_words[] = {"default", "paper", NULL};
static const char *const likelihood_words[] = {"auto", "bernoulli", "gaussian", NULL};
static const char *const optimizer_words[] = {"adam", "momentum", NULL};
static const char *const schedule_words[] = {"constant", "cosine", "decay", NULL};
static const char *const covariance_words[] = {"diagonal", "full", "auto", NULL};
static const char *const sum_words[] = {"auto", "exact", "threshold", "top", NULL};
static const char *const natgrad_words[] = {"svi", "full", NULL};
static const char *const net_start_words[] = {"random", "linear", NULL};
static const char *const scaling_words[] = {"unit", "none", "columns", "auto", NULL};
static const char *const net_words[] = {"auto", "mlp", "linear", NULL};
static const char *const clusters_from_words[] = {"auto", "components", "answers", NULL};
static const char *const coins_words[] = {"own", "shared", NULL};
static const char *const switch_words[] = {"off", "on", NULL};

#define AT(field) offsetof(scdc_options, field)
#define MANY 1e9
#define SIZE(field, low, high, automatic, help)                                                    \
    {                                                                                              \
#field, KEY_SIZE, AT(field), low, high, false, automatic, NULL, help                       \
    }
#define NUMBER(field, low, high, open, automatic, help)                                            \
    {                                                                                              \
#field, KEY_REAL, AT(field), low, high, open, automatic, NULL, help                        \
    }
#define WORD(field, words, help)                                                                   \
    {                                                                                              \
#field, KEY_WORD, AT(field), 0, 0, false, false, words, help                               \
    }

static const struct key keys[] = {
    WORD(model, model_words, "bayes (message passing, workers as posteriors) or amortized"),
    WORD(recipe, recipe_words, "default, or paper: exactly the published algorithm"),
    SIZE(components, 1, 65535, true, "most mixture components K; auto = from the data"),
    SIZE(clusters, 1, 65535, true, "number of clusters; auto = found by the model"),
    SIZE(latent, 1, 256, true, "latent size d; auto = from the data"),
    {"hidden", KEY_SIZES, AT(hidden), 1, 65536, false, true, NULL,
     "sizes of the hidden layers, as 500,500; auto = from the data"},
    WORD(likelihood, likelihood_words, "auto, bernoulli (data in [0,1]) or gaussian"),
    SIZE(epochs, 1, MANY, true, "most passes over the data; auto = from the data"),
    SIZE(batch, 1, MANY, true, "items in a minibatch; auto = from the data"),
    SIZE(answers_batch, 1, MANY, true, "answers in a minibatch; auto = in proportion to the items"),
    SIZE(restarts, 1, 1000, false,
         "starts with this seed and the next ones; kept is the one that foretells answers best "
         "(without "
         "answers: the highest bound)"),
    {"seed", KEY_SEED, AT(seed), 0, 0, false, false, NULL, "same seed, same result"},
    {"threads", KEY_INT, AT(threads), 0, 1024, false, true, NULL, "threads; auto or 0 = all cores"},
    WORD(optimizer, optimizer_words, "adam or momentum, for the networks"),
    NUMBER(learning_rate, 0, 10, true, true,
           "step of the networks' optimiser; auto = 1e-3 or 2e-3"),
    NUMBER(momentum, 0, 0.9999, false, false, "of the momentum optimiser"),
    WORD(schedule, schedule_words, "learning rate over the epochs: constant, cosine or decay"),
    SIZE(patience, 1, MANY, true,
         "stop after so many epochs without a better bound or with clusters that stay; auto = 5 "
         "to 60 from the data, in the paper's recipe never"),
    NUMBER(tolerance, 0, 1, false, false, "relative rise of the bound that counts as better"),
    WORD(checkpoint, switch_words, "on: save the model after every epoch"),
    WORD(covariance, covariance_words,
         "component covariances of the amortised model: diagonal, full or auto"),
    WORD(sum, sum_words,
         "sum over components in the amortised model: auto, exact, threshold or top"),
    NUMBER(sum_threshold, 0, 0.5, true, true, "components less likely are skipped (sum=threshold)"),
    SIZE(sum_top, 1, 65535, false, "components summed exactly (sum=top)"),
    WORD(natgrad, natgrad_words,
         "natural gradient of the Bayesian model: svi (first term) or full"),
    SIZE(iterations, 1, 100, true, "local message iterations T"),
    NUMBER(global_rate, 0, 1, true, true, "step of the global parameters; auto = from the data"),
    NUMBER(global_momentum, 0, 0.9999, false, false, "momentum of the global parameters"),
    NUMBER(prior_alpha, PRIOR_LEAST, 1e6, false, true,
           "Dirichlet prior, per component; auto = 0.05 / K"),
    NUMBER(prior_kappa, PRIOR_LEAST, 1e6, false, false, "prior weight of the component means"),
    NUMBER(prior_nu, -1, 1e6, true, false, "prior degrees of freedom beyond the latent size"),
    {"prior_sensitivity", KEY_PAIR, AT(prior_sensitivity), PRIOR_LEAST, PRIOR_MOST, false, false,
     NULL, "Beta prior a,b of every worker's sensitivity"},
    {"prior_specificity", KEY_PAIR, AT(prior_specificity), PRIOR_LEAST, PRIOR_MOST, false, false,
     NULL, "Beta prior a,b of every worker's specificity"},
    NUMBER(start_spread, 0, 1e6, true, false, "standard deviation of the first component means"),
    WORD(net_start, net_start_words,
         "first weights of the Bayesian model's networks: random, or linear (an isometry)"),
    WORD(scaling, scaling_words,
         "of values that are not bytes or within [0,1]: columns (each by its own width), unit (one "
         "for all) or none; auto = columns unless they are alike (pixels, embeddings)"),
    SIZE(warmup, 1, 10000, true, "epochs of a plain autoencoder before components begin"),
    SIZE(annotated_batch, 1, MANY, true, "annotated items in a minibatch (default recipe)"),
    NUMBER(annotated_weight, 0, 1e6, true, true, "how much more an annotated item counts"),
    WORD(coins, coins_words,
         "own: each worker is weighed by how good it is; shared: all weigh the same (default "
         "recipe)"),
    SIZE(neighbours, 0, 32, false,
         "nearest items that are evidence of one cluster (default recipe); 0 = none"),
    WORD(clusters_from, clusters_from_words,
         "clusters are groups of components, or classes learned from the answers; auto: what "
         "explains the answers (default recipe)"),
    WORD(net, net_words,
         "from items to latents: mlp (layers that are learned) or linear (principal components); "
         "auto = linear, mlp for 1,000 images or more or with hidden"),
};
enum { KEYS = sizeof keys / sizeof *keys };

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
};

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) == 0) return &keys[i];
    }
    return NULL;
}

const char *scdc_options_key(size_t index, const char **help)
{
    if (index >= KEYS) return NULL;
    if (help) *help = keys[index].help;
    return keys[index].name;
}

/* ---- one number ---- */

static int check_range(const struct key *key, double value)
{
    bool inside = value <= key->high && (key->open_low ? value > key->low : value >= key->low);
    if (inside) return SCDC_OK; /* NaN is not inside */
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be %s %g and at most %g%s, not %g", key->name,
                     key->open_low ? "greater than" : "at least", key->low, key->high,
                     key->automatic ? " (or auto)" : "", value);
}

/* A field: 0 stands for automatic. As text it is written "auto", and 0 is no value of its own. */
static int check_number(const struct key *key, double value)
{
    return key->automatic && value == 0 ? SCDC_OK : check_range(key, value);
}

static int parse_number(double *out, const struct key *key, const char *text, char stop,
                        const char **rest)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || (*end != '\0' && *end != stop)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be a number%s, not '%s'", key->name,
                         key->automatic ? " or auto" : "", text);
    }
    *rest = end;
    *out = value;
    return check_range(key, value);
}

static int parse_whole(double *out, const struct key *key, const char *text, char stop,
                       const char **rest)
{
    SCDC_TRY(parse_number(out, key, text, stop, rest));
    if (*out == floor(*out)) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be a whole number, not '%s'", key->name, text);
}

static int list_words(const struct key *key, const char *value)
{
    char all[200] = "";
    for (size_t i = 0; key->words[i]; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", key->words[i]);
    }
    return fail_with(SCDC_ERR_ARGUMENT, "%s must be one of %s, not '%s'", key->name, all, value);
}

static int check_word(const struct key *key, int word)
{
    size_t words = 0;
    while (key->words[words]) words++;
    if (word >= 0 && (size_t)word < words) return SCDC_OK;
    char text[32];
    snprintf(text, sizeof text, "%d", word);
    return list_words(key, text);
}

static int parse_word(int *out, const struct key *key, const char *value)
{
    for (int i = 0; key->words[i]; i++) {
        if (strcasecmp(key->words[i], value) == 0) {
            *out = i;
            return SCDC_OK;
        }
    }
    return list_words(key, value);
}

static int set_sizes(scdc_options *options, const struct key *key, const char *value)
{
    size_t sizes[SCDC_MAX_HIDDEN] = {0}, count = 0;
    const char *rest = value;
    for (;;) {
        double size = 0;
        if (count == SCDC_MAX_HIDDEN) {
            return fail_with(SCDC_ERR_ARGUMENT, "%s holds at most %d sizes, not '%s'", key->name,
                             SCDC_MAX_HIDDEN, value);
        }
        SCDC_TRY(parse_whole(&size, key, rest, ',', &rest));
        sizes[count++] = (size_t)size;
        if (*rest++ == '\0') break;
    }
    memcpy(options->hidden, sizes, sizeof sizes);
    options->n_hidden = count;
    return SCDC_OK;
}

static int set_pair(double *pair, const struct key *key, const char *value)
{
    double first, second;
    const char *rest;
    SCDC_TRY(parse_number(&first, key, value, ',', &rest));
    if (*rest != ',') {
        return fail_with(SCDC_ERR_ARGUMENT, "%s must be two numbers a,b, not '%s'", key->name,
                         value);
    }
    SCDC_TRY(parse_number(&second, key, rest + 1, '\0', &rest));
    pair[0] = first;
    pair[1] = second;
    return SCDC_OK;
}

static int parse_seed(uint64_t *out, const char *value)
{
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(value, &end, 10);
    if (end == value || *end || errno || strchr(value, '-')) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "seed must be a whole number from 0 to 2^64-1, not '%s'", value);
    }
    *out = seed;
    return SCDC_OK;
}

int options_set(scdc_options *options, const char *name, const char *value)
{
    const struct key *key = find_key(name);
    if (!key) return fail_with(SCDC_ERR_ARGUMENT, "there is no option '%s'", name);
    char *field = (char *)options + key->offset;
    const char *rest;
    double number = 0;
    bool automatic = key->automatic && strcasecmp(value, "auto") == 0;
    switch (key->kind) {
    case KEY_WORD: {
        int word = 0;
        SCDC_TRY(parse_word(&word, key, value));
        memcpy(field, &word, sizeof word);
        return SCDC_OK;
    }
    case KEY_SIZE: {
        if (!automatic) SCDC_TRY(parse_whole(&number, key, value, '\0', &rest));
        size_t size = (size_t)number;
        memcpy(field, &size, sizeof size);
        return SCDC_OK;
    }
    case KEY_INT: {
        if (!automatic) SCDC_TRY(parse_whole(&number, key, value, '\0', &rest));
        int whole = (int)number;
        memcpy(field, &whole, sizeof whole);
        return SCDC_OK;
    }
    case KEY_REAL:
        if (!automatic) SCDC_TRY(parse_number(&number, key, value, '\0', &rest));
        memcpy(field, &number, sizeof number);
        return SCDC_OK;
    case KEY_SEED: return parse_seed((uint64_t *)(void *)field, value);
    case KEY_PAIR: return set_pair((double *)(void *)field, key, value);
    case KEY_SIZES:
        if (!automatic) return set_sizes(options, key, value);
        options->n_hidden = 0;
        return SCDC_OK;
    }
    return fail_with(SCDC_ERR_INTERNAL, "option %s has no kind", name);
}

static void print_sizes(char *out, size_t size, const scdc_options *options)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < options->n_hidden && used < size; i++) {
        used +=
            (size_t)snprintf(out + used, size - used, "%s%zu", i ? "," : "", options->hidden[i]);
    }
    if (options->n_hidden == 0) snprintf(out, size, "auto");
}

int options_get(char *out, size_t size, const scdc_options *options, const char *name)
{
    const struct key *key = find_key(name);
    if (!key) return fail_with(SCDC_ERR_ARGUMENT, "there is no option '%s'", name);
    const char *field = (const char *)options + key->offset;
    double number = 1;
    switch (key->kind) {
    case KEY_WORD: {
        int word = 0;
        memcpy(&word, field, sizeof word);
        SCDC_TRY(check_word(key, word));
        snprintf(out, size, "%s", key->words[word]);
        return SCDC_OK;
    }
    case KEY_SIZE: {
        size_t value;
        memcpy(&value, field, sizeof value);
        number = (double)value;
        snprintf(out, size, "%zu", value);
        break;
    }
    case KEY_INT: {
        int value;
        memcpy(&value, field, sizeof value);
        number = value;
        snprintf(out, size, "%d", value);
        break;
    }
    case KEY_REAL:
        memcpy(&number, field, sizeof number);
        /* The shortest text that reads back as the same number; 17 digits always do. */
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(out, size, "%.*g", digits, number);
            if (strtod(out, NULL) == number) break;
        }
        break;
    case KEY_SEED: snprintf(out, size, "%llu", (unsigned long long)options->seed); break;
    case KEY_PAIR: {
        double pair[2];
        memcpy(pair, field, sizeof pair);
        snprintf(out, size, "%.17g,%.17g", pair[0], pair[1]);
        break;
    }
    case KEY_SIZES: print_sizes(out, size, options); break;
    }
    if (key->automatic && number == 0) snprintf(out, size, "auto");
    return SCDC_OK;
}

int options_check(const scdc_options *options)
{
    if (options->n_hidden > SCDC_MAX_HIDDEN) {
        return fail_with(SCDC_ERR_ARGUMENT, "n_hidden must be at most %d, not %zu", SCDC_MAX_HIDDEN,
                         options->n_hidden);
    }
    for (size_t i = 0; i < KEYS; i++) {
        const struct key *key = &keys[i];
        const char *field = (const char *)options + key->offset;
        double pair[2];
        size_t size;
        int word = 0;
        switch (key->kind) {
        case KEY_WORD:
            memcpy(&word, field, sizeof word);
            SCDC_TRY(check_word(key, word));
            break;
        case KEY_SIZE:
            memcpy(&size, field, sizeof size);
            SCDC_TRY(check_number(key, (double)size));
            break;
        case KEY_INT:
            memcpy(&word, field, sizeof word);
            SCDC_TRY(check_number(key, word));
            break;
        case KEY_REAL:
            memcpy(pair, field, sizeof *pair);
            SCDC_TRY(check_number(key, pair[0]));
            break;
        case KEY_PAIR:
            memcpy(pair, field, sizeof pair);
            SCDC_TRY(check_number(key, pair[0]));
            SCDC_TRY(check_number(key, pair[1]));
            break;
        case KEY_SIZES:
            for (size_t h = 0; h < options->n_hidden; h++) {
                if (options->hidden[h] == 0) {
                    return fail_with(SCDC_ERR_ARGUMENT, "hidden layer %zu has size 0", h + 1);
                }
                SCDC_TRY(check_number(key, (double)options->hidden[h]));
            }
            break;
        case KEY_SEED: break;
        }
    }
    if (options->components && options->clusters > options->components) {
        return fail_with(SCDC_ERR_ARGUMENT, "clusters (%zu) cannot exceed components (%zu)",
                         options->clusters, options->components);
    }
    return SCDC_OK;
}
