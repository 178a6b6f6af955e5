#include "app/config/read_market.h"

#include <string.h>

#include "app/config/calendars.h"
#include "app/config/tables.h"
#include "app/config/values.h"

enum { ASSETS_MAX = 4096 }; /* the correlation matrix holds the square of it */

/* ---- currencies ------------------------------------------------------------------------------ */

enum { CURRENCY_NAME, CURRENCY_RATE, CURRENCY_CURVE };

struct currency_fields {
    char *name;
    double rate;
};

static const struct key currency_keys[] = {
    [CURRENCY_NAME] = KEY_FIELD("name", NAME, struct currency_fields, name, .meaning = "unique"),
    [CURRENCY_RATE] =
        KEY_FIELD("rate", NUMBER, struct currency_fields, rate, .doubtful = DOUBTFUL_RATE,
                  .meaning = "one rate for all times, per year, continuously compounded"),
    [CURRENCY_CURVE] = KEY_DEFERRED("curve", FORM_GROUP, .same_as = "rate", .table = &rate_curve,
                                    .meaning = "zero rates or discount factors by time"),
};
static const struct key_table currency_table =
    KEY_TABLE("a currency", currency_keys, .required = "name rate");

static void read_one_currency(struct reader *reader, const config_setting_t *list, int i,
                              struct currency *currency)
{
    const config_setting_t *group = element_of(list, i);
    struct currency_fields fields = {0};
    struct found_keys found;
    set_subject(reader, "currency", member_of(group, "name"), i + 1, "the list");
    reader->about = (struct subject){ABOUT_CURRENCY, i};
    read_group(reader, &currency_table, group, &fields, &found);
    currency->name = fields.name;
    read_rates(reader, found.at[CURRENCY_CURVE], &rate_curve, fields.rate, &currency->rate);
    if (currency->name)
        enter_name(reader, &reader->currency_names, found.at[CURRENCY_NAME], currency->name, i);
}

/* Returns the length of a list that must not be empty, 0 after a complaint. */
static int market_length(struct reader *reader, const config_setting_t *list, int most)
{
    if (!list || !expect_list(reader, list)) return 0;
    int n = config_setting_length(list);
    if (n >= 1 && n <= most) return n;
    complain_key(reader, list, "must be a list of 1 to %d, got %d", most, n);
    return 0;
}

static void read_currencies(struct reader *reader, const config_setting_t *list,
                            struct market *market)
{
    int n = market_length(reader, list, ASSETS_MAX);
    market->currencies = reader_array(reader, (size_t)n, sizeof *market->currencies);
    if (!market->currencies) return;
    market->n_currencies = n;
    reader->n_currencies = n;
    reader->currencies = market->currencies;
    for (int i = 0; i < n; i++) read_one_currency(reader, list, i, &market->currencies[i]);
    reader->prefix[0] = '\0';
    reader->about.kind = ABOUT_BOOK;
}

/* ---- assets ---------------------------------------------------------------------------------- */

enum {
    ASSET_NAME,
    ASSET_CURRENCY,
    ASSET_FOREIGN,
    ASSET_CALENDAR,
    ASSET_SETTLEMENT,
    ASSET_SPOT_DAYS,
    ASSET_SPOT,
    ASSET_MODEL,
    ASSET_YIELD,
    ASSET_YIELD_CURVE,
    ASSET_CROSS,
    ASSET_BASIS,
    ASSET_BASIS_CURVE,
    ASSET_FORWARDS,
    ASSET_FORWARD_POINTS,
    ASSET_VOLATILITY,
    ASSET_CASH,
    ASSET_HESTON,
    ASSET_JUMPS,
    ASSET_HISTORY
};

struct asset_fields {
    struct asset asset; /* first: the tables of models fill it */
    double yield, basis;
    int settlement_days, spot_days;
};

