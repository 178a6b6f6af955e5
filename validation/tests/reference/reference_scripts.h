/* Scripts and what a trade gives them, for the tests of the reference that walks them. */
#ifndef PRICER_VALIDATION_TESTS_REFERENCE_SCRIPTS_H
#define PRICER_VALIDATION_TESTS_REFERENCE_SCRIPTS_H

#include "models/payoffs/scripted.h"
#include "validation/tests/reference/reference_fixtures.h"

static const double SCRIPTED_WORK = 1.2e8; /* operations: a tenth of a second */

/* A script bound to numbers: at most 16 parameters of 300 values. */
struct scripted_test {
    struct script script;
    struct bound bound[16];
    struct binding binding;
    struct scripted scripted;
    double values[16][300];
};

static inline void scripted_read(struct scripted_test *s, const char *text, int n_assets)
{
    struct script_errors errors = {0};
    *s = (struct scripted_test){0};
    enum status status = script_read(text, strlen(text), &s->script, &errors);
    for (int i = 0; i < errors.n; i++) print_message("%s\n", errors.list[i].text);
    assert_ok(status);
    s->binding = (struct binding){.script = &s->script, .n_assets = n_assets, .bound = s->bound};
    for (int p = 0; p < s->script.n_parameters; p++) {
        const struct script_symbol *symbol = &s->script.symbols[p];
        bool asset = symbol->kind == SYMBOL_ASSET || symbol->kind == SYMBOL_ASSETS;
        s->bound[p].values = s->values[p];
        s->bound[p].n = asset || symbol->fallback_spot ? n_assets : 1;
        for (int i = 0; i < n_assets; i++)
            s->values[p][i] = symbol->fallback_spot ? NAN : symbol->fallback;
    }
}

/* Gives a parameter its values. */
static inline struct bound *scripted_list(struct scripted_test *s, const char *name, int n,
                                          const double *values)
{
    for (int p = 0; p < s->script.n_parameters; p++) {
        if (strcmp(s->script.symbols[p].name, name) != 0) continue;
        s->bound[p].n = n;
        for (int i = 0; i < n; i++) s->values[p][i] = values[i];
        return &s->bound[p];
    }
    fail_msg("no parameter %s", name);
    return NULL;
}

/* Gives parameters numbers: "expiry=1 strike=95". */
static inline void scripted_numbers(struct scripted_test *s, const char *numbers)
{
    char name[64];
    double value;
    for (int n; sscanf(numbers, " %63[^=]=%lf%n", name, &value, &n) == 2; numbers += n)
        scripted_list(s, name, 1, &value);
    assert_string_equal(numbers, "");
}

/* Makes a trade on the same assets whose payoff the script is. */
static inline struct trade scripted_trade(struct scripted_test *s, const struct trade *on)
{
    struct trade trade = *on;
    trade.product = PRODUCT_SCRIPT;
    s->scripted.script = &s->script;
    s->scripted.binding = s->binding;
    trade.scripted = &s->scripted;
    return trade;
}

static inline enum status scripted_try(struct scripted_test *s, const struct market *market,
                                       const struct trade *on, struct reference *out,
                                       struct message *why)
{
    struct effort effort = effort_full(NULL);
    struct trade trade = scripted_trade(s, on);
    effort.work = SCRIPTED_WORK;
    *why = (struct message){""};
    return reference_price(market, &trade, 5, &effort, out, why);
}

static inline struct reference scripted_price(struct scripted_test *s, const struct market *market,
                                              const struct trade *trade)
{
    struct reference out = {0};
    struct message why;
    enum status status = scripted_try(s, market, trade, &out, &why);
    if (status) print_message("status %d: %s\n", (int)status, why.text);
    assert_ok(status);
    return out;
}

/* Two prices of one thing, within four joint errors. */
#define assert_agree(a, b)                                                                         \
    do {                                                                                           \
        struct reference one_ = (a), two_ = (b);                                                   \
        double joint_ = hypot(one_.error, two_.error);                                             \
        print_message("%s %.8g(%.2g) against %s %.8g(%.2g): z %.2f\n", one_.method, one_.price,    \
                      one_.error, two_.method, two_.price, two_.error,                             \
                      (one_.price - two_.price) / joint_);                                         \
        assert_true(fabs(one_.price - two_.price) <= 4.0 * joint_ + 1e-12 * fabs(two_.price));     \
    } while (0)

/* Fails the test unless the script has the price of the trade, and frees the script. */
static inline void assert_agrees(struct scripted_test *s, const struct market *market,
                                 const struct trade *trade)
{
    struct reference exact;
    assert_ok(reference_price(market, trade, 1, NULL, &exact, &said));
    assert_agree(scripted_price(s, market, trade), exact);
    script_free(&s->script);
}

#endif
