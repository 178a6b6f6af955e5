/* Books of the tests of app/config: written into a folder of their own, loaded, asserted. */
#ifndef PRICER_VALIDATION_TESTS_CONFIG_BOOKS_H
#define PRICER_VALIDATION_TESTS_CONFIG_BOOKS_H

#include "validation/tests/written_book.h"

static char folder[] = P_tmpdir "/pricer-book-XXXXXX";

static inline void load_set(const char *path, int n_sets, const char *const *sets,
                            struct book *book)
{
    struct complaints complaints = {0};
    enum status status = book_load_set(path, n_sets, sets, book, &complaints);
    assert_read(status, &complaints);
}

static inline void load(const char *path, struct book *book)
{
    load_set(path, 0, NULL, book);
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
__attribute__((format(printf, 2, 3))) static inline void load_written(struct book *book,
                                                                      const char *format, ...)
{
    char text[4000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_file("book.cfg", text);
    load(in_folder("book.cfg"), book);
}

/* Fails unless a book has no note, or the one that is wanted. */
static inline void assert_note(const struct book *book, const char *wanted)
{
    assert_int_equal(book->notes.n, wanted != NULL);
    if (wanted && !strstr(book->notes.list[0].line, wanted))
        fail_msg("%s", book->notes.list[0].line);
}

static inline const struct trade *find_trade(const struct book *book, const char *id)
{
    for (int i = 0; i < book->n_trades; i++)
        if (!strcmp(book->trades[i].id, id)) return &book->trades[i];
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

static inline void assert_assets(const struct trade *trade, int n, const int *assets)
{
    assert_int_equal(trade->n_assets, n);
    assert_int_equal(trade->asset, assets[0]);
    for (int i = 0; i < n; i++) assert_int_equal(trade->assets[i], assets[i]);
}

static inline void assert_weights(const struct trade *trade, const double *weights)
{
    for (int i = 0; i < trade->n_assets; i++) assert_number(trade->weights[i], weights[i]);
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
    static const char *const names[] = {
        "aside.cfg",      "book.cfg",       "large.cfg",      "split.cfg",
        "sub/market.cfg", "sub/deeper.cfg", "sub/trades.cfg", "sub"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(in_folder(names[i]));
    return rmdir(folder);
}

#endif
