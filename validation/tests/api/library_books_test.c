/* The library's book in memory: the table of keys as it is shown, and drafts, which go through the
 * reader of files. */
#include <sys/wait.h>

#include "validation/tests/api/api_run.h"

static uint64_t digest_of(struct pricer *pricer, struct pricer_book *book)
{
    struct pricer_results *results;
    assert_done(pricer, pricer_plan(pricer, book, &results));
    assert_done(pricer, pricer_price(results));
    uint64_t digest = pricer_digest(results);
    pricer_results_free(results);
    return digest;
}

/* ---- the keys -------------------------------------------------------------------------------- */

static struct pricer_key key_of(const char *table, const char *name)
{
    struct pricer_key key = {.size = sizeof key};
    for (int i = 0; pricer_key(table, i, &key); i++)
        if (!strcmp(key.name, name)) return key;
    fail_msg("no key %s in '%s'", name, table);
    return key;
}

/* Every key of every table below one says what it is, and leads to the tables that it holds. */
static int walk(const char *table, int depth)
{
    int n = pricer_keys(table), keys = n;
    assert_true(n > 0 && depth < 8);
    for (int i = 0; i < n; i++) {
        struct pricer_key key = {.size = sizeof key};
        char below[320];
        assert_true(pricer_key(table, i, &key));
        snprintf(below, sizeof below, "%.200s%s%.100s", table, *table ? "." : "", key.name);
        if (!key.meaning || !*key.meaning || !key.forms)
            fail_msg("%s has no meaning or no form", below);
        assert_true(strlen(key.words) < sizeof key.words - 1);
        if (key.instead_of) key_of(table, key.instead_of);
        bool group = key.forms & (PRICER_FORM_GROUP | PRICER_FORM_GROUPS);
        bool named = !strcmp(key.name, "tags") || !strcmp(key.name, "past");
        if (group && !named) keys += walk(below, depth + 1);
    }
    struct pricer_key none = {.size = sizeof none, .name = "stays"};
    assert_false(pricer_key(table, n, &none));
    assert_string_equal(none.name, "stays");
    return keys;
}

TEST(keys_lead_to_all_tables)
{
    assert_true(walk("", 0) > 150);
    assert_int_equal(pricer_keys("market.asset"), 0);
    assert_int_equal(pricer_keys("market.assets[asian]"), 0);
    assert_int_equal(pricer_keys("book.trades[asian"), 0);
    assert_int_equal(pricer_keys("book.trades."), 0);
    assert_int_equal(pricer_keys("book.trades[european].past"), 0);
    assert_int_equal(pricer_keys("book.trades[asian].past"), 2);
    assert_true(key_of("book.trades[autocallable].past", "observations").required);
    assert_false(key_of("book.trades[autocallable].past", "missed").required);
    assert_int_equal(key_of("market.assets.volatility", "vols").forms, PRICER_FORM_NUMBERS);
    assert_true(key_of("market.assets.volatility", "times").required);
    assert_false(key_of("market.assets.volatility", "atm").required);
}

