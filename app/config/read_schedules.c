#include "app/config/read_trades.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/values.h"
#include "models/market/date_rule.h"

/* ---- dates by number and by list ------------------------------------------------------------- */

static const struct value_range schedule_dates = {RANGE_FROM, 1, 100000};
static const long dates_max = 1L << 26; /* of all schedules of a book: half a gigabyte */

static bool count_dates(struct reader *reader, const config_setting_t *at, int n)
{
    if (reader->dates_read + n > dates_max) {
        complain(reader, at, "the schedules of the book have more than %ld dates: split it",
                 dates_max);
        return false;
    }
    reader->dates_read += n;
    return true;
}

static bool read_equal_dates(struct reader *reader, const config_setting_t *at, double expiry,
                             struct schedule *schedule)
{
    int64_t n;
    if (!read_whole(reader, at, schedule_dates, &n)) return false;
    if (reader->expiry_is_date && reader->dated == DATED && !reader->said_moving &&
        strcmp(setting_key(at), "exercise")) {
        remark(reader, at,
               "%s = %lld spreads dates from the valuation date of every night to the expiry: a "
               "trade that lives on has a list or a rule with from as a date (said once)",
               setting_key(at), (long long)n);
        reader->said_moving = true;
    }
    if (!times_are_distinct(0.0, expiry / (double)n)) {
        complain_key(reader, at,
                     "must leave %g years (half a minute) between dates: at most %.0f to expiry "
                     "%.10g, got %lld",
                     TIMES_APART, floor(expiry / TIMES_APART * (1.0 + 1e-7)), expiry, (long long)n);
        return false;
    }
    if (!count_dates(reader, at, (int)n)) return false;
    schedule->times = reader_array(reader, (size_t)n, sizeof *schedule->times);
    if (!schedule->times) return false;
    schedule->n = (int)n;
    for (int i = 1; i <= schedule->n; i++) schedule->times[i - 1] = i * expiry / schedule->n;
    /* Which N * expiry / N misses by a rounding for some N */
    schedule->times[schedule->n - 1] = expiry;
    return true;
}

/* Makes a last date within a second of the expiry the expiry; complains where it is beyond, or too
 * near to it. */
static bool ends_in_time(struct reader *reader, const config_setting_t *at, double expiry,
                         double *at_last)
{
    double last = *at_last;
    char got[VALUE_ROOM], end[VALUE_ROOM];
    if (fabs(last - expiry) <= TIMES_MEET) {
        *at_last = expiry;
        return true;
    }
    if (last > expiry)
        complain_key(reader, at, "must not go beyond expiry %s, got %s",
                     show_time(reader, reader->found.at[KEY_EXPIRY], expiry, end),
                     show_time(reader, at, last, got));
    else if (!times_are_distinct(last, expiry))
        complain_key(
            reader, at,
            "must end at expiry %.15g or at least %g years (half a minute) before it, got %.15g",
            expiry, TIMES_APART, last);
    else return true;
    return false;
}

void schedule_days_free(struct schedule_days *days)
{
    free(days->days);
    free(days->passed);
    *days = (struct schedule_days){0};
}

static void add_passed(struct reader *reader, long day, struct schedule_days *days)
{
    int n = days->n_passed;
    if (reader_grow(reader, &days->passed, &days->room, n + 1, sizeof *days->passed))
        days->passed[days->n_passed++] = day;
}

/* Takes the dates before today out of a list, where fixings say what they saw. */
static void take_passed(struct reader *reader, const config_setting_t *at,
                        struct schedule_days *days)
{
    long day, before = 0;
    char here[DATE_ROOM], last[DATE_ROOM];
    while (reader->fixings && reader->dated == DATED && config_setting_length(at)) {
        const config_setting_t *first = element_of(at, 0);
        if (!states_date(first, &day) || day >= reader->valuation_day) break;
        if (days->n_passed && day <= before)
            complain_key(reader, first, "must increase, got %s after %s", date_write(day, here),
                         date_write(before, last));
        add_passed(reader, day, days);
        before = day;
        config_setting_remove_elem((config_setting_t *)at, 0);
    }
}

