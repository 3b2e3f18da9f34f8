/* Files that scdc collect reads: known pairs, known piles, examples, texts of items, and what a fit
 * and scdc suggest left (labels, workers, questions, outlook). The first byte chooses. */
#include "fuzz/scratch.h"

#include "../../server/checks.h"
#include "../../server/findings.h"

#include <math.h>
#include <stdbool.h>

enum { ITEMS = 4, ROUNDS = 1000, KINDS = 8 };
static item_set *items;
static const char *const names[] = {"table.csv", "labels.csv",      "workers.csv",
                                    "plan.json", "questions-0.csv", "items.npy"};
enum { FILES = sizeof names / sizeof *names };

static void tidy(void)
{
    for (size_t i = 0; i < FILES; i++) unlink(scratch_path(names[i]));
    rmdir(scratch_folder());
}

static void start(void)
{
    static float values[ITEMS * 2];
    scdc_data *data = NULL;
    if (items) return;
    PROMISE(atexit(tidy) == 0);
    PROMISE(scdc_data_from_memory(&data, values, SCDC_F32, ITEMS, 2, 0) == SCDC_OK);
    PROMISE(scdc_data_write_npy(data, scratch_path("items.npy")) == SCDC_OK);
    scdc_data_free(data);
    PROMISE(items_open(&items, scratch_path("items.npy"), NULL) == SCDC_OK);
}

static void try_examples(const char *path)
{
    char *text = NULL;
    int status = examples_json(&text, items, path);
    PROMISE(status == SCDC_OK ? text != NULL : server_error()[0] != '\0');
    free(text);
}

static void try_texts(const char *path)
{
    item_set *with = NULL;
    char show[128];
    snprintf(show, sizeof show, "%s", path);
    if (items_open(&with, scratch_path("items.npy"), show) != SCDC_OK) return;
    for (size_t i = 0; i < ITEMS; i++) {
        char *body = NULL;
        size_t size;
        const char *type;
        if (items_body(&body, &size, &type, with, i, false) == SCDC_OK) PROMISE(body && size);
        free(body);
    }
    items_free(with);
}

/* Known pairs or piles become tasks; a new project now and then. */
static void try_checks(const char *path, bool sets)
{
    static store *kept;
    static board *with[2];
    static size_t round;
    if (round++ % ROUNDS == 0) {
        store_close(kept);
        PROMISE(store_open(&kept, ":memory:", STORE_CREATE) == SCDC_OK);
        for (size_t i = 0; i < 2; i++) {
            board_rules rules = {.sets = i, .items = ITEMS, .redundancy = 2, .lease_ms = 1000};
            board_free(with[i]);
            with[i] = board_create(&rules);
        }
    }
    project p = {.store = kept, .board = with[sets], .items = items, .sets = sets};
    int status = checks_add(&p, path);
    PROMISE(status == SCDC_OK || server_error()[0]);
}

/* Labels that are good, so that the other files are looked at. */
static void put_labels(void)
{
    static const char good[] = "item,cluster,probability\n0,0,1\n1,1,.5\n2,0,.5\n3,3,.75\n";
    scratch_file("labels.csv", good, sizeof good - 1);
}

static void try_findings(void)
{
    findings *f = NULL;
    if (findings_read(&f, items, scratch_folder()) != SCDC_OK) return;
    size_t placed = 0;
    for (size_t k = 0; k < f->clusters; k++) placed += f->sizes[k];
    PROMISE(placed == ITEMS && f->certainty >= 0 && f->certainty <= 1.001);
    PROMISE(findings_moved(f, f) < 1e-9);
    for (size_t i = 0; i < f->questions.count; i++) {
        const question *q = &f->questions.list[i];
        PROMISE(q->count >= 2 && q->count <= LARGEST_SET && q->worker && q->reason);
        for (size_t j = 0; j < q->count; j++) PROMISE(q->items[j] < ITEMS);
    }
    findings_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!size) return 0;
    start();
    unsigned which = bytes[0] % KINDS;
    bool found = which >= 4;
    const char *name = found ? names[which - 3] : "table.csv";
    if (which > 4) put_labels();
    const char *path = scratch_file(name, bytes + 1, size - 1);
    if (which == 0) try_examples(path);
    else if (which == 1) try_texts(path);
    else if (!found) try_checks(path, which == 3);
    else try_findings();
    unlink(scratch_path(name));
    return 0;
}

size_t fuzz_seed(size_t number, uint8_t *out)
{
    static const char *const texts[] = {
        "left,right,label\n0,1,same\n2,3,different\n",
        "id,text\n0,a\n1,\"b, c\"\n2,d\n3,e\n",
        "left,right,label\n0,1,yes\n2,3,no\n1,1,same\n",
        "task,item,group\nt,0,a\nt,1,a\nt,2,b\nu,3,x\nu,1,y\n",
        "item,cluster,probability\n0,0,1\n1,1,.5\n2,0,.5\n3,4095,.75\n",
        "worker,sensitivity,sensitivity_low,sensitivity_high,specificity,weight\nann,.9,.8,1,1,1\n",
        "{\"outlook\":[{\"answers\":10}],\"stop\":true}",
        "question,kind,items,worker,gain,reason\n0,pair,0 1,ann,.5,spread\n1,set,0 1 2%20 3,,1,x\n",
        "LEFT;RIGHT;LABEL\r\n0;1;1\r\n",
        "text\na\nb\nc\nd\n",
    };
    if (number >= sizeof texts / sizeof *texts) return 0;
    out[0] = (uint8_t)number;
    return 1 + fuzz_text(out + 1, texts[number]);
}
