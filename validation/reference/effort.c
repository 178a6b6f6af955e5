#include "validation/reference/effort.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands before an array: where its bytes go back to. As wide as malloc's alignment. */
struct effort_block {
    struct effort *effort;
    size_t bytes;
};

struct effort effort_full(const struct stop *stop)
{
    return (struct effort){.stop = stop, .work = EFFORT_WORK, .memory = EFFORT_MEMORY};
}

static bool is_refused(const struct effort *effort)
{
    return effort->work_asked > 0.0 || effort->memory_asked > 0.0;
}

enum status effort_foresee(struct effort *effort, double work)
{
    if (!effort) return STATUS_OK;
    if (asked_to_stop(effort->stop)) return STATUS_INTERRUPTED;
    if (!is_refused(effort) && !(work <= effort->work))
        effort->work_asked = EFFORT_WORK - effort->work + (work > 0.0 ? work : INFINITY);
    return is_refused(effort) ? STATUS_FAILED : STATUS_OK;
}

enum status effort_spend(struct effort *effort, double work)
{
    enum status status = effort_foresee(effort, work);
    if (effort && !status) effort->work -= work;
    return status;
}

enum status effort_foresee_rest(struct effort *effort, double before, int done, int to_come)
{
    if (!effort || done < 16) return STATUS_OK;
    return effort_foresee(effort, (before - effort->work) / done * to_come);
}

double effort_left(const struct effort *effort)
{
    return effort ? effort->work : INFINITY;
}

enum status effort_room(struct effort *effort, double bytes)
{
    if (!effort) return STATUS_OK;
    if (!is_refused(effort) && !(bytes <= effort->memory))
        effort->memory_asked = EFFORT_MEMORY - effort->memory + (bytes > 0.0 ? bytes : INFINITY);
    return is_refused(effort) ? STATUS_FAILED : STATUS_OK;
}

enum status effort_array(struct effort *effort, size_t n, size_t size, void *array)
{
    struct effort_block *block = NULL;
    void *content = NULL;
    enum status status = STATUS_OK;
    memcpy(array, &content, sizeof content);
    TRY(effort_room(effort, (double)n * (double)size + sizeof *block));
    if (n <= (SIZE_MAX - sizeof *block) / size) block = calloc(1, sizeof *block + n * size);
    if (!block) TRY(STATUS_NO_MEMORY);
    *block = (struct effort_block){effort, sizeof *block + n * size};
    if (effort) effort->memory -= (double)block->bytes;
    content = block + 1;
    memcpy(array, &content, sizeof content);
done:
    return status;
}

void effort_free(void *array)
{
    if (!array) return;
    struct effort_block *block = (struct effort_block *)array - 1;
    if (block->effort) block->effort->memory += (double)block->bytes;
    free(block);
}

bool effort_refused(const struct effort *effort, struct message *why)
{
    if (!effort || !is_refused(effort)) return false;
    if (effort->memory_asked > 0.0)
        snprintf(why->text, sizeof why->text,
                 "the reference would need at least %.3g MB of memory; its budget is %.3g MB",
                 1e-6 * effort->memory_asked, 1e-6 * EFFORT_MEMORY);
    else
        snprintf(why->text, sizeof why->text,
                 "the reference would take at least %.2g operations; its budget is %.2g",
                 effort->work_asked, EFFORT_WORK);
    return true;
}

void effort_forgive(struct effort *effort)
{
    if (effort) effort->work_asked = effort->memory_asked = 0.0;
}
