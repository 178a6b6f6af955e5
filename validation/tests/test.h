/* What every test begins with: cmocka and the headers it asks for, and the name by which a folder's
 * program runs the tests of one file. */
#ifndef PRICER_VALIDATION_TESTS_TEST_H
#define PRICER_VALIDATION_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "models/base/status.h"
#include "models/base/stop.h"

/* What a call says that is not to fail. */
__attribute__((unused)) static struct message said;

__attribute__((unused)) static void check_ok(enum status status, const char *call, const char *file,
                                             int line)
{
    if (status && said.text[0]) print_error("%s: %s\n", call, said.text);
    _assert_int_equal((uint64_t)status, STATUS_OK, file, line);
}

/* Fails the test unless the call, whose last argument may be &said, returns STATUS_OK. */
#define assert_ok(call) (said.text[0] = '\0', check_ok((call), #call, __FILE__, __LINE__))

static inline int ask_at_once(void *context)
{
    (void)context;
    return 15;
}

/* A stop that has been asked for. */
__attribute__((unused)) static const struct stop stop_at_once = {.asked = ask_at_once};

/* Stands for `int main(void)` of the file NAME.c. A file that reads its command line writes
 * `int NAME(int argc, char **argv)` itself. */
#define TEST_MAIN(name)                                                                            \
    int name(int argc, char **argv);                                                               \
    int name(int argc __attribute__((unused)), char **argv __attribute__((unused)))

/* The tests of this file that are written TEST(name) { ... } or, where they take minutes,
 * LONG_TEST(name) { ... }: the latter alone run where the command line begins with --long. */
enum { MOST_OWN_TESTS = 64 };
static struct own_test {
    const char *name;
    CMUnitTestFunction function;
    int line;
    bool is_long;
} own_tests[MOST_OWN_TESTS];
static int n_own_tests;

__attribute__((unused)) static void add_test(struct own_test test)
{
    int i = n_own_tests++;
    if (i == MOST_OWN_TESTS) abort();
    for (; i > 0 && own_tests[i - 1].line > test.line; i--) own_tests[i] = own_tests[i - 1];
    own_tests[i] = test;
}

#define TEST_OF(name, is_long)                                                                     \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        add_test((struct own_test){#name, name, __LINE__, is_long});                               \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))
#define TEST(name) TEST_OF(name, false)
#define LONG_TEST(name) TEST_OF(name, true)

/* What each of them runs between; NULL: nothing. */
__attribute__((unused)) static CMFixtureFunction begin_each, end_each;

/* Runs them in the order of their lines, after `begin` and before `end`, each of which may be NULL.
 */
__attribute__((unused)) static int run_own_tests(const char *name, bool is_long,
                                                 CMFixtureFunction begin, CMFixtureFunction end)
{
    struct CMUnitTest tests[MOST_OWN_TESTS] = {{0}};
    size_t n = 0;
    for (int i = 0; i < n_own_tests; i++)
        if (own_tests[i].is_long == is_long)
            tests[n++] = (struct CMUnitTest){.name = own_tests[i].name,
                                             .test_func = own_tests[i].function,
                                             .setup_func = begin_each,
                                             .teardown_func = end_each};
    return _cmocka_run_group_tests(name, tests, n, begin, end);
}

static inline bool wants_long(int argc, char **argv)
{
    return argc > 1 && !strcmp(argv[1], "--long");
}

/* Stands for the main of a file that has no others; the functions of ALL_TESTS_EACH run before and
 * after each test. */
#define ALL_TESTS_BETWEEN(name, begin, end)                                                        \
    int name(int argc, char **argv);                                                               \
    int name(int argc, char **argv)                                                                \
    {                                                                                              \
        return run_own_tests(#name, wants_long(argc, argv), begin, end);                           \
    }
#define ALL_TESTS(name) ALL_TESTS_BETWEEN(name, NULL, NULL)
#define ALL_TESTS_EACH(name, begin, end)                                                           \
    int name(int argc, char **argv);                                                               \
    int name(int argc, char **argv)                                                                \
    {                                                                                              \
        begin_each = begin, end_each = end;                                                        \
        return run_own_tests(#name, wants_long(argc, argv), NULL, NULL);                           \
    }

#endif
