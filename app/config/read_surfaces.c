#include "app/config/read_market.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/tables.h"
#include "app/config/values.h"
#include "models/market/surface.h"

static const struct value_range surface_time = {RANGE_ABOVE, 0, 100};
static const struct value_range strike_range = {RANGE_ABOVE, 0, 0};
static const struct value_range volatility_range = {RANGE_FROM, LEAST_VOLATILITY, MOST_VOLATILITY};

enum { SURFACE_TIMES, SURFACE_STRIKES, SURFACE_VOLS };

static const struct key surface_keys[] = {
    [SURFACE_TIMES] = KEY_TIMES("expiries, increasing"),
    [SURFACE_STRIKES] = KEY_DEFERRED("strikes", FORM_NUMBERS, .meaning = "increasing"),
    [SURFACE_VOLS] = KEY_DEFERRED(
        "vols", FORM_ROWS,
        .meaning = "implied volatilities: a row for each time, a number in it for each strike"),
};
const struct key_table surface_table = KEY_TABLE(
    "a volatility surface", surface_keys, .required = "times strikes vols", .also = &delta_table);

/* Volatilities of time i, one for each strike. */
static bool read_row(struct reader *reader, const config_setting_t *row, int i,
                     const struct surface *surface)
{
    int n = 0;
    if (!config_setting_is_list(row) || config_setting_length(row) != surface->n_strikes) {
        char got[VALUE_ROOM];
        bool is_list = config_setting_is_list(row);
        snprintf(got, sizeof got, "%d", is_list ? config_setting_length(row) : 0);
        complain(reader, row, "row %d of vols must be a list of %d, one for each strike, got %s",
                 i + 1, surface->n_strikes, is_list ? got : show_value(row, got));
        return false;
    }
    double *vols = read_numbers(reader, row, volatility_range, &n);
    if (!vols) return false;
    if (!i) note_per_cent(reader, row, n, vols, DOUBTFUL_VOLATILITY); /* one row will do */
    memcpy(surface->vols + (size_t)i * (size_t)n, vols, (size_t)n * sizeof *vols);
    free(vols);
    return true;
}

static bool read_rows(struct reader *reader, const config_setting_t *rows, struct surface *surface)
{
    char got[VALUE_ROOM];
    int n = config_setting_is_list(rows) ? config_setting_length(rows) : -1;
    if (n != surface->n_times) {
        if (n >= 0) snprintf(got, sizeof got, "%d", n);
        complain(reader, rows,
                 "vols must be a list ( [...], ... ) of %d rows, one for each time, got %s",
                 surface->n_times, n >= 0 ? got : show_value(rows, got));
        return false;
    }
    surface->vols =
        reader_array(reader, (size_t)n * (size_t)surface->n_strikes, sizeof *surface->vols);
    bool good = surface->vols;
    for (int i = 0; surface->vols && i < n; i++)
        good &= read_row(reader, element_of(rows, i), i, surface);
    return good;
}

void empty_surface(struct surface *surface)
{
    free(surface->times);
    free(surface->strikes);
    free(surface->vols);
    *surface = (struct surface){0};
}

void read_surface(struct reader *reader, const config_setting_t *at, struct surface *surface)
{
    struct found_keys found;
    read_group(reader, &surface_table, at, NULL, &found);
    const config_setting_t *times = found.at[SURFACE_TIMES], *strikes = found.at[SURFACE_STRIKES],
                           *vols = found.at[SURFACE_VOLS];
    if (times) surface->times = read_times(reader, times, surface_time, &surface->n_times);
    if (strikes) surface->strikes = read_rising(reader, strikes, strike_range, &surface->n_strikes);
    bool good = surface->times && surface->strikes && vols && read_rows(reader, vols, surface);
    if (!good) empty_surface(surface);
}
