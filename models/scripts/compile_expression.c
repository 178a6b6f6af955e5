#include "models/scripts/compiler.h"

#include <math.h>

#include "models/market/days.h"
#include "models/math/constants.h"

/* What an expression becomes: by which function, of which operation; a fold of no member. */
struct expression_row {
    int (*compile)(struct compiler *compiler, const struct script_expression *e);
    enum operation operation;
    double of_none;
};
static const struct expression_row rows[EXPRESSION_SURVIVES + 1];

static int number(struct compiler *compiler, double x)
{
    return value_constant(&compiler->values, x);
}

/* ---- members of assets and dates */

void compile_set_loop(struct compiler *compiler, int symbol, int i)
{
    int over = compiler->script->symbols[symbol].over;
    bool dates = compiler->script->symbols[over].type == VALUE_DATE;
    double years = dates ? compiler->binding->bound[over].values[i] : 0.0;
    compiler->places[symbol] = (struct script_member){years, over, i};
}

/* Returns the member of parameter `over` that a subscript names; 0 where there is none, or a
 * failure. */
static int member_index(struct compiler *compiler, int over, int subscript)
{
    if (subscript < 0 || over < 0) return 0;
    const struct script_expression *e = &compiler->script->expressions[subscript];
    const struct bound *dates = &compiler->binding->bound[over];
    struct script_member at = compile_place(compiler, subscript);
    if (e->type == VALUE_ASSET || at.parameter == over) return at.index;
    for (int i = 0; i < dates->n; i++)
        if (dates->values[i] == at.years) return i;
    compile_fail(compiler, e->place.line, "this date is none of %s",
                 compiler->script->symbols[over].name);
    return 0;
}

struct script_member compile_place(struct compiler *compiler, int expression)
{
    const struct script_expression *e = &compiler->script->expressions[expression];
    struct script_member at;
    if (e->kind == EXPRESSION_PREVIOUS) {
        at = compile_place(compiler, e->a);
        if (at.index-- == 0) return compile_place(compiler, e->b);
    } else {
        at = compiler->places[e->symbol];
        if (e->kind != EXPRESSION_ELEMENT) return at;
        at.index = member_index(compiler, compiler->script->symbols[e->symbol].over, e->a);
    }
    at.years = compiler->binding->bound[at.parameter].values[at.index];
    return at;
}

int compile_state(struct compiler *compiler, int symbol, int subscript)
{
    int over = compiler->script->symbols[symbol].over;
    return compiler->places[symbol].index + member_index(compiler, over, subscript);
}

/* ---- what is read */

static int literal(struct compiler *compiler, const struct script_expression *e)
{
    return number(compiler, e->number);
}

static int today(struct compiler *compiler, int asset)
{
    return value_coefficient(&compiler->values, COEFFICIENT_TODAY, asset, 0, 0.0);
}

static int spot_today(struct compiler *compiler, const struct script_expression *e)
{
    return today(compiler, compile_place(compiler, e->a).index);
}

/* The value of a name, of a member of it where it is over assets or dates. */
static int named(struct compiler *compiler, const struct script_expression *e)
{
    int subscript = e->kind == EXPRESSION_ELEMENT ? e->a : -1;
    const struct script_symbol *symbols = compiler->script->symbols, *symbol = &symbols[e->symbol];
    if (symbol->kind == SYMBOL_STATE) {
        int at = compile_state(compiler, e->symbol, subscript);
        bool waited = compiler->assigned[at] != compiler->part;
        if (waited && compiler->awaited->states[at] < compiler->work)
            compiler->awaited->states[at] = compiler->work;
        return compiler->states[at];
    }
    const struct bound *bound = &compiler->binding->bound[e->symbol];
    int member = member_index(compiler, symbol->over, subscript);
    double x = bound->values[bound->n == 1 ? 0 : member];
    if (x == x) return number(compiler, x);
    bool over_assets = symbol->over >= 0 && symbols[symbol->over].type == VALUE_ASSET;
    if (symbol->fallback_spot) return today(compiler, over_assets ? member : 0);
    compile_fail(compiler, e->place.line, "%s is no number", symbol->name);
    return 0;
}

