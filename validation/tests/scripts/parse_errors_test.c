/* What the reader says of scripts that are wrong: one error for one mistake, at its place, and all
 * mistakes of a script at once. */
#include "validation/tests/whole_file.h"

#include <time.h>

#include "models/scripts/script.h"

static struct script script;
static struct script_errors errors;

static enum status read_text(const char *text)
{
    enum status status = script_read(text, strlen(text), &script, &errors);
    if (status) {
        assert_null(script.text);
        assert_int_equal(script.n_symbols, 0);
    }
    for (int i = 1; i < errors.n; i++) {
        struct script_place a = errors.list[i - 1].place, b = errors.list[i].place;
        assert_true(a.line < b.line || (a.line == b.line && a.column <= b.column));
    }
    return status;
}

#define HEADER                                                                                     \
    "product p(assets basket; dates days, others; date expiry, start; number x, y = 2;\n"          \
    "  number k[days], w[basket] = spot; flag f; choice o(call | put), side(put | out))\n"
#define DAILY HEADER " each t in days\n  "

/* Holds the only error of a text against the row. */
static void expect_error(const char *text, const char *row)
{
    char error[sizeof errors.list->text + 32];
    const struct script_error *first = &errors.list[0];
    assert_int_equal(read_text(text), STATUS_FAILED);
    snprintf(error, sizeof error, "%d:%d: %s", first->place.line, first->place.column, first->text);
    if (errors.n != 1 || strcmp(error, row))
        fail_msg("%s\n%d errors; %s\nwanted %s", text, errors.n, error, row);
}

TEST(errors_one_by_one)
{
    static const char *const sections[][3] = {{"script", "", ""},
                                              {"parameters", "product p(", ")\n at expiry: pay 1"},
                                              {"product", HEADER, ""},
                                              {"day", DAILY, ""}};
    char *table = whole_file("validation/tests/scripts/parse_errors.txt"), *next, text[1024];
    int section = 0, n = 0;
    for (char *line = table; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        char *error = strstr(line, " => ");
        for (int i = 0; *line == '[' && i < 4; i++)
            if (!strncmp(line + 1, sections[i][0], strlen(sections[i][0]))) section = i;
        if (!error) continue;
        *error = '\0';
        unescape(line);
        snprintf(text, sizeof text, "%s%s%s", sections[section][1], line, sections[section][2]);
        expect_error(text, error + 4);
        n++;
    }
    free(table);
    assert_int_equal(n, 215);
}

/* A script with mistakes in many lines, and what is right between them. */
TEST(all_at_once)
{
    static const char text[] =
        "product p(assets basket; dates days; date expiry; number k[days], q; flag f)\n"
        " number good = 1\n"
        " each t in days\n"
        "  worst = min(a(t) for a in baskte)\n" /* baskte */
        "  if q > 1 and good == f: pay worst\n" /* == */
        "  pay worst * k[t] + q\n"
        "  total = 1 +\n" /* nothing behind it */
        "  pay total\n"
        "  if f\n"
        "   py 3; stop\n" /* py */
        "  else if good < \n"
        "   pay unknown1 + unknown1\n"
        "  pay unknown1\n"
        " at expirey\n" /* expirey */
        "  pay good; exercise holder pays t\n";
    static const struct script_place wanted[] = {{4, 29},  {5, 21}, {7, 14}, {10, 4},
                                                 {11, 18}, {12, 8}, {14, 5}, {15, 34}};
    assert_int_equal(read_text(text), STATUS_FAILED);
    for (int i = 0; i < errors.n; i++)
        if (i >= (int)(sizeof wanted / sizeof *wanted) ||
            errors.list[i].place.line != wanted[i].line ||
            errors.list[i].place.column != wanted[i].column)
            fail_msg("%d:%d: %s", errors.list[i].place.line, errors.list[i].place.column,
                     errors.list[i].text);
    assert_int_equal(errors.n, sizeof wanted / sizeof *wanted);
}

static char *made(const char *before, const char *part, int times, const char *after)
{
    size_t n = strlen(part);
    char *text = malloc(strlen(before) + n * (size_t)times + strlen(after) + 1), *to = text;
    assert_non_null(text);
    to += sprintf(to, "%s", before);
    for (int i = 0; i < times; i++, to += n) memcpy(to, part, n);
    strcpy(to, after);
    return text;
}

