/* Programs of scripts against a direct walk of their trees: of products, of scripts by chance, of
 * trades that have been running; and what the compiler refuses. */
#include "validation/tests/test.h"

#include "models/market/days.h"
#include "models/programs/policy.h"
#include "models/scripts/compile.h"
#include "models/scripts/library.h"
#include "validation/tests/random_script.h"
#include "validation/tests/script_paths.h"
#include "validation/tests/scripts/direct_walk.h"

/* A script, what a trade gives it, and its program; the next begin() frees them. */
static struct {
    struct script script;
    struct binding binding;
    struct program program;
    struct script_past past;
    struct message why;
    enum status status;
    int paying; /* paths of compare() that are worth anything */
} made;

/* Reads a script and binds it by chance, to a past as well or to what is ahead alone. */
static void begin(const char *text, uint64_t seed, bool past)
{
    struct script_errors errors;
    program_free(&made.program);
    script_past_free(&made.past);
    binding_free(&made.binding);
    script_free(&made.script);
    memset(&made, 0, sizeof made);
    if (script_read(text, strlen(text), &made.script, &errors) != STATUS_OK)
        fail_msg("line %d: %s in\n%s", errors.n ? errors.list[0].place.line : 0,
                 errors.n ? errors.list[0].text : "no memory", text);
    assert_ok(random_binding(seed, &made.script, past, &made.binding));
    int n = made.binding.n_assets;
    for (int p = 0; p < made.script.n_parameters; p++) { /* a day has one close */
        struct bound *bound = &made.binding.bound[p];
        for (int i = 0; bound->closes && i < n * bound->n; i++)
            bound->closes[i] =
                70.0 + 60.0 * script_chance((uint64_t)(i % n), 99, bound->values[i / n]);
    }
}

