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

#endif
