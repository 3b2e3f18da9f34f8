/* Thinking in the background, with a stand-in for the program: what is run on what, and that one
 * that dies or hangs costs only its own result. */
#include "harness.h"

#include "../../server/choose.h"
#include "../../server/export.h"
#include "../../server/fitting.h"

#include <sys/stat.h>
#include <time.h>

/* Writes what the real program would, and its arguments to "said". `$SCRATCH/fails` holds the name
 * of a command that fails, `$SCRATCH/hangs` of one that never ends. */
static const char stand_in[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "echo \"$@\" >>\"$here/said\"\n"
    "command=$1; run=$2; shift\n"
    "[ \"$(cat \"$here/fails\" 2>/dev/null)\" = \"$command\" ] && exit 3\n"
    "[ \"$(cat \"$here/hangs\" 2>/dev/null)\" = \"$command\" ] && exec sleep 600\n"
    "out= who=\n"
    "while [ $# -gt 0 ]; do\n"
    "    case $1 in -o) out=$2 ;; --worker) who=$2 ;; --annotations) wc -l <\"$2\" "
    ">>\"$here/rows\" ;; esac\n"
    "    shift\n"
    "done\n"
    "case $command in\n"
    "fit | update)\n"
    "    mkdir \"$out\" && cd \"$out\" || exit 4\n"
    "    echo item,cluster,probability >labels.csv\n"
    "    for i in $(seq 0 29); do echo \"$i,$((i % 3)),.9\" >>labels.csv; done\n"
    "    echo worker,answers >workers.csv ;;\n"
    "suggest)\n"
    "    echo question,kind,items,worker,gain,reason >\"$out\"\n"
    "    echo \"0,pair,item-3 item-4,$who,.25,doubtful\" >>\"$out\"\n"
    "    echo \"1,pair,item-5 nobody,$who,.2,doubtful\" >>\"$out\"\n"
    "    echo \"2,pair,item-6 item-7,$who,.125,again\" >>\"$out\" ;;\n"
    "plan) echo '{\"advice\":\"go on\",\"sentence\":\"Go on.\",\"points\":[]}' ;;\n"
    "esac\n";

typedef struct scene {
    harness h;
    fitting *fitting;
    char program[1024];
} scene;

static void scene_open(scene *s, const char *name)
{
    collect_options o;
    collect_options_init(&o);
    o.redundancy = 2;
    snprintf(s->program, sizeof s->program, "%s", scratch_text("program", stand_in));
    assert_int_equal(chmod(s->program, 0700), 0);
    remove(scratch_path("said"));
    remove(scratch_path("rows"));
    remove(scratch_path("fails"));
    remove(scratch_path("hangs"));
    harness_open(&s->h, name, &o);
    s->fitting = fitting_create(s->h.project, s->program, 10, 1, false);
}

static void scene_close(scene *s)
{
    fitting_free(s->fitting);
    harness_close(&s->h);
}

/* `count` tasks, each answered once by worker 1. */
static void answer_tasks(scene *s, size_t count, const char *value)
{
    board *b = s->h.project->board;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)b->n_tasks;
        harness_task(&s->h, number % 30, (number % 30 + 1 + number / 30) % 30, "");
        record r = {.kind = RECORD_ANSWER, .time = 1};
        r.answer = (__typeof__(r.answer)){.id = {1, number}, .task = number, .worker = 1};
        r.answer.value = text_copy(value);
        r.answer.names = text_copy("");
        assert_int_equal(writer_write(s->h.writer, &r, 1), SCDC_OK);
    }
}

