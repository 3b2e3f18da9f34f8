/* Safetensors files of any bytes: an error, or tensors that lie inside the file. */
#include "fuzz/fuzz.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    safetensors_file st;
    file_bytes file;
    file_from_memory(&file, bytes, size, "fuzz.safetensors");
    int status = safetensors_parse(&st, file);
    if (status != SCDC_OK) {
        PROMISE(status == SCDC_ERR_INPUT && scdc_last_error()[0]);
        return 0;
    }
    volatile uint8_t sum = 0;
    PROMISE(st.metadata);
    for (size_t i = 0; i < st.count; i++) {
        const tensor_view *t = st.tensors + i;
        const uint8_t *values = t->values;
        PROMISE(t->ndim <= 4 && strlen(t->name) < sizeof t->name);
        PROMISE(safetensors_find(&st, t->name));
        for (size_t b = 0; b < t->bytes; b++) sum = (uint8_t)(sum + values[b]);
    }
    safetensors_close(&st);
    return 0;
}

static size_t compose(uint8_t *out, const char *header, size_t bytes)
{
    size_t length = strlen(header);
    for (size_t i = 0; i < 8; i++) out[i] = (uint8_t)((uint64_t)length >> 8 * i);
    memcpy(out + 8, header, length);
    memset(out + 8 + length, 7, bytes);
    return 8 + length + bytes;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    switch (number) {
    case 0:
        return compose(out,
                       "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                       "\"__metadata__\":{\"k\":\"v\"}}",
                       24);
    case 1:
        return compose(out,
                       "{\"a\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]},"
                       "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[16,19]},"
                       "\"c\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[19,27]}}",
                       27);
    case 2: return compose(out, "{}", 0);
    case 3:
        return compose(out,
                       "{\"a\":{\"dtype\":\"I32\",\"shape\":[0,4],\"data_offsets\":[0,0]},"
                       "\"__metadata__\":{\"crc32\":\"00000000\",\"header_crc32\":\"0\"}}",
                       0);
    default: return 0;
    }
}
