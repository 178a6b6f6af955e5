/* Programs on the paths of a launch: the functions of operations.def, which the interpreter
 * (programs.cu) and the code that is compiled for a program (kernels/cuda/host/program_code.c) have
 * in common, so the bits of both are the CPU's. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_PROGRAM_CODE_CUH
#define PRICER_KERNELS_CUDA_DEVICE_PROGRAM_CODE_CUH

#include "kernels/cuda/device/shape_contract.h"
#include "models/programs/operations.h"

#define OPERATION(NAME, name, operands, bends, text)                                               \
    static __device__ __forceinline__ double operate_##name(double a, double b, double c)          \
    {                                                                                              \
        return text;                                                                               \
    }
#include "models/programs/operations.def"
#undef OPERATION

/* A program on one path, as compiled code reads and writes. */
struct program_path {
    struct device_program program;
    double *observed;       /* [row] every `paths` numbers */
    const double *followed; /* the same of the group whose decisions it takes; NULL: none */
    size_t paths;

    __device__ __forceinline__ double *row(int i) const
    {
        return observed + (size_t)__ldg(program.inputs + i) * paths;
    }
    /* No program writes what one of the same launch reads */
    __device__ __forceinline__ double input(int i) const
    {
        return __ldg(row(i));
    }
    __device__ __forceinline__ double coefficient(int i) const
    {
        return __ldg(program.coefficients + i);
    }
    __device__ __forceinline__ double decide(int i, double a) const
    {
        if (followed) return followed[(size_t)(program.decided + i) * paths];
        return observed[(size_t)(program.decided + i) * paths] = a;
    }
    __device__ __forceinline__ void keep(int i, double a) const
    {
        *row(i) = a;
    }
};

/* Runs programs that are alike: a block takes its paths by one after the other, which finds in the
 * first cache the rows that the one before has read. */
template <class CODE>
static __device__ __forceinline__ void run_alike(const struct program_launch &launch)
{
    const size_t path = (size_t)blockIdx.x * PROGRAM_BLOCK + threadIdx.x;
    for (unsigned p = blockIdx.y; p < launch.n; p += gridDim.y) {
        const struct program_path on = {launch.programs[p], launch.observed + path,
                                        launch.followed ? launch.followed + path : NULL,
                                        launch.paths};
        on.observed[(size_t)on.program.row * launch.paths] = CODE::value(on);
    }
}

#endif
