/* What words of other tools mean. */
#include "exchange/words.h"
#include "support/check.h"

static side side_and_stem(char *stem, const char *name)
{
    return side_of_name(stem, 64, name);
}

static void names_have_sides(void **state)
{
    static const struct {
        const char *name;
        side side;
        const char *stem;
    } cases[] = {{"left", SIDE_LEFT, ""},
                 {"image_right", SIDE_RIGHT, "image"},
                 {"text1", SIDE_LEFT, "text"},
                 {"text_2", SIDE_RIGHT, "text"},
                 {"unique_id_l", SIDE_LEFT, "unique id"},
                 {"Item A", SIDE_LEFT, "item"},
                 {"left_image", SIDE_LEFT, "image"},
                 {"first-name", SIDE_LEFT, "name"},
                 {"meta.id_b", SIDE_RIGHT, "meta id"}};
    char stem[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(side_and_stem(stem, cases[i].name), cases[i].side);
        assert_string_equal(stem, cases[i].stem);
    }
    assert_int_equal(side_and_stem(stem, "label"), SIDE_NONE);
    assert_int_equal(side_and_stem(stem, "email"), SIDE_NONE);
    assert_int_equal(side_and_stem(stem, "image12"), SIDE_NONE);
    assert_int_equal(side_and_stem(stem, "data"), SIDE_NONE);
}

static void words_mean_answers(void **state)
{
    static const char *const same[] = {"1",           "Same",          " YES ",
                                       "must-link",   "Must_Link",     "Match.",
                                       "Same animal", "Yes, the same", "+1"};
    static const char *const different[] = {
        "0", "-1", "No", "non-match", "Not the same", "Different maker", "cannot link", "distinct"};
    static const char *const unsure[] = {"", "?", "Not sure", "skip", "Can't tell", "No answer"};
    static const char *const winner[] = {"left", "B", "2", "tie", "Second"};
    static const char *const unknown[] = {"cat", "yesterday", "nobody", "3"};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(answer_of_word(same[i], NULL, NULL), ANSWER_SAME);
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        assert_int_equal(answer_of_word(different[i], NULL, NULL), ANSWER_DIFFERENT);
    for (size_t i = 0; i < sizeof unsure / sizeof *unsure; i++)
        assert_int_equal(answer_of_word(unsure[i], NULL, NULL), ANSWER_UNSURE);
    for (size_t i = 0; i < sizeof winner / sizeof *winner; i++)
        assert_int_equal(answer_of_word(winner[i], NULL, NULL), ANSWER_WINNER);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(answer_of_word(unknown[i], NULL, NULL), ANSWER_UNKNOWN);
}

static void users_add_words(void **state)
{
    (void)state;
    assert_int_equal(answer_of_word("Gleich", "gleich|dasselbe", "anders"), ANSWER_SAME);
    assert_int_equal(answer_of_word("dasselbe", "gleich|dasselbe", "anders"), ANSWER_SAME);
    assert_int_equal(answer_of_word("ANDERS", "gleich|dasselbe", "anders"), ANSWER_DIFFERENT);
    /* They win over the words known here. */
    assert_int_equal(answer_of_word("2", "2", "1"), ANSWER_SAME);
    assert_int_equal(answer_of_word("1", "2", "1"), ANSWER_DIFFERENT);
    assert_true(names_a_winner("preferred_item") && names_a_winner("Winner"));
    assert_false(names_a_winner("same"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_sides),
        cmocka_unit_test(words_mean_answers),
        cmocka_unit_test(users_add_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
