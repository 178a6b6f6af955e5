/* Regular dates: the ends of periods from one day to another, moved off holidays. */
#ifndef PRICER_MODELS_MARKET_DATE_RULE_H
#define PRICER_MODELS_MARKET_DATE_RULE_H

#include "models/base/status.h"
#include "models/market/holidays.h"

/* Which end a period of another length has where the periods do not fill the time: its periods are
 * counted from the other end. A long one is joined with its neighbour. One that nobody asked
 * for is a short one in front, and only where `to` is neither a whole number of periods after
 * `from` nor the business day that such a date rolls to. In the order of date_stub_words. */
enum date_stub { STUB_UNASKED, STUB_SHORT_FRONT, STUB_LONG_FRONT, STUB_SHORT_BACK, STUB_LONG_BACK };
extern const char date_stub_words[];

/* A rule for dates. */
struct date_rule {
    long from, to;
    bool to_as_it_is; /* `to` is not moved off holidays */
    struct tenor every;
    enum date_stub stub;
    struct holidays holidays;
    enum day_roll roll;
};

enum { DATE_RULE_MAX = 100000 }; /* periods */

/* Makes the days at which periods begin and end, from `from` to `to`, increasing, in an allocated
 * list that the caller frees: at least two. STATUS_BAD_INPUT where there are more periods than
 * DATE_RULE_MAX or `to` is not after `from`, STATUS_NO_MEMORY. */
enum status date_rule_days(const struct date_rule *rule, int *n, long **days);

/* Finds a first period that nobody asked for and that is shorter than a quarter of the others.
 * False where there is none; else writes the day on which it ends, and the last day that is a whole
 * number of periods after `from`. */
bool date_rule_sliver(const struct date_rule *rule, long *end, long *last);

#endif
