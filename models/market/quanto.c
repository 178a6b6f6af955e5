#include "models/market/quanto.h"

#include "models/market/market.h"

int quanto_compare(const struct quanto *a, const struct quanto *b)
{
    for (int i = 0; i < a->n && i < b->n; i++)
        if (a->fx[i] != b->fx[i]) return a->fx[i] - b->fx[i];
    return a->n - b->n;
}

int other_currency(const struct asset *fx, int currency)
{
    if (fx->foreign_currency < 0) return -1;
    return fx->currency == currency           ? fx->foreign_currency
           : fx->foreign_currency == currency ? fx->currency
                                              : -1;
}

int quanto_currency(const struct asset *assets, const struct quanto *quanto)
{
    const struct asset *first = &assets[quanto->fx[0]];
    int paid = first->currency;
    if (quanto->n > 1 && other_currency(&assets[quanto->fx[1]], paid) < 0)
        paid = first->foreign_currency;
    for (int i = 1; i < quanto->n; i++)
        if (other_currency(&assets[quanto->fx[i]], paid) < 0) return -1;
    return paid;
}

int quanto_rate(const struct asset *assets, const struct quanto *quanto, int asset)
{
    if (!quanto->n) return -1;
    int paid = quanto_currency(assets, quanto), own = assets[asset].currency;
    if (own == paid) return -1;
    for (int i = 0; i < quanto->n; i++)
        if (other_currency(&assets[quanto->fx[i]], own) == paid) return quanto->fx[i];
    return quanto->fx[0];
}

double worth_correlation(const struct market *market, int asset, int fx)
{
    double correlation = market->correlation[asset * market->n_assets + fx];
    return market->assets[fx].foreign_currency == market->assets[asset].currency ? correlation
                                                                                 : -correlation;
}
