/* Trades of a book that are not priced, and many that are, or are complained of, in time. */
#include <time.h>

#include "validation/tests/config/config_books.h"
#include "models/payoffs/product_numbers.h"

/* ---- trades that are not priced -------------------------------------------------------------- */

/* Loads trades on the market of these tests, dated or not, with `settings`. */
static enum status load_trades(const char *settings, const char *trades,
                               struct complaints *complaints)
{
    char text[8000];
    snprintf(text, sizeof text,
             "valuation_date = '2026-11-20';\nsettings = { %s };\n%s\nbook = { trades = (%s); };\n",
             settings, small_market, trades);
    write_file("aside.cfg", text);
    book_free(&book);
    return book_load(in_folder("aside.cfg"), &book, complaints);
}

#define EUROPEAN "type = 'european'; asset = 'A'; option = 'put'; strike = 1; "
#define TOUCH                                                                                      \
    "type = 'touch'; asset = 'A'; barrier = 2; direction = 'up'; monitoring = 'continuous'; "      \
    "cash = 10; "
#define BARRIER                                                                                    \
    "type = 'barrier'; asset = 'A'; option = 'put'; strike = 1; barrier = 2; direction = 'up'; "   \
    "monitoring = ['2026-02-02']; rebate = 3; hit = true; "

TEST(expired_trades_are_worth_what_they_still_pay)
{
    static const struct {
        const char *trade, *message;
        double value;
    } cases[] = {
        {EUROPEAN "expiry = '2026-11-19';",
         "expired 2026-11-19, before the valuation date 2026-11-20", 0},
        {EUROPEAN "expiry = '2026-11-20';",
         "expired 2026-11-20, not after the valuation date 2026-11-20", 0},
        {EUROPEAN "expiry = 0;", "expired today, with expiry 0", 0},
        {EUROPEAN "expiry = -0.25;", "expired 0.25 years ago", 0},
        {TOUCH
         "touch = 'one'; pay_at = 'expiry'; hit = true; quantity = -3; expiry = '2026-11-20';",
         "expired 2026-11-20, not after the valuation date 2026-11-20: owes -30 on 2026-11-20",
         -30},
        {TOUCH "touch = 'one'; pay_at = 'expiry'; hit = true; expiry = '2026-11-19';", NULL, 0},
        {TOUCH "touch = 'one'; pay_at = 'hit'; hit = true; expiry = '2026-11-20';", NULL, 0},
        {TOUCH "touch = 'one'; pay_at = 'expiry'; expiry = '2026-11-20';", NULL, 0},
        {TOUCH "touch = 'no'; hit = true; expiry = '2026-11-20';", NULL, 0},
        {BARRIER "knock = 'out'; rebate_at = 'expiry'; expiry = '2026-11-20';", NULL, 3},
        {BARRIER "knock = 'out'; expiry = '2026-11-20';", NULL, 0},
        {BARRIER "knock = 'in'; rebate_at = 'expiry'; expiry = '2026-11-20';", NULL, 0},
        {"type = 'forward_start'; asset = 'A'; option = 'put'; start = '2026-01-05'; "
         "strike_ratio = 1; expiry = '2026-11-20';",
         NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct complaints complaints = {0};
        char trades[2000];
        snprintf(trades, sizeof trades,
                 "{ id = 'X'; %s },"
                 "{ id = 'L'; " EUROPEAN "expiry = 1; }",
                 cases[i].trade);
        assert_ok(load_trades("", trades, &complaints));
        assert_int_equal(complaints.n, 0);
        assert_int_equal(book.n_trades + book.n_unpriced, 2);
        bool owed = book.n_trades == 2;
        const struct trade *expired = owed ? &book.trades[0] : &book.unpriced[0].trade;
        const char *message = owed ? expired->expired : book.unpriced[0].message;
        assert_int_equal(expired->n_owed, owed);
        assert_string_equal(expired->id, "X");
        print_message("%s\n", message);
        assert_true((owed ? expired->quantity * expired->owed[0].amount : 0.0) == cases[i].value);
        if (cases[i].message) assert_string_equal(message, cases[i].message);
        complaints_free(&complaints);
    }
}

/* An expired trade that is wrong in itself is refused; alone it makes a book; with "stop" it stops
 * nothing. */
TEST(expired_trades_and_wrong_ones)
{
    struct complaints complaints = {0};
    assert_ok(load_trades("on_bad_trade = 'stop';", "{ id = 'X'; " EUROPEAN "expiry = 0; }",
                          &complaints));
    assert_int_equal(book.n_trades, 0);
    assert_int_equal(book.n_unpriced, 1);
    static const char wrong[] = "{ id = 'X'; " EUROPEAN "expiry = 0; colour = 1; },"
                                "{ id = 'L'; " EUROPEAN "expiry = 1; }";
    assert_ok(load_trades("", wrong, &complaints));
    assert_int_equal(complaints.n, 1);
    assert_false(book.unpriced[0].expired);
    assert_string_equal(book.unpriced[0].message, complaints.list[0].line);
    complaints_free(&complaints);
    assert_int_equal(load_trades("on_bad_trade = 'stop';", wrong, &complaints), STATUS_BAD_INPUT);
    assert_null(book.unpriced);
    complaints_free(&complaints);
}

/* Refused trades without an id of their own are named after their places, whatever the others are
 * called. */
TEST(refused_trades_have_names_of_their_own)
{
    struct complaints complaints = {0};
    static const char trades[] =
        "{ " EUROPEAN "expiry = 1; },"
        "{ id = 'T'; " EUROPEAN "expiry = 1; },"
        "{ id = 'T'; " EUROPEAN "expiry = 1; }, 5, { id = 'trade 1'; " EUROPEAN
        "expiry = 1; }, { id = 6; " EUROPEAN "expiry = 1; quantity = 0; }";
    static const char *const wanted[] = {"trade 1 (2)", "T (trade 3)", "trade 4", "trade 6"};
    static const int rows[] = {0, 2, 3, 5};
    assert_ok(load_trades("", trades, &complaints));
    assert_int_equal(book.n_trades, 2);
    assert_int_equal(book.n_unpriced, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(book.unpriced[i].trade.id, wanted[i]);
        assert_int_equal(book.unpriced[i].row, rows[i]);
    }
    assert_int_equal(book.unpriced[2].trade.product, N_PRODUCTS);
    assert_int_equal(book.unpriced[2].trade.n_assets, 0);
    assert_true(isnan(book.unpriced[3].trade.quantity));
    complaints_free(&complaints);
}

/* ---- large books ----------------------------------------------------------------------------- */

static void make_book(const char *arguments)
{
    char command[300];
    snprintf(command, sizeof command, "scripts/make-book %s > %s", arguments,
             in_folder("large.cfg"));
    assert_int_equal(system(command), 0);
}

/* Processor seconds of the faster of two loads of large.cfg, which has n trades. */
static double seconds_to_load(int n)
{
    double best = 1e9;
    for (int i = 0; i < 2; i++) {
        clock_t begin = clock();
        load(in_folder("large.cfg"));
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds < best) best = seconds;
        assert_int_equal(book.n_trades, n);
    }
    return best;
}

