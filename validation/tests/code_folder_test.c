/* The folders of path code: a file comes back whole, from the first folder that has it whole; a
 * damaged one leaves nothing to be released. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BUILT_CODE "built"
#define INSTALLED_CODE "installed"
#include "kernels/cuda/host/code_folder.c"

static void write_code(const char *text)
{
    struct compiled_code code = {.name = "kernel", .code = (char *)text, .size = strlen(text) + 1};
    code_write(&code);
}

/* Puts what was written into another folder. */
static void move_to(const char *folder)
{
    char to[FILE_ROOM], from[FILE_ROOM];
    snprintf(to, sizeof to, "%s/kernel", folder);
    assert_true(find_own("kernel", from));
    mkdir(folder, 0700);
    assert_int_equal(rename(from, to), 0);
}

static void expect(const char *text)
{
    struct compiled_code code;
    assert_int_equal(code_read("kernel", &code), text != NULL);
    if (text) assert_string_equal(code.code, text);
    else assert_null(code.code);
    free(code.code);
}

static void files_come_back_whole(void **state)
{
    (void)state;
    expect(NULL);
    write_code("installed code");
    move_to("installed");
    expect("installed code");
    write_code("built code");
    move_to("built");
    expect("built code");
    write_code("own code");
    expect("own code");
    assert_int_equal(unlink("cache/pricer/kernel"), 0);
    assert_int_equal(truncate("built/kernel", 12), 0);
    expect("installed code");
    assert_int_equal(truncate("installed/kernel", 12), 0);
    expect(NULL);
}

/* A folder of its own, which is left empty. */
static int make_folder(void **state)
{
    static char folder[] = "/tmp/code_folder_XXXXXX";
    char cache[FILE_ROOM];
    *state = folder;
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    return setenv("XDG_CACHE_HOME", cache, 1);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"built/kernel", "installed/kernel", "built",
                                        "installed",    "cache/pricer",     "cache"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(names[i]);
    return remove(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_come_back_whole)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
