/* dedupe: the training file of labelled pairs, {"match": [[a, b], ...], "distinct": [...]}, where
 * a and b are records. Tuples are written as {"__class__": "tuple", "__value__": [a, b]}. */
#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"

#include <string.h>

static const json_t *plain_pair(const json_t *pair)
{
    const json_t *value = json_object_get(pair, "__value__");
    return value ? value : pair;
}

/* What identifies a record: the field --item names, or one that is called like it. */
static const char *id_of(char scratch[JSON_SCALAR], const importer *in, const json_t *record)
{
    static const char *const known[] = {"id", "Id", "ID", "unique_id", "record_id", "_id", NULL};
    if (in->options->item) return json_scalar(scratch, json_object_get(record, in->options->item));
    for (const char *const *name = known; *name; name++) {
        const char *text = json_scalar(scratch, json_object_get(record, *name));
        if (text) return text;
    }
    return json_scalar(scratch, record); /* records may be mere ids */
}

static int take_pair(importer *in, const json_t *pair, const char *said)
{
    entry *e = &in->entry;
    char scratch[JSON_SCALAR];
    pair = plain_pair(pair);
    if (json_array_size(pair) != 2) return importer_fail(in, "%s: expected two records", said);
    for (size_t k = 0; k < 2; k++) {
        const char *id = id_of(scratch, in, json_array_get(pair, k));
        if (!id) {
            return importer_fail(in,
                                 "%s: a record without an id: name the field that identifies "
                                 "a record with --item",
                                 said);
        }
        SCDC_TRY(fields_set(&e->input, k ? "right" : "left", id));
    }
    SCDC_TRY(fields_set(&e->said, "training", said));
    return importer_take(in);
}

static int take_training(void *user, const json_t *record, const char *unit, size_t number)
{
    static const char *const kinds[] = {"match", "distinct", "unsure", NULL};
    importer *in = user;
    (void)number;
    if (!json_object_get(record, "match") && !json_object_get(record, "distinct"))
        return importer_fail(in, "expected an object with the lists match and distinct");
    in->unit = strcmp(unit, "record") == 0 ? "pair" : unit;
    for (const char *const *kind = kinds; *kind; kind++) {
        size_t index;
        json_t *pair;
        json_array_foreach(json_object_get(record, *kind), index, pair)
        {
            in->number = index + 1;
            SCDC_TRY(take_pair(in, pair, *kind));
        }
    }
    return SCDC_OK;
}

int read_dedupe(importer *in)
{
    in->default_worker = "expert";
    in->sides_known = true;
    return json_each(in->file, take_training, in);
}
