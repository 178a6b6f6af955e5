/* A run's identity is of the bytes that its book was read from: files that are saved while the run
 * plans are another book's, and a resume of theirs is refused. */
#include "app/database/journal.h"
#include "validation/tests/config/config_books.h"

enum { N_FILES = 4 };

static const char *const names[N_FILES] = {"book.cfg", "market.cfg", "trades.csv", "history.csv"};

/* Each with the number that is replaced in it. */
static const char *const texts[N_FILES] = {
    "@include 'market.cfg'\n"
    "book = { trades = ( { id = 'T1'; type = 'european'; asset = 'A'; option = 'call'; "
    "strike = 100; expiry = 1.0; } );\n"
    "  trades_file = 'trades.csv'; };\n"
    "risk = { historical = { file = 'history.csv'; }; };\n",
    "market = { currencies = ( { name = 'EUR'; rate = 0.02; } );\n"
    "  assets = ( { name = 'A'; currency = 'EUR'; spot = 100; volatility = 0.2; } ); };\n",
    "id,type,asset,option,strike,expiry\nT2,european,A,put,100,1.0\n",
    "date,A\n2026-11-16,100\n2026-11-17,101\n2026-11-18,99\n"};

/* Writes a file, with the spot, strike or level `from` replaced by 103. */
static void save(int i, const char *from)
{
    const char *at = from ? strstr(texts[i], from) : texts[i];
    char *text = text_of("%.*s%s%s", (int)(at - texts[i]), texts[i], from ? "103" : "",
                         at + (from ? strlen(from) : 0));
    write_file(names[i], text);
    free(text);
}

static uint64_t identity(void)
{
    return identity_make(&book, 0, NULL, "cpu", 1);
}

TEST(files_saved_later_play_no_part)
{
    static const char *const moved[N_FILES] = {"100", "100", "100", "101"};
    for (int i = 0; i < N_FILES; i++) save(i, NULL);
    for (int i = 0; i < N_FILES; i++) {
        load(in_folder("book.cfg"));
        uint64_t before = identity();
        save(i, moved[i]);
        assert_int_equal(identity(), before);
        load(in_folder("book.cfg"));
        assert_int_not_equal(identity(), before);
        save(i, NULL);
        load(in_folder("book.cfg"));
        assert_int_equal(identity(), before);
    }
}

static int end(void **state)
{
    for (int i = 0; i < N_FILES; i++) remove(in_folder(names[i]));
    return tear_down(state);
}

ALL_TESTS_BETWEEN(database_identity_test, set_up, end)
