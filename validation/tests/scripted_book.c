#include "validation/tests/scripted_book.h"

#include <math.h>
#include <stdio.h>

#include "validation/tests/dice.h"
#include "validation/tests/owned_trade.h"

enum { CODE_ROOM = 1 << 15, INPUT_ROOM = 4100, NUMBER_ROOM = 2048, FIXINGS = 252 };

static const int several[3] = {0, 3, 4};

/* ---- writing a program ----------------------------------------------------------------------- */

static int spare = 16; /* a register that no program written by hand uses */

static struct program *begin(struct trade *trade)
{
    trade->scripted = calloc(1, sizeof *trade->scripted);
    struct program *program = &trade->scripted->program;
    program->code = calloc(CODE_ROOM, sizeof *program->code);
    program->inputs = calloc(INPUT_ROOM, sizeof *program->inputs);
    program->coefficients = calloc(NUMBER_ROOM, sizeof *program->coefficients);
    return program;
}

static const int n_operands[N_OPERATIONS] = {
#define OPERATION(NAME, name, operands, ...) [OPERATION_##NAME] = operands,
#include "models/programs/operations.def"
#undef OPERATION
};

static void add_code(struct program *program, enum operation operation, int to, int a, int b, int c)
{
    if (to >= program->n_registers) program->n_registers = to + 1;
    program->code[program->n_instructions++] =
        (struct instruction){.operation = (uint16_t)operation,
                             .to = (uint16_t)to,
                             .a = (uint16_t)a,
                             .b = (uint16_t)b,
                             .c = (uint16_t)c};
}

/* Puts an operation; what reads the register that it writes goes by way of the spare one. */
static void put(struct program *program, enum operation operation, int to, int a, int b, int c)
{
    const int n = n_operands[operation];
    bool reads = (n > 0 && a == to) || (n > 1 && b == to) || (n > 2 && c == to);
    add_code(program, operation, reads ? spare : to, a, b, c);
    if (reads) add_code(program, OPERATION_MAX, to, spare, spare, 0);
}

static void put_at(struct program *program, enum operation operation, int to, int at)
{
    put(program, operation, to, 0, 0, 0);
    program->code[program->n_instructions - 1].at = (uint32_t)at;
}

static void put_input(struct program *program, int to, struct program_input input)
{
    int i = 0;
    while (i < program->n_inputs &&
           (program->inputs[i].kind != input.kind || program->inputs[i].asset != input.asset ||
            program->inputs[i].date != input.date))
        i++;
    if (i == program->n_inputs) program->inputs[program->n_inputs++] = input;
    put_at(program, OPERATION_INPUT, to, i);
}

static void put_spot(struct program *program, int to, int asset, double date)
{
    put_input(program, to,
              (struct program_input){.kind = INPUT_SPOT, .asset = asset, .date = date});
}

static void put_coefficient(struct program *program, int to, enum coefficient_kind kind, int index,
                            double number)
{
    program->coefficients[program->n_coefficients] =
        (struct program_coefficient){.kind = kind, .index = index, .number = number};
    put_at(program, OPERATION_COEFFICIENT, to, program->n_coefficients++);
}

static void put_number(struct program *program, int to, double number)
{
    put_coefficient(program, to, COEFFICIENT_NUMBER, 0, number);
}

/* Register 0 becomes max(sign (register 0 - strike), 0), discounted from `date`; 1 is used. */
static void put_option(struct program *program, double sign, double strike, double date)
{
    put_number(program, 1, strike);
    put(program, OPERATION_SUBTRACT, 0, 0, 1, 0);
    put_number(program, 1, sign);
    put(program, OPERATION_MULTIPLY, 0, 1, 0, 0);
    put_number(program, 1, 0.0);
    put(program, OPERATION_MAX, 0, 0, 1, 0);
    put_coefficient(program, 1, COEFFICIENT_DISCOUNT, 0, date);
    put(program, OPERATION_MULTIPLY, 0, 1, 0, 0);
}

static void end(struct program *program, int value)
{
    put(program, OPERATION_END, 0, value, 0, 0);
}

/* ---- what products pay ----------------------------------------------------------------------- */

static struct trade on_one(const char *id, int asset, int product, double strike, double expiry)
{
    struct trade trade = owned_trade(product, 1, &asset, strike, expiry);
    trade.id = strdup(id);
    return trade;
}

struct trade scripted_average(const char *id, int asset, int n, double strike, double expiry)
{
    struct trade trade = on_one(id, asset, PRODUCT_SCRIPT, strike, expiry);
    struct program *program = begin(&trade);
    put_number(program, 0, 0.0);
    for (int i = 1; i <= n; i++) {
        put_spot(program, 1, 0, expiry * i / n);
        put(program, OPERATION_EXP2, 1, 1, 0, 0);
        put(program, OPERATION_ADD, 0, 0, 1, 0);
    }
    put_number(program, 1, 1.0 / n);
    put(program, OPERATION_MULTIPLY, 0, 0, 1, 0);
    put_option(program, 1.0, strike, expiry);
    end(program, 0);
    return trade;
}

