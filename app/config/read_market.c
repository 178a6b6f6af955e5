#include "app/config/read_market.h"

#include <stdio.h>
#include <string.h>

#include "app/config/values.h"

enum { ASSETS_MAX = 4096 }; /* the correlation matrix holds the square of it */

/* ---- currencies ------------------------------------------------------------------------------ */

struct currency_fields {
    char *name;
    double rate;
};

static const struct key currency_keys[] = {
    KEY_FIELD("name", NAME, struct currency_fields, name, "unique"),
    KEY_FIELD("rate", NUMBER, struct currency_fields, rate,
              "one rate for all times, per year, continuously compounded",
              .doubtful = DOUBTFUL_RATE),
    KEY_DEFERRED("curve", FORM_GROUP, "zero rates or discount factors by time", .same_as = "rate",
                 .table = &rate_curve),
};
static const struct key_table currency_table =
    KEY_TABLE("a currency", currency_keys, .required = "name rate");

/* Returns the length of a list that must not be empty, 0 after a complaint. */
static int market_length(struct reader *reader, const config_setting_t *list, int most)
{
    if (!expect_list(reader, list)) return 0;
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
    for (int i = 0; i < n; i++) {
        struct currency *currency = &market->currencies[i];
        struct currency_fields fields = {0};
        const config_setting_t *group = element_of(list, i), *name = member_of(group, "name");
        begin_subject(reader, ABOUT_CURRENCY, i, name, i + 1, "the list");
        read_group(reader, &currency_table, group, &fields);
        currency->name = fields.name;
        read_rates(reader, member_of(group, "curve"), &rate_curve, fields.rate, &currency->rate);
        if (currency->name) enter_name(reader, &reader->currency_names, name, currency->name, i);
    }
    end_subject(reader);
}

/* ---- assets ---------------------------------------------------------------------------------- */

/* An asset while it is read. */
struct asset_fields {
    struct asset asset; /* first: the tables of models fill it */
    double yield, basis;
    int settlement_days, spot_days;
    const config_setting_t *group;
    uint64_t good; /* its rows that were read without complaint */
};

static const struct key asset_keys[] = {
    KEY_FIELD("name", NAME, struct asset_fields, asset.name, "unique"),
    KEY_FIELD("currency", CURRENCY, struct asset_fields, asset.currency,
              "name of the currency of its spot"),
    KEY_FIELD("foreign_currency", CURRENCY, struct asset_fields, asset.foreign_currency,
              "of an exchange rate: the currency that one unit of is priced"),
    KEY_DEFERRED("calendar", FORM_TEXT,
                 "when its market is closed: a calendar, or several joined by +"),
    KEY_FIELD("settlement_days", COUNT, struct asset_fields, settlement_days,
              "business days from what fixes a payment to the payment", FROM(0, 366),
              .fallback = "0"),
    KEY_FIELD("spot_days", COUNT, struct asset_fields, spot_days,
              "of an exchange rate: business days from a deal to its money", FROM(0, 10),
              .fallback = "0"),
    KEY_FIELD("spot", NUMBER, struct asset_fields, asset.spot,
              "today, in its currency; a cross may go without", ABOVE(0, 0)),
    KEY_FIELD("model", CHOICE, struct asset_fields, asset.model, "of its paths",
              .words = model_words, .fallback = "black_scholes"),
    KEY_FIELD("dividend_yield", NUMBER, struct asset_fields, yield,
              "one yield for all times, per year, continuously compounded",
              .doubtful = DOUBTFUL_RATE, .fallback = "0"),
    KEY_DEFERRED("dividend_curve", FORM_GROUP, "yields by time", .same_as = "dividend_yield",
                 .table = &yield_curve),
    KEY_DEFERRED("cross", FORM_GROUP,
                 "what an exchange rate is made of, or an asset in another currency than its own",
                 .table = &cross_table),
    KEY_FIELD("basis", NUMBER, struct asset_fields, basis,
              "one yield for all times beside the dividend yield or the foreign rate",
              .doubtful = DOUBTFUL_RATE, .fallback = "0"),
    KEY_DEFERRED("basis_curve", FORM_GROUP, "the basis by time", .same_as = "basis",
                 .table = &basis_curve),
    KEY_DEFERRED("forwards", FORM_GROUP, "forward prices by time, which the yield is made of",
                 .table = &forward_table),
    KEY_DEFERRED("forward_points", FORM_GROUP, "forward points by time", .same_as = "forwards",
                 .table = &point_table),
    KEY_DEFERRED("volatility", FORM_NUMBER | FORM_GROUP,
                 "per square root of a year: one for all times, by time, or a surface under "
                 "local_vol, to which heston and bates without parameters are fitted",
                 .table = &volatility_table),
    KEY_DEFERRED("cash_dividends", FORM_GROUPS, "beside the yield, times increasing",
                 .table = &dividend_table),
    KEY_DEFERRED("proportional_dividends", FORM_GROUPS,
                 "shares of the spot, beside the yield, times increasing",
                 .table = &fraction_table),
    {"heston", KEY_KIND_GROUP, .table = &heston_table,
     .meaning = "of heston and bates; fitted to volatility where not given"},
    {"jumps", KEY_KIND_GROUP, .table = &jump_table, .meaning = "of merton and bates"},
    KEY_DEFERRED("history", FORM_GROUP, "of historical", .table = &history_table),
};
const struct key_table asset_table =
    KEY_TABLE("an asset", asset_keys, .required = "name currency spot");

