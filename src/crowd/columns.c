/* Header names and label words. docs/annotations.md lists the same words for users. */
#include "crowd/columns.h"

enum { MOST_WORDS = 8 };

/* The first word of each is the name used in messages; an earlier word wins over a later one, so
 * that a column called `label` is not disturbed by an extra one called `same`. */
static const char *const role_words[N_ROLES][MOST_WORDS] = {
    [ROLE_WORKER] = {"worker", "worker_id", "annotator", "annotator_id", "user", "user_id"},
    [ROLE_TASK] = {"task", "task_id"},
    [ROLE_LEFT] = {"left", "left_item", "item_left", "item1", "item_1", "i"},
    [ROLE_RIGHT] = {"right", "right_item", "item_right", "item2", "item_2", "j"},
    [ROLE_LABEL] = {"label", "answer", "same"},
    [ROLE_ITEM] = {"item", "item_id"},
    [ROLE_GROUP] = {"group", "group_id", "cluster"},
    [ROLE_GOLD] = {"gold"},
};

static const column_role pair_roles[] = {ROLE_WORKER, ROLE_LEFT, ROLE_RIGHT, ROLE_LABEL};
static const column_role grouping_roles[] = {ROLE_WORKER, ROLE_TASK, ROLE_ITEM, ROLE_GROUP};
enum { NEEDED = 4 };

/* Column with the best word of a role; *twice when two columns have that same word. */
static size_t find_role(bool *twice, const csv_reader *row, column_role role)
{
    for (size_t w = 0; w < MOST_WORDS && role_words[role][w]; w++) {
        size_t found = NO_COLUMN;
        for (size_t c = 0; c < row->n_fields; c++) {
            if (!csv_equals(row->fields[c], role_words[role][w])) continue;
            if (found != NO_COLUMN) *twice = true;
            else found = c;
        }
        if (found != NO_COLUMN) return found;
    }
    return NO_COLUMN;
}

static size_t count_present(const char **missing, const answer_columns *columns,
                            const column_role *roles)
{
    size_t present = 0;
    for (size_t i = 0; i < NEEDED; i++) {
        if (columns->of_role[roles[i]] != NO_COLUMN) present++;
        else *missing = role_words[roles[i]][0];
    }
    return present;
}

header_verdict columns_of_header(answer_columns *out, const char **missing, const csv_reader *row)
{
    const char *lack_pairs = NULL, *lack_groupings = NULL, *double_role = NULL;
    *out = (answer_columns){.n_fields = row->n_fields};
    *missing = NULL;
    for (int role = 0; role < N_ROLES; role++) {
        bool twice = false;
        out->of_role[role] = find_role(&twice, row, (column_role)role);
        if (twice && !double_role) double_role = role_words[role][0];
    }
    if (double_role) {
        *missing = double_role;
        return HEADER_DOUBLE;
    }
    size_t pairs = count_present(&lack_pairs, out, pair_roles);
    size_t groupings = count_present(&lack_groupings, out, grouping_roles);
    if (pairs == NEEDED || groupings == NEEDED) {
        out->form = pairs == NEEDED ? FORM_PAIRS : FORM_GROUPINGS;
        return HEADER_GOOD;
    }
    /* `same` alone may as well be the label of a first row of values. */
    bool only_label = out->of_role[ROLE_LABEL] != NO_COLUMN && pairs == 1 && groupings == 0;
    if (pairs + groupings == 0 || only_label) return HEADER_NONE;
    *missing = groupings > pairs ? lack_groupings : lack_pairs;
    return HEADER_PARTIAL;
}

answer_columns columns_without_header(void)
{
    answer_columns columns = {.form = FORM_PAIRS, .n_fields = NEEDED};
    for (size_t role = 0; role < N_ROLES; role++) columns.of_role[role] = NO_COLUMN;
    for (size_t i = 0; i < NEEDED; i++) columns.of_role[pair_roles[i]] = i;
    return columns;
}

label_word label_of(csv_field field)
{
    static const struct {
        const char *text;
        label_word word;
    } words[] = {{"1", LABEL_SAME},     {"0", LABEL_DIFFERENT},
                 {"same", LABEL_SAME},  {"different", LABEL_DIFFERENT},
                 {"yes", LABEL_SAME},   {"no", LABEL_DIFFERENT},
                 {"true", LABEL_SAME},  {"false", LABEL_DIFFERENT},
                 {"y", LABEL_SAME},     {"n", LABEL_DIFFERENT},
                 {"t", LABEL_SAME},     {"f", LABEL_DIFFERENT},
                 {"1.0", LABEL_SAME},   {"0.0", LABEL_DIFFERENT},
                 {"", LABEL_UNSURE},    {"unsure", LABEL_UNSURE},
                 {"?", LABEL_UNSURE},   {"na", LABEL_UNSURE},
                 {"n/a", LABEL_UNSURE}, {"nan", LABEL_UNSURE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (csv_equals(field, words[i].text)) return words[i].word;
    }
    return LABEL_UNKNOWN;
}
