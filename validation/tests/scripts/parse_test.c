/* The tree that the reader makes of scripts, and what it refuses. */
#include "validation/tests/test.h"

#include <time.h>

#include "models/scripts/script.h"

/* ---- a tree as text */

static char shown[1 << 16];
static size_t n_shown;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    n_shown += (size_t)vsnprintf(shown + n_shown, sizeof shown - n_shown, format, list);
    va_end(list);
    assert_true(n_shown < sizeof shown);
}

static const char *const kinds[] = {
    "",      "",     "",         "[]",      "spot",   "today",   "neg",     "abs",
    "exp",   "log",  "sqrt",     "normal",  "+",      "-",       "*",       "/",
    "^",     "min",  "max",      "<",       "<=",     ">",       ">=",      "==",
    "!=",    "not",  "and",      "or",      "if",     "sum",     "product", "fmin",
    "fmax",  "mean", "count",    "any",     "all",    "size",    "years",   "index",
    "first", "last", "previous", "highest", "lowest", "survives"};
static const char types[] = {'n', 'f', 'd', 'a'};

/* Each node says its kind, the type of its value, its symbol, its children where it has them. */
static void say_expression(const struct script *script, int node)
{
    const struct script_expression *e = &script->expressions[node];
    const int children[] = {e->a, e->b, e->c, e->d, e->from};
    int last = -1;
    for (int i = 0; i < 4; i++)
        if (children[i] >= 0) last = i;
    const char *symbol = e->symbol >= 0 ? script->symbols[e->symbol].name : "";
    if (e->kind == EXPRESSION_NUMBER || e->kind == EXPRESSION_FLAG) say("%g", e->number);
    else say("%s%s", kinds[e->kind], symbol);
    if (e->kind != EXPRESSION_NUMBER) say(":%c", types[e->type]);
    for (int i = 0; i <= last; i++) {
        say(i ? " " : "(");
        if (children[i] < 0) say("_");
        else say_expression(script, children[i]);
    }
    if (last >= 0) say(")");
}

static void say_statements(const struct script *script, int i)
{
    static const char *const names[] = {"=", "each", "at", "for", "if", "pay", "stop", "exercise"};
    for (bool later = false; i >= 0; i = script->statements[i].next, later = true) {
        const struct script_statement *s = &script->statements[i];
        say("%s%s%s", later ? "; " : "", names[s->kind], s->issuer ? " issuer" : "");
        if (s->symbol >= 0) say(" %s", script->symbols[s->symbol].name);
        const int nodes[] = {s->subscript, s->value, s->date};
        const char *const before[] = {"[", " ", " @"}, *const after[] = {"]", "", ""};
        for (int k = 0; k < 3; k++) {
            if (nodes[k] < 0) continue;
            say("%s", before[k]);
            say_expression(script, nodes[k]);
            say("%s", after[k]);
        }
        const int blocks[] = {s->body, s->otherwise};
        for (int k = 0; k < 2; k++) {
            if (blocks[k] < 0) continue;
            say(k ? " else {" : " {");
            say_statements(script, blocks[k]);
            say("}");
        }
    }
}

/* ---- reading */

static struct script script;
static struct script_errors errors;

static enum status read_text(const char *text)
{
    return script_read(text, strlen(text), &script, &errors);
}

/* Reads a script that is right. */
static void read_right(const char *text)
{
    enum status status = read_text(text);
    if (errors.n) fail_msg("%d: %s\n%s", errors.list[0].place.line, errors.list[0].text, text);
    assert_ok(status);
}

/* The header of all short scripts; their first line is the third. */
#define HEADER                                                                                     \
    "product p(assets basket; dates days, others; date expiry, start; number x, y = 2;\n"          \
    "  number k[days], w[basket] = spot; flag f; choice o(call | put), side(put | out))\n"

