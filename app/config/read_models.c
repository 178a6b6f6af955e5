#include "app/config/read_market.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/values.h"
#include "app/pricing/calibration/model_fit.h"
#include "models/dynamics/coefficients.h"
#include "models/dynamics/historical.h"
#include "models/market/surface.h"

#define MODEL(NAME, name, factors, coefficients, ...) #name " "
const char model_words[] =
#include "models/dynamics/models.def"
    ;
#undef MODEL

static const struct key heston_keys[] = {
    KEY_FIELD("v0", NUMBER, struct asset, heston.v0, "variance a year today", FROM(0, 100)),
    KEY_FIELD("kappa", NUMBER, struct asset, heston.kappa, "by how much a year it is pulled",
              ABOVE(0, 1000)),
    KEY_FIELD("theta", NUMBER, struct asset, heston.theta, "variance a year to which it is pulled",
              FROM(0, 100)),
    KEY_FIELD("xi", NUMBER, struct asset, heston.xi, "volatility of the variance", FROM(0, 100)),
    KEY_FIELD("rho", NUMBER, struct asset, heston.rho, "correlation of variance and spot",
              FROM(-1, 1)),
    KEY_FIELD("scheme", CHOICE, struct asset, heston.scheme, "how a step is made",
              .words = "quadratic_exponential full_truncation",
              .fallback = "quadratic_exponential"),
};
const struct key_table heston_table =
    KEY_TABLE("heston", heston_keys, .required = "v0 kappa theta xi rho");

static const struct key jump_keys[] = {
    KEY_FIELD("intensity", NUMBER, struct asset, jumps.intensity, "jumps a year", FROM(0, 1000)),
    KEY_FIELD("mean", NUMBER, struct asset, jumps.mean, "of a jump of ln S", FROM(-10, 10),
              .doubtful = 2),
    KEY_FIELD("stdev", NUMBER, struct asset, jumps.stdev, "of a jump of ln S, which is normal",
              FROM(0, 10), .doubtful = 2),
};
const struct key_table jump_table =
    KEY_TABLE("jumps", jump_keys, .required = "intensity mean stdev");

static const struct value_range return_range = {RANGE_FROM, -10, 10};

#define DOUBTFUL_RETURN 0.5

static const struct key history_keys[] = {
    KEY_DEFERRED("returns", FORM_NUMBERS, "log returns of consecutive days"),
    KEY_FIELD("interval", NUMBER, struct history, interval,
              "years of one of them; 1/252 where not given", FROM(1e-5, 1)),
    KEY_FIELD("block", COUNT, struct history, block, "consecutive days that are drawn together",
              FROM(1, 1e6), .fallback = "1"),
};
const struct key_table history_table = KEY_TABLE("history", history_keys, .required = "returns");

/* Reads the group { returns; interval; block }, and where the asset has no volatility of its own
 * gives it that of the past. Complaints go to the reader; after one the history may be empty. */
static void read_history(struct reader *reader, const config_setting_t *group, struct asset *asset)
{
    struct history *history = &asset->history;
    *history = (struct history){.interval = 1.0 / 252.0, .block = 1};
    uint64_t good = read_group(reader, &history_table, group, history);
    const config_setting_t *at = member_of(group, "returns");
    double mean = 0.0, stdev = 0.0;
    history->returns = read_numbers(reader, at, return_range, &history->n);
    if (!history->returns) history->n = 0;
    if (!history->n) return;
    note_per_cent(reader, at, history->n, history->returns, DOUBTFUL_RETURN);
    bool enough = history->n >= 2 && history->n <= HISTORICAL_RETURNS_MAX;
    if (enough) stdev = historical_stdev(history, &mean);
    bool differ = stdev > 1e-12 * fabs(mean); /* 1e-13 is what rounding leaves of equal ones */
    if (!enough)
        complain(reader, at, "returns must be 2 to %d, got %d", HISTORICAL_RETURNS_MAX, history->n);
    else if (!differ)
        complain(reader, at, "returns must differ from one another, got %.10g %d times",
                 history->returns[0], history->n);
    if (!enough || !differ) {
        free(history->returns);
        history->returns = NULL;
        history->n = 0;
        return;
    }
    const double one = 1.0;
    int falls = 0;
    double volatility = stdev / sqrt(history->interval);
    bool dated = read_well(&history_table, good, "interval") || !member_of(group, "interval");
    if (!dated || asset->variance.n) return;
    note_memory(reader, term_from_volatilities(&asset->variance, 1, &one, &volatility, &falls));
    if (volatility > DOUBTFUL_VOLATILITY)
        doubt(reader, at,
              "returns make a volatility of %.4g %%: one of 1 %% is written 0.01, and interval is "
              "the years of one",
              in_percent(volatility));
}