TEST(keys_of_products_and_models)
{
    char table[64], words[2048] = "";
    for (int i = 0; i < pricer_products(); i++) {
        snprintf(table, sizeof table, "book.trades[%s]", pricer_product(i));
        assert_true(key_of(table, "id").required && key_of(table, "type").required);
        assert_string_equal(key_of(table, "quantity").fallback, "1");
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i ? " " : "",
                 pricer_product(i));
    }
    /* The built-in ones first, then the scripts of the library */
    struct pricer_key type = key_of("book.trades", "type");
    assert_memory_equal(type.words, words, strlen(type.words));
    assert_non_null(strstr(words + strlen(type.words), " tarf"));
    assert_string_equal(key_of("book.trades[tarf]", "at_target").words, "full partial none");
    assert_string_equal(key_of("book.trades[tarf]", "gearing").fallback, "1");
    assert_int_equal(key_of("book.trades[tarf]", "fixings").forms,
                     PRICER_FORM_TIMES | PRICER_FORM_GROUP);
    assert_true(key_of("book.trades[tarf]", "expiry").required);
    assert_false(key_of("book.trades[tarf]", "option").required);
    assert_int_equal(pricer_keys("book.trades[tarf].fixings"),
                     pricer_keys("book.trades[asian].fixing_times"));
    assert_null(pricer_product(pricer_products()));
    assert_null(pricer_model(-1));
    for (int i = 0; i < pricer_models(); i++) {
        snprintf(table, sizeof table, "market.assets[%s]", pricer_model(i));
        assert_true(key_of(table, "name").required);
    }
    assert_true(key_of("market.assets[merton]", "jumps").required);
    assert_false(key_of("market.assets[bates]", "jumps").required); /* or a surface to fit it to */
    assert_int_equal(pricer_keys("market.assets[heston]") + 2, pricer_keys("market.assets"));
    struct pricer_key asian = key_of("book.trades[asian]", "fixing_times");
    assert_string_equal(asian.instead_of, "fixings");
    assert_int_equal(asian.forms, PRICER_FORM_TIMES | PRICER_FORM_GROUP);
    assert_true(key_of("book.trades[asian]", "fixings").required);
    assert_string_equal(key_of("book.trades[barrier]", "direction").words, "up down");
    assert_string_equal(key_of("book.trades[barrier]", "monitoring").words, "continuous");
    assert_string_equal(key_of("settings", "paths").range, ">= 1, at most 1099511627776");
    assert_string_equal(key_of("book.trades", "quantity").range, "not 0");
}

/* A fallback is what a book without the key means: with it, the digest stays. */
TEST(fallbacks_are_those_of_the_reader)
{
    struct pricer *pricer = open_with(cpu_options());
    const char *tables[] = {"settings", "market.assets", "market.assets.heston", "book.trades"};
    char text[4096];
    uint64_t plain = 0;
    for (int t = 0; t < 4; t++) {
        struct pricer_key key = {.size = sizeof key};
        for (int i = -1; i < 0 || pricer_key(tables[t], i, &key); i++) {
            char given[128] = "";
            bool of_product = i >= 0 && (!strcmp(key.name, "memory") || !strcmp(key.name, "hit") ||
                                         !strcmp(key.name, "rebate") || !strcmp(key.name, "cash"));
            bool of_rate = i >= 0 && !strcmp(key.name, "spot_days");
            if (i >= 0 && (!key.fallback || of_product || of_rate)) continue;
            const char *quote = i >= 0 && key.forms & PRICER_FORM_TEXT ? "\"" : "";
            if (i >= 0)
                snprintf(given, sizeof given, "%s = %s%s%s;", key.name, quote, key.fallback, quote);
            snprintf(text, sizeof text,
                     "valuation_date = '2026-11-20'; settings = { %s };"
                     "market = { currencies = ( { name = 'EUR'; rate = 0.03; } ); assets = ("
                     "{ name = 'A'; currency = 'EUR'; spot = 100.0; volatility = 0.2; %s },"
                     "{ name = 'H'; currency = 'EUR'; spot = 100.0; model = 'heston'; heston = { "
                     "v0 = 0.04; kappa = 1; theta = 0.04; xi = 0.3; rho = -0.5; %s }; } ); };"
                     "book = { trades = ( { id = 'c'; type = 'european'; asset = 'A'; "
                     "option = 'call'; strike = 100.0; expiry = 1.0; %s }, { id = 'h'; "
                     "type = 'european'; asset = 'H'; option = 'put'; strike = 100.0; "
                     "expiry = 0.1; } ); };",
                     t == 0 ? given : "", t == 1 ? given : "", t == 2 ? given : "",
                     t == 3 ? given : "");
            uint64_t digest = digest_of_text(pricer, text);
            if (!plain) plain = digest;
            if (digest != plain) fail_msg("%s: %s is not its fallback", tables[t], given);
        }
    }
    pricer_close(pricer);
}

/* ---- drafts ---------------------------------------------------------------------------------- */

