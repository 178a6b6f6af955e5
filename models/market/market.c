#include "models/market/market.h"

#include <stdlib.h>

void market_free(struct market *market)
{
    for (int i = 0; i < market->n_currencies; i++) {
        free(market->currencies[i].name);
        term_free(&market->currencies[i].rate);
    }
    for (int i = 0; i < market->n_assets; i++) {
        free(market->assets[i].name);
        term_free(&market->assets[i].yield);
        term_free(&market->assets[i].variance);
    }
    free(market->currencies);
    free(market->assets);
    free(market->correlation);
    *market = (struct market){0};
}

const char *model_name(enum model model)
{
    static const char *const names[N_MODELS] = {
#define MODEL(NAME, name) [MODEL_##NAME] = name,
#include "models/dynamics/models.def"
#undef MODEL
    };
    return names[model];
}
