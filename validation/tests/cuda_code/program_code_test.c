/* The code that is compiled for programs on a GPU, and what is interpreted there, have the bits of
 * the CPU: here the compiler of the host compiles the same text, with CUDA's words left out, and
 * runs it on the rows of paths. Exit 77 where the build has no CUDA or the machine no C++ compiler.
 */
#include <dlfcn.h>

#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA
#include "kernels/cuda/host/program_code.h"
#include "validation/tests/formulas.h"
#include "validation/tests/price_trades.h"
#include "validation/tests/scripted_book.h"

static const char cuda_words[] =
    "#include <stddef.h>\n#include <stdint.h>\n#include <math.h>\n"
    "#define __device__\n#define __global__\n#define __forceinline__ inline\n"
    "#define __launch_bounds__(n)\n#define __ldg(at) (*(at))\n"
    "struct place { unsigned x, y; };\n"
    "extern \"C\" struct place blockIdx, gridDim, threadIdx;\n"
    "struct place blockIdx, gridDim, threadIdx;\n"
    "#include \"kernels/cuda/device/program_code.cuh\"\n";

struct place {
    unsigned x, y;
};

static struct scripted_book book;
static char folder[] = "/tmp/program_code_XXXXXX";

/* Compiles the code of all structures to one library, whose functions are called code_NUMBER. */
static void *compile(const struct program_structures *structures)
{
    char path[64], command[512];
    snprintf(path, sizeof path, "%s/code.cc", folder);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(cuda_words, to);
    for (int i = 0; i < structures->n; i++) {
        char *text = program_source(structures->list[i]->program);
        assert_non_null(text);
        fprintf(to, "#define WALK code_%d\nnamespace n%d {\n%s}\n#undef WALK\n", i, i, text);
        free(text);
    }
    assert_int_equal(fclose(to), 0);
    snprintf(command, sizeof command,
             "c++ -w -O1 -fPIC -shared -ffp-contract=off -I. -o %s/code.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/code.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) print_message("%s\n", dlerror());
    assert_non_null(library);
    return library;
}

static const double *followed; /* the rows whose decisions programs take; NULL: their own */

/* Runs programs from `first` to before `end` by their code, each alone. */
static void run_code(void *library, struct program_structures *structures,
                     const struct group *group, int first, int end, double *rows, size_t paths)
{
    struct place *block = dlsym(library, "blockIdx"), *grid = dlsym(library, "gridDim"),
                 *thread = dlsym(library, "threadIdx");
    for (int p = first; p < end; p++) {
        const struct group_program *run = &group->programs[p];
        const struct device_program program = {.coefficients = run->coefficients,
                                               .inputs = run->inputs,
                                               .row = run->row,
                                               .decided = run->decided};
        const struct program_launch launch = {
            .programs = &program, .observed = rows, .followed = followed, .paths = paths, .n = 1};
        char name[32];
        void (*code)(struct program_launch launch);
        snprintf(name, sizeof name, "code_%d", structure_find(structures, run->program)->number);
        void *found = dlsym(library, name);
        assert_non_null(found);
        memcpy(&code, &found, sizeof code);
        *grid = (struct place){(unsigned)paths / PROGRAM_BLOCK, 1};
        for (block->x = 0; block->x < grid->x; block->x++)
            for (thread->x = 0; thread->x < PROGRAM_BLOCK; thread->x++) code(launch);
    }
}

/* Runs instructions as the interpreter of a device does, on one path. */
static void interpret(const struct group_program *run, const struct instruction *code, double *rows,
                      size_t paths)
{
    double registers[PROGRAM_REGISTERS_MOST] = {0};
    for (;; code++) {
        const uint16_t names[] = {code->a, code->b, code->c};
        double of[3];
        for (int k = 0; k < 3; k++)
            of[k] = names[k] >= OPERAND_COEFFICIENT
                        ? run->coefficients[names[k] - OPERAND_COEFFICIENT]
                    : names[k] >= OPERAND_INPUT
                        ? rows[(size_t)run->inputs[names[k] - OPERAND_INPUT] * paths]
                        : registers[names[k]];
        if (code->operation == OPERATION_INPUT)
            registers[code->to] = rows[(size_t)run->inputs[code->at] * paths];
        else if (code->operation == OPERATION_COEFFICIENT)
            registers[code->to] = run->coefficients[code->at];
        else if (code->operation == OPERATION_KEEP)
            rows[(size_t)run->inputs[code->at] * paths] = of[0];
        else if (code->operation == OPERATION_DECIDE)
            registers[code->to] = rows[((size_t)run->decided + code->at) * paths] = of[0];
        else if (code->operation == OPERATION_END) {
            rows[(size_t)run->row * paths] = of[0];
            return;
        } else registers[code->to] = operate(code->operation, of[0], of[1], of[2]);
    }
}

/* Runs the group's programs as the interpreter of a device does. */
static void interpret_all(const struct group *group, double *rows, size_t paths)
{
    for (int p = 0; p < group->n_programs; p++) {
        const struct group_program *run = &group->programs[p];
        const size_t n = (size_t)run->program->n_instructions;
        struct instruction *code = calloc(n + 1, sizeof *code);
        assert_non_null(code);
        write_interpreted(run->program, code);
        for (size_t i = 0; i < paths; i++) interpret(run, code, rows + i, paths);
        free(code);
    }
}

/* Forgets what programs write. */
static void forget(const struct group *group, double *rows, size_t paths)
{
    for (int p = 0; p < group->n_programs; p++) {
        const struct group_program *run = &group->programs[p];
        memset(rows + (size_t)run->row * paths, 0xff, sizeof *rows * paths);
        for (int i = 0; i < run->program->n_instructions; i++) {
            const struct instruction *code = &run->program->code[i];
            if (code->operation == OPERATION_KEEP)
                memset(rows + (size_t)run->inputs[code->at] * paths, 0xff, sizeof *rows * paths);
        }
    }
}

/* Lets a program whose value is 0 where it decides for 0 take such decisions of others. */
static void follow_others(void *library, struct program_structures *structures,
                          const struct group *group, int p, double *rows, size_t paths)
{
    const struct group_program *run = &group->programs[p];
    const size_t n = (size_t)group->n_rows * paths;
    double *others = malloc(n * sizeof *others);
    assert_non_null(others);
    memset(others, 0xff, n * sizeof *others);
    for (size_t i = 0; i < paths; i++) others[(size_t)run->decided * paths + i] = 0.0;
    followed = others;
    run_code(library, structures, group, p, p + 1, rows, paths);
    followed = NULL;
    for (size_t i = 0; i < paths; i++) assert_true(rows[(size_t)run->row * paths + i] == 0.0);
    free(others);
}

/* Compares the rows that the CPU engine makes with those of the code. */
static void compare_group(const struct plan *plan, int g, void *library,
                          struct program_structures *structures)
{
    const struct engine_options options = {.kernel = "auto"};
    const struct group *group = &plan->groups[g];
    const size_t paths = (size_t)plan->paths, n = (size_t)group->n_rows * paths;
    double *expected = malloc(n * sizeof *expected), *rows = malloc(n * sizeof *rows);
    const struct chunk_range all = {.end = plan->paths / CHUNK_PATHS, .rows = expected};
    assert_true(expected && rows);
    assert_ok(cpu_engine.observe(plan, &options, g, &all, &said));
    memcpy(rows, expected, n * sizeof *rows);
    forget(group, rows, paths);
    assert_true(!group->n_programs || memcmp(rows, expected, n * sizeof *rows));
    run_code(library, structures, group, 0, group->n_shared, rows, paths);
    run_code(library, structures, group, group->n_shared, group->n_programs, rows, paths);
    assert_memory_equal(rows, expected, n * sizeof *rows);
    forget(group, rows, paths);
    interpret_all(group, rows, paths);
    assert_memory_equal(rows, expected, n * sizeof *rows);
    for (int p = 0; p < group->n_programs; p++)
        if (group->programs[p].program->n_decisions)
            follow_others(library, structures, group, p, rows, paths);
    free(expected);
    free(rows);
}

TEST(has_the_bits_of_the_interpreter)
{
    const struct plan_settings settings = {.paths = CHUNK_PATHS, .seed = 3, .max_step = 0.1};
    struct program_structures structures = {0};
    struct plan plan;
    int programs = 0;
    scripted_book_make(&book, 1);
    plan_trades(book.market, book.n_trades, book.trades, &settings, &plan);
    for (int g = 0; g < plan.n_groups; g++)
        for (int p = 0; p < plan.groups[g].n_programs; p++, programs++)
            assert_non_null(structure_find(&structures, plan.groups[g].programs[p].program));
    assert_true(programs > SCRIPTED_RANDOM && structures.n > 10);
    void *library = compile(&structures);
    for (int g = 0; g < plan.n_groups; g++) compare_group(&plan, g, library, &structures);
    dlclose(library);
    structures_free(&structures);
    plan_free(&plan);
    scripted_book_free(&book);
}

/* Programs that differ in numbers and inputs alone are one structure. */
TEST(structures_are_instructions_alone)
{
    struct program_structures structures = {0};
    struct trade same[] = {scripted_average("a", 0, 4, 100.0, 1.0),
                           scripted_average("b", 1, 4, 90.0, 0.5),
                           scripted_average("c", 0, 5, 100.0, 1.0)};
    const struct program_structure *found[3];
    for (int i = 0; i < 3; i++) found[i] = structure_find(&structures, &same[i].scripted->program);
    assert_ptr_equal(found[0], found[1]);
    assert_ptr_not_equal(found[0], found[2]);
    assert_int_equal(structures.n, 2);
    assert_true(program_compiles(found[0]->program));
    structures_free(&structures);
    for (int i = 0; i < 3; i++) trade_free(&same[i]);
}

TEST_MAIN(program_code_test)
{
    char command[64];
    if (system("c++ --version >/dev/null 2>&1") || !mkdtemp(folder)) return 77;
    int failed = run_own_tests("program_code_test", false, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed;
}
#else
TEST_MAIN(program_code_test)
{
    return 77;
}
#endif
