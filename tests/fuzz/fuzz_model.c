/* Model files whose header and values were changed (the checksums are taken out, so that the
 * changes are seen): an error, or a model whose workers and samples can be asked for. The input is
 * a list of changes to a small model: a place in the file (two bytes), a byte. */
#include "fuzz/fuzz.h"
#include "model/model_file.h"

#include <stdio.h>
#include <unistd.h>

enum { ITEMS = 40, DIMS = 2, MOST = 1 << 16, MOST_WORKERS = 16 };

static uint8_t model_bytes[MOST];
static size_t model_size;

/* Fitted once. */
static void make_model(void)
{
    float values[ITEMS * DIMS];
    scdc_answer answers[ITEMS];
    scdc_data *data = NULL;
    scdc_crowd *crowd = NULL;
    scdc_model *model = NULL;
    scdc_options options;
    char path[64];
    for (int i = 0; i < ITEMS; i++) {
        values[DIMS * i] = (float)(i % 4) * 3 + (float)(i * 37 % 11) / 30;
        values[DIMS * i + 1] = (float)(i % 2) * 5 + (float)(i * 17 % 13) / 30;
        answers[i] = (scdc_answer){.left = (uint32_t)i,
                                   .right = (uint32_t)((i + 1) % ITEMS),
                                   .worker = (uint32_t)(i % 3),
                                   .task = SCDC_NO_TASK,
                                   .same = i % 5 == 0};
    }
    snprintf(path, sizeof path, "%s/scdc-fuzz-%ld.safetensors", P_tmpdir, (long)getpid());
    scdc_options_init(&options);
    PROMISE(scdc_options_set(&options, "components", "4") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "hidden", "3") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "latent", "2") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "epochs", "1") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "batch", "4") == SCDC_OK);
    PROMISE(scdc_options_set(&options, "recipe", "paper") == SCDC_OK);
    PROMISE(scdc_data_from_memory(&data, values, SCDC_F32, ITEMS, DIMS, 0) == SCDC_OK);
    PROMISE(scdc_crowd_from_memory(&crowd, answers, ITEMS) == SCDC_OK);
    PROMISE(scdc_fit(&model, data, crowd, &options, NULL, NULL) == SCDC_OK);
    PROMISE(scdc_model_save(model, path) == SCDC_OK);
    FILE *file = fopen(path, "rb");
    PROMISE(file);
    model_size = fread(model_bytes, 1, MOST, file);
    fclose(file);
    unlink(path);
    PROMISE(model_size > 0 && model_size < MOST);
    for (size_t i = 0; i + 5 < model_size; i++) {
        if (memcmp(model_bytes + i, "crc32", 5) == 0) model_bytes[i] = 'x';
    }
    scdc_model_free(model);
    scdc_crowd_free(crowd);
    scdc_data_free(data);
}

static void use_model(const scdc_model *model)
{
    scdc_model_info info;
    scdc_worker workers[MOST_WORKERS];
    float items[64];
    PROMISE(scdc_model_get_info(&info, model) == SCDC_OK);
    int status = scdc_workers(workers, MOST_WORKERS, model);
    bool room = info.workers <= MOST_WORKERS;
    PROMISE(room ? status == SCDC_OK || status == SCDC_ERR_NUMERIC : status == SCDC_ERR_ARGUMENT);
    status = scdc_sample(items, 64, model, 0, 1, 1);
    PROMISE(status == SCDC_OK || scdc_last_error()[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t changed[MOST];
    scdc_model *model = NULL;
    if (!model_size) make_model();
    memcpy(changed, model_bytes, model_size);
    for (size_t i = 0; i + 3 <= size; i += 3)
        changed[((size_t)bytes[i] << 8 | bytes[i + 1]) % model_size] = bytes[i + 2];
    file_bytes file;
    file_from_memory(&file, changed, model_size, "fuzz.safetensors");
    int status = model_read(&model, file);
    if (status == SCDC_OK) use_model(model);
    else PROMISE(!model && scdc_last_error()[0]);
    scdc_model_free(model);
    return 0;
}

/* Found once: the record of an epoch whose counts are no numbers. The high bytes of the eighth
 * value, the components in use, become those of a NaN. */
static size_t change_counts(uint8_t *out)
{
    safetensors_file st;
    file_bytes file;
    file_from_memory(&file, model_bytes, model_size, "seed");
    PROMISE(safetensors_parse(&st, file) == SCDC_OK);
    const tensor_view *epochs = safetensors_find(&st, "epochs");
    PROMISE(epochs && epochs->bytes >= 8 * sizeof(double));
    size_t end = (size_t)((const uint8_t *)epochs->values - model_bytes) + 8 * sizeof(double);
    for (size_t i = 0; i < 2; i++) {
        size_t place = end - 1 - i;
        uint8_t change[] = {(uint8_t)(place >> 8), (uint8_t)place, i ? 0xf8 : 0x7f};
        memcpy(out + 3 * i, change, sizeof change);
    }
    safetensors_close(&st);
    return 6;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const uint8_t seeds[][6] = {{0, 9, '{', 0, 9, '{'},
                                       {1, 0, '9', 2, 0, '0'},
                                       {3, 0, '1', 4, 0, 255},
                                       {8, 0, 127, 9, 0, 240}};
    enum { SEEDS = sizeof seeds / sizeof *seeds };
    if (!model_size) make_model();
    if (number == SEEDS) return change_counts(out);
    if (number > SEEDS) return 0;
    memcpy(out, seeds[number], sizeof seeds[number]);
    return sizeof seeds[number];
}
