/* Books that must be refused: the table of bad_input/cases.txt, files that are no books, and
 * includes gone wrong. */
#include <errno.h>
#include <sys/stat.h>

#include "validation/tests/load_book_file.h"
#include "validation/tests/whole_file.h"

enum { LINES_MAX = 64, CASES_MIN = 500 };

/* good.cfg, several.cfg, quantos.cfg, rows.cfg and cases.txt */
static char *good, *several, *quantos, *rows, *cases;
static char folder[] = P_tmpdir "/pricer-bad-input-XXXXXX";

/* ---- files ----------------------------------------------------------------------------------- */

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* ---- what every refusal has in common -------------------------------------------------------- */

static bool is_one_line(const char *line)
{
    for (const char *p = line; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127) return false;
    return *line != '\0';
}

/* "name.cfg:12: " or "--set ..." */
static bool names_its_place(const char *line)
{
    if (!strncmp(line, "--set ", 6)) return true;
    size_t name = strcspn(line, ":"),
           digits = line[name] ? strspn(line + name + 1, "0123456789") : 0;
    return name > 0 && digits > 0 && !strncmp(line + name + 1 + digits, ": ", 2);
}

static void assert_book_is_empty(const struct book *book)
{
    assert_null(book->trades);
    assert_null(book->unpriced);
    assert_null(book->files);
    assert_null(book->name);
    assert_null(book->market.assets);
    assert_int_equal(book->n_trades, 0);
    assert_int_equal(book->n_unpriced, 0);
}

/* Word for word, up to the `...` that what is wanted may end in. */
static bool is_wanted(const char *line, const char *wanted)
{
    size_t length = strlen(wanted), end = strlen("...");
    bool open = length > end && !strcmp(wanted + length - end, "...");
    return open ? !strncmp(line, wanted, length - end) : !strcmp(line, wanted);
}

/* The number of complaints that are not as wanted. */
static int compare_complaints(const char *name, const struct complaints *got,
                              const char *const *wanted, int n)
{
    int wrong = got->n != n;
    for (int i = 0; i < got->n; i++) {
        bool good_line = is_one_line(got->list[i].line) && names_its_place(got->list[i].line);
        if (i < n && good_line && is_wanted(got->list[i].line, wanted[i])) continue;
        wrong++;
        print_error("%s\n  got    %s\n  wanted %s\n", name, got->list[i].line,
                    i < n ? wanted[i] : "nothing");
    }
    for (int i = got->n; i < n; i++)
        print_error("%s\n  got    nothing\n  wanted %s\n", name, wanted[i]);
    return wrong;
}

/* Whether some refused trade has the complaint in its message. */
static bool is_said_of_a_trade(const struct book *book, const char *line)
{
    for (int i = 0; i < book->n_unpriced; i++)
        if (!book->unpriced[i].expired && strstr(book->unpriced[i].message, line)) return true;
    return false;
}

/* The number of things wrong with a book of which trades were refused: each complaint is said of
 * one of them, and no trade is lost. */
static int refused_alone(const char *name, const struct book *book, const struct complaints *got)
{
    int wrong = book->n_trades < 1 || book->n_unpriced < 1;
    for (int i = 0; i < book->n_unpriced; i++)
        wrong += !book->unpriced[i].trade.id ||
                 book->unpriced[i].row >= book->n_trades + book->n_unpriced;
    for (int i = 0; i < got->n; i++) wrong += !is_said_of_a_trade(book, got->list[i].line);
    if (wrong) print_error("%s: refused trades are not as they should be\n", name);
    return wrong;
}

/* Loads book.cfg of the current folder, which must be refused, or but for the trades that are
 * wrong, `alone`, be read, with exactly these complaints. The number that differ. */
static int refuse_exactly(const char *name, const char *const *sets, int n_sets,
                          const char *const *wanted, int n, bool alone)
{
    struct book book;
    struct complaints got = {0};
    enum status status = book_load_set("book.cfg", n_sets, sets, &book, &got);
    int wrong = compare_complaints(name, &got, wanted, n);
    if (status != (alone ? STATUS_OK : STATUS_BAD_INPUT)) {
        print_error("%s: the book is %s\n", name, status ? "refused" : "read");
        wrong++;
    }
    if (status) assert_book_is_empty(&book);
    else wrong += refused_alone(name, &book, &got);
    book_free(&book);
    complaints_free(&got);
    return wrong;
}

