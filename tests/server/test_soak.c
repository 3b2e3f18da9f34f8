/* A day and a night of use in fast time: people come and go, take tasks and forget them, answer,
 * send twice, pause; the owner looks. Memory grows by what is remembered and by nothing else. (What
 * nobody points to any more is found by the leak check of the sanitizer build.) */
#include "harness.h"

#include "../../server/draw.h"

#include <malloc.h>

enum { WORKERS = 12, MINUTES = 24 * 60, MOST_BATCH = 4 };

typedef struct day {
    harness h;
    draw draw;
    char tokens[WORKERS][TOKEN_LENGTH + 1];
    size_t kept;
} day;

static void add_tasks(day *d, size_t count)
{
    board *b = d->h.project->board;
    record *list = need_zeroed(count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        size_t number = b->n_tasks + i, left = number % 1000,
               right = (left + 1 + number / 1000) % 1000; /* every pair once */
        list[i] = (record){.kind = RECORD_TASK, .time = clock_wall()};
        list[i].task.number = (uint32_t)number;
        list[i].task.items = text_format("%zu %zu", left, right);
        list[i].task.truth = text_copy("");
        list[i].task.reason = text_copy("soak");
    }
    assert_int_equal(writer_write(d->h.writer, list, count), SCDC_OK);
    free(list);
}

static json_t *answers_to(day *d, const json_t *tasks)
{
    json_t *list = json_array();
    const json_t *task;
    size_t i;
    json_array_foreach(tasks, i, task)
    {
        char id[33];
        id128_print(id, (id128){draw_bits(&d->draw), draw_bits(&d->draw)});
        if (draw_unit(&d->draw) < .1) continue; /* shown, and forgotten */
        json_array_append_new(list, json_pack("{s:s,s:O,s:O,s:s,s:i}", "id", id, "task",
                                              json_object_get(task, "task"), "seal",
                                              json_object_get(task, "seal"), "value",
                                              draw_unit(&d->draw) < .5 ? "1" : "0", "took", 1500));
    }
    return json_pack("{s:o}", "answers", list);
}

static void work(day *d, size_t who)
{
    const char *token = d->tokens[who];
    json_t *given =
        harness_send(&d->h, NULL, "POST", "/api/tasks", token, "{\"want\":4,\"have\":[]}");
    json_t *body = answers_to(d, json_object_get(given, "tasks"));
    char *text = json_dumps(body, JSON_COMPACT);
    int times = draw_unit(&d->draw) < .05 ? 2 : 1; /* an acknowledgement that got lost */
    for (int i = 0; i < times; i++) {
        int status;
        json_t *said = harness_send(&d->h, &status, "POST", "/api/answers", token, text);
        assert_int_equal(status, 200);
        assert_int_equal(json_array_size(json_object_get(said, "refused")), 0);
        if (i == 0) d->kept += json_array_size(json_object_get(said, "kept"));
        json_decref(said);
    }
    if (draw_unit(&d->draw) < .02)
        json_decref(harness_send(&d->h, NULL, "POST", "/api/pause", token, "{}"));
    free(text);
    json_decref(body);
    json_decref(given);
}

static void minute(day *d, int number)
{
    board *b = d->h.project->board;
    clock_shift += 60000;
    pthread_mutex_lock(&b->lock);
    board_expire(b, clock_steady());
    size_t wanted = board_wanted(b);
    pthread_mutex_unlock(&b->lock);
    if (wanted < 100) add_tasks(d, 60);
    for (size_t who = 0; who < WORKERS; who++) {
        if (draw_unit(&d->draw) < .6) work(d, who);
    }
    if (number % 15 == 0)
        json_decref(harness_send(&d->h, NULL, "GET", "/api/owner/overview", d->h.owner, NULL));
    if (number % 60 == 0) /* somebody comes back on another device */
        harness_join(&d->h, d->tokens[number / 60 % WORKERS], "Guest");
}

static void a_day_leaks_nothing(void **state)
{
    (void)state;
    collect_options o;
    collect_options_init(&o);
    o.redundancy = 3;
    o.data = harness_items(1000);
    static day d;
    harness_open(&d.h, "soak", &o);
    d.draw = draw_start(1, 2);
    for (size_t i = 0; i < WORKERS; i++) harness_join(&d.h, d.tokens[i], "Guest");
    size_t half = 0, half_kept = 0;
    for (int i = 0; i < MINUTES; i++) {
        minute(&d, i);
        if (i == MINUTES / 2) {
            half = mallinfo2().uordblks;
            half_kept = d.kept;
        }
    }
    size_t grown = mallinfo2().uordblks - half, more = d.kept - half_kept;
    assert_true(d.kept > 10000);
    assert_int_equal(d.h.project->board->live_answers, d.kept);
    /* Tables double, so an answer may cost twice what it holds; a leak of one reply would be more.
     */
    if (half && grown > more * 400) fail_msg("%zu bytes for %zu answers", grown, more);
    print_message("%zu answers in a day, %zu bytes for each of the later ones\n", d.kept,
                  more ? grown / more : 0);
    harness_close(&d.h);
    clock_shift = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_day_leaks_nothing)};
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
