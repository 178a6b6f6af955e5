/* References of prices for tests. A file that asks for them runs begin_references before its tests:
 * ALL_TESTS_BETWEEN(NAME, begin_references, NULL). */
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

/* Returns the reference of one unit of a trade. */
static inline struct reference reference_for(const struct market *market, const struct trade *trade)
{
    struct reference reference = {0};
    assert_ok(reference_price(market, trade, 1, NULL, &reference, &said));
    return reference;
}

#endif
