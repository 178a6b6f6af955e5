/* What a file of tests that asks the reference runs before them: ALL_TESTS_BETWEEN(NAME,
 * begin_references, NULL). */
#ifndef PRICER_VALIDATION_TESTS_WITH_REFERENCES_H
#define PRICER_VALIDATION_TESTS_WITH_REFERENCES_H

#include "validation/reference/reference.h"
#include "validation/tests/test.h"

static inline int begin_references(void **state)
{
    (void)state;
    reference_begin();
    return 0;
}

#endif