/* ---- what a model is made of ----------------------------------------------------------------- */

/* The keys that models are made of: which of enum model_parameter must have one, and which may. */
enum { OF_VOLATILITY, OF_HESTON, OF_JUMPS, OF_HISTORY, N_INGREDIENTS };
static const struct {
    const char *name;
    int must, may;
} ingredients[N_INGREDIENTS] = {
    {"volatility", TAKES_VOLATILITY | TAKES_SURFACE, MAY_TAKE_VOLATILITY | TAKES_HESTON},
    {"heston", TAKES_HESTON, 0},
    {"jumps", TAKES_JUMPS, 0},
    {"history", TAKES_HISTORY, 0}};

static bool has_ingredient(enum model model, int i)
{
    return model_takes(model, ingredients[i].must | ingredients[i].may);
}

/* Tells whether a model's parameters are given, or fitted to a surface in their place. */
static bool may_be_fitted(enum model model)
{
    return model_takes(model, TAKES_HESTON);
}

void model_rows(enum model model, const struct key_table *table, uint64_t *must, uint64_t *none)
{
    *must = *none = 0;
    for (int i = 0; i < N_INGREDIENTS; i++) {
        uint64_t row = table_rows(table, ingredients[i].name);
        if (model_takes(model, ingredients[i].must) && !may_be_fitted(model)) *must |= row;
        if (!has_ingredient(model, i)) *none |= row;
    }
}

/* Checks that an asset has what its model is made of, and none of another's: one that may be fitted
 * has either its parameters or a surface. */
static void check_ingredients(struct reader *reader, const config_setting_t *group,
                              const struct asset *asset)
{
    enum model model = asset->model;
    const config_setting_t *heston = member_of(group, "heston"), *jumps = member_of(group, "jumps"),
                           *dividends = member_of(group, "cash_dividends"),
                           *correlation = member_of(member_of(group, "cross"), "correlation"),
                           *given = heston ? heston : jumps;
    bool fitted = may_be_fitted(model) && member_of(group, "volatility");
    if (fitted && given)
        complain(reader, given,
                 "%s contradicts volatility: parameters of %s are given, or fitted to a surface",
                 config_setting_name(given), model_name(model));
    if (fitted && dividends)
        complain(reader, dividends,
                 "cash_dividends contradicts model = \"%s\" fitted to volatilities, whose forwards "
                 "have none: write them as proportional_dividends or forwards",
                 model_name(model));
    for (int i = 0; i < N_INGREDIENTS; i++) {
        const char *name = ingredients[i].name;
        const config_setting_t *at = member_of(group, name);
        char right[HINT_ROOM] = "", model_text[NAME_ROOM] = "";
        bool made = correlation && i == OF_VOLATILITY; /* of a cross's legs */
        bool needed = model_takes(model, ingredients[i].must) && !made && !fitted;
        if (model != MODEL_BLACK_SCHOLES)
            snprintf(model_text, sizeof model_text, " with model = \"%s\"", model_name(model));
        if (needed && !at)
            complain(reader, group, "%s is missing: an asset%s must have it%s", name, model_text,
                     may_be_fitted(model) ? ", or volatility, a surface that it is fitted to" : "");
        if (has_ingredient(model, i) || !at) continue;
        for (int other = 0; other < N_MODELS; other++) /* bates" or "merton */
            if (has_ingredient((enum model)other, i))
                list_word(right, sizeof right, "\" or \"", model_name((enum model)other));
        complain_key(reader, at, "contradicts model = \"%s\": it goes with model = \"%s\"",
                     model_name(model), right);
    }
}

#define FAR_STRIKES 2.0 /* times off the spot */

/* Notes strikes that are all far on one side of the spot. */
static void note_strikes(struct reader *reader, const config_setting_t *at,
                         const struct asset *asset)
{
    const struct surface *surface = &asset->surface;
    if (!surface->strikes || !(asset->spot > 0.0)) return;
    double first = surface->strikes[0], last = surface->strikes[surface->n_strikes - 1];
    if (first > FAR_STRIKES * asset->spot || last < asset->spot / FAR_STRIKES)
        doubt(
            reader, at,
            "strikes %.10g to %.10g are all far from the spot, %.10g: perhaps they are moneyness, "
            "which is to be multiplied by it",
            first, last, asset->spot);
}

