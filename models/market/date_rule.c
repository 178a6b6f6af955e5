#include "models/market/date_rule.h"

#include <stdlib.h>

const char date_stub_words[] = "- short_front long_front short_back long_back";

/* Returns the day k periods from one end of the rule, inwards; of IMM dates the k-th after
 * `from`. */
static long inwards(const struct date_rule *rule, bool from_back, int k)
{
    struct tenor every = rule->every;
    if (every.imm) return tenor_day((struct tenor){.imm = k * every.imm}, rule->from);
    int way = from_back ? -k : k;
    return day_add_months(from_back ? rule->to : rule->from, way * every.months) + way * every.days;
}

/* Counts the dates strictly between the two ends; more than DATE_RULE_MAX as one more. */
static int count_between(const struct date_rule *rule, bool from_back)
{
    int n = 0;
    for (; n <= DATE_RULE_MAX; n++) {
        long day = inwards(rule, from_back, n + 1);
        if (day <= rule->from || day >= rule->to) break;
    }
    return n;
}

/* Tells whether the period at the end that is not counted from is shorter than the others. */
static bool has_stub(const struct date_rule *rule, bool from_back, int n)
{
    return inwards(rule, from_back, n + 1) != (from_back ? rule->from : rule->to);
}

/* Tells whether a day is the end of the rule, or is moved onto it off holidays, or off weekends
 * where the rule has no holidays. */
static bool is_end(const struct date_rule *rule, long day)
{
    return day == rule->to || roll_day(or_weekends(rule->holidays), rule->roll, day) == rule->to;
}

/* Counts the periods of a rule whose stub nobody asked for, where they fill the time from its
 * beginning on: to its end, or to a day that is moved off holidays onto it. 0 where they do not. */
static int whole_periods(const struct date_rule *rule, int between)
{
    if (rule->stub != STUB_UNASKED || rule->every.imm || !has_stub(rule, true, between)) return 0;
    for (int n = between ? between : 1; n <= between + 2; n++)
        if (is_end(rule, inwards(rule, false, n))) return n;
    return 0;
}

bool date_rule_sliver(const struct date_rule *rule, long *end, long *last)
{
    int n = rule->to > rule->from ? count_between(rule, true) : 0;
    if (rule->stub != STUB_UNASKED || rule->every.imm || !n || n > DATE_RULE_MAX) return false;
    if (whole_periods(rule, n) || !has_stub(rule, true, n)) return false;
    *end = inwards(rule, true, n);
    *last = inwards(rule, false, n);
    return 4 * (*end - rule->from) < *end - inwards(rule, true, n + 1) &&
           roll_day(rule->holidays, rule->roll, rule->from) <
               roll_day(rule->holidays, rule->roll, *end);
}

/* Moves days off holidays; days that meet become one, of which the last stays. */
static int roll_days(const struct date_rule *rule, int n, long *days)
{
    int n_days = 0;
    for (int i = 0; i < n; i++) {
        bool as_it_is = i == n - 1 && rule->to_as_it_is;
        long day = as_it_is ? days[i] : roll_day(rule->holidays, rule->roll, days[i]);
        while (n_days && days[n_days - 1] >= day) n_days--;
        days[n_days++] = day;
    }
    return n_days;
}

enum status date_rule_days(const struct date_rule *rule, int *n, long **days)
{
    bool from_back = !rule->every.imm && rule->stub <= STUB_LONG_FRONT;
    bool is_long =
        !rule->every.imm && (rule->stub == STUB_LONG_FRONT || rule->stub == STUB_LONG_BACK);
    int between = rule->to > rule->from ? count_between(rule, from_back) : DATE_RULE_MAX + 1;
    if (between > DATE_RULE_MAX) return STATUS_BAD_INPUT;
    if (is_long && between && has_stub(rule, from_back, between)) between--;
    int whole = whole_periods(rule, between);
    if (whole) from_back = false, between = whole - 1;
    *days = malloc((size_t)(between + 2) * sizeof **days);
    if (!*days) return STATUS_NO_MEMORY;
    (*days)[0] = rule->from;
    for (int i = 1; i <= between; i++)
        (*days)[i] = inwards(rule, from_back, from_back ? between + 1 - i : i);
    (*days)[between + 1] = rule->to;
    *n = roll_days(rule, between + 2, *days);
    return STATUS_OK;
}