static const struct tree_row {
    const char *text, *tree;
} expression_rows[] = {
    /* levels */
    {"x + y * x ^ y", "+:n(x:n *:n(y:n ^:n(x:n y:n)))"},
    {"x - y - 1 / 2 / 3", "-:n(-:n(x:n y:n) /:n(/:n(1 2) 3))"},
    {"x ^ y ^ 3", "^:n(x:n ^:n(y:n 3))"},
    {"-x ^ 2", "neg:n(^:n(x:n 2))"},
    {"x ^ -2 * 3", "*:n(^:n(x:n neg:n(2)) 3)"},
    {"-x * y", "*:n(neg:n(x:n) y:n)"},
    {"x - -y", "-:n(x:n neg:n(y:n))"},
    {"(x + y) * 3", "*:n(+:n(x:n y:n) 3)"},
    {"x + (1\n  - y)", "+:n(x:n -:n(1 y:n))"},
    {"1e-3 + 0.5 + 2E2 + inf", "+:n(+:n(+:n(0.001 0.5) 200) inf)"},
    {"x if f else y if not f else 1", "if:n(f:f x:n if:n(not:f(f:f) y:n 1))"},
    {"1 if x < 1 or y >= 2 and not x == y else 0",
     "if:n(or:f(<:f(x:n 1) and:f(>=:f(y:n 2) not:f(==:f(x:n y:n)))) 1 0)"},
    {"1 if f and true or false else 0", "if:n(or:f(and:f(f:f 1:f) 0:f) 1 0)"},
    {"1 if x <= 1 and y > x and x != y else 0",
     "if:n(and:f(and:f(<=:f(x:n 1) >:f(y:n x:n)) !=:f(x:n y:n)) 1 0)"},
    /* words of choices stand for their number in the choice beside them */
    {"1 if o == put else 0", "if:n(==:f(o:n 1) 1 0)"},
    {"1 if put != side else 0", "if:n(!=:f(0 side:n) 1 0)"},
    /* names, spots, lists */
    {"k[t]", "[]k:n(t:d)"},
    {"k[expiry]", "[]k:n(expiry:d)"},
    {"sum(a(t) / w[a] for a in basket)", "suma:n(/:n(spot:n(a:a t:d) []w:n(a:a)))"},
    {"max(a(start) for a in basket where a(t) > 1)",
     "fmaxa:n(spot:n(a:a start:d) >:f(spot:n(a:a t:d) 1))"},
    {"min(a(t) for a in basket)", "fmina:n(spot:n(a:a t:d))"},
    {"product(a(t) for a in basket) + mean(spot(a) for a in basket)",
     "+:n(producta:n(spot:n(a:a t:d)) meana:n(today:n(a:a)))"},
    {"count(a for a in basket where a(t) > 1)", "counta:n(_ >:f(spot:n(a:a t:d) 1))"},
    {"count(u for u in days)", "countu:n"},
    {"1 if any(a(t) > 1 for a in basket) or all(u <= t for u in days) else 0",
     "if:n(or:f(anya:f(>:f(spot:n(a:a t:d) 1)) allu:f(<=:f(u:d t:d))) 1 0)"},
    {"sum(sum(a(u) for u in days where u <= t) for a in basket where index(a) == 1)",
     "suma:n(sumu:n(spot:n(a:a u:d) <=:f(u:d t:d)) ==:f(index:n(a:a) 1))"},
    /* functions */
    {"min(x, y) + max(1, 2, 3)", "+:n(min:n(x:n y:n) max:n(max:n(1 2) 3))"},
    {"abs(x) + exp(x) + log(x) + sqrt(x) + normal(x)",
     "+:n(+:n(+:n(+:n(abs:n(x:n) exp:n(x:n)) log:n(x:n)) sqrt:n(x:n)) normal:n(x:n))"},
    {"size(days) * years(previous(t, start), t)",
     "*:n(sizedays:n years:n(previous:d(t:d start:d) t:d))"},
    {"index(t) if first(t) or last(t) else 0",
     "if:n(or:f(first:f(t:d) last:f(t:d)) index:n(t:d) 0)"},
    {"sum(highest(a, t) - lowest(a, expiry) for a in basket)",
     "suma:n(-:n(highest:n(a:a t:d) lowest:n(a:a expiry:d)))"},
    {"sum(survives(a, until = t, lower = x) for a in basket)", "suma:n(survives:n(a:a x:n _ t:d))"},
    {"sum(survives(a, upper = y, lower = x, until = t) for a in basket)",
     "suma:n(survives:n(a:a x:n y:n t:d))"},
    {"sum(survives(a, upper = y, until = t) for a in basket)", "suma:n(survives:n(a:a _ y:n t:d))"},
};

TEST(expressions)
{
    char text[1024];
    for (size_t i = 0; i < sizeof expression_rows / sizeof *expression_rows; i++) {
        snprintf(text, sizeof text, HEADER " each t in days\n  pay %s\n", expression_rows[i].text);
        read_right(text);
        shown[n_shown = 0] = '\0';
        int each = script.first, pay = script.statements[each].body;
        say_expression(&script, script.statements[pay].value);
        assert_string_equal(shown, expression_rows[i].tree);
        assert_int_equal(script.expressions[script.statements[pay].value].place.line, 4);
        script_free(&script);
    }
}

static const struct tree_row statement_rows[] = {
    {" number n = 0; flag g = not f\n number v[basket] = sum(spot(a) for a in basket)\n"
     " at expiry\n  n = n + 1; m = 2\n  for a in basket: v[a] = n; c[a] = m\n  pay n at expiry\n",
     "= n 0; = g not:f(f:f); = v suma:n(today:n(a:a)); at @expiry:d {= n +:n(n:n 1); = m 2; "
     "for a {= v[a:a] n:n; = c[a:a] m:n}; pay n:n @expiry:d}"},
    {" each t in days:\n    if f:\n     pay 1; stop\n    else if x > 1\n     pay 2\n    else: "
     "stop\n"
     " each t in others\n  exercise holder pays x\n  exercise issuer pays k[start];\n",
     "each t {if f:f {pay 1; stop} else {if >:f(x:n 1) {pay 2} else {stop}}}; "
     "each t {exercise x:n; exercise issuer []k:n(start:d)}"},
    {"\n # a comment\n at start # behind\r\n\t\n   in = f # one\n\n   if in: pay x\n",
     "at @start:d {= in f:f; if in:f {pay x:n}}"},
    {" at start: last_one = 1; pay last_one", "at @start:d {= last_one 1; pay last_one:n}"},
};

