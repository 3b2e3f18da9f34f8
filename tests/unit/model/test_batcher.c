/* Minibatches: every item and answer once an epoch, weights whose mean is 1, streams by name. */
#include "model/train/batcher.h"
#include "support/processes.h"

enum { ITEMS = 103, DIMS = 3, ANSWERS = 57 };

static float values[ITEMS * DIMS];
static scdc_answer answers[ANSWERS];
static scdc_data *data;

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < ITEMS * DIMS; i++) values[i] = (float)i;
    for (uint32_t a = 0; a < ANSWERS; a++) {
        /* Items 0..19 only, of very different degrees. */
        answers[a] =
            (scdc_answer){.left = a % 3, .right = 3 + a % 17, .worker = a % 4, .same = a % 2};
    }
    return scdc_data_from_memory(&data, values, SCDC_F32, ITEMS, DIMS, 0);
}

static int teardown(void **state)
{
    (void)state;
    scdc_data_free(data);
    return 0;
}

static batcher_spec spec_of(batch_plan plan, size_t batch, size_t answers_batch)
{
    return (batcher_spec){.data = data,
                          .answers = answers,
                          .n_answers = ANSWERS,
                          .plan = plan,
                          .batch = batch,
                          .answers_batch = answers_batch,
                          .input = {.scale = 2, .shift = 1},
                          .seed = 7};
}

/* The mean over an epoch of sum_rows weight * f(item) is the sum of f over all items, and likewise
 * for the answers: the estimate is unbiased, exactly. */
static void check_epoch_means(batch_plan plan, size_t batch, size_t answers_batch,
                              bool exact_answers)
{
    batcher b;
    minibatch m;
    double per_item[ITEMS] = {0}, per_answer = 0;
    batcher_spec spec = spec_of(plan, batch, answers_batch);
    assert_ok(batcher_create(&b, &spec));
    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        batcher_enter(&b, epoch, 0);
        while (batcher_next(&m, &b)) {
            assert_true(m.rows <= b.max_rows && m.answers <= b.max_answers);
            assert_true(m.answers >= 1);
            for (size_t row = 0; row < m.rows; row++) {
                per_item[m.item[row]] += m.weight[row];
                for (size_t c = 0; c < DIMS; c++) {
                    assert_close((double)m.o[row * DIMS + c],
                                 2.0 * (m.item[row] * 3.0 + (double)c) + 1, 1e-4);
                }
            }
            for (size_t s = 0; s < m.answers; s++) {
                assert_true(m.answer[s].left >= m.plain && m.answer[s].left < m.rows);
                assert_true(m.answer[s].right >= m.plain && m.answer[s].right < m.rows);
                per_answer += m.answer_weight;
            }
        }
    }
    double epochs = 3 * (double)b.steps;
    for (size_t i = 0; i < ITEMS; i++) {
        if (exact_answers || i >= 20) assert_close(per_item[i] / epochs, 1, 1e-12);
    }
    assert_close(per_answer / epochs, ANSWERS, 1e-9);
    batcher_free(&b);
}

static void epoch_means_are_exact(void **state)
{
    (void)state;
    check_epoch_means(PLAN_ITEMS, 10, 0, true);
    check_epoch_means(PLAN_ITEMS, 103, 0, true);
    check_epoch_means(PLAN_ITEMS, 1, 0, true); /* fewer answers than minibatches: one each */
    check_epoch_means(PLAN_RELATIONAL, 10, 0, true);
    check_epoch_means(PLAN_RELATIONAL, 50, 0, true);
    check_epoch_means(PLAN_RELATIONAL, 10, 9, false);
}

/* With a given number of answers per minibatch the weights of annotated items are right on average.
 */
static void relational_weights_are_unbiased(void **state)
{
    (void)state;
    batcher b;
    minibatch m;
    double per_item[ITEMS] = {0}, batches = 0;
    batcher_spec spec = spec_of(PLAN_RELATIONAL, 20, 13);
    assert_ok(batcher_create(&b, &spec));
    for (uint32_t epoch = 0; epoch < 4000; epoch++) {
        batcher_enter(&b, epoch, 0);
        while (batcher_next(&m, &b)) {
            for (size_t row = m.plain; row < m.rows; row++) per_item[m.item[row]] += m.weight[row];
            batches++;
        }
    }
    for (size_t i = 0; i < 20; i++) assert_close(per_item[i] / batches, 1, 0.05);
    batcher_free(&b);
}

