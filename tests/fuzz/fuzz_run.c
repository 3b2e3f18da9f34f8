/* The files of a RUN as the program reads them back. The first byte chooses one (run.json,
 * log.jsonl, changes.csv, labels.csv), the rest is what it holds: whatever that is, a code or
 * facts that a report can show. */
#include "fuzz/scratch.h"

#include "../../cli/commands.h"
#include "../../cli/run_changes.h"
#include "../../cli/run_facts.h"
#include "../../cli/run_labels.h"
#include "../../cli/run_log.h"
#include "../../cli/run_report.h"

#include <math.h>
#include <stdbool.h>

enum { ITEMS = 3, EPOCHS = 4 };
static const char *const names[] = {RUN_JSON, RUN_LOG, RUN_CHANGES, RUN_LABELS};
enum { FILES = sizeof names / sizeof *names };

static void tidy(void)
{
    for (size_t i = 0; i < FILES; i++) unlink(scratch_path(names[i]));
    rmdir(scratch_folder());
}

static void read_json(const char *run)
{
    run_facts f;
    json_t *json = run_json_load(run);
    run_facts_read(&f, json, run, 7);
    PROMISE(f.count % 2 == 0 && f.source);
    for (size_t i = 0; i < f.count; i++) PROMISE(f.words[i]);
    run_facts_free(&f);
    json_decref(json);
    for (int resume = 0; resume < 2; resume++) {
        run_dir dir;
        int code = run_dir_look(&dir, run, resume);
        PROMISE(code == EXIT_GOOD || code == EXIT_USAGE);
        run_dir_free(&dir);
    }
}

static void read_log(const char *run)
{
    double *seconds = run_log_seconds(run, EPOCHS);
    PROMISE(seconds);
    free(seconds);
}

static void read_changes(const char *run)
{
    run_changes changes;
    run_changes_read(&changes, run);
    size_t length = 0;
    for (size_t i = 0; i < 4 * changes.count; i++) length += strlen(changes.rows[i]);
    PROMISE(length <= FUZZ_ROOM);
    run_changes_free(&changes);
}

static void read_labels(const char *run)
{
    fit_outcome o = {.info = {.items = ITEMS}};
    scdc_data *table = NULL;
    int code = run_labels_read(&table, &o, run);
    PROMISE(code == EXIT_GOOD || code == EXIT_INPUT);
    for (size_t i = 0; code == EXIT_GOOD && i < ITEMS; i++)
        PROMISE(o.labels[i] >= 0 && o.component[i] >= 0 && o.probability[i] <= 1);
    scdc_data_free(table);
    free(o.labels);
    free(o.probability);
    free(o.component);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static void (*const read[])(const char *) = {read_json, read_log, read_changes, read_labels};
    static bool begun;
    if (!size) return 0;
    if (!begun) {
        /* Complaints are expected, and nobody reads them. */
        FILE *nowhere = fopen("/dev/null", "we");
        if (nowhere) stderr = nowhere;
        begun = atexit(tidy) == 0;
    }
    size_t which = bytes[0] % FILES;
    scratch_file(names[which], bytes + 1, size - 1);
    read[which](scratch_folder());
    unlink(scratch_path(names[which]));
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const texts[] = {
        "{\"scdc\":\"0.2.0\",\"command\":[\"scdc\",\"fit\",\"a b.npy\"],\"status\":\"running\","
        "\"started\":\"2026-01-02T03:04:05Z\",\"seconds\":1e300,\"directory\":\"/x\",\"seed\":7,"
        "\"inputs\":{\"data\":{\"path\":\"x/a.npy\",\"items\":5,\"crc32\":\"00ff00ff\"},"
        "\"annotations\":{\"paths\":[\"q.csv\"],\"answers\":9,\"workers\":2,\"crc32\":\"1\"}},"
        "\"stability\":0.5,\"restarts\":[{\"seed\":7,\"bound\":-1.5,\"foretold\":0,\"clusters\":3}]"
        ",\"updates\":[{}]}",
        "{\"epoch\":1,\"bound\":-3.5,\"seconds\":0.25}\n{\"epoch\":4,\"seconds\":1e308}\n{\"ep",
        "item,from,to,probability,because\na,1,2,.5,\"w: a, b\"\n\"q\"\"z\",,1,.9,\n",
        "item,cluster,probability,component\n0,1,0.5,2\n1,0,1,0\n2,1,.25,7\n",
        "{\"scdc\":\"0.2.0\",\"status\":\"finished\",\"seed\":\"18446744073709\",\"command\":{}}",
        "",
        "\"",
        "item,cluster,probability,component\n0,1e30,0.5,2\n1,-1,1,0\n2,1,7,7\n",
    };
    if (number >= sizeof texts / sizeof *texts) return 0;
    out[0] = (uint8_t)number;
    return 1 + fuzz_text(out + 1, texts[number]);
}
