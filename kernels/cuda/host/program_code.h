/* Programs that are alike: the same instructions, whatever they read and whatever their numbers, so
 * that one piece of code runs all of them. */
#ifndef PRICER_KERNELS_CUDA_HOST_PROGRAM_CODE_H
#define PRICER_KERNELS_CUDA_HOST_PROGRAM_CODE_H

#include "kernels/cuda/host/specialise.h"
#include "models/programs/program.h"

struct program_structure {
    const struct program *program;       /* the first of them, which outlives this */
    int number;                          /* in the order in which they were found */
    double work;                         /* instructions that they take, times the paths */
    const struct instruction *on_device; /* its instructions, as write_interpreted() has them */
    const struct known_kernel *code;     /* that is compiled of it; NULL: none is */
};

struct program_structures {
    int n, room;
    struct program_structure **list; /* [n] owned, as they are */
    void *tree;                      /* of search.h, of the same */
};

/* Finds the structure of a program, new or known. NULL without memory. */
struct program_structure *structure_find(struct program_structures *structures,
                                         const struct program *program);
void structures_free(struct program_structures *structures);

/* Writes its instructions as the interpreter of a device reads them, and one more: without the
 * loads of what operands can name. There is room for one more than the program has. */
void write_interpreted(const struct program *program, struct instruction *to);

/* Tells whether it is short enough to be compiled: else it is interpreted. */
bool program_compiles(const struct program *program);

/* Returns its code as source: a kernel called WALK, launched by blocks of PROGRAM_BLOCK. Owned by
 * the caller; NULL without memory. */
char *program_source(const struct program *program);

#endif
