#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/read_trades.h"
#include "app/config/values.h"
#include "models/base/grow.h"

bool is_expired(const struct reader *reader, const config_setting_t *group)
{
    long day;
    const config_setting_t *at = member_of(group, "expiry");
    const config_setting_t *paid = member_of(group, "pay_date");
    if (!at)
        return reader->dated == DATED && states_date(paid, &day) && day < reader->valuation_day;
    if (config_setting_is_number(at)) return setting_number(at) <= 0.0;
    return reader->dated == DATED && states_date(at, &day) && day <= reader->valuation_day;
}

/* Returns when it expired and what is still to come of it; NULL without memory. */
static char *say_expired(const struct reader *reader)
{
    char text[480], when[80], rest[280] = "";
    const struct trade *trade = reader->trade;
    const config_setting_t *at =
        reader->found.at[given(reader, KEY_PAY_DATE) ? KEY_PAY_DATE : KEY_EXPIRY];
    double expiry = trade->expiry;
    if (reader->unknown[0])
        snprintf(rest, sizeof rest, ": what it still pays is left out, for %s", reader->unknown);
    for (int i = 0; i < trade->n_owed; i++) {
        char day[DATE_ROOM];
        const struct payment *payment = &trade->owed[i];
        size_t length = strlen(rest);
        date_write(reader->valuation_day + lround(365.0 * payment->years), day);
        snprintf(rest + length, sizeof rest - length, "%s %.10g %s %s", i ? "," : ": owes",
                 trade->quantity * payment->amount, reader->dated == DATED ? "on" : "today",
                 reader->dated == DATED ? day : "");
    }
    if (reader->called) {
        date_write(reader->called, when);
        snprintf(text, sizeof text, "expired: it %s on %.10s%s",
                 reader->script ? "stopped" : "was called", when, rest);
        return strdup(text);
    }
    if (!config_setting_is_number(at))
        snprintf(when, sizeof when, "%.10s, %s the valuation date %s",
                 config_setting_get_string(at), expiry < 0.0 ? "before" : "not after",
                 reader->valuation_date);
    else if (expiry < 0.0) snprintf(when, sizeof when, "%.10g years ago", -expiry);
    else snprintf(when, sizeof when, "today, with expiry 0");
    snprintf(text, sizeof text, "expired %s%s", when, rest);
    return strdup(text);
}

enum { COMPLAINTS_SHOWN = 20 }; /* in the message of one trade; all are printed */

/* Returns the complaints from number `first` on, as one line; NULL without memory. */
static char *join_complaints(const struct complaints *complaints, int first)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    for (int i = first; i < complaints->n && i < first + COMPLAINTS_SHOWN; i++)
        fprintf(out, "%s%s", i > first ? "; " : "", complaints->list[i].line);
    if (complaints->n > first + COMPLAINTS_SHOWN)
        fprintf(out, "; and %d more", complaints->n - first - COMPLAINTS_SHOWN);
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

void leave_unpriced(struct reader *reader, struct trade_list *list)
{
    struct trade *trade = reader->trade;
    bool room = !grow_array(&list->unpriced, &list->unpriced_room, list->n_unpriced + 1,
                            sizeof *list->unpriced);
    bool expired = !complains(reader);
    char *message = expired ? say_expired(reader)
                            : join_complaints(reader->complaints, reader->first_complaint);
    if (expired && reader->unknown[0] && message) remark(reader, reader->group, "%s", message);
    if (expired && trade->n_owed && message) { /* it has a value: it is priced */
        trade->expired = message;
        return;
    }
    if (given(reader, KEY_QUANTITY) && !good(reader, KEY_QUANTITY)) trade->quantity = NAN;
    if (room && message) {
        list->unpriced[list->n_unpriced++] =
            (struct unpriced_trade){.row = list->n - 1, .expired = expired, .message = message};
        return;
    }
    free(message);
    reader->status = STATUS_NO_MEMORY;
}

/* Returns `base`, or `base (2)`, `base (3)`, ...: the first that no trade has. NULL without memory.
 */
static char *free_name(const struct names *ids, const char *base)
{
    size_t room = strlen(base) + 16;
    char *name = malloc(room);
    if (!name) return NULL;
    snprintf(name, room, "%s", base);
    for (int k = 2; names_find(ids, name) >= 0; k++) snprintf(name, room, "%s (%d)", base, k);
    return name;
}

/* Gives a trade an id of its own where it has none. The place is in it, so that it is found at once
 * however many have the same. */
static enum status name_unpriced(struct trade_list *list, struct unpriced_trade *unpriced)
{
    char base[512];
    char *id = unpriced->trade.id;
    if (id && names_find(&list->ids, id) == unpriced->row) return STATUS_OK;
    if (id) snprintf(base, sizeof base, "%s (trade %d)", id, unpriced->row + 1);
    else snprintf(base, sizeof base, "trade %d", unpriced->row + 1);
    char *name = free_name(&list->ids, base);
    if (!name) return STATUS_NO_MEMORY;
    free(id);
    unpriced->trade.id = name;
    return names_add(&list->ids, name, unpriced->row);
}

enum status unpriced_trades_take(struct trade_list *list)
{
    int n_priced = 0, taken = 0;
    for (int i = 0; i < list->n; i++) {
        if (taken < list->n_unpriced && list->unpriced[taken].row == i)
            list->unpriced[taken++].trade = list->trades[i];
        else list->trades[n_priced++] = list->trades[i];
    }
    list->n = n_priced;
    for (int i = 0; i < list->n_unpriced; i++) MUST(name_unpriced(list, &list->unpriced[i]));
    return STATUS_OK;
}
