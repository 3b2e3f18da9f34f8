/* Reports: complete and well-formed with whatever is there, and small however many items there
 * are. */
#include "support/files.h"
#include "support/xml.h"

#include "base/clock.h"
#include "model/model.h"
#include "report/view.h"

enum { N = 120 };
static const char *const worker_names[] = {"<script>alert(1)</script>", "\"quoted\" & 'so'",
                                           "\xFF\xFE", "w3"};

typedef struct run {
    scdc_data *items;
    scdc_labels *truth;
    scdc_crowd *crowd;
    scdc_model *model;
    int64_t *labels, *component;
    double *probability;
    scdc_report report;
} run;

/* Answers right nine times in ten, of workers with awkward names. */
static scdc_crowd *make_answers(const scdc_data *items, const int64_t *truth)
{
    scdc_crowd *crowd;
    FILE *file = fopen(scratch_path("answers.csv"), "wb");
    assert_non_null(file);
    fputs("worker,left,right,label\n", file);
    for (size_t i = 0; i < 200; i++) {
        size_t a = i * 7 % N, b = (i * 13 + 5) % N;
        int same = truth[a] == truth[b];
        if (a == b) continue;
        putc('"', file);
        for (const char *c = worker_names[i % 4]; *c; c++) {
            if (*c == '"') putc('"', file);
            putc(*c, file);
        }
        fprintf(file, "\",%zu,%zu,%d\n", a, b, i % 10 == 0 ? !same : same);
    }
    fclose(file);
    const char *path = scratch_path("answers.csv");
    assert_ok(scdc_crowd_open(&crowd, &path, 1, items));
    remove(path);
    return crowd;
}

static void begin(run *r)
{
    scdc_options options;
    scdc_blobs blobs;
    *r = (run){0};
    scdc_blobs_init(&blobs);
    blobs.items = N;
    blobs.clusters = 3;
    blobs.dims = 4;
    assert_ok(scdc_make_blobs(&r->items, &r->truth, &blobs));
    r->crowd = make_answers(r->items, scdc_labels_values(r->truth));
    scdc_options_init(&options);
    options.components = 6;
    options.latent = 3;
    options.hidden[0] = 8;
    options.n_hidden = 1;
    options.epochs = 2;
    options.warmup = 2;
    assert_ok(scdc_fit(&r->model, r->items, r->crowd, &options, NULL, NULL));
    r->labels = calloc(N, sizeof *r->labels);
    r->component = calloc(N, sizeof *r->component);
    r->probability = calloc(N, sizeof *r->probability);
    assert_ok(
        scdc_predict(r->labels, r->probability, r->component, NULL, r->model, r->items, r->crowd));
    scdc_report_init(&r->report);
    r->report.model = r->model;
    r->report.labels = r->labels;
    r->report.component = r->component;
    r->report.probability = r->probability;
    r->report.data = r->items;
    r->report.crowd = r->crowd;
    r->report.truth = r->truth;
}

static void end(run *r)
{
    scdc_data_free(r->items);
    scdc_labels_free(r->truth);
    scdc_crowd_free(r->crowd);
    scdc_model_free(r->model);
    free(r->labels);
    free(r->component);
    free(r->probability);
}

/* The page as text; freed by the caller. */
static char *page_of(const scdc_report *report)
{
    const char *path = scratch_path("report.html");
    assert_ok(scdc_report_write(path, report));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct stat st;
    assert_int_equal(fstat(fileno(file), &st), 0);
    char *text = calloc((size_t)st.st_size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)st.st_size, file), st.st_size);
    fclose(file);
    remove(path);
    assert_int_equal(strlen(text), st.st_size);
    xml_check(text);
    return text;
}

static bool has(const char *text, const char *piece)
{
    return strstr(text, piece) != NULL;
}

