/* What is allowed in a trade and perhaps a mistake: dates on which markets are closed, barriers on
 * the wrong side of the spot, strikes and barriers far off it. A past level out of all proportion
 * is refused. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/config/values.h"
#include "app/config/dates.h"
#include "app/config/read_trades.h"
#include "models/payoffs/scripted.h"

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
static bool note_date(struct reader *reader, const config_setting_t *at)
{
    char date[DATE_ROOM], before[DATE_ROOM], after[DATE_ROOM], calendars[VALUE_ROOM];
    const char *key = setting_key(at);
    long day;
    for (int i = 0; config_setting_is_list(at) && i < config_setting_length(at); i++)
        if (note_date(reader, element_of(at, i))) return true;
    if (config_setting_type(at) != CONFIG_TYPE_STRING || reader->dated != DATED ||
        !date_or_tenor_read(config_setting_get_string(at), reader->valuation_day, reader->holidays,
                            reader->spot_days, &day))
        return false;
    date_write(day, date);
    if (!strcmp(key, "expiry") && date_weekend(day))
        remark(reader, at, "expiry %s is a %s: perhaps the Friday before, or the Monday after",
               date, date_weekend(day));
    else if (is_holiday(reader->holidays, day))
        remark(reader, at, "%s %s is a %s%s: perhaps %s before, or %s after", key, date,
               date_weekend(day) ? date_weekend(day) : "holiday of ",
               date_weekend(day) ? "" : whose_holiday(reader, day, calendars),
               date_write(roll_day(reader->holidays, ROLL_PRECEDING, day), before),
               date_write(roll_day(reader->holidays, ROLL_FOLLOWING, day), after));
    else return false;
    return true;
}

void note_closed(struct reader *reader)
{
    const struct script_keys *keys = reader->script ? &reader->script->keys : NULL;
    for (int row = 0; keys && row < keys->table.n; row++) {
        const config_setting_t *at = reader->parameters.at[row];
        if (at && keys->keys[row].forms & (FORM_TIME | FORM_TIMES)) note_date(reader, at);
    }
    for (int i = 0; i < N_TRADE_KEYS; i++) {
        const config_setting_t *at = reader->found.at[i];
        enum key_kind kind = trade_table.keys[i].kind;
        if (at && good(reader, i) && (kind == KEY_KIND_TIME || kind == KEY_KIND_SCHEDULE))
            note_date(reader, at);
    }
}

/* ---- doubtful levels ------------------------------------------------------------------------- */

#define FAR_TIMES 20.0    /* times off the spot */
#define FARTHEST_PAST 1e9 /* times off it: growth since then swallows what is still to come */

/* Notes a barrier that the spot of today has reached, though the trade does not say so. */
static void note_touched(struct reader *reader, enum trade_key key, double barrier, bool up)
{
    const struct trade *trade = reader->trade;
    double spot = trade->today[0];
    const char *name = trade_table.keys[key].name, *at_once;
    bool one = key == KEY_BARRIER, watched = trade->monitoring.continuous;
    if (!good(reader, key) || trade->hit || (up ? spot < barrier : spot > barrier)) return;
    if (watched && trade->product == PRODUCT_TOUCH)
        at_once = ": it has been touched, and the trade is priced as that";
    else if (watched)
        at_once = trade->knock == KNOCK_IN
                      ? ": it is knocked in already, and priced as the option that it has become"
                      : ": it is knocked out already, and priced as that";
    else at_once = ": the first date that sees the spot there touches it";
    doubt(reader, reader->found.at[key],
          "%s %.10g is %s the spot %.10g%s%s; write hit = true where it was touched%s", name,
          barrier,
          spot == barrier ? "at"
          : up            ? "below"
                          : "above",
          spot, one ? (up ? " with direction = \"up\"" : " with direction = \"down\"") : "",
          at_once, one ? ", or the other direction" : "");
}

/* Notes a level that is far off what it is held against, from `least` to `most`, and tells whether
 * it did. `at` is NULL for closes. */