static const char text[] =
    "valuation_date = '2026-11-20';\nsettings = { paths = 4096; greeks = ['delta']; "
    "};\nmarket = { currencies = ( { name = 'EUR'; rate = 0.03; } ); assets = (\n  { name = 'A'; "
    "currency = 'EUR'; spot = 100.0; volatility = 0.2; },\n  { name = 'L'; currency = 'EUR'; "
    "spot = 50; model = 'local_vol'; volatility = {\n    times = ['6M', '1Y']; "
    "strikes = [40, 50, 60];\n    vols = ( [0.24, 0.20, 0.19], [0.23, 0.21, 0.20] ); }; } ); "
    "};\nbook = { name = 'one'; trades = (\n  { id = 'c'; type = 'european'; asset = 'A'; "
    "option = 'call'; strike = 100.0; expiry = '2027-11-20'; quantity = -3; },\n  { id = 'l'; "
    "type = 'european'; asset = 'L'; option = 'put'; strike = 50.0; expiry = 1.0; "
    "tags = { desk = 'EQD'; }; } ); };\n";

static struct pricer_draft *drafted(struct pricer *pricer)
{
    struct pricer_draft *draft;
    const char *const tenors[] = {"6M", "1Y"}, *const greeks[] = {"delta"};
    const double strikes[] = {40, 50, 60}, rows[2][3] = {{0.24, 0.20, 0.19}, {0.23, 0.21, 0.20}};
    assert_int_equal(pricer_draft_new(pricer, &draft), PRICER_OK);
#define PUT(kind, path, ...) assert_done(pricer, pricer_draft_##kind(draft, path, __VA_ARGS__))
    PUT(text, "valuation_date", "2026-11-20");
    PUT(whole, "settings.paths", 4096);
    PUT(texts, "settings.greeks", 1, greeks);
    PUT(number, "market.currencies[EUR].rate", 0.5);
    PUT(number, "market.currencies[EUR].rate", 0.03);
    PUT(text, "market.assets[A].currency", "EUR");
    PUT(number, "market.assets[A].spot", 100.0);
    PUT(number, "market.assets[A].volatility", 0.2);
    PUT(text, "market.assets[1].name", "L");
    PUT(text, "market.assets[L].currency", "EUR");
    PUT(whole, "market.assets[L].spot", 50);
    PUT(text, "market.assets[L].model", "local_vol");
    PUT(texts, "market.assets[L].volatility.times", 2, tenors);
    PUT(numbers, "market.assets[L].volatility.strikes", 3, strikes);
    PUT(numbers, "market.assets[L].volatility.vols[0]", 3, rows[1]);
    PUT(numbers, "market.assets[L].volatility.vols[0]", 3, rows[0]);
    PUT(numbers, "market.assets[L].volatility.vols[1]", 3, rows[1]);
    PUT(text, "book.trades[c].type", "european");
    PUT(text, "book.trades[c].asset", "A");
    PUT(text, "book.trades[c].option", "call");
    PUT(text, "book.trades[c].strike", "not a number yet");
    PUT(number, "book.trades[c].strike", 100.0);
    PUT(text, "book.trades[c].expiry", "2027-11-20");
    PUT(whole, "book.trades[c].quantity", -3);
    PUT(text, "book.trades[l].type", "european");
    PUT(text, "book.trades[l].asset", "L");
    PUT(text, "book.trades[l].option", "put");
    PUT(number, "book.trades[l].strike", 50.0);
    PUT(number, "book.trades[l].expiry", 1.0);
    PUT(text, "book.trades[l].tags.desk", "EQD");
    return draft;
}

/* A draft is the book that its text is, and can be made again. */
TEST(draft_has_the_digest_of_its_text)
{
    struct pricer *pricer = open_with(cpu_options());
    struct pricer_draft *draft = drafted(pricer);
    struct pricer_book *books[2];
    for (int i = 0; i < 2; i++) assert_done(pricer, pricer_book_make(draft, "draft", &books[i]));
    pricer_draft_free(draft);
    for (int i = 0; i < 2; i++) {
        assert_true(digest_of(pricer, books[i]) == digest_of_text(pricer, text));
        pricer_book_free(books[i]);
    }
    pricer_close(pricer);
}

