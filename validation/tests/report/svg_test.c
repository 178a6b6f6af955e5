/* Charts: ticks are round and lie in their range, marks lie where their numbers say, texts stay
 * texts, and what has no number is left out. */
#include "app/report/svg.h"
#include "validation/tests/test.h"

/* ---- scales ---------------------------------------------------------------------------------- */

static void check_linear(double low, double high)
{
    struct svg_ticks ticks = svg_ticks((struct svg_range){low, high, SVG_LINEAR, 0.0}, 6);
    double power = pow(10.0, floor(log10(ticks.step) + 1e-9)), digit = ticks.step / power;
    assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
    if (ticks.n < 2 || ticks.n > 7) fail_msg("%d ticks from %g to %g", ticks.n, low, high);
    double slack = 1e-8 * fabs(high - low), a = fmin(low, high), b = fmax(low, high);
    for (int i = 0; i < ticks.n; i++) {
        assert_true(ticks.at[i] >= a - slack && ticks.at[i] <= b + slack);
        assert_true(fabs(remainder(ticks.at[i], ticks.step)) < 1e-6 * ticks.step);
        if (i) assert_true(fabs(ticks.at[i] - ticks.at[i - 1] - ticks.step) < 1e-6 * ticks.step);
    }
    struct svg_range round = svg_rounded((struct svg_range){a, b, SVG_LINEAR, 0.0});
    assert_true(round.low <= a + slack && round.high >= b - slack);
    assert_true(round.high - round.low <= (b - a) + 2.0 * ticks.step + slack);
}

TEST(linear_ticks_are_round)
{
    for (int i = 1; i < 2000; i++) {
        double low = 1e3 * sin(i), width = pow(10.0, 9.0 * sin(7.0 * i));
        check_linear(low * width, (low + 1.0) * width);
        check_linear(width, -width);
    }
}

TEST(other_ticks_are_powers)
{
    static const double wide[] = {0.01, 0.1, 1, 10, 100}, narrow[] = {2, 5, 10, 20};
    struct svg_ticks ticks = svg_ticks((struct svg_range){0.01, 300, SVG_LOG, 0.0}, 6);
    assert_int_equal(ticks.n, 5);
    for (int i = 0; i < 5; i++) assert_true(fabs(ticks.at[i] / wide[i] - 1.0) < 1e-12);
    ticks = svg_ticks((struct svg_range){1.5, 30, SVG_LOG, 0.0}, 6);
    assert_int_equal(ticks.n, 4);
    for (int i = 0; i < 4; i++) assert_true(fabs(ticks.at[i] / narrow[i] - 1.0) < 1e-12);
    ticks = svg_ticks((struct svg_range){102, 109, SVG_LOG, 0.0}, 6);
    assert_true(ticks.n >= 2);
    ticks = svg_ticks((struct svg_range){-20, 150, SVG_SYMLOG, 0.5}, 6);
    static const double both[] = {-10, -1, 0, 1, 10, 100};
    assert_int_equal(ticks.n, 6);
    for (int i = 0; i < 6; i++) assert_true(fabs(ticks.at[i] - both[i]) < 1e-9);
}

