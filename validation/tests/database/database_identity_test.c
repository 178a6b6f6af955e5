/* A run's identity is of the bytes that its book was read from: files that are saved while the run
 * plans are another book's, and a resume of theirs is refused. */
#include "validation/tests/written_book.h"
#include "app/database/journal.h"
#include "validation/tests/test.h"

enum { N_FILES = 4 };

static char folder[] = P_tmpdir "/pricer-identity-XXXXXX";

static const char *const names[N_FILES] = {"book.cfg", "market.cfg", "trades.csv", "history.csv"};

/* Each with the number that is replaced in it. */
static const char *const texts[N_FILES] = {
    "@include \"market.cfg\"\n"
    "book = { trades = ( { id = \"T1\"; type = \"european\"; asset = \"A\"; option = \"call\"; "
    "strike = 100; expiry = 1.0; } );\n"
    "  trades_file = \"trades.csv\"; };\n"
    "risk = { historical = { file = \"history.csv\"; }; };\n",
    "market = { currencies = ( { name = \"EUR\"; rate = 0.02; } );\n"
    "  assets = ( { name = \"A\"; currency = \"EUR\"; spot = 100; volatility = 0.2; } ); };\n",
    "id,type,asset,option,strike,expiry\nT2,european,A,put,100,1.0\n",
    "date,A\n2026-11-16,100\n2026-11-17,101\n2026-11-18,99\n"};

static void in_folder(char room[256], const char *name)
{
    snprintf(room, 256, "%s/%s", folder, name);
}

/* Writes a file, with the spot, strike or level `from` replaced by 103. */
static void save(int i, const char *from)
{
    char path[256];
    const char *at = from ? strstr(texts[i], from) : NULL;
    in_folder(path, names[i]);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (at) fprintf(file, "%.*s103%s", (int)(at - texts[i]), texts[i], at + strlen(from));
    else fputs(texts[i], file);
    assert_int_equal(fclose(file), 0);
}

static void load(struct book *book)
{
    char path[256];
    in_folder(path, names[0]);
    read_file(path, book);
}

static uint64_t identity_of(const struct book *book)
{
    return identity_make(book, 0, NULL, "cpu", 1);
}

TEST(files_saved_later_play_no_part)
{
    static const char *const moved[N_FILES] = {"100", "100", "100", "101"};
    for (int i = 0; i < N_FILES; i++) save(i, NULL);
    for (int i = 0; i < N_FILES; i++) {
        struct book book, other, again;
        load(&book);
        uint64_t identity = identity_of(&book);
        save(i, moved[i]);
        assert_int_equal(identity_of(&book), identity);
        load(&other);
        assert_int_not_equal(identity_of(&other), identity);
        save(i, NULL);
        load(&again);
        assert_int_equal(identity_of(&again), identity);
        book_free(&book);
        book_free(&other);
        book_free(&again);
    }
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char path[256];
    for (int i = 0; i < N_FILES; i++) {
        in_folder(path, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

ALL_TESTS_BETWEEN(database_identity_test, begin, end)
