#include <math.h>
#include <string.h>

#include "app/config/dates.h"
#include "app/config/trade_terms.h"
#include "app/report/html.h"
#include "app/report/sections.h"

enum { DATES_SHOWN = 24, DATES_AHEAD = 3 }; /* of a long schedule the first ones and the last */

struct leaf_terms {
    FILE *out;
    const struct results *results;
    const struct trade *trade;
};

/* Writes the name of a key: what has passed stands in a group of the book. */
static void begin_term(FILE *out, const char *key)
{
    bool past = !strncmp(key, "past_", 5);
    fprintf(out, "<dt>%s%s<dd>", past ? "past." : "", past ? key + 5 : key);
}

/* Writes a number with all digits that a book gives. */
static void write_number(FILE *out, double number)
{
    if (number == rint(number)) fputs(plain_text(number).text, out);
    else fprintf(out, "%.15g", number);
}

static void write_time(const struct leaf_terms *writing, double years, bool in_years)
{
    char text[DATE_ROOM];
    long day;
    if (in_years || !time_is_date(writing->results, years, &day)) write_number(writing->out, years);
    else fputs(date_write(day, text), writing->out);
}

static void write_schedule(const struct leaf_terms *writing, const struct schedule *schedule)
{
    bool in_years = writing->trade->expiry_in_years;
    long day;
    int shown = schedule->n > DATES_SHOWN ? DATES_AHEAD : schedule->n;
    if (schedule->continuous) {
        fputs("continuous", writing->out);
        return;
    }
    for (int i = 0; i < schedule->n; i++)
        in_years |= !time_is_date(writing->results, schedule->times[i], &day);
    for (int i = 0; i < shown; i++) {
        if (i) fputs(", ", writing->out);
        write_time(writing, schedule->times[i], in_years);
    }
    if (shown == schedule->n) return;
    fputs(" \xe2\x80\xa6 ", writing->out);
    write_time(writing, schedule->times[schedule->n - 1], in_years);
    fprintf(writing->out, " (%d dates)", schedule->n);
}

/* Tells whether a term says something of the trade: a key that may be left out and holds nothing
 * does not. */
static bool speaks(const struct leaf_terms *writing, const struct trade_term *term)
{
    if (term->kind == TERM_SCHEDULE) return term->schedule->continuous || term->schedule->n;
    if (term->kind == TERM_WORD)
        return strcmp(term->word, "-") &&
               (strcmp(term->key, "kind") || writing->trade->n_assets > 1);
    if (term->kind == TERM_LIST) return term->n > 0;
    return isfinite(term->number) && (term->required || term->number != 0.0);
}

static void write_term(void *context, const struct trade_term *term)
{
    const struct leaf_terms *writing = context;
    FILE *out = writing->out;
    if (!speaks(writing, term)) return;
    begin_term(out, term->key);
    switch (term->kind) {
    case TERM_NUMBER: write_number(out, term->number); break;
    case TERM_TRUTH: fputs(term->number != 0.0 ? "yes" : "no", out); break;
    case TERM_TIME: write_time(writing, term->number, term->in_years); break;
    case TERM_WORD: fputs(term->word, out); break;
    case TERM_SCHEDULE: write_schedule(writing, term->schedule); break;
    case TERM_LIST:
        for (int i = 0; i < term->n; i++) {
            if (i) fputs(", ", out);
            write_number(out, term->numbers[i]);
        }
        break;
    }
}

/* Writes the assets of a trade, each a link to its group. */
static void write_assets(FILE *out, const struct results *results, const struct trade *trade)
{
    bool several = trade->n_assets > 1;
    if (trade->n_assets < 1 || trade->asset < 0) return;
    begin_term(out, several ? "assets" : "asset");
    for (int i = 0; i < trade->n_assets; i++) {
        const char *name = results->market->assets[trade_asset(trade, i)].name;
        if (i) fputs(", ", out);
        link_group(out, results, "asset", name);
    }
    if (trade->quanto < 0) return;
    begin_term(out, "quanto.fx");
    html_text(out, results->market->assets[trade->quanto].name);
}

void write_trade_terms(FILE *out, const struct results *results, int index)
{
    const struct trade *trade = &results->trades[index];
    struct leaf_terms writing = {.out = out, .results = results, .trade = trade};
    fputs("<dl>", out);
    begin_term(out, "type");
    html_text(out, trade_type(trade));
    write_assets(out, results, trade);
    begin_term(out, "quantity");
    if (isfinite(trade->quantity)) write_number(out, trade->quantity);
    trade_terms_visit(trade, &writing, write_term);
    for (int i = 0; i < trade->n_tags; i++) {
        html_print(out, "<dt>tag %s<dd>", trade->tags[i].name);
        link_group(out, results, trade->tags[i].name, trade->tags[i].value);
    }
    begin_term(out, "stands in");
    html_print(out, "%s:%d</dl>\n", trade->file ? trade->file : "", trade->line);
}