static bool note_far(struct reader *reader, const config_setting_t *at, const char *name,
                     double level, double least, double most)
{
    bool above = level > FAR_TIMES * most, below = level < least / FAR_TIMES;
    if (!(level > 0.0 && level < HUGE_VAL) || !(above || below)) return false;
    doubt(reader, at ? at : reader->group, "%s %.10g is %.4g times the spot%s, %.10g", name, level,
          level / (above ? most : least), least < most ? "s" : "", above ? most : least);
    return true;
}

void note_past_close(struct reader *reader, int i, double close)
{
    double spot = reader->trade->today ? reader->trade->today[i] : 0.0;
    if (!reader->far_close && spot > 0.0)
        reader->far_close = note_far(reader, NULL, "a past close", close, spot, spot);
}

/* The same of a level that a key has, if it does. */
static void note_far_key(struct reader *reader, enum trade_key key, double level, double least,
                         double most)
{
    if (good(reader, key))
        note_far(reader, reader->found.at[key], trade_table.keys[key].name, level, least, most);
}

/* Notes a knock-out that is still to be knocked out wherever it would pay. */
static void note_worthless(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    bool call = trade->option == OPTION_CALL, one = trade->product == PRODUCT_BARRIER;
    if ((!one && trade->product != PRODUCT_DOUBLE_BARRIER) || trade->knock != KNOCK_OUT) return;
    const struct schedule *watched = &trade->monitoring;
    if (!watched->continuous && (!watched->n || watched->times[watched->n - 1] < trade->expiry))
        return;
    if (one && call != (trade->direction == DIRECTION_UP)) return;
    enum trade_key key = one ? KEY_BARRIER : call ? KEY_UPPER : KEY_LOWER;
    double barrier = one ? trade->barrier : call ? trade->upper : trade->lower;
    if (!good(reader, key) || !good(reader, KEY_STRIKE)) return;
    if (trade->hit || (call ? trade->today[0] >= barrier : trade->today[0] <= barrier)) return;
    if (call ? trade->strike >= barrier : trade->strike <= barrier)
        doubt(reader, reader->found.at[KEY_STRIKE],
              "strike %.10g is beyond %s %.10g: wherever the option would pay it is knocked out",
              trade->strike, trade_table.keys[key].name, barrier);
}

/* Notes an extreme so far that the spot of today is beyond, of what is watched at every moment. */
static void note_extreme(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    double spot = trade->today[0];
    bool highest = (trade->option == OPTION_CALL) == (trade->strike_type == STRIKE_FIXED);
    if (!good(reader, KEY_EXTREME) || !trade->monitoring.continuous || trade->extreme == spot ||
        highest == (trade->extreme > spot))
        return;
    doubt(reader, reader->found.at[KEY_EXTREME],
          "extreme %.10g is %s the spot, %.10g, and the trade takes the %s so far", trade->extreme,
          highest ? "below" : "above", spot, highest ? "highest" : "lowest");
}

/* ---- of scripts ------------------------------------------------------------------------------ */

/* Notes the first of some levels, each held against the spot of an asset, that is far off it. */
static bool note_first_far(struct reader *reader, const config_setting_t *at, const char *name,
                           int n, const double *levels)
{
    const struct trade *trade = reader->trade;
    bool noted = false;
    for (int i = 0; !noted && i < n; i++) {
        double spot = trade->today[i % trade->n_assets];
        noted = spot > 0.0 && note_far(reader, at, name, levels[i], spot, spot);
    }
    return noted;
}

/* Notes a level that is left to the spot of today, which is another one the next night. */
static void note_moving_level(struct reader *reader, const char *name)
{
    if (reader->expiry_is_date)
        remark(
            reader, reader->group,
            "%s is missing: it is the spot of the valuation date and another one the next night; "
            "write it for a trade that stays",
            name);
}

