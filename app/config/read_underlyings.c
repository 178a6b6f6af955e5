/* What a trade lives on: its asset or assets, and the exchange rates of a quanto. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/read_market.h"
#include "app/config/read_trades.h"
#include "app/config/values.h"

/* Checks that without a quanto the payoff is in the currency of all assets. */
static void check_one_currency(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    const struct asset *first = &reader->assets[trade->asset];
    for (int i = 1; i < trade->n_assets; i++) {
        const struct asset *other = &reader->assets[trade->assets[i]];
        if (other->currency == first->currency || other->currency < 0 || first->currency < 0)
            continue;
        complain(
            reader, reader->found.at[KEY_ASSETS],
            "assets must be in one currency where there is no quanto: '%s' is in %s, '%s' in %s",
            first->name, reader->currencies[first->currency].name, other->name,
            reader->currencies[other->currency].name);
        return;
    }
}

/* ---- exchange rates of a quanto -------------------------------------------------------------- */

/* Reads the rates by increasing index, one by its name or a list of them. */
static void read_fx(struct reader *reader, const config_setting_t *at, struct quanto *quanto)
{
    int n = 1, one, *list = &one;
    if (config_setting_is_list(at)) list = read_asset_list(reader, at, QUANTO_RATES_MAX, &n);
    else one = read_reference(reader, at, false);
    if (!list || list[0] < 0) return;
    for (int i = 0; i < n; i++) {
        int j = quanto->n++;
        for (; j && quanto->fx[j - 1] > list[i]; j--) quanto->fx[j] = quanto->fx[j - 1];
        quanto->fx[j] = list[i];
    }
    if (list != &one) free(list);
}

static const char *currency_of(const struct reader *reader, int i)
{
    return reader->currencies[i].name;
}

/* Checks that all are exchange rates, no two of one pair, which share a currency. A currency that
 * is not known was complained of where it stands. */
static bool check_rates(struct reader *reader, const config_setting_t *at,
                        const struct quanto *quanto)
{
    const struct asset *rates[QUANTO_RATES_MAX];
    for (int i = 0; i < quanto->n; i++) {
        const struct asset *fx = rates[i] = &reader->assets[quanto->fx[i]];
        if (fx->foreign_currency < 0)
            complain(reader, at,
                     "fx must be an exchange rate, an asset with foreign_currency: '%s' is none",
                     fx->name);
        if (fx->foreign_currency < 0 || fx->currency < 0) return false;
        for (int j = 0; j < i; j++) {
            if (other_currency(rates[j], fx->currency) != fx->foreign_currency) continue;
            complain(reader, at,
                     "fx '%s' and '%s' are rates of the same two currencies: leave one out",
                     rates[j]->name, fx->name);
            return false;
        }
    }
    if (quanto_currency(reader->assets, quanto) >= 0) return true;
    char named[QUANTO_RATES_MAX * (NAME_BYTES + 16)] = "";
    for (int i = 0; i < quanto->n; i++) {
        size_t used = strlen(named);
        snprintf(named + used, sizeof named - used, "%s'%s' is %s in %s", i ? ", " : "",
                 rates[i]->name, currency_of(reader, rates[i]->foreign_currency),
                 currency_of(reader, rates[i]->currency));
    }
    complain(reader, at, "fx must be rates that share one currency, which is paid: %s", named);
    return false;
}

/* Complains of an asset that no rate leads from: names a rate of the market that does. */
static void refuse_foreign(struct reader *reader, const config_setting_t *at,
                           const struct asset *asset, int paid)
{
    char hint[NAME_BYTES + 64] = "the market has none";
    for (int i = 0; i < reader->n_assets; i++)
        if (other_currency(&reader->assets[i], asset->currency) == paid) {
            snprintf(hint, sizeof hint, "'%s' is one", reader->assets[i].name);
            break;
        }
    complain(reader, at, "fx lacks a rate of %s and %s: '%s' is in %s, and %s is paid; %s",
             currency_of(reader, asset->currency), currency_of(reader, paid), asset->name,
             currency_of(reader, asset->currency), currency_of(reader, paid), hint);
}

