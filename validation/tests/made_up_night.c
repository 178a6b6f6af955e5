#include "validation/tests/made_up_night.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char hostile_id[] = "</script><img src=x onerror=alert(1)>";
const char hostile_asset[] = "A\"'&<b>";

enum { N_GREEK_KINDS = 4, N_DAYS = 250, N_SPOTS = 7, N_VOLS = 5, N_CONFIDENCES = 2 };

static const char *const listed[] = {"crash -20%", "rates +1%", "everything & <more>",
                                     "dollar +10%"};
enum { N_LISTED = sizeof listed / sizeof *listed, N_SCENARIOS = N_LISTED + N_SPOTS * N_VOLS };

/* Numbers from -1 to 1 that look like chance and are always the same. */
static double wave(int i)
{
    return sin(12.9898 * i * i + 1.0);
}

static void *zeros(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) abort();
    return memory;
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(zeros(1, size), text, size);
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* Quotes of three expiries at five strikes, one of them off the others. */
static void make_surface(struct asset *asset)
{
    static double times[] = {0.25, 1.0, 2.0}, strikes[] = {2400, 2700, 3000, 3300, 3600},
                  vols[] = {0.26,  0.22, 0.19,  0.175, 0.17,  0.235, 0.215, 0.182,
                            0.188, 0.18, 0.225, 0.212, 0.201, 0.192, 0.186};
    asset->model = MODEL_LOCAL_VOL;
    asset->variance = (struct term_structure){0};
    asset->surface = (struct surface){3, 5, times, strikes, vols, false};
}

static void make_market(struct stored_run *night)
{
    static double correlation[NIGHT_ASSETS * NIGHT_ASSETS] = {
        1, 0.8, 0.9, 0, 0.8, 1, 0.75, 0, 0.9, 0.75, 1, -0.3, 0, 0, -0.3, 1};
    static const char *const names[NIGHT_ASSETS] = {"SX5E", "SPX", "DAX", hostile_asset};
    static double rate_times[] = {0.25, 1.0, 5.0}, euros[] = {0.005, 0.021, 0.12},
                  dollars[] = {0.01, 0.036, 0.18}, yields[] = {0.007, 0.028, 0.14},
                  variances[] = {0.0075, 0.0324, 0.18};
    static struct cash_dividend dividends[] = {{0.4, 25.0}, {1.4, 26.0}};
    const struct term_structure euro = {3, rate_times, euros, 0.025},
                                dollar = {3, rate_times, dollars, 0.036},
                                yield = {3, rate_times, yields, 0.028},
                                variance = {3, rate_times, variances, 0.037};
    night->currencies[0] = (struct currency){.name = "EUR", .rate = euro};
    night->currencies[1] = (struct currency){.name = "USD", .rate = dollar};
    for (int a = 0; a < NIGHT_ASSETS; a++) {
        night->assets[a] = (struct asset){.name = (char *)names[a],
                                          .currency = a == 1,
                                          .foreign_currency = -1,
                                          .spot = 1500.0 * (a + 1),
                                          .yield = yield,
                                          .variance = variance};
        night->indices[a] = a;
    }
    night->assets[0].dividends = dividends;
    night->assets[0].n_dividends = 2;
    make_surface(&night->assets[1]);
    night->assets[2].model = MODEL_HESTON;
    night->assets[2].heston = (struct heston){0.04, 2.0, 0.05, 0.5, -0.7, 0};
    night->assets[2].variance = (struct term_structure){0};
    night->market = (struct market){2, night->currencies, NIGHT_ASSETS, night->assets, correlation};
}

static void make_trade(struct stored_run *night, int i)
{
    static char desk[] = "desk", value[] = "FX", hostile[] = "<b onclick=\"alert(3)\">'&desk";
    static struct tag desks[] = {{desk, value}, {desk, hostile}};
    snprintf(night->ids[i], sizeof night->ids[i], "TR-%02d", i);
    if (i == 3) snprintf(night->ids[i], sizeof night->ids[i], "%s", hostile_id);
    night->trades[i] = (struct trade){.id = night->ids[i],
                                      .file = "night.cfg",
                                      .line = 10 + i,
                                      .product = (enum product)(i * N_PAYOFFS / NIGHT_TRADES),
                                      .asset = i % NIGHT_ASSETS,
                                      .n_assets = 1,
                                      .assets = &night->indices[i % NIGHT_ASSETS],
                                      .n_tags = 1,
                                      .tags = &desks[i % 2],
                                      .quantity = 100.0 * (i + 1)};
    struct estimate *estimate = &night->estimates[i];
    *estimate = (struct estimate){.unit = {65536.0, 1.0, 1.0},
                                  .price = 54321.987 * (1.0 + 0.5 * wave(i)),
                                  .std_error = 210.0 * (1.5 + wave(i + 7)),
                                  .upper = NAN,
                                  .upper_error = NAN,
                                  .z = 1.5 * wave(i + 3),
                                  .reference_method = "closed form",
                                  .verdict = VERDICT_OK};
    estimate->reference = estimate->price - estimate->z * estimate->std_error;
}

