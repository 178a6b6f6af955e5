/* Writes models/math/normal_table.h to standard output: the cubics of normal_from_bits (see
 * models/math/normal.h).
 *
 * In each segment the cubic equals z at both ends, so the whole is continuous, and its error is orthogonal to
 * 1 and v over the segment, so that the first two moments of the distribution are kept. Coefficients are
 * rounded to float from the highest down, each time solving again for those below; the slope is then lowered
 * by units in the last place until no value passes the first one of the next segment, which makes the whole
 * monotone. math_normal_test.c builds the table again and compares it with the one checked in. */
#include "make_normal_table.h"

#include <stdio.h>

static void print_row(const float row[4], int last)
{
    printf("    {%af, %af, %af, %af}%s\n", (double)row[0], (double)row[1], (double)row[2], (double)row[3],
           last ? "}" : ", \\");
}

int main(void)
{
    static float table[NORMAL_ROWS][4];
    make_normal_table(table);
    printf(
        "/* Cubics of the inverse normal distribution function for normal_from_bits: written by\n"
        " * validation/tests/make_normal_table.c, never by hand. Row 8 b + j starts at\n"
        " * f = 2^(b-1) (1 + j/8); z = c0 + v (c1 + v (c2 + v c3)), v = f - (start of the row). Rows from\n"
        " * 256 on are f = 2^31. */\n"
        "#ifndef PRICER_MODELS_MATH_NORMAL_TABLE_H\n#define PRICER_MODELS_MATH_NORMAL_TABLE_H\n\n"
        "#define NORMAL_ROWS 264\n"
        "#define NORMAL_FIRST_ROW 1008 /* the first 12 bits, sign included, of 1/2 as a float */\n"
        "/* clang-format off */\n#define NORMAL_CUBIC_INITIALISER { \\\n");
    for (int row = 0; row < NORMAL_ROWS; row++) print_row(table[row], row + 1 == NORMAL_ROWS);
    printf("/* clang-format on */\n\n/* The table for the CPU. CUDA code builds its own array of float4 from "
           "the initialiser. */\n"
           "#ifndef __CUDACC__\n"
           "static const float normal_cubic[NORMAL_ROWS][4]\n"
           "    __attribute__((aligned(64), unused)) = NORMAL_CUBIC_INITIALISER;\n#endif\n\n#endif\n");
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