/* The first errors of very many, in the order of the text. */
TEST(most_errors)
{
    char *text = made(HEADER " each t in days\n", "  pay x + f\n  pay f\n", 1000, "");
    assert_int_equal(read_text(text), STATUS_FAILED);
    assert_int_equal(errors.n, SCRIPT_ERRORS_MOST);
    for (int i = 0; i < errors.n; i++) assert_int_equal(errors.list[i].place.line, 4 + i);
    free(text);
}

/* What nests, or is long, to its limit and beyond it. */
TEST(limits)
{
    static const struct {
        const char *before, *part, *after;
        int most;
    } cases[] = {
        {DAILY "pay ", "- ", "x", SCRIPT_DEPTH_MOST - 2},
        {DAILY "pay ", "not ", "x", 0}, /* of a number */
        {DAILY "pay x", " ^ x", "", SCRIPT_DEPTH_MOST - 2},
        {DAILY "pay ", "x if f else ", "x", SCRIPT_DEPTH_MOST - 2},
        {DAILY "pay ", "abs(", "x", 0},
        {DAILY "pay x", " + x", "", SCRIPT_TERMS_MOST - 1},
        {DAILY "pay max(x", ", x", ")", SCRIPT_TERMS_MOST - 1},
        {DAILY "if f: stop", "\n  else if f: stop", "\n  pay x", SCRIPT_DEPTH_MOST - 2},
        {DAILY "pay x", "\n  pay x", "", 50000},
        {DAILY "pay x", "; pay x", "", 50000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int more = 0; more < 2; more++) {
            char *text = made(cases[i].before, cases[i].part, cases[i].most + more, cases[i].after);
            enum status status = read_text(text);
            bool bounded = cases[i].most < 50000;
            if (status != (more && bounded ? STATUS_FAILED : STATUS_OK))
                fail_msg("%s: %d: %s", cases[i].part, status, errors.n ? errors.list[0].text : "");
            script_free(&script);
            free(text);
        }
    for (int deep = SCRIPT_DEPTH_MOST - 1; deep <= SCRIPT_DEPTH_MOST + 1; deep++) {
        char *open = made(DAILY "pay ", "(", deep - 1, "x");
        char *text = made(open, ")", deep - 1, "");
        assert_int_equal(read_text(text), deep > SCRIPT_DEPTH_MOST - 1 ? STATUS_FAILED : STATUS_OK);
        script_free(&script);
        free(open);
        free(text);
    }
    char *names = malloc(1 << 20), *to = names + sprintf(names, HEADER " at start\n");
    for (int i = 0; i < 5000; i++) to += sprintf(to, "  name%d = 1\n", i);
    assert_int_equal(read_text(names), STATUS_FAILED);
    assert_string_equal(errors.list[0].text, "a script has at most 1024 names");
    assert_int_equal(errors.n, 1);
    free(names);
    char *long_text = made("#", "#", SCRIPT_TEXT_MOST, "");
    assert_int_equal(read_text(long_text), STATUS_FAILED);
    assert_string_equal(errors.list[0].text, "a script has at most 1048576 bytes");
    free(long_text);
}

/* Texts that are as long as they may be and take long where something is searched for. */
TEST(bounded_time)
{
    char parts[] = /* each with ` behind it */
        "(`[`x`x(`x[`min(`sum(x for a in basket `\n`\n a`\n each`; u=v`if `-`&`\xE9`# \x01\n`)`"
        "zz = u `\n zz =u`sum(a(`else `\n  else\n   x = q`";
    clock_t begin = clock();
    for (char *part = strtok(parts, "`"); part; part = strtok(NULL, "`")) {
        int times = (int)((SCRIPT_TEXT_MOST - sizeof(DAILY)) / strlen(part));
        char *text = made(DAILY, part, times, "");
        enum status status = read_text(text);
        assert_true(status == STATUS_OK || errors.n > 0);
        script_free(&script);
        free(text);
    }
    assert_true(clock() - begin < 20 * CLOCKS_PER_SEC); /* 0.5 s without sanitizers */
}

ALL_TESTS(parse_errors_test)