static void make_troubles(struct estimate *estimates)
{
    static char of_disagreeing[] = "price 7.25 standard errors below <its> reference";
    static char of_failed[] = "variance & <script>alert(2)</script> beyond the range";
    static char of_unchecked[] = "no reference for this product";
    estimates[5].verdict = VERDICT_DISAGREES;
    estimates[5].z = -7.25;
    estimates[5].message = of_disagreeing;
    estimates[6].verdict = VERDICT_FAILED;
    estimates[6].price = estimates[6].std_error = estimates[6].reference = estimates[6].z = NAN;
    estimates[6].message = of_failed;
    estimates[7].verdict = VERDICT_UNCHECKED;
    estimates[7].reference = estimates[7].z = NAN;
    estimates[7].message = of_unchecked;
    estimates[9].upper = estimates[9].price + 100.0;
    estimates[9].upper_error = 20.0;
}

/* ---- risk ------------------------------------------------------------------------------------ */

static void make_greek(struct stored_run *night, int s)
{
    static const enum greek kinds[N_GREEK_KINDS] = {GREEK_DELTA, GREEK_GAMMA, GREEK_VEGA,
                                                    GREEK_THETA};
    static const double sizes[N_GREEK_KINDS] = {40.0, 0.3, 9000.0, -5000.0};
    const int kind = s / NIGHT_ASSETS, asset = kinds[kind] == GREEK_THETA ? -1 : s % NIGHT_ASSETS;
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", greek_rows[kinds[kind]].name, asset < 0 ? "" : ":",
             asset < 0 ? "" : night->assets[asset].name);
    night->risk.sensitivities[s] =
        (struct sensitivity){kinds[kind], asset, -1, -1, EVERY, EVERY, NAN, NAN, copy(name), {""}};
    for (int i = 0; i < NIGHT_TRADES; i++) {
        bool there = i != 6 && (asset < 0 || asset == i % NIGHT_ASSETS);
        double value = there ? sizes[kind] * (0.4 + wave(31 * s + i)) : NAN;
        double error = 0.01 * fabs(sizes[kind]), z = s == 0 && i == 8 ? 9.0 : wave(s + i);
        *risk_own_greek(&night->risk, s, i) = (struct greek_value){value,
                                                                   error,
                                                                   there ? value - z * error : NAN,
                                                                   0.0,
                                                                   there ? z : NAN,
                                                                   0.01,
                                                                   "central difference"};
    }
}

static void make_scenario_names(struct risk *risk)
{
    char name[160];
    for (int s = 0; s < N_LISTED; s++) risk->scenario_names[s] = copy(listed[s]);
    for (int s = 0; s < N_SPOTS * N_VOLS; s++) {
        snprintf(name, sizeof name, "surface spot %+.6g%% vol %+.6g%%",
                 5.0 * (s / N_VOLS - N_SPOTS / 2), 2.5 * (s % N_VOLS - N_VOLS / 2));
        risk->scenario_names[N_LISTED + s] = copy(name);
    }
}

/* Profit and loss that looks like a book's: a slope and a curve in the spot, a slope in the
 * volatility. */
static struct pnl pnl_of(int s, double size)
{
    double x = 0.5 * wave(s + 40), y = wave(s + 50);
    if (s >= N_LISTED) {
        x = ((s - N_LISTED) / N_VOLS - N_SPOTS / 2) / 3.0;
        y = ((s - N_LISTED) % N_VOLS - N_VOLS / 2) / 2.0;
    }
    return (struct pnl){size * (x - 0.8 * x * x + 0.4 * y),
                        fabs(0.02 * size * (fabs(x) + fabs(y)))};
}

static struct value_at_risk tail_of(double confidence, double size)
{
    return (struct value_at_risk){confidence,  size,        0.02 * size, 0.85 * size, 1.2 * size,
                                  1.25 * size, 0.03 * size, size,        1.6 * size};
}

static void make_aggregate(struct aggregate *aggregate, const char *by, const char *name,
                           double size)
{
    *aggregate = (struct aggregate){
        .by = copy(by),
        .name = copy(name),
        .scenarios = zeros(N_SCENARIOS, sizeof *aggregate->scenarios),
        .days = zeros(N_DAYS, sizeof *aggregate->days),
        .values_at_risk = zeros(N_CONFIDENCES, sizeof *aggregate->values_at_risk),
        .contributions = zeros(N_CONFIDENCES, sizeof *aggregate->contributions)};
    for (int s = 0; s < N_SCENARIOS; s++) aggregate->scenarios[s] = pnl_of(s, size);
    for (int d = 0; d < N_DAYS; d++)
        aggregate->days[d] =
            (struct pnl){size * (wave(d) + wave(d + 300) + wave(d + 600)) / 3.0, 0.01 * size};
    for (int k = 0; k < N_CONFIDENCES; k++)
        aggregate->values_at_risk[k] = tail_of(k ? 0.99 : 0.95, fabs(size) * (0.6 + 0.15 * k));
}

