#include "models/scripts/compiler.h"

#include <math.h>

#include "models/math/constants.h"
#include "models/math/exact.h"
#include "models/math/plan_functions.h"

static const double log2_e = 1.44269504088896340736;

static struct value plain(int node)
{
    return (struct value){node, -1};
}

static struct value level(int log)
{
    return (struct value){-1, log};
}

static struct value number(struct compiler *compiler, double x)
{
    return plain(value_constant(&compiler->values, x));
}

static int operate(struct compiler *compiler, enum operation operation, int a, int b)
{
    return value_of(&compiler->values, operation, a, b, 0);
}

int compile_number(struct compiler *compiler, struct value value)
{
    return value.node >= 0 ? value.node : operate(compiler, OPERATION_EXP2, value.log, 0);
}

/* Tells whether a value is a constant, and which. */
static bool constant(const struct compiler *compiler, struct value value, double *x)
{
    bool is = value.node >= 0 && value_known(&compiler->values, value.node, KNOWN_CONSTANT);
    if (is) *x = compiler->values.nodes[value.node].number;
    return is;
}

/* Returns log2 of a value that is kept so, or is a positive constant; -1: it is neither. */
static int log_of(struct compiler *compiler, struct value value)
{
    double x;
    if (value.log >= 0) return value.log;
    if (!constant(compiler, value, &x) || !(x > 0.0 && x < HUGE_VAL)) return -1;
    return value_constant(&compiler->values, exact_log2(x));
}

/* Gets the logarithms of two values of which one at least is kept so. False: they have none. */
static bool logs(struct compiler *compiler, struct value x, struct value y, int *a, int *b)
{
    if (x.log < 0 && y.log < 0) return false;
    *a = log_of(compiler, x);
    *b = log_of(compiler, y);
    return *a >= 0 && *b >= 0;
}

static struct value product(struct compiler *compiler, struct value x, struct value y)
{
    double k;
    int a, b;
    bool scaled = constant(compiler, x, &k) || constant(compiler, y, &k);
    if (!logs(compiler, x, y, &a, &b))
        return plain(operate(compiler, OPERATION_MULTIPLY, compile_number(compiler, x),
                             compile_number(compiler, y)));
    struct value result = level(operate(compiler, OPERATION_ADD, a, b));
    /* the power of a price serves all its multiples */
    if (scaled)
        result.node = operate(compiler, OPERATION_MULTIPLY, compile_number(compiler, x),
                              compile_number(compiler, y));
    return result;
}

static struct value quotient(struct compiler *compiler, struct value x, struct value y)
{
    int a, b;
    if (logs(compiler, x, y, &a, &b)) return level(operate(compiler, OPERATION_SUBTRACT, a, b));
    return plain(operate(compiler, OPERATION_DIVIDE, compile_number(compiler, x),
                         compile_number(compiler, y)));
}

/* Returns the smaller (OPERATION_MIN) or the larger of two values; a constant goes first, so that
 * what is no number stays none. */
static struct value extreme(struct compiler *compiler, enum operation operation, struct value x,
                            struct value y)
{
    double k, other;
    int a, b;
    bool least = operation == OPERATION_MIN;
    if (constant(compiler, y, &k)) {
        struct value swap = x;
        x = y;
        y = swap;
    }
    if (constant(compiler, x, &k) && !constant(compiler, y, &other)) {
        if (k == (least ? HUGE_VAL : -HUGE_VAL)) return y;
        if (y.log >= 0 && (k <= 0.0 || k == HUGE_VAL)) return (k <= 0.0) == least ? x : y;
    }
    if (logs(compiler, x, y, &a, &b)) return level(operate(compiler, operation, a, b));
    return plain(
        operate(compiler, operation, compile_number(compiler, x), compile_number(compiler, y)));
}