/* Notes that a spot is read after its date: decisions in between must know it. */
static void note_old_spot(struct compiler *compiler, int asset, double date)
{
    const struct program_input input = {
        .kind = INPUT_SPOT, .asset = asset, .from = date, .date = compiler->now};
    for (int i = 0; i < compiler->n_watches; i++) {
        struct program_input *seen = &compiler->watches[i].input;
        if (seen->kind != INPUT_SPOT || seen->asset != asset || seen->from != date) continue;
        seen->date = input.date;
        return;
    }
    compile_append(compiler, &compiler->watches, &compiler->n_watches,
                   &(struct seen_watch){input, 0});
}

static int spot(struct compiler *compiler, const struct script_expression *e)
{
    int asset = compile_place(compiler, e->a).index, n = compiler->binding->n_assets;
    struct script_member date = compile_place(compiler, e->b);
    const double *closes = compiler->binding->bound[date.parameter].closes;
    double close = closes && date.years <= 0.0 ? closes[date.index * n + asset] : NAN;
    if (date.years > compiler->now + COMPILE_SAME_DATE)
        compile_fail(compiler, e->place.line, "a spot of a later date cannot be read here");
    if (date.years > 0.0 && date.years < compiler->now) note_old_spot(compiler, asset, date.years);
    if (date.years > 0.0)
        return value_input(&compiler->values,
                           &(struct program_input){INPUT_PRICE, asset, .date = date.years});
    if (close > 0.0 && close < HUGE_VAL) return number(compiler, close);
    if (date.years == 0.0) return today(compiler, asset);
    if (compiler->status == STATUS_OK) {
        compiler->past->missing_parameter = date.parameter;
        compiler->past->missing_date = date.index;
        compiler->past->missing_asset = asset;
    }
    compile_fail(compiler, e->place.line, "the close of asset %d on date %d of %s is not known",
                 asset + 1, date.index + 1, compiler->script->symbols[date.parameter].name);
    return 0;
}

/* Returns a number that is known before paths are: a bound of survives(). */
static double known_bound(struct compiler *compiler, int expression, double fallback)
{
    if (expression < 0) return fallback;
    int bound = compile_value(compiler, expression), work = 0;
    double number = value_today(&compiler->values, bound, compiler->binding->today, &work);
    if (isnan(number))
        compile_fail(compiler, compiler->script->expressions[expression].place.line,
                     "a bound of survives() must be known today");
    return number;
}

/* What has been seen of an asset by the end of today: once the script is over it is a number. */
static int extreme_today(struct compiler *compiler, int asset)
{
    const double *spots = compiler->binding->today;
    return compiler->over && spots ? number(compiler, spots[asset]) : today(compiler, asset);
}

/* Whether the spot of today lies within bounds. */
static int within(struct compiler *compiler, const struct program_input *input)
{
    int spot = extreme_today(compiler, input->asset);
    int above = compile_operation(compiler, OPERATION_LESS, number(compiler, input->lower), spot);
    int below = compile_operation(compiler, OPERATION_LESS, spot, number(compiler, input->upper));
    return compile_operation(compiler, OPERATION_AND, above, below);
}

/* Returns the watch that ended last before or where this one does and is its beginning; NULL: there
 * is none. */
static const struct seen_watch *beginning_of(const struct compiler *compiler,
                                             const struct program_input *whole)
{
    const struct seen_watch *before = NULL;
    for (int i = 0; i < compiler->n_watches; i++) {
        const struct seen_watch *seen = &compiler->watches[i];
        bool alike = seen->input.kind == whole->kind && seen->input.asset == whole->asset &&
                     seen->input.from == whole->from && seen->input.lower == whole->lower &&
                     seen->input.upper == whole->upper && seen->input.date <= whole->date;
        if (alike && (!before || seen->input.date > before->input.date)) before = seen;
    }
    return before;
}

/* It is made of its beginning, where that has been asked for, and of the way from there. */
int compile_watch(struct compiler *compiler, const struct program_input *whole)
{
    static const enum operation joins[] = {[INPUT_HIGHEST] = OPERATION_MAX,
                                           [INPUT_LOWEST] = OPERATION_MIN,
                                           [INPUT_SURVIVAL] = OPERATION_MULTIPLY};
    const struct seen_watch *before = beginning_of(compiler, whole);
    if (before && before->input.date == whole->date) return before->value;
    struct program_input rest = *whole;
    if (before) rest.from = before->input.date;
    int value = value_input(&compiler->values, &rest);
    if (before) value = compile_operation(compiler, joins[whole->kind], before->value, value);
    compile_append(compiler, &compiler->watches, &compiler->n_watches,
                   &(struct seen_watch){*whole, value});
    return value;
}

