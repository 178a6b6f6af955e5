/* Every method of the reference against prices printed elsewhere.
 *
 * Rows without `C-` are those of QuantLib's test-suite (commit 2a13d455), which copies them from
 * Haug (1998 and 2007), Clewlow and Strickland (1998), El Babsiri and Noel (1998), Hui (1996) and
 * Broadie, Glasserman and Kou (1999); rows with it were computed by other programs: a
 * Gauss-Legendre convolution (discrete barriers; the first table of Broadie, Glasserman and Kou
 * 1997 among them) and a Monte Carlo with the geometric Asian as control variate (Asians; the
 * tolerance is four of its standard errors). The rebate of a barrier is paid at the hit. */
#include "validation/tests/reference/reference_fixtures.h"
#include "models/payoffs/product_numbers.h"

struct row {
    const char *id;
    double spot, rate, yield, volatility;
    int dates; /* of fixing or monitoring, equally spaced up to expiry; 0: continuous */
    double first, expected, tolerance;
    struct trade trade;
};

/* clang-format off */
static const struct row rows[] = {
    {"ASIAN-GEO-002", 100, 0.06, 0.03, 0.2, 10, 0.1, 5.3425606635, 1e-10,
     {.expiry = 1, .product = PRODUCT_ASIAN, .averaging = AVERAGING_GEOMETRIC, .strike = 100}},
    {"BARR-BABSIRI-001", 100, 0.05, 0.02, 0.1, 0, 0, 0.07187, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .knock = KNOCK_IN, .direction =
      DIRECTION_DOWN}},
    {"BARR-BABSIRI-002", 100, 0.05, 0.02, 0.15, 0, 0, 0.60638, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .knock = KNOCK_IN, .direction =
      DIRECTION_DOWN}},
    {"BARR-BABSIRI-003", 100, 0.05, 0.02, 0.2, 0, 0, 1.64005, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .knock = KNOCK_IN, .direction =
      DIRECTION_DOWN}},
    {"BARR-BABSIRI-004", 100, 0.05, 0.02, 0.25, 0, 0, 2.98495, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .knock = KNOCK_IN, .direction =
      DIRECTION_DOWN}},
    {"BARR-BABSIRI-005", 100, 0.05, 0.02, 0.3, 0, 0, 4.50952, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .knock = KNOCK_IN, .direction =
      DIRECTION_DOWN}},
    {"BARR-BABSIRI-006", 100, 0.05, 0.02, 0.1, 0, 0, 4.79148, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .knock = KNOCK_IN, .direction =
      DIRECTION_UP}},
    {"BARR-BABSIRI-007", 100, 0.05, 0.02, 0.15, 0, 0, 7.08268, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .knock = KNOCK_IN, .direction =
      DIRECTION_UP}},
    {"BARR-BABSIRI-008", 100, 0.05, 0.02, 0.2, 0, 0, 9.11008, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .knock = KNOCK_IN, .direction =
      DIRECTION_UP}},
    {"BARR-BABSIRI-010", 100, 0.05, 0.02, 0.3, 0, 0, 12.98351, 1e-5,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .knock = KNOCK_IN, .direction =
      DIRECTION_UP}},
    {"BARR-HAUG-004", 100., 0.08, 0.04, 0.25, 0, 0, 3.0000, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 90, .barrier = 100., .rebate = 3., .pay_at =
      PAY_AT_HIT, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-006", 100., 0.08, 0.04, 0.25, 0, 0, 3.0000, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 100., .rebate = 3., .pay_at =
      PAY_AT_HIT, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-010", 100., 0.08, 0.04, 0.25, 0, 0, 7.7627, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 90, .barrier = 95., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-015", 100., 0.08, 0.04, 0.25, 0, 0, 3.9795, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 100., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-018", 100., 0.08, 0.04, 0.25, 0, 0, 4.5910, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 105., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_UP}},
    {"BARR-HAUG-021", 100., 0.08, 0.04, 0.3, 0, 0, 5.4137, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 95., .rebate = 3., .pay_at =
      PAY_AT_HIT, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-024", 100., 0.08, 0.04, 0.3, 0, 0, 3.0000, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 100., .rebate = 3., .pay_at =
      PAY_AT_HIT, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-028", 100., 0.08, 0.04, 0.3, 0, 0, 9.0093, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 90, .barrier = 95., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-030", 100., 0.08, 0.04, 0.3, 0, 0, 2.8517, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 95., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-032", 100., 0.08, 0.04, 0.3, 0, 0, 9.2045, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 100., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-036", 100., 0.08, 0.04, 0.3, 0, 0, 5.8350, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .strike = 110, .barrier = 105., .rebate = 3., .pay_at =
      PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_UP}},
    {"BARR-HAUG-039", 100., 0.08, 0.04, 0.25, 0, 0, 2.6252, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 110, .barrier = 95., .rebate
      = 3., .pay_at = PAY_AT_HIT, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-044", 100., 0.08, 0.04, 0.25, 0, 0, 5.4932, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 105.,
      .rebate = 3., .pay_at = PAY_AT_HIT, .direction = DIRECTION_UP}},
    {"BARR-HAUG-047", 100., 0.08, 0.04, 0.25, 0, 0, 6.5677, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 95., .rebate
      = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-050", 100., 0.08, 0.04, 0.25, 0, 0, 5.9085, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 100.,
      .rebate = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-054", 100., 0.08, 0.04, 0.25, 0, 0, 7.0846, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 110, .barrier = 105.,
      .rebate = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_UP}},
    {"BARR-HAUG-059", 100., 0.08, 0.04, 0.3, 0, 0, 3.0000, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 100.,
      .rebate = 3., .pay_at = PAY_AT_HIT, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-061", 100., 0.08, 0.04, 0.3, 0, 0, 4.2293, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 90, .barrier = 105., .rebate
      = 3., .pay_at = PAY_AT_HIT, .direction = DIRECTION_UP}},
    {"BARR-HAUG-064", 100., 0.08, 0.04, 0.3, 0, 0, 3.8769, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 90, .barrier = 95., .rebate
      = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-066", 100., 0.08, 0.04, 0.3, 0, 0, 13.3078, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 110, .barrier = 95., .rebate
      = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-069", 100., 0.08, 0.04, 0.3, 0, 0, 12.9713, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 110, .barrier = 100.,
      .rebate = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_DOWN}},
    {"BARR-HAUG-071", 100., 0.08, 0.04, 0.3, 0, 0, 4.4226, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 105.,
      .rebate = 3., .pay_at = PAY_AT_HIT, .knock = KNOCK_IN, .direction = DIRECTION_UP}},
    {"C-ASIAN-AP-DISC-001", 90., 0.025, 0.06, 0.13, 2, 0.0, 1.393786, 6.2e-04,
     {.expiry = 0.916666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-003", 90., 0.025, 0.06, 0.13, 8, 0.0, 1.671769, 3.3e-04,
     {.expiry = 0.916666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-004", 90., 0.025, 0.06, 0.13, 12, 0.0, 1.699410, 3.1e-04,
     {.expiry = 0.916666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-006", 90., 0.025, 0.06, 0.13, 52, 0.0, 1.740581, 5.3e-04,
     {.expiry = 0.916666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-012", 90., 0.025, 0.06, 0.13, 4, 0.083333333333, 2.012700, 3.9e-04,
     {.expiry = 1., .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-015", 90., 0.025, 0.06, 0.13, 26, 0.083333333333, 2.137658, 2.9e-04,
     {.expiry = 1., .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-016", 90., 0.025, 0.06, 0.13, 52, 0.083333333333, 2.148471, 5.2e-04,
     {.expiry = 1., .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-017", 90., 0.025, 0.06, 0.13, 100, 0.083333333333, 2.153712, 5.2e-04,
     {.expiry = 1., .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-022", 90., 0.025, 0.06, 0.13, 4, 0.25, 2.776438, 3.8e-04,
     {.expiry = 1.166666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-023", 90., 0.025, 0.06, 0.13, 8, 0.25, 2.838265, 3.2e-04,
     {.expiry = 1.166666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-025", 90., 0.025, 0.06, 0.13, 26, 0.25, 2.879669, 2.8e-04,
     {.expiry = 1.166666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-026", 90., 0.025, 0.06, 0.13, 52, 0.25, 2.888995, 5.0e-04,
     {.expiry = 1.166666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-AP-DISC-027", 90., 0.025, 0.06, 0.13, 100, 0.25, 2.893136, 5.0e-04,
     {.expiry = 1.166666666667, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 87.}},
    {"C-ASIAN-TW-001", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 19.513374, 4.1e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .strike = 80}},
    {"C-ASIAN-TW-002", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 0.007347, 2.0e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 80}},
    {"C-ASIAN-TW-003", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 10.128998, 3.9e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .strike = 90}},
    {"C-ASIAN-TW-004", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 0.375936, 2.8e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 90}},
    {"C-ASIAN-TW-006", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 3.266845, 3.4e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 100}},
    {"C-ASIAN-TW-009", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 0.053221, 2.2e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .strike = 120}},
    {"C-ASIAN-TW-010", 100, 0.05, 0.05, 0.2, 26, 0.0192307692307692, 19.559584, 3.8e-04,
     {.expiry = 0.5, .product = PRODUCT_ASIAN, .option = OPTION_PUT, .strike = 120}},
    {"C-DBARR-BGK-001", 100, 0.1, 0, 0.3, 50, 0.004, 6.32224014, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 85, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-002", 100, 0.1, 0, 0.3, 50, 0.004, 6.30643108, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 86, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-003", 100, 0.1, 0, 0.3, 50, 0.004, 6.28119784, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 87, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-005", 100, 0.1, 0, 0.3, 50, 0.004, 6.18359732, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 89, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-006", 100, 0.1, 0, 0.3, 50, 0.004, 6.09819614, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-009", 100, 0.1, 0, 0.3, 50, 0.004, 5.58433995, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 93, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-010", 100, 0.1, 0, 0.3, 50, 0.004, 5.28791756, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 94, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-013", 100, 0.1, 0, 0.3, 50, 0.004, 3.83397771, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 97, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-014", 100, 0.1, 0, 0.3, 50, 0.004, 3.12633277, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 98, .direction = DIRECTION_DOWN}},
    {"C-DBARR-BGK-015", 100, 0.1, 0, 0.3, 50, 0.004, 2.33638690, 1e-6,
     {.expiry = 0.2, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 99, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-001", 100, 0.05, 0.02, 0.25, 4, 0.25, 11.03920048, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 80, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-003", 100, 0.05, 0.02, 0.25, 4, 0.25, 9.23411652, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 95, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-004", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 10.96496878, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 80, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-005", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 9.56524797, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-006", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 7.66961546, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 95, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-008", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 8.92282922, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 90, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOC-012", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 5.60475313, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 95, .direction = DIRECTION_DOWN}},
    {"C-DBARR-DOP-001", 100, 0.05, 0.02, 0.25, 4, 0.25, 5.07857956, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 70, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-002", 100, 0.05, 0.02, 0.25, 4, 0.25, 2.24301728, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 80, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-003", 100, 0.05, 0.02, 0.25, 4, 0.25, 0.39761357, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 90, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-004", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 4.68526689, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 70, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-005", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 1.82447448, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 80, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-007", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 4.31618361, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 70, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-008", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 1.49182347, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 80, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-010", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 4.10041811, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 70, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-DOP-011", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 1.31781753, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .option = OPTION_PUT, .strike = 100, .barrier = 80, .direction
      = DIRECTION_DOWN}},
    {"C-DBARR-UOC-001", 100, 0.05, 0.02, 0.25, 4, 0.25, 0.33115451, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .direction = DIRECTION_UP}},
    {"C-DBARR-UOC-005", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 1.22425577, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 120, .direction = DIRECTION_UP}},
    {"C-DBARR-UOC-007", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 0.12086372, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .direction = DIRECTION_UP}},
    {"C-DBARR-UOC-008", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 0.93441143, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 120, .direction = DIRECTION_UP}},
    {"C-DBARR-UOC-009", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 4.62606929, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 140, .direction = DIRECTION_UP}},
    {"C-DBARR-UOC-010", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 0.08698320, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 110, .direction = DIRECTION_UP}},
    {"C-DBARR-UOC-011", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 0.79002395, 1e-6,
     {.expiry = 1, .product = PRODUCT_BARRIER, .strike = 100, .barrier = 120, .direction = DIRECTION_UP}},
    {"C-DDBARR-KO-002", 100, 0.05, 0.02, 0.25, 4, 0.25, 3.59398970, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70, .upper = 130}},
    {"C-DDBARR-KO-003", 100, 0.05, 0.02, 0.25, 4, 0.25, 0.18673562, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90, .upper = 110}},
    {"C-DDBARR-KO-006", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 0.05330534, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90, .upper = 110}},
    {"C-DDBARR-KO-007", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 0.81282350, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 80, .upper = 120}},
    {"C-DDBARR-KO-008", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 2.58483057, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70, .upper = 130}},
    {"C-DDBARR-KO-009", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 0.01122868, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90, .upper = 110}},
    {"C-DDBARR-KO-010", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 0.65380670, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 80, .upper = 120}},
    {"C-DDBARR-KO-011", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 2.33502686, 1e-6,
     {.expiry = 1, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70, .upper = 130}},
    {"C-DNT-001", 100, 0.05, 0.02, 0.25, 4, 0.25, 0.40801139, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 80, .upper = 120, .cash = 1}},
    {"C-DNT-002", 100, 0.05, 0.02, 0.25, 4, 0.25, 0.67565310, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 70, .upper = 130, .cash = 1}},
    {"C-DNT-003", 100, 0.05, 0.02, 0.25, 4, 0.25, 0.08406164, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 90, .upper = 110, .cash = 1}},
    {"C-DNT-004", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 0.32301969, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 80, .upper = 120, .cash = 1}},
    {"C-DNT-006", 100, 0.05, 0.02, 0.25, 12, 0.08333333333333333, 0.02544255, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 90, .upper = 110, .cash = 1}},
    {"C-DNT-007", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 0.25227098, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 80, .upper = 120, .cash = 1}},
    {"C-DNT-008", 100, 0.05, 0.02, 0.25, 52, 0.019230769230769232, 0.57884819, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 70, .upper = 130, .cash = 1}},
    {"C-DNT-010", 100, 0.05, 0.02, 0.25, 252, 0.003968253968253968, 0.21474150, 1e-6,
     {.expiry = 1, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 80, .upper = 120, .cash = 1}},
    {"DBARR-HAUG-002", 100., 0.1, 0., 0.25, 0, 0, 6.1644, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 50., .upper = 150.}},
    {"DBARR-HAUG-004", 100., 0.1, 0., 0.15, 0, 0, 6.9853, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 50., .upper = 150.}},
    {"DBARR-HAUG-007", 100., 0.1, 0., 0.15, 0, 0, 4.3505, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 60., .upper = 140.}},
    {"DBARR-HAUG-010", 100., 0.1, 0., 0.15, 0, 0, 6.8082, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 60., .upper = 140.}},
    {"DBARR-HAUG-012", 100., 0.1, 0., 0.35, 0, 0, 4.3841, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 60., .upper = 140.}},
    {"DBARR-HAUG-016", 100., 0.1, 0., 0.15, 0, 0, 5.9697, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70., .upper = 130.}},
    {"DBARR-HAUG-018", 100., 0.1, 0., 0.35, 0, 0, 2.2563, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70., .upper = 130.}},
    {"DBARR-HAUG-020", 100., 0.1, 0., 0.25, 0, 0, 2.6387, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 80., .upper = 120.}},
    {"DBARR-HAUG-022", 100., 0.1, 0., 0.15, 0, 0, 3.5805, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 80., .upper = 120.}},
    {"DBARR-HAUG-025", 100., 0.1, 0., 0.15, 0, 0, 1.2055, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90., .upper = 110.}},
    {"DBARR-HAUG-027", 100., 0.1, 0., 0.35, 0, 0, 0.0477, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90., .upper = 110.}},
    {"DBARR-HAUG-031", 100., 0.1, 0., 0.15, 0, 0, 1.8825, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 50.,
      .upper = 150.}},
    {"DBARR-HAUG-036", 100., 0.1, 0., 0.35, 0, 0, 7.1683, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 50.,
      .upper = 150.}},
    {"DBARR-HAUG-038", 100., 0.1, 0., 0.25, 0, 0, 3.7845, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 60.,
      .upper = 140.}},
    {"DBARR-HAUG-041", 100., 0.1, 0., 0.25, 0, 0, 4.6236, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 60.,
      .upper = 140.}},
    {"DBARR-HAUG-047", 100., 0.1, 0., 0.25, 0, 0, 3.8944, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 70.,
      .upper = 130.}},
    {"DBARR-HAUG-051", 100., 0.1, 0., 0.35, 0, 0, 2.0719, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 80.,
      .upper = 120.}},
    {"DBARR-HAUG-055", 100., 0.1, 0., 0.15, 0, 0, 0.9473, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 90.,
      .upper = 110.}},
    {"DBARR-HAUG-058", 100., 0.1, 0., 0.15, 0, 0, 0.4555, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .option = OPTION_PUT, .strike = 100, .lower = 90.,
      .upper = 110.}},
    {"DBARR-HAUG-062", 100., 0.1, 0., 0.25, 0, 0, 0.0900, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 50., .upper = 150., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-066", 100., 0.1, 0., 0.35, 0, 0, 5.7321, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 50., .upper = 150., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-069", 100., 0.1, 0., 0.35, 0, 0, 2.4184, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 60., .upper = 140., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-071", 100., 0.1, 0., 0.25, 0, 0, 3.2439, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 60., .upper = 140., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-074", 100., 0.1, 0., 0.25, 0, 0, 1.4252, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70., .upper = 130., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-078", 100., 0.1, 0., 0.35, 0, 0, 9.9846, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 70., .upper = 130., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-081", 100., 0.1, 0., 0.35, 0, 0, 6.7007, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 80., .upper = 120., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-083", 100., 0.1, 0., 0.25, 0, 0, 8.0724, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 80., .upper = 120., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-085", 100., 0.1, 0., 0.15, 0, 0, 3.1460, 1.0e-4,
     {.expiry = 0.25, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90., .upper = 110., .knock =
      KNOCK_IN}},
    {"DBARR-HAUG-088", 100., 0.1, 0., 0.15, 0, 0, 6.4608, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_DOUBLE_BARRIER, .strike = 100, .lower = 90., .upper = 110., .knock =
      KNOCK_IN}},
    {"DBLBIN-002", 100., 0.05, 0.02, 0.2, 0, 0, 8.9307, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 80., .upper = 120., .cash =
      10.}},
    {"DBLBIN-008", 100., 0.05, 0.02, 0.5, 0, 0, 0.4271, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 85., .upper = 115., .cash =
      10.}},
    {"DBLBIN-011", 100., 0.05, 0.02, 0.3, 0, 0, 0.7960, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 90., .upper = 110., .cash =
      10.}},
    {"DBLBIN-015", 100., 0.05, 0.02, 0.3, 0, 0, 0.0002, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 95., .upper = 105., .cash =
      10.}},
    {"DBLBIN-033", 100., 0.05, 0.02, 0.1, 0, 0, 0.0042, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .lower = 80., .upper = 120., .cash =
      10.}},
    {"DBLBIN-035", 100., 0.05, 0.02, 0.3, 0, 0, 3.5486, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .lower = 80., .upper = 120., .cash =
      10.}},
    {"DBLBIN-039", 100., 0.05, 0.02, 0.3, 0, 0, 6.1658, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .lower = 85., .upper = 115., .cash =
      10.}},
    {"DBLBIN-041", 100., 0.05, 0.02, 0.1, 0, 0, 0.9704, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .lower = 90., .upper = 110., .cash =
      10.}},
    {"DBLBIN-044", 100., 0.05, 0.02, 0.5, 0, 0, 9.8699, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .lower = 90., .upper = 110., .cash =
      10.}},
    {"DBLBIN-047", 100., 0.05, 0.02, 0.3, 0, 0, 9.8756, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .lower = 95., .upper = 105., .cash =
      10.}},
    {"DBLBIN-065", 80., 0.05, 0.02, 0.1, 0, 0, 0.0000, 1e-4,
     {.expiry = 0.25, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .lower = 95., .upper = 105., .cash =
      10.}},
    {"DIGI-AM-001", 105., 0.1, 0., 0.2, 0, 0, 9.7264, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_DOWN, .cash = 15, .pay_at = PAY_AT_HIT}},
    {"DIGI-AM-002", 95., 0.1, 0., 0.2, 0, 0, 11.6553, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_UP, .cash = 15, .pay_at = PAY_AT_HIT}},
    {"DIGI-AM-005", 105., 0.1, 0.2, 0.2, 0, 0, 12.2715, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_DOWN, .cash = 15, .pay_at = PAY_AT_HIT}},
    {"DIGI-AM-007", 105., 0.1, 0.2, 0.2, 0, 0, 15, 1e-16,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_UP, .cash = 15, .pay_at = PAY_AT_HIT}},
    {"DIGI-AM-008", 95., 0.1, 0.2, 0.2, 0, 0, 15, 1e-16,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_DOWN, .cash = 15, .pay_at = PAY_AT_HIT}},
    {"DIGI-AM-017", 105., 0.1, 0., 0.2, 0, 0, 9.3604, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_DOWN, .cash = 15}},
    {"DIGI-AM-018", 95., 0.1, 0., 0.2, 0, 0, 11.2223, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_UP, .cash = 15}},
    {"DIGI-AM-019", 105., 0.1, 0., 0.2, 0, 0, 4.9081, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .barrier = 100., .direction =
      DIRECTION_DOWN, .cash = 15}},
    {"DIGI-AM-021", 105., 0.1, 0., 0.2, 0, 0, 14.2684413675107, 1e-12,
     {.expiry = 0.5, .product = PRODUCT_TOUCH, .touch = TOUCH_ONE, .barrier = 100., .direction =
      DIRECTION_UP, .cash = 15}},
    {"DIGI-AM-023", 2.33, 0.43, 0.07, 0.005, 0, 0, 0, 1e-4,
     {.expiry = 0.19, .product = PRODUCT_TOUCH, .touch = TOUCH_NO, .barrier = 2.37, .direction =
      DIRECTION_UP, .cash = 15}},
    {"DIGI-EU-001", 100, 0.06, 0.06, 0.35, 0, 0, 2.6710, 1e-4,
     {.expiry = 0.75, .product = PRODUCT_DIGITAL, .option = OPTION_PUT, .strike = 80, .cash = 10}},
    {"DIGI-EU-002", 70, 0.07, 0.05, 0.27, 0, 0, 20.2069, 1e-4,
     {.expiry = 0.5, .product = PRODUCT_DIGITAL, .option = OPTION_PUT, .strike = 65, .payout =
      PAYOUT_ASSET}},
    {"FWDSTART-001", 60, 0.08, 0.04, 0.3, 0, 0, 4.4064, 1e-4,
     {.expiry = 1, .product = PRODUCT_FORWARD_START, .start = 0.25, .strike_ratio = 1.1}},
    {"FWDSTART-002", 60, 0.08, 0.04, 0.3, 0, 0, 8.2971, 1e-4,
     {.expiry = 1, .product = PRODUCT_FORWARD_START, .option = OPTION_PUT, .start = 0.25, .strike_ratio =
      1.1}},
    {"LB-FIX-001", 100., 0.1, 0., 0.1, 0, 0, 13.2687, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 95}},
    {"LB-FIX-002", 100., 0.1, 0., 0.2, 0, 0, 18.9263, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 95}},
    {"LB-FIX-003", 100., 0.1, 0., 0.3, 0, 0, 24.9857, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 95}},
    {"LB-FIX-004", 100., 0.1, 0., 0.1, 0, 0, 8.5126, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 100}},
    {"LB-FIX-005", 100., 0.1, 0., 0.2, 0, 0, 14.1702, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 100}},
    {"LB-FIX-007", 100., 0.1, 0., 0.1, 0, 0, 4.3908, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 105}},
    {"LB-FIX-010", 100., 0.1, 0., 0.1, 0, 0, 18.3241, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 95}},
    {"LB-FIX-011", 100., 0.1, 0., 0.2, 0, 0, 26.0731, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 95}},
    {"LB-FIX-013", 100., 0.1, 0., 0.1, 0, 0, 13.8000, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 100}},
    {"LB-FIX-015", 100., 0.1, 0., 0.3, 0, 0, 30.1874, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 100}},
    {"LB-FIX-016", 100., 0.1, 0., 0.1, 0, 0, 9.5445, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 105}},
    {"LB-FIX-018", 100., 0.1, 0., 0.3, 0, 0, 25.9002, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike = 105}},
    {"LB-FIX-021", 100., 0.1, 0., 0.3, 0, 0, 8.9213, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 95}},
    {"LB-FIX-022", 100., 0.1, 0., 0.1, 0, 0, 3.3917, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 100}},
    {"LB-FIX-023", 100., 0.1, 0., 0.2, 0, 0, 8.3177, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 100}},
    {"LB-FIX-024", 100., 0.1, 0., 0.3, 0, 0, 13.1579, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 100}},
    {"LB-FIX-025", 100., 0.1, 0., 0.1, 0, 0, 8.1478, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 105}},
    {"LB-FIX-026", 100., 0.1, 0., 0.2, 0, 0, 13.0739, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 105}},
    {"LB-FIX-028", 100., 0.1, 0., 0.1, 0, 0, 1.0534, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 95}},
    {"LB-FIX-030", 100., 0.1, 0., 0.3, 0, 0, 12.2376, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 95}},
    {"LB-FIX-031", 100., 0.1, 0., 0.1, 0, 0, 3.8079, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 100}},
    {"LB-FIX-032", 100., 0.1, 0., 0.2, 0, 0, 10.1294, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 100}},
    {"LB-FIX-035", 100., 0.1, 0., 0.2, 0, 0, 14.6536, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 100, .strike = 105}},
    {"LB-FLOAT-001", 120., 0.1, 0.06, 0.3, 0, 0, 25.3533, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike_type = STRIKE_FLOATING}},
    {"LB-FLOAT-002", 100., 0.05, 0., 0.3, 0, 0, 23.7884, 1.0e-4,
     {.expiry = 1., .product = PRODUCT_LOOKBACK, .extreme = 100, .strike_type = STRIKE_FLOATING}},
    {"LB-FLOAT-003", 100., 0.05, 0., 0.3, 0, 0, 10.7190, 1.0e-4,
     {.expiry = 0.2, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike_type = STRIKE_FLOATING}},
    {"LB-FLOAT-004", 110., 0.05, 0., 0.3, 0, 0, 14.4597, 1.0e-4,
     {.expiry = 0.2, .product = PRODUCT_LOOKBACK, .extreme = 100, .strike_type = STRIKE_FLOATING}},
    {"LB-FLOAT-006", 100., 0.1, 0., 0.3, 0, 0, 16.8468, 1.0e-4,
     {.expiry = 0.5, .product = PRODUCT_LOOKBACK, .option = OPTION_PUT, .extreme = 110, .strike_type =
      STRIKE_FLOATING}},
};
/* clang-format on */

static void test_published_prices(void **state)
{
    (void)state;
    double times[64 * 16];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct fixture f;
        struct trade trade = row->trade;
        struct schedule dates = {.continuous = true};
        fixture_flat(&f, row->spot, row->rate, row->yield, row->volatility);
        if (row->dates) dates = fixture_dates(times, row->dates, row->first, trade.expiry);
        *(trade.product == PRODUCT_ASIAN ? &trade.fixings : &trade.monitoring) = dates;
        double price = fixture_price(&f, &trade).price;
        if (!(fabs(price - row->expected) <= 1.01 * row->tolerance)) print_message("%s\n", row->id);
        assert_close(price, row->expected, 1.01 * row->tolerance);
    }
}

TESTS(reference_published_test, cmocka_unit_test(test_published_prices))