static void read_model_volatility(struct reader *reader, const config_setting_t *at,
                                  struct asset *asset)
{
    const config_setting_t *strikes = member_of(at, "strikes"), *deltas = member_of(at, "atm");
    const config_setting_t *surface_key = strikes ? strikes : deltas;
    bool surface = model_takes(asset->model, TAKES_SURFACE) || may_be_fitted(asset->model);
    if (surface && deltas && !strikes) read_delta_surface(reader, at, asset);
    else if (surface) {
        read_surface(reader, at, &asset->surface);
        note_strikes(reader, strikes, asset);
    } else if (!surface_key) read_volatility(reader, at, &asset->variance);
    else
        complain(reader, surface_key,
                 "%s contradicts model = \"%s\": it goes with model = \"local_vol\"",
                 config_setting_name(surface_key), model_name(asset->model));
}

/* Notes where Feller's condition fails (Two singular diffusion problems, Annals of Mathematics 54
 * (1951) 173-182). */
static void note_feller(struct reader *reader, const config_setting_t *at,
                        const struct heston *heston)
{
    double pull = 2.0 * heston->kappa * heston->theta, noise = heston->xi * heston->xi;
    if (pull < noise)
        remark(reader, at,
               "2 kappa theta = %.6g is below xi^2 = %.6g: the variance reaches zero (Feller)",
               pull, noise);
}

void read_model(struct reader *reader, const config_setting_t *group, struct asset *asset)
{
    const config_setting_t *volatility = member_of(group, "volatility"),
                           *heston = member_of(group, "heston"),
                           *history = member_of(group, "history");
    check_ingredients(reader, group, asset);
    bool given = may_be_fitted(asset->model) && (heston || member_of(group, "jumps"));
    if (volatility && has_ingredient(asset->model, OF_VOLATILITY) && !given)
        read_model_volatility(reader, volatility, asset);
    if (history && has_ingredient(asset->model, OF_HISTORY)) read_history(reader, history, asset);
    if (!heston) return;
    note_variance(reader, heston, "v0", asset->heston.v0);
    note_variance(reader, heston, "theta", asset->heston.theta);
    note_feller(reader, heston, &asset->heston);
}

#define COARSE_STEP 0.25    /* of v0, that a variance may change by in a step of full truncation */
#define LARGEST_SHOWN 1e100 /* of numbers that may be beyond the range of a double */

/* Notes steps that are too coarse: Euler's scheme holds the variance for a step at what it begins
 * with. */
static void note_coarse_steps(struct reader *reader, const config_setting_t *at,
                              const struct asset *asset, double step)
{
    const struct heston *h = &asset->heston;
    double change = step * fmax(h->kappa * fabs(h->theta - h->v0), h->xi * h->xi);
    if (h->scheme == SCHEME_FULL_TRUNCATION && change > COARSE_STEP * h->v0)
        remark(reader, at,
               "in a step of %.3g years (max_step) the variance goes by %.3g, v0 is %.3g: prices "
               "under scheme = \"full_truncation\" are biased, less with smaller steps or "
               "\"quadratic_exponential\"",
               step, fmin(change, LARGEST_SHOWN), h->v0);
}

#define WIDE_SPOT                                                                                  \
    100.0 /* deviations of a spot, over its mean: of 10,000 paths none or one makes it */

/* Jumps make exp(intensity t E[(J - 1)^2]) of the mean of (S / E S)^2, ln J being normal. */
static void note_wide_jumps(struct reader *reader, const config_setting_t *at,
                            const struct asset *asset, double last)
{
    const struct jumps *j = &asset->jumps;
    double variance = j->stdev * j->stdev, mean = exp(j->mean + 0.5 * variance);
    double square = mean * mean * exp(variance) - 2.0 * mean + 1.0;
    double deviation = exp(0.5 * j->intensity * last * square);
    if (deviation > WIDE_SPOT)
        remark(reader, at,
               "jumps make the deviation of the spot at least %.3g times its mean in %.6g years, "
               "when its last trade ends: the mean is made by paths that are hardly ever drawn, "
               "and prices and errors of what grows with the spot say little",
               fmin(deviation, LARGEST_SHOWN), last);
}