/* What the path does between dates. */
static int watched(struct compiler *compiler, const struct script_expression *e)
{
    bool survives = e->kind == EXPRESSION_SURVIVES;
    double until = compile_place(compiler, survives ? e->d : e->b).years;
    double from = e->from < 0 ? -HUGE_VAL : compile_place(compiler, e->from).years;
    struct program_input input = {
        .asset = compile_place(compiler, e->a).index, .date = until, .from = fmax(from, 0.0)};
    input.kind = survives                        ? INPUT_SURVIVAL
                 : e->kind == EXPRESSION_HIGHEST ? INPUT_HIGHEST
                                                 : INPUT_LOWEST;
    if (survives) {
        input.lower = fmax(known_bound(compiler, e->b, 0.0), 0.0);
        input.upper = known_bound(compiler, e->c, HUGE_VAL);
    }
    if (until > compiler->now + COMPILE_SAME_DATE)
        compile_fail(compiler, e->place.line, "what happens until a later date is not known here");
    if (from > until + COMPILE_SAME_DATE)
        compile_fail(compiler, e->place.line, "what is watched ends before it begins");
    if (until < 0.0 && compiler->now < 0.0)
        compile_fail(compiler, e->place.line,
                     "what the path did between dates before today is not known; leave out the "
                     "dates that have passed");
    if ((until < 0.0 || (e->from >= 0 && from < 0.0)) && !compiler->program->blind)
        compiler->program->blind = e->place.line;
    if (until < 0.0)
        return number(compiler, survives ? 1.0 : e->kind == EXPRESSION_HIGHEST ? 0.0 : HUGE_VAL);
    if (until <= 0.0 && survives) return within(compiler, &input);
    if (until <= 0.0) return extreme_today(compiler, input.asset);
    int value = compile_watch(compiler, &input);
    return survives ? value : compile_operation(compiler, OPERATION_EXP2, value, 0);
}

/* Years by a day count, which counts whole days. */
static int years(struct compiler *compiler, const struct script_expression *e)
{
    const double dates[] = {compile_place(compiler, e->a).years,
                            compile_place(compiler, e->b).years};
    enum day_count count = (enum day_count)e->number;
    long today = compiler->binding->day, days[2];
    if (count == ACT_365F) return number(compiler, dates[1] - dates[0]);
    for (int i = 0; i < 2; i++) {
        days[i] = today + lround(365.0 * dates[i]);
        if (!today || fabs(dates[i] - round(365.0 * dates[i]) / 365.0) > COMPILE_SAME_DATE)
            compile_fail(compiler, e->place.line,
                         "a day count needs dates such as 2027-11-20, and a valuation date");
    }
    bool back = days[1] < days[0];
    double counted = day_count_years(count, days[back], days[!back]);
    return number(compiler, back ? -counted : counted);
}

/* What is known before paths are: numbers of loops and dates. */
static int known(struct compiler *compiler, const struct script_expression *e)
{
    if (e->kind == EXPRESSION_SIZE) return number(compiler, compile_members(compiler, e->symbol));
    struct script_member at = compile_place(compiler, e->a);
    bool first = at.index == 0, last = at.index == compile_members(compiler, at.parameter) - 1;
    return number(compiler, e->kind == EXPRESSION_INDEX   ? at.index + 1
                            : e->kind == EXPRESSION_FIRST ? first
                                                          : last);
}

/* ---- operations */

static int operand(struct compiler *compiler, int expression)
{
    if (expression < 0) return 0;
    if (compiler->script->expressions[expression].type == VALUE_DATE)
        return number(compiler, compile_place(compiler, expression).years);
    return compile_value(compiler, expression);
}

/* Notes the line of an expression that makes no number, or an infinite one, of a value which is not
 * known to be as it should, or is a number that is not. */
