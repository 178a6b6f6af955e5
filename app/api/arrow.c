/* Tables of results through Arrow's C data and C stream interfaces
 * (https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html): a stream of
 * one batch. Numbers are the table's own, without a copy; what has been given away holds the table,
 * whatever becomes of the results. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/api/result_table.h"

struct stream_data {
    struct result_table *table; /* held */
    bool given;                 /* the batch */
    int error;
};

/* ---- schemas --------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
    free(schema->private_data);
    schema->release = NULL;
}

/* The children of a schema, in one piece. */
struct schema_children {
    struct ArrowSchema *list[RESULT_COLUMNS_MAX], columns[RESULT_COLUMNS_MAX];
};

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    struct stream_data *data = stream->private_data;
    const struct result_table *table = data->table;
    struct schema_children *children = calloc(1, sizeof *children);
    data->error = children ? 0 : ENOMEM;
    if (!children) return ENOMEM;
    for (int c = 0; c < table->n_columns; c++) {
        const struct table_column *column = &table->form->columns[c];
        children->columns[c] = (struct ArrowSchema){.format = column->is_text ? "u" : "g",
                                                    .name = column->name,
                                                    .flags = ARROW_FLAG_NULLABLE,
                                                    .release = release_schema};
        children->list[c] = &children->columns[c];
    }
    *schema = (struct ArrowSchema){.format = "+s",
                                   .name = table->form->name,
                                   .n_children = table->n_columns,
                                   .children = children->list,
                                   .release = release_schema,
                                   .private_data = children};
    return 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* What a column is made of, beside the numbers of the table: behind it lie a bit for each row that
 * there is, and of texts their offsets [n + 1] and bytes. */
struct column_data {
    struct result_table *table; /* held */
    const void *buffers[3];
};

static void release_column(struct ArrowArray *array)
{
    struct column_data *data = array->private_data;
    result_table_let_go(data->table);
    free(data);
    array->release = NULL;
}

/* EOVERFLOW: texts are longer than an array of texts can be. */
static int make_column(struct result_table *table, int c, struct ArrowArray *array)
{
    const char *const *texts = table->columns[c];
    const double *numbers = table->columns[c];
    bool is_text = table->form->columns[c].is_text;
    size_t n = (size_t)table->n, n_valid = 0, size = 0;
    size_t bits = (n + 63) / 64 * 8, of_offsets = is_text ? (n + 1) * sizeof(int32_t) : 0;
    for (size_t i = 0; is_text && i < n; i++) size += texts[i] ? strlen(texts[i]) : 0;
    if (size > INT32_MAX) return EOVERFLOW;
    struct column_data *data = calloc(1, sizeof *data + bits + of_offsets + size + 1);
    if (!data) return ENOMEM;
    uint8_t *valid = (uint8_t *)(data + 1);
    int32_t *offsets = (int32_t *)(valid + bits);
    char *bytes = (char *)offsets + of_offsets;
    for (size_t i = 0; i < n; i++) {
        bool there = is_text ? texts[i] != NULL : !isnan(numbers[i]);
        size_t length = is_text && there ? strlen(texts[i]) : 0;
        if (length) memcpy(bytes + offsets[i], texts[i], length);
        if (is_text) offsets[i + 1] = offsets[i] + (int32_t)length;
        valid[i / 8] |= (uint8_t)((unsigned)there << i % 8);
        n_valid += there;
    }
    result_table_hold(table);
    data->table = table;
    data->buffers[0] = n_valid < n ? valid : NULL;
    data->buffers[1] = is_text ? (const void *)offsets : numbers;
    data->buffers[2] = bytes;
    *array = (struct ArrowArray){.length = table->n,
                                 .null_count = (int64_t)(n - n_valid),
                                 .n_buffers = is_text ? 3 : 2,
                                 .buffers = data->buffers,
                                 .release = release_column,
                                 .private_data = data};
    return 0;
}

/* The children of a batch, in one piece. */
struct batch_children {
    const void *no_nulls[1];
    struct ArrowArray *list[RESULT_COLUMNS_MAX], columns[RESULT_COLUMNS_MAX];
};

/* Releases those children that were not moved elsewhere. */
static void release_batch(struct ArrowArray *batch)
{
    for (int64_t c = 0; c < batch->n_children; c++)
        if (batch->children[c]->release) batch->children[c]->release(batch->children[c]);
    free(batch->private_data);
    batch->release = NULL;
}

static int make_batch(struct result_table *table, struct ArrowArray *batch)
{
    int error = 0;
    struct batch_children *children = calloc(1, sizeof *children);
    if (!children) return ENOMEM;
    for (int c = 0; c < table->n_columns; c++) children->list[c] = &children->columns[c];
    *batch = (struct ArrowArray){.length = table->n,
                                 .n_buffers = 1,
                                 .buffers = children->no_nulls,
                                 .n_children = table->n_columns,
                                 .children = children->list,
                                 .release = release_batch,
                                 .private_data = children};
    for (int c = 0; !error && c < table->n_columns; c++)
        error = make_column(table, c, &children->columns[c]);
    if (error) release_batch(batch);
    return error;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *batch)
{
    struct stream_data *data = stream->private_data;
    *batch = (struct ArrowArray){.release = NULL};
    if (data->given) return data->error = 0;
    data->error = make_batch(data->table, batch);
    data->given = !data->error;
    return data->error;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    const struct stream_data *data = stream->private_data;
    if (!data->error) return NULL;
    return data->error == EOVERFLOW ? "the texts of a column are longer than 2 GiB"
                                    : "not enough memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    struct stream_data *data = stream->private_data;
    result_table_let_go(data->table);
    free(data);
    stream->release = NULL;
}

enum pricer_status pricer_arrow(struct pricer_results *results, enum pricer_table kind,
                                struct ArrowArrayStream *stream)
{
    struct result_table *table;
    if (stream) stream->release = NULL;
    if (pricer_begin_with(pricer_of(results), "stream", stream)) return PRICER_BAD_INPUT;
    enum status status = session_hold_table(results, kind, &table);
    if (status) return pricer_end(results->pricer, status);
    struct stream_data *data = malloc(sizeof *data);
    if (!data) {
        result_table_let_go(table);
        return pricer_end(results->pricer, STATUS_NO_MEMORY);
    }
    *data = (struct stream_data){.table = table};
    *stream = (struct ArrowArrayStream){.get_schema = stream_schema,
                                        .get_next = stream_next,
                                        .get_last_error = stream_error,
                                        .release = release_stream,
                                        .private_data = data};
    return pricer_end(results->pricer, STATUS_OK);
}
