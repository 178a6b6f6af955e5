/* What paths remember on the CUDA engine against the CPU engine, to the last bit: by every kernel
 * but `baseline`, every product, every model, baskets and antithetic paths, all chunks in one
 * launch and some of them in one of their own; and the policies of early exercise that either
 * observes for. Exit 77 where no GPU can be used. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/every_path.h"

/* Compares the rows of a group in a range of chunks, those of the CPU with those of every kernel.
 * Returns how many kernels differ. */
static int check_rows(const char *name, const struct plan *plan, int g, struct chunk_range range,
                      double *others)
{
    const struct engine_options cpu = {.kernel = "auto"};
    struct chunk_range other = {range.first, range.end, others};
    size_t n = (size_t)plan->groups[g].n_rows * (size_t)(range.end - range.first) * CHUNK_PATHS;
    int different = cpu_engine.observe(plan, &cpu, g, &range, &said) != STATUS_OK;
    for (int k = 0; cuda_engine.kernels[k].name; k++) {
        const struct engine_options options = {.kernel = cuda_engine.kernels[k].name};
        if (!strcmp(options.kernel, "baseline") || goes_as_plain(plan, g, options.kernel)) continue;
        memset(others, 0xff, n * sizeof *others);
        bool same = !cuda_engine.observe(plan, &options, g, &other, &said) &&
                    !memcmp(range.rows, others, n * sizeof *others);
        if (!same) printf("%s, group %d: %s: DIFFERENT %s\n", name, g, options.kernel, said.text);
        different += !same;
    }
    return different;
}

static int check_plan(const char *name, const struct market *market, struct plan *plan)
{
    (void)market;
    double *rows = malloc(most_rows(plan) * sizeof *rows),
           *others = malloc(most_rows(plan) * sizeof *others);
    if (!rows || !others) return 1;
    struct engine device = cuda_engine; /* which shows no paths to a fit */
    device.watch = cpu_engine.watch;
    int failed = !same_policies(&cpu_engine, &device, plan, &said);
    printf("%s: policies: %s%s\n", name, failed ? "DIFFERENT " : "equal", said.text);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct chunk_range all = {0, plan->paths / CHUNK_PATHS, rows}, some = {1, 2, rows};
        failed += check_rows(name, plan, g, all, others) + check_rows(name, plan, g, some, others);
    }
    printf("%s: rows: %s\n", name, failed ? "DIFFERENT" : "equal");
    free(rows);
    free(others);
    return failed;
}

TEST_MAIN(gpu_observe_test)
{
    if (!has_gpu()) return 77;
    int failed = check_every_path(check_plan);
    printf("%d different\n", failed);
    return failed ? 1 : 0;
}