static void doubt_value(struct compiler *compiler, const struct script_expression *e, int value,
                        int should)
{
    const struct node *node = &compiler->values.nodes[value];
    bool negative = node->number < 0.0 && e->kind != EXPRESSION_DIVIDE,
         wrong = node->known & KNOWN_CONSTANT
                     ? negative || (node->number == 0.0 && should == KNOWN_PRICE)
                     : (node->known & KNOWN_VARIES) && !(node->known & should);
    if (!compiler->program->doubtful && wrong) compiler->program->doubtful = e->place.line;
}

static int operated(struct compiler *compiler, const struct script_expression *e)
{
    int a = operand(compiler, e->a), b = operand(compiler, e->b);
    if (e->kind == EXPRESSION_DIVIDE) doubt_value(compiler, e, b, KNOWN_PRICE);
    if (e->kind == EXPRESSION_SQRT) doubt_value(compiler, e, a, KNOWN_NOT_NEGATIVE);
    return compile_operation(compiler, rows[e->kind].operation, a, b);
}

static int turned(struct compiler *compiler, const struct script_expression *e)
{
    int a = operand(compiler, e->a), b = operand(compiler, e->b);
    return compile_operation(compiler, rows[e->kind].operation, b, a);
}

static int unequal(struct compiler *compiler, const struct script_expression *e)
{
    return compile_operation(compiler, OPERATION_NOT, operated(compiler, e), 0);
}

static int exponential(struct compiler *compiler, const struct script_expression *e)
{
    int x = compile_value(compiler, e->a);
    x = compile_operation(compiler, OPERATION_MULTIPLY, x, number(compiler, LOG2_E));
    return compile_operation(compiler, OPERATION_EXP2, x, 0);
}

static int logarithm(struct compiler *compiler, const struct script_expression *e)
{
    int x = compile_value(compiler, e->a);
    doubt_value(compiler, e, x, KNOWN_PRICE);
    return compile_operation(compiler, OPERATION_MULTIPLY, value_log2(&compiler->values, x),
                             number(compiler, LN2));
}

static int power(struct compiler *compiler, const struct script_expression *e)
{
    int x = compile_value(compiler, e->a), y = compile_value(compiler, e->b);
    double k = compiler->values.nodes[y].number;
    if (value_known(&compiler->values, y, KNOWN_CONSTANT) && k == floor(k) && fabs(k) <= 8.0) {
        int result = k != 0.0 ? x : number(compiler, 1.0);
        for (int i = 1; i < fabs(k); i++)
            result = compile_operation(compiler, OPERATION_MULTIPLY, result, x);
        if (k >= 0.0) return result;
        doubt_value(compiler, e, x, KNOWN_PRICE);
        return compile_operation(compiler, OPERATION_DIVIDE, number(compiler, 1.0), result);
    }
    doubt_value(compiler, e, x, KNOWN_PRICE);
    x = compile_operation(compiler, OPERATION_MULTIPLY, value_log2(&compiler->values, x), y);
    return compile_operation(compiler, OPERATION_EXP2, x, 0);
}

/* `and`, `or`, `if`: what cannot matter is not looked at. */
static int condition(struct compiler *compiler, const struct script_expression *e)
{
    struct values *values = &compiler->values;
    int flag = compile_value(compiler, e->a);
    bool set = value_is(values, flag, 1.0), branches = e->kind == EXPRESSION_IF;
    if (value_known(values, flag, KNOWN_CONSTANT)) {
        if (branches) return compile_value(compiler, set ? e->b : e->c);
        return set == (e->kind == EXPRESSION_AND) ? compile_value(compiler, e->b) : flag;
    }
    int b = compile_value(compiler, e->b), c = branches ? compile_value(compiler, e->c) : 0;
    return branches ? value_of(values, OPERATION_SELECT, flag, b, c)
                    : compile_operation(compiler, rows[e->kind].operation, flag, b);
}

