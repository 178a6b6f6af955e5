/* The page of --report, of made-up results. `report_test --write FILE` writes the page with
 * everything on it, and `report_test --write-many FILE` that of a large book, for the test in a
 * browser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report/html.h"
#include "app/report/report.h"
#include "app/report/sections.h"
#include "validation/tests/made_up_night.h"

/* ---- parts ----------------------------------------------------------------------------------- */

enum { HTML_TEXT, HTML_NUMBER, HTML_MEASURE, HTML_PLAIN };

/* What one of them writes; static. */
static const char *written(int what, const char *text, double number, double error)
{
    static char page[512];
    FILE *out = fmemopen(page, sizeof page, "w");
    assert_non_null(out);
    if (what == HTML_TEXT) html_text(out, text);
    if (what == HTML_NUMBER) html_number(out, number, (int)error);
    if (what == HTML_MEASURE) html_estimate(out, number, error);
    if (what == HTML_PLAIN) html_plain(out, number);
    fclose(out);
    return page;
}

static void texts_are_inert(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"plain", "plain"},
        {"<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"\xff|\xc3", "\xef\xbf\xbd|\xef\xbf\xbd"},
        {"a\x01z\n", "a\xef\xbf\xbdz\xef\xbf\xbd"},
        {"&amp;", "&amp;amp;"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(written(HTML_TEXT, texts[i][0], 0, 0), texts[i][1]);
}

static void numbers_are_read_by_people(void **state)
{
    (void)state;
    static const struct {
        int what;
        double number, error;
        const char *text;
    } cases[] = {{HTML_NUMBER, 0.0, 0, "0"},
                 {HTML_NUMBER, 999.0, 0, "999"},
                 {HTML_NUMBER, 1000.0, 0, "1,000"},
                 {HTML_NUMBER, -1234567.891, 2, "-1,234,567.89"},
                 {HTML_NUMBER, -0.0001, 2, "0.00"},
                 {HTML_NUMBER, NAN, 2, "\xe2\x80\x93"},
                 {HTML_NUMBER, INFINITY, 2, "\xe2\x80\x93"},
                 {HTML_NUMBER, 1e20, 2, "1.00e+20"},
                 {HTML_MEASURE, 12345.678, 12.0, "12,346"},
                 {HTML_MEASURE, 1.23456, 0.012, "1.235"},
                 {HTML_MEASURE, 0.0, 0.0, "0"},
                 {HTML_PLAIN, 1e7, 0, "10,000,000"},
                 {HTML_PLAIN, 0.0125, 0, "0.0125"},
                 {HTML_PLAIN, NAN, 0, "\xe2\x80\x93"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(cases[i].what, NULL, cases[i].number, cases[i].error),
                            cases[i].text);
}

static void the_largest_are_ranked(void **state)
{
    (void)state;
    struct ranking ranking = {0};
    for (int i = 0; i < 1000; i++)
        rank_trade(&ranking, i, i % 7 ? (double)((i * 389) % 1000) : NAN);
    assert_int_equal(ranking.n, REPORT_RANKED);
    for (int i = 1; i < ranking.n; i++) assert_true(ranking.keys[i - 1] > ranking.keys[i]);
    for (int i = 0; i < 1000; i++)
        if (i % 7 && (i * 389) % 1000 == 999) assert_int_equal(ranking.ones[0], i);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void write_to(const char *path, const struct results *results)
{
    struct message why = {""};
    if (report_write(path, results, NULL, NULL, &why)) fail_msg("%s", why.text);
}

/* The page of results, owned by the caller; its scripts and style are left out. */
static char *page_of(const struct results *results)
{
    char path[] = P_tmpdir "/report_test_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    write_to(path, results);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    size_t length = (size_t)ftell(in);
    char *page = calloc(1, length + 1);
    assert_non_null(page);
    rewind(in);
    assert_int_equal(fread(page, 1, length, in), length);
    fclose(in);
    close(descriptor);
    unlink(path);
    char *scripts = strstr(page, "</main>"), *style = strstr(page, "<style>"),
         *body = strstr(page, "<body>");
    assert_true(scripts && style && body);
    memmove(style, body, strlen(body) + 1);
    scripts = strstr(style, "<script>");
    *scripts = '\0';
    return page;
}

static void expect(const char *page, const char *text, bool there)
{
    if (!strstr(page, text) == there) fail_msg("the page %s '%s'", there ? "lacks" : "has", text);
}

static void a_night_is_shown_whole(void **state)
{
    (void)state;
    struct stored_run night;
    night_make(&night);
    char *page = page_of(&night.results);
    static const char *const there[] = {
        "id=\"attention\"",
        "id=\"value\"",
        "id=\"prices\"",
        "id=\"agreement\"",
        "id=\"greeks\"",
        "id=\"scenarios\"",
        "id=\"past\"",
        "id=\"timing\"",
        "id=\"run\"",
        "id=\"tags\"",
        "id=\"values-desk\"",
        "id=\"greeks-desk\"",
        "id=\"scenarios-desk\"",
        "id=\"tails-desk\"",
        "id=\"contributions-desk\"",
        "&lt;b onclick=&quot;alert(3)&quot;&gt;&#39;&amp;desk",
        "<title>A &lt;night&gt; &amp; &quot;its&quot; book - pricer</title>",
        "<td>night.cfg:16</td>",
        "variance &amp; &lt;script&gt;alert(2)&lt;/script&gt; beyond the range",
        "price 7.25 standard errors below &lt;its&gt; reference",
        "no reference for this product",
        "everything &amp; &lt;more&gt;",
        "upper end</th>",
        "surface: the book by spot (across) and volatility (down)",
        "<figure id=\"chart-prices\">",
        "<figure id=\"chart-precision\">",
        "<figure id=\"chart-histogram\">",
        "<figure id=\"chart-z\">",
        "<figure id=\"chart-greeks\">",
        "<figure id=\"chart-scenarios\">",
        "<figure id=\"chart-trades\">",
        "<figure id=\"chart-past\">",
        "<figure id=\"chart-timing\">",
        "1 of them beyond"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) expect(page, there[i], true);
    /* The worst first: failed, disagreeing, unchecked, then the prices. */
    const char *failed = strstr(page, "night.cfg:16"), *disagrees = strstr(page, "night.cfg:15"),
               *unchecked = strstr(page, "night.cfg:17"),
               *prices = strstr(page, "id=\"all-prices\"");
    assert_true(failed < disagrees && disagrees < unchecked && unchecked < prices);
    free(page);
    night_free(&night);
}

static void hostile_names_are_inert(void **state)
{
    (void)state;
    struct stored_run night;
    night_make(&night);
    char *page = page_of(&night.results);
    expect(page, "<img", false);
    expect(page, "<script>", false);
    expect(page, "<b>", false);
    expect(page, "<night>", false);
    expect(page, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;", true);
    expect(page, "A&quot;&#39;&amp;&lt;b&gt;", true);
    expect(page, "</script>", false);
    /* In the charts too: as a name, cut, and in what says what a mark is. */
    expect(page, "<title>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\n", true);
    expect(page, "&lt;/script&gt;&lt;img src=x one\xe2\x80\xa6<title>", true);
    expect(page, "http://", false);
    expect(page, "https://", false);
    free(page);
    night_free(&night);
}

static void sections_without_contents_vanish(void **state)
{
    (void)state;
    struct stored_run night;
    night_make(&night);
    night.results.risk = NULL;
    char *page = page_of(&night.results);
    expect(page, "greek", false);
    expect(page, "id=\"scenarios\"", false);
    expect(page, "id=\"past\"", false);
    expect(page, "#past", false);
    free(page);
    for (int i = 0; i < NIGHT_TRADES; i++) {
        night.estimates[i] = night.estimates[0];
        night.estimates[i].verdict = VERDICT_UNCHECKED;
        night.estimates[i].reference = night.estimates[i].z = NAN;
    }
    page = page_of(&night.results);
    expect(page, "No trade was compared with a reference.", true);
    expect(page, "40 trades were not compared with a reference, as asked.", true);
    expect(page, "id=\"troubles\"", false);
    free(page);
    struct risk empty = {.n_trades = NIGHT_TRADES};
    night.results.risk = &empty;
    page = page_of(&night.results);
    expect(page, "id=\"greeks\"", false);
    expect(page, "<th scope=\"row\">risk</th>", true);
    free(page);
    night_free(&night);
}

/* ---- large books ----------------------------------------------------------------------------- */

enum { MANY = 12000 };

/* The night's trades again and again; the last three as its failed one. Arrays are the caller's. */
static struct results many_of(const struct stored_run *night)
{
    struct results many = night->results;
    struct trade *trades = calloc(MANY, sizeof *trades);
    struct estimate *estimates = calloc(MANY, sizeof *estimates);
    assert_true(trades && estimates);
    for (int i = 0; i < MANY; i++) {
        trades[i] = night->trades[i % NIGHT_TRADES];
        estimates[i] = night->estimates[i < MANY - 3 ? i % 3 : 6];
        estimates[i].z += 0.4 * sin(i);
    }
    many.n = MANY;
    many.trades = trades;
    many.estimates = estimates;
    many.risk = NULL;
    struct book_sums *sums = malloc(sizeof *sums);
    assert_non_null(sums);
    sum_up(&many, sums);
    return many;
}

static void free_many(struct results *many)
{
    free((void *)many->trades);
    free((void *)many->estimates);
    book_sums_free((struct book_sums *)many->sums);
    free((void *)many->sums);
}

static int count_rows(const char *from, const char *to)
{
    int n = 0;
    for (const char *p = from; (p = strstr(p, "<tr>")) && p < to; p++) n++;
    return n;
}

static void large_books_are_cut_and_their_troubles_are_not(void **state)
{
    (void)state;
    struct stored_run night;
    night_make(&night);
    struct results many = many_of(&night);
    char *page = page_of(&many);
    char *troubles = strstr(page, "id=\"troubles\""), *prices = strstr(page, "id=\"all-prices\"");
    assert_true(troubles && prices);
    assert_int_equal(count_rows(troubles, strstr(troubles, "</table>")), 1 + 3);
    assert_int_equal(count_rows(prices, strstr(prices, "</table>")), 1 + REPORT_TRADES);
    expect(page, "10,000 of 12,000 trades are shown.", true);
    assert_true(strlen(page) < 7000000);
    free(page);
    free_many(&many);
    night_free(&night);
}

/* ---- the run of it --------------------------------------------------------------------------- */

static void write_page(bool large, const char *path)
{
    struct stored_run night;
    night_make(&night);
    struct results many = many_of(&night);
    write_to(path, large ? &many : &night.results);
    free_many(&many);
    night_free(&night);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_inert),
        cmocka_unit_test(numbers_are_read_by_people),
        cmocka_unit_test(the_largest_are_ranked),
        cmocka_unit_test(a_night_is_shown_whole),
        cmocka_unit_test(hostile_names_are_inert),
        cmocka_unit_test(sections_without_contents_vanish),
        cmocka_unit_test(large_books_are_cut_and_their_troubles_are_not),
    };
    if (argc == 3) {
        write_page(!strcmp(argv[1], "--write-many"), argv[2]);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
