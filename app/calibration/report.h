/* What a person sees of a fit: parameters, every quote and a plot of each expiry; the same quotes as a table
 * for other programs; and the model as a piece of a book. */
#ifndef PRICER_APP_CALIBRATION_REPORT_H
#define PRICER_APP_CALIBRATION_REPORT_H

#include <stdio.h>

#include "app/calibration/fit.h"

/* A fit with what belongs to it. */
struct calibration {
    const char *asset; /* its name */
    struct quotes quotes;
    struct fit fit;
    double checked; /* largest difference to the reference, annual volatility */
    double seconds;
};

void report_print(FILE *out, const struct calibration *calibration);

/* `asset,model,expiry,strike,market,model,difference_bp,used`: header, then a row for each quote. */
void report_csv_header(FILE *out);
void report_csv(FILE *out, const struct calibration *calibration);

/* The keys `model`, `heston` and (bates) `jumps`, under a comment that says how `file` is included in `book`.
 */
void report_book(FILE *out, const struct calibration *calibration, const char *book, const char *file);

#endif