static void test_complete_report(void **state)
{
    (void)state;
    run r;
    begin(&r);
    const char *facts[] = {"items", "<b>.npy", "seed", "1"}, *notes[] = {"<left out>"};
    const scdc_report_start starts[] = {{1, -100, -0.5, 3, 0}, {2, -90, -0.25, 4, 1}};
    r.report.source = "it's \"my\" <data>.npy";
    r.report.command = "scdc fit '<data>.npy'";
    r.report.facts = facts;
    r.report.n_facts = 2;
    r.report.notes = notes;
    r.report.n_notes = 1;
    r.report.starts = starts;
    r.report.n_starts = 2;
    char *text = page_of(&r.report);
    static const char *const ids[] = {"clusters", "truth",    "latent", "workers",
                                      "answers",  "training", "origin"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        char piece[64];
        snprintf(piece, sizeof piece, "<section id=\"%s\">", ids[i]);
        assert_int_equal(xml_occurrences(text, piece), 1);
        snprintf(piece, sizeof piece, "href=\"#%s\"", ids[i]);
        assert_int_equal(xml_occurrences(text, piece), 1);
    }
    assert_true(has(text, "<h1>Clusters of it&#39;s &quot;my&quot; &lt;data&gt;.npy</h1>"));
    assert_false(has(text, "<script>alert"));
    assert_true(has(text, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_true(has(text, "\xEF\xBF\xBD\xEF\xBF\xBD")); /* the worker who is no UTF-8 */
    assert_true(has(text, "<p class=\"note\">&lt;left out&gt;</p>"));
    assert_true(has(text, "<pre>scdc fit &#39;&lt;data&gt;.npy&#39;</pre>"));
    assert_true(has(text, "<td class=\"l\">kept</td>"));
    assert_true(has(text, "accuracy (ACC)"));
    assert_int_equal(xml_occurrences(text, "http:"), 0);
    assert_int_equal(xml_occurrences(text, "https:"), 0);
    free(text);
    end(&r);
}

static void test_what_is_missing_is_said(void **state)
{
    (void)state;
    run r;
    begin(&r);
    r.report.data = NULL;
    char *text = page_of(&r.report);
    assert_true(has(text, "The items are not at hand"));
    assert_true(has(text, "clusters contradict"));
    free(text);
    r.report.data = r.items;
    r.report.crowd = NULL;
    text = page_of(&r.report);
    assert_true(has(text, "The answers are not at hand"));
    free(text);
    r.report.labels = r.report.component = NULL;
    r.report.probability = NULL;
    r.report.crowd = r.crowd;
    text = page_of(&r.report);
    assert_true(has(text, "has placed no items yet"));
    assert_false(has(text, "<section id=\"truth\">"));
    free(text);
    end(&r);
}

static void test_refusals(void **state)
{
    (void)state;
    run r;
    begin(&r);
    const char *path = scratch_path("no.html");
    scdc_report bad = r.report;
    assert_fails(scdc_report_write(NULL, &bad), SCDC_ERR_ARGUMENT, "path");
    assert_fails(scdc_report_write(path, NULL), SCDC_ERR_ARGUMENT, "NULL");
    bad.size = 1;
    assert_fails(scdc_report_write(path, &bad), SCDC_ERR_ARGUMENT, "scdc_report_init");
    bad = r.report;
    bad.component = NULL;
    assert_fails(scdc_report_write(path, &bad), SCDC_ERR_ARGUMENT, "all three or none");
    r.labels[7] = 99;
    assert_fails(scdc_report_write(path, &r.report), SCDC_ERR_ARGUMENT, "item 7 is in cluster 99");
    r.labels[7] = 0;
    r.probability[3] = NAN;
    assert_fails(scdc_report_write(path, &r.report), SCDC_ERR_ARGUMENT, "item 3");
    r.probability[3] = .5;
    scdc_data *narrow;
    scdc_labels *few;
    assert_ok(scdc_data_pca(&narrow, r.items, 2));
    bad = r.report;
    bad.data = narrow;
    assert_fails(scdc_report_write(path, &bad), SCDC_ERR_ARGUMENT, "120 items of 4 values");
    assert_ok(scdc_labels_from_memory(&few, r.labels, 5));
    bad = r.report;
    bad.truth = few;
    assert_fails(scdc_report_write(path, &bad), SCDC_ERR_ARGUMENT, "truth has 5 labels");
    assert_int_equal(scratch_entries(), 0);
    if (full_device()) assert_int_not_equal(scdc_report_write(full_device(), &r.report), SCDC_OK);
    scdc_data_free(narrow);
    scdc_labels_free(few);
    end(&r);
}

/* The curve and the sentence of a plan, on the page and as a chart of its own. */
static void test_outlook(void **state)
{
    (void)state;
    run r;
    scdc_plan_options o;
    scdc_outlook *outlook;
    scdc_outlook_info info;
    begin(&r);
    char *without = page_of(&r.report);
    assert_false(has(without, "id=\"outlook\"") || has(without, "href=\"#outlook\""));
    scdc_plan_options_init(&o);
    o.threads = 1;
    assert_ok(scdc_plan(&outlook, r.model, r.items, r.crowd, &o));
    assert_ok(scdc_outlook_get_info(&info, outlook));
    r.report.outlook = outlook;
    char *with = page_of(&r.report);
    assert_true(has(with, "id=\"outlook\"") && has(with, "href=\"#outlook\""));
    assert_true(has(with, info.sentence) && has(with, "share of right labels"));
    assert_ok(scdc_report_figures(scratch_dir, &r.report));
    assert_int_equal(remove(scratch_path("outlook.svg")), 0);
    scdc_outlook_free(outlook);
    free(without);
    free(with);
    end(&r);
}

static void test_figures(void **state)
{
    (void)state;
    run r;
    begin(&r);
    assert_ok(scdc_report_figures(scratch_dir, &r.report));
    assert_int_equal(scratch_entries(), 7);
    static const char *const files[] = {"bound.svg",  "terms.svg",   "clusters.svg", "seconds.svg",
                                        "latent.svg", "workers.svg", "weights.svg"};
    for (size_t i = 0; i < 7; i++) assert_int_equal(remove(scratch_path(files[i])), 0);
    /* A loaded model does not know its seconds. */
    size_t epochs;
    scdc_model_epochs(r.model, &epochs);
    double *unknown = calloc(epochs, sizeof *unknown);
    for (size_t i = 0; i < epochs; i++) unknown[i] = NAN;
    r.report.seconds = unknown;
    assert_ok(scdc_report_figures(scratch_dir, &r.report));
    assert_int_equal(scratch_entries(), 6);
    assert_int_not_equal(remove(scratch_path("seconds.svg")), 0);
    free(unknown);
    r.report.seconds = NULL;
    assert_fails(scdc_report_figures(scratch_path("nowhere"), &r.report), SCDC_ERR_OUTPUT,
                 "nowhere");
    end(&r);
}

/* Answers the clusters contradict: counted, the surest first, no worker more than four times. */
static void test_disputes(void **state)
{
    (void)state;
    run r;
    report_view v;
    begin(&r);
    size_t count, contradicted = 0;
    const scdc_answer *answers = scdc_crowd_answers(r.crowd, &count);
    for (size_t i = 0; i < count; i++)
        contradicted +=
            (r.labels[answers[i].left] == r.labels[answers[i].right]) != (answers[i].same == 1);
    assert_ok(view_create(&v, &r.report));
    assert_int_equal(v.contradicted, contradicted);
    assert_true(v.n_disputes >= 1);
    size_t of_worker[4] = {0};
    for (size_t i = 0; i < v.n_disputes; i++) {
        const scdc_answer *a = &answers[v.dispute[i].answer];
        assert_true((r.labels[a->left] == r.labels[a->right]) != (a->same == 1));
        if (i) assert_true(v.dispute[i].certainty <= v.dispute[i - 1].certainty);
        assert_true(++of_worker[a->worker] <= 4);
    }
    for (size_t i = 1; i < v.n_unsure; i++)
        assert_true(r.probability[v.unsure[i]] >= r.probability[v.unsure[i - 1]]);
    /* Typical items belong to their cluster, and were read. */
    for (size_t c = 0; c < v.clusters; c++) {
        for (size_t i = 0; i < v.cluster[c].n_typical; i++) {
            size_t pick;
            assert_int_equal(r.labels[v.cluster[c].typical[i]], c);
            assert_true(view_find(&pick, &v, v.cluster[c].typical[i]));
        }
    }
    view_free(&v);
    end(&r);
}

/* ---- size ---- */

static void fill_labels(run *r, size_t items, const scdc_model *model)
{
    r->labels = calloc(items, sizeof *r->labels);
    r->component = calloc(items, sizeof *r->component);
    r->probability = calloc(items, sizeof *r->probability);
    assert_true(r->labels && r->component && r->probability);
    size_t K = model->core->spec.components;
    for (size_t i = 0; i < items; i++) {
        r->component[i] = (int64_t)(i * 31 % K);
        r->labels[i] = model->cluster_of[r->component[i]];
        if (r->labels[i] < 0) r->labels[i] = 0;
        r->probability[i] = 1 - (double)(i % 1000) / 2000;
    }
    r->report.labels = r->labels;
    r->report.component = r->component;
    r->report.probability = r->probability;
}

/* A model of few items that is told it had a million. */
/* How good the crowd is comes from all answers together (nine right of ten here, whatever the
 * estimates of single workers); probabilities of 1 are not called certain; sure items are not
 * offered as doubtful ones. */
static void test_what_is_claimed(void **state)
{
    (void)state;
    run r;
    begin(&r);
    memcpy(r.labels, scdc_labels_values(r.truth), N * sizeof *r.labels);
    for (size_t i = 0; i < N; i++) r.probability[i] = 1;
    size_t count, asked[2] = {0}, agreed[2] = {0};
    const scdc_answer *answers = scdc_crowd_answers(r.crowd, &count);
    for (size_t i = 0; i < count; i++) {
        bool same = r.labels[answers[i].left] == r.labels[answers[i].right];
        asked[same]++;
        agreed[same] += same == (answers[i].same == 1);
    }
    char claim[200];
    snprintf(claim, sizeof claim, "together %.1f\xE2\x80\xAF%% of the time",
             100. * (double)agreed[1] / (double)asked[1]);
    char *text = page_of(&r.report);
    assert_true(has(text, claim));
    assert_false(has(text, "medians"));
    assert_true(has(text, "wrong with probability over 99.9"));
    assert_false(has(text, "probability 100"));
    assert_true(has(text, "None: every item has a cluster with probability 0.990 or more"));
    free(text);
    r.probability[5] = .7;
    text = page_of(&r.report);
    assert_int_equal(xml_occurrences(text, "</bdi>: cluster "), 1);
    assert_true(has(text, "item 5</bdi>: cluster "));
    free(text);
    r.report.crowd = NULL;
    text = page_of(&r.report);
    assert_true(has(text, "(medians of the workers)"));
    free(text);
    end(&r);
}

static void test_a_million_items(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    run r;
    begin(&r);
    free(r.labels);
    free(r.component);
    free(r.probability);
    float *values = calloc(MANY, 4 * sizeof *values);
    int64_t *classes = calloc(MANY, sizeof *classes);
    assert_true(values && classes);
    for (size_t i = 0; i < MANY; i++) {
        for (size_t j = 0; j < 4; j++) values[4 * i + j] = (float)((i * 37 + j * 11) % 101) / 50;
        classes[i] = (int64_t)(i % 9);
    }
    scdc_data_free(r.items);
    scdc_labels_free(r.truth);
    assert_ok(scdc_data_from_memory(&r.items, values, SCDC_F32, MANY, 4, 0));
    assert_ok(scdc_labels_from_memory(&r.truth, classes, MANY));
    r.model->core->spec.items = MANY;
    r.report.data = r.items;
    r.report.truth = r.truth;
    fill_labels(&r, MANY, r.model);
    double start = seconds_now();
    char *text = page_of(&r.report);
    double took = seconds_now() - start;
    print_message("a million items: %zu bytes, %.2f s\n", strlen(text), took);
    assert_true(strlen(text) < 1000000);
#ifndef __SANITIZE_ADDRESS__
    assert_true(took < 3);
#endif
    assert_true(has(text, " of 1\xE2\x80\xAF"
                          "000\xE2\x80\xAF"
                          "000 items are drawn, chosen at random"));
    free(text);
    end(&r);
    free(values);
    free(classes);
}

/* Coloured noise does not compress, and there are more clusters than cards. */
static void test_pictures_within_the_budget(void **state)
{
    (void)state;
    enum { IMAGES = 600, SIDE = 40, D = 3 * SIDE * SIDE, K = 60 };
    run r = {0};
    scdc_options options;
    uint8_t *pixels = calloc(IMAGES, D);
    assert_non_null(pixels);
    uint32_t noise = 1;
    for (size_t i = 0; i < (size_t)IMAGES * D; i++) {
        noise = noise * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(noise >> 24);
    }
    assert_ok(scdc_data_from_memory(&r.items, pixels, SCDC_U8, IMAGES, D, 0));
    assert_ok(scdc_data_set_shape(r.items, 3, SIDE, SIDE));
    scdc_options_init(&options);
    options.recipe = SCDC_RECIPE_PAPER;
    options.components = K;
    options.latent = 2;
    options.hidden[0] = 4;
    options.n_hidden = 1;
    options.epochs = 1;
    assert_ok(scdc_fit(&r.model, r.items, NULL, &options, NULL, NULL));
    for (size_t k = 0; k < K; k++) r.model->cluster_of[k] = (int64_t)k;
    r.model->n_clusters = K;
    scdc_report_init(&r.report);
    r.report.model = r.model;
    r.report.data = r.items;
    fill_labels(&r, IMAGES, r.model);
    char *text = page_of(&r.report);
    print_message("noise: %zu bytes\n", strlen(text));
    assert_true(strlen(text) < 5000000);
    assert_true(xml_occurrences(text, "<article") == VIEW_CARDS);
    assert_true(xml_occurrences(text, "<img ") >= 3 * VIEW_CARDS);
    assert_int_equal(xml_occurrences(text, "<img "), xml_occurrences(text, " alt=\""));
    free(text);
    end(&r);
    free(pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete_report),
        cmocka_unit_test(test_what_is_missing_is_said),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_outlook),
        cmocka_unit_test(test_disputes),
        cmocka_unit_test(test_what_is_claimed),
        cmocka_unit_test(test_a_million_items),
        cmocka_unit_test(test_pictures_within_the_budget),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
