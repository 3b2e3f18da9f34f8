/* scdc_suggest: questions are new, different and the same for any number of threads; before the
 * first answer, with one worker, with everything annotated, with contradictions. */
#include "support/files.h"

#include <jansson.h>
#include <scdc/asking.h>
#include <stdbool.h>

enum { ITEMS = 150, KINDS = 3 };

static scdc_data *items;
static scdc_labels *truth;
static scdc_model *model;
static scdc_crowd *crowd;

static int begin(void **state)
{
    scdc_blobs o;
    scdc_options fit;
    double good[] = {.9};
    scdc_simulation s;
    scdc_blobs_init(&o);
    o.clusters = KINDS;
    o.items = ITEMS;
    o.dims = 3;
    assert_ok(scdc_make_blobs(&items, &truth, &o));
    scdc_simulation_init(&s);
    s.workers = 2;
    s.sensitivity = s.specificity = good;
    s.n_sensitivity = s.n_specificity = 1;
    s.pairs = 120;
    assert_ok(scdc_simulate_answers(&crowd, truth, &s));
    scdc_options_init(&fit);
    fit.threads = 1;
    assert_ok(scdc_fit(&model, items, crowd, &fit, NULL, NULL));
    return scratch_begin(state);
}

static int end(void **state)
{
    scdc_model_free(model);
    scdc_crowd_free(crowd);
    scdc_labels_free(truth);
    scdc_data_free(items);
    return scratch_end(state);
}

static scdc_suggest_options want(size_t count, size_t set_size)
{
    scdc_suggest_options o;
    scdc_suggest_options_init(&o);
    o.count = count;
    o.threads = 1;
    if (set_size) {
        o.kind = SCDC_QUESTION_SET;
        o.set_size = set_size;
    }
    return o;
}

static scdc_question question(const scdc_suggestions *s, size_t i)
{
    scdc_question q;
    assert_ok(scdc_suggestions_get(&q, s, i));
    return q;
}

/* All questions are about different items of the data, and pairs come once. */
static void check_questions(const scdc_suggestions *s, size_t n)
{
    static uint8_t asked[ITEMS][ITEMS];
    memset(asked, 0, sizeof asked);
    for (size_t i = 0; i < scdc_suggestions_count(s); i++) {
        scdc_question q = question(s, i);
        assert_true(q.gain >= 0 && q.gain <= 1);
        assert_true(strlen(q.reason) > 0);
        for (size_t a = 0; a < q.count; a++) {
            assert_true(q.items[a] < n);
            for (size_t b = 0; b < a; b++) assert_int_not_equal(q.items[a], q.items[b]);
        }
        if (q.kind != SCDC_QUESTION_PAIR) continue;
        assert_int_equal(q.count, 2);
        assert_int_equal(asked[q.items[0]][q.items[1]]++, 0);
        assert_int_equal(asked[q.items[1]][q.items[0]]++, 0);
    }
}

/* As many questions as are wanted, checked; m and c may be NULL. */
static scdc_suggestions *suggested(const scdc_model *m, const scdc_crowd *c,
                                   const scdc_suggest_options *o)
{
    scdc_suggestions *s;
    assert_ok(scdc_suggest(&s, m, items, c, o));
    assert_int_equal(scdc_suggestions_count(s), o->count);
    check_questions(s, ITEMS);
    return s;
}

static void test_pairs_are_new_and_different(void **state)
{
    (void)state;
    scdc_suggest_options o = want(60, 0);
    scdc_suggestions *s = suggested(model, crowd, &o);
    size_t count, seen[ITEMS] = {0}, different = 0;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &count);
    for (size_t i = 0; i < 60; i++) {
        scdc_question q = question(s, i);
        for (size_t j = 0; j < count; j++) {
            assert_false(q.items[0] == answers[j].left && q.items[1] == answers[j].right);
            assert_false(q.items[0] == answers[j].right && q.items[1] == answers[j].left);
        }
        for (size_t a = 0; a < 2; a++) different += seen[q.items[a]]++ == 0;
    }
    assert_true(different > 40); /* not always the same items */
    scdc_suggestions_free(s);
}

