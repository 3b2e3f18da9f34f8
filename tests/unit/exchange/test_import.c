/* Importing: class labels become groupings that say what the labels said; every sample file reads
 * back; what cannot be used is refused. The samples in tests/exchange are read by tests/cli, too.
 */
#include "support/files.h"

#include <scdc/exchange.h>

static scdc_import_options defaults(void)
{
    scdc_import_options o;
    scdc_import_options_init(&o);
    return o;
}

/* Imports a text and reads the answers back. */
static scdc_crowd *import_text(scdc_import_info *info, const char *text,
                               const scdc_import_options *o)
{
    scdc_crowd *crowd = NULL;
    const char *from = scratch_text("from", text), *to = scratch_path("answers.csv");
    assert_ok(scdc_import(info, from, to, o));
    assert_ok(scdc_crowd_open(&crowd, &to, 1, NULL));
    return crowd;
}

static size_t item_of(const scdc_crowd *crowd, const char *name)
{
    for (size_t i = 0; scdc_crowd_item_name(crowd, i); i++) {
        if (strcmp(scdc_crowd_item_name(crowd, i), name) == 0) return i;
    }
    fail_msg("no item %s", name);
    return 0;
}

/* Class labels of one worker about many items: all pairs that are told are right, and the cut into
 * tasks leaves everything connected. */
static void classes_become_groupings(void **state)
{
    enum { ITEMS = 500, CLASSES = 7 };
    char *text = malloc(ITEMS * 32 + 64);
    size_t used = (size_t)sprintf(text, "task,worker,label\n");
    scdc_import_options o = defaults();
    scdc_import_info info;
    (void)state;
    for (int i = 0; i < ITEMS; i++)
        used += (size_t)sprintf(text + used, "i%d,ann,c%d\n", i, (i * i) % CLASSES);
    o.task_items = 40;
    scdc_crowd *crowd = import_text(&info, text, &o);
    scdc_crowd_info about;
    size_t count;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &count);
    assert_ok(scdc_crowd_get_info(&about, crowd));
    assert_int_equal(about.items, ITEMS);
    assert_int_equal(about.components, 1);
    assert_int_equal(info.tasks, about.tasks);
    assert_true(info.tasks >= ITEMS / 40 && info.tasks < ITEMS / 20);
    assert_true(count < ITEMS * 40);
    for (size_t i = 0; i < count; i++) {
        int left = atoi(scdc_crowd_item_name(crowd, answers[i].left) + 1);
        int right = atoi(scdc_crowd_item_name(crowd, answers[i].right) + 1);
        assert_int_equal(answers[i].same, (left * left) % CLASSES == (right * right) % CLASSES);
    }
    scdc_crowd_free(crowd);
    free(text);
}

/* An item labelled twice by one worker: both labels are kept, in two tasks. */
static void second_thoughts_are_kept(void **state)
{
    scdc_import_info info;
    scdc_crowd *crowd = import_text(&info, "task,worker,label\na,w,x\nb,w,x\na,w,y\n", NULL);
    size_t count, a, same = 0;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &count);
    (void)state;
    assert_int_equal(count, 2);
    a = item_of(crowd, "a");
    for (size_t i = 0; i < count; i++) {
        assert_true(answers[i].left == a || answers[i].right == a);
        same += answers[i].same;
    }
    assert_int_equal(same, 1);
    scdc_crowd_free(crowd);
}

/* A pair whose answer is known (gold) is one more answer, of a worker who knows. */
static void samples_read_back(void **state)
{
    static const struct {
        const char *file, *tool, *answer;
        size_t answers, workers, items;
    } samples[] = {
        {"label-studio.json", "label-studio", NULL, 5, 4, 3},
        {"label-studio-min.json", "label-studio", NULL, 3, 1, 3},
        {"label-studio-ranker.json", "label-studio", NULL, 3, 1, 3},
        {"prodigy.jsonl", "prodigy", NULL, 2, 1, 3},
        {"prodigy-choice.jsonl", "prodigy", NULL, 1, 1, 2},
        {"argilla.jsonl", "argilla", NULL, 4, 3, 3},
        {"argilla-nested.json", "argilla", "topic", 1, 1, 2},
        {"potato.json", "potato", NULL, 1, 1, 2},
        {"potato-card-sort.json", "potato", NULL, 3, 1, 3},
        {"mturk.csv", "mturk", NULL, 2, 2, 3},
        {"mturk-task-answers.csv", "mturk", NULL, 1, 1, 2},
        {"toloka.tsv", "toloka", NULL, 5, 3, 3},
        {"prolific.csv", "prolific", NULL, 2, 1, 3},
        {"splink.csv", "splink", NULL, 2, 1, 3},
        {"crowd-kit.csv", "crowd-kit", NULL, 7, 2, 3},
        {"dedupe.json", "dedupe", NULL, 3, 1, 5},
        {"mustlink.txt", "mustlink", NULL, 3, 1, 4},
        {"mustlink.json", "mustlink", NULL, 3, 1, 5},
    };
    const char *root = getenv("SCDC_SAMPLES");
    (void)state;
    if (!root) skip();
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[4096];
        const char *to = scratch_path("back.csv"), *tool = NULL;
        scdc_import_options o = defaults();
        scdc_import_info info;
        scdc_crowd *crowd = NULL;
        scdc_crowd_info about;
        snprintf(path, sizeof path, "%s/%s", root, samples[i].file);
        o.answer = samples[i].answer;
        assert_ok(scdc_import_detect(&tool, path));
        assert_non_null(tool);
        assert_string_equal(tool, samples[i].tool);
        assert_ok(scdc_import(&info, path, to, &o));
        assert_string_equal(info.tool, samples[i].tool);
        assert_ok(scdc_crowd_open(&crowd, &to, 1, NULL));
        assert_ok(scdc_crowd_get_info(&about, crowd));
        print_message("%s\n", samples[i].file);
        assert_int_equal(about.answers, samples[i].answers);
        assert_int_equal(about.workers, samples[i].workers);
        assert_int_equal(about.items, samples[i].items);
        scdc_crowd_free(crowd);
    }
}

