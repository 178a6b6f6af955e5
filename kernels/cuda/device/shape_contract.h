/* What the host and specialised path code say to each other: compiled by both, and by the compiler
 * that runs within the program, which has no other header than those of models/. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_SHAPE_CONTRACT_H
#define PRICER_KERNELS_CUDA_DEVICE_SHAPE_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

#include "models/math/philox.h"

/* Most underlyings of a shape: its path code keeps the paths of all of them in registers. */
enum { SHAPE_UNDERLYINGS = 32 };

/* In the place of a model: the underlying's moves were made beforehand. */
enum { SHAPE_MOVED = -1 };

/* Copies of the table of normals where they are spread over the banks of shared memory:
 * normals.cuh. */
enum { SHAPE_TABLE_COPIES = 8 };

/* Where the words lie that a step makes its normals of: in registers of the path's thread, or
 * in shared memory. */
enum words_place { WORDS_IN_REGISTERS, WORDS_IN_SHARED };

/* Threads of a warp. */
enum { SHAPE_WARP = 32 };

/* Normals of a path that lie together where they are stored, as they are drawn: those of so many
 * steps. */
enum { NORMALS_TOGETHER = 4 };

/* The patterns of a shape that have code of their own, by number. */
#define SHAPE_PATTERNS(X)                                                                          \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

enum {
#define ONE(i) +1
    SHAPE_PATTERNS_MOST = 0 SHAPE_PATTERNS(ONE)
#undef ONE
};

/* An observer of no observable: the cash dividends of an underlying. */
enum { OBSERVER_DIVIDEND = -1 };

/* The observations of one observable on one underlying that differ in their date and their
 * coefficients alone; all spots of an underlying are one observer. */
struct observer {
    int kind;         /* enum observation_kind, or OBSERVER_DIVIDEND */
    int underlying;   /* of the group */
    int slot, source; /* as in struct observation; 0 where the kind has none */
    /* Which bit of a step's record says whether it looks; -1: it looks at every step */
    int calendar;
    int constant; /* first of its coefficients that are the same on all dates, among the shape's */
    int varies;   /* bit c: coefficient c is in the record */
    int record;   /* first number of its own in a step's record */
    int draws;    /* whether the number behind them names a pair of bridge normals */
};

/* The arguments of specialised path code for one market; behind them, double after double: of each
 * underlying x, v and clock today; the lower triangle of the loadings; the slots today; the
 * constant coefficients; the row of each result. Where moves are read there are no loadings, and
 * behind the rows stands, as a whole number, how many fours of moves lie before those of each
 * underlying's mover. */
struct specialised_arguments {
    /* [step][stride], of whole fours of steps: the coefficients of the step's models, of moves the
     * growths alone; in the next one's low 32 bits the calendars and in the others the number of
     * their pattern; then what observers have there */
    const double *records;
    const float *table; /* the group's lookup */
    /* [steps / NORMALS_TOGETHER][factor][path][NORMALS_TOGETHER], then from pair_row on
     * [pair / 2][path][NORMALS_TOGETHER]; NULL where paths draw them. Or moves: [mover][steps /
     * NORMALS_TOGETHER][path][NORMALS_TOGETHER] */
    const float *normals;
    double *observed; /* [row][path] */
    size_t paths;
    uint64_t first_path;
    struct philox_keys keys;
    uint32_t stream[SHAPE_UNDERLYINGS];
    int n_steps, pair_row;
};

/* A program of a group, on the device. */
struct instruction;
struct device_program {
    const struct instruction *code; /* as program_code.h writes it */
    const double *coefficients;
    const int *inputs; /* rows */
    int row, decided;
};

/* What an operand of an instruction names on the device: a register, or one of these with the
 * number of an input or of a coefficient, which is read where it is. */
enum { OPERAND_INPUT = 1 << 14, OPERAND_COEFFICIENT = 1 << 15 };

/* Programs of as many registers each, in device memory, and the rows [row][path] that they run on:
 * each writes its value to a row of its own, and its decisions; `followed` are the rows of the
 * group whose decisions they take, NULL: they make their own. The number of paths is a multiple of
 * CHUNK_PATHS. */
struct program_launch {
    const struct device_program *programs;
    double *observed;
    const double *followed;
    size_t paths;
    unsigned n;
};

/* Threads of a block of compiled programs, each for a path: a divisor of CHUNK_PATHS. */
enum { PROGRAM_BLOCK = 128 };

#endif