static struct trade average(const char *id, int asset, double strike, double expiry)
{
    struct trade trade = on_one(id, asset, PRODUCT_ASIAN, strike, expiry);
    trade.fixings = dates_to(expiry, FIXINGS, false);
    return trade;
}

static struct trade extreme(const char *id, int asset, enum option option, double strike)
{
    struct trade trade = on_one(id, asset, PRODUCT_LOOKBACK, strike, 0.7);
    trade.monitoring.continuous = true;
    trade.strike_type = STRIKE_FIXED;
    trade.option = option;
    return trade;
}

static struct trade scripted_option(const char *id, int asset, enum input_kind of, double sign,
                                    double strike, double expiry)
{
    struct trade trade = on_one(id, asset, PRODUCT_SCRIPT, strike, expiry);
    struct program *program = begin(&trade);
    put_input(program, 0, (struct program_input){.kind = of, .date = expiry});
    put(program, OPERATION_EXP2, 0, 0, 0, 0);
    put_option(program, sign, strike, expiry);
    end(program, 0);
    return trade;
}

static struct trade scripted_knock_out(const char *id, int asset, double strike, double barrier,
                                       double expiry)
{
    struct trade trade = on_one(id, asset, PRODUCT_SCRIPT, strike, expiry);
    struct program *program = begin(&trade);
    put_spot(program, 0, 0, expiry);
    put(program, OPERATION_EXP2, 0, 0, 0, 0);
    put_option(program, 1.0, strike, expiry);
    put_input(program, 1,
              (struct program_input){
                  .kind = INPUT_SURVIVAL, .date = expiry, .lower = 0.0, .upper = barrier});
    put(program, OPERATION_MULTIPLY, 0, 0, 1, 0);
    end(program, 0);
    return trade;
}

/* A call that is kept where the spot is below its strike half way. */
static struct trade scripted_decision(const char *id, int asset, double strike, double expiry)
{
    struct trade trade = on_one(id, asset, PRODUCT_SCRIPT, strike, expiry);
    struct program *program = begin(&trade);
    put_spot(program, 0, 0, expiry);
    put(program, OPERATION_EXP2, 0, 0, 0, 0);
    put_option(program, 1.0, strike, expiry);
    put_spot(program, 1, 0, 0.5 * expiry);
    put_number(program, 2, exact_log2(strike));
    put(program, OPERATION_LESS, 1, 1, 2, 0);
    put_at(program, OPERATION_DECIDE, 2, program->n_decisions++);
    program->code[program->n_instructions - 1].a = 1;
    put(program, OPERATION_MULTIPLY, 0, 0, 2, 0);
    end(program, 0);
    return trade;
}

static struct trade on_three(const char *id)
{
    struct trade trade = owned_trade(PRODUCT_SCRIPT, 3, several, 0.0, 1.0);
    trade.id = strdup(id);
    return trade;
}

struct trade scripted_sum(const char *id, int n, const struct program_input *inputs)
{
    struct trade trade = on_three(id);
    struct program *program = begin(&trade);
    put_number(program, 0, 0.0);
    for (int i = 0; i < n; i++) {
        put_input(program, 1, inputs[i]);
        put(program, OPERATION_ADD, 0, 0, 1, 0);
    }
    end(program, 0);
    return trade;
}

/* ---- random programs ------------------------------------------------------------------------- */

/* Puts what a register begins with. What the path shows between its dates is rare: of its slots
 * there are few. */
static void put_beginning(struct dice *dice, const struct trade *trade,
                          const struct scripted_book *book, int to)
{
    struct program *program = &trade->scripted->program;
    int asset = dice_below(dice, trade->n_assets);
    double date = trade->expiry * (1 + dice_below(dice, 12)) / 12.0;
    double spot = book->market->assets[trade_asset(trade, asset)].spot;
    struct program_input input = {.kind = INPUT_SPOT, .asset = asset, .date = date};
    switch (dice_below(dice, 8)) {
    case 0: put_coefficient(program, to, COEFFICIENT_DISCOUNT, 0, date); return;
    case 1: put_coefficient(program, to, COEFFICIENT_TODAY, asset, 0.0); return;
    case 2: put_coefficient(program, to, COEFFICIENT_LOG_TODAY, asset, 0.0); return;
    case 3: put_number(program, to, dice_real(dice, -3.0, 3.0)); return;
    case 4:
        input.kind = asset == 2 ? INPUT_LOWEST : INPUT_HIGHEST;
        input.date = trade->expiry / (asset == 2 || dice_chance(dice, 0.5) ? 1.0 : 2.0);
        break;
    case 5:
        input.kind = INPUT_SURVIVAL, input.date = trade->expiry;
        input.lower = asset == 1 ? 0.0 : 0.7 * spot;
        input.upper = asset == 2 ? HUGE_VAL : 1.4 * spot;
        break;
    default: break;
    }
    put_input(program, to, input);
}

