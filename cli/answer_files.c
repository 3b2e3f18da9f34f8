/* Fingerprints of answers: 64 bits of FNV-1a over names and numbers, in sorted order. */
#include "answer_files.h"

#include "commands.h"
#include "inputs.h"
#include "output.h"

#include <string.h>

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

static json_t *fingerprint(const scdc_crowd *crowd)
{
    scdc_crowd *sorted = NULL;
    uint64_t hash = 0xcbf29ce484222325u;
    size_t count;
    if (scdc_crowd_append(&sorted, crowd) != SCDC_OK) return json_null();
    const scdc_answer *a = scdc_crowd_answers(sorted, &count);
    for (size_t i = 0; i < count; i++) {
        const char *worker = scdc_crowd_worker_name(sorted, a[i].worker);
        hash = mix(hash, worker, strlen(worker) + 1);
        hash = mix(hash, &a[i].left, sizeof a[i].left);
        hash = mix(hash, &a[i].right, sizeof a[i].right);
        hash = mix(hash, &a[i].same, sizeof a[i].same);
    }
    scdc_crowd_free(sorted);
    return json_sprintf("%016llx", (unsigned long long)hash);
}

json_t *answer_files_json(const text_list *files, const scdc_crowd *all, const scdc_data *items)
{
    json_t *out = json_array();
    for (size_t i = 0; i < files->count; i++) {
        scdc_crowd *one = NULL;
        const char *why, *path = files->values[i];
        json_t *print = NULL;
        if (files->count == 1) {
            print = fingerprint(all);
        } else if (strcmp(path, "-") == 0) {
            print = json_null();
        } else if (read_crowd(&one, &why, &path, 1, items) == SCDC_OK) {
            print = fingerprint(one);
        }
        scdc_crowd_free(one);
        json_array_append_new(out, print ? print : json_null());
    }
    return out;
}

static bool holds(const json_t *list, const char *print, size_t below)
{
    for (size_t i = 0; i < below && i < json_array_size(list); i++) {
        const char *other = json_string_value(json_array_get(list, i));
        if (other && strcmp(other, print) == 0) return true;
    }
    return false;
}

int answer_files_check(const text_list *files, const json_t *now, const json_t *earlier)
{
    for (size_t i = 0; i < files->count; i++) {
        const char *print = json_string_value(json_array_get(now, i));
        if (!print) continue;
        bool twice = holds(now, print, i);
        if (!twice && !holds(earlier, print, SIZE_MAX)) continue;
        int code = refuse(EXIT_INPUT, "%s: its answers were taken before (fingerprint %s)%s",
                          files->values[i], print, twice ? ", from another file" : "");
        hint("--again counts them once more");
        return code;
    }
    return EXIT_GOOD;
}