/* Questions about one doubt do not all ask about the same item. */
static void test_no_item_is_asked_about_too_often(void **state)
{
    (void)state;
    scdc_suggest_options o = want(200, 0);
    scdc_suggestions *s = suggested(model, crowd, &o);
    size_t times[ITEMS] = {0};
    for (size_t i = 0; i < 200; i++) {
        scdc_question q = question(s, i);
        if (strcmp(q.reason, "check") == 0) continue;
        for (size_t a = 0; a < 2; a++) assert_true(++times[q.items[a]] <= 3);
    }
    scdc_suggestions_free(s);
}

/* Every third set is of any items: without them two clusters and careless workers explained the
 * piles as well as five kinds and good ones. */
static void test_sets(void **state)
{
    (void)state;
    scdc_suggest_options o = want(9, 8);
    scdc_suggestions *s = suggested(model, crowd, &o);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(question(s, i).kind, SCDC_QUESTION_SET);
        assert_int_equal(question(s, i).count, 8);
        if (i % 3 == 2) assert_string_equal(question(s, i).reason, "check");
    }
    scdc_suggestions_free(s);
    s = suggested(NULL, NULL, &o);
    for (size_t i = 0; i < 9; i++)
        assert_string_equal(question(s, i).reason, i % 3 == 2 ? "check" : "spread");
    scdc_suggestions_free(s);
}

/* Bytes of the file of 40 questions. */
static char *written(const scdc_model *m, const scdc_crowd *c, int threads, uint64_t seed,
                     size_t set_size)
{
    scdc_suggestions *s;
    scdc_suggest_options o = want(40, set_size);
    o.threads = threads;
    o.seed = seed;
    assert_ok(scdc_suggest(&s, m, items, c, &o));
    assert_ok(scdc_suggestions_write(scratch_path("q.csv"), s, NULL));
    scdc_suggestions_free(s);
    FILE *file = fopen(scratch_path("q.csv"), "rb");
    char *text = calloc(1, 65536);
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) > 100);
    fclose(file);
    return text;
}

static void test_same_for_any_number_of_threads(void **state)
{
    (void)state;
    for (size_t set_size = 0; set_size <= 4; set_size += 4) {
        char *one = written(model, crowd, 1, 7, set_size);
        char *three = written(model, crowd, 3, 7, set_size);
        char *other = written(model, crowd, 1, 8, set_size);
        assert_string_equal(one, three);
        assert_true(strcmp(one, other) != 0);
        free(one);
        free(three);
        free(other);
    }
}

static void test_before_the_first_answer(void **state)
{
    (void)state;
    scdc_suggest_options o = want(30, 0);
    scdc_suggestions *s = suggested(NULL, NULL, &o);
    assert_string_equal(question(s, 0).reason, "spread");
    assert_true(question(s, 0).gain > 0);
    scdc_suggestions_free(s);
    scdc_suggestions_free(suggested(NULL, crowd, &o)); /* answers without a fit */
}

/* The worse the worker, the less an answer is worth; whoever is not known is like the others. */
static void test_worker(void **state)
{
    (void)state;
    scdc_suggestions *typical, *stranger;
    scdc_suggest_options o = want(5, 0);
    assert_ok(scdc_suggest(&typical, model, items, crowd, &o));
    o.worker = "nobody, \"never\" seen";
    assert_ok(scdc_suggest(&stranger, model, items, crowd, &o));
    assert_string_equal(question(stranger, 0).worker, o.worker);
    assert_null(question(typical, 0).worker);
    assert_close(question(stranger, 0).gain, question(typical, 0).gain, 1e-12);
    scdc_suggestions_free(typical);
    scdc_suggestions_free(stranger);
}

