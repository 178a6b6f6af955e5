/* What the dates of a trade are checked for once all is read: days on which markets are closed,
 * and dates that have passed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/config/calendars.h"
#include "app/config/dates.h"
#include "app/config/read_trades.h"

/* ---- closed markets -------------------------------------------------------------------------- */

/* Names the calendars whose holiday the day is, among those of the trade's assets. */
static const char *whose_holiday(const struct reader *reader, long day, char text[VALUE_ROOM])
{
    char name[24];
    text[0] = '\0';
    for (int i = 0; i < HOLIDAY_RULES + reader->n_calendars; i++) {
        struct holidays one = {reader->holidays.bits & (uint64_t)1 << i, reader->holidays.lists};
        snprintf(name, sizeof name, "%.20s", calendar_name(reader, i));
        if (is_holiday(one, day)) list_word(text, VALUE_ROOM, " and ", name);
    }
    return text;
}

/* Notes a date on which a market is closed, of a list the first such one, and tells whether it
 * did. */
static bool note_date(struct trade_reading *reading, const config_setting_t *at)
{
    const struct reader *reader = reading->reader;
    char date[DATE_ROOM], before[DATE_ROOM], after[DATE_ROOM], whose[VALUE_ROOM];
    const char *key = setting_key(at);
    long day;
    for (int i = 0; config_setting_is_list(at) && i < config_setting_length(at); i++)
        if (note_date(reading, element_of(at, i))) return true;
    if (config_setting_type(at) != CONFIG_TYPE_STRING || reader->dated != DATED ||
        !date_or_tenor_read(config_setting_get_string(at), reader->valuation_day, reader->holidays,
                            reader->spot_days, &day))
        return false;
    date_write(day, date);
    if (!strcmp(key, "expiry") && date_weekend(day))
        remark(reading->reader, at,
               "expiry %s is a %s: perhaps the Friday before, or the Monday after", date,
               date_weekend(day));
    else if (is_holiday(reader->holidays, day))
        remark(reading->reader, at, "%s %s is a %s%s: perhaps %s before, or %s after", key, date,
               date_weekend(day) ? date_weekend(day) : "holiday of ",
               date_weekend(day) ? "" : whose_holiday(reader, day, whose),
               date_write(roll_day(reader->holidays, ROLL_PRECEDING, day), before),
               date_write(roll_day(reader->holidays, ROLL_FOLLOWING, day), after));
    else return false;
    return true;
}

void note_closed(struct trade_reading *reading)
{
    const struct script_keys *keys = reading->script ? &reading->script->keys : NULL;
    for (int row = 0; keys && row < keys->table.n; row++) {
        const config_setting_t *at = reading->parameters.at[row];
        if (at && keys->keys[row].forms & (FORM_TIME | FORM_TIMES)) note_date(reading, at);
    }
    for (int i = 0; i < N_TRADE_KEYS; i++) {
        const config_setting_t *at = reading->found.at[i];
        enum key_kind kind = trade_table.keys[i].kind;
        if (at && good(reading, i) && (kind == KEY_KIND_TIME || kind == KEY_KIND_SCHEDULE))
            note_date(reading, at);
    }
}

/* ---- settlement ------------------------------------------------------------------------------ */

void set_payment(struct trade_reading *reading)
{
    struct reader *reader = reading->reader;
    struct trade *trade = reading->trade;
    const config_setting_t *at = reading->found.at[KEY_SETTLEMENT_DAYS];
    if (trade->product >= N_PAYOFFS && trade->product != PRODUCT_FORWARD &&
        trade->product != PRODUCT_SCRIPT)
        return;
    if (at && reader->dated == DATED_NOT)
        complain(reader, at,
                 "settlement_days needs a valuation date: write valuation_date = \"2026-11-20\";");
    for (int i = 0; !at && trade->assets && i < trade->n_assets; i++) {
        int days = reader->asset_dates[trade->assets[i]].settlement_days;
        if (days > trade->settlement_days) trade->settlement_days = days;
    }
    if (!trade->settlement_days || reader->dated != DATED || !good(reading, KEY_EXPIRY)) return;
    long expiry = reader->valuation_day + (long)floor(365.0 * (trade->expiry + TIMES_MEET));
    struct holidays holidays = or_weekends(reader->holidays);
    trade->payment_lag =
        date_years(expiry, add_business_days(holidays, expiry, trade->settlement_days));
}

/* ---- dates that have passed ------------------------------------------------------------------ */

/* Returns the key of the trade's list of dates, N_TRADE_KEYS where it has none. */
static enum trade_key dates_key(const struct trade_reading *reading)
{
    for (int i = 0; i < N_TRADE_KEYS; i++)
        if (trade_table.keys[i].kind == KEY_KIND_SCHEDULE && given(reading, i)) return i;
    return N_TRADE_KEYS;
}

void check_passed(struct trade_reading *reading)
{
    const struct trade *trade = reading->trade;
    enum trade_key key = dates_key(reading);
    bool counts = trade->product == PRODUCT_ASIAN || trade->product == PRODUCT_AUTOCALLABLE;
    if (!reading->rule.passed || reading->seasoned || key == KEY_EXERCISE_TIMES) return;
    const char *name = trade_table.keys[key].name, *saw = "past = { ... }";
    bool said = given(reading, KEY_PAST);
    if (key == KEY_MONITORING) {
        saw = "extreme";
        said = trade->product != PRODUCT_LOOKBACK || given(reading, KEY_EXTREME);
    }
    int stated = trade->product == PRODUCT_ASIAN ? trade->past_count : trade->past_observations;
    if (!said)
        complain_key(reading->reader, reading->found.at[key],
                     "has %d date%s before the valuation date %s: %s must say what was seen",
                     reading->rule.passed, reading->rule.passed == 1 ? "" : "s",
                     reading->reader->valuation_date, saw);
    else if (counts && stated && stated != reading->rule.passed)
        complain(reading->reader, reading->found.at[KEY_PAST],
                 "%s must be %d, the dates of %s before the valuation date %s, got %d",
                 trade->product == PRODUCT_ASIAN ? "count" : "observations", reading->rule.passed,
                 name, reading->reader->valuation_date, stated);
}