/* Compares two values: in logs where that can be. */
static int compare(struct compiler *compiler, enum operation operation, struct value x,
                   struct value y)
{
    double k;
    int a, b;
    bool turned = x.log >= 0 && constant(compiler, y, &k);
    if (turned || (y.log >= 0 && constant(compiler, x, &k))) {
        /* a positive price beside a number that is not */
        bool holds = operation != OPERATION_EQUAL && (turned ? k == HUGE_VAL : k <= 0.0);
        if (k <= 0.0 || k == HUGE_VAL) return value_constant(&compiler->values, holds);
    }
    if (logs(compiler, x, y, &a, &b)) return operate(compiler, operation, a, b);
    return operate(compiler, operation, compile_number(compiler, x), compile_number(compiler, y));
}

struct value compile_select(struct compiler *compiler, int flag, struct value x, struct value y)
{
    struct values *values = &compiler->values;
    int a, b;
    if (x.node == y.node && x.log == y.log) return x;
    if (value_known(values, flag, KNOWN_CONSTANT)) return values->nodes[flag].number != 0.0 ? x : y;
    if (!logs(compiler, x, y, &a, &b))
        return plain(value_of(values, OPERATION_SELECT, flag, compile_number(compiler, x),
                              compile_number(compiler, y)));
    struct value result = level(value_of(values, OPERATION_SELECT, flag, a, b));
    if (x.node >= 0 && y.node >= 0 && values->nodes[result.log].operation == OPERATION_SELECT)
        result.node = value_of(values, OPERATION_SELECT, flag, x.node, y.node);
    return result;
}

/* Returns x to the power of a whole number, by multiplications. */
static int whole_power(struct compiler *compiler, int x, int power)
{
    if (power == 0) return value_constant(&compiler->values, 1.0);
    int half = whole_power(compiler, x, power / 2);
    int square = operate(compiler, OPERATION_MULTIPLY, half, half);
    return power % 2 ? operate(compiler, OPERATION_MULTIPLY, square, x) : square;
}

static struct value power(struct compiler *compiler, struct value x, struct value y)
{
    double k = 0.0, base;
    bool fixed = constant(compiler, y, &k), whole = fixed && k == floor(k) && fabs(k) <= 8.0;
    if (fixed && k == 1.0) return x;
    if (whole && x.log < 0) {
        int of = whole_power(compiler, compile_number(compiler, x), (int)fabs(k));
        return k >= 0.0 ? plain(of) : quotient(compiler, number(compiler, 1.0), plain(of));
    }
    if (constant(compiler, x, &base) && fixed)
        return number(compiler, exact_exp2(k * exact_log2(base)));
    if (x.log < 0 && fixed && k == 0.5)
        return plain(operate(compiler, OPERATION_SQRT, compile_number(compiler, x), 0));
    int log = log_of(compiler, x);
    bool positive = log >= 0;
    if (!positive) log = operate(compiler, OPERATION_LOG2, compile_number(compiler, x), 0);
    int result = operate(compiler, OPERATION_MULTIPLY, log, compile_number(compiler, y));
    return positive ? level(result) : plain(operate(compiler, OPERATION_EXP2, result, 0));
}

/* Numbers of one number. */
static struct value function(struct compiler *compiler, enum expression_kind kind, struct value x)
{
    double k = 0.0;
    bool fixed = constant(compiler, x, &k), price = x.log >= 0;
    if (kind == EXPRESSION_ABS && price) return x;
    if (kind == EXPRESSION_SQRT && price && !fixed)
        return level(
            operate(compiler, OPERATION_MULTIPLY, x.log, value_constant(&compiler->values, 0.5)));
    if (kind == EXPRESSION_LOG && fixed) return number(compiler, exact_log(k));
    if (kind == EXPRESSION_EXP && fixed) return number(compiler, exact_exp(k));
    if (kind == EXPRESSION_NORMAL_CDF && fixed)
        return number(compiler, 0.5 * exact_erfc(-k * 0.70710678118654752440));
    if (kind == EXPRESSION_LOG && price)
        return plain(
            operate(compiler, OPERATION_MULTIPLY, x.log, value_constant(&compiler->values, LN2)));
    int at = compile_number(compiler, x);
    if (kind == EXPRESSION_EXP)
        return level(
            operate(compiler, OPERATION_MULTIPLY, at, value_constant(&compiler->values, log2_e)));
    if (kind == EXPRESSION_LOG)
        return plain(operate(compiler, OPERATION_MULTIPLY, operate(compiler, OPERATION_LOG2, at, 0),
                             value_constant(&compiler->values, LN2)));
    enum operation operation = kind == EXPRESSION_NEGATE ? OPERATION_NEGATE
                               : kind == EXPRESSION_ABS  ? OPERATION_ABS
                               : kind == EXPRESSION_SQRT ? OPERATION_SQRT
                                                         : OPERATION_NORMAL_CDF;
    return plain(operate(compiler, operation, at, 0));
}