TEST(many_trades_load_in_time)
{
    make_book("3000");
    double tenth = seconds_to_load(3000);
    make_book("30000");
    double whole = seconds_to_load(30000);
    print_message("3,000 trades in %.2f s, 30,000 in %.2f s\n", tenth, whole);
    assert_true(whole < 30 * (tenth > 0.02 ? tenth : 0.02)); /* in proportion */
#ifndef __SANITIZE_ADDRESS__
    assert_true(whole < 3.0); /* about 0.3 s where nothing else runs */
#endif
}

/* Complaints take no square either. */
TEST(many_complaints_come_in_time)
{
    enum { TRADES = 30000, ROW = 100 };
    char *text = malloc(sizeof small_market + ROW * (TRADES + 1)), *end = text;
    assert_non_null(text);
    end += sprintf(end, "%sbook = { trades = (\n", small_market);
    for (int i = 0; i < TRADES; i++)
        end += sprintf(end, "{ id = 'same'; type = 'european'; asset = 'B'; option = 'puut'; "
                            "expiry = 1; },\n");
    sprintf(end, "); };\n");
    write_file("large.cfg", text);
    free(text);
    struct complaints complaints = {0};
    book_free(&book);
    clock_t begin = clock();
    assert_int_equal(book_load(in_folder("large.cfg"), &book, &complaints), STATUS_BAD_INPUT);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("%d complaints in %.2f s\n", complaints.n, seconds);
    assert_int_equal(complaints.n, 119999);
    assert_non_null(
        strstr(complaints.list[119998].line, "large.cfg:30003: trade 'same': id 'same' is taken"));
    assert_true(seconds < 9.0);
    complaints_free(&complaints);
}

ALL_TESTS_BETWEEN(config_unpriced_test, set_up, tear_down)
