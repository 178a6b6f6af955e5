#include "app/config/read_market.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/config/tables.h"
#include "app/config/values.h"
#include "models/market/correlation.h"

enum { PAIR_ASSETS, PAIR_VALUE, N_PAIR_KEYS };

static const struct key pair_keys[N_PAIR_KEYS] = {
    [PAIR_ASSETS] = {"assets", KEY_KIND_DEFERRED, .forms = FORM_TEXTS,
                     .meaning = "the names of the two"},
    [PAIR_VALUE] = {"value",
                    KEY_KIND_NUMBER,
                    0,
                    {RANGE_FROM, -1, 1},
                    .meaning = "their correlation; pairs that are not listed have 0"},
};
const struct key_table pair_table = {"a correlation", N_PAIR_KEYS, pair_keys,
                                     .required = "assets value"};

/* Reads the two assets of a pair, by index. */
static bool read_pair(struct reader *reader, const config_setting_t *at, int pair[2])
{
    char got[VALUE_ROOM];
    if (!config_setting_is_list(at) || config_setting_length(at) != 2) {
        complain(reader, at, "assets must be two names [\"A\", \"B\"], got %s",
                 show_value(at, got));
        return false;
    }
    for (int i = 0; i < 2; i++)
        pair[i] = read_asset(reader, config_setting_get_elem((config_setting_t *)at, (unsigned)i),
                             "assets");
    if (pair[0] < 0 || pair[1] < 0) return false;
    if (pair[0] != pair[1]) return true;
    complain(reader, at, "assets must be two different ones, got '%s' twice",
             reader->assets[pair[0]].name);
    return false;
}

/* Tells whether a pair is given for the first time, and complains where it is not; `lines` maps
 * "low high" to the line of the first. */
static bool is_new_pair(struct reader *reader, const config_setting_t *group, const int pair[2],
                        struct names *lines, char *key)
{
    int low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
    snprintf(key, 24, "%d %d", low, high);
    int line = names_find(lines, key);
    if (line >= 0)
        complain(reader, group,
                 "the correlation of '%s' and '%s' is given on line %d already: leave one out",
                 reader->assets[low].name, reader->assets[high].name, line);
    else if (names_add(lines, key, setting_location(reader, group).line))
        reader->status = STATUS_NO_MEMORY;
    return line < 0;
}

/* Tells whether the asset has normals to be correlated: past returns that are drawn again have
 * none. */
static bool has_normals(struct reader *reader, const config_setting_t *at, const int pair[2])
{
    for (int i = 0; i < 2; i++) {
        const struct asset *asset = &reader->assets[pair[i]];
        if (asset->model != MODEL_HISTORICAL) continue;
        complain(reader, at,
                 "assets of a correlation cannot have model = \"historical\", as '%s' has",
                 asset->name);
        return false;
    }
    return true;
}

/* Reads one correlation; `paired` says which assets stand in a pair. */
static void read_correlation(struct reader *reader, const config_setting_t *group,
                             struct market *market, struct names *lines, char *key, bool *paired)
{
    double value = 0.0;
    int pair[2];
    struct found_keys found;
    read_group(reader, &pair_table, group, &value, &found);
    if (!found.at[PAIR_ASSETS] || !read_pair(reader, found.at[PAIR_ASSETS], pair)) return;
    if (!has_normals(reader, found.at[PAIR_ASSETS], pair)) return;
    if (!is_new_pair(reader, group, pair, lines, key)) return;
    size_t n = (size_t)market->n_assets, i = (size_t)pair[0], j = (size_t)pair[1];
    market->correlation[i * n + j] = market->correlation[j * n + i] = value;
    paired[i] = paired[j] = true;
}

/* ---- whether there is such a market ---------------------------------------------------------- */

enum { EIGENVALUES_MAX = 256 }; /* assets: the time of it grows as their cube */

/* Returns the block of the assets that stand in a pair, [n][n]; the others are independent. NULL
 * without memory. */
static double *paired_block(const struct market *market, const bool *paired, int *n)
{
    size_t width = (size_t)market->n_assets, size = 0, k = 0;
    for (size_t i = 0; i < width; i++) size += paired[i];
    double *block = malloc((size * size + 1) * sizeof *block);
    for (size_t i = 0; block && i < width; i++)
        for (size_t j = 0; paired[i] && j < width; j++)
            if (paired[j]) block[k++] = market->correlation[i * width + j];
    *n = (int)size;
    return block;
}

/* Tells whether the matrix is positive definite beyond all doubt: no column of the factor is
 * empty. */
static bool is_definite(int n, const double *loadings)
{
    for (int i = 0; i < n; i++)
        if (loadings[(size_t)i * (size_t)n + (size_t)i] == 0.0) return false;
    return true;
}

static void judge(struct reader *reader, const config_setting_t *list, int n, const double *block,
                  double *loadings)
{
    static const double rounding = 1e-9; /* of an eigenvalue that should be zero */
    double least;
    bool possible = correlation_loadings(n, block, loadings) == STATUS_OK;
    if (possible && (n > EIGENVALUES_MAX || is_definite(n, loadings))) return;
    if (n > EIGENVALUES_MAX)
        complain(
            reader, list,
            "correlations are not positive semi-definite: their least eigenvalue is below zero");
    else if (correlation_least_eigenvalue(n, block, &least)) reader->status = STATUS_NO_MEMORY;
    else if (!possible || least < -rounding)
        complain(reader, list,
                 "correlations are not positive semi-definite: their least eigenvalue is %.4g; "
                 "every value times "
                 "%.4f would be right",
                 least, floor(1e4 / (1.0 - least)) / 1e4);
}

static void check_semi_definite(struct reader *reader, const config_setting_t *list,
                                const struct market *market, const bool *paired)
{
    int n;
    double *block = paired_block(market, paired, &n);
    double *loadings = malloc(((size_t)n * (size_t)n + 1) * sizeof *loadings);
    if (block && loadings) judge(reader, list, n, block, loadings);
    else reader->status = STATUS_NO_MEMORY;
    free(block);
    free(loadings);
}

void read_correlations(struct reader *reader, const config_setting_t *list, struct market *market)
{
    size_t n = (size_t)market->n_assets;
    market->correlation = n ? calloc(n * n, sizeof *market->correlation) : NULL;
    if (n && !market->correlation) reader->status = STATUS_NO_MEMORY;
    if (!market->correlation) return;
    for (size_t i = 0; i < n; i++) market->correlation[i * n + i] = 1.0;
    if (!list || !expect_list(reader, list, "correlations")) return;
    int pairs = config_setting_length(list);
    struct names lines = {0};
    char(*keys)[24] = calloc((size_t)pairs + 1, sizeof *keys);
    bool *paired = calloc(n, sizeof *paired);
    int before = reader->complaints->n;
    if (!keys || !paired) reader->status = STATUS_NO_MEMORY;
    for (int i = 0; keys && paired && i < pairs; i++)
        read_correlation(reader, config_setting_get_elem((config_setting_t *)list, (unsigned)i),
                         market, &lines, keys[i], paired);
    if (paired && reader->complaints->n == before)
        check_semi_definite(reader, list, market, paired);
    names_free(&lines);
    free(paired);
    free(keys);
}