/* Complains of a rate that no asset needs; notes it where it is the only one. */
static void refuse_idle(struct reader *reader, const config_setting_t *at, const struct asset *fx,
                        int paid)
{
    const struct trade *trade = reader->trade;
    const char *other = currency_of(reader, other_currency(fx, paid));
    if (trade->quanto.n > 1)
        complain(reader, at, "fx '%s' is not needed, as no asset is in %s: leave it out", fx->name,
                 other);
    else
        doubt(reader, at,
              "fx '%s' pays in %s, the currency of '%s', and so converts nothing: what is paid in "
              "%s takes a rate that is the price of %s in %s",
              fx->name, currency_of(reader, paid), reader->assets[trade->assets[0]].name, other,
              currency_of(reader, paid), other);
}

/* Checks that the rates of a quanto lead to the currency that is paid from that of each asset, and
 * that each is needed. Of wrong ones the trade has none. */
static void check_quanto(struct reader *reader, const config_setting_t *at)
{
    struct trade *trade = reader->trade;
    struct quanto *quanto = &trade->quanto;
    int before = reader->complaints->n;
    bool needed[QUANTO_RATES_MAX] = {false};
    bool fit = quanto->n && check_rates(reader, at, quanto);
    int paid = fit ? quanto_currency(reader->assets, quanto) : -1;
    for (int i = 0; fit && i < trade->n_assets; i++) {
        const struct asset *asset = &reader->assets[trade->assets[i]];
        bool found = asset->currency == paid || asset->currency < 0;
        for (int k = 0; k < quanto->n; k++)
            if (other_currency(&reader->assets[quanto->fx[k]], paid) == asset->currency)
                found = needed[k] = true;
        if (found) continue;
        refuse_foreign(reader, at, asset, paid);
        fit = false;
    }
    for (int k = 0; fit && k < quanto->n; k++)
        if (!needed[k]) refuse_idle(reader, at, &reader->assets[quanto->fx[k]], paid);
    if (!fit || reader->complaints->n > before) *quanto = (struct quanto){0};
}

/* ---- all that it lives on -------------------------------------------------------------------- */

void read_underlyings(struct reader *reader)
{
    struct trade *trade = reader->trade;
    bool by_list = given(reader, KEY_ASSETS), by_name = given(reader, KEY_ASSET);
    int n = 0;
    bool either = table_rows(&trade_table, product_optional_keys(trade->product)) >> KEY_ASSETS & 1;
    if (by_list && by_name)
        complain(reader, reader->found.at[KEY_ASSETS],
                 "assets contradicts asset: give one of the two");
    else if (by_list) {
        trade->assets = read_asset_list(reader, reader->found.at[KEY_ASSETS], TRADE_ASSETS_MAX, &n);
        trade->n_assets = trade->assets ? n : 0;
        if (trade->assets) trade->asset = trade->assets[0];
    } else if (good(reader, KEY_ASSET)) { /* a list of one */
        trade->assets = reader_array(reader, 1, sizeof *trade->assets);
        if (trade->assets) trade->assets[trade->n_assets++] = trade->asset;
    } else if (!by_name && either)
        complain(reader, reader->group, "asset or assets is missing: %s must have it",
                 reader->rules.owner);
    if (product_has(trade->product, ON_NO_ASSET)) trade->asset = -1;
    const config_setting_t *fx = NULL;
    if (good(reader, KEY_QUANTO)) fx = member_of(reader->found.at[KEY_QUANTO], "fx");
    if (fx) read_fx(reader, fx, &trade->quanto);
    if (!trade->assets) return;
    /* What is fixed today is at the spots of the book's own market, before anything moves them */
    trade->today = reader_array(reader, (size_t)trade->n_assets, sizeof *trade->today);
    trade_fix_today(trade, reader->assets);
    if (fx) check_quanto(reader, fx);
    else if (!given(reader, KEY_QUANTO)) check_one_currency(reader);
    check_correlations(reader, reader->group, trade);
}
