/* Scripts and what a trade gives them, for the tests of the reference that walks them. */
#ifndef PRICER_VALIDATION_TESTS_REFERENCE_SCRIPTS_H
#define PRICER_VALIDATION_TESTS_REFERENCE_SCRIPTS_H

#include "models/payoffs/scripted.h"
#include "validation/tests/reference/reference_fixtures.h"

static const double SCRIPTED_WORK = 1.2e8; /* operations: a tenth of a second */

/* The script that was read last, bound to numbers: at most 16 parameters of 300 values. */
static struct scripted_test {
    struct script script;
    struct bound bound[16];
    struct binding binding;
    struct scripted scripted;
    double values[16][300];
} the_script;

static inline void scripted_read(const char *text, int n_assets)
{
    struct script_errors errors = {0};
    script_free(&the_script.script);
    the_script = (struct scripted_test){0};
    enum status status = script_read(text, strlen(text), &the_script.script, &errors);
    for (int i = 0; i < errors.n; i++) print_message("%s\n", errors.list[i].text);
    assert_ok(status);
    the_script.binding = (struct binding){
        .script = &the_script.script, .n_assets = n_assets, .bound = the_script.bound};
    for (int p = 0; p < the_script.script.n_parameters; p++) {
        const struct script_symbol *symbol = &the_script.script.symbols[p];
        bool asset = symbol->kind == SYMBOL_ASSET || symbol->kind == SYMBOL_ASSETS;
        the_script.bound[p].values = the_script.values[p];
        the_script.bound[p].n = asset || symbol->fallback_spot ? n_assets : 1;
        for (int i = 0; i < n_assets; i++)
            the_script.values[p][i] = symbol->fallback_spot ? NAN : symbol->fallback;
    }
}

/* Gives a parameter its values. */
static inline struct bound *scripted_list(const char *name, int n, const double *values)
{
    for (int p = 0; p < the_script.script.n_parameters; p++) {
        if (strcmp(the_script.script.symbols[p].name, name) != 0) continue;
        the_script.bound[p].n = n;
        for (int i = 0; i < n; i++) the_script.values[p][i] = values[i];
        return &the_script.bound[p];
    }
    fail_msg("no parameter %s", name);
    return NULL;
}

/* Gives parameters numbers: "expiry=1 strike=95". */
static inline void scripted_numbers(const char *numbers)
{
    char name[64];
    double value;
    for (int n; sscanf(numbers, " %63[^=]=%lf%n", name, &value, &n) == 2; numbers += n)
        scripted_list(name, 1, &value);
    assert_string_equal(numbers, "");
}

/* Makes a trade on the same assets whose payoff the script is. */
static inline struct trade scripted_trade(const struct trade *on)
{
    struct trade trade = *on;
    trade.product = PRODUCT_SCRIPT;
    the_script.scripted.script = &the_script.script;
    the_script.scripted.binding = the_script.binding;
    trade.scripted = &the_script.scripted;
    return trade;
}

static inline enum status scripted_try(const struct market *market, const struct trade *on,
                                       struct reference *out, struct message *why)
{
    struct effort effort = effort_full(NULL);
    struct trade trade = scripted_trade(on);
    effort.work = SCRIPTED_WORK;
    *why = (struct message){""};
    return reference_price(market, &trade, 5, &effort, out, why);
}

static inline struct reference scripted_price(const struct market *market,
                                              const struct trade *trade)
{
    struct reference out = {0};
    struct message why;
    enum status status = scripted_try(market, trade, &out, &why);
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

/* Fails the test unless the script has the price of the trade. */
static inline void assert_agrees(const struct market *market, const struct trade *trade)
{
    struct reference exact;
    assert_ok(reference_price(market, trade, 1, NULL, &exact, &said));
    assert_agree(scripted_price(market, trade), exact);
}

#endif