TEST(statements)
{
    char text[1024];
    for (size_t i = 0; i < sizeof statement_rows / sizeof *statement_rows; i++) {
        snprintf(text, sizeof text, HEADER "%s", statement_rows[i].text);
        read_right(text);
        shown[n_shown = 0] = '\0';
        say_statements(&script, script.first);
        assert_string_equal(shown, statement_rows[i].tree);
        script_free(&script);
    }
}

static const char autocallable[] =
    "# Not of the description.\n\n"
    "# Pays a coupon where the\tworst asset is at coupon_at or above,  \r\n"
    "#  missed ones too;\n"
    "#\n"
    "# called at call.\n"
    "product autocallable(assets basket; dates observations; date expiry;\n"
    "                     number call, coupon, floor = 0, coupon_at = -inf; flag memory = true;\n"
    "                     money notional; number initial[basket] = spot; choice o(a1 | b1) = b1)\n"
    "  number missed = 0\n"
    "  each t in observations\n"
    "    worst = min(a(t) / initial[a] for a in basket)\n"
    "    missed = missed + 1\n"
    "    if worst >= coupon_at: pay notional * coupon * (missed if memory else 1); missed = 0\n"
    "    if worst >= call: pay notional; stop\n"
    "  at expiry\n"
    "    worst = min(a(expiry) / initial[a] for a in basket)\n"
    "    pay notional * (worst if worst < floor else 1)\n";

/* Says the kind, name, type and list of each symbol, and its default. */
static void say_symbols(void)
{
    static const char *const of_kinds[] = {
        [SYMBOL_ASSETS] = "assets", [SYMBOL_DATES] = "dates", [SYMBOL_DATE] = "date",
        [SYMBOL_NUMBER] = "number", [SYMBOL_FLAG] = "flag",   [SYMBOL_CHOICE] = "choice",
        [SYMBOL_STATE] = "state",   [SYMBOL_LOOP] = "loop"};
    for (int i = 0; i < script.n_symbols; i++) {
        const struct script_symbol *symbol = &script.symbols[i];
        say("%s%s%s %s:%c", i ? "; " : "", symbol->money ? "money " : "", of_kinds[symbol->kind],
            symbol->name, types[symbol->type]);
        if (symbol->over >= 0) say("[%s]", script.symbols[symbol->over].name);
        if (symbol->n_words) say("(%d)", symbol->n_words);
        if (symbol->fallback_spot) say(" = spot");
        else if (symbol->has_default) say(" = %g", symbol->fallback);
    }
}

TEST(header)
{
    read_right(autocallable);
    assert_string_equal(script.name, "autocallable");
    assert_string_equal(script.text, autocallable);
    assert_int_equal(script.asset, 0);
    assert_int_equal(script.expiry, 2);
    assert_int_equal(script.n_parameters, 11);
    shown[n_shown = 0] = '\0';
    say_symbols();
    assert_string_equal(
        shown, "assets basket:a; dates observations:d; date expiry:d; number call:n; "
               "number coupon:n; number floor:n = 0; number coupon_at:n = -inf; "
               "flag memory:f = 1; money number notional:n; number initial:n[basket] = spot; "
               "choice o:n(2) = 1; state missed:n; loop t:d[observations]; loop a:a[basket]; "
               "state worst:n; loop a:a[basket]");
    assert_int_equal(script.symbols[3].place.line, 8);
    assert_int_equal(script.symbols[3].place.column, 29);
    assert_string_equal(script.words[1], "b1");
    script_free(&script);
    assert_null(script.text);
}

/* A byte order mark, lines that end in \r\n, a script that is indented as a whole. */
TEST(other_editors)
{
    read_right("\xEF\xBB\xBFproduct p(date expiry)\r\n at expiry\r\n  pay 1\r\n");
    assert_int_equal(script.symbols[0].place.column, 16);
    script_free(&script);
    read_right("product p(asset s; number k = spot, q = 1; date expiry)\n at expiry: pay 1");
    assert_true(script.symbols[1].fallback_spot);
    script_free(&script);
    read_right("\n    # within a book\n    product p(date expiry)\n      at expiry: pay 1\n  ");
    script_free(&script);
}

/* A script is read in some 15 microseconds: 10,000 of them, in each of which 20 lines. */
TEST(many_scripts)
{
    clock_t begin = clock();
    for (int i = 0; i < 10000; i++) {
        read_right(autocallable);
        script_free(&script);
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("10,000 scripts in %.3f s\n", seconds);
    assert_true(seconds < 5.0); /* 0.2 s without sanitizers, on a machine that does nothing else */
}

ALL_TESTS(parse_test)
