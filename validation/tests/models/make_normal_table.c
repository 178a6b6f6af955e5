/* Writes models/math/normal_table.h to standard output: the cubics of normal_from_bits (see
 * models/math/normal.h).
 *
 * In each segment the cubic equals z at both ends, so the whole is continuous, and its error is
 * orthogonal to 1 and v over the segment, so that the first two moments of the distribution are
 * kept. Coefficients are rounded to float from the highest down, each time solving again for those
 * below; the slope is then lowered by units in the last place until no value passes the first one
 * of the next segment, which makes the whole monotone. math_normal_test.c builds the table again
 * and compares it with the one checked in. */
#include "validation/tests/models/make_normal_table.h"

#include <stdio.h>

static void print_row(const float row[4], int last)
{
    printf("    {%af, %af, %af, %af}%s\n", (double)row[0], (double)row[1], (double)row[2],
           (double)row[3], last ? "}" : ", \\");
}

int main(void)
{
    static float table[NORMAL_ROWS][4];
    make_normal_table(table);
    printf(
        "/* Cubics of the inverse normal distribution function for normal_from_bits: written by\n"
        " * validation/tests/models/make_normal_table.c, never by hand. Row 8 b + j starts at\n"
        " * f = 2^(b-1) (1 + j/8); z = c0 + v (c1 + v (c2 + v c3)), v = f - (start of the row). "
        "Rows from\n"
        " * 256 on are f = 2^31. */\n"
        "#ifndef PRICER_MODELS_MATH_NORMAL_TABLE_H\n#define PRICER_MODELS_MATH_NORMAL_TABLE_H\n\n"
        "#define NORMAL_ROWS 264\n"
        "#define NORMAL_FIRST_ROW 1008 /* the first 12 bits, sign included, of 1/2 as a float */\n"
        "/* clang-format off */\n#define NORMAL_CUBIC_INITIALISER { \\\n");
    for (int row = 0; row < NORMAL_ROWS; row++) print_row(table[row], row + 1 == NORMAL_ROWS);
    printf(
        "/* clang-format on */\n\n/* The table for the CPU. CUDA code builds its own array of "
        "float4 from the initialiser. */\n"
        "#ifndef __CUDACC__\n"
        "static const float normal_cubic[NORMAL_ROWS][4] __attribute__((aligned(64), unused)) =\n"
        "    NORMAL_CUBIC_INITIALISER;\n\n"
        "/* Rows 192 to 255 (f from 2^23 to 2^31, all but 1/256 of the draws) by columns, for "
        "lookups in registers:\n"
        " * place p holds the row whose first 12 bits of f end in the six bits p. */\n"
        "/* clang-format off */\n"
        "static const float normal_central[4][64] __attribute__((aligned(64), unused)) = {\n");
    for (int column = 0; column < 4; column++) {
        printf("    {");
        for (int place = 0; place < 64; place++) {
            const int row =
                192 + (place - 1200 % 64 + 64) % 64; /* row 192 begins with the 12 bits 1200 */
            printf("%af%s", (double)table[row][column],
                   place == 63      ? ""
                   : place % 8 == 7 ? ",\n     "
                                    : ", ");
        }
        printf("}%s\n", column == 3 ? "};" : ",");
    }
    printf("/* clang-format on */\n#endif\n\n#endif\n");
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