/* Refuses an asset whose name is two currencies of the market, as EURUSD or EUR/USD, and that does
 * not say that it is a rate of them: its forwards would lack the foreign rate. Notes one that says
 * so the other way round. */
static void check_pair_name(struct reader *reader, const config_setting_t *group,
                            const struct asset *asset)
{
    const char *name = asset->name;
    for (int a = 0; name && a < reader->n_currencies; a++)
        for (int b = 0; b < reader->n_currencies; b++) {
            const char *first = reader->currencies[a].name, *second = reader->currencies[b].name;
            if (a == b || !first || !second || strncmp(name, first, strlen(first)) != 0) continue;
            const char *rest = name + strlen(first);
            if (strcmp(rest + (*rest && strchr("/-_. ", *rest)), second) != 0) continue;
            if (!member_of(group, "foreign_currency"))
                complain(reader, group,
                         "foreign_currency is missing: '%s' is named as the price of one %s in %s, "
                         "which has currency = \"%s\" and foreign_currency = \"%s\"",
                         name, first, second, second, first);
            else if (asset->currency == a && asset->foreign_currency == b)
                doubt(reader, member_of(group, "foreign_currency"),
                      "'%s' is named as the price of one %s in %s, which has currency = \"%s\" and "
                      "foreign_currency = \"%s\": here they are the other way round",
                      name, first, second, second, first);
            return;
        }
}

static const config_setting_t *given(const struct asset_fields *fields, const char *key)
{
    return member_of(fields->group, key);
}

static bool good(const struct asset_fields *fields, const char *key)
{
    return read_well(&asset_table, fields->good, key);
}

/* Complains of each of some keys, separated by blanks, that is given beside `key`. */
static void refuse_beside(struct reader *reader, const struct asset_fields *fields, const char *key,
                          const char *reason, const char *others)
{
    for (size_t n; (n = next_word(&others)); others += n) {
        char other[NAME_ROOM];
        snprintf(other, sizeof other, "%.*s", (int)n, others);
        if (given(fields, other))
            complain(reader, given(fields, other), "%s contradicts %s, %s: leave it out", other,
                     key, reason);
    }
}

/* Gives an FX rate the foreign currency's curve as its yield. */
static void read_foreign_yield(struct reader *reader, struct asset_fields *fields)
{
    const struct asset *asset = &fields->asset;
    refuse_beside(reader, fields, "foreign_currency", "whose curve is the yield",
                  "dividend_yield dividend_curve cash_dividends proportional_dividends");
    if (!good(fields, "foreign_currency")) return;
    if (good(fields, "currency") && asset->foreign_currency == asset->currency)
        complain(reader, given(fields, "foreign_currency"),
                 "foreign_currency must be another than currency, got '%s' twice",
                 reader->currencies[asset->currency].name);
    const struct term_structure *rate = &reader->currencies[asset->foreign_currency].rate;
    if (rate->n) note_memory(reader, term_copy(&fields->asset.yield, rate));
}

/* Returns the asset that a composite converts; NULL for any other asset. */
static const struct asset *converted_by(const struct reader *reader, const struct asset *asset)
{
    if (!is_cross(asset) || asset->foreign_currency >= 0) return NULL;
    const struct asset *first = &reader->assets[asset->cross.legs[0]];
    return first->foreign_currency < 0 ? first : &reader->assets[asset->cross.legs[1]];
}

/* Gives a composite the yield of the asset that is converted. */
static void read_converted_yield(struct reader *reader, struct asset_fields *fields)
{
    const struct asset *converted = converted_by(reader, &fields->asset);
    refuse_beside(reader, fields, "cross", "which takes the dividends of what it converts",
                  "dividend_yield dividend_curve cash_dividends proportional_dividends");
    if (converted && converted->yield.n)
        note_memory(reader, term_copy(&fields->asset.yield, quoted_yield(converted)));
}

/* Reads what makes the forwards of the asset other than its yield alone does: they are given, or a
 * basis is. */