static const struct key asset_keys[] = {
    [ASSET_NAME] = KEY_FIELD("name", NAME, struct asset_fields, asset.name, .meaning = "unique"),
    [ASSET_CURRENCY] = KEY_FIELD("currency", CURRENCY, struct asset_fields, asset.currency,
                                 .meaning = "name of the currency of its spot"),
    [ASSET_FOREIGN] =
        KEY_FIELD("foreign_currency", CURRENCY, struct asset_fields, asset.foreign_currency,
                  .meaning = "of an exchange rate: the currency that one unit of is priced"),
    [ASSET_CALENDAR] =
        KEY_DEFERRED("calendar", FORM_TEXT,
                     .meaning = "when its market is closed: a calendar, or several joined by +"),
    [ASSET_SETTLEMENT] =
        KEY_FIELD("settlement_days", COUNT, struct asset_fields, settlement_days,
                  .range = {RANGE_FROM, 0, 366}, .fallback = "0",
                  .meaning = "business days from what fixes a payment to the payment"),
    [ASSET_SPOT_DAYS] = KEY_FIELD(
        "spot_days", COUNT, struct asset_fields, spot_days, .range = {RANGE_FROM, 0, 10},
        .fallback = "0", .meaning = "of an exchange rate: business days from a deal to its money"),
    [ASSET_SPOT] =
        KEY_FIELD("spot", NUMBER, struct asset_fields, asset.spot, .range = {RANGE_ABOVE, 0, 0},
                  .meaning = "today, in its currency; a cross may go without"),
    [ASSET_MODEL] =
        KEY_FIELD("model", CHOICE, struct asset_fields, asset.model, .words = model_words,
                  .fallback = "black_scholes", .meaning = "of its paths"),
    [ASSET_YIELD] = KEY_FIELD(
        "dividend_yield", NUMBER, struct asset_fields, yield, .doubtful = DOUBTFUL_RATE,
        .fallback = "0", .meaning = "one yield for all times, per year, continuously compounded"),
    [ASSET_YIELD_CURVE] = KEY_DEFERRED("dividend_curve", FORM_GROUP, .same_as = "dividend_yield",
                                       .table = &yield_curve, .meaning = "yields by time"),
    [ASSET_CROSS] = KEY_DEFERRED("cross", FORM_GROUP, .table = &cross_table,
                                 .meaning = "an exchange rate made of two others"),
    [ASSET_BASIS] = KEY_FIELD(
        "basis", NUMBER, struct asset_fields, basis, .doubtful = DOUBTFUL_RATE, .fallback = "0",
        .meaning = "one yield for all times beside the dividend yield or the foreign rate"),
    [ASSET_BASIS_CURVE] = KEY_DEFERRED("basis_curve", FORM_GROUP, .same_as = "basis",
                                       .table = &basis_curve, .meaning = "the basis by time"),
    [ASSET_FORWARDS] =
        KEY_DEFERRED("forwards", FORM_GROUP, .table = &forward_table,
                     .meaning = "forward prices by time, which the yield is made of"),
    [ASSET_FORWARD_POINTS] =
        KEY_DEFERRED("forward_points", FORM_GROUP, .same_as = "forwards", .table = &point_table,
                     .meaning = "forward points by time"),
    [ASSET_VOLATILITY] = KEY_DEFERRED(
        "volatility", FORM_NUMBER | FORM_GROUP, .table = &volatility_table,
        .meaning =
            "per square root of a year: one for all times, by time, or a surface under local_vol, "
            "to which heston and bates without parameters are fitted"),
    [ASSET_CASH] = KEY_DEFERRED("cash_dividends", FORM_GROUPS, .table = &dividend_table,
                                .meaning = "beside the yield, times increasing"),
    [ASSET_HESTON] = {"heston", KEY_KIND_GROUP, .table = &heston_table,
                      .meaning = "of heston and bates; fitted to volatility where not given"},
    [ASSET_JUMPS] = {"jumps", KEY_KIND_GROUP, .table = &jump_table,
                     .meaning = "of merton and bates"},
    [ASSET_HISTORY] =
        KEY_DEFERRED("history", FORM_GROUP, .table = &history_table, .meaning = "of historical"),
};
const struct key_table asset_table =
    KEY_TABLE("an asset", asset_keys, .required = "name currency spot");

/* Refuses an asset whose name is two currencies of the market, as EURUSD or EUR/USD, and that does
 * not say that it is a rate of them: its forwards would lack the foreign rate. */
static void check_pair_name(struct reader *reader, const config_setting_t *group, const char *name)
{
    for (int a = 0; name && a < reader->n_currencies; a++)
        for (int b = 0; b < reader->n_currencies; b++) {
            const char *first = reader->currencies[a].name, *second = reader->currencies[b].name;
            if (a == b || !first || !second || strncmp(name, first, strlen(first)) != 0) continue;
            const char *rest = name + strlen(first);
            if (strcmp(rest + (*rest && strchr("/-_. ", *rest)), second) != 0) continue;
            complain(reader, group,
                     "foreign_currency is missing: '%s' is named as the price of one %s in %s, "
                     "which has currency = \"%s\" and foreign_currency = \"%s\"",
                     name, first, second, second, first);
            return;
        }
}

