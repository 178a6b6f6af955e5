/* What a desk reads of a trade: price and error, and what became of it. */
#ifndef PRICER_APP_PRICING_BASE_ESTIMATE_H
#define PRICER_APP_PRICING_BASE_ESTIMATE_H

#include "models/market/market.h"
#include "models/math/tally.h"
#include "models/payoffs/trade.h"

enum verdict {
    VERDICT_OK,        /* agrees with its reference */
    VERDICT_DISAGREES, /* does not */
    VERDICT_UNCHECKED, /* priced, but compared with nothing */
    VERDICT_FAILED,    /* not priced */
    VERDICT_EXPIRED,   /* worth nothing, or the cash that it still pays (app/pricing/base/book.h) */
    VERDICT_REFUSED,   /* not read: its own keys are wrong */
    N_VERDICTS
};

enum {
    CONTROL_NAMES = 48,   /* room for the names of a trade's controls */
    REFERENCE_METHOD = 64 /* and for how its reference was made */
};

/* Ends the method of a reference that an earlier run made, of the same trade and market. */
#define REFERENCE_KEPT ", kept"

/* One trade. Money is in its currency and for the whole quantity; a number that there is not is
 * NaN. */
struct estimate {
    struct tally unit; /* of one unit; n = 0 where the trade was not simulated */
    double paths; /* that it took: as many as values, or twice (pairs), or far more (replicates) */
    double price;
    double std_error;
    double reference;
    double reference_error;
    /* Kinds of its control variates (app/controls), joined by '+'; "" for none */
    char control[CONTROL_NAMES];
    double variance_ratio; /* variance of the price without them over that with them */
    double upper; /* of an early exercise, whose price is a bound: the other end of the interval */
    double upper_error; /* (app/pricing/value/exercise/exercise_upper.h), and its standard error */
    double z;           /* (price - reference) / sqrt(std_error^2 + reference_error^2) */
    char reference_method[REFERENCE_METHOD]; /* "" where there is none */
    enum verdict verdict;
    /* Unchecked and far from its reference: trouble (app/pricing/value/judge.h) */
    bool doubtful;
    bool short_of_target; /* max_paths ended its rounds above the error that is asked */
    char *message;        /* one line, NULL where there is nothing to say; owned */
};

/* Name of a verdict as results write it. */
const char *verdict_name(enum verdict verdict);

/* Returns an estimate that nothing has been compared with. */
struct estimate estimate_unchecked(double price, double std_error);

/* Tells whether a trade is to be looked at before the book is used. */
bool estimate_is_trouble(const struct estimate *estimate);

/* Tells whether no path has brought anything, and no reference says that none should: an error of 0
 * that nobody knows. */
bool estimate_is_unseen(const struct estimate *estimate);

/* Put a message in place of the one there, and behind it. STATUS_NO_MEMORY. */
enum status estimate_say(struct estimate *estimate, const char *text);
enum status estimate_add(struct estimate *estimate, const char *text);

/* Returns what a row says of its trade: the message, or else what the past has made of the trade;
 * NULL where there is neither. */
const char *estimate_message(const struct trade *trade, const struct estimate *estimate);

/* Releases the messages and the array. NULL is accepted. */
void estimates_free(int n, struct estimate *estimates);

/* Whether all that a path ever pays is the trade's cash. */
bool trade_pays_cash(const struct trade *trade);

/* The largest amount of money that one unit of a trade turns on: rounding errors are fractions of
 * it. */
double trade_stake(const struct market *market, const struct trade *trade);

#endif
