#include "validation/reference/effort.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands before an array: where its bytes go back to. As wide as malloc's alignment. */
struct block {
    struct effort *effort;
    size_t bytes;
};

struct effort effort_full(const volatile int *stop)
{
    return (struct effort){.stop = stop, .work = EFFORT_WORK, .memory = EFFORT_MEMORY};
}

enum status effort_spend(struct effort *effort, double work, double times)
{
    if (!effort) return STATUS_OK;
    if (effort->stop && *effort->stop) return STATUS_INTERRUPTED;
    if (!(work * times <= effort->work)) {
        effort->work_asked = EFFORT_WORK - effort->work + work * times;
        return STATUS_FAILED;
    }
    effort->work -= work;
    return STATUS_OK;
}

enum status effort_room(struct effort *effort, double bytes)
{
    if (!effort || bytes <= effort->memory) return STATUS_OK;
    effort->memory_asked = EFFORT_MEMORY - effort->memory + bytes;
    return STATUS_FAILED;
}

enum status effort_array(struct effort *effort, size_t n, size_t size, void *array)
{
    struct block *block = NULL;
    void *content = NULL;
    enum status status = STATUS_OK;
    memcpy(array, &content, sizeof content);
    TRY(effort_room(effort, (double)n * (double)size + sizeof *block));
    block = n > (SIZE_MAX - sizeof *block) / size ? NULL : calloc(1, sizeof *block + n * size);
    if (!block) TRY(STATUS_NO_MEMORY);
    *block = (struct block){effort, sizeof *block + n * size};
    if (effort) effort->memory -= (double)block->bytes;
    content = block + 1;
    memcpy(array, &content, sizeof content);
done:
    return status;
}

void effort_free(void *array)
{
    if (!array) return;
    struct block *block = (struct block *)array - 1;
    if (block->effort) block->effort->memory += (double)block->bytes;
    free(block);
}

int effort_refused(const struct effort *effort, struct message *why)
{
    if (effort && effort->memory_asked > 0.0)
        snprintf(why->text, sizeof why->text,
                 "the reference would need %.2g megabytes of memory; %.0f is the most",
                 1e-6 * effort->memory_asked, 1e-6 * EFFORT_MEMORY);
    else if (effort && effort->work_asked > 0.0)
        snprintf(why->text, sizeof why->text,
                 "the reference would take about %.2g operations; %.2g is the most", effort->work_asked,
                 EFFORT_WORK);
    else return false;
    return true;
}