/* Keeps a register a number that is not too large: what is none becomes one of the two ends. */
static void put_bounds(struct program *program, int to, int above, int below)
{
    put(program, OPERATION_MIN, to, to, above, 0);
    put(program, OPERATION_MAX, to, to, below, 0);
}

static struct trade random_program(struct dice *dice, const struct scripted_book *book,
                                   const char *id, bool largest)
{
    bool one = dice_chance(dice, 0.5);
    double expiry = dice_chance(dice, 0.5) ? 1.0 : 0.5;
    struct trade trade =
        one ? on_one(id, dice_below(dice, 3), PRODUCT_SCRIPT, 0.0, expiry) : on_three(id);
    struct program *program = begin(&trade);
    int registers = 3 + dice_below(dice, dice_chance(dice, 0.2) ? 200 : 20);
    if (largest) registers = PROGRAM_REGISTERS_MOST - 1;
    const int before = spare;
    spare = registers;
    int n = 10 + dice_below(dice, 150), free_ones = registers - 2;
    put_number(program, free_ones, 1e6);
    put_number(program, free_ones + 1, -1e6);
    for (int r = 0; r < free_ones; r++) put_beginning(dice, &trade, book, r);
    for (int i = 0; i < n; i++) {
        int operation = OPERATION_ADD + dice_below(dice, OPERATION_DECIDE - OPERATION_ADD);
        int to = dice_below(dice, free_ones), of[3];
        for (int j = 0; j < 3; j++)
            of[j] = j < n_operands[operation] ? dice_below(dice, registers) : 0;
        put(program, (enum operation)operation, to, of[0], of[1], of[2]);
        put_bounds(program, to, free_ones, free_ones + 1);
        if (dice_chance(dice, 0.1)) put_beginning(dice, &trade, book, dice_below(dice, free_ones));
        if (!dice_chance(dice, 0.05)) continue;
        put_at(program, OPERATION_OUTPUT, 0, program->n_outputs++);
        program->code[program->n_instructions - 1].a = (uint16_t)to;
    }
    end(program, dice_below(dice, free_ones));
    spare = before;
    return trade;
}

/* ---- the book -------------------------------------------------------------------------------- */

static void add(struct scripted_book *book, struct trade trade)
{
    book->trades[book->n_trades++] = trade;
}

void scripted_book_make(struct scripted_book *book, uint64_t seed)
{
    struct dice dice = {.state = seed};
    *book = (struct scripted_book){.n_trades = 0};
    every_product_make(&book->base, 0.0);
    book->market = &book->base.market;
    add(book, on_one("call", 0, PRODUCT_EUROPEAN, 101.0, 1.0));
    add(book, scripted_option("call as a program", 0, INPUT_SPOT, 1.0, 101.0, 1.0));
    add(book, average("average", 1, 4900.0, 1.0));
    add(book, scripted_average("average as a program", 1, FIXINGS, 4900.0, 1.0));
    add(book, extreme("lookback", 0, OPTION_CALL, 104.0));
    add(book, scripted_option("lookback as a program", 0, INPUT_HIGHEST, 1.0, 104.0, 0.7));
    add(book, extreme("lookback put", 2, OPTION_PUT, 1.0));
    add(book, scripted_option("lookback put as a program", 2, INPUT_LOWEST, -1.0, 1.0, 0.7));
    struct trade barrier = on_one("barrier", 0, PRODUCT_BARRIER, 95.0, 0.5);
    barrier.monitoring.continuous = true;
    barrier.direction = DIRECTION_UP, barrier.knock = KNOCK_OUT, barrier.barrier = 130.0;
    add(book, barrier);
    add(book, scripted_knock_out("barrier as a program", 0, 95.0, 130.0, 0.5));
    add(book, scripted_sum("nothing of a path", 0, NULL));
    add(book, scripted_average("average, shared", 1, FIXINGS, 4950.0, 1.0));
    add(book, scripted_average("average, shared too", 1, FIXINGS, 5000.0, 1.0));
    add(book, scripted_decision("call that is kept", 0, 101.0, 1.0));
    for (int i = 0; i < SCRIPTED_RANDOM; i++) {
        char id[24];
        snprintf(id, sizeof id, "random %02d", i);
        add(book, random_program(&dice, book, id, !i));
    }
}

void scripted_book_free(struct scripted_book *book)
{
    for (int i = 0; i < book->n_trades; i++) trade_free(&book->trades[i]);
    every_product_free(&book->base);
}