/* The same for one complaint, of which a part must be found. */
static void refuse_with(const char *path, const char *part)
{
    struct book book;
    struct complaints got = {0};
    assert_int_equal(book_load(path, &book, &got), STATUS_BAD_INPUT);
    assert_int_equal(got.n, 1);
    assert_true(is_one_line(got.list[0].line));
    if (!strstr(got.list[0].line, part)) fail_msg("got '%s', wanted '%s'", got.list[0].line, part);
    assert_book_is_empty(&book);
    complaints_free(&got);
}

/* ---- the table ------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t length;
};

static struct text text_of_row(char *row)
{
    return (struct text){row, unescape(row)};
}

static char *find(struct text in, struct text what)
{
    for (size_t i = 0; i + what.length <= in.length; i++)
        if (!memcmp(in.bytes + i, what.bytes, what.length)) return in.bytes + i;
    return NULL;
}

static struct text replace(const char *name, struct text book, struct text old, struct text new)
{
    char *at = find(book, old);
    if (!at) fail_msg("%s: good.cfg has no '%s'", name, old.bytes);
    size_t before = (size_t)(at - book.bytes), after = before + old.length;
    if (find((struct text){at + 1, book.length - before - 1}, old))
        fail_msg("%s: '%s' is twice", name, old.bytes);
    struct text changed = {malloc(book.length + new.length + 1),
                           book.length - old.length + new.length};
    memcpy(changed.bytes, book.bytes, before);
    memcpy(changed.bytes + before, new.bytes, new.length);
    memcpy(changed.bytes + before + new.length, book.bytes + after, book.length - after);
    free(book.bytes);
    return changed;
}

static struct text append_line(struct text book, struct text line)
{
    book.bytes = realloc(book.bytes, book.length + line.length + 2);
    memcpy(book.bytes + book.length, line.bytes, line.length);
    book.length += line.length;
    book.bytes[book.length++] = '\n';
    return book;
}

struct one_case {
    char name[32]; /* "cases.txt:LINE", of its first line */
    const char *file;
    struct text book, old;
    bool alone; /* the trades that are wrong are refused, the others read */
    const char *sets[LINES_MAX], *wanted[LINES_MAX];
    int n_sets, n_wanted;
};

/* The book with on_bad_trade = "stop", its lines where they were. */
static struct text stopping(struct text book)
{
    static char begin[] = "settings = {", stop[] = " on_bad_trade = \"stop\"; ", end[] = " }; ";
    const char *at = find(book, (struct text){begin, strlen(begin)});
    size_t before = at ? (size_t)(at - book.bytes) + strlen(begin) : 0;
    char added[64];
    snprintf(added, sizeof added, "%s%s%s", at ? "" : begin, stop, at ? "" : end);
    struct text changed = {malloc(book.length + strlen(added) + 1), book.length + strlen(added)};
    memcpy(changed.bytes, book.bytes, before);
    memcpy(changed.bytes + before, added, strlen(added));
    memcpy(changed.bytes + before + strlen(added), book.bytes + before, book.length - before);
    return changed;
}

/* Runs what has complaints, and makes room for the next case of its section. */
static int run_case(struct one_case *one)
{
    if (!one->n_wanted) return 0;
    write_bytes("book.cfg", one->book.bytes, one->book.length);
    int wrong =
        refuse_exactly(one->name, one->sets, one->n_sets, one->wanted, one->n_wanted, one->alone);
    if (one->alone) {
        struct text stops = stopping(one->book);
        write_bytes("book.cfg", stops.bytes, stops.length);
        wrong +=
            refuse_exactly(one->name, one->sets, one->n_sets, one->wanted, one->n_wanted, false);
        free(stops.bytes);
    }
    free(one->book.bytes);
    *one = (struct one_case){.file = one->file, .alone = one->alone, .old = one->old};
    return wrong;
}

static void begin_section(struct one_case *one, char *heading)
{
    size_t name = strcspn(heading, ",]");
    if (one->book.bytes) fail_msg("%s has no complaint", one->name);
    *one = (struct one_case){.alone = !strcmp(heading + name, ", alone]")};
    heading[name] = '\0';
    one->file = !strcmp(heading, "none")          ? ""
                : !strcmp(heading, "good.cfg")    ? good
                : !strcmp(heading, "rows.cfg")    ? rows
                : !strcmp(heading, "quantos.cfg") ? quantos
                                                  : several;
}

