/* Books of the tests of app/config: written into a folder of their own, loaded, asserted. */
#ifndef PRICER_VALIDATION_TESTS_CONFIG_BOOKS_H
#define PRICER_VALIDATION_TESTS_CONFIG_BOOKS_H

#include "app/config/trade_terms.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/written_book.h"

static char folder[] = P_tmpdir "/pricer-book-XXXXXX";

static struct book book; /* the one that was loaded last */

/* Loads a book in the place of the one before. */
static inline void load_set(const char *path, int n_sets, const char *const *sets)
{
    struct complaints complaints = {0};
    book_free(&book);
    enum status status = book_load_set(path, n_sets, sets, &book, &complaints);
    assert_read(status, &complaints);
}

static inline void load(const char *path)
{
    load_set(path, 0, NULL);
}

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Writes a text, in which ' stands for ", into a file of the folder. */
static inline void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    for (; *text; text++) assert_true(putc(*text == '\'' ? '"' : *text, file) != EOF);
    assert_int_equal(fclose(file), 0);
}

/* Loads book.cfg, which is written as printf does, with ' for ". */
__attribute__((format(printf, 1, 2))) static inline void load_written(const char *format, ...)
{
    char text[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_file("book.cfg", text);
    load(in_folder("book.cfg"));
}

/* Fails unless the book has no note, or the one that is wanted. */
static inline void assert_note(const char *wanted)
{
    assert_int_equal(book.notes.n, wanted != NULL);
    if (wanted && !strstr(book.notes.list[0].line, wanted)) fail_msg("%s", book.notes.list[0].line);
}

static inline const struct trade *find_trade(const char *id)
{
    for (int i = 0; i < book.n_trades; i++)
        if (!strcmp(book.trades[i].id, id)) return &book.trades[i];
    fail_msg("no trade '%s'", id);
    return NULL;
}

/* Equal to the last bit. */
static inline void assert_number(double got, double wanted)
{
    if (got != wanted) fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static inline void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-15)) fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static inline void show_number(FILE *out, double number)
{
    char text[32];
    int digits = 15;
    do snprintf(text, sizeof text, "%.*g", digits, number);
    while (digits++ < 17 && strtod(text, NULL) != number);
    fputs(text, out);
}

static inline void show_numbers(FILE *out, const char *key, int n, const double *numbers)
{
    fprintf(out, " %s=", key);
    for (int i = 0; i < n; i++) fputs(i ? "," : "", out), show_number(out, numbers[i]);
}

static inline void show_term(void *out, const struct trade_term *term)
{
    if (term->kind == TERM_WORD) fprintf(out, " %s=%s", term->key, term->word);
    else if (term->kind == TERM_LIST) show_numbers(out, term->key, term->n, term->numbers);
    else if (term->kind == TERM_SCHEDULE && term->schedule->continuous)
        fprintf(out, " %s=always", term->key);
    else if (term->kind == TERM_SCHEDULE && term->schedule->n > 10)
        fprintf(out, " %s:%d", term->key, term->schedule->n);
    else if (term->kind == TERM_SCHEDULE)
        show_numbers(out, term->key, term->schedule->n, term->schedule->times);
    else if (term->number != 0.0) show_numbers(out, term->key, 1, &term->number);
}

/* Fails unless a trade is what the text shows: its product, the indices of its assets, its
 * quantity, its quanto, and what its keys hold, to the last bit; what is 0 is left out, and of more
 * than ten dates all but their number. */
static inline void assert_trade(const char *id, const char *wanted)
{
    const struct trade *trade = find_trade(id);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fprintf(out, "%s on %d", product_name((enum product)trade->product), trade->asset);
    assert_int_equal(trade->assets[0], trade->asset);
    for (int i = 1; i < trade->n_assets; i++) fprintf(out, "+%d", trade->assets[i]);
    if (trade->quantity != 1.0) show_numbers(out, "quantity", 1, &trade->quantity);
    for (int i = 0; i < trade->quanto.n; i++)
        fprintf(out, "%s%d", i ? "+" : " quanto=", trade->quanto.fx[i]);
    trade_terms_visit(trade, out, show_term);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, wanted);
    free(text);
}

/* A market of one asset without rates. */
static const char small_market[] =
    "market = { currencies = ( { name = 'EUR'; rate = 0; } );\n"
    "assets = ( { name = 'A'; currency = 'EUR'; spot = 1; volatility = 0.2; } ); };\n";

static inline int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int tear_down(void **state)
{
    (void)state;
    book_free(&book);
    static const char *const names[] = {"aside.cfg",      "book.cfg",       "large.cfg",
                                        "split.cfg",      "past.csv",       "sub/market.cfg",
                                        "sub/deeper.cfg", "sub/trades.cfg", "sub"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    return rmdir(folder);
}

#endif
