/* Exports: what is written is JSON that says the same as the labels. */
#include "support/files.h"

#include <jansson.h>
#include <scdc/exchange.h>

enum { ITEMS = 3 };
static const int64_t labels[ITEMS] = {2, 0, 2}, components[ITEMS] = {7, 1, 8};
static const double probability[ITEMS] = {.75, 1, .5};

static scdc_export whole(const char *format, const scdc_data *names)
{
    scdc_export e;
    scdc_export_init(&e);
    e.format = format;
    e.names = names;
    e.labels = labels;
    e.probability = probability;
    e.component = components;
    e.count = ITEMS;
    return e;
}

static scdc_data *named_items(void)
{
    scdc_data *items = NULL;
    assert_ok(scdc_data_open(
        &items, scratch_text("n.csv", "file,x\na b.png,1\n\"q\"\"t.png\",2\n\xff.png,3\n")));
    return items;
}

static void lines_are_objects(void **state)
{
    scdc_data *items = named_items();
    const char *path = scratch_path("l.jsonl");
    scdc_export e = whole("jsonl", items);
    char line[512];
    size_t i = 0;
    (void)state;
    assert_ok(scdc_export_labels(path, &e));
    FILE *file = fopen(path, "r");
    for (; fgets(line, sizeof line, file); i++) {
        json_t *object = json_loads(line, 0, NULL);
        assert_int_equal(json_integer_value(json_object_get(object, "cluster")), labels[i]);
        assert_close(json_number_value(json_object_get(object, "probability")), probability[i],
                     1e-9);
        assert_true(json_is_string(json_object_get(object, "item")));
        json_decref(object);
    }
    fclose(file);
    assert_int_equal(i, ITEMS);
    scdc_data_free(items);
}

static void label_studio_gets_tasks(void **state)
{
    const char *path = scratch_path("t.json");
    scdc_export e = whole("label-studio", NULL);
    (void)state;
    e.data_key = "image";
    e.prefix = "https://host/";
    assert_ok(scdc_export_labels(path, &e));
    json_t *tasks = json_load_file(path, 0, NULL);
    assert_int_equal(json_array_size(tasks), ITEMS);
    const json_t *task = json_array_get(tasks, 1);
    const json_t *prediction = json_array_get(json_object_get(task, "predictions"), 0);
    const json_t *result = json_array_get(json_object_get(prediction, "result"), 0);
    const json_t *choices = json_object_get(json_object_get(result, "value"), "choices");
    assert_string_equal(json_string_value(json_object_get(json_object_get(task, "data"), "image")),
                        "https://host/1");
    assert_string_equal(json_string_value(json_array_get(choices, 0)), "0");
    assert_string_equal(json_string_value(json_object_get(result, "from_name")), "cluster");
    json_decref(tasks);
}

static void workers_are_written(void **state)
{
    const scdc_worker workers[] = {
        {.name = "ann", .answers = 9, .sensitivity = .9, .specificity = NAN, .weight = 3}};
    const char *path = scratch_path("w.jsonl");
    (void)state;
    assert_ok(scdc_export_workers(path, "jsonl", workers, 1));
    json_t *object = json_load_file(path, 0, NULL);
    assert_true(json_is_null(json_object_get(object, "specificity")));
    assert_close(json_number_value(json_object_get(object, "sensitivity")), .9, 1e-9);
    json_decref(object);
    assert_ok(scdc_export_workers(path, "csv", workers, 1));
    assert_fails(scdc_export_workers(path, "label-studio", workers, 1), SCDC_ERR_ARGUMENT,
                 "no place");
    assert_fails(scdc_export_workers(path, "xml", workers, 1), SCDC_ERR_ARGUMENT, "xml");
}

static void a_full_disk_is_told(void **state)
{
    const char *full = full_device();
    (void)state;
    if (!full) skip();
    scdc_export e = whole("label-studio", NULL);
    assert_fails(scdc_export_labels(full, &e), SCDC_ERR_OUTPUT, "cannot write");
    e.format = "parquet";
    assert_fails(scdc_export_labels(full, &e), SCDC_ERR_ARGUMENT, "parquet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_objects),
        cmocka_unit_test(label_studio_gets_tasks),
        cmocka_unit_test(workers_are_written),
        cmocka_unit_test(a_full_disk_is_told),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
