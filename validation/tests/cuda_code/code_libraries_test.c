/* Path code of the folder: what is asked for is loaded, and nothing else; one bad piece loses no
 * other. A linker and a loader that do nothing stand for those of the toolkit. Each case is a
 * program of its own. */
#include <sys/wait.h>

#include "validation/tests/test.h"

#if PRICER_HAVE_CUDA
#include "kernels/cuda/host/code_folder.h"
#include "kernels/cuda/host/code_libraries.h"

enum { ARCHITECTURE = 90, CODES = 200 };

static int links, linked_pieces;

/* Takes no piece that begins with `bad`. */
enum status link_code(int n, const struct compiled_code *pieces, int architecture, char **linked,
                      struct message *why)
{
    *linked = NULL;
    snprintf(why->text, sizeof why->text, "bad");
    if (architecture != ARCHITECTURE) return STATUS_FAILED;
    for (int i = 0; i < n; i++)
        if (!strncmp(pieces[i].code, "bad", 3)) return STATUS_FAILED;
    links++, linked_pieces += n;
    *linked = malloc(1);
    return STATUS_OK;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *options, void **option_values,
                                unsigned n_options, enum cudaLibraryOption *library_options,
                                void **library_values, unsigned n_library_options)
{
    (void)code, (void)options, (void)option_values, (void)n_options, (void)library_options,
        (void)library_values, (void)n_library_options;
    *library = (cudaLibrary_t)(uintptr_t)links;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    (void)error;
    return "";
}

static void write_code(const char *name, const char *text)
{
    struct compiled_code code = {.code = (char *)text, .size = strlen(text) + 1};
    snprintf(code.name, sizeof code.name, "%s", name);
    code_write(&code);
}

static void ask(const char *name)
{
    kernel_name names[1] = {""};
    snprintf(names[0], sizeof names[0], "%s", name);
    libraries_ask(1, (const kernel_name *)names, ARCHITECTURE, NULL);
}

static bool there(const char *name)
{
    return library_of(name) != NULL;
}

/* Asks for a, then for b. */
static bool asks_for_two(void)
{
    write_code("a", "code"), write_code("b", "code"), write_code("c", "code");
    ask("a");
    bool alone = there("a") && !there("b") && links == 1;
    ask("b"), ask("b"), ask("not there");
    return alone && there("b") && !there("c") && !there("not there") && links == 2;
}

/* Cuts the file of a. */
static bool finds_damage(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/pricer/a", getenv("XDG_CACHE_HOME"));
    if (truncate(path, 6)) return false;
    ask("a"), ask("c");
    return !there("a") && there("c");
}

/* More than one thread reads; one piece of many is bad. */
static bool loads_all_but_the_bad(void)
{
    static kernel_name names[CODES];
    int found = 0;
    for (int i = 0; i < CODES; i++) {
        snprintf(names[i], sizeof names[i], "many%d", i);
        write_code(names[i], i == 77 ? "bad" : "code");
    }
    libraries_ask(CODES, (const kernel_name *)names, ARCHITECTURE, NULL);
    for (int i = 0; i < CODES; i++) found += there(names[i]);
    return found == CODES - 1 && !there("many77");
}

static void run_program(bool (*program)(void), const char *name)
{
    int status = -1;
    pid_t child = fork();
    if (!child) _exit(program() ? 0 : 1);
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (status) print_error("%s\n", name);
    assert_int_equal(status, 0);
}

TEST(each_program_finds_what_it_asks_for)
{
    char folder[] = "/tmp/code_libraries_test_XXXXXX", command[128];
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    run_program(asks_for_two, "asks_for_two");
    run_program(finds_damage, "finds_damage");
    run_program(loads_all_but_the_bad, "loads_all_but_the_bad");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

ALL_TESTS(code_libraries_test)

#else

TEST_MAIN(code_libraries_test)
{
    return 77;
}

#endif