/* Complaints are those of a file, with the path in the place of file and line. */
TEST(draft_is_complained_of_by_path)
{
    struct pricer *pricer = open_with(cpu_options());
    struct pricer_draft *draft = drafted(pricer);
    struct pricer_book *book;
    const double wrong[] = {0.23, -0.21, 0.20}, right[] = {0.23, 0.21, 0.20};
    PUT(text, "settings.on_bad_trade", "stop");
    PUT(number, "book.trades[l].strike", -5.0);
    assert_refused(pricer_book_make(draft, "draft", &book));
    assert_null(book);
    assert_string_equal(pricer_message(pricer),
                        "book.trades[l].strike: trade 'l': strike must be > 0, got -5");
    PUT(number, "book.trades[l].strike", 50.0);
    PUT(numbers, "market.assets[L].volatility.vols[1]", 3, wrong);
    assert_refused(pricer_book_make(draft, "draft", &book));
    assert_non_null(strstr(pricer_message(pricer), "L].volatility.vols[1]: asset 'L': vols must"));
    PUT(numbers, "market.assets[L].volatility.vols[1]", 3, right);
    PUT(text, "book.trades[x].type", "european");
    assert_refused(pricer_book_make(draft, "draft", &book));
    assert_non_null(strstr(pricer_message(pricer), "book.trades[x]: trade 'x': "));
    assert_non_null(strstr(pricer_message(pricer), " is missing"));
    pricer_draft_free(draft);
    assert_int_equal(pricer_draft_new(pricer, &draft), PRICER_OK);
    assert_refused(pricer_book_make(draft, "draft", &book));
    assert_string_equal(pricer_message(pricer),
                        "draft: market is missing: a book's file must have it");
    pricer_draft_free(draft);
    pricer_close(pricer);
}

TEST(wrong_paths_are_refused)
{
    struct pricer *pricer = open_with(cpu_options());
    struct pricer_draft *draft = drafted(pricer);
    const char *const wrong[] = {"",
                                 ".",
                                 "market..spot",
                                 "market",
                                 "market.assets",
                                 "market.assets[A]",
                                 "market.assets[7].spot",
                                 "market.assets[A",
                                 "market.assets[A].spot.more",
                                 "market[0]",
                                 "market.3",
                                 "settings.greeks[3]",
                                 "unheard[0][",
                                 "market.unheard[3].spot",
                                 "book.trades[new]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (pricer_draft_number(draft, wrong[i], 1.0) != PRICER_BAD_INPUT)
            fail_msg("'%s' is taken", wrong[i]);
        assert_true(strlen(pricer_message(pricer)) > 20);
    }
    assert_refused(pricer_draft_text(draft, "book.name", "\002bare"));
    assert_refused(pricer_draft_numbers(draft, "market.assets[A].x", -1, NULL));
    assert_refused(pricer_draft_texts(draft, "market.assets[A].x", -1, NULL));
    struct pricer_book *book;
    assert_int_equal(pricer_book_make(draft, "draft", &book), PRICER_OK);
    pricer_book_free(book);
    pricer_draft_free(draft);
    pricer_close(pricer);
}

/* ---- a book that is read --------------------------------------------------------------------- */

static const char small[] =
    "settings = { paths = 4096; };"
    "market = { currencies = ( { name = 'EUR'; rate = 0.03; } ); assets = ( { name = 'A'; "
    "currency = 'EUR'; spot = 100.0; dividend_yield = 0.01; volatility = 0.2; } ); };"
    "book = { trades = ( { id = 'c'; type = 'european'; asset = 'A'; option = 'call'; "
    "strike = 120; expiry = 1.0; } ); };";

static struct pricer_book *read_small(struct pricer *pricer)
{
    return read_book(pricer, small, 0, NULL);
}