static void make_scenarios(struct stored_run *night)
{
    struct risk *risk = &night->risk;
    risk->n_scenarios = N_SCENARIOS;
    risk->scenario_names = zeros(N_SCENARIOS, sizeof *risk->scenario_names);
    risk->scenarios = zeros(N_SCENARIOS * NIGHT_TRADES, sizeof *risk->scenarios);
    make_scenario_names(risk);
    for (int s = 0; s < N_SCENARIOS; s++)
        for (int i = 0; i < NIGHT_TRADES; i++)
            risk->scenarios[s * NIGHT_TRADES + i] =
                i == 6 ? (struct pnl){NAN, NAN} : pnl_of(s, 20000.0 * wave(i + 9));
}

static void make_past(struct stored_run *night)
{
    struct risk *risk = &night->risk;
    char date[32];
    risk->n_days = N_DAYS;
    risk->day_names = zeros(N_DAYS, sizeof *risk->day_names);
    risk->days = zeros(N_DAYS * NIGHT_TRADES, sizeof *risk->days);
    risk->n_confidences = N_CONFIDENCES;
    risk->values_at_risk = zeros(N_CONFIDENCES * NIGHT_TRADES, sizeof *risk->values_at_risk);
    for (int d = 0; d < N_DAYS; d++) {
        snprintf(date, sizeof date, "2026-%02d-%02d", 1 + d / 25, 1 + d % 25);
        risk->day_names[d] = copy(date);
    }
    for (int k = 0; k < N_CONFIDENCES; k++)
        for (int i = 0; i < NIGHT_TRADES; i++)
            risk->values_at_risk[k * NIGHT_TRADES + i] =
                tail_of(k ? 0.99 : 0.95, i == 6 ? NAN : 900.0 * (i + 1));
}

bool has_any_greek(const void *context, int sensitivity, int trade)
{
    (void)context;
    return sensitivity >= 0 && trade >= 0;
}

static void make_risk(struct stored_run *night)
{
    struct risk *risk = &night->risk;
    risk->n_trades = NIGHT_TRADES;
    risk->n_sensitivities = 3 * NIGHT_ASSETS + 1;
    risk->sensitivities = zeros((size_t)risk->n_sensitivities, sizeof *risk->sensitivities);
    if (risk_lay_out_greeks(risk, has_any_greek, NULL)) abort();
    for (int s = 0; s < risk->n_sensitivities; s++) make_greek(night, s);
    make_scenarios(night);
    make_past(night);
    risk->n_aggregates = 1 + NIGHT_ASSETS + 2;
    risk->aggregates = zeros((size_t)risk->n_aggregates, sizeof *risk->aggregates);
    make_aggregate(&risk->aggregates[0], "total", "total", 180000.0);
    for (int a = 0; a < NIGHT_ASSETS; a++)
        make_aggregate(&risk->aggregates[a + 1], "asset", night->assets[a].name,
                       60000.0 * (1.5 - a));
    for (int d = 0; d < 2; d++)
        make_aggregate(&risk->aggregates[1 + NIGHT_ASSETS + d], "desk",
                       night->trades[d].tags[0].value, 90000.0);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void sum_up(struct results *results, struct book_sums *sums)
{
    const struct book_rows rows = {.market = results->market,
                                   .n = results->n,
                                   .trades = results->trades,
                                   .estimates = results->estimates,
                                   .currency = results->currency,
                                   .risk = results->risk};
    if (book_sums_make(&rows, sums)) abort();
    results->sums = sums;
}

void night_make(struct stored_run *night)
{
    static const struct manifest manifest = {
        .book = "night.cfg",
        .book_name = "A <night> & \"its\" book",
        .valuation_date = "2026-11-20",
        .seed = 42,
        .paths = 65536,
        .path_steps = 1 << 24,
        .engine = "cpu",
        .kernel = "plain",
        .device = "2 CPU threads",
        .threads = 2,
        .phases = {.load = 0.01, .plan = 0.002, .price = 1.5, .check = 0.25, .risk = 0.875}};
    memset(night, 0, sizeof *night);
    make_market(night);
    for (int i = 0; i < NIGHT_TRADES; i++) make_trade(night, i);
    make_troubles(night->estimates);
    make_risk(night);
    night->results = (struct results){.market = &night->market,
                                      .n = NIGHT_TRADES,
                                      .trades = night->trades,
                                      .estimates = night->estimates,
                                      .currency = night->risk.currency,
                                      .risk = &night->risk,
                                      .manifest = manifest};
    sum_up(&night->results, &night->sums);
}

void night_free(struct stored_run *night)
{
    risk_free(&night->risk);
    book_sums_free(&night->sums);
}
