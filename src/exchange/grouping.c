/* Groupings inside an answer: {"birds": ["a", "b"], "fish": ["c"]}, or a list of groups, each
 * with a name and its cards. */
#include "base/status.h"
#include "exchange/importer.h"
#include "exchange/json.h"
#include "exchange/words.h"

#include <string.h>

static const char *const member_names[] = {"cards", "items", "members", "children", "ids", NULL};
static const char *const group_names[] = {"name", "group", "label", "id", "title", NULL};
static const char *const item_names[] = {"id", "item", "name", "text", "image", NULL};

static const json_t *first_of(const json_t *object, const char *const *known)
{
    for (; *known; known++) {
        const json_t *value = json_object_get(object, *known);
        if (value) return value;
    }
    return NULL;
}

static int add_members(importer *in, row base, const char *group, const json_t *members)
{
    size_t index;
    json_t *member;
    char scratch[JSON_SCALAR];
    /* What was left lying on the table was not sorted. */
    bool unsorted = strcmp(group, "_") == 0 || says_nothing(group);
    base.answer = unsorted ? ANSWER_UNSURE : ANSWER_SAME;
    SCDC_TRY(rows_text(&base.right, &in->rows, group));
    json_array_foreach(members, index, member)
    {
        const json_t *named = json_is_object(member) ? first_of(member, item_names) : member;
        const char *text = json_scalar(scratch, named);
        if (!text) return importer_fail(in, "group \"%.40s\": an item without a name", group);
        SCDC_TRY(importer_item(&base.left, in, text));
        SCDC_TRY(rows_add(&in->rows, base));
    }
    return SCDC_OK;
}

static bool holds_lists(const json_t *object)
{
    const char *name;
    json_t *value;
    if (json_object_size(object) == 0) return false;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (!json_is_array(value)) return false;
    }
    return true;
}

static int add_object(importer *in, row base, json_t *object)
{
    const char *name;
    json_t *members;
    json_object_foreach(object, name, members) SCDC_TRY(add_members(in, base, name, members));
    return SCDC_OK;
}

static int add_list(importer *in, row base, const json_t *list)
{
    size_t index;
    json_t *group;
    json_array_foreach(list, index, group)
    {
        char scratch[JSON_SCALAR], number[32];
        const json_t *members = json_is_array(group) ? group : first_of(group, member_names);
        const char *name = json_scalar(scratch, first_of(group, group_names));
        snprintf(number, sizeof number, "%zu", index + 1);
        SCDC_TRY(add_members(in, base, name ? name : number, members));
    }
    return SCDC_OK;
}

/* Every element is a list of items, or an object that has one. */
static bool is_list_of_groups(const json_t *list)
{
    size_t index;
    json_t *group;
    if (!json_is_array(list) || json_array_size(list) == 0) return false;
    json_array_foreach(list, index, group)
    {
        if (!json_is_array(group) && !json_is_array(first_of(group, member_names))) return false;
    }
    return true;
}

int importer_take_grouping(bool *is, importer *in, const char *text, row base)
{
    json_t *value = json_loads(text, 0, NULL);
    int status = SCDC_OK;
    *is = true;
    if (value && holds_lists(value)) status = add_object(in, base, value);
    else if (is_list_of_groups(value)) status = add_list(in, base, value);
    else *is = false;
    json_decref(value);
    return status;
}
