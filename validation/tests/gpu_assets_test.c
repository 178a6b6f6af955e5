/* Groups of 1 to 32 assets, under Black and Scholes and under Heston: the GPU's tallies are the
 * CPU's to the last bit, by path code that draws its normals, by path code that reads stored ones
 * and by the plain kernel. The numbers of assets are those on both sides of what path code keeps in
 * registers. Exit 77 where no GPU can be used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/load_book.h"
#include "app/pricing/plan/plan_build.h"
#include "kernels/engine.h"

enum { PATHS = 3 * BATCH_PATHS + CHUNK_PATHS, MOST_ASSETS = 32, TRADES = 2 };

static void write_assets(FILE *to, int n, const char *model)
{
    for (int i = 0; i < n; i++)
        fprintf(to, "%s{ name = \"A%d\"; currency = \"USD\"; spot = %d.0; %s }", i ? ", " : "", i,
                90 + i, model);
    fprintf(to, " );\ncorrelations = (");
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            fprintf(to, "%s{ assets = [\"A%d\", \"A%d\"]; value = 0.5; }", i + j > 1 ? ", " : "", i,
                    j);
    fprintf(to, ");\n};\n");
}

static void write_names(FILE *to, int n)
{
    fprintf(to, "assets = [");
    for (int i = 0; i < n; i++) fprintf(to, "%s\"A%d\"", i ? ", " : "", i);
    fprintf(to, "]; ");
}

/* Writes a book of a worst-of autocallable and a basket on all of n assets. */
static void write_book(const char *path, int n, const char *model)
{
    FILE *to = fopen(path, "w");
    if (!to) abort();
    fprintf(to, "settings = { paths = 16384; max_step = 0.04; };\n"
                "market = { currencies = ( { name = \"USD\"; rate = 0.03; } );\nassets = ( ");
    write_assets(to, n, model);
    fprintf(to, "book = { trades = ( { id = \"worst\"; type = \"autocallable\"; ");
    write_names(to, n);
    fprintf(to, "notional = 100; observation_times = [0.25, 0.5, 0.75, 1.0]; call_level = 1.02; "
                "coupon = 0.03; protection_level = 0.7; expiry = 1.0; }");
    if (n > 1) {
        fprintf(to, ", { id = \"basket\"; type = \"basket\"; kind = \"average\"; ");
        write_names(to, n);
        fprintf(to, "option = \"call\"; strike = 100.0; expiry = 1.0; }");
    }
    fprintf(to, " ); };\n");
    if (fclose(to)) abort();
}

/* Returns whether a kernel of an engine prices the plan. */
static int price(const struct plan *plan, const struct engine *engine, const char *kernel,
                 struct tally *tallies)
{
    const struct engine_options options = {.kernel = kernel};
    struct engine_report report = {.kernel = ""};
    struct message why = {""};
    memset(tallies, 0, sizeof *tallies * TRADES);
    if (!engine_price(engine, plan, &options, tallies, NULL, &report, &why)) return 1;
    printf("%s: %s\n", kernel, why.text);
    return 0;
}

/* Returns how many kernels differ from the CPU on n assets of a model. */
static int test_assets(int n, const char *model)
{
    static const char *const kernels[] = {"fused:specialised", "optimized:specialised", "plain"};
    char path[] = P_tmpdir "/gpu_assets_XXXXXX";
    struct book book;
    struct plan plan;
    struct complaints complaints = {0};
    struct refusal refusals[TRADES] = {{{""}}};
    const struct plan_settings settings = {.paths = PATHS, .seed = 7, .max_step = 0.04};
    struct tally cpu[TRADES], gpu[TRADES];
    int failed = 0, file = mkstemp(path);
    if (file < 0) return 1;
    write_book(path, n, model);
    if (book_load(path, &book, &complaints)) abort();
    remove(path);
    if (plan_build(&book.market, book.n_trades, book.trades, &settings, &plan, refusals)) abort();
    failed += !price(&plan, &cpu_engine, "auto", cpu);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        int same = price(&plan, &cuda_engine, kernels[k], gpu) && !memcmp(cpu, gpu, sizeof cpu);
        printf("%2d assets, %.6s, %s: %s\n", n, model, kernels[k], same ? "equal" : "DIFFERENT");
        failed += !same;
    }
    plan_free(&plan);
    book_free(&book);
    return failed;
}

int main(void)
{
    static const int several[] = {1, 2, 5, 10, 11, 20, 21, MOST_ASSETS};
    struct message why = {""};
    int failed = 0;
    if (cuda_engine.ready(&why)) {
        printf("%s\n", why.text);
        return 77;
    }
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        failed += test_assets(several[i], "volatility = 0.25;");
    for (int n = 1; n <= 11; n += n < 10 ? 9 : 1)
        failed += test_assets(n, "model = \"heston\"; heston = { v0 = 0.04; kappa = 1.5; theta = "
                                 "0.05; xi = 0.3; rho = -0.6; };");
    printf("%d failures\n", failed);
    return failed > 0;
}
