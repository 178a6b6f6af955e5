/* What a GPU can do at most, and what each kind of its memory and each way to use it costs on the
 * same paths (docs/ladder.md):
 *
 *     memory_guide [GPU [FILE.csv]]
 *
 * Exit status: 0; 1 where the paths of some way are not those of the first; 3 where the machine
 * failed; 77 where there is no GPU. */
#include <stdio.h>
#include <stdlib.h>

#include "validation/bench/ceilings.h"
#include "validation/bench/guide_setup.h"

/* Double precision operations of a step of the arithmetic Asian, a fused multiply-add counted once
 * as the pipe does: path_exp2 has 3 additions and 8 fma, black_scholes_move 1 addition and 1 fma,
 * the sum 1 addition. */
enum { ASIAN_FP64 = 3 + 8 + 1 + 1 + 1 };

static enum status measure(struct ceilings *ceilings, struct guide_setup *setup,
                           struct message *why)
{
    enum status status = STATUS_OK;
    TRY(measure_ceilings(ceilings, why));
    TRY(guide_prepare(setup, why));
    TRY(guide_copies(setup, why));
    TRY(guide_coefficients(setup, why));
    TRY(guide_batches(setup, why));
done:
    guide_release(setup);
    return status;
}

/* Shows them in billions of path-steps of the ladder's option, too, which --bench counts. */
static void show_ceilings(const char *device, const struct ceilings *ceilings)
{
    printf(
        "%s: reads %.0f GB/s, which is %.0f G path-steps/s of normals stored as double, %.0f as "
        "float;\n%.2f T fma/s in double precision, which is %.0f G path-steps/s of %d operations "
        "(arithmetic Asian)\n\n",
        device, 1e-9 * ceilings->read_bytes, 1e-9 * ceilings->read_bytes / sizeof(double),
        1e-9 * ceilings->read_bytes / sizeof(float), 1e-12 * ceilings->fma,
        1e-9 * ceilings->fma / ASIAN_FP64, ASIAN_FP64);
}

static void show_row(const struct guide_row *row)
{
    char rate[16] = "-";
    if (row->bytes > 0.0) snprintf(rate, sizeof rate, "%.4g", 1e-9 * row->bytes / row->seconds);
    if (row->disagrees) printf("DISAGREES %s: its paths differ\n", row->name);
    else
        printf("%-24s %9.5g %8s %6.2f  %s\n", row->name, 1e3 * row->seconds, rate, row->ratio,
               row->remark);
}

/* Returns whether all ways agree. */
static bool show(const char *device, const struct ceilings *ceilings,
                 const struct guide_setup *setup)
{
    bool agree = true;
    show_ceilings(device, ceilings);
    printf("%-24s %9s %8s %6s  %s\n", "memory", "ms", "GB/s", "ratio", "what was done");
    for (int i = 0; i < setup->n; i++) {
        show_row(&setup->rows[i]);
        agree = agree && !setup->rows[i].disagrees;
    }
    return agree;
}

/* Writes the file that scripts/plot-ladder reads beside that of `pricer --bench=ladder`. */
static bool write_csv(const char *path, const char *device, const struct ceilings *ceilings,
                      const struct guide_setup *setup)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file,
            "device,what,kernel,total_s,ratio,bytes_per_s,fp64_per_s,fp64_a_step,message\n"
            "\"%s\",ceiling,read,,,%.17g,,,\n\"%s\",ceiling,fma,,,,%.17g,%d,\n",
            device, ceilings->read_bytes, device, ceilings->fma, ASIAN_FP64);
    for (int i = 0; i < setup->n; i++) {
        const struct guide_row *row = &setup->rows[i];
        if (row->disagrees) continue;
        fprintf(file, "\"%s\",memory,%s,%.17g,%.17g,", device, row->name, row->seconds, row->ratio);
        if (row->bytes > 0.0) fprintf(file, "%.17g", row->bytes / row->seconds);
        fprintf(file, ",,,\"%s\"\n", row->remark);
    }
    bool written = !ferror(file);
    return !fclose(file) && written;
}

int main(int argc, char **argv)
{
    static struct guide_setup setup;
    struct ceilings ceilings;
    struct cudaDeviceProp properties;
    struct message why = {""};
    int device = argc > 1 ? atoi(argv[1]) : 0, present = 0;
    if (cudaGetDeviceCount(&present) || !present) {
        printf("skipped: there is no GPU\n");
        return 77;
    }
    if (cudaSetDevice(device) || cudaGetDeviceProperties(&properties, device)) {
        fprintf(stderr, "memory_guide: GPU %d: %s\n", device,
                cudaGetErrorString(cudaGetLastError()));
        return 3;
    }
    if (measure(&ceilings, &setup, &why)) {
        fprintf(stderr, "memory_guide: %s\n", why.text[0] ? why.text : "not enough memory");
        return 3;
    }
    bool agree = show(properties.name, &ceilings, &setup);
    if (argc > 2 && !write_csv(argv[2], properties.name, &ceilings, &setup)) {
        fprintf(stderr, "memory_guide: cannot write %s\n", argv[2]);
        return 3;
    }
    return agree ? 0 : 1;
}