/* Gives an FX rate the foreign currency's curve as its yield. */
static void read_foreign_yield(struct reader *reader, const struct found_keys *found,
                               struct asset *asset)
{
    const int others[] = {ASSET_YIELD, ASSET_YIELD_CURVE, ASSET_CASH};
    for (int i = 0; i < 3; i++)
        if (found->at[others[i]])
            complain(reader, found->at[others[i]],
                     "%s contradicts foreign_currency, whose curve is the yield: leave it out",
                     asset_keys[others[i]].name);
    if (!found_good(found, ASSET_FOREIGN)) return;
    if (found_good(found, ASSET_CURRENCY) && asset->foreign_currency == asset->currency)
        complain(reader, found->at[ASSET_FOREIGN],
                 "foreign_currency must be another than currency, got '%s' twice",
                 reader->currencies[asset->currency].name);
    const struct term_structure *rate = &reader->currencies[asset->foreign_currency].rate;
    if (rate->n) note_memory(reader, term_copy(&asset->yield, rate));
}

/* Reads what makes the forwards of the asset other than its yield alone does: they are given, or a
 * basis is. */
static void read_forward_curve(struct reader *reader, const struct found_keys *found, double basis,
                               struct asset *asset)
{
    const int others[] = {ASSET_YIELD, ASSET_YIELD_CURVE, ASSET_CASH, ASSET_BASIS,
                          ASSET_BASIS_CURVE};
    bool points = found->at[ASSET_FORWARD_POINTS];
    const config_setting_t *at = found->at[points ? ASSET_FORWARD_POINTS : ASSET_FORWARDS];
    if (!at && (found->at[ASSET_BASIS] || found->at[ASSET_BASIS_CURVE]))
        read_basis(reader, found->at[ASSET_BASIS_CURVE], basis, asset);
    if (!at) return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (found->at[others[i]])
            complain(reader, found->at[others[i]],
                     "%s contradicts %s, which the yield is made of: leave it out",
                     asset_keys[others[i]].name, config_setting_name(at));
    if (!found_good(found, ASSET_CURRENCY) || !(asset->spot > 0.0)) return;
    const struct term_structure *rate = &reader->currencies[asset->currency].rate;
    if (rate->n) read_forwards(reader, at, points, rate, asset);
}

/* Reads what the asset says of the dates of its trades. */
static void read_asset_dates(struct reader *reader, const struct found_keys *found,
                             const struct asset_fields *fields, struct asset_dates *dates)
{
    const config_setting_t *calendar = found->at[ASSET_CALENDAR],
                           *settlement = found->at[ASSET_SETTLEMENT];
    if (calendar) read_calendar(reader, calendar, &dates->holidays);
    dates->settlement_days = fields->settlement_days;
    dates->spot_days = fields->spot_days;
    if (found->at[ASSET_SPOT_DAYS] && !found->at[ASSET_FOREIGN])
        complain(reader, found->at[ASSET_SPOT_DAYS],
                 "spot_days needs foreign_currency: only an exchange rate has a spot day");
    if (fields->spot_days) dates->holidays = or_weekends(dates->holidays);
    reader->holidays = dates->holidays;
    reader->spot_days = dates->spot_days;
    if (settlement && fields->settlement_days && reader->dated == DATED_NOT)
        complain(reader, settlement,
                 "settlement_days needs a valuation date: write valuation_date = \"2026-11-20\";");
}

/* Reads a cross; tells whether its volatility is to be held against those of its legs. */
static bool read_own_cross(struct reader *reader, const config_setting_t *group,
                           const struct found_keys *found, struct asset *asset)
{
    const config_setting_t *at = found->at[ASSET_CROSS];
    if (!at) return false;
    if (!found->at[ASSET_FOREIGN])
        complain(reader, at,
                 "cross needs foreign_currency: only an exchange rate is made of others");
    if (!found_good(found, ASSET_FOREIGN) || !found_good(found, ASSET_CURRENCY)) return false;
    return read_cross(reader, group, at, asset) && found->at[ASSET_VOLATILITY];
}

/* Reads the keys of an asset; one made of others need not have a spot. */
static void read_asset_keys(struct reader *reader, const config_setting_t *group,
                            struct asset_fields *fields, struct found_keys *found)
{
    *found = (struct found_keys){.good = 0};
    if (!expect_group(reader, group, asset_table.title)) return;
    struct key_rules rules = table_rules(&asset_table);
    if (member_of(group, "cross")) rules.required &= ~table_rows(&asset_table, "spot");
    read_keys(reader, &asset_table, &rules, group, fields, found);
}

