/* The page of --report, of made-up results. `report_test --write FILE` writes the page with
 * everything on it, and `report_test --write-many FILE` that of a large book, for the test in a
 * browser. */
#include "app/pricing/risk/pnl/value_at_risk.h"
#include "app/report/html.h"
#include "app/report/sections.h"
#include "app/report/report.h"
#include "models/market/surface.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/made_up_night.h"
#include "validation/tests/whole_file.h"

/* ---- parts ----------------------------------------------------------------------------------- */

enum { HTML_TEXT, HTML_NUMBER, HTML_MEASURE, HTML_PLAIN, HTML_SLUG };

/* What one of them writes; static. */
static const char *written(int what, const char *text, double number, double error)
{
    static char page[512];
    FILE *out = fmemopen(page, sizeof page, "w");
    assert_non_null(out);
    if (what == HTML_TEXT) html_text(out, text);
    if (what == HTML_NUMBER) fputs(number_text(number, (int)error).text, out);
    if (what == HTML_MEASURE) fputs(estimate_text(number, error).text, out);
    if (what == HTML_PLAIN) fputs(plain_text(number).text, out);
    if (what == HTML_SLUG) html_slug(out, text);
    fclose(out);
    return page;
}

TEST(texts_are_inert)
{
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

TEST(printed_texts_are_inert)
{
    static char page[128];
    const char *volatile none = NULL;
    FILE *out = fmemopen(page, sizeof page, "w");
    assert_non_null(out);
    html_print(out, "<p title=\"%s\">%s%s%d of %.2f%%</p>", "\"", "<&>", none, -7, 0.126);
    fclose(out);
    assert_string_equal(page, "<p title=\"&quot;\">&lt;&amp;&gt;-7 of 0.13%</p>");
}

TEST(numbers_are_read_by_people)
{
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
                 {HTML_MEASURE, 63088.781676, INFINITY, "63,088.8"},
                 {HTML_MEASURE, -1640423.08, NAN, "-1,640,423"},
                 {HTML_MEASURE, 0.0123456789, NAN, "0.0123457"},
                 {HTML_PLAIN, 1e7, 0, "10,000,000"},
                 {HTML_PLAIN, 0.0125, 0, "0.0125"},
                 {HTML_PLAIN, NAN, 0, "\xe2\x80\x93"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(cases[i].what, NULL, cases[i].number, cases[i].error),
                            cases[i].text);
}

TEST(the_largest_are_ranked)
{
    struct ranking ranking = {0};
    for (int i = 0; i < 1000; i++) rank_item(&ranking, i, i % 7 ? (double)((i * 389) % 1000) : NAN);
    assert_int_equal(ranking.n, REPORT_RANKED);
    for (int i = 1; i < ranking.n; i++) assert_true(ranking.keys[i - 1] > ranking.keys[i]);
    for (int i = 0; i < 1000; i++)
        if (i % 7 && (i * 389) % 1000 == 999) assert_int_equal(ranking.items[0], i);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static struct stored_run night; /* of each test */

static int begin_night(void **state)
{
    (void)state;
    night_make(&night);
    return 0;
}

static int end_night(void **state)
{
    (void)state;
    night_free(&night);
    return 0;
}

/* A change made of every part: 1,000, -2,000, 3,000, ... of the value. */
static struct change_row made_up_change(void)
{
    struct change_row row = {.way = "total", .name = "all", .currency = "EUR", .converted = true};
    double *numbers = row.numbers, change = 0.0;
    for (int i = CHANGE_FX_TRANSLATION; i <= CHANGE_UNEXPLAINED; i++) {
        int part = i - CHANGE_FX_TRANSLATION + 1;
        numbers[i] = 1000.0 * (part % 2 ? part : -part);
        change += numbers[i];
    }
    numbers[CHANGE_TRADES] = NIGHT_TRADES;
    numbers[CHANGE_BEFORE] = 1e6;
    numbers[CHANGE_AFTER] = 1e6 + change;
    numbers[CHANGE_CHANGE] = change;
    numbers[CHANGE_ERROR] = 700.0;
    return row;
}

static void write_to(const char *path, const struct results *results)
{
    struct message why = {""};
    struct change_row row = made_up_change();
    const struct changes changes = {1, 1, &row};
    if (report_write(path, NULL, results, &changes, NULL, &why)) fail_msg("%s", why.text);
}

static char *page, *cut; /* of the results shown last; where leaf() has ended it for now */

/* Makes the page of results; its scripts and style are left out. */
static void show(const struct results *results)
{
    char path[] = P_tmpdir "/report_test_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    write_to(path, results);
    free(page);
    cut = NULL;
    page = whole_file(path);
    close(descriptor);
    unlink(path);
    char *scripts = strstr(page, "</main>"), *style = strstr(page, "<style>"),
         *body = strstr(page, "<body>");
    assert_true(scripts && style && body);
    memmove(style, body, strlen(body) + 1);
    scripts = strstr(style, "<script>");
    *scripts = '\0';
}

/* Returns a leaf of the page, which ends at its end until another one is asked for. */
static char *leaf(const char *id)
{
    char begin[160];
    snprintf(begin, sizeof begin, "<section class=\"leaf\" id=\"%s\">", id);
    if (cut) *cut = '<';
    char *found = strstr(page, begin);
    assert_non_null(found);
    cut = strstr(found, "</section>");
    assert_non_null(cut);
    *cut = '\0';
    return found;
}

static void expect(const char *in, const char *text, bool there)
{
    if (!strstr(in, text) == there) fail_msg("the page %s '%s'", there ? "lacks" : "has", text);
}

/* Expects all texts, up to a NULL. */
static void expect_all(const char *in, const char *const *texts)
{
    for (; *texts; texts++) expect(in, *texts, true);
}

static int count(const char *in, const char *text)
{
    int n = 0;
    for (const char *p = in; (p = strstr(p, text)); p++) n++;
    return n;
}

TEST(a_night_is_shown_whole)
{
    show(&night.results);
    static const char *const there[] = {
        "id=\"attention\"",
        "id=\"value\"",
        "id=\"prices\"",
        "id=\"agreement\"",
        "id=\"greeks\"",
        "id=\"scenarios\"",
        "id=\"past\"",
        "id=\"timing\"",
        "To be looked at: <a href=\"#trade-TR-06\">TR-06</a> (failed), <a "
        "href=\"#trade-TR-05\">TR-05</a> (disagrees).",
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
        "<figure id=\"chart-days\">",
        "<figure id=\"chart-grid-4\">",
        "<figure id=\"chart-change\">",
        "<figure id=\"chart-timing\">",
        "1 of them beyond",
        NULL};
    expect_all(page, there);
    /* The worst first: failed, disagreeing, unchecked, then the prices. */
    const char *failed = strstr(page, "night.cfg:16"), *disagrees = strstr(page, "night.cfg:15"),
               *unchecked = strstr(page, "night.cfg:17"),
               *prices = strstr(page, "id=\"all-prices\"");
    assert_true(failed < disagrees && disagrees < unchecked && unchecked < prices);
}

TEST(hostile_names_are_inert)
{
    show(&night.results);
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
}

TEST(sections_without_contents_vanish)
{
    night.results.risk = NULL;
    show(&night.results);
    expect(page, "greek", false);
    expect(page, "id=\"scenarios\"", false);
    expect(page, "id=\"past\"", false);
    expect(page, "#past", false);
    for (int i = 0; i < NIGHT_TRADES; i++) {
        night.estimates[i] = night.estimates[0];
        night.estimates[i].verdict = VERDICT_UNCHECKED;
        night.estimates[i].reference = night.estimates[i].z = NAN;
    }
    show(&night.results);
    expect(page, "No trade was compared with a reference.", true);
    expect(page, "40 trades were not compared with a reference, as asked.", true);
    expect(page, "id=\"troubles\"", false);
    struct risk empty = {.n_trades = NIGHT_TRADES};
    night.results.risk = &empty;
    show(&night.results);
    expect(page, "id=\"greeks\"", false);
    expect(page, "<th scope=\"row\">risk</th>", true);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

TEST(slugs_stay_different)
{
    assert_string_equal(written(HTML_SLUG, "T-1.a_Z9", 0, 0), "T-1.a_Z9");
    assert_string_equal(written(HTML_SLUG, "a b~\"\xc3\xa9", 0, 0), "a~20b~7e~22~c3~a9");
}

/* Every address within the page has an element. */
static void expect_links_to_lead_somewhere(void)
{
    int n = 0;
    for (const char *p = page; (p = strstr(p, "href=\"#")); n++) {
        char id[400];
        p += strlen("href=\"#");
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(p, "\""), p);
        expect(page, id, true);
    }
    assert_true(n > 100);
}

TEST(trades_have_leaves)
{
    night.results.manifest.valuation_date = "2026-11-20";
    double dates[] = {30.0 / 365.0, 1.0};
    struct trade *trade = &night.trades[7]; /* an asian */
    assert_int_equal(trade->product, PRODUCT_ASIAN);
    trade->expiry = 1.0;
    trade->strike = 1234.56789;
    trade->fixings = (struct schedule){.n = 2, .times = dates};
    trade->past_count = 3;
    show(&night.results);
    trade->fixings = (struct schedule){.n = 0};
    static const char *const there[] = {"<h2>TR-07</h2>",
                                        "<dt>type<dd>asian",
                                        "<dt>quantity<dd>800",
                                        "<dt>strike<dd>1234.56789",
                                        "<dt>fixings<dd>2026-12-20, 2027-11-20",
                                        "<dt>expiry<dd>2027-11-20",
                                        "<dt>past.count<dd>3",
                                        "<dt>tag desk<dd><a href=\"#group-desk=~3cb~20onclick",
                                        "<dt>stands in<dd>night.cfg:17",
                                        "<dt>message<dd>no reference for this product",
                                        "<caption>Greeks, EUR</caption>",
                                        "<tr><th>everything &amp; &lt;more&gt;<td>",
                                        "Its worst days, EUR",
                                        "of the book's VaR",
                                        "<a href=\"#trade-TR-06\">TR-06</a>",
                                        "<a href=\"#trade-TR-08\">TR-08</a>",
                                        NULL};
    expect_links_to_lead_somewhere();
    expect_all(leaf("trade-TR-07"), there);
    expect(leaf("trade-TR-07"), "<dt>reference<dd", false); /* it is unchecked */
    char *group = leaf("group-desk=FX");
    expect(group, "<h2>desk FX</h2>", true);
    expect(group, "<tr><th><a href=\"#trade-TR-08\">TR-08</a><td>asian<td>ok<td>EUR", true);
    assert_int_equal(count(group, "<tr><th><a"), NIGHT_TRADES / 2);
}

/* Rounds are those of the row that the trade has among unpriced ones. */
TEST(rounds_are_told)
{
    night.estimates[0].verdict = VERDICT_EXPIRED;
    night.estimates[3].verdict = VERDICT_REFUSED;
    struct round_price list[] = {
        {6, 16384, 50.0, 0.25}, {7, 16384, 10.0, 0.3}, {6, 32768, 51.0, 0.18}};
    struct round_log log = {.n = 3, .room = 3, .list = list};
    night.results.rounds = &log;
    show(&night.results);
    expect(page, "id=\"chart-rounds-8\"", true);
    assert_int_equal(count(page, "<caption>The price after each round"), 1);
    /* For a quantity of 900. */
    expect(leaf("trade-TR-08"),
           "<tr><th>16,384<td>45,000<td>225\n<tr><th>32,768<td>45,900<td>162\n</table>", true);
}

/* A part of the book's value at risk is what the trade lost on that day. */
TEST(parts_of_the_tail_add_up)
{
    struct risk *risk = &night.risk;
    struct pnl *whole = risk->aggregates[0].days;
    for (int d = 0; d < risk->n_days; d++) {
        whole[d] = (struct pnl){(double)((d * 37) % risk->n_days), 1.0};
        risk->days[d * NIGHT_TRADES] = (struct pnl){0.25 * whole[d].value, 0.1};
    }
    for (int k = 0; k < risk->n_confidences; k++) {
        struct value_at_risk *tail = &risk->aggregates[0].values_at_risk[k];
        const struct past_days past = {.n = risk->n_days, .days = whole};
        assert_ok(value_at_risk_make(&past, tail->confidence, tail));
    }
    show(&night.results);
    expect(leaf("trade-TR-00"), "<td>25.00 %", true);
}

/* ---- the market ------------------------------------------------------------------------------ */

TEST(the_market_is_shown)
{
    /* 1500 exp(-0.007) less a dividend of 25 that grows by exp(-0.004). */
    assert_float_equal(surface_forward(&night.market, 0, 1.0),
                       1500.0 * exp(-0.007) - 25.0 * exp(-0.004), 1e-9);
    assert_float_equal(surface_forward(&night.market, 0, 0.25), 1500.0 * exp(-0.002), 1e-9);
    show(&night.results);
    static const char *const there[] = {
        "id=\"chart-curves\"",
        "<td>2027-11-20</td><td class=\"n\">1.0000</td><td class=\"n\">2.1000</td><td "
        "class=\"n\">0.979219</td><td class=\"n\">2.1333</td>",
        "<a href=\"#group-asset=SX5E\">SX5E</a></th><td>EUR</td>",
        "<td class=\"n\">1464.64</td>",
        "<td class=\"n g4\">0.75</td>",
        "<td class=\"n l2\">-0.30</td>",
        "<td class=\"n h0\">1</td>",
        NULL};
    expect_all(page, there);
    char *heston = leaf("group-asset=DAX");
    expect(heston, "<dt>kappa<dd>2<dt>theta<dd>0.05", true);
    expect(heston, "does not hold, 2 kappa theta / xi\xc2\xb2 is 0.80", true);
    expect(heston, "the book holds no quotes", true);
    char *surface = leaf("group-asset=SPX");
    expect(surface, "id=\"chart-smiles-1\"", true);
    expect(surface, "<tr><th>2028-11-19<td>5<td>0.00<td>+0.00", true);
    expect(surface, "<tr><th>2027-11-20<td>5<td>9.06<td>+12.84", true); /* no law has that smile */
    expect(surface, "<tr><th>2027-11-20<td>3000<td>18.2000<td>18.3284<td>+12.84", true);
    char *flat = leaf("group-asset=SX5E");
    expect(flat, "<caption>Cash dividends</caption>", true);
    expect(flat, "<tr><th>2027-04-15<td>25", true);
    expect(flat, "id=\"chart-volatility-0\"", true);
}

/* The smile of a model's leaf is that of its parameters: without volatility of variance, flat. */
TEST(the_smile_of_a_model_is_its_own)
{
    night.assets[2].heston = (struct heston){0.04, 2.0, 0.04, 0.021, 0.0, 0};
    show(&night.results);
    char *dax = leaf("group-asset=DAX"), *chart = strstr(dax, "id=\"chart-smiles-2\"");
    assert_non_null(chart);
    /* Three lines that lie flat at 20 %: each goes on as high as it begins. */
    static const char line[] = "d=\"M0 0M";
    int n = 0;
    for (char *p = strstr(chart, line); p; p = strstr(p, line), n++) {
        double x, y, first = NAN;
        for (p += strlen(line) - 1; *p == 'M' || *p == 'L'; p += 1 + strcspn(p + 1, "L\"")) {
            assert_int_equal(sscanf(p + 1, "%lf %lf", &x, &y), 2);
            if (isnan(first)) first = y;
            assert_float_equal(y, first, 2.0);
        }
    }
    assert_int_equal(n, 3);
}

/* Each part of a change begins where the one before ends, and the change ends where the last
 * does. */
TEST(parts_of_a_change_join)
{
    struct change_row row = made_up_change();
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    chart_change(out, &row);
    fclose(out);
    double left = NAN, width = NAN, from = NAN, to = NAN, zero = NAN;
    int n = 0;
    for (const char *p = text; (p = strstr(p, "<rect class=\"")); p++, n++) {
        bool loss = !strncmp(p, "<rect class=\"loss", 17);
        bool part = loss || !strncmp(p, "<rect class=\"gain", 17);
        assert_int_equal(
            sscanf(strstr(p, " x="), " x=\"%lf\" y=\"%*f\" width=\"%lf", &left, &width), 2);
        from = loss ? left + width : left;
        if (n && part) assert_true(fabs(from - to) < 0.16);
        if (!n) zero = from;
        if (part) to = loss ? left : left + width;
    }
    assert_int_equal(n, CHANGE_UNEXPLAINED - CHANGE_FX_TRANSLATION + 2);
    assert_true(fabs(fmin(fabs(left - zero), fabs(left + width - zero))) < 0.16);
    assert_true(fmin(fabs(left - to), fabs(left + width - to)) < 0.16);
    free(text);
    row.numbers[CHANGE_CHANGE] = NAN;
    out = open_memstream(&text, &length);
    chart_change(out, &row);
    fclose(out);
    assert_string_equal(text, "");
    free(text);
}

/* ---- large books ----------------------------------------------------------------------------- */

enum { MANY = 12000 };

/* Returns a table [rows][MANY] of elements that repeats each row of one [rows][NIGHT_TRADES].
 */
static void *repeated(const void *table, int rows, size_t size)
{
    char *many = calloc((size_t)rows * MANY, size);
    assert_non_null(many);
    for (size_t r = 0; r < (size_t)rows; r++)
        for (size_t i = 0; i < MANY; i++)
            memcpy(many + (r * MANY + i) * size,
                   (const char *)table + (r * NIGHT_TRADES + i % NIGHT_TRADES) * size, size);
    return many;
}

/* The night's trades again and again; the last three as its failed one. */
struct many {
    char ids[MANY][72];
    struct trade trades[MANY];
    struct estimate estimates[MANY];
    struct risk risk;
    struct book_sums sums;
    struct results results;
};

static struct many *many_of_night(void)
{
    struct many *many = calloc(1, sizeof *many);
    assert_non_null(many);
    many->results = night.results;
    many->risk = night.risk;
    many->results.n = many->risk.n_trades = MANY;
    many->results.trades = many->trades;
    many->results.estimates = many->estimates;
    many->results.risk = &many->risk;
    for (int i = 0; i < MANY; i++) {
        many->trades[i] = night.trades[i % NIGHT_TRADES];
        snprintf(many->ids[i], sizeof many->ids[i], "%.60s-%d", many->trades[i].id, i);
        many->trades[i].id = many->ids[i];
        many->estimates[i] = night.estimates[i < MANY - 3 ? i % 3 : 6];
        many->estimates[i].z += 0.4 * sin(i);
    }
    const struct risk *risk = &night.risk;
    many->risk.greeks = (struct greek_table){NULL, NULL, NULL};
    assert_ok(risk_lay_out_greeks(&many->risk, has_any_greek, NULL));
    for (int s = 0; s < risk->n_sensitivities; s++)
        for (int i = 0; i < MANY; i++)
            *risk_own_greek(&many->risk, s, i) = *risk_greek(risk, s, i % NIGHT_TRADES);
    many->risk.scenarios = repeated(risk->scenarios, risk->n_scenarios, sizeof *risk->scenarios);
    many->risk.days = repeated(risk->days, risk->n_days, sizeof *risk->days);
    many->risk.values_at_risk =
        repeated(risk->values_at_risk, risk->n_confidences, sizeof *risk->values_at_risk);
    sum_up(&many->results, &many->sums);
    return many;
}

static void free_many(struct many *many)
{
    free(many->risk.greeks.first);
    free(many->risk.greeks.sensitivity);
    free(many->risk.greeks.values);
    free(many->risk.scenarios);
    free(many->risk.days);
    free(many->risk.values_at_risk);
    book_sums_free(&many->sums);
    free(many);
}

static int count_rows(const char *from, const char *to)
{
    int n = 0;
    for (const char *p = from; (p = strstr(p, "<tr>")) && p < to; p++) n++;
    return n;
}

TEST(large_books_are_cut_and_their_troubles_are_not)
{
    struct many *many = many_of_night();
    show(&many->results);
    char *troubles = strstr(page, "id=\"troubles\""), *prices = strstr(page, "id=\"all-prices\"");
    assert_true(troubles && prices);
    assert_int_equal(count_rows(troubles, strstr(troubles, "</table>")), 1 + 3);
    /* A hundred rows, and headings again with the others. */
    assert_int_equal(count_rows(prices, strstr(prices, "</table>")), 1 + HTML_FIRST_ROWS);
    assert_int_equal(count_rows(prices, strstr(prices, "</noscript>")), 2 + REPORT_TRADES);
    expect(page, "<noscript data-rows=\"9900\">", true);
    assert_int_equal(count(page, "<section class=\"leaf\" id=\"trade-"), REPORT_TRADES);
    expect(page, "10,000 of 12,000 trades are shown.", true);
    assert_true(strlen(page) < 60000000);
    free_many(many);
}

/* ---- the run of it --------------------------------------------------------------------------- */

static void write_page(bool large, const char *path)
{
    begin_night(NULL);
    struct many *many = many_of_night();
    write_to(path, large ? &many->results : &night.results);
    free_many(many);
    end_night(NULL);
}

int report_test(int argc, char **argv)
{
    if (argc == 3) {
        write_page(!strcmp(argv[1], "--write-many"), argv[2]);
        return 0;
    }
    begin_each = begin_night, end_each = end_night;
    return run_own_tests("report_test", false, NULL, NULL);
}