static void take_line(struct one_case *one, char *line)
{
    char *rest = line[1] ? line + 2 : line + 1;
    if (!one->book.bytes) one->book = (struct text){strdup(one->file), strlen(one->file)};
    switch (line[0]) {
    case '-': one->old = text_of_row(rest); break;
    case '+': one->book = replace(one->name, one->book, one->old, text_of_row(rest)); break;
    case '=': one->book = append_line(one->book, text_of_row(rest)); break;
    case '$': one->sets[one->n_sets++] = rest; break;
    case '>': write_bytes("t.csv", rest, unescape(rest)); break;
    case '!': one->wanted[one->n_wanted++] = rest; break;
    default: fail_msg("%s: cannot read the line '%s'", one->name, line);
    }
    assert_in_range(one->n_sets, 0, LINES_MAX - 1);
    assert_in_range(one->n_wanted, 0, LINES_MAX - 1);
}

TEST(every_case_is_refused_with_its_complaints)
{
    struct one_case one = {.file = ""};
    assert_int_equal(mkfifo("fifo.csv", 0600), 0);
    int n = 0, wrong = 0, number = 0;
    char *text = strdup(cases), *next = text;
    while (next && *next) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        number++;
        if (end) *end = '\0';
        if (!*line || *line == '#') continue;
        if (*line != '!') wrong += run_case(&one);
        if (*line == '[') {
            begin_section(&one, line + 1);
            continue;
        }
        if (!one.book.bytes) snprintf(one.name, sizeof one.name, "cases.txt:%d", number);
        take_line(&one, line);
        n += *line == '!' && one.n_wanted == 1;
    }
    wrong += run_case(&one);
    free(text);
    print_message("%d books refused\n", n);
    assert_in_range(n, CASES_MIN, 100000);
    assert_int_equal(wrong, 0);
}

/* ---- books cut short and books with wrong bytes ---------------------------------------------- */

static enum status load_quietly(const char *path)
{
    struct book book;
    struct complaints got = {0};
    enum status status = book_load(path, &book, &got);
    for (int i = 0; i < got.n; i++)
        if (!is_one_line(got.list[i].line))
            fail_msg("complaint of more than a line: '%s'", got.list[i].line);
    if (status) assert_true(got.n > 0);
    else assert_true(got.n == 0 || book.n_unpriced > 0);
    book_free(&book);
    complaints_free(&got);
    return status;
}

static void cut_anywhere(const char *book)
{
    size_t whole = strlen(book) - strlen("};\n"); /* libconfig does without the last semicolon */
    for (size_t n = 0; n <= whole; n++) {
        write_bytes("book.cfg", book, n);
        if (load_quietly("book.cfg") != STATUS_BAD_INPUT)
            fail_msg("cut after %zu bytes, it was read", n);
    }
}

TEST(a_book_cut_anywhere_is_refused)
{
    cut_anywhere(good);
    cut_anywhere(several);
}

static void with_wrong_bytes(const char *text)
{
    uint64_t random = 1;
    size_t length = strlen(text);
    char *book = malloc(length);
    for (int i = 0; i < 500; i++) {
        memcpy(book, text, length);
        for (int changes = 0; changes < 3; changes++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 33) % length;
            book[at] = changes ? text[(random >> 20) % length] : (char)(random >> 40);
        }
        write_bytes("book.cfg", book, length);
        load_quietly("book.cfg");
    }
    free(book);
}

TEST(wrong_bytes_do_no_harm)
{
    with_wrong_bytes(good);
    with_wrong_bytes(several);
}

/* ---- files ----------------------------------------------------------------------------------- */

TEST(files_that_are_no_books)
{
    refuse_with("missing.cfg", "missing.cfg: cannot be read: No such file or directory");
    refuse_with("", ": cannot be read: No such file or directory");
    assert_int_equal(mkdir("folder.cfg", 0700), 0);
    refuse_with("folder.cfg", "folder.cfg: cannot be read: it is a directory");
    assert_int_equal(mkfifo("fifo.cfg", 0600), 0);
    refuse_with("fifo.cfg", "fifo.cfg: cannot be read: it is a FIFO");
    refuse_with("/dev/null", "/dev/null: cannot be read: it is not a regular file");
    write_text("huge.cfg", "");
    assert_int_equal(truncate("huge.cfg", ((off_t)256 << 20) + 1), 0);
    refuse_with("huge.cfg",
                "huge.cfg: cannot be read: a book with its includes is limited to 256 MiB");
    write_text("locked.cfg", good);
    assert_int_equal(chmod("locked.cfg", 0), 0);
    if (geteuid() != 0) refuse_with("locked.cfg", "locked.cfg: cannot be read: Permission denied");
}

