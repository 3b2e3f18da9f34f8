/* Names, order and origin of the model options; their values are the library's business. */
#include "fit_options.h"

#include "commands.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

static const struct named_key {
    const char *key;
    char letter;
    const char *value;
} named_keys[FIT_NAMED] = {
    {"model", 0, "bayes|amortized"},
    {"components", 'k', "K"},
    {"clusters", 0, "auto|G"},
    {"latent", 0, "d"},
    {"net", 0, "auto|mlp|linear|conv|resnet"},
    {"hidden", 0, "500,500"},
    {"classifier", 0, "auto|none|dense|conv|resnet"},
    {"augment", 0, "auto|none|shift|affine|flip|crop"},
    {"likelihood", 0, "auto|bernoulli|gaussian|logistic"},
    {"scaling", 0, "auto|columns|unit|none"},
    {"recipe", 0, "default|paper"},
    {"epochs", 0, "E"},
    {"batch", 0, "B"},
    {"restarts", 0, "R"},
    {"seed", 0, "N"},
    {"threads", 0, "N"},
};

/* May differ between the parts of a fit without changing what a part computes. */
static const char *const free_keys[] = {"epochs", "threads", "checkpoint"};

static const char *help_of(const char *key)
{
    const char *name, *help;
    for (size_t i = 0; (name = scdc_options_key(i, &help)); i++) {
        if (strcmp(name, key) == 0) return help;
    }
    return "";
}

void fit_options_table(option out[FIT_OPTIONS], fit_options *f)
{
    scdc_options defaults;
    scdc_options_init(&defaults);
    out[0] = (option)OPTION(TEXT, "preset", 0, &f->preset, "NAME",
                            "the paper's settings for pinwheel, face, mnist or cifar10; other "
                            "options change single values");
    for (size_t i = 0; i < FIT_NAMED; i++) {
        const struct named_key *n = &named_keys[i];
        if (scdc_options_get(f->defaults[i], sizeof f->defaults[i], &defaults, n->key) != SCDC_OK)
            f->defaults[i][0] = '\0';
        out[1 + i] = (option)OPTION(TEXT, n->key, n->letter, &f->named[i], n->value,
                                    help_of(n->key), .fallback = f->defaults[i]);
    }
    out[1 + FIT_NAMED] =
        (option)OPTION(TEXTS, "set", 0, &f->set, "KEY=VALUE",
                       "one of these options or of the keys below; may be given several times");
}

/* ---- from words to options ------------------------------------------------------------------ */

static int refuse_key(const char *key)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    while (count < MOST && (names[count] = scdc_options_key(count, NULL))) count++;
    int code = refuse(EXIT_USAGE, "--set: there is no key '%s'", key);
    const char *nearest = suggest_nearest(key, names, count);
    if (nearest) {
        hint("did you mean %s?", nearest);
    } else {
        hint("'scdc fit --help' lists the keys");
    }
    return code;
}

/* The key of "key=value", or "" when it is too long to be one. */
static void key_of(char *out, size_t size, const char *word)
{
    size_t length = strcspn(word, "=");
    out[0] = '\0';
    if (length < size) snprintf(out, size, "%.*s", (int)length, word);
}

