/* Made-up workers: most are good, one guesses, one always says the same. They ask for tasks and
 * answer as a page does, only without a network. */
#include "demo.h"

#include "draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_WORKERS = 200, ROUND_MS = 400 };

typedef struct actor {
    char token[TOKEN_LENGTH + 1];
    double right; /* how often an answer is right */
    bool lazy;    /* always "same" */
} actor;

struct demo {
    app *app;
    scdc_labels *truth;
    actor *actors;
    size_t count;
    draw draw;
    pthread_t thread;
    bool started;
    int stopping; /* atomic */
};

/* ---- asking as a page would ----------------------------------------------------------------- */

static json_t *ask(demo *d, const char *token, const char *path, json_t *body)
{
    char *text = json_dumps(body, JSON_COMPACT);
    json_decref(body);
    request r = {
        .method = "POST", .path = path, .token = token, .body = text, .size = strlen(text)};
    reply out;
    json_t *answer = NULL;
    app_ask(&out, d->app, &r);
    if (out.status == 200) answer = json_loadb(out.body, out.size, 0, NULL);
    reply_free(&out);
    free(text);
    return answer;
}

/* One made-up worker on the way into the store. */
typedef struct hiring {
    demo *demo;
    actor *who;
    const char *name;
    char outside[24];
    record records[2];
} hiring;

static void prepare_hiring(write_job *job)
{
    hiring *h = job->user;
    board *b = h->demo->app->project->board;
    record *w = &h->records[0], *t = &h->records[1];
    bool known;
    for (int i = 0; i < 2; i++) record_clear(&h->records[i]);
    *w = (record){.kind = RECORD_WORKER, .time = clock_wall()};
    *t = (record){.kind = RECORD_TOKEN, .time = clock_wall()};
    pthread_mutex_lock(&b->lock);
    w->worker.number =
        board_reserve_worker(b, &w->worker.name, &known, h->name, "demo", h->outside);
    pthread_mutex_unlock(&b->lock);
    w->worker.source = text_copy("demo");
    w->worker.outside = text_copy(h->outside);
    token_hash_of(&t->token.hash, h->who->token);
    t->token.role = ROLE_WORKER;
    t->token.worker = w->worker.number;
    job->records = known ? t : w; /* known: at work since an earlier start */
    job->count = known ? 1 : 2;
}

static int hire(demo *d, size_t number)
{
    static const char *const names[] = {"Ada",  "Ben", "Chloe", "Dev",  "Emil", "Fatima", "Gus",
                                        "Hana", "Ivo", "June",  "Kofi", "Lena", "Mona",   "Noor"};
    enum { NAMES = sizeof names / sizeof *names };
    actor *who = &d->actors[number];
    token_make(who->token);
    who->right = number % 7 == 5 ? .6 : .93 + .07 * draw_unit(&d->draw);
    who->lazy = number % 11 == 9;
    hiring h = {.demo = d, .who = who, .name = names[number % NAMES]};
    snprintf(h.outside, sizeof h.outside, "%zu", number);
    write_job job = {.prepare = prepare_hiring, .user = &h};
    int status = writer_run(d->app->writer, &job);
    for (int i = 0; i < 2; i++) record_clear(&h.records[i]);
    return status;
}

/* ---- answering ------------------------------------------------------------------------------ */

static int64_t class_of(demo *d, const actor *who, const json_t *item)
{
    const int64_t *labels = scdc_labels_values(d->truth);
    size_t n = scdc_labels_count(d->truth), at = (size_t)json_integer_value(item);
    bool slip = draw_unit(&d->draw) > who->right;
    return at < n ? labels[slip ? draw_below(&d->draw, n) : at] : 0;
}

static json_t *value_of(demo *d, const actor *who, const json_t *items)
{
    if (!d->app->project->sets) {
        bool same = class_of(d, who, json_array_get(items, 0)) ==
                    class_of(d, who, json_array_get(items, 1));
        return json_string(who->lazy || same ? "1" : "0");
    }
    int64_t seen[LARGEST_SET];
    size_t piles = 0, i;
    const json_t *item;
    char text[LARGEST_SET * 3 + 1], *to = text;
    json_array_foreach(items, i, item)
    {
        int64_t kind = who->lazy ? 0 : class_of(d, who, item);
        size_t at = 0;
        while (at < piles && seen[at] != kind) at++;
        if (at == piles) seen[piles++] = kind;
        to += sprintf(to, "%s%zu", i ? " " : "", at);
    }
    return json_string(text);
}

static void answer_one(demo *d, const actor *who)
{
    json_t *given = ask(d, who->token, "/api/tasks", json_pack("{s:i}", "want", 1));
    const json_t *task = json_array_get(json_object_get(given, "tasks"), 0);
    if (task) {
        char id[33];
        id128 raw = {draw_bits(&d->draw), draw_bits(&d->draw)};
        id128_print(id, raw);
        int took = (int)((who->lazy ? 250 : 900) + 2200 * draw_unit(&d->draw) * !who->lazy);
        json_t *answer =
            json_pack("{s:s,s:O,s:O,s:o,s:i}", "id", id, "task", json_object_get(task, "task"),
                      "seal", json_object_get(task, "seal"), "value",
                      value_of(d, who, json_object_get(task, "items")), "took", took);
        json_decref(ask(d, who->token, "/api/answers", json_pack("{s:[o]}", "answers", answer)));
    }
    json_decref(given);
}

static void *run(void *argument)
{
    demo *d = argument;
    while (!__atomic_load_n(&d->stopping, __ATOMIC_RELAXED)) {
        for (size_t i = 0; i < d->count; i++) {
            if (draw_unit(&d->draw) < .4) answer_one(d, &d->actors[i]);
        }
        struct timespec pause = {.tv_nsec = ROUND_MS * 1000000L};
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- starting ------------------------------------------------------------------------------- */

static int set_up(demo *d, const char *truth)
{
    const item_set *it = d->app->project->items;
    int status = scdc_labels_open(&d->truth, truth, items_data(it));
    if (status != SCDC_OK) return server_fail_lib(status);
    if (scdc_labels_count(d->truth) != items_count(it))
        return server_fail(SCDC_ERR_INPUT, "%s: not one label per item", truth);
    for (size_t i = 0; i < d->count; i++) SERVER_TRY(hire(d, i));
    if (pthread_create(&d->thread, NULL, run, d) != 0)
        return server_fail(SCDC_ERR_MEMORY, "no thread for the demonstration");
    d->started = true;
    return SCDC_OK;
}

int demo_start(demo **out, app *a, size_t workers, const char *truth)
{
    demo *d = need_zeroed(1, sizeof *d);
    d->app = a;
    d->count = workers < MOST_WORKERS ? workers : MOST_WORKERS;
    d->actors = need_zeroed(d->count, sizeof *d->actors);
    d->draw = draw_start((uint64_t)clock_wall(), 1);
    int status = set_up(d, truth);
    if (status != SCDC_OK) {
        demo_stop(d);
        return status;
    }
    *out = d;
    return SCDC_OK;
}

void demo_stop(demo *d)
{
    if (!d) return;
    __atomic_store_n(&d->stopping, 1, __ATOMIC_RELAXED);
    if (d->started) pthread_join(d->thread, NULL);
    scdc_labels_free(d->truth);
    free(d->actors);
    free(d);
}
