#include "app/config/read_market.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "models/market/correlation.h"

static const struct key pair_keys[] = {
    KEY_DEFERRED("assets", FORM_TEXTS, "the names of the two"),
    {"value", KEY_KIND_NUMBER, FROM(-1, 1),
     .meaning = "their correlation; those of pairs that trades need are listed"},
};
const struct key_table pair_table =
    KEY_TABLE("a correlation", pair_keys, .required = "assets value");

enum { IMPLIED = -1 }; /* in the place of a line: the legs of a cross say the correlation */

/* Returns where the line stands that gives the correlation of two assets. */
static int *pair_line(const struct reader *reader, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return &reader->pair_lines[(size_t)low * (size_t)reader->n_assets + (size_t)high];
}

/* Reads the two assets of a pair, by index. Past returns that are drawn again have no normals to be
 * correlated. */
static bool read_pair(struct reader *reader, const config_setting_t *at, int pair[2])
{
    char got[VALUE_ROOM];
    if (!config_setting_is_list(at) || config_setting_length(at) != 2) {
        complain(reader, at, "assets must be two names [\"A\", \"B\"], got %s",
                 show_value(at, got));
        return false;
    }
    for (int i = 0; i < 2; i++) pair[i] = read_reference(reader, element_of(at, i), false);
    if (pair[0] < 0 || pair[1] < 0) return false;
    const struct asset *first = &reader->assets[pair[0]], *second = &reader->assets[pair[1]];
    const struct asset *historical = first->model == MODEL_HISTORICAL    ? first
                                     : second->model == MODEL_HISTORICAL ? second
                                                                         : NULL;
    if (first == second)
        complain(reader, at, "assets must be two different ones, got '%s' twice", first->name);
    else if (historical)
        complain(reader, at,
                 "assets of a correlation cannot have model = \"historical\", as '%s' has",
                 historical->name);
    else return true;
    return false;
}

/* Reads one correlation; `paired` says which assets stand in a pair. */
static void read_correlation(struct reader *reader, const config_setting_t *group,
                             struct market *market, bool *paired)
{
    double value = 0.0;
    int pair[2];
    const config_setting_t *assets = member_of(group, "assets");
    read_group(reader, &pair_table, group, &value);
    if (!assets || !read_pair(reader, assets, pair)) return;
    int *line = pair_line(reader, pair[0], pair[1]);
    if (*line) {
        complain(reader, group,
                 "the correlation of '%s' and '%s' is given on line %d already: leave one out",
                 reader->assets[pair[0]].name, reader->assets[pair[1]].name, *line);
        return;
    }
    *line = setting_location(reader, group).line;
    size_t n = (size_t)market->n_assets, i = (size_t)pair[0], j = (size_t)pair[1];
    market->correlation[i * n + j] = market->correlation[j * n + i] = value;
    paired[i] = paired[j] = true;
}

/* ---- whether there is such a market ---------------------------------------------------------- */

enum { EIGENVALUES_MAX = 256 }; /* assets: the time of it grows as their cube */

/* Returns the block of the assets that stand in a pair, [n][n]; the others are independent; behind
 * it there is room for its loadings. NULL without memory. */
static double *paired_block(struct reader *reader, const struct market *market, const bool *paired,
                            int *n)
{
    size_t width = (size_t)market->n_assets, size = 0, k = 0;
    for (size_t i = 0; i < width; i++) size += paired[i];
    double *block = reader_array(reader, 2 * size * size, sizeof *block);
    for (size_t i = 0; block && i < width; i++)
        for (size_t j = 0; paired[i] && j < width; j++)
            if (paired[j]) block[k++] = market->correlation[i * width + j];
    *n = (int)size;
    return block;
}

/* Complains of a matrix that no market has: which pair the others leave no room for, and which
 * values they would. */