static void read_asset_fields(struct reader *reader, const config_setting_t *group,
                              struct asset *asset, struct asset_dates *dates,
                              struct found_keys *found)
{
    struct asset_fields fields = {.asset = {.foreign_currency = -1}};
    read_asset_keys(reader, group, &fields, found);
    *asset = fields.asset;
    bool held = read_own_cross(reader, group, found, asset);
    read_asset_dates(reader, found, &fields, dates);
    if (!found->at[ASSET_FOREIGN]) check_pair_name(reader, group, asset->name);
    if (found->at[ASSET_FOREIGN]) read_foreign_yield(reader, found, asset);
    else
        read_rates(reader, found->at[ASSET_YIELD_CURVE], &yield_curve, fields.yield, &asset->yield);
    read_forward_curve(reader, found, fields.basis, asset);
    if (found->at[ASSET_CASH] && !found->at[ASSET_FOREIGN])
        read_dividends(reader, found->at[ASSET_CASH], asset);
    bool model_is_known = found_good(found, ASSET_MODEL) || !found->at[ASSET_MODEL];
    if (config_setting_is_group(group) && model_is_known) read_model(reader, group, asset);
    if (held) check_cross(reader, found->at[ASSET_CROSS], asset);
    reader->holidays.bits = 0;
    reader->spot_days = 0;
}

static void read_one_asset(struct reader *reader, const config_setting_t *list, int i,
                           struct market *market)
{
    const config_setting_t *group = element_of(list, i);
    struct asset *asset = &market->assets[i];
    struct found_keys found;
    int before = reader->complaints->n;
    set_subject(reader, "asset", member_of(group, "name"), i + 1, "the list");
    reader->about = (struct subject){ABOUT_ASSET, i};
    read_asset_fields(reader, group, asset, &reader->asset_dates[i], &found);
    bool has_curves = asset->yield.n && asset->currency >= 0 &&
                      asset->currency < market->n_currencies &&
                      market->currencies[asset->currency].rate.n;
    if (has_curves && reader->complaints->n == before) check_surface(reader, group, market, i);
    if (asset->name) enter_name(reader, &reader->asset_names, found.at[ASSET_NAME], asset->name, i);
}

static void read_assets(struct reader *reader, const config_setting_t *list, struct market *market)
{
    int n = market_length(reader, list, ASSETS_MAX);
    market->assets = reader_array(reader, (size_t)n, sizeof *market->assets);
    reader->asset_dates = reader_array(reader, (size_t)n, sizeof *reader->asset_dates);
    if (!market->assets || !reader->asset_dates) return;
    market->n_assets = n;
    reader->n_assets = n;
    reader->assets = market->assets;
    for (int i = 0; i < n; i++) read_one_asset(reader, list, i, market);
    reader->prefix[0] = '\0';
    reader->about.kind = ABOUT_BOOK;
}

/* ---- the market ------------------------------------------------------------------------------ */

enum { MARKET_CURRENCIES, MARKET_ASSETS, MARKET_CORRELATIONS, MARKET_DEFAULT };

static const struct key market_keys[] = {
    [MARKET_CURRENCIES] = KEY_DEFERRED("currencies", FORM_GROUPS, .table = &currency_table,
                                       .meaning = "with their rates"),
    [MARKET_ASSETS] = KEY_DEFERRED("assets", FORM_GROUPS, .table = &asset_table,
                                   .meaning = "shares, indices and exchange rates"),
    [MARKET_CORRELATIONS] = KEY_DEFERRED("correlations", FORM_GROUPS, .table = &pair_table,
                                         .meaning = "of pairs of assets"),
    [MARKET_DEFAULT] = {"correlation_default", KEY_KIND_NUMBER, .range = {RANGE_FROM, -1, 1},
                        .meaning = "of all pairs that are not listed; without it a trade that "
                                   "needs such a pair is refused"},
};
const struct key_table market_table =
    KEY_TABLE("market", market_keys, .required = "currencies assets");

void read_market(struct reader *reader, const config_setting_t *group, struct market *market)
{
    double general = 0.0;
    struct found_keys found;
    read_group(reader, &market_table, group, &general, &found);
    read_currencies(reader, found.at[MARKET_CURRENCIES], market);
    read_assets(reader, found.at[MARKET_ASSETS], market);
    read_correlations(reader, found.at[MARKET_CORRELATIONS], found.at[MARKET_DEFAULT], general,
                      market);
    if (!reader->complaints->n && !reader->status)
        note_rates(reader, found.at[MARKET_ASSETS], market);
}