/* The published weights: all items one half of N, the items of the answers the other half. */
static void halves_are_halves(void **state)
{
    (void)state;
    batcher b;
    minibatch m;
    size_t plain[ITEMS] = {0};
    batcher_spec spec = spec_of(PLAN_HALVES, 10, 7);
    assert_ok(batcher_create(&b, &spec));
    batcher_enter(&b, 2, 0);
    while (batcher_next(&m, &b)) {
        double half[2] = {0};
        assert_true(m.rows > m.plain && m.rows <= b.max_rows);
        for (size_t row = 0; row < m.rows; row++) {
            half[row >= m.plain] += m.weight[row];
            assert_true(m.weight[row] == m.weight[row < m.plain ? 0 : m.plain]);
            if (row < m.plain) plain[m.item[row]]++;
        }
        for (int i = 0; i < 2; i++) assert_close(half[i], 0.5 * ITEMS, 1e-9);
        assert_close(m.answer_weight * (double)m.answers, 0.5 * ANSWERS, 1e-9);
    }
    for (size_t i = 0; i < ITEMS; i++) assert_int_equal(plain[i], 1); /* annotated ones, too */
    batcher_free(&b);
}

/* An item that answers bring into many minibatches of an epoch is drawn anew in each: networks
 * would learn what comes again by heart. */
static void items_of_answers_are_drawn_anew(void **state)
{
    (void)state;
    enum { N = 8, D = 64 };
    uint8_t bytes[N * D];
    float unit[N * D];
    memset(bytes, 128, sizeof bytes);
    for (size_t i = 0; i < N * D; i++) unit[i] = 0.5f;
    for (int kind = 0; kind < 2; kind++) {
        scdc_data *grey;
        assert_ok(scdc_data_from_memory(&grey, kind ? (void *)unit : (void *)bytes,
                                        kind ? SCDC_F32 : SCDC_U8, N, D, 0));
        scdc_answer one = {.left = 0, .right = 1};
        batcher_spec spec = {.data = grey,
                             .answers = &one,
                             .n_answers = 1,
                             .plan = PLAN_HALVES,
                             .batch = 2,
                             .input = {.scale = kind ? 1 : 1.0f / 255, .binarise = true},
                             .seed = 3};
        batcher b;
        minibatch m;
        real seen[4][D];
        assert_ok(batcher_create(&b, &spec));
        batcher_enter(&b, 0, 0);
        for (size_t step = 0; step < 4; step++) {
            assert_true(batcher_next(&m, &b) && m.rows == 4 && m.item[2] == 0);
            memcpy(seen[step], m.o + 2 * D, sizeof seen[step]);
            uint64_t stream = row_stream(&m, 2);
            assert_true(stream != row_stream(&m, 3) && (uint32_t)stream == 0 && stream != 0);
            assert_int_equal(row_stream(&m, 0), m.item[0]);
            for (size_t past = 0; past < step; past++) {
                assert_memory_not_equal(seen[step], seen[past], sizeof seen[step]);
            }
        }
        batcher_enter(&b, 0, 2); /* the same when the epoch is entered there */
        assert_true(batcher_next(&m, &b));
        assert_memory_equal(seen[2], m.o + 2 * D, sizeof seen[2]);
        batcher_free(&b);
        scdc_data_free(grey);
    }
}

static void an_epoch_can_be_entered_anywhere(void **state)
{
    (void)state;
    batcher b, c;
    minibatch m, n;
    batcher_spec spec = spec_of(PLAN_RELATIONAL, 10, 0);
    assert_ok(batcher_create(&b, &spec));
    assert_ok(batcher_create(&c, &spec));
    batcher_enter(&b, 5, 0);
    for (int i = 0; i < 4; i++) assert_true(batcher_next(&m, &b));
    batcher_enter(&c, 5, 3);
    assert_true(batcher_next(&n, &c));
    assert_int_equal(m.rows, n.rows);
    assert_memory_equal(m.item, n.item, m.rows * sizeof *m.item);
    assert_memory_equal(m.weight, n.weight, m.rows * sizeof *m.weight);
    assert_memory_equal(m.o, n.o, m.rows * DIMS * sizeof *m.o);
    assert_memory_equal(m.answer, n.answer, m.answers * sizeof *m.answer);
    /* Another epoch has another order. */
    uint32_t first = n.item[0];
    batcher_enter(&c, 6, 3);
    assert_true(batcher_next(&n, &c));
    assert_true(n.item[0] != first || n.item[1] != m.item[1]);
    batcher_free(&b);
    batcher_free(&c);
}

static void no_answers_is_fine(void **state)
{
    (void)state;
    batcher b;
    minibatch m;
    size_t rows = 0;
    batcher_spec spec = spec_of(PLAN_RELATIONAL, 10, 0);
    spec.answers = NULL;
    spec.n_answers = 0;
    assert_ok(batcher_create(&b, &spec));
    batcher_enter(&b, 0, 0);
    while (batcher_next(&m, &b)) {
        assert_int_equal(m.answers, 0);
        rows += m.rows;
    }
    assert_int_equal(rows, ITEMS);
    batcher_free(&b);
}

