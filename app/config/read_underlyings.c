/* What a trade lives on: its asset or assets, and the exchange rate of a quanto. */

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

/* Checks that with a quanto each asset is in one of the two currencies of the exchange rate; notes
 * one that pays in the currency that all are in. A currency that is not known was complained of
 * where it stands. */
static void check_quanto(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    const struct asset *fx = &reader->assets[trade->quanto];
    const config_setting_t *group = reader->found.at[KEY_QUANTO], *at = member_of(group, "fx");
    if (fx->foreign_currency < 0) {
        complain(reader, at,
                 "fx must be an exchange rate, an asset with foreign_currency: '%s' is none",
                 fx->name);
        return;
    }
    if (fx->currency < 0) return;
    const char *paid = reader->currencies[fx->currency].name,
               *foreign = reader->currencies[fx->foreign_currency].name;
    bool idle = true;
    for (int i = 0; i < trade->n_assets; i++) {
        const struct asset *asset = &reader->assets[trade->assets[i]];
        idle &= asset->currency == fx->currency;
        if (asset->currency == fx->foreign_currency || asset->currency == fx->currency ||
            asset->currency < 0)
            continue;
        complain(reader, at,
                 "fx must be a rate of the asset's currency: '%s' is in %s, '%s' is %s in %s",
                 asset->name, reader->currencies[asset->currency].name, fx->name, foreign, paid);
        return;
    }
    if (idle)
        doubt(reader, at,
              "fx '%s' pays in %s, the currency of '%s', and so converts nothing: what is paid in "
              "%s takes a rate that is the price of %s in %s",
              fx->name, paid, reader->assets[trade->assets[0]].name, foreign, paid, foreign);
}

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
    if (!trade->assets) return;
    /* What is fixed today is at the spots of the book's own market, before anything moves them */
    trade->today = reader_array(reader, (size_t)trade->n_assets, sizeof *trade->today);
    trade_fix_today(trade, reader->assets);
    if (good(reader, KEY_QUANTO)) check_quanto(reader);
    else if (!given(reader, KEY_QUANTO)) check_one_currency(reader);
    check_correlations(reader, reader->group, trade);
}