static void judge(struct reader *reader, const config_setting_t *at, const struct market *market,
                  const bool *paired, int n, double *block)
{
    static const double rounding = 1e-9; /* of an eigenvalue that should be zero */
    double least = -HUGE_VAL, *loadings = block + (size_t)n * (size_t)n;
    char pair[2 * NAME_BYTES + 128] = "", scaled[128] = "";
    struct correlation_fault fault;
    bool possible = correlation_loadings(n, block, loadings, &fault) == STATUS_OK;
    bool definite = true; /* beyond all doubt: no column of the factor is empty */
    for (size_t i = 0; possible && i < (size_t)n; i++)
        definite &= loadings[i * (size_t)n + i] != 0.0;
    if (possible && (n > EIGENVALUES_MAX || definite)) return;
    if (n <= EIGENVALUES_MAX) note_memory(reader, correlation_least_eigenvalue(n, block, &least));
    if (possible && least >= -rounding) return;
    int assets[2] = {0}, k = 0;
    for (int i = 0; !possible && i < market->n_assets; i++) {
        if (!paired[i]) continue;
        if (k == fault.j) assets[0] = i;
        if (k++ == fault.i) assets[1] = i;
    }
    if (!possible)
        snprintf(pair, sizeof pair,
                 ": beside the others that of '%s' and '%s' must be from %.4f to %.4f, got %.10g",
                 market->assets[assets[0]].name, market->assets[assets[1]].name,
                 ceil(fault.low * 1e4) / 1e4, floor(fault.high * 1e4) / 1e4,
                 market->correlation[assets[0] * market->n_assets + assets[1]]);
    if (n <= EIGENVALUES_MAX)
        snprintf(scaled, sizeof scaled,
                 "%s every value times %.4f would be right (their least eigenvalue is %.4g)",
                 possible ? ":" : "; or", floor(1e4 / (1.0 - least)) / 1e4, least);
    complain(reader, at, "correlations are not positive semi-definite%s%s", pair, scaled);
}

/* Gives all pairs one correlation, to begin with: the default, where there is one. */
static void set_all(struct market *market, double value, bool *paired)
{
    size_t n = (size_t)market->n_assets;
    for (size_t i = 0; i < n; i++) {
        bool has = market->assets[i].model != MODEL_HISTORICAL;
        paired[i] = has && value != 0.0;
        for (size_t j = 0; has && j < i; j++)
            if (market->assets[j].model != MODEL_HISTORICAL)
                market->correlation[i * n + j] = market->correlation[j * n + i] = value;
        market->correlation[i * n + i] = 1.0;
    }
}

/* ---- what the legs of a cross say -------------------------------------------------------------
 */

/* Tells whether all correlations of asset i are those that its legs imply. */
static bool is_implied(const struct reader *reader, int i)
{
    return *pair_line(reader, i, i) == IMPLIED;
}

static void set_implied(struct reader *reader, struct market *market, int i, int j, double value)
{
    market->correlation[i * market->n_assets + j] = value;
    market->correlation[j * market->n_assets + i] = value;
    *pair_line(reader, i, j) = IMPLIED;
}

/* Sets the correlation of two legs that is not listed to that which their cross has, and finds the
 * crosses that take all theirs from their legs: those that stand in no pair, and whose volatility
 * the legs make. Such a one is a part of the legs' noise: it is as possible as they are. */
static void find_implied(struct reader *reader, struct market *market, bool *paired)
{
    for (int i = 0; i < market->n_assets; i++) {
        const struct asset *assets = market->assets;
        int a = assets[i].cross.legs[0], b = assets[i].cross.legs[1], listed = 0;
        if (!has_crossed_volatility(&assets[i]) || !assets[i].variance.n) continue;
        if (!has_crossed_volatility(&assets[a]) && !has_crossed_volatility(&assets[b]) &&
            !*pair_line(reader, a, b)) {
            set_implied(reader, market, a, b, assets[i].cross.correlation);
            paired[a] = paired[b] = true;
        }
        for (int k = 0; k < market->n_assets; k++) listed += *pair_line(reader, i, k) > 0;
        if (listed) continue;
        *pair_line(reader, i, i) = IMPLIED;
        paired[i] = false;
    }
}