static int fold(struct compiler *compiler, const struct script_expression *e)
{
    struct values *values = &compiler->values;
    int over = compiler->script->symbols[e->symbol].over, n = compile_members(compiler, over);
    int one = number(compiler, 1.0), none = number(compiler, rows[e->kind].of_none);
    int result = -1, members = 0;
    for (int i = 0; i < n && compile_work(compiler, e->place.line); i++) {
        compile_set_loop(compiler, e->symbol, i);
        int where = e->b >= 0 ? compile_value(compiler, e->b) : one;
        if (value_is(values, where, 0.0)) continue;
        int x = e->a >= 0 ? compile_value(compiler, e->a) : one;
        x = value_of(values, OPERATION_SELECT, where, x, none);
        result = result < 0 ? x : compile_operation(compiler, rows[e->kind].operation, result, x);
        if (e->kind == EXPRESSION_MEAN)
            members = compile_operation(compiler, OPERATION_ADD, members, where);
    }
    if (result < 0) return none;
    if (e->kind != EXPRESSION_MEAN) return result;
    int some = compile_operation(compiler, OPERATION_LESS, 0, members);
    result = compile_operation(compiler, OPERATION_DIVIDE, result, members);
    return value_of(values, OPERATION_SELECT, some, result, 0);
}

static const struct expression_row rows[EXPRESSION_SURVIVES + 1] = {
    [EXPRESSION_NUMBER] = {literal},
    [EXPRESSION_FLAG] = {literal},
    [EXPRESSION_SYMBOL] = {named},
    [EXPRESSION_ELEMENT] = {named},
    [EXPRESSION_SPOT] = {spot},
    [EXPRESSION_TODAY] = {spot_today},
    [EXPRESSION_NEGATE] = {operated, OPERATION_NEGATE},
    [EXPRESSION_ABS] = {operated, OPERATION_ABS},
    [EXPRESSION_EXP] = {exponential},
    [EXPRESSION_LOG] = {logarithm},
    [EXPRESSION_SQRT] = {operated, OPERATION_SQRT},
    [EXPRESSION_NORMAL_CDF] = {operated, OPERATION_NORMAL_CDF},
    [EXPRESSION_ADD] = {operated, OPERATION_ADD},
    [EXPRESSION_SUBTRACT] = {operated, OPERATION_SUBTRACT},
    [EXPRESSION_MULTIPLY] = {operated, OPERATION_MULTIPLY},
    [EXPRESSION_DIVIDE] = {operated, OPERATION_DIVIDE},
    [EXPRESSION_POWER] = {power},
    [EXPRESSION_MIN] = {operated, OPERATION_MIN},
    [EXPRESSION_MAX] = {operated, OPERATION_MAX},
    [EXPRESSION_LESS] = {operated, OPERATION_LESS},
    [EXPRESSION_LESS_EQUAL] = {operated, OPERATION_LESS_EQUAL},
    [EXPRESSION_GREATER] = {turned, OPERATION_LESS},
    [EXPRESSION_GREATER_EQUAL] = {turned, OPERATION_LESS_EQUAL},
    [EXPRESSION_EQUAL] = {operated, OPERATION_EQUAL},
    [EXPRESSION_NOT_EQUAL] = {unequal, OPERATION_EQUAL},
    [EXPRESSION_NOT] = {operated, OPERATION_NOT},
    [EXPRESSION_AND] = {condition, OPERATION_AND},
    [EXPRESSION_OR] = {condition, OPERATION_OR},
    [EXPRESSION_IF] = {condition},
    [EXPRESSION_SUM] = {fold, OPERATION_ADD},
    [EXPRESSION_PRODUCT] = {fold, OPERATION_MULTIPLY, 1.0},
    [EXPRESSION_FOLD_MIN] = {fold, OPERATION_MIN, HUGE_VAL},
    [EXPRESSION_FOLD_MAX] = {fold, OPERATION_MAX, -HUGE_VAL},
    [EXPRESSION_MEAN] = {fold, OPERATION_ADD},
    [EXPRESSION_COUNT] = {fold, OPERATION_ADD},
    [EXPRESSION_ANY] = {fold, OPERATION_OR},
    [EXPRESSION_ALL] = {fold, OPERATION_AND, 1.0},
    [EXPRESSION_SIZE] = {known},
    [EXPRESSION_YEARS] = {years},
    [EXPRESSION_INDEX] = {known},
    [EXPRESSION_FIRST] = {known},
    [EXPRESSION_LAST] = {known},
    [EXPRESSION_HIGHEST] = {watched},
    [EXPRESSION_LOWEST] = {watched},
    [EXPRESSION_SURVIVES] = {watched},
};

int compile_value(struct compiler *compiler, int expression)
{
    const struct script_expression *e = &compiler->script->expressions[expression];
    return compile_work(compiler, e->place.line) ? rows[e->kind].compile(compiler, e) : 0;
}
