/* What is known of items (RUN/items.safetensors), changed (the checksums are taken out, so that the
 * changes are seen): an error, or labels with probabilities that are some. The input is a list of
 * changes to a small file: a place in it (two bytes), a byte. */
#include "fuzz/scratch.h"
#include "io/safetensors.h"
#include "model/model.h"

#include <math.h>
#include <scdc/update.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 24, DIMS = 2, COMPONENTS = 4, MOST = 1 << 14 };

static uint8_t known_bytes[MOST];
static size_t known_size;
static scdc_data *data;
static scdc_model *model;

static void tidy(void)
{
    unlink(scratch_path("items.safetensors"));
    rmdir(scratch_folder());
    scdc_model_free(model);
    scdc_data_free(data);
}

/* Fitted once. */
static void make_known(void)
{
    float values[ITEMS * DIMS];
    int64_t labels[ITEMS];
    scdc_options options;
    for (int i = 0; i < ITEMS; i++) {
        values[DIMS * i] = (float)(i % 4) * 3 + (float)(i * 37 % 11) / 30;
        values[DIMS * i + 1] = (float)(i % 2) * 5 + (float)(i * 17 % 13) / 30;
    }
    scdc_options_init(&options);
    PROMISE(scdc_options_set(&options, "components", "4") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "net", "mlp") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "hidden", "3") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "latent", "2") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "epochs", "1") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "warmup", "1") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "threads", "1") == SCDC_OK);
    PROMISE(scdc_data_from_memory(&data, values, SCDC_F32, ITEMS, DIMS, 1) == SCDC_OK);
    PROMISE(scdc_fit(&model, data, NULL, &options, NULL, NULL) == SCDC_OK);
    PROMISE(scdc_model_labels(labels, NULL, NULL, NULL, model, data, NULL) == SCDC_OK);
    const char *path = scratch_path("items.safetensors");
    PROMISE(scdc_items_save(path, model) == SCDC_OK);
    FILE *file = fopen(path, "rb");
    PROMISE(file);
    known_size = fread(known_bytes, 1, MOST, file);
    fclose(file);
    PROMISE(known_size > 0 && known_size < MOST);
    for (size_t i = 0; i + 5 < known_size; i++) {
        if (memcmp(known_bytes + i, "crc32", 5) == 0) known_bytes[i] = 'x';
    }
    PROMISE(atexit(tidy) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t changed[MOST];
    int64_t labels[ITEMS];
    double proba[ITEMS];
    if (!known_size) make_known();
    memcpy(changed, known_bytes, known_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        changed[((size_t)bytes[i] << 8 | bytes[i + 1]) % known_size] = bytes[i + 2];
    const char *path = scratch_file("items.safetensors", changed, known_size);
    int status = scdc_items_load(model, data, path);
    PROMISE(status == SCDC_OK || (status == SCDC_ERR_INPUT && scdc_last_error()[0]));
    if (status != SCDC_OK) return 0;
    status = scdc_model_labels(labels, proba, NULL, NULL, model, data, NULL);
    PROMISE(status == SCDC_OK || (status == SCDC_ERR_NUMERIC && scdc_last_error()[0]));
    for (size_t i = 0; status == SCDC_OK && i < ITEMS; i++)
        PROMISE(labels[i] >= 0 && isfinite(proba[i]) && proba[i] >= 0);
    return 0;
}

/* Sets bytes of a tensor: places behind one another, all to the same value. */
static size_t set_bytes(uint8_t *out, const char *name, size_t begin, size_t count, uint8_t value)
{
    safetensors_file st;
    file_bytes file;
    file_from_memory(&file, known_bytes, known_size, "seed");
    PROMISE(safetensors_parse(&st, file) == SCDC_OK);
    const tensor_view *v = safetensors_find(&st, name);
    PROMISE(v && begin + count <= v->bytes);
    size_t at = (size_t)((const uint8_t *)v->values - known_bytes) + begin;
    for (size_t i = 0; i < count; i++) {
        uint8_t change[] = {(uint8_t)((at + i) >> 8), (uint8_t)(at + i), value};
        memcpy(out + 3 * i, change, sizeof change);
    }
    safetensors_close(&st);
    return 3 * count;
}

/* Items without any component, latents that are no numbers, a neighbour that is not there. */
size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const uint8_t seeds[][6] = {
        {255, 255, 0, 255, 255, 0}, {0, 9, '{', 0, 9, '{'}, {1, 0, '9', 2, 0, '0'}};
    enum { SEEDS = sizeof seeds / sizeof *seeds };
    if (!known_size) make_known();
    if (number == SEEDS) return set_bytes(out, "share", 0, 4 * ITEMS, 0);
    if (number == SEEDS + 1) return set_bytes(out, "latent", 0, 4, 255);
    if (number == SEEDS + 2) return set_bytes(out, "near", 0, 1, 255);
    if (number > SEEDS) return 0;
    memcpy(out, seeds[number], sizeof seeds[number]);
    return sizeof seeds[number];
}
