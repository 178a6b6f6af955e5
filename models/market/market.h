/* The market of a night: currencies with their discount curves, assets with their spot, yield and
 * volatility. */
#ifndef PRICER_MODELS_MARKET_MARKET_H
#define PRICER_MODELS_MARKET_MARKET_H

#include <stdbool.h>

#include "models/market/term_structure.h"

enum model {
#define MODEL(NAME, name, factors, coefficients, ...) MODEL_##NAME,
#include "models/dynamics/models.def"
#undef MODEL
    N_MODELS
};

/* The traits of a model: what its paths carry beside the spot, and whether the mean of its spot is
 * off the forward by more than a small part of a standard error. */
enum model_trait {
    REMEMBERS_NOTHING = 0,
    REMEMBERS_CLOCK = 1,    /* its variance is not known beforehand: path_state.clock */
    REMEMBERS_VARIANCE = 2, /* path_state.v, which begins at variance_law() */
    IS_OFF_ITS_FORWARD = 4
};

/* The groups of a book that a model is made of. */
enum model_parameter {
    TAKES_VOLATILITY = 1, /* asset.variance */
    TAKES_SURFACE = 2,    /* asset.surface */
    TAKES_HESTON = 4,
    TAKES_JUMPS = 8,
    TAKES_HISTORY = 16,
    MAY_TAKE_VOLATILITY = 32
};

/* A currency and its discount curve. */
struct currency {
    char *name;
    struct term_structure rate; /* minus log of the discount factor */
    /* The rate before `passed` years passed, of another owner; NULL where none did. */
    const struct term_structure *before;
    double passed;
};

/* Returns what a currency accrues from today to the payment of what is fixed at t years, `lag`
 * years later. */
double accrued_to_payment(const struct currency *currency, double t, double lag);

enum heston_scheme { SCHEME_QUADRATIC_EXPONENTIAL, SCHEME_FULL_TRUNCATION };

/* dv = kappa (theta - v) dt + xi sqrt(v) dW, v(0) = v0: variance a year; corr(dW, noise of the
 * spot) = rho. */
struct heston {
    double v0, kappa, theta; /* v0, theta >= 0, kappa > 0 */
    double xi;               /* >= 0 */
    double rho;              /* -1 to 1 */
    enum heston_scheme scheme;
};

/* Jumps of ln S: `intensity` of them a year, each normal with this mean and standard deviation. */
struct jumps {
    double intensity, mean, stdev; /* intensity, stdev >= 0 */
};

/* Log returns of consecutive days of the past, which are drawn again in blocks. */
struct history {
    int n;           /* 2 to HISTORICAL_RETURNS_MAX */
    double *returns; /* [n] not all the same; owned */
    double interval; /* years of one of them, > 0 */
    int block;       /* days, >= 1 */
};

/* The spot falls by `amount` at `time` (to a millionth of itself where the amount exceeds it). */
struct cash_dividend {
    double time, amount; /* years, > 0; money of the asset's currency, > 0 */
};

/* Implied volatilities by expiry and strike. */
struct surface {
    int n_times, n_strikes;
    double *times;   /* [time] years, > 0, increasing; owned, as the others */
    double *strikes; /* [strike] > 0, increasing; [time][strike] where each expiry has its own */
    double *vols;    /* [time][strike] annual, > 0 */
    bool strikes_by_time;
};

/* Returns strike j of expiry i. */
static inline double surface_strike(const struct surface *surface, int i, int j)
{
    return surface->strikes[surface->strikes_by_time ? i * surface->n_strikes + j : j];
}

/* How deltas, the money and butterflies of a pair are meant. */
struct delta_convention {
    enum { DELTA_SPOT, DELTA_FORWARD } delta;
    double forward_after; /* years: deltas of later expiries are of the forward; 0: none by this */
    enum { MONEY_DELTA_NEUTRAL, MONEY_FORWARD } at_the_money; /* of the straddle; the forward */
    /* The volatility at which both options of a strangle are dealt; the mean of the two
     * volatilities of the smile */
    enum { BUTTERFLY_MARKET, BUTTERFLY_SMILE } butterfly;
    bool premium_adjusted; /* the premium is paid in the foreign currency */
};

/* The quotes of one expiry by delta: at the money, and at 25 and, where there are five, at 10 delta
 * the risk reversal (call less put) and the butterfly. */
enum delta_quote { QUOTE_ATM, QUOTE_RR25, QUOTE_BF25, QUOTE_RR10, QUOTE_BF10, N_DELTA_QUOTES };

/* What the strikes and volatilities of a surface were made of, as many quotes of each expiry as it
 * has strikes. */
struct delta_quotes {
    struct delta_convention convention;
    double *values; /* [time][quote]; NULL where the surface itself is quoted; owned */
};

/* What the parameters of heston or bates were fitted to, and how they go with it. */
struct model_quotes {
    struct surface surface; /* n_times = 0: the book gives the parameters */
    double *slopes;         /* [parameter][time][strike] of a parameter in a volatility; owned */
};

