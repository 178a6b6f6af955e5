#include "app/output/about.h"

#include "kernels/engine.h"

void about_version(FILE *out)
{
    fprintf(out, "pricer %s (commit %s), engines: %scpu\n", PRICER_VERSION, PRICER_COMMIT,
            PRICER_HAVE_CUDA ? "cuda " : "");
}

/* Whether a kernel can run here, asked by a plan without paths. */
static enum status kernel_runs(const struct engine *engine, const char *kernel, struct message *why)
{
    struct plan nothing = {0};
    struct engine_options options = {.kernel = kernel, .threads = 1};
    struct engine_report report = {.total = 0.0};
    return engine_price(engine, &nothing, &options, NULL, NULL, &report, why);
}

void about_kernels(FILE *out)
{
    for (int e = 0; engines[e]; e++) {
        struct message why = {""};
        enum status ready = engines[e]->ready(&why);
        fprintf(out, "%s%s%s\n", engines[e]->name, ready ? ": cannot run here: " : "",
                ready ? why.text : "");
        for (const struct kernel_row *row = engines[e]->kernels; row->name; row++) {
            bool runs = !ready && !kernel_runs(engines[e], row->name, &why);
            fprintf(out, "  %-16s %s%s\n", row->name, row->idea,
                    runs || ready ? "" : " (cannot run here)");
        }
    }
}