/* ---- rules for dates ------------------------------------------------------------------------- */

static const struct key rule_keys[] = {
    KEY_DEFERRED(
        "from", FORM_DATE,
        "date or tenor, where the first period begins; the valuation date where not given"),
    KEY_DEFERRED(
        "to", FORM_DATE,
        "date or tenor, where the last period ends; the expiry of the trade where not given"),
    KEY_DEFERRED("every", FORM_TEXT, "length of a period: 3M, 1W, 1D, IMM"),
    KEY_DEFERRED("calendar", FORM_TEXT,
                 "of holidays; those of the assets of the trade where not given"),
    KEY_FIELD("roll", CHOICE, struct date_rule, roll, "where a date on a holiday goes",
              .words = day_roll_words, .fallback = "modified_following"),
    KEY_FIELD("stub", CHOICE, struct date_rule, stub, "which end has a period of another length",
              .words = date_stub_words, .fallback = "short_front"),
};
const struct key_table date_rule_table =
    KEY_TABLE("a rule for dates", rule_keys, .required = "every");

/* Reads the holidays of a rule and where its dates on them go: those of a trade's assets where it
 * names none, forward within the month where it says nothing. */
static bool read_roll(struct reader *reader, const config_setting_t *at, struct date_rule *rule)
{
    const config_setting_t *calendar = member_of(at, "calendar"), *roll = member_of(at, "roll");
    rule->holidays = reader->holidays;
    if (calendar && !read_calendar(reader, calendar, &rule->holidays)) return false;
    if (!roll) rule->roll = ROLL_MODIFIED_FOLLOWING;
    if (!roll || rule->holidays.bits || rule->roll == ROLL_NONE) return true;
    complain(
        reader, roll,
        "roll needs a calendar: write calendar = \"TARGET\"; or \"weekends\", or leave it out");
    return false;
}

/* Checks that a rule of a trade begins on a date where the trade ends on one, or it would forget on
 * the next night what has passed; exercise has nothing to forget. Notes the first that moves with
 * the valuation date. */
static void check_from(struct reader *reader, const config_setting_t *at,
                       const config_setting_t *from)
{
    long day;
    const char *name = setting_key(at);
    if (states_date(from, &day) || reader->dated != DATED || !strcmp(name, "exercise_times"))
        return;
    if (reader->expiry_is_date)
        complain(reader, from ? from : at,
                 "%s must have from as a date where expiry is one, or the next night forgets what "
                 "has been seen: write from = \"%s\"; or the day on which its first period began",
                 name, reader->valuation_date);
    else if (!from && !reader->said_moving) {
        remark(reader, at,
               "%s has no from and begins on the valuation date of every night: a trade that lives "
               "on has dates as expiry and from (said once)",
               name);
        reader->said_moving = true;
    }
}

/* Complains of a short first period that a trade did not ask for; where `from` is not given, it is
 * joined with the next one. */
static void check_sliver(struct reader *reader, const config_setting_t *at, bool from_given,
                         struct date_rule *rule)
{
    long end, last;
    char from[DATE_ROOM], first[DATE_ROOM], to[DATE_ROOM];
    const char *name = setting_key(at);
    if (rule->to <= rule->from || !strcmp(name, "times") ||
        (!from_given && !strcmp(name, "exercise_times")) || !date_rule_sliver(rule, &end, &last))
        return;
    if (!from_given) rule->stub = STUB_LONG_FRONT;
    else
        complain_key(reader, at,
                     "has a first period of %ld day%s, %s to %s, that stub does not ask for: write "
                     "to = \"%s\"; or from = \"%s\"; or stub = \"short_front\"; where it is meant",
                     end - rule->from, end - rule->from == 1 ? "" : "s",
                     date_write(rule->from, from), date_write(end, first), date_write(last, to),
                     first);
}

