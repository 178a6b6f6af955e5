/* Programs on what the paths of a launch remember: a thread takes two paths, of which each register
 * is one 16-byte word of shared memory. All threads of a block run the same instruction, which is
 * one load for all of them; a switch finds its arithmetic, that of operations.def, so the bits are
 * the CPU's. */
#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/program_code.cuh"
#include "kernels/cuda/device/record.cuh" /* allow_shared */

/* Threads of a block: few, so that what they take of shared memory fills a multiprocessor evenly.
 */
enum { BLOCK = 64, PATHS = 2 };

/* An instruction is one word of 16 bytes; so are the values of a register on two paths. */
static_assert(sizeof(struct instruction) == sizeof(uint4), "it is loaded as four words");
static_assert(sizeof(double2) == PATHS * sizeof(double), "a thread takes two paths");

/* Blocks that follow each other take the same paths, by the n programs in turn, and find their rows
 * in the cache. */
static __global__ void __launch_bounds__(BLOCK)
    run_program(const struct device_program *programs, unsigned n, double *observed,
                const double *followed, size_t paths)
{
    extern __shared__ double2 registers[]; /* [register][thread] */
    const struct device_program program = programs[blockIdx.x % n];
    const unsigned threads = blockDim.x;
    double2 *thread_registers = registers + threadIdx.x;
    double2 *rows = reinterpret_cast<double2 *>(observed) + (size_t)(blockIdx.x / n) * threads +
                    threadIdx.x; /* [row][pair of paths] */
    const size_t row = paths / PATHS;
    const uint4 *code = reinterpret_cast<const uint4 *>(program.code);
    const auto operand = [&](unsigned name) -> double2 {
        if (name < OPERAND_INPUT)
            return thread_registers[name * threads]; /* also where there is none: it is 0 */
        if (name < OPERAND_COEFFICIENT)
            return rows[(size_t)__ldg(program.inputs + (name - OPERAND_INPUT)) * row];
        const double number = __ldg(program.coefficients + (name - OPERAND_COEFFICIENT));
        return make_double2(number, number);
    };
    for (uint4 word = __ldg(code);;) {
        const unsigned operation = word.x & 0xffff, to = word.x >> 16, at = word.w;
        const double2 a = operand(word.y & 0xffff), b = operand(word.y >> 16),
                      c = operand(word.z & 0xffff);
        double2 value;
        word = __ldg(++code); /* behind the last one there is one more */
        switch (operation) {
        case OPERATION_INPUT: value = rows[(size_t)__ldg(program.inputs + at) * row]; break;
        case OPERATION_COEFFICIENT: value.x = value.y = __ldg(program.coefficients + at); break;
#define OPERATION(NAME, name, operands, bends, text)                                               \
    case OPERATION_##NAME:                                                                         \
        value.x = operate_##name(a.x, b.x, c.x);                                                   \
        value.y = operate_##name(a.y, b.y, c.y);                                                   \
        break;
#include "models/programs/operations.def"
#undef OPERATION
        case OPERATION_DECIDE:
            if (followed) {
                const double2 *decided = reinterpret_cast<const double2 *>(followed) +
                                         (rows - reinterpret_cast<double2 *>(observed));
                value = decided[(size_t)(program.decided + at) * row];
            } else rows[(size_t)(program.decided + at) * row] = value = a;
            break;
        case OPERATION_KEEP: rows[(size_t)__ldg(program.inputs + at) * row] = a; continue;
        default: /* OPERATION_END */ rows[(size_t)program.row * row] = a; return;
        }
        thread_registers[to * threads] = value;
    }
}

cudaError_t interpret_programs(const struct program_launch *launch, int n_registers,
                               cudaStream_t stream)
{
    int most = 0;
    cudaError_t error = allow_shared(run_program, &most);
    if (error != cudaSuccess) return error;
    const size_t a_thread = sizeof(double2) * (size_t)n_registers;
    unsigned threads = BLOCK;
    while (threads > 1 && a_thread * threads > (size_t)most) threads /= 2;
    const unsigned blocks = (unsigned)(launch->paths / (PATHS * threads));
    run_program<<<blocks * launch->n, threads, a_thread * threads, stream>>>(
        launch->programs, launch->n, launch->observed, launch->followed, launch->paths);
    return cudaGetLastError();
}

static __global__ void make_price_rows(const struct price_row *prices, unsigned n, double *observed,
                                       size_t paths)
{
    const struct price_row price = prices[blockIdx.x % n];
    size_t path = (size_t)(blockIdx.x / n) * blockDim.x + threadIdx.x;
    observed[(size_t)price.row * paths + path] =
        program_exp2(observed[(size_t)price.log_row * paths + path]);
}

cudaError_t make_prices(const struct price_row *prices, int n, double *observed, size_t paths,
                        cudaStream_t stream)
{
    const unsigned threads = 256;
    if (!n) return cudaSuccess;
    make_price_rows<<<(unsigned)(paths / threads) * (unsigned)n, threads, 0, stream>>>(
        prices, (unsigned)n, observed, paths);
    return cudaGetLastError();
}

cudaError_t load_program_kernels(void)
{
    return load_kernels(run_program);
}