static void include(const char *what, const char *complaint)
{
    char text[200];
    snprintf(text, sizeof text, "settings = {\n@include \"%s\"\n};\n", what);
    write_text("book.cfg", text);
    refuse_with("book.cfg", complaint);
}

TEST(includes_gone_wrong)
{
    include("missing.cfg",
            "book.cfg:2: @include \"missing.cfg\" cannot be read: No such file or directory");
    include("folder.cfg", "book.cfg:2: @include \"folder.cfg\" cannot be read: it is a directory");
    include("fifo.cfg", "book.cfg:2: @include \"fifo.cfg\" cannot be read: it is a FIFO");
    include(
        "huge.cfg",
        "book.cfg:2: @include \"huge.cfg\" cannot be read: a book with its includes is limited");
    include("", "book.cfg:2: @include \"\" names no file");
    include("/etc/passwd", "book.cfg:2: @include \"/etc/passwd\" is outside the book's folder");
    include("../../../../../../../../etc/passwd", "is outside the book's folder");
    include("book.cfg", "book.cfg:2: @include \"book.cfg\" is a cycle");
    assert_int_equal(symlink("/etc/passwd", "link.cfg"), 0);
    include("link.cfg", "book.cfg:2: @include \"link.cfg\" is outside the book's folder");
    write_text("one.cfg", "\n\n@include \"two.cfg\"\n");
    write_text("two.cfg", "@include \"one.cfg\"\n");
    include("one.cfg", "two.cfg:1: @include \"one.cfg\" is a cycle");
    write_text("one.cfg", "paths = 1;\nseed = ;\n");
    include("one.cfg", "one.cfg:2: a value is missing before ';'");
    write_text("one.cfg", "paths = 1;\n/* not closed\n");
    include("one.cfg", "one.cfg:2: a comment /* that is never closed by */");
    write_text("one.cfg", "paths = (1;\n");
    include("one.cfg", "one.cfg:1: ';' within '('");
    write_text("one.cfg", "paths = (1\n");
    include("one.cfg", "book.cfg:3: '}' where a ')' must close the '(' of one.cfg:1");
    write_text("book.cfg", "@include one.cfg\n");
    refuse_with("book.cfg",
                "book.cfg:1: @include stands at the beginning of a line, with the file in quotes");
    write_text("book.cfg", "@includes \"one.cfg\"\n");
    refuse_with("book.cfg",
                "book.cfg:1: @include stands at the beginning of a line, with the file in quotes");
    write_text("book.cfg", "@import \"one.cfg\"\n");
    refuse_with("book.cfg", "book.cfg:1: stray character '@'");
}

TEST(includes_that_are_too_deep)
{
    for (int i = 0; i < 12; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "deep%d.cfg", i);
        snprintf(text, sizeof text, "@include \"deep%d.cfg\"\n", i + 1);
        write_text(name, text);
    }
    refuse_with("deep0.cfg",
                "deep9.cfg:1: @include \"deep10.cfg\": more than 10 files within one another");
}

/* Ten files that each include the next one ten times would be ten thousand million. */
TEST(includes_that_multiply)
{
    for (int i = 0; i < 9; i++) {
        char name[32], text[400] = "";
        snprintf(name, sizeof name, "many%d.cfg", i);
        for (int j = 0; j < 10; j++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "@include \"many%d.cfg\"\n",
                     i + 1);
        write_text(name, text);
    }
    write_text("many9.cfg", "\n");
    refuse_with("many0.cfg", "or 1000 in all");
}

/* ---- what libconfig takes the square of, or worse -------------------------------------------- */

static char *repeat(const char *begin, const char *part, int n, const char *end)
{
    size_t length = strlen(part);
    char *text = malloc(strlen(begin) + (size_t)n * length + strlen(end) + 1), *p = text;
    p = strcpy(p, begin) + strlen(begin);
    for (int i = 0; i < n; i++, p += length) memcpy(p, part, length);
    strcpy(p, end);
    return text;
}