/* Reads the days of a rule, from the valuation day on where it does not say, to `end` where it
 * does not and there is one, which is then not moved. NULL after a complaint. */
static long *read_rule(struct reader *reader, const config_setting_t *at, const long *end, int *n)
{
    long *days = NULL;
    struct date_rule rule = {.from = reader->valuation_day};
    int before = reader->complaints->n;
    read_group(reader, &date_rule_table, at, &rule);
    const config_setting_t *begin = member_of(at, "from"), *last = member_of(at, "to"),
                           *every = member_of(at, "every");
    if (begin) read_day_or_tenor(reader, begin, &rule.from);
    if (last) read_day_or_tenor(reader, last, &rule.to);
    else if (end) rule.to = *end, rule.to_as_it_is = true;
    else complain(reader, at, "to is missing: %s must have it here", date_rule_table.title);
    if (strcmp(setting_key(at), "times")) check_from(reader, at, begin);
    const char *length = read_text(reader, every);
    if (length && !tenor_read(length, &rule.every))
        complain(reader, every,
                 "every must be a tenor like \"3M\", \"1W\", \"1D\" or \"IMM\", got \"%.40s\"",
                 length);
    read_roll(reader, at, &rule);
    if (reader->complaints->n > before) return NULL;
    if (reader->dated != DATED) {
        if (reader->dated == DATED_NOT)
            complain_key(reader, at,
                         "needs a valuation date: write valuation_date = \"2026-11-20\";");
        return NULL;
    }
    note_unknown_year(reader, at, setting_key(at), rule.holidays, rule.from);
    note_unknown_year(reader, at, setting_key(at), rule.holidays, rule.to);
    check_sliver(reader, at, begin, &rule);
    if (reader->complaints->n > before) return NULL;
    char from[DATE_ROOM], to[DATE_ROOM];
    enum status status = date_rule_days(&rule, n, &days);
    if (status == STATUS_NO_MEMORY) reader->status = status;
    else if (status && rule.to <= rule.from)
        complain_key(reader, at, "must go on after it begins, got from %s to %s",
                     date_write(rule.from, from), date_write(rule.to, to));
    else if (status)
        complain_key(reader, at, "is limited to %d dates, got more from %s to %s", DATE_RULE_MAX,
                     date_write(rule.from, from), date_write(rule.to, to));
    else if (*n < 2) {
        complain_key(reader, at, "must have two business days, all roll onto %s",
                     date_write(days[0], from));
        free(days);
        days = NULL;
    }
    return days;
}

/* Reads the days of a rule from `first` on as times from today: those at which its periods end, or
 * begin. Those before are noted as passed. NULL after a complaint; `end` as of read_rule. */
static double *read_rule_dates(struct reader *reader, const config_setting_t *at, const long *end,
                               bool begins, long first, struct schedule_days *rule, int *n)
{
    free(rule->days); /* a trade of no known product may have several */
    rule->days = read_rule(reader, at, end, n);
    if (!rule->days) return NULL;
    rule->n = *n - 1;
    *n = 0;
    double *times = reader_array(reader, (size_t)rule->n, sizeof *times);
    for (int i = 0; times && i < rule->n; i++) {
        long day = rule->days[begins ? i : i + 1];
        if (day >= first) times[(*n)++] = date_years(reader->valuation_day, day);
        else add_passed(reader, day, rule);
    }
    return times;
}

bool is_whole_day(const struct reader *reader, double years, long *day)
{
    double days = 365.0 * years;
    *day = reader->valuation_day + lround(days);
    return fabs(days - round(days)) <= 365.0 * TIMES_MEET;
}

static const struct value_range any_date = {RANGE_FROM, -100, 100},
                                coming_date = {RANGE_FROM, 0, 100};

/* Reads a list or a rule of dates that end in time, the last one at most at the expiry. `days`
 * notes those before today of a rule, and a list has none; NULL: they are among the dates, and a
 * list may be empty. NULL after a complaint. */
