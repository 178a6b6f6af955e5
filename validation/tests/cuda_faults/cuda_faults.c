/* The linker sends the CUDA engine's calls of the runtime here (--wrap, one for each row of
 * cuda_faults.def). A call that fails leaves its error to be read, as the runtime does. */
#include <cuda_runtime_api.h>

#include "validation/tests/fault_sweep.h"

static _Thread_local cudaError_t pending;

static cudaError_t fail(cudaError_t error)
{
    pending = error;
    return error;
}

cudaError_t __real_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    cudaError_t error = __real_cudaGetLastError();
    if (pending) error = pending;
    pending = cudaSuccess;
    return error;
}

/* Those that only some versions of the runtime have are missing in others. */
#define DECLARE(name, parameters)                                                                  \
    cudaError_t __real_##name parameters __attribute__((weak));                                    \
    cudaError_t __wrap_##name parameters;

#define CALL(name, parameters, arguments, error)                                                   \
    DECLARE(name, parameters)                                                                      \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        enum fault_verdict verdict = fault_at(#name);                                              \
        if (verdict == FAULT_FAILS) return fail(error);                                            \
        return verdict == FAULT_HIDDEN ? cudaSuccess : __real_##name arguments;                    \
    }

#define WAIT(name, parameters, arguments, error)                                                   \
    DECLARE(name, parameters)                                                                      \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        cudaError_t result = __real_##name arguments;                                              \
        return fault_at(#name) == FAULT_FAILS ? fail(error) : result;                              \
    }

#define MAKE(name, parameters, arguments, error, what)                                             \
    DECLARE(name, parameters)                                                                      \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        if (fault_at(#name) == FAULT_FAILS) return fail(error);                                    \
        cudaError_t result = __real_##name arguments;                                              \
        if (result == cudaSuccess) fault_hold(what, 1);                                            \
        return result;                                                                             \
    }

#define RELEASE(name, parameters, arguments, error, what)                                          \
    DECLARE(name, parameters)                                                                      \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        cudaError_t result = __real_##name arguments;                                              \
        if (held && result == cudaSuccess) fault_hold(what, -1);                                   \
        return fault_at(#name) == FAULT_FAILS ? fail(error) : result;                              \
    }

#include "validation/tests/cuda_faults/cuda_faults.def"