static void refuse_text(char *text, const char *complaint)
{
    write_text("book.cfg", text);
    free(text);
    refuse_with("book.cfg", complaint);
}

TEST(texts_without_measure)
{
    refuse_text(repeat("a = ", "(", 200000, "\n"),
                "book.cfg:1: more than 31 brackets within one another");
    refuse_text(repeat("a = \"", "x", 5000000, "\";\n"),
                "book.cfg:1: a text of more than 4096 characters");
    refuse_text(repeat("a = 1", "0", 5000000, ";\n"),
                "book.cfg:1: a word of more than 128 characters");
    char *keys = calloc(300, 16);
    for (int i = 0; i < 300; i++) sprintf(keys + strlen(keys), "k%d = %d;\n", i, i);
    refuse_text(keys, "book.cfg:257: a group of more than 256 keys");
}

TEST(schedules_without_measure)
{
    static const char market[] =
        "market = { currencies = ( { name = \"E\"; rate = 0; } );\n"
        "assets = ( { name = \"A\"; currency = \"E\"; spot = 1; volatility = 1; } ); };\n"
        "book = { trades = (\n";
    FILE *file = fopen("book.cfg", "w");
    fputs(market, file);
    for (int i = 0; i < 700; i++)
        fprintf(file,
                "{ id = \"%d\"; type = \"touch\"; asset = \"A\"; expiry = 1; touch = \"no\"; "
                "barrier = 2; direction = \"up\"; monitoring = 100000; },\n",
                i);
    fputs("); };\n", file);
    fclose(file);
    struct book book;
    struct complaints got = {0};
    assert_ok(book_load("book.cfg", &book, &got));
    assert_int_equal(book.n_trades, 671);
    assert_int_equal(book.n_unpriced, 29);
    assert_int_equal(got.n, 29);
    static const char wanted[] = "book.cfg:675: trade '671': the schedules of the book have more "
                                 "than 67108864 dates: split it";
    assert_string_equal(got.list[0].line, wanted);
    assert_string_equal(book.unpriced[0].message, wanted);
    book_free(&book);
    complaints_free(&got);
}

/* A chain of correlations that no market can have: beyond 256 assets nobody waits for its
 * eigenvalues. */
TEST(correlations_without_measure)
{
    enum { N = 300 };
    FILE *file = fopen("book.cfg", "w");
    fputs("market = { currencies = ( { name = \"E\"; rate = 0; } ); assets = (\n", file);
    for (int i = 0; i < N; i++)
        fprintf(file, "{ name = \"%d\"; currency = \"E\"; spot = 1; volatility = 1; },\n", i);
    fputs("); correlations = (\n", file);
    for (int i = 1; i < N; i++)
        fprintf(file, "{ assets = [\"%d\", \"%d\"]; value = 0.6; },\n", i - 1, i);
    fputs("); };\nbook = { trades = ( { id = \"T\"; type = \"european\"; asset = \"0\"; option = "
          "\"put\"; strike = 1; expiry = 1; } ); };\n",
          file);
    fclose(file);
    refuse_with("book.cfg", "book.cfg:302: correlations are not positive semi-definite: beside the "
                            "others that of '3' and '4' must be from -0.4208 to 0.4208, got 0.6");
}

/* ---- */

static int set_up(void **state)
{
    (void)state;
    good = whole_file("validation/tests/config/bad_input/good.cfg");
    several = whole_file("validation/tests/config/bad_input/several.cfg");
    quantos = whole_file("validation/tests/config/bad_input/quantos.cfg");
    rows = whole_file("validation/tests/config/bad_input/rows.cfg");
    cases = whole_file("validation/tests/config/bad_input/cases.txt");
    return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(good);
    free(several);
    free(rows);
    free(cases);
    static const char *const names[] = {"book.cfg", "one.cfg",    "two.cfg",  "huge.cfg",
                                        "fifo.cfg", "locked.cfg", "link.cfg", "folder.cfg",
                                        "t.csv",    "fifo.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(names[i]);
    for (int i = 0; i < 12; i++) {
        char name[32];
        snprintf(name, sizeof name, "deep%d.cfg", i);
        remove(name);
        snprintf(name, sizeof name, "many%d.cfg", i);
        remove(name);
    }
    return chdir("/") || rmdir(folder);
}

ALL_TESTS_BETWEEN(config_bad_input_test, set_up, tear_down)
