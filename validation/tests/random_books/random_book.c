#include "validation/tests/random_books/random_book.h"
#include "models/payoffs/product_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "app/config/read_market.h"
#include "app/pricing/base/risk.h"

void random_number(FILE *out, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", number);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

void random_named(FILE *out, const char *name, double number)
{
    fprintf(out, "%s = ", name);
    random_number(out, number);
    fputs("; ", out);
}

/* ---- keys that their table describes --------------------------------------------------------- */

/* Returns an end of what a number may be: the least or the largest, or next to nothing. */
static double draw_extreme(struct dice *dice, struct value_range range)
{
    static const double large[] = {1e9, 1e30, 1e99, 1e300};
    double low = range.rule == RANGE_ANY ? -large[dice_below(dice, 4)] : range.low;
    double high = range.high != 0.0 ? range.high : large[dice_below(dice, 4)];
    const double ends[] = {low, high, low + 1e-99, low + 1e-12 * fmax(fabs(low), 1.0)};
    return ends[dice_below(dice, 4)];
}

static double draw_in(struct dice *dice, struct value_range range)
{
    double low = range.rule == RANGE_ANY ? -1.0 : range.low,
           high = range.high != 0.0 ? range.high : fmax(2.0 * low, low + 1.0);
    if (dice_hostile(dice) && dice_chance(dice, 0.3)) return draw_extreme(dice, range);
    double small = low + (high - low) * (dice_hostile(dice) ? 1e-9 : 0.1);
    return dice_chance(dice, 0.5) ? dice_real(dice, small, high)
                                  : dice_real(dice, small, fmin(high, low + 10.0 * (small - low)));
}

void random_word(FILE *out, struct dice *dice, const char *name, const char *words)
{
    const char *found[32];
    int n = 0;
    for (const char *at = words; *at && n < 32; at += strcspn(at, " "), at += strspn(at, " "))
        if (*at != '-' && *at != '!') found[n++] = at;
    const char *word = found[dice_below(dice, n)];
    fprintf(out, "%s = \"%.*s\"; ", name, (int)strcspn(word, " "), word);
}

void random_key(struct random_book *book, const struct key *key)
{
    struct dice *dice = &book->dice;
    switch (key->kind) {
    case KEY_KIND_TIME:
    case KEY_KIND_NUMBER: random_named(book->out, key->name, draw_in(dice, key->range)); break;
    case KEY_KIND_COUNT:
    case KEY_KIND_BIG:
        fprintf(book->out, "%s = %.0f; ", key->name,
                fmin(1e9, floor(draw_in(dice, key->range) + 1.0)));
        break;
    case KEY_KIND_BOOL:
        fprintf(book->out, "%s = %s; ", key->name, dice_chance(dice, 0.5) ? "true" : "false");
        break;
    case KEY_KIND_CHOICE: random_word(book->out, dice, key->name, key->words); break;
    case KEY_KIND_ASSET:
        fprintf(book->out, "%s = \"%s\"; ", key->name, book->market.assets[0].name);
        break;
    case KEY_KIND_CURRENCY: fprintf(book->out, "%s = \"C0\"; ", key->name); break;
    case KEY_KIND_NAME:
    case KEY_KIND_WORD:
    case KEY_KIND_GROUP:
    case KEY_KIND_SCHEDULE:
    case KEY_KIND_DEFERRED: snprintf(book->unmade, sizeof book->unmade, "%s", key->name); break;
    }
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* Writes one number, or a curve of it, and returns about what it is. */
static double write_curve(struct random_book *book, const char *flat, const char *curve,
                          const char *values)
{
    double times[8], rates[8],
        rate = dice_hostile(&book->dice) ? dice_real(&book->dice, -0.5, 0.5)
                                         : dice_real(&book->dice, -0.01, 0.06);
    if (dice_chance(&book->dice, 0.6)) {
        random_named(book->out, flat, rate);
        return rate;
    }
    int n = random_times(book, 0.01, 5.0, 8, times);
    for (int i = 0; i < n; i++)
        rates[i] = (i ? rates[i - 1] : rate) + dice_real(&book->dice, -0.005, 0.005);
    fprintf(book->out, "%s = { ", curve);
    if (book->dated && dice_chance(&book->forms, 0.6))
        random_dated_curve(book, n, times, rates, values);
    else {
        random_named_list(book->out, "times", n, times);
        random_named_list(book->out, values, n, rates);
    }
    fputs("}; ", book->out);
    return rate;
}

static void write_dividends(struct random_book *book, double spot)
{
    double times[8];
    int n = random_times(book, 0.01, 3.0, 8, times);
    fputs("cash_dividends = ( ", book->out);
    for (int i = 0; i < n; i++) {
        double share = dice_hostile(&book->dice) ? dice_scale(&book->dice, 1e-9, 2.0)
                                                 : dice_real(&book->dice, 0.001, 0.03);
        fputs(i ? ", { " : "{ ", book->out);
        random_named(book->out, "time", times[i]);
        random_named(book->out, "amount", share * spot);
        fputs("}", book->out);
    }
    fputs(" ); ", book->out);
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Total variance may not fall: volatilities to later times rise, or fall more slowly than it may.
 */
static void make_volatility(struct random_book *book, struct random_asset *asset)
{
    double times[8], vols[8], variance = 0.0;
    if (dice_chance(&book->dice, 0.6)) {
        random_named(book->out, "volatility", asset->volatility);
        return;
    }
    int n = random_times(book, 0.01, 4.0, 8, times);
    for (int i = 0; i < n; i++) {
        double forward = asset->volatility * dice_real(&book->dice, 0.5, 1.2);
        variance += forward * forward * (times[i] - (i ? times[i - 1] : 0.0));
        vols[i] = fmin(10.0, sqrt(variance / times[i]));
        if (i && vols[i] * vols[i] * times[i] < vols[i - 1] * vols[i - 1] * times[i - 1])
            vols[i] = nextafter(vols[i - 1] * sqrt(times[i - 1] / times[i]), 11.0) * (1.0 + 1e-15);
    }
    fputs("volatility = { ", book->out);
    random_named_list(book->out, "times", n, times);
    random_named_list(book->out, "vols", n, vols);
    fputs("}; ", book->out);
}

/* A surface without arbitrage: J. Gatheral and A. Jacquier, Arbitrage-free SVI volatility surfaces,
 * Quantitative Finance 14 (2014) 59-71. Its slopes are half of what they may be, as the quotes are
 * few. */
static void make_surface(struct random_book *book, struct random_asset *asset)
{
    struct dice *dice = &book->dice;
    if (random_delta_quotes(book, asset)) return;
    double times[5], strikes[9], base = fmin(fmax(asset->volatility, 0.05), 2.0),
                                 rho = dice_real(dice, -0.9, 0.5);
    int n = random_times(book, 0.1, 3.0, 5, times), m = 3 + dice_below(dice, 7);
    double most = base * base * times[n - 1], steep = dice_hostile(dice) ? 0.9 : 0.4;
    double phi =
        steep * fmin(4.0 / (most * (1.0 + fabs(rho))), 2.0 / sqrt(most * (1.0 + fabs(rho))));
    double width = fmin(1.5, 3.0 * sqrt(most));
    for (int k = 0; k < m; k++) strikes[k] = asset->spot * exp(width * (2.0 * k / (m - 1) - 1.0));
    fputs("volatility = { ", book->out);
    random_named_list(book->out, "times", n, times);
    random_named_list(book->out, "strikes", m, strikes);
    fputs("vols = (", book->out);
    for (int i = 0; i < n; i++) {
        double vols[9], theta = base * base * times[i];
        for (int k = 0; k < m; k++) {
            double x = phi * (log(strikes[k] / asset->spot) - asset->carry * times[i]);
            vols[k] =
                sqrt(theta / 2.0 * (1.0 + rho * x + sqrt((x + rho) * (x + rho) + 1.0 - rho * rho)) /
                     times[i]);
        }
        fputs(i ? ", " : "", book->out);
        random_list(book->out, m, vols);
    }
    fputs("); }; ", book->out);
}

static void make_heston(struct random_book *book, struct random_asset *asset)
{
    struct dice *dice = &book->dice;
    double variance = fmin(100.0, asset->volatility * asset->volatility);
    double v0 = variance * dice_real(dice, 0.5, 1.5), theta = variance * dice_real(dice, 0.5, 1.5);
    double kappa = dice_real(dice, 0.3, 4.0), xi = dice_real(dice, 0.1, 0.8),
           rho = dice_real(dice, -0.9, 0.3);
    if (dice_hostile(dice)) xi = dice_chance(dice, 0.3) ? 0.0 : dice_scale(dice, 1e-6, 100.0);
    if (dice_hostile(dice)) kappa = dice_scale(dice, 1e-6, 1000.0);
    if (dice_hostile(dice)) rho = dice_chance(dice, 0.5) ? -1.0 : 1.0;
    if (dice_hostile(dice)) v0 = dice_chance(dice, 0.5) ? 0.0 : dice_scale(dice, 1e-9, 100.0);
    if (dice_hostile(dice)) theta = dice_chance(dice, 0.5) ? 0.0 : dice_scale(dice, 1e-9, 100.0);
    fputs("heston = { ", book->out);
    random_named(book->out, "v0", fmin(100.0, v0));
    random_named(book->out, "kappa", kappa);
    random_named(book->out, "theta", fmin(100.0, theta));
    random_named(book->out, "xi", xi);
    random_named(book->out, "rho", rho);
    if (dice_chance(dice, 0.3))
        random_key(book, &heston_table.keys[table_row(&heston_table, "scheme")]);
    fputs("}; ", book->out);
}

static void make_jumps(struct random_book *book, struct random_asset *asset)
{
    struct dice *dice = &book->dice;
    double intensity = dice_real(dice, 0.05, 2.0), mean = dice_real(dice, -0.2, 0.1),
           stdev = dice_real(dice, 0.0, 0.3);
    (void)asset;
    if (dice_hostile(dice))
        intensity = dice_chance(dice, 0.2) ? 0.0 : dice_scale(dice, 1e-6, 1000.0);
    if (dice_hostile(dice)) mean = dice_real(dice, -10.0, 10.0);
    if (dice_hostile(dice)) stdev = dice_scale(dice, 1e-9, 10.0);
    fputs("jumps = { ", book->out);
    random_named(book->out, "intensity", intensity);
    random_named(book->out, "mean", mean);
    random_named(book->out, "stdev", stdev);
    fputs("}; ", book->out);
}

static void make_history(struct random_book *book, struct random_asset *asset)
{
    struct dice *dice = &book->dice;
    double returns[60], day = asset->volatility / sqrt(252.0);
    int n = 2 + dice_below(dice, 59);
    for (int i = 0; i < n; i++) {
        double size = dice_hostile(dice) ? dice_scale(dice, 1e-3, 100.0) : 1.0;
        returns[i] = fmax(-10.0, fmin(10.0, day * size * dice_normal(dice)));
    }
    fputs("history = { ", book->out);
    random_named_list(book->out, "returns", n, returns);
    if (dice_hostile(dice)) random_named(book->out, "interval", dice_scale(dice, 1e-5, 1.0));
    if (dice_chance(dice, 0.5))
        fprintf(book->out, "block = %d; ", 1 + dice_below(dice, dice_hostile(dice) ? 1000000 : 20));
    fputs("}; ", book->out);
    if (dice_chance(dice, 0.5)) make_volatility(book, asset);
}

/* What each model is written as, in turn. */
static const struct model_maker {
    const char *model;
    void (*write[2])(struct random_book *book, struct random_asset *asset);
} model_makers[] = {
    {"black_scholes", {make_volatility, NULL}},
    {"local_vol", {make_surface, NULL}},
    {"heston", {make_heston, NULL}},
    {"bates", {make_heston, make_jumps}},
    {"merton", {make_volatility, make_jumps}},
    {"historical", {make_history, NULL}},
};

static void write_model(struct random_book *book, struct random_asset *asset)
{
    const char *name = model_name(asset->model);
    fprintf(book->out, "model = \"%s\"; ", name);
    for (size_t i = 0; i < sizeof model_makers / sizeof *model_makers; i++) {
        if (strcmp(model_makers[i].model, name)) continue;
        for (int k = 0; k < 2 && model_makers[i].write[k]; k++)
            model_makers[i].write[k](book, asset);
        return;
    }
    snprintf(book->unmade, sizeof book->unmade, "model %.40s", name);
}

/* ---- the market ------------------------------------------------------------------------------ */

static void draw_asset(struct random_book *book, int i, enum model model)
{
    struct dice *dice = &book->dice;
    struct random_market *market = &book->market;
    struct random_asset *asset = &market->assets[i];
    bool fx = i > 0 && market->n_currencies > 1 && dice_chance(dice, 0.3);
    snprintf(asset->name, sizeof asset->name, "%c%d", fx ? 'X' : 'A', i);
    asset->model = model;
    asset->currency = i < 2 || dice_chance(dice, 0.6) ? 0 : dice_below(dice, market->n_currencies);
    asset->foreign = fx ? (asset->currency + 1) % market->n_currencies : -1;
    asset->spot = dice_hostile(dice) ? dice_scale(dice, 1e-6, 1e9) : dice_scale(dice, 0.5, 5000.0);
    asset->volatility =
        dice_hostile(dice) ? dice_scale(dice, 1e-8, 8.0) : dice_real(dice, 0.08, 0.5);
}

static void write_asset(struct random_book *book, struct random_asset *asset)
{
    double yield = asset->foreign >= 0 ? book->market.rates[asset->foreign] : 0.0;
    fprintf(book->out, "    { name = \"%s\"; currency = \"C%d\"; ", asset->name, asset->currency);
    if (!random_cross(book, asset, (int)(asset - book->market.assets)))
        random_named(book->out, "spot", asset->spot);
    random_asset_forms(book, asset);
    bool forwards = random_forwards(book, asset, book->market.rates[asset->currency]);
    if (asset->foreign >= 0) fprintf(book->out, "foreign_currency = \"C%d\"; ", asset->foreign);
    else if (dice_chance(&book->dice, 0.7) && !forwards)
        yield = write_curve(book, "dividend_yield", "dividend_curve", "yields");
    if (asset->foreign < 0 && dice_chance(&book->dice, 0.2) && !forwards)
        write_dividends(book, asset->spot);
    asset->carry = book->market.rates[asset->currency] - yield;
    write_model(book, asset);
    fputs("}", book->out);
}

/* One common factor, so that there is such a matrix; a loading of 1 makes it singular. */
static void write_correlations(struct random_book *book)
{
    const struct random_market *market = &book->market;
    double loadings[RANDOM_ASSETS];
    int n = 0;
    for (int i = 0; i < market->n_assets; i++)
        loadings[i] = dice_hostile(&book->dice) ? (dice_chance(&book->dice, 0.5) ? 1.0 : -1.0)
                                                : dice_real(&book->dice, -0.5, 0.95);
    fputs("  correlations = (", book->out);
    for (int i = 0; i < market->n_assets; i++)
        for (int j = 0; j < i; j++) {
            if (market->assets[i].model == MODEL_HISTORICAL ||
                market->assets[j].model == MODEL_HISTORICAL)
                continue;
            fprintf(book->out, "%s{ assets = [\"%s\", \"%s\"]; ", n++ ? ", " : " ",
                    market->assets[i].name, market->assets[j].name);
            random_named(book->out, "value", loadings[i] * loadings[j]);
            fputs("}", book->out);
        }
    fputs(" );\n", book->out);
}

static void write_market(struct random_book *book, enum model first)
{
    struct random_market *market = &book->market;
    struct dice *dice = &book->dice;
    market->n_currencies = 1 + dice_below(dice, 3);
    market->n_assets = 2 + dice_below(dice, dice_chance(dice, 0.2) ? RANDOM_ASSETS - 1 : 3);
    fputs("market = { correlation_default = 0;\n  currencies = (", book->out);
    for (int i = 0; i < market->n_currencies; i++) {
        fprintf(book->out, "%s{ name = \"C%d\"; ", i ? ", " : " ", i);
        market->rates[i] = write_curve(book, "rate", "curve", "zero_rates");
        fputs("}", book->out);
    }
    fputs(" );\n  assets = (\n", book->out);
    for (int i = 0; i < market->n_assets; i++) {
        draw_asset(book, i,
                   i && dice_chance(dice, 0.6) ? (enum model)dice_below(dice, N_MODELS) : first);
        fputs(i ? ",\n" : "", book->out);
        write_asset(book, &market->assets[i]);
    }
    fputs(" );\n", book->out);
    if (dice_chance(dice, 0.7)) write_correlations(book);
    fputs("};\n", book->out);
}

/* ---- settings and risk ----------------------------------------------------------------------- */

static void write_greeks(struct random_book *book)
{
    int n = 0;
    fputs("greeks = [", book->out);
    for (int g = 0; g < N_GREEKS; g++)
        if (dice_chance(&book->dice, 0.4))
            fprintf(book->out, "%s\"%s\"", n++ ? ", " : "", greek_rows[g].name);
    if (!n) fputs("\"delta\"", book->out);
    fputs("]; ", book->out);
}

static void write_settings(struct random_book *book)
{
    struct dice *dice = &book->dice;
    int way = dice_chance(dice, 0.6)
                  ? 0
                  : 1 + dice_below(dice, 3); /* plain, Sobol points, pairs, controls */
    static const char *const checks[] = {"none",   "none", "none",
                                         "sample", "all",  "all"}; /* few: they take longest */
    const char *const own = " paths max_paths max_step kernel engine target_stderr sampler "
                            "antithetic control_variates greeks check ";
    fprintf(book->out, "settings = { paths = %d; max_paths = 32768; ",
            way == 3 ? 32768 : 1024 << dice_below(dice, 4));
    random_named(book->out, "max_step",
                 dice_hostile(dice) ? dice_scale(dice, dice_chance(dice, 0.1) ? 1e-20 : 1e-6, 100.0)
                                    : dice_scale(dice, 0.02, 0.5));
    int check = dice_below(dice, 6);
    fprintf(book->out, "check = \"%s\"; ", checks[check]);
    book->checks_all = !strcmp(checks[check], "all");
    if (way == 1) fputs("sampler = \"sobol\"; ", book->out);
    if (way == 2) fputs("antithetic = true; ", book->out);
    if (way == 3) fputs("control_variates = true; ", book->out);
    if (dice_chance(dice, 0.1))
        random_named(book->out, "target_stderr", dice_scale(dice, 1e-9, 10.0));
    for (int i = 0; i < settings_table.n; i++) {
        const struct key *key = &settings_table.keys[i];
        char word[64];
        snprintf(word, sizeof word, " %.60s ", key->name);
        if (!strstr(own, word) && dice_chance(dice, 0.3)) random_key(book, key);
    }
    fputs("};\n", book->out);
}

static void write_shock(struct random_book *book)
{
    struct dice *dice = &book->dice;
    bool hostile = dice_hostile(dice);
    if (dice_chance(dice, 0.3)) {
        fprintf(book->out, "{ currency = \"C%d\"; ", dice_below(dice, book->market.n_currencies));
        random_named(book->out, "rate",
                     hostile ? dice_real(dice, -1.0, 1.0) : dice_real(dice, -0.02, 0.02));
    } else {
        int i = dice_below(dice, book->market.n_assets);
        fprintf(book->out, "{ asset = \"%s\"; ",
                dice_chance(dice, 0.3) ? "*" : book->market.assets[i].name);
        random_named(book->out, "spot",
                     hostile ? dice_real(dice, -0.999999, 5.0) : dice_real(dice, -0.3, 0.3));
        if (dice_chance(dice, 0.5))
            random_named(book->out, "volatility", dice_real(dice, 0.0, hostile ? 2.0 : 0.1));
    }
    fputs("}", book->out);
}

static void write_scenarios(struct random_book *book)
{
    int n = 1 + dice_below(&book->dice, dice_hostile(&book->dice) ? 12 : 4);
    fputs("  scenarios = (", book->out);
    for (int i = 0; i < n; i++) {
        fprintf(book->out, "%s{ name = \"S%d\"; shocks = ( ", i ? ", " : " ", i);
        write_shock(book);
        if (dice_chance(&book->dice, 0.3)) fputs(", ", book->out), write_shock(book);
        fputs(" ); }", book->out);
    }
    fputs(" );\n", book->out);
    if (dice_chance(&book->dice, 0.3))
        fputs("  grids = ( { name = \"G\"; asset = \"*\"; spots = [-0.1, 0.0, 0.1]; volatilities = "
              "[0.0, 0.05]; } );\n",
              book->out);
}

static void write_risk(struct random_book *book)
{
    struct dice *dice = &book->dice;
    fprintf(book->out, "risk = { paths = %d; currency = \"C0\"; ", 1024 << dice_below(dice, 2));
    if (dice_chance(dice, 0.6)) write_greeks(book);
    fputs("\n", book->out);
    if (dice_chance(dice, 0.5)) write_scenarios(book);
    book->past = dice_chance(dice, 0.3);
    if (book->past) {
        fprintf(book->out, "  historical = { file = \"history.csv\"; horizon_days = %d; ",
                1 + dice_below(dice, 3));
        fputs(dice_chance(dice, 0.5) ? "confidence = [0.6, 0.9]; };\n" : "};\n", book->out);
    }
    fputs("};\n", book->out);
}

/* Some days of what the market did, in the columns that chance likes. */
static void write_past(struct random_book *book, FILE *out)
{
    struct dice *dice = &book->dice;
    const struct random_market *market = &book->market;
    double levels[2 * RANDOM_ASSETS + 3], width = dice_hostile(dice) ? 1.0 : 0.02;
    bool rate[2 * RANDOM_ASSETS + 3];
    int n = 0, days = 5 + dice_below(dice, 15);
    fputs("date", out);
    for (int i = 0; i < market->n_assets; i++) {
        if (i && dice_chance(dice, 0.3)) continue;
        fprintf(out, ",%s", market->assets[i].name);
        rate[n] = false;
        levels[n++] = market->assets[i].spot;
    }
    for (int i = 0; i < market->n_currencies; i++) {
        if (!dice_chance(dice, 0.3)) continue;
        fprintf(out, ",C%d:rate", i);
        rate[n] = true;
        levels[n++] = 0.02;
    }
    for (int day = 1; day <= days; day++) {
        fprintf(out, "\n2026-10-%02d", day);
        for (int i = 0; i < n; i++) {
            if (rate[i]) levels[i] += 0.02 * width * dice_normal(dice);
            else levels[i] *= exp(width * dice_normal(dice));
            fprintf(out, ",%.12g", levels[i]);
        }
    }
    fputs("\n", out);
}

/* ---- the book -------------------------------------------------------------------------------- */

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

/* Writes a file beside the book. Returns whether it could. */
static bool write_in(struct random_book *book, const char *folder, const char *name,
                     void (*write)(struct random_book *, FILE *))
{
    FILE *out = open_in(folder, name);
    if (out) write(book, out);
    return out && !fclose(out);
}

static void write_trades(struct random_book *book, enum product first)
{
    struct dice *dice = &book->dice;
    int n = 1 + dice_below(dice, dice_chance(dice, 0.1) ? RANDOM_TRADES : 5);
    fputs("book = { trades = (\n", book->out);
    for (int i = 0; i < n; i++) {
        fputs(i ? ",\n" : "", book->out);
        random_trade_write(book, i ? (enum product)dice_below(dice, N_PAYOFFS) : first,
                           i ? dice_below(dice, book->market.n_assets) : 0);
    }
    fputs(" );\n};\n", book->out);
}

bool random_book_write(struct random_book *book, const char *folder, uint64_t seed)
{
    static const double hostilities[] = {0.0, 0.02, 0.05, 0.1, 0.3};
    *book = (struct random_book){.dice = {.state = seed * 0x2545f4914f6cdd1d + 1},
                                 .forms = {.state = seed * 0x9e3779b97f4a7c15 + 7}};
    book->dated = dice_chance(&book->forms, 0.6);
    book->closes = book->dated && dice_chance(&book->forms, 0.5);
    book->out = open_in(folder, "book.cfg");
    if (!book->out) return false;
    book->dice.hostility = hostilities[dice_below(&book->dice, 5)];
    fputs("valuation_date = \"2026-11-20\";\n", book->out);
    if (book->closes) fputs("fixings = \"closes.csv\";\n", book->out);
    write_settings(book);
    write_market(book, (enum model)(seed / N_PAYOFFS % N_MODELS));
    write_trades(book, (enum product)(seed % N_PAYOFFS));
    if (dice_chance(&book->dice, 0.35)) write_risk(book);
    bool written = !fclose(book->out);
    if (book->closes) written &= write_in(book, folder, "closes.csv", random_closes);
    if (book->past) written &= write_in(book, folder, "history.csv", write_past);
    return written;
}
