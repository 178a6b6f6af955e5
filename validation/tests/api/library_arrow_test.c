/* Tables through Arrow's C interfaces: they outlive the results, have nulls where there is nothing,
 * and are released once in whatever order. Leaks are for the sanitizers and for valgrind. */
#include <pthread.h>

#include "validation/tests/api/api_run.h"

static const char text[] =
    "settings = { paths = 2048; engine = 'cpu'; check = 'none'; greeks = ['delta']; };" ONE_ASSET
        SPOT_DOWN "book = { trades = (" CALL "," AMERICAN "," REFUSED "); };";

static struct run begin(void)
{
    struct run run = price_text(open_with((struct pricer_options)PRICER_OPTIONS), text, 0, NULL);
    assert_done(run.pricer, pricer_risk(run.results));
    return run;
}

static bool is_null(const struct ArrowArray *array, int64_t row)
{
    const unsigned char *there = array->buffers[0];
    return there && !(there[row / 8] >> row % 8 & 1);
}

/* Holds an array against the column that it is of. */
static void compare(struct pricer_results *results, enum pricer_table table,
                    const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    int64_t n, nulls = 0;
    const double *numbers = pricer_column(results, table, schema->name, &n);
    const char *const *texts = pricer_text_column(results, table, schema->name, &n);
    assert_true(numbers || texts);
    assert_string_equal(schema->format, numbers ? "g" : "u");
    assert_int_equal(schema->flags, ARROW_FLAG_NULLABLE);
    assert_int_equal(array->length, pricer_table_rows(results, table));
    assert_int_equal(array->offset, 0);
    assert_int_equal(array->n_buffers, numbers ? 2 : 3);
    if (numbers && array->length) assert_ptr_equal(array->buffers[1], numbers);
    for (int64_t i = 0; i < array->length; i++) {
        const int *offsets = array->buffers[1];
        nulls += is_null(array, i);
        assert_true(is_null(array, i) == (numbers ? isnan(numbers[i]) != 0 : !texts[i]));
        if (numbers || !texts[i]) continue;
        assert_int_equal(offsets[i + 1] - offsets[i], strlen(texts[i]));
        assert_memory_equal((const char *)array->buffers[2] + offsets[i], texts[i],
                            strlen(texts[i]));
    }
    assert_int_equal(array->null_count, nulls);
}

TEST(arrays_are_the_columns)
{
    struct run run = begin();
    for (int t = PRICER_TABLE_PRICES; t <= PRICER_TABLE_KERNELS; t++) {
        struct ArrowArrayStream stream;
        struct ArrowSchema schema;
        struct ArrowArray batch;
        assert_int_equal(pricer_arrow(run.results, t, &stream), PRICER_OK);
        assert_int_equal(stream.get_schema(&stream, &schema), 0);
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        assert_string_equal(schema.format, "+s");
        assert_string_equal(schema.name, pricer_table_name(t));
        assert_int_equal(schema.n_children, pricer_table_columns(t));
        assert_int_equal(batch.n_children, schema.n_children);
        assert_int_equal(batch.null_count, 0);
        for (int c = 0; c < batch.n_children; c++) {
            assert_string_equal(schema.children[c]->name, pricer_table_column(t, c));
            compare(run.results, t, schema.children[c], batch.children[c]);
        }
        schema.release(&schema);
        batch.release(&batch);
        assert_null(schema.release);
        assert_null(batch.release);
        assert_int_equal(stream.get_next(&stream, &batch), 0);
        assert_null(batch.release); /* the end */
        assert_null(stream.get_last_error(&stream));
        stream.release(&stream);
        assert_null(stream.release);
    }
    struct ArrowArrayStream stream;
    assert_int_equal(pricer_arrow(run.results, 99, &stream), PRICER_BAD_INPUT);
    assert_null(stream.release);
    end_and_close(&run);
}

static void *release_there(void *array)
{
    ((struct ArrowArray *)array)->release(array);
    return NULL;
}

/* A column that was moved out of its batch lives on when all else is gone, and is released on
 * another thread. */
TEST(columns_outlive_the_results)
{
    struct run run = begin();
    struct ArrowArrayStream stream, unread;
    struct ArrowSchema schema, field;
    struct ArrowArray batch, ids, prices;
    int64_t n;
    double price = pricer_column(run.results, PRICER_TABLE_PRICES, "price", &n)[0];
    assert_int_equal(pricer_arrow(run.results, PRICER_TABLE_PRICES, &stream), PRICER_OK);
    assert_int_equal(pricer_arrow(run.results, PRICER_TABLE_GREEKS, &unread), PRICER_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(pricer_set_spot(run.results, "A", 120.0), PRICER_OK);
    assert_int_equal(pricer_price(run.results), PRICER_OK);
    assert_true(pricer_column(run.results, PRICER_TABLE_PRICES, "price", &n)[0] > price);
    end_and_close(&run);
    ids = *batch.children[0];
    prices = *batch.children[6];
    field = *schema.children[6];
    batch.children[0]->release = batch.children[6]->release = NULL;
    schema.children[6]->release = NULL;
    batch.release(&batch);
    schema.release(&schema);
    stream.release(&stream);
    unread.release(&unread);
    assert_string_equal(field.name, "price");
    assert_true(((const double *)prices.buffers[1])[0] == price);
    assert_true(is_null(&prices, 2) && !is_null(&prices, 1));
    assert_int_equal(prices.null_count, 1);
    assert_memory_equal(ids.buffers[2], "c", 1);
    field.release(&field);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, release_there, &prices), 0);
    ids.release(&ids);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_null(prices.release);
}

ALL_TESTS(library_arrow_test)