void note_script_levels(struct reader *reader)
{
    static const char levels[] = "strike barrier initial lower upper knock_in knock_out";
    const struct script_keys *keys = &reader->script->keys;
    const struct trade *trade = reader->trade;
    bool noted = false; /* a close */
    if (!trade->scripted || !trade->scripted->binding.bound || !trade->today) return;
    for (int row = 0; row < keys->table.n; row++) {
        int parameter = keys->rows[row].parameter;
        if (parameter < 0) continue;
        const char *name = keys->keys[row].name;
        const config_setting_t *at = reader->parameters.at[row];
        const struct script *script = reader->script->script;
        const struct script_symbol *symbol = &script->symbols[parameter];
        const struct bound *bound = &trade->scripted->binding.bound[parameter];
        bool per_asset = symbol->over >= 0 && symbol->over == script->asset;
        if (!at && symbol->fallback_spot) note_moving_level(reader, name);
        if (bound->closes && !noted)
            noted = note_first_far(reader, at, "a past close", bound->n * trade->n_assets,
                                   bound->closes);
        else if (at && symbol->kind == SYMBOL_NUMBER && !symbol->fraction && !symbol->money &&
                 bound->values && (per_asset || trade->n_assets == 1) &&
                 word_index(levels, name, strlen(name)) >= 0)
            note_first_far(reader, at, name, bound->n, bound->values);
    }
}

/* ---- of trades ------------------------------------------------------------------------------- */

void note_levels(struct reader *reader)
{
    const struct trade *trade = reader->trade;
    if (!trade->assets || !trade->today) return;
    for (int i = 0; i < trade->n_assets; i++)
        if (!(trade->today[i] > 0.0)) return; /* complained of with the market */
    if (product_has(trade->product, OVER_INITIAL_SPOTS) && !given(reader, KEY_INITIAL))
        note_moving_level(reader, "initial");
    double growth = trade->past_level > 0.0 ? trade->today[0] / trade->past_level : 1.0;
    if (given(reader, KEY_PAST) && !(growth < FARTHEST_PAST && growth > 1.0 / FARTHEST_PAST))
        complain(reader, reader->found.at[KEY_PAST],
                 "past.level %.10g must be within %.0e times the spot, %.10g", trade->past_level,
                 FARTHEST_PAST, trade->today[0]);
    /* A strike of several assets is held against the least weighted spot and their sum, that of a
     * difference of two against nothing */
    double least = HUGE_VAL, most = 0.0;
    bool several = trade->n_assets > 1, power = several && trade->kind == BASKET_GEOMETRIC;
    for (int i = 0; i < trade->n_assets; i++) {
        double part = trade->today[i] * (power ? 1.0 : fabs(trade_weight(trade, i)));
        least = fmin(least, part);
        most += part;
    }
    if (trade->product != PRODUCT_SPREAD && (!several || trade->weights))
        note_far_key(reader, KEY_STRIKE, trade->strike, least, most);
    note_worthless(reader);
    note_extreme(reader);
    double spot = trade->today[0];
    const config_setting_t *past = reader->found.at[KEY_PAST];
    if (!reader->seasoned) { /* else each close has been looked at */
        note_far(reader, reader->found.at[KEY_EXTREME], "extreme", trade->extreme, spot, spot);
        note_far(reader, past, "past.average", trade->past_average, spot, spot);
        note_far(reader, past, "past.level", trade->past_level, spot, spot);
    }
    for (int i = 0; trade->initial && i < trade->n_assets; i++)
        note_far(reader, reader->found.at[KEY_INITIAL], "initial", trade->initial[i],
                 trade->today[i], trade->today[i]);
    const struct {
        enum trade_key key;
        double level;
        bool up;
    } barriers[] = {{KEY_BARRIER, trade->barrier, trade->direction == DIRECTION_UP},
                    {KEY_LOWER, trade->lower, false},
                    {KEY_UPPER, trade->upper, true}};
    for (int i = 0; i < 3; i++) {
        note_far_key(reader, barriers[i].key, barriers[i].level, spot, spot);
        note_touched(reader, barriers[i].key, barriers[i].level, barriers[i].up);
    }
}
