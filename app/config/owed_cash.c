/* When a trade pays, and what an expired one is still owed: its payment, from the closes of the day
 * that it expired on, until the day that it settles on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/config/values.h"
#include "app/config/dates.h"
#include "app/config/csv_reader.h"
#include "app/config/read_trades.h"
#include "models/payoffs/scripted.h"
#include "models/scripts/script.h"

/* ---- settlement ------------------------------------------------------------------------------ */

long paid_on(const struct reader *reader, long fixed)
{
    return add_business_days(or_weekends(reader->holidays), fixed, reader->trade->settlement_days);
}

long day_at(const struct reader *reader, double years)
{
    return reader->valuation_day + (long)floor(365.0 * years + 1e-6);
}

/* Tells whether a trade lists the dates of its payments, for each date that fixes one. */
static bool lists_payments(const struct trade *trade)
{
    const struct script *script = trade->scripted ? trade->scripted->script : NULL;
    for (int i = 0; script && i < script->n_statements; i++) {
        int date = script->statements[i].kind == STATEMENT_PAY ? script->statements[i].date : -1;
        if (date >= 0 && script->expressions[date].kind == EXPRESSION_ELEMENT) return true;
    }
    return false;
}

void set_payment(struct reader *reader)
{
    struct trade *trade = reader->trade;
    const config_setting_t *at = reader->found.at[KEY_SETTLEMENT_DAYS];
    if (trade->product >= N_PAYOFFS && trade->product != PRODUCT_FORWARD &&
        trade->product != PRODUCT_SCRIPT)
        return;
    need_date(reader, at, "settlement_days needs");
    for (int i = 0; !at && trade->assets && !lists_payments(trade) && i < trade->n_assets; i++) {
        int days = reader->asset_dates[trade->assets[i]].settlement_days;
        if (days > trade->settlement_days) trade->settlement_days = days;
    }
    if (!trade->settlement_days || reader->dated != DATED || !good(reader, KEY_EXPIRY)) return;
    long expiry = reader->valuation_day + (long)floor(365.0 * (trade->expiry + TIMES_MEET));
    long paid = paid_on(reader, expiry);
    note_unknown_year(reader, at ? at : reader->group, "settlement", reader->holidays, paid);
    trade->payment_lag = date_years(expiry, paid);
}

void owe(struct reader *reader, long fixed, double amount)
{
    struct trade *trade = reader->trade;
    long today = reader->today ? reader->today : reader->valuation_day;
    long paid = paid_on(reader, fixed);
    if (paid < today || amount == 0.0) return;
    int room = trade->n_owed;
    if (reader_grow(reader, &trade->owed, &room, room + 1, sizeof *trade->owed))
        trade->owed[trade->n_owed++] = (struct payment){date_years(today, paid), amount};
}

/* ---- what each product pays ------------------------------------------------------------------ */

static double option_pays(const struct trade *trade, double price, double strike)
{
    return fmax(trade->option == OPTION_CALL ? price - strike : strike - price, 0.0);
}

/* Returns what the spots of several assets are together. */
static double basket_of(const struct trade *trade)
{
    double sum = 0.0, logs = 0.0, weights = 0.0, best = -HUGE_VAL, worst = HUGE_VAL;
    for (int i = 0; i < trade->n_assets; i++) {
        double spot = trade->today[i], weight = trade_weight(trade, i);
        sum += weight * spot;
        logs += weight * log(spot);
        weights += weight;
        best = fmax(best, weight * spot);
        worst = fmin(worst, weight * spot);
    }
    if (trade->n_assets < 2 || trade->product == PRODUCT_SPREAD || trade->kind == BASKET_AVERAGE)
        return sum;
    if (trade->kind == BASKET_GEOMETRIC) return exp(logs / weights);
    return trade->kind == BASKET_BEST_OF ? best : worst;
}

/* Tells whether the trade looks at the spot on its last day. */
static bool looks(const struct schedule *dates)
{
    return dates->continuous || dates->n;
}

/* Returns what a trade pays that was alive until its last day. A hit on an earlier day, paid at
 * the hit, has been paid apart. */
static double barrier_pays(const struct trade *trade, double spot)
{
    bool before = trade->hit, hit = before || (looks(&trade->monitoring) && touches(trade, spot));
    bool paid = before && trade->pay_at == PAY_AT_HIT;
    if (trade->product == PRODUCT_TOUCH)
        return hit == (trade->touch == TOUCH_ONE) && !paid ? trade->cash : 0.0;
    if (hit == (trade->knock == KNOCK_IN)) return option_pays(trade, spot, trade->strike);
    return paid ? 0.0 : trade->rebate;
}

static double asian_pays(const struct trade *trade, double spot)
{
    bool geometric = trade->averaging == AVERAGING_GEOMETRIC;
    double past = trade->past_count, n = trade->fixings.n, average = trade->past_average;
    if (geometric) average = exp(((past ? past * log(average) : 0.0) + n * log(spot)) / (past + n));
    else average = (past * average + n * spot) / (past + n);
    if (trade->strike_type == STRIKE_FIXED) return option_pays(trade, average, trade->strike);
    return option_pays(trade, spot, average);
}

