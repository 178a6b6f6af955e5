/* Volatility surfaces: by strike, { times; strikes; vols }, and by delta, { times; atm; rr25; bf25;
 * rr10; bf10; delta; premium_adjusted; at_the_money; butterfly }. */
#include "app/config/read_market.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "models/market/delta_quotes.h"
#include "models/market/surface.h"

static const struct value_range surface_time = {RANGE_ABOVE, 0, 100};
static const struct value_range strike_range = {RANGE_ABOVE, 0, 0};
static const struct value_range volatility_range = {RANGE_FROM, LEAST_VOLATILITY, MOST_VOLATILITY};

static const struct key surface_keys[] = {
    KEY_TIMES("expiries, increasing"),
    KEY_DEFERRED("strikes", FORM_NUMBERS, "increasing"),
    KEY_DEFERRED("vols", FORM_ROWS,
                 "implied volatilities: a row for each time, a number in it for each strike"),
};
const struct key_table surface_table =
    KEY_TABLE("a volatility surface", surface_keys, .required = "times strikes vols",
              .alternative = &delta_table);

/* Reads volatilities: a row for each time, a number in it for each strike. */
static bool read_rows(struct reader *reader, const config_setting_t *rows, struct surface *surface)
{
    char got[VALUE_ROOM];
    int n = config_setting_is_list(rows) ? config_setting_length(rows) : -1;
    size_t width = (size_t)surface->n_strikes;
    if (n >= 0) snprintf(got, sizeof got, "%d", n);
    if (n != surface->n_times)
        complain(reader, rows,
                 "vols must be a list ( [...], ... ) of %d rows, one for each time, got %s",
                 surface->n_times, n >= 0 ? got : show_value(rows, got));
    else surface->vols = reader_array(reader, (size_t)n * width, sizeof *surface->vols);
    bool good = surface->vols;
    for (int i = 0; surface->vols && i < n; i++) {
        const config_setting_t *row = element_of(rows, i);
        int length = config_setting_is_list(row) ? config_setting_length(row) : -1;
        double *vols = NULL;
        if (length >= 0) snprintf(got, sizeof got, "%d", length);
        if (length != surface->n_strikes)
            complain(reader, row,
                     "row %d of vols must be a list of %d, one for each strike, got %s", i + 1,
                     surface->n_strikes, length >= 0 ? got : show_value(row, got));
        else vols = read_numbers(reader, row, volatility_range, &length);
        if (!i) note_per_cent(reader, row, length, vols, DOUBTFUL_VOLATILITY); /* one row will do */
        if (vols) memcpy(surface->vols + (size_t)i * width, vols, width * sizeof *vols);
        good &= vols != NULL;
        free(vols);
    }
    return good;
}

static void empty_surface(struct surface *surface)
{
    free(surface->times);
    free(surface->strikes);
    free(surface->vols);
    *surface = (struct surface){0};
}

void read_surface(struct reader *reader, const config_setting_t *at, struct surface *surface)
{
    read_group(reader, &surface_table, at, NULL);
    const config_setting_t *vols = member_of(at, "vols");
    surface->times = read_times(reader, member_of(at, "times"), surface_time, &surface->n_times);
    surface->strikes =
        read_rising(reader, member_of(at, "strikes"), strike_range, &surface->n_strikes);
    bool good = surface->times && surface->strikes && vols && read_rows(reader, vols, surface);
    if (!good) empty_surface(surface);
}

/* ---- by delta -------------------------------------------------------------------------------- */

static const struct value_range any_volatility = {RANGE_FROM, -MOST_VOLATILITY, MOST_VOLATILITY};

/* Quotes by delta while they are read. */
struct delta_reading {
    struct reader *reader;
    const config_setting_t *group;
    struct delta_convention convention;
    int n_times, n_quotes;
    double *times, *lists[N_DELTA_QUOTES]; /* [n_times] each; NULL where not given */
};