TEST(market_is_read_and_set)
{
    struct pricer *pricer = open_with(cpu_options());
    struct pricer_book *book = read_small(pricer);
    const double t[2] = {0.5, 2.0}, k[2] = {90.0, 130.0};
    double found[2];
    assert_int_equal(pricer_market(book, PRICER_MARKET_DISCOUNT, "EUR", 2, t, NULL, found), 0);
    for (int i = 0; i < 2; i++) assert_true(fabs(found[i] - exp(-0.03 * t[i])) < 1e-15);
    assert_int_equal(pricer_book_set(book, "market.assets[A].spot", 110.0), PRICER_OK);
    assert_int_equal(pricer_market(book, PRICER_MARKET_FORWARD, "A", 2, t, NULL, found), 0);
    for (int i = 0; i < 2; i++) assert_true(fabs(found[i] - 110.0 * exp(0.02 * t[i])) < 1e-12);
    assert_int_equal(pricer_market(book, PRICER_MARKET_VOLATILITY, "A", 2, t, k, found), 0);
    for (int i = 0; i < 2; i++) assert_true(fabs(found[i] - 0.2) < 1e-15);
    uint64_t digest = digest_of(pricer, book);
    assert_true(digest != digest_of_text(pricer, small));

    /* What cannot be leaves the book as it was. */
    assert_refused(pricer_book_set(book, "market.assets[A].spot", -1.0));
    assert_non_null(strstr(pricer_message(pricer), "spot must be > 0"));
    assert_refused(pricer_book_set(book, "market.assets[B].spot", 1.0));
    assert_refused(pricer_book_set(book, NULL, 1.0));
    assert_non_null(strstr(pricer_message(pricer), "NULL"));
    assert_refused(pricer_book_set(NULL, "settings.seed", 1.0));
    assert_int_equal(pricer_market(book, PRICER_MARKET_FORWARD, "B", 1, t, NULL, found), 1);
    assert_int_equal(pricer_market(book, PRICER_MARKET_VOLATILITY, "A", 1, t, NULL, found), 1);
    assert_int_equal(pricer_market(book, (enum pricer_market_number)7, "A", 1, t, k, found), 1);
    assert_int_equal(pricer_market(NULL, PRICER_MARKET_FORWARD, "A", 1, t, NULL, found), 1);
    struct pricer_fit fit = {.size = sizeof fit};
    assert_refused(pricer_calibrate(book, "A", "heston", &fit));
    assert_non_null(strstr(pricer_message(pricer), "no implied surface"));
    assert_true(digest_of(pricer, book) == digest);
    pricer_book_free(book);
    pricer_close(pricer);
}

TEST(a_book_is_printed)
{
    static const char text_of_one[] = "book = { trades = ( { id = \"c\"; strike = 120; } ); };";
    static const char *const sets[] = {"book.trades[c].strike=120.5", "book.trades[d].strike=1"};
    struct pricer *pricer = open_with(cpu_options());
    char *printed = NULL;
    size_t n;
    FILE *stream = open_memstream(&printed, &n);
    assert_done(pricer, pricer_book_print(pricer, "small", text_of_one, 1, sets, stream));
    assert_refused(pricer_book_print(pricer, "small", text_of_one, 2, sets, stream));
    assert_refused(pricer_book_print(pricer, "small", "market = {", 0, NULL, stream));
    assert_non_null(strstr(pricer_message(pricer), "small:1: "));
    assert_refused(pricer_book_print(pricer, NULL, text_of_one, 0, NULL, stream));
    assert_refused(pricer_book_print(pricer, "small", text_of_one, 0, NULL, NULL));
    fclose(stream);
    assert_non_null(strstr(printed, "\"strike\": 120.5"));
    assert_int_equal(printed[n - 1], '}');
    free(printed);
    pricer_close(pricer);
}

/* A child of a process that has priced prices, too, by its parent's handle and by one of its own.
 */
TEST(a_child_prices)
{
    struct pricer *pricer = open_with(cpu_options());
    struct pricer_book *book = read_small(pricer);
    uint64_t digest = digest_of(pricer, book);
    pid_t child = fork();
    if (!child) {
        struct pricer *own = open_with(cpu_options());
        bool same = digest_of(pricer, book) == digest && digest_of_text(own, small) == digest;
        _exit(same ? 0 : 2);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_true(digest_of(pricer, book) == digest);
    pricer_book_free(book);
    pricer_close(pricer);
}

ALL_TESTS(library_books_test)