static void read_forward_curve(struct reader *reader, struct asset_fields *fields)
{
    struct asset *asset = &fields->asset;
    const config_setting_t *points = given(fields, "forward_points"),
                           *at = points ? points : given(fields, "forwards"),
                           *basis = given(fields, "basis_curve");
    const struct asset *converted = converted_by(reader, asset);
    if (!at) {
        if (basis || given(fields, "basis")) read_basis(reader, basis, fields->basis, asset);
        if (converted) take_falls(reader, &converted->falls, asset);
        else read_fractions(reader, given(fields, "proportional_dividends"), asset);
        return;
    }
    refuse_beside(reader, fields, config_setting_name(at), "which the yield is made of",
                  "dividend_yield dividend_curve cash_dividends proportional_dividends basis "
                  "basis_curve");
    if (!good(fields, "currency") || !(asset->spot > 0.0)) return;
    const struct term_structure *rate = &reader->currencies[asset->currency].rate;
    if (rate->n) read_forwards(reader, at, points, rate, asset);
}

static void read_asset_dates(struct reader *reader, const struct asset_fields *fields,
                             struct asset_dates *dates)
{
    const config_setting_t *spot_days = given(fields, "spot_days"),
                           *settlement = given(fields, "settlement_days");
    read_calendar(reader, given(fields, "calendar"), &dates->holidays);
    dates->settlement_days = fields->settlement_days;
    dates->spot_days = fields->spot_days;
    if (spot_days && !given(fields, "foreign_currency"))
        complain(reader, spot_days,
                 "spot_days needs foreign_currency: only an exchange rate has a spot day");
    if (fields->spot_days) dates->holidays = or_weekends(dates->holidays);
    reader->holidays = dates->holidays;
    reader->spot_days = dates->spot_days;
    if (fields->settlement_days) need_date(reader, settlement, "settlement_days needs");
}

/* Reads an asset; one made of others need not have a spot. */
static void read_asset(struct reader *reader, const config_setting_t *group, struct asset *asset,
                       struct asset_dates *dates)
{
    struct asset_fields fields = {.asset = {.foreign_currency = -1}, .group = group};
    const config_setting_t *cross = member_of(group, "cross"), *model = member_of(group, "model");
    bool foreign = given(&fields, "foreign_currency");
    struct found_keys found;
    struct key_rules rules = table_rules(&asset_table);
    if (cross) rules.required &= ~table_rows(&asset_table, "spot");
    if (expect_group(reader, group, asset_table.title)) {
        read_keys(reader, &asset_table, &rules, group, &fields, &found);
        fields.good = found.good;
    }
    if (cross && (!foreign || good(&fields, "foreign_currency")) && good(&fields, "currency"))
        read_cross(reader, group, cross, &fields.asset);
    read_asset_dates(reader, &fields, dates);
    check_pair_name(reader, group, &fields.asset);
    if (foreign) read_foreign_yield(reader, &fields);
    else if (cross) read_converted_yield(reader, &fields);
    else
        read_rates(reader, given(&fields, "dividend_curve"), &yield_curve, fields.yield,
                   &fields.asset.yield);
    read_forward_curve(reader, &fields);
    *asset = fields.asset;
    if (!foreign && !cross) read_dividends(reader, given(&fields, "cash_dividends"), asset);
    if (config_setting_is_group(group) && (good(&fields, "model") || !model))
        read_model(reader, group, asset);
    reader->holidays.bits = 0;
    reader->spot_days = 0;
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
    for (int i = 0; i < n; i++) {
        const config_setting_t *group = element_of(list, i), *name = member_of(group, "name");
        struct asset *asset = &market->assets[i];
        int before = reader->complaints->n;
        begin_subject(reader, ABOUT_ASSET, i, name, i + 1, "the list");
        read_asset(reader, group, asset, &reader->asset_dates[i]);
        if (has_curves(reader, asset) && reader->complaints->n == before)
            check_surface(reader, group, market, i);
        if (asset->name) enter_name(reader, &reader->asset_names, name, asset->name, i);
    }
    end_subject(reader);
}

static const struct key market_keys[] = {
    KEY_DEFERRED("currencies", FORM_GROUPS, "with their rates", .table = &currency_table),
    KEY_DEFERRED("assets", FORM_GROUPS, "shares, indices and exchange rates",
                 .table = &asset_table),
    KEY_DEFERRED("correlations", FORM_GROUPS, "of pairs of assets", .table = &pair_table),
    {"correlation_default", KEY_KIND_NUMBER, FROM(-1, 1),
     .meaning = "of all pairs that are not listed; without it a trade that "
                "needs such a pair is refused"},
};
const struct key_table market_table =
    KEY_TABLE("market", market_keys, .required = "currencies assets");

void read_market(struct reader *reader, const config_setting_t *group, struct market *market)
{
    double general = 0.0;
    const config_setting_t *assets = member_of(group, "assets");
    read_group(reader, &market_table, group, &general);
    read_currencies(reader, member_of(group, "currencies"), market);
    read_assets(reader, assets, market);
    read_correlations(reader, member_of(group, "correlations"),
                      member_of(group, "correlation_default"), general, market);
    if (!reader->complaints->n && !reader->status) note_rates(reader, assets, market);
}
