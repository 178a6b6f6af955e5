/* Every script of the library can be read, is called as its file is, and says in a few lines what
 * it pays. */
#include "models/scripts/library.h"
#include "models/scripts/script.h"
#include "validation/tests/test.h"

enum { LINES_MOST = 22, COLUMNS_MOST = 100 };

TEST(every_script_is_read)
{
    assert_true(n_library_scripts >= 31);
    for (int i = 0; i < n_library_scripts; i++) {
        const char *name = library_scripts[i].name, *text = script_library_text(name);
        struct script script;
        struct script_errors errors = {0};
        assert_non_null(text);
        if (script_read(text, strlen(text), &script, &errors) != STATUS_OK)
            fail_msg("%s.pay: %s", name, errors.list[0].text);
        assert_string_equal(script.name, name);
        assert_true(text[0] == '#' && strcspn(text, "\n") >= 30);
        assert_true(script.asset >= 0);
        for (int p = 0; p < script.n_parameters; p++)
            if (!script.symbols[p].read && p != script.expiry && p != script.asset)
                fail_msg("%s.pay reads no %s", name, script.symbols[p].name);
        script_free(&script);
    }
}

TEST(every_script_is_short)
{
    for (int i = 0; i < n_library_scripts; i++) {
        int lines = 0;
        for (const char *at = library_scripts[i].text; *at != 0; lines++) {
            size_t columns = strcspn(at, "\n");
            if (columns > COLUMNS_MOST)
                fail_msg("%s.pay: %.*s", library_scripts[i].name, (int)columns, at);
            at += columns + (at[columns] == '\n');
        }
        if (lines > LINES_MOST) fail_msg("%s.pay has %d lines", library_scripts[i].name, lines);
    }
}

TEST(names_are_sorted_and_found)
{
    for (int i = 1; i < n_library_scripts; i++)
        assert_true(strcmp(library_scripts[i - 1].name, library_scripts[i].name) < 0);
    assert_null(script_library_text("tar"));
    assert_null(script_library_text("tarf.pay"));
    assert_null(script_library_text(""));
}

ALL_TESTS(script_library_test)
