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

/* What a column is made of, beside the numbers of the table. */
struct column_data {
    struct result_table *table; /* held */
    uint8_t *valid;             /* a bit for each row; NULL: all are */
    int32_t *offsets;           /* [n + 1] of texts */
    char *bytes;
    const void *buffers[3];
};

static void free_column(struct column_data *data)
{
    result_table_let_go(data->table);
    free(data->valid);
    free(data->offsets);
    free(data->bytes);
    free(data);
}

static void release_column(struct ArrowArray *array)
{
    free_column(array->private_data);
    array->release = NULL;
}

static bool is_valid(const struct result_table *table, int c, int64_t row)
{
    return table->texts[c] ? table->texts[c][row] != NULL : !isnan(table->numbers[c][row]);
}

/* Marks the rows that there are; returns how many there are not, -1 without memory. */
static int64_t mark_nulls(const struct result_table *table, int c, struct column_data *data)
{
    int64_t nulls = 0;
    for (int64_t i = 0; i < table->n; i++) nulls += !is_valid(table, c, i);
    if (!nulls) return 0;
    data->valid = calloc((size_t)(table->n + 7) / 8, 1);
    if (!data->valid) return -1;
    for (int64_t i = 0; i < table->n; i++)
        if (is_valid(table, c, i)) data->valid[i / 8] |= (uint8_t)(1u << i % 8);
    return nulls;
}

/* Puts texts one after the other. EOVERFLOW: they are longer than an array of texts can be. */
static int pack_texts(const struct result_table *table, int c, struct column_data *data)
{
    const char *const *texts = table->texts[c];
    size_t size = 0;
    for (int64_t i = 0; i < table->n; i++) size += texts[i] ? strlen(texts[i]) : 0;
    if (size > INT32_MAX) return EOVERFLOW;
    data->offsets = malloc(((size_t)table->n + 1) * sizeof *data->offsets);
    data->bytes = malloc(size + 1);
    if (!data->offsets || !data->bytes) return ENOMEM;
    data->offsets[0] = 0;
    for (int64_t i = 0; i < table->n; i++) {
        size_t length = texts[i] ? strlen(texts[i]) : 0;
        if (length) memcpy(data->bytes + data->offsets[i], texts[i], length);
        data->offsets[i + 1] = data->offsets[i] + (int32_t)length;
    }
    return 0;
}

static int make_column(struct result_table *table, int c, struct ArrowArray *array)
{
    bool is_text = table->form->columns[c].is_text;
    struct column_data *data = calloc(1, sizeof *data);
    if (!data) return ENOMEM;
    result_table_hold(table);
    data->table = table;
    int64_t nulls = mark_nulls(table, c, data);
    int error = nulls < 0 ? ENOMEM : is_text ? pack_texts(table, c, data) : 0;
    if (error) {
        free_column(data);
        return error;
    }
    data->buffers[0] = data->valid;
    data->buffers[1] = is_text ? (const void *)data->offsets : table->numbers[c];
    data->buffers[2] = data->bytes;
    *array = (struct ArrowArray){.length = table->n,
                                 .null_count = nulls,
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