static struct value today(struct compiler *compiler, int asset)
{
    return (struct value){
        value_coefficient(&compiler->values, COEFFICIENT_TODAY, asset, 0, 0.0),
        value_coefficient(&compiler->values, COEFFICIENT_LOG_TODAY, asset, 0, 0.0)};
}

/* Returns which asset an expression names. */
static int asset_of(struct compiler *compiler, int expression)
{
    int symbol = compiler->script->expressions[expression].symbol;
    bool loop = compiler->script->symbols[symbol].kind == SYMBOL_LOOP;
    return loop ? compiler->members[symbol] : 0;
}

struct date compile_date(struct compiler *compiler, int expression)
{
    const struct script_expression *e = &compiler->script->expressions[expression];
    const struct bound *bound = compiler->binding->bound;
    if (e->kind == EXPRESSION_PREVIOUS) {
        struct date at = compile_date(compiler, e->a);
        if (at.index == 0) return compile_date(compiler, e->b);
        at.index--;
        at.years = bound[at.parameter].values[at.index];
        return at;
    }
    if (compiler->script->symbols[e->symbol].kind == SYMBOL_LOOP) return compiler->dates[e->symbol];
    return (struct date){bound[e->symbol].values[0], e->symbol, 0};
}

void compile_set_loop(struct compiler *compiler, int symbol, int i)
{
    int over = compiler->script->symbols[symbol].over;
    const struct bound *bound = &compiler->binding->bound[over];
    compiler->members[symbol] = i;
    if (compiler->script->symbols[over].type == VALUE_DATE)
        compiler->dates[symbol] = (struct date){bound->values[i], over, i};
}

int compile_member(struct compiler *compiler, int over, int subscript)
{
    const struct script_expression *e = &compiler->script->expressions[subscript];
    const struct bound *dates = &compiler->binding->bound[over];
    if (e->type == VALUE_ASSET) return asset_of(compiler, subscript);
    struct date at = compile_date(compiler, subscript);
    if (at.parameter == over) return at.index;
    for (int i = 0; i < dates->n; i++)
        if (dates->values[i] == at.years) return i;
    compile_fail(compiler, e->place.line, "this date is none of %s",
                 compiler->script->symbols[over].name);
    return 0;
}

int compile_state(struct compiler *compiler, int symbol, int subscript)
{
    int over = compiler->script->symbols[symbol].over;
    int member = subscript >= 0 && over >= 0 ? compile_member(compiler, over, subscript) : 0;
    return compiler->first_state[symbol] + member;
}

/* The value of a name, of a member of it where it is over assets or dates. */
static struct value named(struct compiler *compiler, const struct script_expression *e,
                          int subscript)
{
    const struct script_symbol *symbol = &compiler->script->symbols[e->symbol];
    if (symbol->kind == SYMBOL_STATE)
        return compiler->states[compile_state(compiler, e->symbol, subscript)];
    const struct bound *bound = &compiler->binding->bound[e->symbol];
    int member = subscript >= 0 ? compile_member(compiler, symbol->over, subscript) : 0;
    double x = bound->values[bound->n == 1 ? 0 : member];
    if (x == x) return number(compiler, x);
    if (symbol->fallback_spot) {
        bool of_assets =
            symbol->over >= 0 && compiler->script->symbols[symbol->over].type == VALUE_ASSET;
        return today(compiler, of_assets ? member : 0);
    }
    compile_fail(compiler, e->place.line, "%s is no number", symbol->name);
    return plain(0);
}