static double lookback_pays(const struct trade *trade, double spot)
{
    bool floating = trade->strike_type == STRIKE_FLOATING;
    bool highest = (trade->option == OPTION_CALL) != floating;
    double seen = looks(&trade->monitoring) ? spot : trade->extreme, extreme = trade->extreme;
    if (extreme <= 0.0 || (highest ? seen > extreme : seen < extreme)) extreme = seen;
    if (!floating) return option_pays(trade, extreme, trade->strike);
    return option_pays(trade, spot, extreme);
}

static double autocallable_pays(const struct trade *trade)
{
    double worst = HUGE_VAL, share = 1.0;
    for (int i = 0; i < trade->n_assets; i++)
        worst = fmin(worst, trade->today[i] / trade->initial[i]);
    bool seen = trade->observations.n > 0;
    if (worst < trade->protection_level && !(seen && worst >= trade->call_level)) share = worst;
    if (seen && worst >= trade->coupon_level)
        share += (1 + trade->past_missed) * trade->coupon *
                 (trade->coupon_years ? trade->coupon_years[0] : 1.0);
    return trade->notional * share;
}

/* Returns what a unit pays whose spots of the last day are in trade->today; no number where its
 * past is not known. */
static double pays(const struct trade *trade)
{
    double spot = trade->today[0], last, move;
    switch ((enum product)trade->product) {
    case PRODUCT_DIGITAL:
        if (option_pays(trade, spot, trade->strike) <= 0.0) return 0.0;
        return trade->payout == PAYOUT_CASH ? trade->cash : spot;
    case PRODUCT_ASIAN: return asian_pays(trade, spot);
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
    case PRODUCT_TOUCH: return barrier_pays(trade, spot);
    case PRODUCT_LOOKBACK: return lookback_pays(trade, spot);
    case PRODUCT_FORWARD_START:
        return option_pays(trade, spot,
                           trade->past_level > 0.0 ? trade->strike_ratio * trade->past_level : NAN);
    case PRODUCT_CLIQUET:
        last = fmin(fmax(spot / trade->past_level - 1.0, trade->local_floor), trade->local_cap);
        return trade->notional *
               fmin(fmax(trade->past_returns + last, trade->global_floor), trade->global_cap);
    case PRODUCT_VARIANCE_SWAP:
        move = trade->past_level > 0.0 && trade->fixings.n ? log(spot / trade->past_level) : 0.0;
        return trade->notional * (trade->past_variance + move * move / trade->past_years -
                                  trade->strike_volatility * trade->strike_volatility);
    case PRODUCT_AUTOCALLABLE: return autocallable_pays(trade);
    case PRODUCT_FORWARD:
    case PRODUCT_FUTURE: return spot - trade->strike;
    case PRODUCT_EUROPEAN:
    case PRODUCT_BASKET:
    case PRODUCT_SPREAD: return option_pays(trade, basket_of(trade), trade->strike);
    case PRODUCT_AMERICAN:
        if (!looks(&trade->exercise)) return 0.0;
        return option_pays(trade, basket_of(trade), trade->strike);
    case PRODUCT_POSITION:
    case PRODUCT_CASH:
    case PRODUCT_PREMIUM:
    case PRODUCT_FEE:
    case PRODUCT_SCRIPT:
    case N_PRODUCTS: break;
    }
    return 0.0;
}

/* ---- the last day ---------------------------------------------------------------------------- */

/* Reads the trade as on its last day, which is the reader's today: with the closes of that day as
 * spots, today's being those of the market. */
static void read_as_of(struct reader *reader, long day)
{
    struct trade *trade = reader->trade;
    char date[DATE_ROOM];
    reader->valuation_day = day;
    reader->expired = false;
    trade->expiry = 0.0;
    if (!trade->start_in_years) trade->start += date_years(day, reader->today);
    for (int i = 0; i < trade->n_assets && day < reader->today; i++) {
        int asset = trade->assets[i];
        trade->today[i] = reader->fixings ? fixings_close(reader->fixings, asset, day) : NAN;
        if (isnan(trade->today[i]))
            complain(reader, reader->group, "no fixings have '%s' on %s",
                     reader->assets[asset].name, date_write(day, date));
    }
    read_trade_schedules(reader);
    check_rules(reader);
    season_trade(reader);
    check_passed(reader);
}

void take_back_complaints(struct reader *reader, int first, int stopping)
{
    struct complaints *complaints = reader->complaints;
    snprintf(reader->unknown, sizeof reader->unknown, "%s", complaints->list[first].line);
    while (complaints->n > first) free(complaints->list[--complaints->n].line);
    reader->n_stopping = stopping;
}

void owe_payment(struct reader *reader)
{
    struct trade *trade = reader->trade;
    struct complaints *complaints = reader->complaints;
    int before = complaints->n, stopping = reader->n_stopping;
    double expiry = trade->expiry;
    if (!trade->assets || !good(reader, KEY_EXPIRY)) return;
    long today = reader->valuation_day, day = day_at(reader, expiry);
    if (paid_on(reader, day) < today) return;
    reader->today = today;
    read_as_of(reader, day);
    double amount = complaints->n == before ? pays(trade) : NAN;
    if (reader->called) amount = 0.0; /* which is owed already */
    if (complaints->n > before) take_back_complaints(reader, before, stopping);
    else if (!isfinite(amount))
        snprintf(reader->unknown, sizeof reader->unknown, "its past is not known");
    else owe(reader, day, amount);
    if (reader->called) reader->unknown[0] = '\0';
    reader->valuation_day = today;
    reader->expired = true;
    trade->expiry = expiry;
    reader->today = 0;
}
