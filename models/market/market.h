/* The market of a night: currencies with their discount curves, assets with their spot, yield and volatility.
 */
#ifndef PRICER_MODELS_MARKET_MARKET_H
#define PRICER_MODELS_MARKET_MARKET_H

#include "models/market/term_structure.h"

enum model {
#define MODEL(NAME, name) MODEL_##NAME,
#include "models/dynamics/models.def"
#undef MODEL
    N_MODELS
};

struct currency {
    char *name;
    struct term_structure rate; /* minus log of the discount factor */
};

struct asset {
    char *name;
    int currency;         /* index into market.currencies: what the spot and the trades on it are paid in */
    int foreign_currency; /* index of the foreign currency of an FX rate, -1 for any other asset */
    double spot;          /* > 0, in its currency (FX: domestic money for one unit of foreign money) */
    enum model model;
    struct term_structure
        yield; /* dividend yield, or the foreign rate of an FX rate (Garman and Kohlhagen 1983) */
    struct term_structure variance; /* total Black variance */
};

/* Correlations are held as the full matrix [asset][asset], unit diagonal, row by row. */
struct market {
    int n_currencies;
    struct currency *currencies;
    int n_assets;
    struct asset *assets;
    double *correlation;
};

void market_free(struct market *market);

/* Name of a model as a book writes it. */
const char *model_name(enum model model);

#endif