static int set_word(scdc_options *out, const char *word)
{
    char key[64];
    const char *equals = strchr(word, '=');
    if (!equals) {
        int code = refuse(EXIT_USAGE, "--set: '%s' is not KEY=VALUE", word);
        hint("for example --set learning_rate=0.001");
        return code;
    }
    key_of(key, sizeof key, word);
    if (!*help_of(key)) return refuse_key(key);
    int status = scdc_options_set(out, key, equals + 1);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* The model that --model or --set ask for, NULL when neither does. --set is heard last. */
static const char *asked_model(const fit_options *f)
{
    const char *key = named_keys[0].key, *model = f->named[0];
    char word[64];
    for (size_t i = 0; i < f->set.count; i++) {
        const char *equals = strchr(f->set.values[i], '=');
        key_of(word, sizeof word, f->set.values[i]);
        if (equals && strcmp(word, key) == 0) model = equals + 1;
    }
    return model;
}

int fit_options_build(scdc_options *out, const fit_options *f)
{
    scdc_options_init(out);
    int status = SCDC_OK, code = EXIT_GOOD;
    /* The settings of a preset depend on the model. */
    const char *model = asked_model(f);
    if (model) status = scdc_options_set(out, named_keys[0].key, model);
    if (status == SCDC_OK && f->preset) status = scdc_options_preset(out, f->preset);
    for (size_t i = 0; i < FIT_NAMED && status == SCDC_OK; i++) {
        if (f->named[i]) status = scdc_options_set(out, named_keys[i].key, f->named[i]);
    }
    if (status != SCDC_OK) return report_failure(status);
    for (size_t i = 0; i < f->set.count && code == EXIT_GOOD; i++)
        code = set_word(out, f->set.values[i]);
    if (code != EXIT_GOOD) return code;
    status = scdc_options_check(out);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* ---- resuming ------------------------------------------------------------------------------- */

bool fit_options_given(const fit_options *f, const char *key)
{
    char word[64];
    for (size_t i = 0; i < FIT_NAMED; i++) {
        if (f->named[i] && strcmp(named_keys[i].key, key) == 0) return true;
    }
    for (size_t i = 0; i < f->set.count; i++) {
        key_of(word, sizeof word, f->set.values[i]);
        if (strcmp(word, key) == 0) return true;
    }
    return false;
}

static bool is_free(const char *key)
{
    for (size_t i = 0; i < LENGTH_OF(free_keys); i++) {
        if (strcmp(free_keys[i], key) == 0) return true;
    }
    return false;
}

int fit_options_agree(const fit_options *f, const scdc_options *asked, const scdc_options *kept)
{
    scdc_options defaults;
    scdc_options_init(&defaults);
    const char *key;
    for (size_t i = 0; (key = scdc_options_key(i, NULL)); i++) {
        char want[256], have[256], fallback[256];
        if (is_free(key) || scdc_options_get(want, sizeof want, asked, key) != SCDC_OK ||
            scdc_options_get(have, sizeof have, kept, key) != SCDC_OK ||
            scdc_options_get(fallback, sizeof fallback, &defaults, key) != SCDC_OK) {
            continue;
        }
        /* Asked for by an option or by a preset; "auto" was chosen when the fit began. */
        bool counts = fit_options_given(f, key) || strcmp(want, fallback) != 0;
        if (!counts || strcmp(want, "auto") == 0 || strcmp(want, have) == 0) continue;
        int code = refuse(EXIT_USAGE, "--resume: the fit has %s %s, not %s", key, have, want);
        hint("a fit keeps its options; use another -o to fit with others");
        return code;
    }
    return EXIT_GOOD;
}

void fit_options_recall(scdc_options *out, const fit_options *f, const scdc_options *asked,
                        const json_t *record)
{
    const char *key;
    scdc_options_init(out);
    for (size_t i = 0; (key = scdc_options_key(i, NULL)); i++) {
        const json_t *value = json_object_get(record, key);
        char text[256] = "", *number = NULL;
        bool again = is_free(key) && fit_options_given(f, key);
        if (again && scdc_options_get(text, sizeof text, asked, key) == SCDC_OK) value = NULL;
        if (json_is_number(value))
            number = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        const char *word = number ? number : json_string_value(value);
        if (word) snprintf(text, sizeof text, "%s", word);
        free(number);
        /* A value that is none any more keeps its default. */
        if (*text && scdc_options_set(out, key, text) != SCDC_OK) continue;
    }
}

/* ---- help ----------------------------------------------------------------------------------- */

static bool has_option(const char *key)
{
    for (size_t i = 0; i < FIT_NAMED; i++) {
        if (strcmp(named_keys[i].key, key) == 0) return true;
    }
    return false;
}

void fit_options_help(void)
{
    scdc_options defaults;
    scdc_options_init(&defaults);
    const char *key, *help;
    help_heading("More keys of --set");
    for (size_t i = 0; (key = scdc_options_key(i, &help)); i++) {
        char value[128], text[512];
        if (has_option(key) || scdc_options_get(value, sizeof value, &defaults, key) != SCDC_OK)
            continue;
        snprintf(text, sizeof text, "%s (default: %s)", help, value);
        help_entry(key, text);
    }
}
