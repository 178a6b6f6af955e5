/* Whether programs jump, and by how much, by looking: between two paths that move a little at a
 * time a value that does not jump has no steps. */
#define _XOPEN_SOURCE 700
#include <glob.h>

#include "models/payoffs/scripted.h"
#include "validation/tests/script_paths.h"
#include "validation/tests/written_book.h"

enum { PAIRS = 400, PARTS = 128, HALVINGS = 36 };

/* A trade's program on the line from one path, at 0, to another, at 1. */
struct line {
    const struct program *program;
    double *ends[2], *inputs, *coefficients, *outputs;
};

static double *numbers(int n)
{
    double *made = calloc((size_t)n + 1, sizeof *made);
    assert_non_null(made);
    return made;
}

/* A path of spots that spread with time around today's; extremes are farther away. */
static void draw(const struct market *market, const struct trade *trade, uint64_t path,
                 double *inputs)
{
    const struct program *program = &trade->scripted->program;
    for (int i = 0; i < program->n_inputs; i++) {
        const struct program_input *input = &program->inputs[i];
        bool price = input->kind == INPUT_PRICE, at_date = price || input->kind == INPUT_SPOT;
        int asset = trade_asset(trade, input->asset);
        double u = script_chance(path, (uint64_t)(8 * input->asset + (at_date ? 0 : input->kind)),
                                 input->date);
        double drift = script_chance(path, (uint64_t)(100 + input->asset), 0.0);
        double sigma = asset_volatility(&market->assets[asset], 1.0) * sqrt(input->date);
        double move = at_date ? 4.0 * (drift - 0.5) + 2.0 * (u - 0.5) : 2.0 * u;
        if (input->kind == INPUT_LOWEST) move = -move;
        inputs[i] = log2(market->assets[asset].spot) + move * sigma / LN2;
        if (price) inputs[i] = exp2(inputs[i]);
        if (input->kind == INPUT_SURVIVAL) inputs[i] = u;
    }
}

static double value_at(const struct line *line, double x)
{
    for (int i = 0; i < line->program->n_inputs; i++)
        line->inputs[i] = (1.0 - x) * line->ends[0][i] + x * line->ends[1][i];
    return script_run_on(line->program, line->inputs, line->coefficients, line->outputs);
}

/* Returns the step of the value that is left where a part of the line is halved again and again. */
static double step_within(const struct line *line, double from, double to)
{
    double low = value_at(line, from), high = value_at(line, to);
    for (int i = 0; i < HALVINGS; i++) {
        double half = 0.5 * (from + to), middle = value_at(line, half);
        bool first = fabs(middle - low) > fabs(high - middle);
        if (first) to = half, high = middle;
        else from = half, low = middle;
    }
    return fabs(high - low);
}

/* Returns the largest step between some pairs of paths. No decision is taken. */
static double largest_step(const struct market *market, const struct trade *trade)
{
    const struct program *program = &trade->scripted->program;
    struct line line = {program,
                        {numbers(program->n_inputs), numbers(program->n_inputs)},
                        numbers(program->n_inputs),
                        numbers(program->n_coefficients),
                        numbers(program->n_outputs)};
    double most = 0.0;
    scripted_coefficients(market, trade, line.coefficients);
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        double before, at = 0.0, farthest = -1.0;
        for (int k = 0; k < 2; k++) draw(market, trade, 2 * pair + (uint64_t)k, line.ends[k]);
        before = value_at(&line, 0.0);
        for (int p = 1; p <= PARTS; p++) {
            double value = value_at(&line, (double)p / PARTS);
            if (fabs(value - before) > farthest)
                farthest = fabs(value - before), at = (double)p / PARTS;
            before = value;
        }
        most = fmax(most, step_within(&line, at - 1.0 / PARTS, at));
    }
    for (int k = 0; k < 2; k++) free(line.ends[k]);
    free(line.inputs);
    free(line.coefficients);
    free(line.outputs);
    return most;
}

/* Every script of the gallery: what is called smooth has no steps, and a range accrual those of one
 * fixing. */
TEST(test_gallery)
{
    glob_t books;
    int smooth = 0, jumping = 0;
    assert_int_equal(glob("inputs/gallery/*.cfg", 0, NULL, &books), 0);
    for (size_t b = 0; b < books.gl_pathc; b++) {
        struct book book;
        read_file(books.gl_pathv[b], &book);
        for (int i = 0; i < book.n_trades; i++) {
            const struct trade *trade = &book.trades[i];
            if (!trade->scripted) continue;
            const struct program *program = &trade->scripted->program;
            double step = largest_step(&book.market, trade),
                   money = binding_largest(trade_binding(trade), true);
            print_message("%s %s: jump %g, seen %g\n", books.gl_pathv[b], trade->id, program->jump,
                          step);
            if (!strcmp(trade->id, "range"))
                assert_true(step <= program->jump && step >= 0.9 * program->jump);
            smooth += !program->jumps;
            jumping += program->jumps;
            if (!program->jumps && !(step <= 1e-6 * fmax(money, 1.0)))
                fail_msg("%s: '%s' is called smooth, and jumps by %g", books.gl_pathv[b], trade->id,
                         step);
        }
        book_free(&book);
    }
    globfree(&books);
    assert_true(smooth >= 14 && jumping >= 25);
}

ALL_TESTS(script_jumps_test)