/* All pairs of five items, each once, and no more. */
static void test_more_than_there_are(void **state)
{
    (void)state;
    float few[5] = {0, 0, 0, 1, 9};
    for (size_t n = 1; n <= 5; n++) {
        scdc_data *d;
        scdc_suggestions *s;
        scdc_suggest_options o = want(50, 0);
        assert_ok(scdc_data_from_memory(&d, few, SCDC_F32, n, 1, 1));
        assert_ok(scdc_suggest(&s, NULL, d, NULL, &o));
        assert_int_equal(scdc_suggestions_count(s), n * (n - 1) / 2);
        check_questions(s, n);
        scdc_suggestions_free(s);
        o = want(50, 8); /* one set of all there are */
        assert_ok(scdc_suggest(&s, NULL, d, NULL, &o));
        assert_int_equal(scdc_suggestions_count(s), n > 1);
        check_questions(s, n);
        scdc_suggestions_free(s);
        scdc_data_free(d);
    }
}

/* Of ten pairs eight were answered: the other two are asked, and of the eight, once each and by
 * that name, those that are in doubt all the same. */
static void test_answered_pairs_are_asked_again(void **state)
{
    (void)state;
    float few[5] = {0, .1f, .2f, 5, 9};
    scdc_answer answers[8];
    size_t count = 0;
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t j = i + 1; j < 5; j++) {
            if ((i == 0 && j == 1) || (i == 2 && j == 4)) continue;
            answers[count++] = (scdc_answer){j, i, 0, SCDC_NO_TASK, i + 1 == j};
        }
    }
    scdc_data *d;
    scdc_crowd *c;
    scdc_suggestions *s;
    scdc_suggest_options o = want(10, 0);
    size_t fresh = 0, again = 0;
    assert_ok(scdc_data_from_memory(&d, few, SCDC_F32, 5, 1, 1));
    assert_ok(scdc_crowd_from_memory(&c, answers, count));
    assert_ok(scdc_suggest(&s, NULL, d, c, &o));
    check_questions(s, 5);
    for (size_t i = 0; i < scdc_suggestions_count(s); i++) {
        scdc_question q = question(s, i);
        uint32_t sum = q.items[0] + q.items[1], product = q.items[0] * q.items[1];
        int is_new = (sum == 1 && product == 0) || (sum == 6 && product == 8);
        assert_int_equal(strcmp(q.reason, "again") == 0, !is_new);
        if (is_new) fresh++;
        else again++;
    }
    assert_int_equal(fresh, 2);
    assert_true(again > 0); /* one answer of a stranger settles nothing */
    scdc_suggestions_free(s);
    scdc_crowd_free(c);
    scdc_data_free(d);
}

/* One worker who contradicts himself about every item. */
static void test_contradictions(void **state)
{
    (void)state;
    scdc_answer answers[2 * ITEMS];
    scdc_crowd *c;
    scdc_suggestions *s;
    scdc_suggest_options o = want(40, 0);
    for (uint32_t i = 0; i < ITEMS; i++) {
        answers[2 * i] = (scdc_answer){i, (i + 1) % ITEMS, 0, SCDC_NO_TASK, 1};
        answers[2 * i + 1] = (scdc_answer){i, (i + 1) % ITEMS, 0, SCDC_NO_TASK, 0};
    }
    assert_ok(scdc_crowd_from_memory(&c, answers, (size_t)2 * ITEMS));
    assert_ok(scdc_suggest(&s, model, items, c, &o));
    assert_int_equal(scdc_suggestions_count(s), 40);
    check_questions(s, ITEMS);
    scdc_suggestions_free(s);
    scdc_crowd_free(c);
}

/* Answers settle doubts: with many right ones a question is worth less than with none. */
static void test_doubt_falls_with_answers(void **state)
{
    (void)state;
    double right[] = {.95};
    scdc_crowd *many;
    scdc_suggestions *first, *last;
    scdc_simulation sim;
    scdc_suggest_options o = want(10, 0);
    scdc_simulation_init(&sim);
    sim.workers = 2;
    sim.sensitivity = sim.specificity = right;
    sim.n_sensitivity = sim.n_specificity = 1;
    sim.pairs = 4000;
    assert_ok(scdc_simulate_answers(&many, truth, &sim));
    assert_ok(scdc_suggest(&first, model, items, NULL, &o));
    assert_ok(scdc_suggest(&last, model, items, many, &o));
    assert_true(question(last, 0).gain < .3 * question(first, 0).gain);
    scdc_suggestions_free(first);
    scdc_suggestions_free(last);
    scdc_crowd_free(many);
}

