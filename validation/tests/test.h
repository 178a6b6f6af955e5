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

/* Stands for `int main(void)` of the file NAME.c. A file that reads its command line writes
 * `int NAME(int argc, char **argv)` itself. */
#define TEST_MAIN(name)                                                                            \
    int name(int argc, char **argv);                                                               \
    int name(int argc __attribute__((unused)), char **argv __attribute__((unused)))

/* A file of nothing but cmocka's tests; those of TESTS_BETWEEN run after one function and before
 * another, each of which may be NULL. */
#define TESTS_BETWEEN(name, begin, end, ...)                                                       \
    TEST_MAIN(name)                                                                                \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests_name(#name, tests, begin, end);                              \
    }
#define TESTS(name, ...) TESTS_BETWEEN(name, NULL, NULL, __VA_ARGS__)

/* The tests of this file that are written TEST(name) { ... }, and the lines of it where they are.
 */
enum { MOST_OWN_TESTS = 64 };
static struct CMUnitTest own_tests[MOST_OWN_TESTS];
static int own_lines[MOST_OWN_TESTS], n_own_tests;

/* Puts a test behind those of the lines before it. */
__attribute__((unused)) static void add_test(const char *name, CMUnitTestFunction test, int line)
{
    int i = n_own_tests++;
    for (; i > 0 && own_lines[i - 1] > line; i--)
        own_tests[i] = own_tests[i - 1], own_lines[i] = own_lines[i - 1];
    own_tests[i] = (struct CMUnitTest){.name = name, .test_func = test};
    own_lines[i] = line;
}

#define TEST(name)                                                                                 \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        add_test(#name, name, __LINE__);                                                           \
    }                                                                                              \
    static void name(void **state __attribute__((unused)))

/* Stands for the main of a file that has no others, and runs them in their order. */
#define ALL_TESTS_BETWEEN(name, begin, end)                                                        \
    TEST_MAIN(name)                                                                                \
    {                                                                                              \
        return _cmocka_run_group_tests(#name, own_tests, (size_t)n_own_tests, begin, end);         \
    }
#define ALL_TESTS(name) ALL_TESTS_BETWEEN(name, NULL, NULL)

#endif
