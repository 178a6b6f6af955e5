/* Trades in CSV files: every form a file may take, and the time that many rows take. Files that
 * must be refused are cases of config_bad_input_test; that the rows of every product are priced as
 * the book's own trades are is the work of app_trades_file_test.sh. */
#include <sys/stat.h>
#include <time.h>

#include "validation/tests/config/config_books.h"

static const char market[] =
    "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.02; } ); "
    "assets = (\n{ name = 'IDX'; currency = 'EUR'; spot = 100; volatility = 0.2; "
    "},\n{ name = 'ACME'; currency = 'EUR'; spot = 50; volatility = 0.3; },\n{ name = 'EURUSD'; "
    "currency = 'EUR'; spot = 1.1; volatility = 0.1; } ); };\n";

/* Writes a book with these keys. */
static void write_book(const char *keys)
{
    char text[2000];
    snprintf(text, sizeof text, "%sbook = { %s };\n", market, keys);
    write_file("book.cfg", text);
}

/* Loads a book with these keys and rows of CSV. */
static void load_rows(const char *keys, const char *rows)
{
    write_book(keys);
    if (rows) write_file("t.csv", rows);
    load("book.cfg");
}

#define HEADER "id,type,asset,option,strike,expiry\n"
#define GOOD "A,european,IDX,call,100,1\n"

/* ---- what is read ---------------------------------------------------------------------------- */

TEST(every_form_is_read)
{
    static const char rows[] =
        "\xef\xbb\xbf"
        "id,type,asset,option,strike,expiry,averaging,strike_type,fixings,fixing_times,past.count,"
        "past.average\r\n"
        "\r\n"
        " blanks , european,\tIDX,call , 1e2,1,,,,,,\r\n"
        "\"quo\"\"ted, id\",european,IDX,put,010,0x1,,,,,,\n"
        "asian,asian,IDX,call,5000000000,2,arithmetic,fixed,,0.25; 0.5 ;2.0;,3,101.5\n"
        "count,asian,IDX,call,1,2,arithmetic,fixed,4,,,\n"
        "\xc3\x9c,asian,IDX,call,1,2,arithmetic,fixed,,1,,\n" /* one time alone; a name in UTF-8 */
        "12,european,IDX,call,100,1,,,,,,"; /* a number is a text; the last line has no end */
    load_rows("trades_file = 't.csv';", rows);
    assert_int_equal(book.n_trades, 6);
    assert_int_equal(find_trade("blanks")->line, 3);
    assert_string_equal(find_trade("blanks")->file, "t.csv");
    assert_trade("blanks", "european on 0 option=call strike=100 expiry=1");
    assert_trade("quo\"ted, id", "european on 0 option=put strike=10 expiry=1");
    assert_trade("asian", "asian on 0 option=call averaging=arithmetic strike_type=fixed "
                          "strike=5000000000 fixings=0.25,0.5,2 expiry=2 past_count=3 "
                          "past_average=101.5");
    assert_int_equal(find_trade("count")->fixings.n, 4);
    assert_int_equal(find_trade("\xc3\x9c")->fixings.n, 1);
    assert_int_equal(find_trade("12")->line, 8);
}

/* Live trades: what has passed, and no dates where all have. */
TEST(pasts_are_read)
{
    static const char rows[] =
        "id,type,asset,assets,option,expiry,start,strike_ratio,reset_times,notional,strike_"
        "volatility,fixings,initial,observation_times,call_level,coupon,protection_level,memory,"
        "past.level,past.returns,past.years,past.variance,past.observations,past.missed\n"
        "F,forward_start,IDX,,call,1,-0.25,1,,,,,,,,,,,97.5,,,,,\n"
        "C,cliquet,IDX,,,1,,,;,10,,,,,,,,,98.5,-0.01,,,,\n"
        "V,variance_swap,IDX,,,1,,,,10,0.2,4,,,,,,,99.5,,0.5,0.04,,\n"
        "A,autocallable,,IDX,,1,,,,10,,,102,;,1,0.05,0.6,true,,,,,3,2\n";
    load_rows("trades_file = 't.csv';", rows);
    assert_trade(
        "F", "forward_start on 0 option=call start=-0.25 strike_ratio=1 expiry=1 past_level=97.5");
    assert_trade("C",
                 "cliquet on 0 notional=10 reset_times= local_floor=-inf local_cap=inf "
                 "global_floor=-inf global_cap=inf expiry=1 past_level=98.5 past_returns=-0.01");
    assert_trade("V",
                 "variance_swap on 0 fixings=0.25,0.5,0.75,1 notional=10 strike_volatility=0.2 "
                 "expiry=1 past_years=0.5 past_variance=0.04 past_level=99.5");
    assert_trade(
        "A",
        "autocallable on 0 notional=10 observation_times= call_level=1 coupon=0.05 coupon_level=1 "
        "memory=1 protection_level=0.6 expiry=1 initial=102 past_observations=3 past_missed=2");
}