struct value compile_spot(struct compiler *compiler, int asset, struct date date, int line)
{
    const struct bound *bound = &compiler->binding->bound[date.parameter];
    int n = compiler->binding->n_assets;
    if (date.years > compiler->now + COMPILE_SAME_DATE)
        compile_fail(compiler, line, "a spot of a later date cannot be read here");
    if (date.years > 0.0)
        return level(value_input(&compiler->values,
                                 &(struct program_input){INPUT_SPOT, asset, date.years, 0.0, 0.0}));
    double close = bound->closes ? bound->closes[date.index * n + asset] : NAN;
    if (close > 0.0 && close < HUGE_VAL) return number(compiler, close);
    if (date.years == 0.0) return today(compiler, asset);
    if (compiler->status == STATUS_OK) {
        compiler->past->missing_parameter = date.parameter;
        compiler->past->missing_date = date.index;
        compiler->past->missing_asset = asset;
    }
    compile_fail(compiler, line, "the close of asset %d on date %d of %s is not known", asset + 1,
                 date.index + 1, compiler->script->symbols[date.parameter].name);
    return plain(0);
}

/* Returns a number that is known before paths are: a bound of survives(). */
static double known_bound(struct compiler *compiler, int expression, double fallback)
{
    double x = fallback;
    if (expression >= 0 && !constant(compiler, compile_value(compiler, expression), &x))
        compile_fail(compiler, compiler->script->expressions[expression].place.line,
                     "a bound of survives() must be known today");
    return x;
}

/* What the path does between dates. */
static struct value watched(struct compiler *compiler, const struct script_expression *e)
{
    bool survives = e->kind == EXPRESSION_SURVIVES;
    struct date until = compile_date(compiler, survives ? e->d : e->b);
    struct program_input input = {.kind = survives                        ? INPUT_SURVIVAL
                                          : e->kind == EXPRESSION_HIGHEST ? INPUT_HIGHEST
                                                                          : INPUT_LOWEST,
                                  .asset = asset_of(compiler, e->a),
                                  .date = until.years};
    if (survives) {
        input.lower = fmax(known_bound(compiler, e->b, 0.0), 0.0);
        input.upper = known_bound(compiler, e->c, HUGE_VAL);
    }
    if (until.years > compiler->now + COMPILE_SAME_DATE)
        compile_fail(compiler, e->place.line, "what happens until a later date is not known here");
    if (until.years < 0.0)
        compile_fail(compiler, e->place.line,
                     "what the path did between dates before today is not known");
    if (until.years <= 0.0) return survives ? number(compiler, 1.0) : today(compiler, input.asset);
    int node = value_input(&compiler->values, &input);
    return survives ? plain(node) : level(node);
}

/* Returns what a fold of no member is. */
static double fold_of_none(enum expression_kind kind)
{
    if (kind == EXPRESSION_FOLD_MIN) return HUGE_VAL;
    if (kind == EXPRESSION_FOLD_MAX) return -HUGE_VAL;
    return kind == EXPRESSION_PRODUCT || kind == EXPRESSION_ALL ? 1.0 : 0.0;
}

/* Adds one member to a fold. `where` is its flag, `x` its value (of a count: its flag). */
static struct value folded(struct compiler *compiler, enum expression_kind kind, bool first,
                           struct value so_far, int where, struct value x)
{
    bool extremes = kind == EXPRESSION_FOLD_MIN || kind == EXPRESSION_FOLD_MAX;
    if (!value_is(&compiler->values, where, 1.0))
        x = compile_select(compiler, where, x, number(compiler, fold_of_none(kind)));
    if (first) return x;
    if (extremes)
        return extreme(compiler, kind == EXPRESSION_FOLD_MIN ? OPERATION_MIN : OPERATION_MAX,
                       so_far, x);
    if (kind == EXPRESSION_PRODUCT) return product(compiler, so_far, x);
    enum operation operation = kind == EXPRESSION_ANY   ? OPERATION_OR
                               : kind == EXPRESSION_ALL ? OPERATION_AND
                                                        : OPERATION_ADD;
    return plain(operate(compiler, operation, compile_number(compiler, so_far),
                         compile_number(compiler, x)));
}

