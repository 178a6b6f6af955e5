/* The folders of path code: a file comes back whole, from the first folder that has it whole; a
 * damaged one leaves nothing to be released. */
#define _GNU_SOURCE /* as code_folder.c */
#include "validation/tests/test.h"

static char *program_at(const char *path, char *to);
#define realpath program_at /* the program is bin/pricer of the test's folder */
#include "kernels/cuda/host/code_folder.c"
#undef realpath

static char *program_at(const char *path, char *to)
{
    (void)path;
    return getcwd(to, PATH_MAX) ? strcat(to, "/bin/pricer") : NULL;
}

#define OWN "cache/pricer/kernel"

static void write_code(const char *text)
{
    struct compiled_code code = {.name = "kernel", .code = (char *)text, .size = strlen(text) + 1};
    code_write(&code);
}

/* Puts what was written into another folder. */
static void move_to(const char *to)
{
    assert_int_equal(rename(OWN, to), 0);
}

static void expect(const char *text)
{
    struct compiled_code code = {.name = "kernel"};
    assert_int_equal(code_read(&code), text != NULL);
    if (text) assert_string_equal(code.code, text);
    else assert_null(code.code);
    free(code.code);
}

TEST(files_come_back_whole)
{
    expect(NULL);
    write_code("installed code");
    move_to("share/pricer/path_code/kernel");
    expect("installed code");
    write_code("built code");
    move_to("bin/path_code/pricer/kernel");
    expect("built code");
    write_code("own code");
    expect("own code");
    assert_int_equal(unlink(OWN), 0);
    assert_int_equal(truncate("bin/path_code/pricer/kernel", 12), 0);
    expect("installed code");
    assert_int_equal(truncate("share/pricer/path_code/kernel", 12), 0);
    expect(NULL);
}

/* What others may have put there is not read, and nobody is waited for. */
TEST(nothing_of_others_is_read)
{
    struct stat facts;
    alarm(10); /* a FIFO would be waited for */
    write_code("own code");
    assert_int_equal(stat("cache/pricer", &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    assert_int_equal(stat(OWN, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    expect("own code");
    assert_int_equal(rename(OWN, "cache/pricer/other"), 0);
    assert_int_equal(link("cache/pricer/other", OWN), 0); /* another kernel's code */
    struct compiled_code code = {.name = "other"};
    assert_false(code_read(&code));
    expect("own code");
    assert_int_equal(unlink(OWN), 0);
    assert_int_equal(symlink("other", OWN), 0);
    assert_int_equal(rename("cache/pricer/other", "elsewhere"), 0);
    assert_int_equal(unlink(OWN), 0);
    assert_int_equal(symlink("../../elsewhere", OWN), 0);
    expect(NULL);
    assert_int_equal(unlink(OWN), 0);
    assert_int_equal(mkfifo(OWN, 0600), 0);
    expect(NULL);
    assert_int_equal(unlink(OWN), 0);
    assert_int_equal(rename("elsewhere", OWN), 0);
    expect("own code");
    assert_int_equal(chmod(OWN, 0622), 0);
    expect(NULL);
    assert_int_equal(chmod(OWN, 0600), 0);
    assert_int_equal(chmod("cache/pricer", 0777), 0);
    expect(NULL);
    write_code("new code");
    assert_int_equal(chmod("cache/pricer", 0700), 0);
    expect("own code"); /* nothing was written there */
    if (!geteuid()) {
        assert_int_equal(chown(OWN, 1, 1), 0);
        expect(NULL);
        assert_int_equal(chown(OWN, 0, 0), 0);
        assert_int_equal(chown("cache/pricer", 1, 1), 0);
        expect(NULL);
        assert_int_equal(chown("cache/pricer", 0, 0), 0);
    }
    assert_int_equal(rename("cache/pricer", "real"), 0);
    assert_int_equal(symlink("../real", "cache/pricer"), 0);
    expect(NULL);
    assert_int_equal(unlink("cache/pricer"), 0);
    assert_int_equal(rename("real", "cache/pricer"), 0);
    expect("own code");
    alarm(0);
}

TEST(sha256_is_that_of_the_standard)
{
    static const struct {
        const char *text;
        unsigned char first, last;
    } known[] = {{"", 0xe3, 0x55},
                 {"abc", 0xba, 0xad},
                 {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 0x24, 0xc1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct sha256 hash;
        unsigned char digest[SHA256_BYTES];
        sha256_begin(&hash);
        sha256_add(&hash, known[i].text, strlen(known[i].text));
        sha256_end(&hash, digest);
        assert_int_equal(digest[0], known[i].first);
        assert_int_equal(digest[SHA256_BYTES - 1], known[i].last);
    }
}

/* A folder of its own, which is left empty. */
static int make_folder(void **state)
{
    static char folder[] = "/tmp/code_folder_XXXXXX";
    char cache[PATH_MAX];
    *state = folder;
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    if (system("umask 022; mkdir -p bin/path_code/pricer share/pricer/path_code")) return 1;
    snprintf(cache, sizeof cache, "%s/cache", folder);
    return setenv("XDG_CACHE_HOME", cache, 1);
}

static int remove_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", (char *)*state);
    return system(command);
}

ALL_TESTS_BETWEEN(code_folder_test, make_folder, remove_folder)
