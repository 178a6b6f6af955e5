/* What a person sees of a fit: parameters, every quote and a plot of each expiry; the same quotes
 * as a table for other programs; and the model as a piece of a book. */
#ifndef PRICER_APP_COMMAND_CALIBRATION_REPORT_H
#define PRICER_APP_COMMAND_CALIBRATION_REPORT_H

#include <stdio.h>

#include "app/pricing/calibration/model_fit.h"

/* A fit with what belongs to it. */
struct calibration {
    int index;         /* of the asset in the market */
    const char *asset; /* its name */
    char *file;        /* to include; owned */
    const char *book;  /* that it is to be included in */
    struct surface_quotes quotes;
    struct model_fit fit;
    bool done; /* with success */
    double seconds;
};

void calibration_print(FILE *out, const struct calibration *calibration);

/* Writes a row of CALIBRATION_CSV_HEADER for each quote. */
#define CALIBRATION_CSV_HEADER                                                                     \
    "asset,model,expiry,strike,market_volatility,model_volatility,difference_bp,used\n"
void calibration_csv(FILE *out, const struct calibration *calibration);

/* Writes the keys `model`, `heston` and (bates) `jumps` of a struct calibration, under a comment
 * that says how the file is included in the book. */
void calibration_book(FILE *out, const void *calibration);

#endif