static struct value fold(struct compiler *compiler, const struct script_expression *e)
{
    int over = compiler->script->symbols[e->symbol].over;
    int n = compiler->binding->bound[over].n, one = value_constant(&compiler->values, 1.0);
    bool first = true;
    double none = fold_of_none(e->kind);
    struct value result = number(compiler, none), members = number(compiler, 0.0);
    for (int i = 0; i < n && compile_work(compiler, e->place.line); i++) {
        compile_set_loop(compiler, e->symbol, i);
        int where = e->b >= 0 ? compile_node(compiler, e->b) : one;
        if (value_is(&compiler->values, where, 0.0)) continue;
        struct value x = e->a >= 0 ? compile_value(compiler, e->a) : plain(one);
        result = folded(compiler, e->kind, first, result, where, x);
        if (e->kind == EXPRESSION_MEAN)
            members = folded(compiler, EXPRESSION_COUNT, first, members, where, plain(one));
        first = false;
    }
    if (e->kind != EXPRESSION_MEAN || first) return result;
    struct value mean = quotient(compiler, result, members), zero = number(compiler, 0.0);
    return compile_select(compiler, compare(compiler, OPERATION_LESS, zero, members), mean, zero);
}

/* What is known before paths are: numbers of loops and dates. */
static double known(struct compiler *compiler, const struct script_expression *e)
{
    const struct script_expression *a = e->a >= 0 ? &compiler->script->expressions[e->a] : NULL;
    const struct script_symbol *symbols = compiler->script->symbols;
    if (e->kind == EXPRESSION_SIZE) return compiler->binding->bound[e->symbol].n;
    if (e->kind == EXPRESSION_YEARS)
        return compile_date(compiler, e->b).years - compile_date(compiler, e->a).years;
    bool dates = a->type == VALUE_DATE;
    struct date at = dates ? compile_date(compiler, e->a) : (struct date){0};
    int over = dates ? at.parameter : symbols[a->symbol].over;
    int i = dates ? at.index : asset_of(compiler, e->a);
    int n = over >= 0 ? compiler->binding->bound[over].n : 1;
    if (e->kind == EXPRESSION_INDEX) return i + 1;
    return e->kind == EXPRESSION_FIRST ? i == 0 : i == n - 1;
}

static int compared_dates(struct compiler *compiler, const struct script_expression *e)
{
    double a = compile_date(compiler, e->a).years, b = compile_date(compiler, e->b).years;
    bool holds = e->kind == EXPRESSION_LESS            ? a < b
                 : e->kind == EXPRESSION_LESS_EQUAL    ? a <= b
                 : e->kind == EXPRESSION_GREATER       ? a > b
                 : e->kind == EXPRESSION_GREATER_EQUAL ? a >= b
                 : e->kind == EXPRESSION_EQUAL         ? a == b
                                                       : a != b;
    return value_constant(&compiler->values, holds);
}

static struct value comparison(struct compiler *compiler, const struct script_expression *e)
{
    if (compiler->script->expressions[e->a].type == VALUE_DATE)
        return plain(compared_dates(compiler, e));
    struct value a = compile_value(compiler, e->a), b = compile_value(compiler, e->b);
    bool turned = e->kind == EXPRESSION_GREATER || e->kind == EXPRESSION_GREATER_EQUAL;
    enum operation operation =
        e->kind == EXPRESSION_LESS || e->kind == EXPRESSION_GREATER      ? OPERATION_LESS
        : e->kind == EXPRESSION_EQUAL || e->kind == EXPRESSION_NOT_EQUAL ? OPERATION_EQUAL
                                                                         : OPERATION_LESS_EQUAL;
    int flag = turned ? compare(compiler, operation, b, a) : compare(compiler, operation, a, b);
    return plain(e->kind == EXPRESSION_NOT_EQUAL ? operate(compiler, OPERATION_NOT, flag, 0)
                                                 : flag);
}

