/* Trades in CSV files: files that must be refused, each with its complaints; every form a file may
 * take; and the time that many rows take. That the rows of every product are priced as the book's
 * own trades are is the work of app_trades_file_test.sh. */
#include <sys/stat.h>
#include <time.h>

#include "validation/tests/config/config_books.h"

static const char market[] =
    "market = { correlation_default = 0; currencies = ( { name = 'EUR'; rate = 0.02; } ); "
    "assets = (\n{ name = 'IDX'; currency = 'EUR'; spot = 100; volatility = 0.2; "
    "},\n{ name = 'ACME'; currency = 'EUR'; spot = 50; volatility = 0.3; },\n{ name = 'EURUSD'; "
    "currency = 'EUR'; spot = 1.1; volatility = 0.1; } ); };\n";

static void write_bytes(const char *name, const char *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Writes a book with these keys. */
static void write_book(const char *keys)
{
    char text[2000];
    snprintf(text, sizeof text, "%sbook = { %s };\n", market, keys);
    for (char *at = text; (at = strchr(at, '\'')); at++) *at = '"';
    write_bytes("book.cfg", text, strlen(text));
}

/* Loads a book with these keys and rows of CSV. */
static void load_rows(const char *keys, const char *rows)
{
    write_book(keys);
    if (rows) write_bytes("t.csv", rows, strlen(rows));
    load("book.cfg");
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Loads book.cfg, which must be refused, or with a row of CSV that is wrong read without that
 * trade, with exactly these lines; a wanted line may end in `...`. */
static void refuse(const char *what, const char *wanted)
{
    struct complaints got = {0};
    bool alone = strstr(wanted, ": trade ") != NULL; /* and the book's own trade is left */
    book_free(&book);
    enum status status = book_load("book.cfg", &book, &got);
    if (status != (alone ? STATUS_OK : STATUS_BAD_INPUT))
        fail_msg("[%s] status %d", what, (int)status);
    if (status) assert_null(book.trades);
    else assert_true(book.n_trades >= 1 && book.n_unpriced >= 1);
    for (int i = 0; i < got.n || *wanted; i++) {
        size_t n = strcspn(wanted, "\n"),
               end = n > 3 && !memcmp(wanted + n - 3, "...", 3) ? n - 3 : n;
        const char *line = i < got.n ? got.list[i].line : "nothing";
        if (!n || strncmp(line, wanted, end) || (end == n && line[n]))
            fail_msg("[%s]\n  got    %s\n  wanted %.*s", what, line, (int)n, wanted);
        wanted += n + (wanted[n] == '\n');
    }
    complaints_free(&got);
}

struct bad_rows {
    const char *what, *rows, *wanted; /* of the rows \1 stands for a zero byte */
};

#define HEADER "id,type,asset,option,strike,expiry\n"
#define GOOD "A,european,IDX,call,100,1\n"
#define AT "t.csv:"

static const struct bad_rows bad_rows[] = {
    {"nothing", "", AT "1: the file is empty: its first line names the columns"},
    {"blank lines", "\n\r\n  \n", AT "1: the file is empty: its first line names the columns"},
    {"no rows", HEADER,
     "book.cfg:5: the book is empty: trades must be a list of at least one ( { id = ...; }, ... ), "
     "or trades_file have a row below its first line"},
    {"zero byte", HEADER "A,euro\1pean,IDX,call,100,1\n",
     AT "2: a zero byte: this is not a text file"},
    {"UTF-16", "\xff\xfei\1d\1", AT "1: a zero byte: this is not a text file"},
    {"unknown column", "id,type,asset,optoin,strike,expiry\n" GOOD,
     AT
     "1: unknown column 'optoin'; columns are named as the keys of trades; did you mean 'option'?"},
    {"column of a group", "id,type,asset,past,strike,expiry\n" GOOD,
     AT "1: unknown column 'past'; columns are named as the keys of trades..."},
    {"empty column", "id,type,asset,,strike,expiry\n" GOOD,
     AT "1: unknown column ''; columns are named as the keys of trades"},
    {"semicolons", "id;type;asset\nA;european;IDX\n",
     AT "1: unknown column 'id;type;asset': columns are separated by ','"},
    {"column twice", "id,type,asset,option,strike,strike,expiry\n",
     AT "1: column 'strike' is given twice: leave one out"},
    {"columns missing", "id,asset\n" GOOD,
     AT "1: column 'type' is missing: the first line must name it\n" AT
        "1: column 'expiry' is missing: the first line must name it"},
    {"too few and too many",
     HEADER "A,european,IDX,call,100\n" GOOD "\n"
            "B,european,IDX,call,100,1,\n",
     AT "2: the row has 5 fields, the first line 6: each row must have as many\n" AT
        "5: the row has 7 fields, the first line 6: each row must have as many"},
    {"quote within", HEADER GOOD "B\"b,european,IDX,call,100,1\n",
     AT "3: a '\"' within a field: put the field in quotes, and \"\" for each of its own"},
    {"text after a quote", HEADER "\"B\"b,european,IDX,call,100,1\n",
     AT "2: a '\"' within a field: put the field in quotes, and \"\" for each of its own"},
    {"never closed", HEADER GOOD "\nB,european,\"IDX,call,100,1\nC,european,IDX,call,100,1\n",
     AT "4: a field without its closing quote in the row that begins here"},
    {"same id", HEADER GOOD GOOD,
     AT "3: trade 'A': id 'A' is taken by the one at t.csv:2: give it another"},
    {"the book's id", HEADER "own,european,IDX,call,100,1\n",
     AT "2: trade 'own': id 'own' is taken by the one at book.cfg:5: give it another"},
    {"no id", HEADER GOOD ",european,IDX,call,100,1\n",
     AT "3: trade 2 of the file: id is missing: a european must have it"},
    {"wrong values", HEADER "A,european,IDY,cal,abc,2027-01-01\nB,europan,IDX,call,-5,101\n",
     AT "2: trade 'A': asset 'IDY' is no asset of the market; did you mean 'IDX'?\n" AT
        "2: trade 'A': option must be \"call\" or \"put\", got \"cal\"; did you mean 'call'?\n" AT
        "2: trade 'A': strike must be a number, got \"abc\"\n" AT
        "2: trade 'A': expiry \"2027-01-01\" needs a valuation date: write valuation_date = "
        "\"2026-11-20\";\n" AT
        "3: trade 'B': type \"europan\" is no product of this version...\n" AT
        "3: trade 'B': expiry must be > 0 and at most 100 years, got 101"},
    {"wrong numbers",
     HEADER "A,european,IDX,call,1e999,1\nB,european,IDX,call,nan,1\nC,european,IDX,call,1;2,1\n",
     AT "2: trade 'A': strike must be a finite number, got one beyond 1.8e308\n" AT
        "3: trade 'B': strike must be a number, got \"nan\"\n" AT
        "4: trade 'C': strike must be a number, got \"1;2\""},
    {"a key of another product",
     "id,type,asset,option,strike,expiry,barrier\n"
     "A,european,IDX,call,100,1,90\n",
     AT "2: trade 'A': unknown key 'barrier' in a european; its keys are ..."},
    {"lists",
     "id,type,assets,kind,option,strike,expiry,weights\n"
     "A,basket,IDX;IDX,average,call,100,1,\nB,basket,IDX;ACME,average,call,100,1,0.5\nC,basket,IDX;"
     "ACME,average,call,100,1,1;;2\n",
     AT "2: trade 'A': assets must be different ones, got 'IDX' twice\n" AT
        "3: trade 'B': weights must be as many as assets: got 1 for 2 assets\n" AT
        "4: trade 'C': weights must be a number, got \"\""},
    {"schedules",
     "id,type,asset,touch,barrier,direction,expiry,monitoring\n"
     "A,touch,IDX,no,120,up,1,0.5;0.4\nB,touch,IDX,no,120,up,1,0.5\nC,touch,IDX,no,120,up,1,0.5;"
     "2\nD,touch,IDX,no,120,up,1,daily\n",
     AT "2: trade 'A': monitoring must increase, got 0.4 after 0.5\n" AT
        "3: trade 'B': monitoring must be a whole number, got 0.5\n" AT
        "4: trade 'C': monitoring must not go beyond expiry 1, got 2\n" AT
        "5: trade 'D': monitoring must be \"continuous\" or a number of dates or a list [...] of "
        "times, got \"daily\""},
    {"dates by a rule",
     "id,type,asset,touch,barrier,direction,expiry,monitoring,monitoring.every,monitoring.roll\n"
     "A,touch,IDX,no,120,up,1,0.5;1,1M,\nB,touch,IDX,no,120,up,1,,1 month,\n"
     "C,touch,IDX,no,120,up,1,,1M,following\nD,touch,IDX,no,120,up,1,,,none\n",
     AT "2: trade 'A': columns monitoring and monitoring.every contradict each other: leave one of "
        "the two empty\n" AT "3: trade 'B': every must be a tenor like \"3M\", \"1W\", \"1D\" or "
        "\"IMM\", got \"1 month\"\n" AT
        "4: trade 'C': roll needs a calendar: write calendar = \"TARGET\"; or \"weekends\", or "
        "leave it out\n" AT "5: trade 'D': every is missing: a rule for dates must have it"},
    {"groups",
     "id,type,asset,option,averaging,strike_type,strike,fixings,expiry,past.count,past.average,"
     "past.years,quanto.fx\n"
     "A,asian,IDX,call,arithmetic,fixed,100,12,1,3,,,\nB,asian,IDX,call,arithmetic,fixed,100,12,1,"
     "3,99,1,\n"
     "C,asian,IDX,call,arithmetic,fixed,100,12,1,,,,EURUS\n",
     AT "2: trade 'A': average is missing: past must have it\n" AT
        "3: trade 'B': unknown key 'years' in past; its keys are count, average\n" AT
        "4: trade 'C': fx 'EURUS' is no asset of the market; did you mean 'EURUSD'?"},
    {"lines of quoted fields",
     HEADER "\"A\nB\",european,IDX,call,100,1\nC,european,IDX,call,-1,1\n",
     AT "2: trade 'A?B': id must be 1 to 64 printable characters, got \"A?B\", in which U+000A is "
        "none\n" AT "4: trade 'C': strike must be > 0, got -1"},
    {"carriage returns",
     "id,type,asset,option,strike,expiry\rA,european,IDX,call,-1,1\r\r\rB,european,IDX,call,-1,1\r",
     AT "2: trade 'A': strike must be > 0, got -1\n" AT "5: trade 'B': strike must be > 0, got -1"},
    {"Latin-1", HEADER "Z\xfcrich,european,IDX,call,100,1\n",
     AT "2: trade 'Z?rich': id must be 1 to 64 printable characters, got \"Z?rich\", in which byte "
        "0xFC is none"},
};

TEST(every_file_is_refused_with_its_complaints)
{
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        const struct bad_rows *bad = &bad_rows[i];
        bool own = strstr(bad->wanted, ": trade ") != NULL; /* which is then left */
        write_book(own ? "trades = ( { id = 'own'; type = 'european'; asset = 'IDX'; option "
                         "= 'put'; strike = 1; expiry = 1; } ); trades_file = 't.csv';"
                       : "trades_file = 't.csv';");
        char *rows = text_of("%s", bad->rows);
        size_t length = strlen(rows);
        for (char *at = rows; (at = strchr(at, 1)); at++) *at = '\0';
        write_bytes("t.csv", rows, length);
        free(rows);
        refuse(bad->what, bad->wanted);
    }
}

TEST(files_that_cannot_be_read)
{
    write_book("trades_file = 'none.csv';");
    refuse("missing",
           "book.cfg:5: trades_file \"none.csv\" cannot be read: No such file or directory");
    write_book("trades_file = '/etc/passwd';");
    refuse("outside", "book.cfg:5: trades_file \"/etc/passwd\" cannot be read: it is outside the "
                      "book's folder, in which it must lie");
    write_book("trades_file = '../../../../../../etc/passwd';");
    refuse("above", "book.cfg:5: trades_file \"../../../../../../etc/passwd\" cannot be read: it "
                    "is outside...");
    assert_int_equal(mkfifo("fifo.csv", 0600), 0);
    write_book("trades_file = 'fifo.csv';");
    refuse("fifo",
           "book.cfg:5: trades_file \"fifo.csv\" cannot be read: it is a FIFO, not a regular file");
    write_book("trades_file = ('none.csv', 3);");
    refuse("a list",
           "book.cfg:5: trades_file \"none.csv\" cannot be read: No such file or directory\n"
           "book.cfg:5: trades_file must be a text in quotes, got 3");
    write_book("trades_file = ();");
    refuse("an empty list",
           "book.cfg:5: trades_file must be a file in quotes or a list of them, got an empty list");
    write_book("trades_file = 1;");
    refuse("a number", "book.cfg:5: trades_file must be a text in quotes, got 1");
    write_book("");
    refuse("neither", "book.cfg:5: trades is missing: book must have it, or trades_file");
    remove("fifo.csv");
}

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
    write_bytes("below/u.csv", rows, strlen(rows));
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
        assert_non_null(strstr(complaints.list[i].line, AT "1: unknown column 'p"));
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