/* Bytes and probabilities give the same draws; the mean of the draws is the pixel. */
static void binarised_rows_have_their_means(void **state)
{
    (void)state;
    enum { N = 40, D = 5, EPOCHS = 3000 };
    uint8_t bytes[N * D];
    float unit[N * D];
    for (size_t i = 0; i < N * D; i++) {
        bytes[i] = (uint8_t)(i * 37);
        unit[i] = (float)bytes[i] / 255;
    }
    scdc_data *a, *b;
    assert_ok(scdc_data_from_memory(&a, bytes, SCDC_U8, N, D, 0));
    assert_ok(scdc_data_from_memory(&b, unit, SCDC_F32, N, D, 0));
    batcher ba, bb;
    minibatch ma, mb;
    batcher_spec sa = {
        .data = a, .batch = 8, .input = {.scale = 1.0f / 255, .binarise = true}, .seed = 3};
    batcher_spec sb = {.data = b, .batch = 8, .input = {.scale = 1, .binarise = true}, .seed = 3};
    assert_ok(batcher_create(&ba, &sa));
    assert_ok(batcher_create(&bb, &sb));
    double sum[N * D] = {0};
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
        batcher_enter(&ba, epoch, 0);
        batcher_enter(&bb, epoch, 0);
        while (batcher_next(&ma, &ba)) {
            assert_true(batcher_next(&mb, &bb));
            assert_memory_equal(ma.o, mb.o, ma.rows * D * sizeof *ma.o);
            for (size_t i = 0; i < ma.rows * D; i++) {
                assert_true(ma.o[i] == 0 || ma.o[i] == 1);
                sum[ma.item[i / D] * D + i % D] += (double)ma.o[i];
            }
        }
    }
    for (size_t i = 0; i < N * D; i++) assert_close(sum[i] / EPOCHS, bytes[i] / 255.0, 0.05);
    batcher_free(&ba);
    batcher_free(&bb);
    scdc_data_free(a);
    scdc_data_free(b);
}

/* What processes 0 .. count - 1 draw together: weights by item, and the rows in their order. */
typedef struct drawn {
    int bad[MOST_PROCESSES];
    double weight[MOST_PROCESSES][ITEMS];
    uint64_t rows[MOST_PROCESSES][8]; /* by shard: a hash of its items, their order and weights */
} drawn;

static void draw(size_t rank, void *context)
{
    drawn *d = context;
    batcher b;
    minibatch whole;
    batcher_spec spec = spec_of(PLAN_REMEMBERED, 20, 0);
    spec.shards = 8;
    spec.annotated_batch = 6;
    spec.annotated_weight = 1;
    d->bad[rank] = batcher_create(&b, &spec) != SCDC_OK;
    if (d->bad[rank]) return;
    for (uint32_t epoch = 0; epoch < 10; epoch++) {
        batcher_enter(&b, epoch, 0);
        while (batcher_next(&whole, &b)) {
            for (size_t shard = b.begin; shard < b.end; shard++) {
                minibatch m = batcher_shard(&b, &whole, shard);
                d->bad[rank] += m.rows > b.max_rows;
                for (size_t row = 0; row < m.rows; row++) {
                    size_t item = m.item[row];
                    bool own = item >= ITEMS * shard / 8 - 1 && item <= ITEMS * (shard + 1) / 8 + 1;
                    d->bad[rank] += row < m.plain ? !own || item < 20 : item >= 20;
                    d->bad[rank] += (double)m.o[row * DIMS] != 2.0 * (double)item * 3 + 1;
                    d->weight[rank][item] += m.weight[row] / (10 * (double)b.steps);
                    d->rows[rank][shard] = d->rows[rank][shard] * 1000003 + item;
                }
            }
        }
    }
    batcher_free(&b);
}

/* Shards are the same whoever draws them, come from their own items, and their weights are fair. */
static void shards_are_dealt_out(void **state)
{
    static drawn one, many;
    (void)state;
    memset(&one, 0, sizeof one);
    run_processes(1, draw, &one);
    assert_int_equal(one.bad[0], 0);
    for (size_t i = 20; i < ITEMS; i++) assert_close(one.weight[0][i], 1, 1e-12);
    for (size_t i = 0; i < 20; i++) assert_close(one.weight[0][i], 1, 0.7);
    for (size_t count = 2; count <= 5; count++) {
        memset(&many, 0, sizeof many);
        run_processes(count, draw, &many);
        for (size_t r = 0; r < count; r++) assert_int_equal(many.bad[r], 0);
        for (size_t shard = 0; shard < 8; shard++) {
            uint64_t found = 0;
            for (size_t r = 0; r < count; r++) found += many.rows[r][shard];
            assert_true(found == one.rows[0][shard]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epoch_means_are_exact),
        cmocka_unit_test(halves_are_halves),
        cmocka_unit_test(items_of_answers_are_drawn_anew),
        cmocka_unit_test(relational_weights_are_unbiased),
        cmocka_unit_test(an_epoch_can_be_entered_anywhere),
        cmocka_unit_test(no_answers_is_fine),
        cmocka_unit_test(binarised_rows_have_their_means),
        cmocka_unit_test(shards_are_dealt_out),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