static struct bound *bound_of(const char *name)
{
    for (int i = 0; i < made.script.n_parameters; i++)
        if (!strcmp(made.script.symbols[i].name, name)) return &made.binding.bound[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

/* Gives a parameter n values. */
static void give(const char *name, int n, const double *values)
{
    struct bound *bound = bound_of(name);
    if (bound->closes && n > bound->n) { /* of as many dates */
        bound->closes = realloc(bound->closes, sizeof *values * (size_t)(4 * n + 1));
        assert_non_null(bound->closes);
        for (int i = 4 * bound->n + 1; i <= 4 * n; i++) bound->closes[i] = NAN;
    }
    bound->n = n;
    bound->values = realloc(bound->values, (size_t)n * sizeof *values);
    assert_non_null(bound->values);
    memcpy(bound->values, values, (size_t)n * sizeof *values);
}

static void give_one(const char *name, double value)
{
    give(name, 1, &value);
}

static void compile(void)
{
    made.status = script_compile(&made.binding, &made.program, &made.past, &made.why);
    if (made.status == STATUS_OK && program_verify(&made.program, &made.why) != STATUS_OK)
        fail_msg("%s", made.why.text);
}

static void compile_well(void)
{
    compile();
    if (made.status != STATUS_OK) fail_msg("%s: %s", made.script.name, made.why.text);
}

/* Compares program and walk on some paths. Returns on how many the walk was sure. */
static int compare(uint64_t seed, int paths, double tolerance)
{
    double paid = 0.0;
    int sure = 0;
    double *outputs = calloc((size_t)made.program.n_outputs + 1, sizeof *outputs);
    assert_non_null(outputs);
    for (int i = 0; i < made.past.n_payments; i++) paid += made.past.payments[i].amount;
    for (int path = 0; path < paths; path++) {
        double value = script_run(&made.program, seed, (uint64_t)path, outputs);
        struct direct direct = {.binding = &made.binding,
                                .program = &made.program,
                                .outputs = outputs,
                                .seed = seed,
                                .path = (uint64_t)path};
        direct_walk(&direct);
        made.paying += value != 0.0;
        if (direct.close) continue;
        double room = tolerance * fmax(direct.most, 1.0);
        sure++;
        if (!(fabs(value - direct.value) <= room) || !(fabs(paid - direct.paid) <= room) ||
            !(direct.wrong <= tolerance))
            fail_msg("seed %llu, path %d: %.17g, walked %.17g; paid %.17g, walked %.17g; outputs "
                     "differ by %g\n%s",
                     (unsigned long long)seed, path, value, direct.value, paid, direct.paid,
                     direct.wrong, made.script.text);
    }
    free(outputs);
    return sure;
}

/* ---- products */

static const char callable_phoenix[] =
    "product callable_phoenix(assets basket; dates observations; date expiry;\n"
    "    number coupon, coupon_at, knock_in, initial[basket] = spot; money notional)\n"
    "  number missed = 0\n"
    "  flag knocked = false\n"
    "  each t in observations\n"
    "    worst = min(a(t) / initial[a] for a in basket)\n"
    "    if worst <= knock_in: knocked = true\n"
    "    missed = missed + 1\n"
    "    if worst >= coupon_at: pay notional * coupon * missed; missed = 0\n"
    "    exercise issuer pays notional\n"
    "  at expiry\n"
    "    worst = min(a(expiry) / initial[a] for a in basket)\n"
    "    pay notional * (min(worst, 1) if knocked else 1)\n";

static const char american[] =
    "product american(asset s; dates decided; date expiry; number strike)\n"
    "  each t in decided\n"
    "    exercise holder pays max(strike - s(t), 0)\n"
    "  at expiry\n"
    "    pay max(strike - s(expiry), 0)\n";

/* What no script of the library does, or not all of it. */
static const char *const products[] = {
    AUTOCALLABLE_SCRIPT,
    callable_phoenix,
    american,

    "product watched_all_the_time(asset s; date expiry; number strike; money rebate)\n"
    "  at expiry\n"
    "    alive = survives(s, lower = 60, upper = 140, until = expiry)\n"
    "    pay alive * max(s(expiry) - strike, 0) + (1 - alive) * rebate\n"
    "    pay highest(s, expiry) - lowest(s, expiry)\n",

    "product nested(assets basket; dates days; date expiry; number initial[basket] = spot)\n"
    "  number kept[days] = 0\n"
    "  number u = 0\n"
    "  each t in days\n"
    "    kept[t] = sum(a(t) / initial[a] for a in basket where index(a) > 1 or first(t))\n"
    "    if kept[t] > 1\n"
    "      if kept[t] > 2: u = u + 1\n"
    "      else if kept[t] > 1.5\n"
    "        u = u * 2; pay u\n"
    "      else: u = 0.5\n"
    "      if any(a(t) / initial[a] > 1.3 for a in basket): pay u; stop\n"
    "    else\n"
    "      u = u - 0.25\n"
    "  at expiry\n"
    "    pay sum(kept[t] ^ 2 for t in days where not last(t)) - product(kept[t] for t in days)\n"
    "    pay normal(u) + exp(-u) + sqrt(abs(u)) + mean(kept[t] for t in days where kept[t] > 1)\n",

    "product tie(asset s; dates days; date start, expiry; number strike)\n"
    "  each t in days\n"
    "    if s(t) / s(previous(t, start)) >= 1: pay 1\n"
    "    if years(start, t) > 0.5 and t < expiry: pay -abs(s(t) - s(start)) * 0.5 ^ index(t)\n"
    "  at expiry\n"
    "    pay (s(expiry) / strike) ^ 2.5 + (s(expiry) - strike) ^ 3 / 1000\n",
};

/* Numbers of the library that are prices, or fractions called strike: binding them by chance gives
 * 0.6 to 1.4, and 60 to 140 to a strike. */
static void scale_numbers(void)
{
    static const struct {
        const char *name;
        double factor;
    } prices[] = {{"lower", 85.0},    {"upper", 110.0},          {"barrier", 90.0},
                  {"knock_in", 95.0}, {"knock_out", 115.0},      {"lowest_before", 90.0},
                  {"target", 10.0},   {"highest_before", 110.0}, {"trigger", 105.0},
                  {"weights", 0.35}};
    for (int i = 0; i < made.script.n_parameters; i++) {
        const struct script_symbol *symbol = &made.script.symbols[i];
        double factor = symbol->fraction && strstr(symbol->name, "strike") ? 0.01 : 1.0;
        for (size_t k = 0; k < sizeof prices / sizeof *prices; k++)
            if (!symbol->fraction && !strcmp(symbol->name, prices[k].name))
                factor = prices[k].factor;
        for (int k = 0; k < made.binding.bound[i].n && symbol->kind == SYMBOL_NUMBER; k++)
            made.binding.bound[i].values[k] *= factor;
    }
}

static void compare_product(const char *text)
{
    int sure = 0, paying = 0, bindings = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        /* what is watched all the time knows nothing of what was before today */
        begin(text, seed, seed % 2 && !strstr(text, "survives") && !strstr(text, "est(underlying"));
        scale_numbers();
        compile();
        if (made.status == STATUS_OK) {
            sure += compare(seed, 20, 2e-11);
            paying += made.paying;
            bindings++;
        } else if (!strstr(made.why.text, "is no number") && /* of no fixing before a payment */
                   !strstr(made.why.text, "ends before it begins")) {
            fail_msg("%s: %s", made.script.name, made.why.text);
        }
    }
    if (bindings < 4 || sure < 8 * bindings || paying < bindings)
        fail_msg("%d bindings, %d paths could be told, %d pay of\n%s", bindings, sure, paying,
                 text);
}

TEST(test_products)
{
    for (size_t p = 0; p < sizeof products / sizeof products[0]; p++) compare_product(products[p]);
    for (int i = 0; i < n_library_scripts; i++) compare_product(library_scripts[i].text);
}

TEST(test_by_chance)
{
    static char text[RANDOM_SCRIPT_MOST];
    int sure = 0, refused = 0, n = 2000;
    for (uint64_t seed = 0; seed < (uint64_t)n; seed++) {
        random_script(seed, text);
        begin(text, seed, seed % 2);
        compile();
        if (made.status == STATUS_OK) sure += compare(seed, 4, 1e-10);
        /* what is left: a start that is fixed today, in blocks of the past */
        else if (!strstr(made.why.text, "spot of today"))
            fail_msg("seed %d: %s", (int)seed, made.why.text);
        else refused++;
    }
    assert_true(sure > 3 * n);
    assert_true(refused < n / 8);
}

/* ---- what programs are */

TEST(test_thousand_strikes)
{
    double dates[1000], strikes[1000];
    begin("product strip(asset s; dates d; date expiry; number strike[d])\n"
          "  at expiry\n"
          "    pay sum(max(s(expiry) - strike[t], 0) for t in d)\n",
          1, false);
    for (int i = 0; i < 1000; i++) dates[i] = (i + 1) * 1e-4, strikes[i] = 50 + 0.1 * i;
    give("d", 1000, dates);
    give("strike", 1000, strikes);
    compile_well();
    assert_int_equal(made.program.n_inputs, 1);
    assert_true(made.program.n_registers < 8);
    assert_true(made.program.n_instructions < 4100);
    assert_true(made.program.one_way && !made.program.jumps);
    assert_int_equal(compare(1, 20, 1e-11), 20);
}

static int count_of(const struct program *program, enum operation operation)
{
    int n = 0;
    for (int i = 0; i < program->n_instructions; i++) n += program->code[i].operation == operation;
    return n;
}

/* Compiles what is paid at the expiry of an asset s, where k is 101.5. */
static void compile_payment(uint64_t seed, const char *pays)
{
    char text[400];
    snprintf(text, sizeof text, "product p(asset s; date expiry; number k)\n  at expiry\n    %s\n",
             pays);
    begin(text, seed, false);
    give_one("k", 101.5);
    compile_well();
}

/* What a program is known to be, and what it is made of. */
TEST(test_kinds)
{
    static const struct {
        const char *pays;
        bool jumps, one_way;
        enum operation operation; /* how many of these */
        int n;
    } rows[] = {
        {"pay max(s(expiry) - k, 0)", false, true, OPERATION_EXP2, 0},
        {"pay s(expiry) - k", false, false, OPERATION_INPUT, 1},
        {"pay 5 if s(expiry) > k else 0", true, true, OPERATION_EXP2, 0},
        {"pay s(expiry) if s(expiry) < k else k", false, true, OPERATION_MIN, 1},
        {"pay k * max(s(expiry) / spot(s), 0)", false, true, OPERATION_MAX, 0},
        {"if s(expiry) > k and s(expiry) > 0: pay 3", true, true, OPERATION_LESS, 1},
        {"if s(expiry) > -1: pay 3", false, true, OPERATION_LESS, 0},
        {"pay 2 * s(expiry) + s(expiry) * 3", false, true, OPERATION_INPUT, 1},
        {"pay (s(expiry) ^ 2) ^ 0.5 / s(expiry)", false, true, OPERATION_SQRT, 0},
        {"pay 0 * k; pay 0 if k > 0 else s(expiry)", false, true, OPERATION_COEFFICIENT, 1},
        {"pay s(expiry) if s(expiry) > k else k", false, true, OPERATION_MAX, 1},
        {"x = s(expiry) - k; y = x if x >= 3 else 3; pay y", false, true, OPERATION_MAX_SUBTRACT,
         1},
        {"x = s(expiry) - k; pay max(x, 3) + x", false, false, OPERATION_MAX_SUBTRACT, 0},
        {"pay min(max(s(expiry), 90), 110)", false, true, OPERATION_MIN_MAX, 1},
        {"pay 2 if s(expiry) < 90 or s(expiry) >= k else 0", true, true, OPERATION_OR_LESS_EQUAL,
         1},
        {"x = s(expiry) >= k; y = 1 if s(expiry) < 90 else (1 if x else 0); pay y", true, true,
         OPERATION_SELECT, 0},
        {"x = s(expiry) - k; y = 3 if x >= 3 else x; pay y", false, false, OPERATION_MIN, 1},
        {"pay min(inf, s(expiry)) + max(s(expiry), -inf)", false, true, OPERATION_MIN, 0},
        {"pay abs(s(expiry) - k)", false, true, OPERATION_ABS, 1},
        {"pay sqrt(s(expiry)) * exp(log(s(expiry)) - 4)", false, true, OPERATION_EXP2, 1},
        {"x = exp(s(expiry)); pay k", false, true, OPERATION_INPUT, 0},
        {"x = 1 if s(expiry) > k else 1; pay x", false, true, OPERATION_SELECT, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compile_payment(i, rows[i].pays);
        if (made.program.jumps != rows[i].jumps || made.program.one_way != rows[i].one_way ||
            count_of(&made.program, rows[i].operation) != rows[i].n ||
            (made.program.jump > 0.0) != rows[i].jumps)
            fail_msg("%s: jumps %d by %g, one_way %d, %d of operation %d", rows[i].pays,
                     made.program.jumps, made.program.jump, made.program.one_way,
                     count_of(&made.program, rows[i].operation), rows[i].operation);
        compare(i, 10, 1e-11);
    }
}

/* By how much programs jump: what hangs on one comparison, and where that is not known what the
 * script pays. */
TEST(test_jumps)
{
    static const struct {
        const char *pays;
        double jump;
    } rows[] = {
        {"if s(expiry) > k: pay 3", 3.0},
        {"pay 5 if s(expiry) > k else 2", 3.0},
        {"if s(expiry) > k: pay 3\n    if s(expiry) <= k: pay -4", 7.0},
        {"if s(expiry) > k: pay 3\n    if s(expiry) <= 90: pay -4", 4.0},
        {"n = 1 if s(expiry) > k else 0\n    n = n + 1 if s(expiry) > 90 else n\n    pay 100 * n / "
         "4",
         25.0},
        {"n = 1 if s(expiry) > k else 0\n    pay 10 if n > 0 and s(expiry) < 200 else 0", 10.0},
        {"pay s(expiry) if s(expiry) > k else 0", 101.5},
        {"if s(expiry) < k: stop\n    pay min(s(expiry), 110)", 101.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compile_payment(i, rows[i].pays);
        if (made.program.jump != rows[i].jump)
            fail_msg("%s: jumps by %g, not %g", rows[i].pays, made.program.jump, rows[i].jump);
    }
}

/* ---- trades that have been running */

static const char barrier[] =
    "product rebate(asset s; dates watched; date paid_at, expiry; number strike)\n"
    "  each t in watched\n"
    "    pay 2\n"
    "    if s(t) <= 80: pay 7 at paid_at; stop\n"
    "  at expiry\n"
    "    pay max(s(expiry) - strike, 0)\n";

static void running(double second_close, double paid_at)
{
    const double dates[] = {-0.5, -0.25, 0.0, 0.5}, closes[] = {95.0, second_close, NAN, NAN};
    begin(barrier, 3, false);
    give("watched", 4, dates);
    memcpy(bound_of("watched")->closes, closes, sizeof closes);
    give_one("paid_at", paid_at);
    give_one("expiry", 1.0);
    give_one("strike", 100.0);
    compile();
}

TEST(test_past)
{
    running(90.0, 1.0); /* goes on */
    assert_ok(made.status);
    assert_int_equal(made.past.n_payments, 2);
    assert_true(made.past.payments[1].years == -0.25 && made.past.payments[1].amount == 2.0);
    assert_true(!made.past.stopped && !made.program.ended);
    assert_int_equal(made.program.n_inputs, 2);
    /* today's 2 is certain and comes first; whether today's spot is at 80 is not known here */
    assert_int_equal(made.program.n_flows, 5);
    assert_true(made.program.flows[0].years == 0.0 && made.program.flows[0].certain &&
                made.program.flows[0].amount == 2.0 && !made.program.flows[1].certain);
    assert_int_equal(compare(3, 20, 1e-11), 20);

    running(79.0, 1.0); /* has stopped, but pays yet */
    assert_ok(made.status);
    assert_true(made.past.stopped && made.past.stopped_at == -0.25 && !made.program.ended);
    assert_int_equal(made.program.n_flows, 1);
    assert_true(made.program.flows[0].certain && made.program.flows[0].amount == 7.0);
    assert_true(fabs(script_run(&made.program, 1, 1, NULL) - 7.0 * script_discount(1.0)) < 1e-12);

    running(79.0, -0.1); /* and has been paid */
    assert_true(made.past.n_payments == 3 && made.past.payments[2].years == -0.1);
    assert_true(made.program.ended && made.past.stopped && made.program.n_flows == 0);
    assert_true(script_run(&made.program, 1, 1, NULL) == 0.0);

    running(NAN, 1.0); /* a close is missing */
    assert_int_equal(made.status, STATUS_FAILED);
    assert_string_equal(made.why.text,
                        "line 4: the close of asset 1 on date 2 of watched is not known");
    assert_true(made.past.missing_date == 1 && made.past.missing_asset == 0 &&
                !strcmp(made.script.symbols[made.past.missing_parameter].name, "watched"));
}

/* A trade whose last date is today or before: all of it is past. */
TEST(test_expired)
{
    double close = 88.0;
    begin(american, 3, false);
    give_one("strike", 100.0);
    give_one("decided", -0.5);
    give_one("expiry", 0.0);
    *bound_of("expiry")->closes = close;
    *bound_of("decided")->closes = 50.0; /* not exercised then, or it would be no trade */
    compile_well();
    assert_int_equal(made.past.n_payments, 1);
    assert_true(made.past.payments[0].amount == 12.0 && made.past.payments[0].years == 0.0);
    assert_true(made.program.n_flows == 0 && made.program.n_inputs == 0);
}

static double years_to(int year, int month, int day)
{
    return (double)(day_number(year, month, day) - day_number(2026, 11, 20)) / 365.0;
}

/* Payments on a date for each of others, of what accrued by day counts, all counted by hand. */
TEST(test_dates_for_each)
{
    const double dates[] = {years_to(2026, 10, 31), years_to(2027, 1, 31), years_to(2027, 12, 31),
                            years_to(2028, 2, 29)},
                 paid[] = {years_to(2026, 11, 30), years_to(2027, 3, 31), years_to(2028, 1, 2),
                           years_to(2028, 2, 29)},
                 k[] = {4.0, 5.0, 6.0, 7.0},
                 amounts[] = {30 / 360.0 + 30 / 360.0 + 30 / 365.0, /* fixed, and owed */
                              2 * (60 / 360.0) + 59 / 360.0 + 59 / 365.0,
                              3 * (2 / 360.0) + 2 / 360.0 + 1 / 365.0 + 1 / 366.0, 7.0};
    double value = 0.0;
    begin("product p(asset s; dates d; date expiry, paid[d]; number k[d])\n"
          "  each t in d\n"
          "    pay index(t) * years(t, paid[t], 30/360) + years(t, paid[t], ACT/360) -"
          " years(paid[t], t, ACT/ACT) at paid[t]\n"
          "  at expiry: pay k[expiry]\n",
          1, false);
    made.binding.day = day_number(2026, 11, 20);
    give("d", 4, dates);
    give("paid", 4, paid);
    give("k", 4, k);
    give_one("expiry", dates[3]);
    compile_well();
    assert_int_equal(made.program.n_flows, 4);
    for (int i = 0; i < 4; i++) {
        const struct program_flow *flow = &made.program.flows[i];
        assert_true(flow->certain && flow->years == paid[i]);
        assert_float_equal(flow->amount, amounts[i], 1e-15);
        value += amounts[i] * script_discount(paid[i]);
    }
    assert_float_equal(script_run(&made.program, 1, 1, NULL), value, 1e-14);
    assert_int_equal(compare(3, 2, 1e-12), 2);
}

/* Dates that differ by a rounding are one: blocks of it run in the order of the text. */
TEST(test_one_date)
{
    for (int way = -1; way <= 1; way++) {
        begin("product p(asset s; date seen, expiry)\n"
              "  number n = 1\n"
              "  at seen\n"
              "    n = 2 if s(expiry) > 0 else 3\n"
              "  at expiry: pay n at seen\n",
              1, false);
        give_one("seen", 1.0 + way * 1e-15);
        give_one("expiry", 1.0);
        compile_well();
        assert_true(fabs(script_run(&made.program, 1, 1, NULL) - 2.0 * script_discount(1.0)) <
                    1e-12);
    }
}

/* ---- decisions */

TEST(test_decisions)
{
    const double decided[] = {0.25, 0.5, 0.75};
    begin(american, 5, false);
    give("decided", 3, decided);
    give_one("expiry", 1.0);
    give_one("strike", 100.0);
    compile_well();
    struct program *program = &made.program;
    assert_int_equal(program->n_decisions, 3);
    assert_true(!program->jumps && program->one_way && program->jump == 0.0);
    double outputs[32], kept[32];
    for (int d = 0; d < 3; d++) {
        assert_true(program->decisions[d].years == decided[d] && !program->decisions[d].issuer);
        assert_int_equal(program->decisions[d].n_features, 2); /* its worth, the spot */
        assert_int_equal(program->decisions[d].n_terms, policy_terms(2));
    }
    /* a decision that says no whatever the path does, and one that says yes where it pays */
    struct program never = *program, always = *program;
    size_t size = (size_t)program->n_coefficients * sizeof *program->coefficients;
    never.coefficients = malloc(size);
    always.coefficients = malloc(size);
    assert_true(never.coefficients && always.coefficients);
    memcpy(never.coefficients, program->coefficients, size);
    memcpy(always.coefficients, program->coefficients, size);
    for (int i = 0; i < program->n_coefficients; i++) {
        struct program_coefficient *at = &never.coefficients[i];
        if (at->kind != COEFFICIENT_POLICY) continue;
        *at =
            (struct program_coefficient){COEFFICIENT_NUMBER, 0, 0, at->index == 4 ? HUGE_VAL : 0.0};
        always.coefficients[i] =
            (struct program_coefficient){COEFFICIENT_NUMBER, 0, 0, at->number > 0.0 ? -1.0 : 0.0};
    }
    for (uint64_t path = 0; path < 50; path++) {
        double european =
            100.0 - exp2(script_input(path, &(struct program_input){INPUT_SPOT, 0, .date = 1.0}));
        double value = script_run(&never, 0, path, kept);
        assert_true(fabs(value - fmax(european, 0.0) * script_discount(1.0)) < 1e-9);
        double first = 0.0, at = 1.0;
        for (int d = 2; d >= 0; d--) {
            double worth = 100.0 - exp2(script_input(path, &(struct program_input){
                                                               INPUT_SPOT, 0, .date = decided[d]}));
            assert_true(kept[program->decisions[d].first_output] == 1.0);
            if (worth > 0.0) first = worth, at = decided[d];
        }
        if (first == 0.0) first = fmax(european, 0.0);
        assert_true(fabs(script_run(&always, 0, path, outputs) - first * script_discount(at)) <
                    1e-9);
    }
    free(never.coefficients);
    free(always.coefficients);
}

/* What a decision is fitted on: spots, and what later blocks read before they give it a value. */
TEST(test_features)
{
    const double dates[] = {0.25, 0.5, 0.75};
    begin(callable_phoenix, 5, false);
    give("observations", 3, dates);
    compile_well();
    int n = made.binding.n_assets;
    /* `missed` and `knocked` are awaited; `worst` is made anew on each date; on the first date
     * the issuer knows as much. The last decision is followed by the expiry, which asks for
     * `knocked` alone. */
    assert_int_equal(made.program.decisions[0].n_features, n + 2);
    assert_int_equal(made.program.decisions[1].n_features, n + 2);
    assert_int_equal(made.program.decisions[2].n_features, n + 1);
    assert_true(made.program.decisions[2].issuer);
    for (int i = 0, at = 1 + 8; i < 8; i++)
        for (int j = i; j < 8; j++, at++) assert_int_equal(policy_pair(8, i, j), at);
    assert_int_equal(policy_terms(8), POLICY_TERMS_MOST);
    assert_int_equal(policy_terms(0), 1);
    assert_int_equal(policy_terms(3), 1 + 3 + 6 + 3);
}

/* ---- what is refused */

TEST(test_refused)
{
    static const struct {
        const char *header, *body, *why;
    } rows[] = {
        {"asset s; dates d; date expiry", "each t in d: pay s(expiry)",
         "line 2: a spot of a later date cannot be read here"},
        {"asset s; date early, expiry", "at expiry: pay 1 at early",
         "line 2: it pays at a date before the one it stands on: date 1 of early"},
        {"asset s; dates d; date expiry, early[d]", "each t in d: pay 1 at early[t]",
         "line 2: it pays at a date before the one it stands on: date 101 of early"},
        {"asset s; dates d; date other, expiry, paid[d]", "at expiry: pay 1 at paid[other]",
         "line 2: this date is none of d"},
        {"asset s; date other, expiry", "at expiry: pay years(other, expiry, 30/360)",
         "line 2: a day count needs dates such as 2027-11-20, and a valuation date"},
        {"asset s; date expiry; number k", "at expiry: pay log(-k)",
         "line 2: the amount is no number"},
        {"asset s; date expiry; number k", "at expiry: pay k / 0",
         "line 2: the amount is no number"},
        {"asset s; dates d; date expiry",
         "at expiry: pay sum(sum(sum(sum(index(a) for a in d) for b in d) for c in d) for e in d)",
         "line 2: the script asks for more than 4194304 steps"},
        {"asset s; dates d; date expiry; number k[d]",
         "at expiry: pay sum(sum(abs(k[a] - k[b] * s(expiry)) for a in d) for b in d)",
         "line 1: the script needs more than 65536 instructions"},
        {"asset s; dates d; date expiry; number k[d]",
         "number u[d] = 0\n  each t in d: u[t] = normal(s(t))\n"
         "  at expiry: pay max(sum(u[t] for t in d), sum(u[t] ^ 2 for t in d))",
         "line 1: the script keeps more than 384 numbers at a time"},
        {"asset s; date early, expiry", "at early: pay highest(s, expiry)",
         "line 2: what happens until a later date is not known here"},
        {"asset s; date early, expiry", "at expiry: pay highest(s, early, from = expiry)",
         "line 2: what is watched ends before it begins"},
        {"asset s; date expiry",
         "at expiry\n    if survives(s, lower = 60, until = expiry) > 0: pay 1",
         "line 3: survives() gives the probability, between the dates of the script: what is paid "
         "is multiplied with it, and it is compared with nothing"},
        {"asset s; dates d; date expiry", "at expiry: pay max(index(t) for t in d where false)",
         "line 2: the amount is no number"},
    };
    double dates[400], later[400];
    for (int i = 0; i < 400; i++) dates[i] = later[i] = 1e-3 * (i + 1);
    later[100] = later[99];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "product p(%s)\n  %s\n", rows[i].header, rows[i].body);
        begin(text, 2, false);
        if (strstr(rows[i].header, "dates d")) give("d", 400, dates);
        if (strstr(rows[i].header, "k[d]")) give("k", 400, dates);
        if (strstr(rows[i].header, "date early")) give_one("early", 0.1);
        if (strstr(rows[i].header, "early[d]")) give("early", 400, later);
        if (strstr(rows[i].header, "other")) give_one("other", 1.0 / 3.0);
        give_one("expiry", 1.0);
        compile();
        assert_string_equal(made.why.text, rows[i].why);
        assert_int_equal(made.status, STATUS_FAILED);
    }
}

/* Broken programs: one thing is changed in one that is sound. */
TEST(test_verify)
{
    begin(american, 5, false);
    compile();
    struct program *program = &made.program;
    struct instruction *first = program->code, *end = &program->code[program->n_instructions - 1];
    int sum = 0;
    while (program->code[sum].operation != OPERATION_MULTIPLY_ADD) sum++;
    struct instruction *fused = &program->code[sum];
    assert_ok(program_verify(program, &said));
#define BREAKS(place, value)                                                                       \
    do {                                                                                           \
        __typeof__(place) before = place;                                                          \
        place = (__typeof__(place))(value);                                                        \
        if (program_verify(program, &said) != STATUS_FAILED || !said.text[0])                      \
            fail_msg("%s = %s is let through", #place, #value);                                    \
        place = before;                                                                            \
        assert_ok(program_verify(program, &said));                                                 \
    } while (0)
    BREAKS(program->n_instructions, 0);
    BREAKS(program->n_instructions, PROGRAM_INSTRUCTIONS_MOST + 1);
    BREAKS(program->n_instructions, program->n_instructions - 1);
    BREAKS(program->n_registers, PROGRAM_REGISTERS_MOST + 1);
    BREAKS(program->n_registers, 1);
    BREAKS(program->n_inputs, 0);
    BREAKS(program->n_coefficients, 1);
    BREAKS(program->n_outputs, 1);
    BREAKS(program->n_decisions, 0);
    BREAKS(program->inputs[0].date, 0.0);
    BREAKS(program->inputs[0].date, NAN);
    BREAKS(program->inputs[0].asset, -1);
    BREAKS(program->inputs[0].kind, 9);
    BREAKS(program->coefficients[0].kind, 9);
    BREAKS(program->coefficients[0].index, 99);
    BREAKS(program->coefficients[0].decision, 99);
    BREAKS(program->decisions[0].n_features, POLICY_FEATURES_MOST + 1);
    BREAKS(program->decisions[0].n_features, -1);
    BREAKS(program->decisions[0].n_terms, 1);
    BREAKS(program->decisions[0].first_output, program->n_outputs - 3);
    BREAKS(program->decisions[0].first_coefficient, -1);
    BREAKS(first->operation, N_OPERATIONS);
    BREAKS(first->operation, OPERATION_END);
    BREAKS(first->operation, OPERATION_ADD);
    BREAKS(first->to, program->n_registers);
    BREAKS(first->at, 1 << 20);
    BREAKS(first->a, 1);
    BREAKS(first->spare, 1);
    BREAKS(fused->c, program->n_registers);
    BREAKS(fused->to, fused->a);
    BREAKS(fused->at, 1);
    BREAKS(end->operation, OPERATION_ABS);
    BREAKS(end->to, 1);
#undef BREAKS
}

/* Programs that are broken by chance: what the check lets through can be run (the sanitizers see
 * to it). */
TEST(test_broken_by_chance)
{
    int through = 0, n = 20000;
    double outputs[64];
    begin(callable_phoenix, 5, false);
    compile();
    struct program *program = &made.program;
    assert_true(program->n_outputs <= 64);
    for (int i = 0; i < n; i++) {
        uint64_t at = (uint64_t)(script_chance(1, (uint64_t)i, 0.0) * program->n_instructions);
        uint64_t value = (uint64_t)(script_chance(2, (uint64_t)i, 0.0) * 40.0);
        struct instruction before = program->code[at], *code = &program->code[at];
        uint16_t *fields[] = {&code->operation, &code->to, &code->a, &code->b, &code->c};
        if (i % 6 < 5) *fields[i % 6] = (uint16_t)value;
        else code->at = (uint32_t)value;
        if (program_verify(program, &said) == STATUS_OK) {
            script_run(program, 1, 1, outputs);
            through++;
        }
        program->code[at] = before;
    }
    assert_true(through > 100 && through < n / 2);
}

/* ---- what is watched at every moment --------------------------------------------------------- */

/* Sums of bridges and functions of one extreme need no close look; what goes together does. */
TEST(bridges_that_go_together_are_looked_at_closely)
{
    static const struct {
        const char *paid;
        bool closely;
    } rows[] = {
        {"survives(s, lower = 80, until = expiry) * max(s(expiry) - 90, 0)", false},
        {"survives(s, lower = 80, until = expiry) + survives(s, upper = 80, until = expiry)",
         false},
        {"max(highest(s, expiry) / s(expiry) - 1, 0)", false},
        {"highest(s, expiry) - lowest(s, expiry)", false},
        {"max(highest(s, expiry) - highest(s, early), highest(s, expiry, from = early))", false},
        {"max(highest(s, expiry) - lowest(s, expiry) - 20, 0)", true},
        {"survives(s, lower = 80, until = early) * survives(s, lower = 85, until = expiry)", true},
        {"max(survives(s, lower = 80, until = expiry), 0.3)", true},
        {"survives(s, lower = 80, until = expiry) * highest(s, expiry)", true},
        {"survives(s, lower = 80, until = expiry) ^ 2", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "product p(asset s; date early, expiry)\n  at expiry\n    pay %s\n", rows[i].paid);
        begin(text, 2, false);
        give_one("early", 0.5);
        give_one("expiry", 1.0);
        compile_well();
        assert_int_equal(made.program.closely, rows[i].closely);
    }
}

/* Bounds are known by the spots of today; a watch that is over has seen nothing, and says so; one
 * that ends today has seen today's spot. */
TEST(what_is_watched_begins_today_or_later)
{
    const double today[] = {90.0};
    begin("product p(asset s; date early, begun, expiry; number initial = spot)\n"
          "  at expiry\n"
          "    pay survives(s, lower = 0.8 * initial, from = begun, until = expiry)\n"
          "    pay 10 * survives(s, lower = 80, until = early)\n",
          2, false);
    give_one("early", 0.0);
    give_one("begun", 0.25);
    give_one("expiry", 1.0);
    give_one("initial", NAN);
    made.binding.today = today;
    compile_well();
    assert_int_equal(made.program.n_inputs, 1);
    assert_float_equal(made.program.inputs[0].lower, 72.0, 0.0);
    assert_float_equal(made.program.inputs[0].from, 0.25, 0.0);
    assert_int_equal(made.program.blind, 0);
    give_one("early", -0.25);
    give_one("begun", -0.5);
    program_free(&made.program);
    compile_well();
    assert_float_equal(made.program.inputs[0].from, 0.0, 0.0);
    assert_int_equal(made.program.blind, 3);
    begin("product p(asset s; date expiry)\n  at expiry\n    pay highest(s, expiry)\n", 2, false);
    give_one("expiry", 0.0); /* what is owed today is a number */
    made.binding.today = today;
    compile_well();
    assert_int_equal(made.past.n_payments, 1);
    assert_float_equal(made.past.payments[0].amount, 90.0, 0.0);
}

ALL_TESTS(compile_test)