static void test_wrong_use(void **state)
{
    (void)state;
    scdc_suggestions *s = NULL;
    scdc_question q;
    scdc_suggest_options o = want(0, 0);
    assert_fails(scdc_suggest(&s, NULL, items, NULL, &o), SCDC_ERR_ARGUMENT, "count");
    o = want(5, 101);
    assert_fails(scdc_suggest(&s, NULL, items, NULL, &o), SCDC_ERR_ARGUMENT, "set_size");
    assert_fails(scdc_suggest(&s, NULL, NULL, NULL, NULL), SCDC_ERR_ARGUMENT, "data");
    scdc_answer far = {1, ITEMS, 0, SCDC_NO_TASK, 1};
    scdc_crowd *c;
    assert_ok(scdc_crowd_from_memory(&c, &far, 1));
    assert_fails(scdc_suggest(&s, model, items, c, NULL), SCDC_ERR_ARGUMENT, "item 150");
    scdc_crowd_free(c);
    assert_null(s);
    assert_ok(scdc_suggest(&s, NULL, items, NULL, NULL));
    assert_fails(scdc_suggestions_get(&q, s, 20), SCDC_ERR_ARGUMENT, "20");
    scdc_suggest_file file;
    scdc_suggest_file_init(&file);
    file.format = "xml";
    assert_fails(scdc_suggestions_write(scratch_path("no"), s, &file), SCDC_ERR_ARGUMENT, "xml");
    scdc_suggestions_free(s);
    scdc_suggestions_free(NULL);
}

/* ---- files ---- */

static void test_jsonl(void **state)
{
    (void)state;
    scdc_data *named;
    scdc_suggestions *s;
    scdc_suggest_file file;
    scdc_suggest_options o = want(3, 0);
    const char *texts[3] = {"the first", NULL, "a \"third\""};
    assert_ok(scdc_data_open(
        &named, scratch_text("n.csv", "file,x\na b.png,1\n\"q\"\"t.png\",2\n\xff.png,3\n")));
    assert_ok(scdc_suggest(&s, NULL, named, NULL, &o));
    scdc_suggest_file_init(&file);
    file.format = "jsonl";
    file.names = named;
    file.folder = "pictures";
    file.texts = texts;
    file.n_texts = 3;
    assert_ok(scdc_suggestions_write(scratch_path("q.jsonl"), s, &file));
    FILE *in = fopen(scratch_path("q.jsonl"), "rb");
    size_t lines = 0;
    for (json_t *line; (line = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL)); lines++) {
        json_t *list = json_object_get(line, "items"), *item;
        size_t i;
        assert_int_equal(json_array_size(list), 2);
        assert_string_equal(json_string_value(json_object_get(line, "kind")), "pair");
        assert_true(json_is_null(json_object_get(line, "worker")));
        assert_true(json_is_real(json_object_get(line, "gain")));
        json_array_foreach(list, i, item)
        {
            size_t number = (size_t)json_integer_value(json_object_get(item, "item"));
            const char *path = json_string_value(json_object_get(item, "path"));
            const char *text = json_string_value(json_object_get(item, "text"));
            if (number == 0) assert_string_equal(path, "pictures/a b.png");
            if (texts[number]) assert_string_equal(text, texts[number]);
            else assert_null(text);
        }
        json_decref(line);
    }
    fclose(in);
    assert_int_equal(lines, 3);
    scdc_suggestions_free(s);
    scdc_data_free(named);
}