static void wrong_files_are_refused(void **state)
{
    static const struct {
        const char *from, *text, *message;
    } cases[] = {
        {NULL, "", "is empty"},
        {"prodigy", "\xff\xfe{", "is UTF-16"},
        {NULL, "\xfe\xff{", "is UTF-16"},
        {NULL, "x,y\n1,2\n", "looks like no file"},
        {NULL, "worker,task,item,group\na,1,x,g\n", "already a file of answers"},
        {NULL, "worker,left,right,label\nw,a,b,a\n", "a ranking"},
        {"table", "worker,left,right,winner\nw,a,b,a\n", "no column holds answers"},
        {"mturk", "WorkerId,Input.a,Input.b,Answer.preferred\nw,x,y,1\n", "which of two"},
        {"mturk", "WorkerId,Input.a,Input.b,Answer.q\nw,x,y,2\n", "a ranking"},
        {"mturk", "WorkerId,Input.a,Input.b,Answer.q\nw,x,y,perhaps\n", "--same"},
        {"mturk", "WorkerId,Input.a,Input.b,Answer.q,Answer.r\nw,x,y,1,0\n", "--answer"},
        {"mturk", "WorkerId,Input.a,Input.b,Answer.q\n,x,y,1\n", "who answered"},
        {"mturk", "WorkerId,Input.p,Input.q,Answer.q\nw,x,y,1\n", "--item"},
        {"mturk", "WorkerId,AssignmentStatus,Input.a,Input.b,Answer.q\nw,Rejected,x,y,1\n",
         "no answers (1 left out"},
        {"mturk", "WorkerId,Input.a,Input.b,Answer.q\nw,x\n", "2 fields"},
        {"prodigy", "{\"text\":\"x\"}\n{\"text\":\n", "is not JSON"},
        {"prodigy", "{\"text\":\"x\"}", "no \"answer\""},
        {"dedupe", "{\"match\":[[{\"n\":1},{\"n\":2}]],\"distinct\":[]}", "without an id"},
        {"splink", "unique_id_l,unique_id_r,clerical_match_score\na,b,1.5\n", "a score of 1.5"},
        {"mustlink", "a b 1\nb c maybe\n", "ML or CL"},
        {"argilla", "{\"q.responses\":[1,2],\"q.responses.users\":[\"u\"]}", "2 responses of 1"},
        {"nonesuch", "x", "no tool"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scdc_import_options o = defaults();
        const char *from = scratch_text("bad", cases[i].text), *to = scratch_path("none.csv");
        o.from = cases[i].from;
        int status = scdc_import(NULL, from, to, &o);
        if (!strstr(scdc_last_error(), cases[i].message))
            fail_msg("case %zu: got \"%s\", expected \"%s\"", i, scdc_last_error(),
                     cases[i].message);
        assert_true(status == SCDC_ERR_INPUT || status == SCDC_ERR_ARGUMENT);
        assert_int_not_equal(access(to, F_OK), 0);
    }
}

static void options_are_checked(void **state)
{
    scdc_import_options o = defaults();
    const char *from = scratch_text("x", "a b 1\nb c -1\n"), *tool;
    (void)state;
    o.task_items = 3;
    assert_fails(scdc_import(NULL, from, "-", &o), SCDC_ERR_ARGUMENT, "task_items");
    o = defaults();
    o.left = "a";
    assert_fails(scdc_import(NULL, from, "-", &o), SCDC_ERR_ARGUMENT, "left and right");
    o = defaults();
    o.size = 3;
    assert_fails(scdc_import(NULL, from, "-", &o), SCDC_ERR_ARGUMENT, "size");
    assert_fails(scdc_import(NULL, NULL, "-", NULL), SCDC_ERR_ARGUMENT, "path");
    assert_fails(scdc_import_detect(&tool, scratch_path("absent")), SCDC_ERR_INPUT, "absent");
    for (size_t i = 0; scdc_import_tool(i); i++) assert_non_null(scdc_import_about(i));
}

/* Two coordinates and a class are no must-links. */
static void points_are_no_links(void **state)
{
    const char *tool = "";
    (void)state;
    assert_ok(scdc_import_detect(&tool, scratch_text("p", "0.5,1.5,1\n0.25,3.5,-1\n")));
    assert_null(tool);
    assert_ok(scdc_import_detect(&tool, scratch_text("p", "1,2,1\n3,4,1\n")));
    assert_null(tool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_become_groupings), cmocka_unit_test(second_thoughts_are_kept),
        cmocka_unit_test(samples_read_back),        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(options_are_checked),      cmocka_unit_test(points_are_no_links),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