void note_models(struct reader *reader, const config_setting_t *group, double max_step,
                 const struct market *market, int n_trades, const struct trade *trades)
{
    const config_setting_t *list = member_of(group, "assets");
    for (int i = 0; i < market->n_assets; i++) {
        const struct asset *asset = &market->assets[i];
        config_setting_t *at = element_of(list, i);
        double last = 0.0; /* expiry of its trades */
        bool noted = model_takes(asset->model, TAKES_HESTON | TAKES_JUMPS);
        for (int t = 0; noted && t < n_trades; t++)
            for (int k = 0; k < trade_n_assets(&trades[t]); k++)
                if (trade_asset(&trades[t], k) == i) last = fmax(last, trades[t].expiry);
        if (last == 0.0) continue;
        begin_subject(reader, ABOUT_ASSET, i, member_of(at, "name"), i + 1, "the list");
        if (model_takes(asset->model, TAKES_HESTON)) {
            const config_setting_t *heston = member_of(at, "heston");
            if (!heston) heston = member_of(at, "volatility");
            double ends = heston_square_ends(&asset->heston); /* coefficients.h */
            if (last > ends)
                remark(reader, heston,
                       "the square of the spot has an infinite mean from %.3g years on (Andersen "
                       "and Piterbarg 2007), and its trades go on to %.6g: standard errors of what "
                       "grows with the spot say little there",
                       ends, last);
            note_coarse_steps(reader, heston, asset, fmin(max_step, last));
        }
        const config_setting_t *jumps = member_of(at, "jumps");
        if (model_takes(asset->model, TAKES_JUMPS))
            note_wide_jumps(reader, jumps ? jumps : member_of(at, "volatility"), asset, last);
    }
    end_subject(reader);
}

/* ---- a model fitted to a surface ------------------------------------------------------------- */

/* Gives the asset the parameters of the fit, and says how good it is. */
static enum status take_fit(struct reader *reader, const config_setting_t *at,
                            const struct surface_quotes *quotes, struct model_fit *fit,
                            struct asset *asset)
{
    const struct quote *worst = &quotes->list[fit->worst];
    double *slopes = calloc((size_t)quotes->n * N_PARAMETERS, sizeof *slopes);
    if (!slopes) return STATUS_NO_MEMORY;
    asset->fitted = (struct model_quotes){asset->surface, slopes};
    asset->surface = (struct surface){0};
    free(asset->quotes.values); /* the fit is to the strikes that they come to */
    asset->quotes = (struct delta_quotes){0};
    MUST(fit_slopes(quotes, fit, slopes));
    for (int p = 0; p < fit->n;
         p++) { /* processors differ in digits that a surface does not tell */
        char text[32];
        snprintf(text, sizeof text, "%.7g", fit->parameters[p]);
        fit->parameters[p] = strtod(text, NULL);
    }
    model_fit_apply(fit, asset);
    remark(reader, at,
           "%s is fitted to %d of %d volatilities: its own are off by %.3g points, root mean "
           "square, at most by %.3g, at %.6g years, strike %.6g",
           model_name(fit->model), quotes->n_used, quotes->n, 100.0 * fit->rmse,
           100.0 * fabs(fit->largest), worst->time, worst->strike);
    note_feller(reader, at, &asset->heston);
    return STATUS_OK;
}

/* Fits the model of an asset whose surface has been read and found free of arbitrage. */
static void fit_model(struct reader *reader, const config_setting_t *at,
                      const struct market *market, int i)
{
    struct asset *asset = &market->assets[i];
    struct surface_quotes quotes = {0};
    struct model_fit fit = {0};
    struct message why;
    enum status status = surface_quotes_make(market, i, &quotes);
    if (!status) status = fit_checked(market, &quotes, asset->model, NULL, &fit, &why);
    if (!status) status = take_fit(reader, at, &quotes, &fit, asset);
    if (status == STATUS_NO_MEMORY) reader->status = status;
    else if (status) complain(reader, at, "%s", why.text);
    model_fit_free(&fit);
    surface_quotes_free(&quotes);
}

#define DOUBTFUL_MOVE 0.003 /* of a quote: volatility, times vega over vega at the money */

/* Notes that a surface is far from the quotes that it was made of. */
static void note_moved(struct reader *reader, const config_setting_t *at,
                       const struct surface_move *moved)
{
    if (moved->size > DOUBTFUL_MOVE)
        doubt(reader, at,
              "butterfly arbitrage: the volatility at %.6g years and strike %.6g is taken as %.4g "
              "in place of %.4g, and others near it are moved too",
              moved->time, moved->strike, moved->to, moved->from);
}

void check_surface(struct reader *reader, const config_setting_t *group,
                   const struct market *market, int i)
{
    if (!market->assets[i].surface.n_times) return;
    struct message why = {""};
    struct surface_move moved;
    enum status status = surface_check(market, i, &moved, &why);
    if (status == STATUS_NO_MEMORY) reader->status = status;
    else if (status)
        complain(reader, member_of(group, "volatility"), "%s", without_prefix(reader, &why));
    else if (may_be_fitted(market->assets[i].model))
        fit_model(reader, member_of(group, "volatility"), market, i);
    else note_moved(reader, member_of(group, "volatility"), &moved);
}