TEST(files_come_behind_the_list_in_their_order)
{
    static const char rows[] = "type,id,expiry,strike,option,asset\neuropean,B,1,100,put,IDX\n";
    assert_int_equal(mkdir("below", 0700), 0);
    write_file("below/u.csv", rows);
    load_rows("trades_file = ['below/u.csv', 't.csv']; trades = ( { id = 'own'; type = 'european'; "
              "asset = 'IDX'; option = 'put'; strike = 1; expiry = 1; } );",
              HEADER GOOD);
    assert_int_equal(book.n_trades, 3);
    assert_string_equal(book.trades[0].id, "own");
    assert_string_equal(book.trades[1].id, "B");
    assert_string_equal(book.trades[1].file, "below/u.csv");
    assert_string_equal(book.trades[2].id, "A");
    assert_int_equal(book.n_files, 3);
    remove("below/u.csv");
    rmdir("below");
}

/* A schedule of as many dates as are allowed is a line of most of a megabyte. */
TEST(a_very_long_line_is_read)
{
    FILE *file = fopen("t.csv", "w");
    fputs("id,type,asset,option,averaging,strike_type,strike,expiry,fixing_times\n", file);
    fputs("long,asian,IDX,call,arithmetic,fixed,100,1,", file);
    for (int i = 1; i <= 100000; i++) fprintf(file, "%.5f;", i / 1e5);
    fclose(file);
    load_rows("trades_file = 't.csv';", NULL);
    assert_int_equal(book.trades[0].fixings.n, 100000);
}

/* Parameters of scripts have columns of their own, of which there is an end; tags come behind. */
TEST(more_columns_than_there_is_room_for)
{
    enum { MANY = 400 };
    struct complaints complaints = {0};
    FILE *file = fopen("t.csv", "w");
    fputs("id,script,asset,expiry", file);
    for (int i = 0; i < MANY; i++) fprintf(file, ",p%d", i);
    fputs(",tag.desk\n", file);
    fclose(file);
    write_book("trades_file = 't.csv';");
    book_free(&book);
    assert_int_equal(book_load("book.cfg", &book, &complaints), STATUS_BAD_INPUT);
    assert_true(complaints.n > 1 && complaints.n < MANY);
    for (int i = 0; i < complaints.n; i++)
        assert_non_null(strstr(complaints.list[i].line, "t.csv:1: unknown column 'p"));
    complaints_free(&complaints);
}

static double seconds_to_load(const char *row, int n, enum status wanted, int complaints_wanted)
{
    struct complaints complaints = {0};
    FILE *file = fopen("t.csv", "w");
    fputs(HEADER, file);
    for (int i = 0; i < n; i++) fprintf(file, row, i, 90 + i % 20);
    fclose(file);
    write_book("trades_file = 't.csv';");
    book_free(&book);
    clock_t begin = clock();
    assert_int_equal(book_load("book.cfg", &book, &complaints), wanted);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(complaints.n, complaints_wanted);
    if (!wanted) assert_int_equal(book.n_trades, n);
    complaints_free(&complaints);
    return seconds;
}

TEST(many_rows_load_in_time)
{
    double good = seconds_to_load("T%d,european,IDX,call,%d,1.5\n", 30000, STATUS_OK, 0);
    double bad =
        seconds_to_load("same%.0d,european,IDY,puut,-%d,1\n", 30000, STATUS_BAD_INPUT, 90000);
    print_message("30,000 rows in %.2f s, 90,000 complaints of as many in %.2f s\n", good, bad);
#ifndef __SANITIZE_ADDRESS__
    assert_true(good < 1.5); /* about 0.12 s where nothing else runs */
    assert_true(bad < 6.0);
#endif
}

static int begin(void **state)
{
    return set_up(state) || chdir(folder);
}

static int end(void **state)
{
    remove("t.csv");
    return tear_down(state);
}

ALL_TESTS_BETWEEN(config_trades_file_test, begin, end)