static void test_csv(void **state)
{
    (void)state;
    scdc_data *named;
    scdc_suggestions *s;
    scdc_suggest_file file;
    scdc_suggest_options o = want(1, 0);
    char row[256];
    o.worker = "an,na";
    assert_ok(scdc_data_open(&named, scratch_text("m.csv", "file,x\na b.png,1\n10%.png,2\n")));
    assert_ok(scdc_suggest(&s, NULL, named, NULL, &o));
    scdc_suggest_file_init(&file);
    file.names = named;
    assert_ok(scdc_suggestions_write(scratch_path("q.csv"), s, &file));
    FILE *in = fopen(scratch_path("q.csv"), "rb");
    assert_non_null(fgets(row, sizeof row, in));
    assert_string_equal(row, "question,kind,items,worker,gain,reason\n");
    assert_non_null(fgets(row, sizeof row, in));
    fclose(in);
    assert_true(strncmp(row, "1,pair,", 7) == 0);
    assert_non_null(strstr(row, "a%20b.png"));
    assert_non_null(strstr(row, "10%25.png"));
    assert_non_null(strstr(row, ",\"an,na\","));
    scdc_suggestions_free(s);
    scdc_data_free(named);
}

/* Of every kind one item that eight others were found to be like, by two workers. */
static void ask_about_some(scdc_crowd **out, bool *annotated)
{
    enum { OTHERS = 8 };
    const int64_t *kind = scdc_labels_values(truth);
    scdc_answer answers[KINDS * OTHERS * 2 + KINDS * KINDS];
    uint32_t first[KINDS];
    size_t have[KINDS] = {0}, count = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        size_t k = (size_t)kind[i];
        if (have[k] > OTHERS) continue;
        annotated[i] = true;
        if (!have[k]++) first[k] = i;
        for (uint32_t w = 0; w < 2 && have[k] > 1; w++)
            answers[count++] = (scdc_answer){first[k], i, w, SCDC_NO_TASK, 1};
    }
    for (size_t k = 0; k < KINDS; k++) {
        for (size_t j = 0; j < k; j++)
            answers[count++] = (scdc_answer){first[j], first[k], 0, SCDC_NO_TASK, 0};
    }
    assert_ok(scdc_crowd_from_memory(out, answers, count));
}

/* Where kinds were learned from answers, new items are put beside known ones. */
static void test_items_are_placed_beside_known_ones(void **state)
{
    (void)state;
    bool annotated[ITEMS] = {false};
    scdc_options fit;
    scdc_crowd *some;
    scdc_model *judged;
    scdc_suggest_options o = want(40, 0);
    ask_about_some(&some, annotated);
    scdc_options_init(&fit);
    fit.threads = 1;
    fit.clusters_from = SCDC_CLUSTERS_FROM_ANSWERS;
    assert_ok(scdc_fit(&judged, items, some, &fit, NULL, NULL));
    scdc_suggestions *s = suggested(judged, some, &o);
    bool asked[ITEMS] = {false};
    for (size_t i = 0; i < 40; i++) {
        scdc_question q = question(s, i);
        assert_string_equal(q.reason, "place");
        assert_true(!annotated[q.items[0]] && annotated[q.items[1]]);
        assert_false(asked[q.items[0]]); /* the next batch knows what to ask about it */
        asked[q.items[0]] = true;
    }
    scdc_suggestions_free(s);
    char *one = written(judged, some, 1, 1, 0), *two = written(judged, some, 2, 1, 0);
    assert_string_equal(one, two);
    free(one);
    free(two);
    o = want(6, 4); /* sets are chosen as ever */
    s = suggested(judged, some, &o);
    assert_int_equal(question(s, 0).count, 4);
    scdc_suggestions_free(s);
    scdc_model_free(judged);
    scdc_crowd_free(some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_new_and_different),
        cmocka_unit_test(test_no_item_is_asked_about_too_often),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_same_for_any_number_of_threads),
        cmocka_unit_test(test_items_are_placed_beside_known_ones),
        cmocka_unit_test(test_before_the_first_answer),
        cmocka_unit_test(test_worker),
        cmocka_unit_test(test_more_than_there_are),
        cmocka_unit_test(test_answered_pairs_are_asked_again),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_doubt_falls_with_answers),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_jsonl),
        cmocka_unit_test(test_csv),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