/* `and`, `or`, `if`: what cannot matter is not looked at. */
static struct value condition(struct compiler *compiler, const struct script_expression *e)
{
    struct values *values = &compiler->values;
    int flag = compile_node(compiler, e->a);
    bool known_flag = value_known(values, flag, KNOWN_CONSTANT), set = value_is(values, flag, 1.0);
    if (e->kind == EXPRESSION_IF) {
        if (known_flag) return compile_value(compiler, set ? e->b : e->c);
        struct value b = compile_value(compiler, e->b);
        return compile_select(compiler, flag, b, compile_value(compiler, e->c));
    }
    bool both = e->kind == EXPRESSION_AND;
    if (known_flag) return set == both ? compile_value(compiler, e->b) : plain(flag);
    return plain(
        operate(compiler, both ? OPERATION_AND : OPERATION_OR, flag, compile_node(compiler, e->b)));
}

static struct value arithmetic(struct compiler *compiler, const struct script_expression *e)
{
    struct value a = compile_value(compiler, e->a), b = compile_value(compiler, e->b);
    if (e->kind == EXPRESSION_MULTIPLY) return product(compiler, a, b);
    if (e->kind == EXPRESSION_DIVIDE) return quotient(compiler, a, b);
    if (e->kind == EXPRESSION_POWER) return power(compiler, a, b);
    if (e->kind == EXPRESSION_MIN) return extreme(compiler, OPERATION_MIN, a, b);
    if (e->kind == EXPRESSION_MAX) return extreme(compiler, OPERATION_MAX, a, b);
    return plain(operate(compiler, e->kind == EXPRESSION_ADD ? OPERATION_ADD : OPERATION_SUBTRACT,
                         compile_number(compiler, a), compile_number(compiler, b)));
}

struct value compile_value(struct compiler *compiler, int expression)
{
    const struct script_expression *e = &compiler->script->expressions[expression];
    if (!compile_work(compiler, e->place.line)) return plain(0);
    switch (e->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_FLAG: return number(compiler, e->number);
    case EXPRESSION_SYMBOL: return named(compiler, e, -1);
    case EXPRESSION_ELEMENT: return named(compiler, e, e->a);
    case EXPRESSION_SPOT:
        return compile_spot(compiler, asset_of(compiler, e->a), compile_date(compiler, e->b),
                            e->place.line);
    case EXPRESSION_TODAY: return today(compiler, asset_of(compiler, e->a));
    case EXPRESSION_NEGATE:
    case EXPRESSION_ABS:
    case EXPRESSION_EXP:
    case EXPRESSION_LOG:
    case EXPRESSION_SQRT:
    case EXPRESSION_NORMAL_CDF: return function(compiler, e->kind, compile_value(compiler, e->a));
    case EXPRESSION_ADD:
    case EXPRESSION_SUBTRACT:
    case EXPRESSION_MULTIPLY:
    case EXPRESSION_DIVIDE:
    case EXPRESSION_POWER:
    case EXPRESSION_MIN:
    case EXPRESSION_MAX: return arithmetic(compiler, e);
    case EXPRESSION_LESS:
    case EXPRESSION_LESS_EQUAL:
    case EXPRESSION_GREATER:
    case EXPRESSION_GREATER_EQUAL:
    case EXPRESSION_EQUAL:
    case EXPRESSION_NOT_EQUAL: return comparison(compiler, e);
    case EXPRESSION_NOT:
        return plain(operate(compiler, OPERATION_NOT, compile_node(compiler, e->a), 0));
    case EXPRESSION_AND:
    case EXPRESSION_OR:
    case EXPRESSION_IF: return condition(compiler, e);
    case EXPRESSION_SUM:
    case EXPRESSION_PRODUCT:
    case EXPRESSION_FOLD_MIN:
    case EXPRESSION_FOLD_MAX:
    case EXPRESSION_MEAN:
    case EXPRESSION_COUNT:
    case EXPRESSION_ANY:
    case EXPRESSION_ALL: return fold(compiler, e);
    case EXPRESSION_SIZE:
    case EXPRESSION_YEARS:
    case EXPRESSION_INDEX:
    case EXPRESSION_FIRST:
    case EXPRESSION_LAST: return number(compiler, known(compiler, e));
    case EXPRESSION_HIGHEST:
    case EXPRESSION_LOWEST:
    case EXPRESSION_SURVIVES: return watched(compiler, e);
    case EXPRESSION_PREVIOUS: break; /* a date: compile_date() */
    }
    return plain(0);
}
