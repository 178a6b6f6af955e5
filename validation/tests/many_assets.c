#include "validation/tests/many_assets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Path code has no room for the observers of a basket of more beside the autocallable's. */
enum { BASKET_ASSETS = 24 };

/* What asset i has of three things that move all, made up. */
static double weight(int i, int thing)
{
    return 0.1 * ((7 * i * i + 5 * thing * i + 3 * thing) % 19) - 0.7;
}

static double correlated_anyhow(int i, int j)
{
    double both = 0.0, own_i = 1.0, own_j = 1.0;
    for (int thing = 0; thing < 3; thing++) {
        both += weight(i, thing) * weight(j, thing);
        own_i += weight(i, thing) * weight(i, thing);
        own_j += weight(j, thing) * weight(j, thing);
    }
    return both / sqrt(own_i * own_j);
}

/* Returns the correlation of assets i > j. */
static double correlation_of(int i, int j, enum many_correlations how)
{
    switch (how) {
    case CORRELATED_HALF: return 0.5;
    case CORRELATED_ANYHOW: return correlated_anyhow(i, j);
    case CORRELATED_IN_FAMILIES: return i % 3 == j % 3 ? 0.6 : 0.0;
    case TWO_THE_SAME: return i == 1 ? 1.0 : j < 2 ? 0.0 : -0.02;
    }
    abort();
}

static void write_assets(FILE *to, int n, const char *model, enum many_correlations how)
{
    for (int i = 0; i < n; i++)
        fprintf(to, "%s{ name = \"A%d\"; currency = \"USD\"; spot = %d.0; %s }", i ? ", " : "", i,
                90 + i, model);
    fprintf(to, " );\ncorrelations = (");
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            fprintf(to, "%s{ assets = [\"A%d\", \"A%d\"]; value = %.12f; }", i + j > 1 ? ", " : "",
                    i, j, correlation_of(i, j, how));
    fprintf(to, ");\n};\n");
}

static void write_names(FILE *to, int n)
{
    fprintf(to, "assets = [");
    for (int i = 0; i < n; i++) fprintf(to, "%s\"A%d\"", i ? ", " : "", i);
    fprintf(to, "]; ");
}

static void write_book(FILE *to, int n, const char *model, enum many_correlations how)
{
    fprintf(to, "settings = { paths = 16384; max_step = 0.04; };\n"
                "market = { correlation_default = 0; currencies = ( { name = \"USD\"; rate = 0.03; "
                "} );\nassets = ( ");
    write_assets(to, n, model, how);
    fprintf(to, "book = { trades = ( { id = \"worst\"; type = \"autocallable\"; ");
    write_names(to, n);
    fprintf(to, "notional = 100; observation_times = [0.25, 0.5, 0.75, 1.0]; call_level = 1.02; "
                "coupon = 0.03; protection_level = 0.7; expiry = 1.0; }");
    if (n > 1 && n <= BASKET_ASSETS) {
        fprintf(to, ", { id = \"basket\"; type = \"basket\"; kind = \"average\"; ");
        write_names(to, n);
        fprintf(to, "option = \"call\"; strike = 100.0; expiry = 1.0; }");
    }
    fprintf(to, " ); };\n");
}

void many_assets_load(int n, const char *model, enum many_correlations how, struct book *book)
{
    char *text = NULL;
    size_t length;
    struct complaints complaints = {0};
    FILE *file = open_memstream(&text, &length);
    if (!file) abort();
    write_book(file, n, model, how);
    if (fclose(file) || book_load_text(text, book, &complaints)) abort();
    free(text);
}
