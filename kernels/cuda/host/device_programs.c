#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/device.h"
#include "kernels/cuda/host/program_code.h"

/* Blocks of compiled programs that fill any device, some times over. */
enum { BLOCKS_FILL = 4096 };

/* ---- which there are ------------------------------------------------------------------------- */

/* Puts programs of one number of registers side by side, and of those the ones alike. */
static int compare_listed(const void *a, const void *b)
{
    const struct listed_program *x = a, *y = b;
    int registers_x = x->structure->program->n_registers,
        registers_y = y->structure->program->n_registers;
    if (registers_x != registers_y) return registers_x < registers_y ? -1 : 1;
    int n_x = x->structure->number, n_y = y->structure->number;
    if (n_x != n_y) return n_x < n_y ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

enum status list_programs(struct device *device, const struct group *group,
                          struct device_layout *layout)
{
    const size_t n = (size_t)group->n_programs, n_shared = (size_t)group->n_shared;
    layout->listed = calloc(n + 1, sizeof *layout->listed);
    if (!layout->listed) return STATUS_NO_MEMORY;
    for (size_t p = 0; p < n; p++) {
        struct listed_program *listed = &layout->listed[p];
        listed->run = &group->programs[p];
        struct program_structure *structure =
            structure_find(&device->structures, listed->run->program);
        if (!structure) return STATUS_NO_MEMORY;
        structure->work += (double)listed->run->program->n_instructions *
                           (double)range_paths(device->plan, &device->range);
        listed->structure = structure;
    }
    qsort(layout->listed, n_shared, sizeof *layout->listed, compare_listed);
    qsort(layout->listed + n_shared, n - n_shared, sizeof *layout->listed, compare_listed);
    return STATUS_OK;
}

/* ---- where they lie -------------------------------------------------------------------------- */

void put_instructions(struct device *device)
{
    for (int i = 0; i < device->structures.n; i++) {
        struct program_structure *structure = device->structures.list[i];
        const struct input_place place =
            take_input(device, sizeof *structure->on_device *
                                   ((size_t)structure->program->n_instructions + 1));
        structure->on_device = place.device;
        if (place.host) write_interpreted(structure->program, place.host);
    }
}

void put_programs(struct device *device, const struct group *group, struct device_layout *layout)
{
    const struct input_place place =
        take_input(device, sizeof *layout->programs * (size_t)group->n_programs);
    struct device_program *programs = place.host;
    layout->programs = place.device;
    for (int p = 0; p < group->n_programs; p++) {
        const struct group_program *run = layout->listed[p].run;
        struct device_program program = {.code = layout->listed[p].structure->on_device,
                                         .row = run->row,
                                         .decided = run->decided};
        program.coefficients = PUT_INPUT(device, run->coefficients, run->program->n_coefficients);
        program.inputs = PUT_INPUT(device, run->inputs, run->program->n_inputs);
        if (programs) programs[p] = program;
    }
}

/* ---- running them ---------------------------------------------------------------------------- */

/* Runs programs that are alike by their code. Of few paths several blocks take the same ones, by
 * different programs. */
static cudaError_t launch_code(const void *kernel, const struct program_launch *launch,
                               cudaStream_t stream)
{
    struct program_launch argument = *launch;
    void *arguments[] = {&argument};
    unsigned blocks = (unsigned)(launch->paths / PROGRAM_BLOCK), beside = BLOCKS_FILL / blocks + 1;
    dim3 grid = {blocks, beside < launch->n ? beside : launch->n, 1},
         threads = {PROGRAM_BLOCK, 1, 1};
    return cudaLaunchKernel(kernel, grid, threads, arguments, 0, stream);
}

cudaError_t run_programs(const struct listed_program *listed, int n,
                         const struct program_launch *first, cudaStream_t stream)
{
    struct program_launch launch = *first;
    cudaError_t error = cudaSuccess;
    for (int i = 0, end; i < n && error == cudaSuccess; i = end) {
        const struct program_structure *structure = listed[i].structure;
        const void *kernel = kernel_now(structure->code);
        const int n_registers = structure->program->n_registers;
        for (end = i + 1; end < n; end++) {
            const struct program_structure *next = listed[end].structure;
            if (next == structure) continue;
            if (kernel || next->program->n_registers != n_registers || kernel_now(next->code))
                break;
        }
        launch.programs = first->programs + i;
        launch.n = (unsigned)(end - i);
        error = kernel ? launch_code(kernel, &launch, stream)
                       : interpret_programs(&launch, n_registers, stream);
    }
    return error;
}
