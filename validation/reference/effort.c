#include "validation/reference/effort.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands before an array: where it is owned, and where its bytes go back to. As wide as a
 * multiple of malloc's alignment. */
struct effort_block {
    struct effort *effort;
    struct effort_block *newer, *older;
    size_t bytes;
    void *object; /* of a library; NULL: none */
    void (*release)(void *object);
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
    if (asked_to_stop(effort->stop)) return STATUS_INTERRUPTED;
    if (!is_refused(effort) && !(work <= effort->work))
        effort->work_asked = EFFORT_WORK - effort->work + (work > 0.0 ? work : INFINITY);
    return is_refused(effort) ? STATUS_FAILED : STATUS_OK;
}

enum status effort_spend(struct effort *effort, double work)
{
    MUST(effort_foresee(effort, work));
    effort->work -= work;
    return STATUS_OK;
}

enum status effort_foresee_rest(struct effort *effort, double before, int done, int to_come)
{
    if (done < 16) return STATUS_OK;
    return effort_foresee(effort, (before - effort->work) / done * to_come);
}

enum status effort_room(struct effort *effort, double bytes)
{
    if (!is_refused(effort) && !(bytes <= effort->memory))
        effort->memory_asked = EFFORT_MEMORY - effort->memory + (bytes > 0.0 ? bytes : INFINITY);
    return is_refused(effort) ? STATUS_FAILED : STATUS_OK;
}

enum status effort_take(struct effort *effort, size_t n, size_t size, void *array)
{
    struct effort_block *block = NULL;
    void *content = NULL;
    memcpy(array, &content, sizeof content);
    MUST(effort_room(effort, (double)n * (double)size + sizeof *block));
    if (n <= (SIZE_MAX - sizeof *block) / size) block = calloc(1, sizeof *block + n * size);
    if (!block) return STATUS_NO_MEMORY;
    *block = (struct effort_block){
        .effort = effort, .older = effort->blocks, .bytes = sizeof *block + n * size};
    if (block->older) block->older->newer = block;
    effort->blocks = block;
    effort->memory -= (double)block->bytes;
    content = block + 1;
    memcpy(array, &content, sizeof content);
    return STATUS_OK;
}

void effort_free(void *array)
{
    if (!array) return;
    struct effort_block *block = (struct effort_block *)array - 1;
    if (block->object) block->release(block->object);
    if (block->older) block->older->newer = block->newer;
    *(block->newer ? &block->newer->older : &block->effort->blocks) = block->older;
    block->effort->memory += (double)block->bytes;
    free(block);
}

enum status effort_own(struct effort *effort, void *object, void (*release)(void *object))
{
    struct effort_block *content;
    enum status status = object ? effort_take(effort, 0, 1, &content) : STATUS_NO_MEMORY;
    if (!status) content[-1].object = object, content[-1].release = release;
    else if (object) release(object);
    return status;
}

static void free_generator(void *generator)
{
    gsl_rng_free(generator);
}

enum status effort_generator(struct effort *effort, const gsl_rng_type *type, uint64_t seed,
                             gsl_rng **generator)
{
    *generator = gsl_rng_alloc(type);
    MUST(effort_own(effort, *generator, free_generator));
    gsl_rng_set(*generator, (unsigned long)seed);
    return STATUS_OK;
}

void effort_end(struct effort *effort)
{
    while (effort->blocks) effort_free(effort->blocks + 1);
}

enum status effort_fail(struct effort *effort, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(effort->why.text, sizeof effort->why.text, format, values);
    va_end(values);
    return STATUS_FAILED;
}

bool effort_refused(struct effort *effort)
{
    if (effort->memory_asked > 0.0)
        effort_fail(effort,
                    "the reference would need at least %.3g MB of memory; its budget is %.3g MB",
                    1e-6 * effort->memory_asked, 1e-6 * EFFORT_MEMORY);
    else if (effort->work_asked > 0.0)
        effort_fail(effort, "the reference would take at least %.2g operations; its budget is %.2g",
                    effort->work_asked, EFFORT_WORK);
    return is_refused(effort);
}

void effort_forgive(struct effort *effort)
{
    effort->work_asked = effort->memory_asked = 0.0;
    effort->why.text[0] = '\0';
}