/* The lists of quotes come first, in the order of enum delta_quote. */
static const struct key delta_keys[] = {
    KEY_DEFERRED("atm", FORM_NUMBERS, "volatility at the money, for each time"),
    KEY_DEFERRED("rr25", FORM_NUMBERS,
                 "risk reversals of 25 delta: volatility of the call less that of the put"),
    KEY_DEFERRED("bf25", FORM_NUMBERS, "butterflies of 25 delta"),
    KEY_DEFERRED("rr10", FORM_NUMBERS, "risk reversals of 10 delta; with bf10"),
    KEY_DEFERRED("bf10", FORM_NUMBERS, "butterflies of 10 delta; with rr10"),
    KEY_TIMES("expiries, increasing"),
    KEY_FIELD("delta", CHOICE, struct delta_reading, convention.delta, "what deltas are of",
              .words = "spot forward"),
    KEY_FIELD("forward_delta_after", TIME, struct delta_reading, convention.forward_after,
              "time after which deltas are of the forward", ABOVE(0, 100)),
    KEY_FIELD("premium_adjusted", BOOL, struct delta_reading, convention.premium_adjusted,
              "whether a delta is less the premium, which is paid in the foreign currency",
              .words = ""),
    KEY_FIELD("at_the_money", CHOICE, struct delta_reading, convention.at_the_money,
              "the strike that atm is of", .words = "delta_neutral forward",
              .fallback = "delta_neutral"),
    KEY_FIELD("butterfly", CHOICE, struct delta_reading, convention.butterfly,
              "whether a butterfly is that of one strangle volatility, or of the smile",
              .words = "market smile"),
};
const struct key_table delta_table =
    KEY_TABLE("a volatility surface by delta", delta_keys,
              .required = "times atm rr25 bf25 delta premium_adjusted butterfly");

/* Reads all that is given, and tells whether it can be a surface. */
static bool read_all(struct delta_reading *reading, const config_setting_t *group)
{
    struct reader *reader = reading->reader;
    const config_setting_t *ten = member_of(group, "rr10"), *wings = member_of(group, "bf10");
    int before = reader->complaints->n;
    read_group(reader, &delta_table, group, reading);
    reading->times = read_times(reader, member_of(group, "times"), surface_time, &reading->n_times);
    for (int row = 0; row < N_DELTA_QUOTES; row++) {
        const config_setting_t *at = member_of(group, delta_keys[row].name);
        bool atm = row == QUOTE_ATM;
        int n;
        double *list = read_numbers(reader, at, atm ? volatility_range : any_volatility, &n);
        note_per_cent(reader, at, n, list, atm ? DOUBTFUL_VOLATILITY : 0.5 * DOUBTFUL_VOLATILITY);
        reading->lists[row] = list;
        if (list && reading->times && n != reading->n_times)
            complain_key(reader, at, "must be as many as times: got %d for %d times", n,
                         reading->n_times);
    }
    if (!ten != !wings)
        complain(reader, ten ? ten : wings, "%s is missing: a surface with %s must have it",
                 ten ? "bf10" : "rr10", ten ? "rr10" : "bf10");
    reading->n_quotes = ten ? N_DELTA_QUOTES : QUOTE_RR10;
    return reader->complaints->n == before && !reader->status;
}

/* Makes the strikes and volatilities of each time of the asset's quotes; false after a complaint.
 */
static bool make_smiles(struct delta_reading *reading, const struct market *market,
                        struct asset *asset)
{
    struct reader *reader = reading->reader;
    for (int i = 0; i < reading->n_times; i++) {
        struct message why = {""};
        for (int j = 0; j < reading->n_quotes; j++)
            asset->quotes.values[i * reading->n_quotes + j] = reading->lists[j][i];
        enum status status = delta_smile(market, asset, i, &why);
        note_memory(reader, status);
        if (!status) continue;
        const config_setting_t *at = member_of(reading->group, "atm");
        complain(reader, element_of(at, i), "quotes by delta: %s", without_prefix(reader, &why));
        return false;
    }
    return true;
}

void read_delta_surface(struct reader *reader, const config_setting_t *at, struct asset *asset)
{
    struct delta_reading reading = {.reader = reader, .group = at};
    struct market market = {.n_currencies = reader->n_currencies,
                            .currencies = (struct currency *)reader->currencies};
    bool good = read_all(&reading, at) && asset->spot > 0.0 && has_curves(reader, asset);
    if (good) {
        size_t quotes = (size_t)reading.n_quotes * (size_t)reading.n_times;
        asset->surface = (struct surface){reading.n_times,
                                          reading.n_quotes,
                                          reading.times,
                                          reader_array(reader, quotes, sizeof(double)),
                                          reader_array(reader, quotes, sizeof(double)),
                                          true};
        asset->quotes =
            (struct delta_quotes){reading.convention, reader_array(reader, quotes, sizeof(double))};
        reading.times = NULL;
        if (reader->status || !make_smiles(&reading, &market, asset))
            empty_surface(&asset->surface);
    }
    free(reading.times);
    for (int row = 0; row < N_DELTA_QUOTES; row++) free(reading.lists[row]);
}