static double *read_list_or_rule(struct reader *reader, const config_setting_t *at, bool begins,
                                 double expiry, struct schedule_days *days, int *n)
{
    struct schedule_days unasked = {0};
    const config_setting_t *last = at;
    double *times;
    long day;
    *n = config_setting_length(at);
    if (config_setting_is_group(at)) {
        bool whole = is_whole_day(reader, expiry, &day);
        times = read_rule_dates(reader, at, whole ? &day : NULL, begins,
                                days ? reader->valuation_day : LONG_MIN, days ? days : &unasked, n);
        schedule_days_free(&unasked);
    } else if (!*n && !days) times = reader_array(reader, 1, sizeof *times);
    else if (*n > schedule_dates.high) {
        complain_key(reader, at, "is limited to %.0f dates, got %d", schedule_dates.high, *n);
        return NULL;
    } else {
        last = element_of(at, *n - 1);
        times = read_times(reader, at, days ? coming_date : any_date, n);
    }
    if (times && (!*n || ends_in_time(reader, last, expiry, &times[*n - 1])) &&
        count_dates(reader, last, *n))
        return times;
    free(times);
    return NULL;
}

double *read_dates(struct reader *reader, const config_setting_t *at, double expiry, int *n)
{
    char got[VALUE_ROOM];
    double *times = NULL;
    if (config_setting_is_list(at) || config_setting_is_group(at))
        times = read_list_or_rule(reader, at, false, expiry, NULL, n);
    else
        complain_key(reader, at,
                     "must be a list [...] of times, or a rule { every = \"3M\"; }, got %s",
                     show_value(at, got));
    if (!times) *n = 0;
    return times;
}

bool read_date_until(struct reader *reader, const config_setting_t *at, double expiry,
                     double *years)
{
    return read_time(reader, at, any_date, years) && ends_in_time(reader, at, expiry, years);
}

double *read_rule_times(struct reader *reader, const config_setting_t *at, int *n)
{
    struct schedule_days rule = {0};
    double *times = read_rule_dates(reader, at, NULL, false, reader->valuation_day + 1, &rule, n);
    schedule_days_free(&rule);
    if (!times || (*n && times[*n - 1] <= 100.0)) return times;
    complain_key(reader, at, "must have dates after the valuation date %s, within 100 years of it",
                 reader->valuation_date);
    free(times);
    return NULL;
}

bool read_schedule(struct reader *reader, const config_setting_t *at, const struct key *key,
                   double expiry, struct schedule *schedule, struct schedule_days *days)
{
    static const char *const forms[][2] = {
        {"continuous", "\"continuous\""},
        {"american", "\"american\""},
        {"count", "a number of dates"},
        {"times", "a list [...] of times or a rule { every = \"1D\"; }"}};
    char right[120] = "";
    const char *text = config_setting_get_string(at);
    bool times = strstr(key->words, "times"), list = config_setting_is_list(at);
    int n = 0, before = reader->complaints->n;
    *schedule = (struct schedule){0};
    days->n_passed = 0;
    if (config_setting_is_number(at) && strstr(key->words, "count"))
        return read_equal_dates(reader, at, expiry, schedule);
    if (times && (list || config_setting_is_group(at))) {
        if (list) take_passed(reader, at, days);
        if (reader->complaints->n > before) return false;
        if (days->n_passed && list && !config_setting_length(at)) return true;
        schedule->times =
            read_list_or_rule(reader, at, strstr(key->words, "begins"), expiry, days, &n);
    } else {
        schedule->continuous = text && (!strcmp(text, "continuous") || !strcmp(text, "american")) &&
                               strstr(key->words, text);
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (strstr(key->words, forms[i][0]))
                list_word(right, sizeof right, " or ", forms[i][1]);
        return schedule->continuous || refuse_type(reader, at, right);
    }
    if (schedule->times) schedule->n = n;
    return schedule->times;
}