/* Steps until a round has ended, well or not. */
static findings *one_round(scene *s)
{
    findings *fresh = NULL;
    size_t good, failed, good_before, failed_before;
    bool running;
    clock_shift += 10000; /* the pause between two rounds is over */
    fitting_look(s->fitting, &running, &good_before, &failed_before);
    for (int i = 0; i < 3000; i++) {
        fitting_step(s->fitting, &fresh);
        fitting_look(s->fitting, &running, &good, &failed);
        if (good + failed > good_before + failed_before) return fresh;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    fail_msg("no end");
    return NULL;
}

/* Line `at` of a file of the scratch folder. */
static const char *line_of(const char *name, size_t at)
{
    static char line[4096];
    FILE *f = fopen(scratch_path(name), "r");
    assert_non_null(f);
    for (size_t i = 0; i <= at; i++) {
        if (!fgets(line, sizeof line, f)) snprintf(line, sizeof line, "(none)");
    }
    fclose(f);
    return line;
}

static void join(scene *s, const char *name)
{
    char token[TOKEN_LENGTH + 1];
    harness_join(&s->h, token, name);
    /* Heard of just now, so that questions are chosen for this person. */
    json_decref(harness_send(&s->h, NULL, "GET", "/api/me", token, NULL));
}

static void first_a_fit_then_updates(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R1");
    join(&s, "Ann");
    answer_tasks(&s, 45, "1");
    findings *f = one_round(&s);
    assert_non_null(f);
    assert_int_equal(f->clusters, 3);
    assert_int_equal(f->answers, 45);
    assert_string_equal(json_string_value(json_object_get(f->plan, "advice")), "go on");
    /* Ann's best, anybody's best, Ann's second, ...; what is no item was left out. */
    assert_int_equal(f->questions.count, 4);
    assert_string_equal(f->questions.list[0].worker, "Ann");
    assert_string_equal(f->questions.list[1].worker, "");
    assert_int_equal(f->questions.list[0].items[1], 4);
    assert_int_equal(f->questions.list[2].items[1], 7);
    assert_true(f->questions.list[0].gain == .25);
    findings_free(f);
    assert_non_null(strstr(line_of("said", 0), "fit "));
    assert_non_null(strstr(line_of("said", 1), "--worker Ann"));
    assert_null(strstr(line_of("said", 2), "--worker"));
    assert_int_equal(strncmp(line_of("said", 3), "plan ", 5), 0);
    answer_tasks(&s, 12, "0");
    findings_free(one_round(&s));
    assert_non_null(strstr(line_of("said", 4), "/runs/1 --annotations"));
    assert_int_equal(strncmp(line_of("said", 4), "update ", 7), 0);
    assert_int_equal(atoi(line_of("rows", 1)), 1 + 12); /* the new ones only */
    /* Somebody is blocked: what the last run knows counts no longer. */
    assert_int_equal(0, strncmp(line_of("said", 8), "(none)", 6));
    record r = {.kind = RECORD_STANDING, .time = 1};
    r.standing.worker = 1;
    r.standing.standing = STANDING_BLOCKED;
    assert_int_equal(writer_write(s.h.writer, &r, 1), SCDC_OK);
    join(&s, "Bob");
    answer_tasks(&s, 12, "0");
    findings_free(one_round(&s));
    assert_int_equal(strncmp(line_of("said", 8), "fit ", 4), 0);
    assert_int_equal(atoi(line_of("rows", 2)), 1);
    scene_close(&s);
}

static void twice_the_answers_are_fitted_anew(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R2");
    join(&s, "Ann");
    answer_tasks(&s, 45, "1");
    findings_free(one_round(&s));
    answer_tasks(&s, 45, "1");
    findings_free(one_round(&s));
    assert_int_equal(strncmp(line_of("said", 4), "fit ", 4), 0);
    scene_close(&s);
}

static void what_dies_costs_its_own_result(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R3");
    join(&s, "Ann");
    answer_tasks(&s, 45, "1");
    scratch_text("fails", "suggest\n");
    findings *f = one_round(&s);
    assert_non_null(f); /* clusters and advice, no questions */
    assert_int_equal(f->questions.count, 0);
    assert_non_null(f->plan);
    findings_free(f);
    answer_tasks(&s, 12, "1");
    scratch_text("fails", "update\n");
    assert_null(one_round(&s));
    answer_tasks(&s, 12, "1");
    f = one_round(&s); /* the next one does not rely on it */
    assert_non_null(f);
    findings_free(f);
    /* One that hangs is not waited for: a step returns at once, and closing ends it. */
    answer_tasks(&s, 12, "1");
    remove(scratch_path("fails"));
    scratch_text("hangs", "plan\n");
    clock_shift += 10000;
    bool running = false;
    size_t good, failed;
    f = NULL;
    for (int i = 0; i < 100; i++) {
        int64_t before = clock_steady();
        fitting_step(s.fitting, &f);
        assert_true(clock_steady() - before < 60000); /* it hangs for 600 s; machines are busy */
        assert_null(f);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    fitting_look(s.fitting, &running, &good, &failed);
    assert_true(running);
    scene_close(&s);
}

/* Where the answers cannot be read for a while, the round begins later, with no further answer. */
static void a_round_that_cannot_begin_is_tried_again(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R7");
    join(&s, "Ann");
    answer_tasks(&s, 45, "1");
    char *place = s.h.project->place;
    s.h.project->place = text_copy(scratch_path("nowhere"));
    assert_null(one_round(&s));
    assert_null(one_round(&s)); /* after each pause */
    free(s.h.project->place);
    s.h.project->place = place;
    findings *f = one_round(&s);
    assert_non_null(f);
    assert_int_equal(f->answers, 45);
    findings_free(f);
    assert_int_equal(fitting_number(s.fitting), 1);
    answer_tasks(&s, 12, "1"); /* the model is there as before: an update */
    findings_free(one_round(&s));
    assert_int_equal(strncmp(line_of("said", 4), "update ", 7), 0);
    scene_close(&s);
}

static void a_restart_finds_the_last_round(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R4");
    join(&s, "Ann");
    answer_tasks(&s, 45, "1");
    findings_free(one_round(&s));
    fitting_free(s.fitting);
    s.fitting = fitting_create(s.h.project, s.program, 10, 1, false);
    findings *f = NULL;
    fitting_step(s.fitting, &f);
    assert_non_null(f);
    assert_int_equal(f->questions.count, 4);
    findings_free(f);
    scene_close(&s);
}

/* ---- from questions to tasks ---------------------------------------------------------------- */

static void questions_are_asked_in_their_order(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R5");
    join(&s, "Ann");
    join(&s, "Bob");
    board *b = s.h.project->board;
    answer_tasks(&s, 45, "1"); /* task 6 asks about 6 and 7, of one answer */
    findings *f = one_round(&s);
    chooser c;
    chosen what;
    chooser_init(&c, COLLECT_SUGGEST, 1, 30, 2);
    /* 3 and 4 are asked about already, and somebody will answer; so are 6 and 7. */
    assert_true(choose_items(&what, &c, b, f, 100));
    assert_string_equal(what.why, "doubtful");
    assert_int_equal(f->questions.next, f->questions.count);
    /* When a pair has all its answers, one more is wanted of somebody else. */
    f->questions.next = 0;
    for (uint32_t t = 3; t <= 6; t += 3) {
        record r = {.kind = RECORD_ANSWER, .time = 1};
        r.answer = (__typeof__(r.answer)){.id = {2, t}, .task = t, .worker = 2};
        r.answer.value = text_copy("1");
        r.answer.names = text_copy("");
        assert_int_equal(writer_write(s.h.writer, &r, 1), SCDC_OK);
    }
    assert_true(board_done(b, 3));
    assert_true(choose_items(&what, &c, b, f, 100));
    assert_int_equal(what.again, 3);
    assert_string_equal(what.worker, "Ann");
    board_ask_again(b, what.again);
    assert_false(board_done(b, 3));
    chooser_free(&c);
    findings_free(f);
    scene_close(&s);
}

static void chosen_tasks_go_to_whom_they_were_chosen_for(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, "R6");
    for (int i = 0; i < 4; i++) join(&s, i == 1 ? "Ann" : "Somebody");
    board *b = s.h.project->board;
    for (unsigned i = 0; i < 6; i++) harness_task(&s.h, i, i + 10, "");
    uint32_t ann = board_worker_named(b, "Ann"), got[MOST_LEASES];
    assert_int_equal(ann, 2);
    assert_int_equal(board_worker_named(b, "Nobody"), 0);
    board_wish(b, 5, ann);
    board_wish(b, 99, ann);
    board_wish(b, 5, 99);
    assert_int_equal(board_lend(b, got, ann, 2, NULL, 0, 0), 2);
    assert_int_equal(got[0], 5);
    assert_int_equal(got[1], 1);
    assert_int_equal(b->workers[ann].wishes, 0);
    /* Others get it, too, in its turn: redundancy holds. */
    assert_int_equal(board_lend(b, got, 3, 8, NULL, 0, 0), 6);
    assert_int_equal(board_lend(b, got, 4, 8, NULL, 0, 0), 4);
    for (int i = 0; i < 4; i++) assert_true(got[i] != 5 && got[i] != 1);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_a_fit_then_updates),
        cmocka_unit_test(twice_the_answers_are_fitted_anew),
        cmocka_unit_test(what_dies_costs_its_own_result),
        cmocka_unit_test(a_round_that_cannot_begin_is_tried_again),
        cmocka_unit_test(a_restart_finds_the_last_round),
        cmocka_unit_test(questions_are_asked_in_their_order),
        cmocka_unit_test(chosen_tasks_go_to_whom_they_were_chosen_for),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