/* An asset that is made of two others, X = A^power[0] B^power[1]: an exchange rate of two rates, or
 * what another asset is worth in another currency, by an exchange rate. */
struct cross {
    int legs[2];        /* indices into market.assets, before its own */
    double power[2];    /* 1 or -1; 0: the asset is no cross */
    double correlation; /* of the legs, whose volatilities make its own; NaN: it has its own */
};

/* An asset: spot, yield, dividends and the parameters of its model. */
struct asset {
    char *name;
    int currency; /* index into market.currencies: what the spot and the trades on it are paid in */
    int foreign_currency; /* index of the foreign currency of an FX rate, -1 for any other asset */
    double spot; /* > 0, in its currency (FX: domestic money for one unit of foreign money) */
    struct cross cross;
    enum model model;
    /* Dividend yield, or the foreign rate of an FX rate (Garman and Kohlhagen 1983) */
    struct term_structure yield;
    /* Total Black variance (black_scholes, and of the diffusion of merton, and of the moves of
     * historical); n = 0 for the other models */
    struct term_structure variance;
    struct surface surface; /* n_times = 0 where the model does not take it */
    struct delta_quotes quotes;
    struct model_quotes fitted;
    struct heston heston; /* as the next two: zeros where the model does not take it */
    struct jumps jumps;
    struct history history;
    int n_dividends;
    /* [n_dividends] increasing in time; owned. Beside the yield. */
    struct cash_dividend *dividends;
    /* What proportional dividends take off log forwards, all of it within FALL_YEARS before each of
     * its dates of odd number, and the yield without it. n = 0: there are none; owned */
    struct term_structure falls, steady_yield;
};

#define FALL_YEARS 5e-7 /* a quarter of a minute */

/* Of the years to a date, when as many or more have passed: it then follows today at once. */
#define PAST_DATE 1e-3

/* Brings what the yield has of proportional dividends nearer by the years that pass; one that would
 * be past follows today at once. STATUS_NO_MEMORY. */
enum status asset_move_falls(struct asset *asset, double years);

/* Returns the surface whose volatilities the asset is quoted by, whether its model takes them or
 * was fitted to them; of no dates where there is none. */
static inline const struct surface *quoted_surface(const struct asset *asset)
{
    return asset->fitted.surface.n_times ? &asset->fitted.surface : &asset->surface;
}

/* Returns the yield that an asset is quoted by: without proportional dividends. */
static inline const struct term_structure *quoted_yield(const struct asset *asset)
{
    return asset->falls.n ? &asset->steady_yield : &asset->yield;
}

/* Correlations are held as the full matrix [asset][asset], unit diagonal, row by row. */
struct market {
    int n_currencies;
    struct currency *currencies;
    int n_assets;
    struct asset *assets;
    double *correlation;
};

void market_free(struct market *market);

/* Returns the name of a model as a book writes it, how many normals and coefficients a step of it
 * takes, and whether its row has one of the traits, or takes one of the parameters. */
const char *model_name(enum model model);
int model_factors(enum model model);
int model_coefficients(enum model model);
bool model_has(enum model model, int traits);
bool model_takes(enum model model, int parameters);

/* The parameters of models: five of heston, then three of jumps. */
enum parameter {
#define PARAMETER(NAME, ...) PARAMETER_##NAME,
#include "models/market/parameters.def"
#undef PARAMETER
    N_PARAMETERS
};

/* What a parameter may be: which models have it, and what is added to its own size for the size of
 * a move. */
struct parameter_range {
    int group;
    double least, most, floor;
};
extern const struct parameter_range parameter_ranges[N_PARAMETERS];

/* Returns where an asset keeps a parameter. */
double *asset_parameter(struct asset *asset, enum parameter parameter);

/* The variance a year that paths remember: today's, that to which it is pulled, and how strongly a
 * year. */
struct variance_law {
    double today, usual, pull;
};

/* Returns the law of the asset's variance, zeros where its model remembers none. */
struct variance_law variance_law(const struct asset *asset);

/* Tell whether an asset is a cross, and whether its legs make its volatility. */
static inline bool is_cross(const struct asset *asset)
{
    return asset->cross.power[0] != 0.0;
}
bool has_crossed_volatility(const struct asset *asset);

/* Returns what a cross comes to where its legs are at two levels. */
static inline double cross_level(const struct cross *cross, double first, double second)
{
    double level = cross->power[0] > 0.0 ? first : 1.0 / first;
    return cross->power[1] > 0.0 ? level * second : level / second;
}

/* Makes the variance of a cross, on dates that are there, of those of its legs among the assets:
 * V = A + B + 2 rho sqrt(A B) over each interval, with the sign of their powers. */
void cross_variance(const struct asset *assets, const struct cross *cross,
                    struct term_structure *variance);

/* Returns what one unit of currency `from` is worth in currency `to`, by one FX rate or by two; NaN
 * where the market has none that lead there. The first that lead there in the market's order are
 * taken. */
double conversion_rate(const struct market *market, int from, int to);

#endif