TEST(ticks_are_written_short)
{
    static const struct {
        double value, step, largest;
        const char *text;
    } cases[] = {
        {0, 5000, 15000, "0"},      {5000, 5000, 15000, "5k"},  {-2500, 500, 10000, "-2.5k"},
        {3500, 500, 5500, "3,500"}, {1.5e6, 5e5, 3e6, "1.5M"},  {2e9, 1e9, 4e9, "2bn"},
        {3e13, 1e13, 3e13, "30tn"}, {0.25, 0.05, 0.3, "0.25"},  {0.001, 0, 0, "0.001"},
        {20000, 0, 0, "20k"},       {5e-9, 1e-9, 5e-9, "5e-09"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(svg_tick_text(cases[i].value, cases[i].step, cases[i].largest).text,
                            cases[i].text);
}

/* ---- charts ---------------------------------------------------------------------------------- */

static char *picture; /* the one that was ended last */
static size_t length;

static FILE *open_picture(void)
{
    free(picture);
    FILE *out = open_memstream(&picture, &length);
    assert_non_null(out);
    return out;
}

static struct svg begin(void)
{
    struct svg svg;
    svg_begin(&svg, open_picture(), 400, 300, "a <label>");
    svg_x(&svg, (struct svg_range){0, 10, SVG_LINEAR, 0.0});
    svg_y(&svg, (struct svg_range){0, 100, SVG_LINEAR, 0.0});
    return svg;
}

/* Ends the picture; every element that begins must end. */
static void end(struct svg *svg)
{
    int open = 0;
    svg_end(svg);
    fclose(svg->out);
    for (const char *p = picture; (p = strchr(p, '<')); p++) {
        const char *close = strchr(p, '>');
        assert_non_null(close);
        open += p[1] == '/' ? -1 : close[-1] == '/' ? 0 : 1;
        assert_true(open >= 0);
    }
    assert_int_equal(open, 0);
    assert_null(strstr(picture, "nan"));
    assert_null(strstr(picture, "inf"));
}

static void expect(const char *text, bool there)
{
    if (!strstr(picture, text) == there)
        fail_msg("the chart %s '%s': %s", there ? "lacks" : "has", text, picture);
}

TEST(marks_lie_where_their_numbers_say)
{
    struct svg svg = begin();
    svg.left = 100, svg.right = 300, svg.top = 50, svg.bottom = 250;
    assert_true(fabs(svg_at_x(&svg, 5) - 200) < 1e-9 && fabs(svg_at_y(&svg, 25) - 200) < 1e-9);
    svg_point(&svg, 5, 25, 3, "accent");
    svg_bar(&svg, 2, 0, 1, 50, "gain");
    svg_line(&svg, 0, 0, 10, 100, "ink thin");
    const double x[] = {0, 5, 7, 10}, y[] = {0, 50, NAN, 100};
    svg_curve(&svg, 4, x, y, "s1");
    svg_x(&svg, (struct svg_range){1, 100, SVG_LOG, 0.0});
    assert_true(fabs(svg_at_x(&svg, 10) - 200) < 1e-9);
    svg_x(&svg, (struct svg_range){-1000, 1000, SVG_SYMLOG, 1.0});
    assert_true(fabs(svg_at_x(&svg, 0) - 200) < 1e-9);
    assert_true(fabs(svg_at_x(&svg, 30) + svg_at_x(&svg, -30) - 400) < 1e-9);
    end(&svg);
    expect("viewBox=\"0 0 400 300\"", true);
    expect("<circle class=\"accent\" cx=\"200.0\" cy=\"200.0\" r=\"3\"/>", true);
    expect("class=\"gain\" x=\"120.0\" y=\"150.0\" width=\"20.0\" height=\"100.0\"/>", true);
    expect("x1=\"100.0\" y1=\"250.0\" x2=\"300.0\" y2=\"50.0\"/>", true);
    expect("M100.0 250.0L200.0 150.0M300.0 50.0\"/>", true);
}

TEST(what_has_no_number_is_left_out)
{
    struct svg svg = begin();
    svg_tip(&svg, "lost");
    svg_point(&svg, NAN, 1, 3, "accent");
    svg_bar(&svg, 0, 0, INFINITY, 1, "accent");
    svg_rule_x(&svg, NAN, "ink");
    svg_text(&svg, (struct svg_place){1, NAN, 0, 0, SVG_END}, "ink", "nowhere");
    svg_point(&svg, 1, 1, 3, "ok"); /* has no tip: that was another's */
    static const struct svg_range odd[] = {{INFINITY, -INFINITY, SVG_LINEAR, 0.0},
                                           {3, 3, SVG_LINEAR, 0.0},
                                           {0, 0, SVG_LOG, 0.0},
                                           {NAN, 1, SVG_SYMLOG, 1.0},
                                           {-5, 5, SVG_SYMLOG, 0.0}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        svg_x(&svg, odd[i]);
        svg_y(&svg, odd[i]);
        svg_axis_x(&svg, "x");
        svg_axis_y(&svg, "y");
        svg_point(&svg, 3, 3, 3, "ok");
    }
    end(&svg);
    expect("accent", false);
    expect("lost", false);
    expect("nowhere", false);
}

TEST(texts_stay_texts)
{
    static const char *const rows[] = {"</svg><script>",
                                       "a name of more than twenty-<four> letters"};
    static const char *const columns[] = {"\"><b>", "\xff", "c"};
    struct svg svg;
    svg_begin_table(&svg, open_picture(), 400, "a <label>", 2, rows, 3, columns);
    svg_key_dot(&svg, "ok", "<ok>");
    svg_key_line(&svg, "s1", "<one>");
    svg_tip(&svg, "%s\n%s", "<first>", "second");
    svg_bar(&svg, 0, 0, 1, 1, svg_heat(-3.0, 3.0));
    svg_tick_x(&svg, 1, "<tick>");
    end(&svg);
    expect("<script>", false);
    expect("<b>", false);
    expect("aria-label=\"a &lt;label&gt;\"", true);
    expect("<title>&lt;first&gt;\nsecond</title></rect>", true);
    expect(">a name of more than twen\xe2\x80\xa6<title>", false);
    expect("\xe2\x80\xa6<title>a name of more than twenty-&lt;four&gt; letters</title>", true);
    expect("class=\"l5\"", true);
}

TEST(colours_follow_the_value)
{
    assert_string_equal(svg_heat(0.0, 5.0), "h0");
    assert_string_equal(svg_heat(NAN, 5.0), "h0");
    assert_string_equal(svg_heat(1.0, 0.0), "h0");
    assert_string_equal(svg_heat(5.0, 5.0), "g5");
    assert_string_equal(svg_heat(-50.0, 5.0), "l5");
    assert_string_equal(svg_heat(-0.2, 5.0), "l1");
    for (int i = 0; i < 20; i++) assert_int_equal(svg_series(i)[1] - '0', i % 8);
}

ALL_TESTS(svg_test)