/* Gives each such cross the correlations that its legs imply, where theirs are known. */
static void imply_correlations(struct reader *reader, struct market *market)
{
    for (int i = 0; i < market->n_assets; i++) {
        const int *legs = market->assets[i].cross.legs;
        for (int k = 0; is_implied(reader, i) && k < market->n_assets; k++) {
            bool later = k > i && is_implied(reader, k); /* the legs of k imply it */
            if (k == i || later || market->assets[k].model == MODEL_HISTORICAL) continue;
            if (lacks_correlation(reader, legs[0], k) || lacks_correlation(reader, legs[1], k))
                continue;
            set_implied(reader, market, i, k, implied_correlation(market, i, k));
        }
    }
}

void read_correlations(struct reader *reader, const config_setting_t *list,
                       const config_setting_t *general, double value, struct market *market)
{
    size_t n = (size_t)market->n_assets;
    bool *paired = reader_array(reader, n, sizeof *paired);
    if (n) market->correlation = reader_array(reader, n * n, sizeof *market->correlation);
    if (n) reader->pair_lines = reader_array(reader, n * n, sizeof *reader->pair_lines);
    reader->default_correlation = general != NULL;
    int before = reader->complaints->n;
    if (!reader->status && n) {
        set_all(market, value, paired);
        bool listed = expect_list(reader, list);
        for (int i = 0; listed && i < config_setting_length(list); i++)
            read_correlation(reader, element_of(list, i), market, paired);
        find_implied(reader, market, paired);
        imply_correlations(reader, market);
        bool given = reader->complaints->n == before && (list || general);
        int n_paired;
        double *block = given ? paired_block(reader, market, paired, &n_paired) : NULL;
        if (block) judge(reader, list ? list : general, market, paired, n_paired, block);
        free(block);
    }
    free(paired);
}

/* ---- what trades need of it ------------------------------------------------------------------ */

/* Tells whether paths of an asset are made of normals; of one whose volatility is missing, which
 * has been complained of, there are none. */
static bool has_normals(const struct asset *asset)
{
    return asset->model != MODEL_HISTORICAL &&
           (asset->variance.n || asset->model != MODEL_BLACK_SCHOLES);
}

bool lacks_correlation(const struct reader *reader, int a, int b)
{
    return !reader->default_correlation && a != b && !*pair_line(reader, a, b) &&
           has_normals(&reader->assets[a]) && has_normals(&reader->assets[b]);
}

/* Returns which asset's correlation with asset b is to be listed where that of a is missing: a, or
 * the leg of it that lacks one. */
static int to_be_listed(const struct reader *reader, int a, int b)
{
    while (is_implied(reader, a)) {
        const int *legs = reader->assets[a].cross.legs;
        a = legs[!lacks_correlation(reader, legs[0], b)];
    }
    return a;
}

void check_correlations(struct reader *reader, const config_setting_t *at,
                        const struct trade *trade)
{
    enum { PAIRS_SHOWN = 6 };
    char pairs[PAIRS_SHOWN * (2 * NAME_BYTES + 16)] = "";
    int n = 0, first[2] = {0};
    if (!reader->pair_lines || !reader->n_assets) return;
    for (int i = 0; i < trade->n_assets; i++)
        for (int j = i + 1; j <= trade->n_assets; j++) {
            int a = trade->assets[i], b = j < trade->n_assets
                                              ? trade->assets[j]
                                              : quanto_rate(reader->assets, &trade->quanto, a);
            if (b < 0 || !lacks_correlation(reader, a, b)) continue;
            if (!n) first[0] = to_be_listed(reader, a, b);
            if (!n) first[1] = to_be_listed(reader, b, first[0]);
            size_t used = strlen(pairs);
            if (n++ < PAIRS_SHOWN)
                snprintf(pairs + used, sizeof pairs - used, "%s'%s' and '%s'", used ? ", " : "",
                         reader->assets[a].name, reader->assets[b].name);
        }
    if (n)
        complain(reader, at,
                 "the correlation of %s%s is missing: write { assets = [\"%s\", \"%s\"]; value = "
                 "...; } in market.correlations, or correlation_default in market for all pairs "
                 "that are not listed",
                 pairs, n > PAIRS_SHOWN ? " and others" : "", reader->assets[first[0]].name,
                 reader->assets[first[1]].name);
}
