/* libpricer: prices books of equity and FX derivatives by Monte Carlo on CPU and GPU, and checks
 * them by references. This is its only public header; docs/library.md has a program.
 *
 *     struct pricer_options options = PRICER_OPTIONS;
 *     struct pricer *pricer;
 *     struct pricer_book *book;
 *     struct pricer_results *results;
 *     pricer_open(&options, &pricer);
 *     pricer_book_load(pricer, "book.cfg", 0, NULL, &book);
 *     pricer_plan(pricer, book, &results);
 *     pricer_price(results);
 *     pricer_risk(results);
 *     ... pricer_number(results, PRICER_PRICE, trade) ...
 *     pricer_results_free(results); pricer_book_free(book); pricer_close(pricer);
 *
 * Status. A function that can fail returns an enum pricer_status. pricer_message() then has one
 * line with the reason, and with file and line if the book is at fault. A function that cannot fail
 * returns its value: NaN, NULL or 0 if an index is out of range or there is no result (yet).
 *
 * NULL as an argument, unless accepted below, gives PRICER_BAD_INPUT and a message that names the
 * argument; a function without a status returns NaN, NULL or 0. A call without a handle leaves no
 * message: pricer_message(NULL) says so.
 *
 * Ownership. The caller owns an object that a function returns through `**` and releases it with
 * the function of that name, which accepts NULL. A book must outlive its results, and a handle its
 * books and results. A text belongs to the object that returned it, until that is released; the
 * text of pricer_message() lives until the next call with that handle. Arguments may be released
 * when the call returns, except functions and contexts of callbacks.
 *
 * Threads. A handle, with its books and its results, is used by one thread at a time. Any number of
 * handles may be used at the same time, each by its own thread. A call starts threads of its own
 * and has ended them when it returns. A child of fork() may use its parent's handles and others of
 * the engine "cpu", where no call was under way; CUDA does not work in a child of a process that
 * has begun with it.
 *
 * Exactness. Prices, and so the digest, have the same bits for any number of threads and GPUs, on
 * CPU and GPU, with any kernel except `baseline`, and with other handles at work.
 *
 * The library ends no process, prints nothing, takes no signal and changes one setting of the
 * process: the first pricer_open() switches off GSL's error handler. LC_NUMERIC must be a locale
 * with a decimal point, as it is in a process that never calls setlocale().
 *
 * What CUDA itself keeps for a process stays one a process, behind locks: the context of a device,
 * memory and streams that were released and wait for their next use, and compiled kernels. They
 * live until the process ends. */
#ifndef PRICER_H
#define PRICER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define PRICER_API __attribute__((visibility("default")))
#else
#define PRICER_API
#endif

/* ---- status ---------------------------------------------------------------------------------- */

enum pricer_status {
    PRICER_OK = 0,
    PRICER_BAD_INPUT, /* an option, the book or a value in it is wrong, or a call is out of turn */
    PRICER_NO_MEMORY, /* an allocation failed */
    PRICER_NO_ENGINE, /* the engine asked for cannot run on this machine */
    PRICER_ENGINE,    /* the engine or the machine failed while it ran */
    PRICER_FILE,      /* a file could not be read or written; so may a store say */
    PRICER_INTERRUPTED, /* the stop callback asked for the end */
    PRICER_FAILED       /* a computation did not reach its result */
};

/* Says in a few words what a status is: "not enough memory". Never NULL. */
PRICER_API const char *pricer_status_text(enum pricer_status status);

/* Returns the version of the library that runs: "0.1.0". */
PRICER_API const char *pricer_version(void);

/* ---- the handle ------------------------------------------------------------------------------ */

struct pricer;          /* a handle: options, callbacks, the last message */
struct pricer_book;     /* a market, the trades on it and how to price them */
struct pricer_results;  /* what a book comes to: its plan, then prices, then risk */
struct pricer_snapshot; /* a table of results as it was */

/* What a note is. */
enum pricer_note {
    /* An error in the book, or what could not be valued: `book.cfg:41: trade 'T7': strike must be >
     * 0, got -5` */
    PRICER_NOTE_COMPLAINT,
    PRICER_NOTE_REMARK, /* allowed, and worth a line all the same */
    PRICER_NOTE_ENGINE  /* why a better engine is not used; once a handle */
};

/* Where the pieces of a run are kept, so that a run which was cut off is finished without computing
 * them again: same book, same options, same version. A piece is named by a kind (at most 63
 * characters) and a digest of all that decides its content, which is `n` bytes. The functions may
 * be called from any thread, several at the same time. They return an enum pricer_status; one other
 * than PRICER_OK ends the run with it, and with what was written to `why` [room]. */
struct pricer_store {
    void *context;
    /* Finds the content of a piece that was kept: *content, allocated by malloc, which the library
     * frees, and *n; NULL where there is none. */
    int (*recall)(void *context, const char *kind, uint64_t digest, void **content, size_t *n,
                  char *why, size_t room);
    /* Keeps a copy of the content; it may be lost until `flush` returns. */
    int (*keep)(void *context, const char *kind, uint64_t digest, const void *content, size_t n,
                char *why, size_t room);
    /* Makes all that was kept safe. */
    int (*flush)(void *context, char *why, size_t room);
};

/* How a handle prices; begin with PRICER_OPTIONS. What is given here goes before what the book
 * says. */
struct pricer_options {
    size_t size;        /* of this structure, by which later versions know what is in it */
    const char *engine; /* "auto", "cuda" or "cpu"; NULL: as the book says, as all below */
    const char *kernel; /* "auto", or a kernel of the engine (`pricer --list-kernels`) */
    /* "all", "sample", "none", "1/5" to "5/5": which prices get a reference; trades that get one as
     * well may follow, each after a comma: "2/5,EU-01,AS-02" */
    const char *check;
    int threads;        /* of the CPU, at most 1024; 0: one for each core that it may run on */
    int n_gpus;         /* 0: all GPUs */
    const int *gpus;    /* [n_gpus] their numbers, at most 64 */
    int64_t paths;      /* 0: as the book says; at most 2^40, rounded up to whole chunks */
    int64_t seed;       /* 0 or more; -1: as the book says */
    int dry;            /* nonzero: plans are only to be looked at, and made sooner */
    const char *prefix; /* stands before the name of an option in messages: "--"; NULL: nothing */

    void *context; /* given to the next three; each of them may be NULL */

    /* Tells how far a phase ("pricing", "checking", "risk") is, in units of work: it begins with
     * total = 0, and is over with phase NULL. Called from any thread, never twice at a time. */
    void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total);

    /* Tells a line that no status carries. Called on the thread of the call. */
    void (*note)(void *context, enum pricer_note kind, const char *line);

    /* Nonzero ends the call with PRICER_INTERRUPTED, within a second of processor time. Called
     * often and from any thread, several at the same time: it only looks. */
    int (*stop)(void *context);
};

#define PRICER_OPTIONS                                                                             \
    {                                                                                              \
        .size = sizeof(struct pricer_options), .seed = -1                                          \
    }

/* Makes a handle; options NULL: PRICER_OPTIONS. GPUs begin to get ready on a thread of its own,
 * while the caller loads a book. PRICER_BAD_INPUT: an option is out of range; PRICER_NO_MEMORY:
 * *pricer is NULL. On any other status it is a handle all the same, for its message, to be
 * closed. */
PRICER_API enum pricer_status pricer_open(const struct pricer_options *options,
                                          struct pricer **pricer);

/* Releases a handle; accepts NULL. What is still being compiled is dropped when the last handle of
 * the program is closed; other handles keep theirs. */
PRICER_API void pricer_close(struct pricer *pricer);

/* Returns one line that says why the last call with the handle, its books or its results failed; ""
 * where it did not. */
PRICER_API const char *pricer_message(const struct pricer *pricer);

/* Say where that is: the file as the book names it, NULL where no file is at fault; and the line in
 * it, from 1, 0 where there is none. */
PRICER_API const char *pricer_message_file(const struct pricer *pricer);
PRICER_API int pricer_message_line(const struct pricer *pricer);

/* ---- the book -------------------------------------------------------------------------------- */

/* Reads a book (docs/book-format.md) from a file, with the files that it includes. Values in `sets`
 * [n_sets] take the place of the file's, each as "settings.paths=4096". All that is wrong is told
 * as notes, and the first of it is the message. A trade whose own keys are wrong does not stop the
 * others: it becomes a trade that is refused. PRICER_BAD_INPUT, PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_book_load(struct pricer *pricer, const char *path, int n_sets,
                                               const char *const *sets, struct pricer_book **book);

/* Reads a book from a text that ends in zero; `name` stands for the file in messages. It can
 * include no other file. */
PRICER_API enum pricer_status pricer_book_read(struct pricer *pricer, const char *name,
                                               const char *text, int n_sets,
                                               const char *const *sets, struct pricer_book **book);
PRICER_API void pricer_book_free(struct pricer_book *book);

/* Writes what a book states, with its includes and `sets` in place, as JSON: groups are objects,
 * lists arrays. `text` NULL: the file `name`; else the text that `name` stands for. Keys and values
 * are not looked at; the rows of trades_file stand behind its own trades, other files that it names
 * are not read. Errors of the stream are left to the caller. PRICER_BAD_INPUT: it cannot be parsed,
 * or has a word without quotes; PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_book_print(struct pricer *pricer, const char *name,
                                                const char *text, int n_sets,
                                                const char *const *sets, FILE *stream);

/* Numbers of a market. */
enum pricer_market_number {
    PRICER_MARKET_DISCOUNT,  /* of a currency: what 1 paid then is worth today */
    PRICER_MARKET_FORWARD,   /* of an asset, after its cash dividends until then */
    PRICER_MARKET_VOLATILITY /* of an asset: Black's, a year; the surface is read against the
                                forward without cash dividends */
};

/* Reads numbers of a book's market at `n` points, from the term structures and surfaces that it is
 * priced with: times in years from today, > 0 of volatilities; strikes [n] of volatilities alone.
 * PRICER_BAD_INPUT: nothing is called so, a time or a strike is out of range, or the asset's model
 * has no implied volatilities (it is neither black_scholes nor local_vol); PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_market(struct pricer_book *book,
                                            enum pricer_market_number what, const char *of, int n,
                                            const double *times, const double *strikes,
                                            double *values);

/* Returns the volatility at which Black's formula has a value, in money at expiry (the price over
 * the discount factor), of a call (nonzero) or a put. NaN: there is none, or the value is within
 * 1e-12 of the forward of what it can be at least or at most. */
PRICER_API double pricer_implied_volatility(int call, double value, double forward, double strike,
                                            double t);

struct pricer_fit {
    size_t size;                 /* of this structure, set by the caller */
    int n;                       /* parameters: 5 of heston, 8 of bates */
    const char *names[8];        /* as a book writes them */
    double values[8], errors[8]; /* NaN: the surface does not tell that parameter */
    double rmse;                 /* annual volatility, over the quotes used, as the next two */
    double largest;              /* difference to the market, with its sign */
    double checked;              /* largest difference to the reference's volatilities */
};

/* Fits "heston" or "bates" to the implied surface of an asset, as `pricer --calibrate` does; the
 * book stays as it is. PRICER_BAD_INPUT: nothing is called so, the asset has no surface, or one of
 * too few quotes; PRICER_FAILED: no search came to rest, or the reference disagrees;
 * PRICER_INTERRUPTED, PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_calibrate(struct pricer_book *book, const char *asset,
                                               const char *model, struct pricer_fit *fit);

/* ---- a book made in memory ------------------------------------------------------------------- */

struct pricer_draft; /* a book in the making; the handle outlives it */

/* Makes an empty draft. */
PRICER_API enum pricer_status pricer_draft_new(struct pricer *pricer, struct pricer_draft **draft);
PRICER_API void pricer_draft_free(struct pricer_draft *draft);

/* Put a value in its place, which a path names as `--set` does: keys with points between them, and
 * in brackets an element of a list by its name (or id, of a trade) or its number from 0. What is
 * not there yet is added: groups, lists, and the element that is named, with its name; by number,
 * the one after the last. A value that is there is replaced. The keys, their units and ranges are
 * those of a book's file, and are looked at by pricer_book_make(). What is passed is copied.
 *
 *     pricer_draft_number(draft, "market.currencies[EUR].rate", 0.03);
 *     pricer_draft_text(draft, "market.assets[SX5E].currency", "EUR");
 *     pricer_draft_number(draft, "market.assets[SX5E].spot", 100.0);
 *     pricer_draft_text(draft, "book.trades[T1].type", "european");
 *     pricer_draft_numbers(draft, "market.assets[SX5E].volatility.vols[0]", 3, row);
 *
 * A whole number may be given as a number, and the other way round. Dates and tenors are texts, and
 * lists of them lists of texts; lists of years are numbers. PRICER_BAD_INPUT: the path is none, or
 * leads to what holds other settings, or n < 0; the draft stays as it is. PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_draft_number(struct pricer_draft *draft, const char *path,
                                                  double value);
PRICER_API enum pricer_status pricer_draft_whole(struct pricer_draft *draft, const char *path,
                                                 int64_t value);
PRICER_API enum pricer_status pricer_draft_boolean(struct pricer_draft *draft, const char *path,
                                                   int value);
PRICER_API enum pricer_status pricer_draft_text(struct pricer_draft *draft, const char *path,
                                                const char *value);
PRICER_API enum pricer_status pricer_draft_numbers(struct pricer_draft *draft, const char *path,
                                                   int n, const double *values);
PRICER_API enum pricer_status pricer_draft_texts(struct pricer_draft *draft, const char *path,
                                                 int n, const char *const *values);

/* Reads the draft as pricer_book_load() reads a file, with the same complaints; in the place of
 * file and line they have the path: `book.trades[T7].strike: trade 'T7': strike must be > 0, got
 * -5`. `name` is what the book is called where it has no name; files that the draft names lie in
 * the current folder or below. The draft stays as it is. PRICER_BAD_INPUT, PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_book_make(struct pricer_draft *draft, const char *name,
                                               struct pricer_book **book);

/* ---- the keys of books ----------------------------------------------------------------------- */

/* What a key may hold: bits, of which one holds in a given book. */
enum pricer_form {
    PRICER_FORM_NUMBER = 1,
    PRICER_FORM_WHOLE = 2,
    PRICER_FORM_TEXT = 4,
    PRICER_FORM_BOOLEAN = 8,
    PRICER_FORM_TIME = 16,    /* a number of years; or a text, a date or a tenor */
    PRICER_FORM_DATE = 32,    /* a text: a date, and where `meaning` says so a tenor */
    PRICER_FORM_NUMBERS = 64, /* a list, as the next two */
    PRICER_FORM_TEXTS = 128,
    PRICER_FORM_TIMES = 256,
    PRICER_FORM_ROWS = 512, /* a list of lists of numbers */
    PRICER_FORM_GROUP = 1024,
    PRICER_FORM_GROUPS = 2048 /* a list of groups */
};

struct pricer_key {
    size_t size; /* of this structure, set by the caller: later versions have more in it */
    const char *name;
    unsigned forms;         /* enum pricer_form */
    int required;           /* nonzero: it must be given, or one that may stand in its place */
    const char *instead_of; /* the key in whose place it may stand; NULL: none */
    const char *fallback;   /* its value where it is not given, as a book writes it without quotes;
                               NULL: none, or one that `meaning` tells of */
    const char *meaning;    /* one line */
    char words[256];        /* the texts that it may be, with blanks between them; "": any */
    char range[64];         /* of a number: "> 0, at most 100"; "": any */
};

/* Give the keys of a table: 0 to count less 1. A table is named by the keys that lead to it, with
 * points between them: "" is a book's file, "market.assets" an asset, "market.assets.heston" its
 * group. In brackets behind them stand the product of a trade, "book.trades[asian]", and the model
 * of an asset, "market.assets[heston]", whose keys these are; without, they are those of all
 * products, and of all models. This is the table that books are read by. A group of which there are
 * several kinds, as `volatility`, has the keys of all, and those are required that all require. 0:
 * there is no such table; pricer_key() returns 0 where there is no such key, and *key stays. Texts
 * live as long as the library. */
PRICER_API int pricer_keys(const char *table);
PRICER_API int pricer_key(const char *table, int i, struct pricer_key *key);

/* Give the products of trades and the models of assets: 0 to count less 1, NULL beyond. */
PRICER_API int pricer_products(void);
PRICER_API const char *pricer_product(int product);
PRICER_API int pricer_models(void);
PRICER_API const char *pricer_model(int model);

/* ---- a run ----------------------------------------------------------------------------------- */

/* Chooses engine and kernel and plans the book: which trades share paths, on which dates.
 * PRICER_BAD_INPUT (also while the book has other results and a change of pricer_set_number() that
 * they have not priced), PRICER_NO_ENGINE, PRICER_NO_MEMORY, PRICER_INTERRUPTED: *results is
 * NULL. */
PRICER_API enum pricer_status pricer_plan(struct pricer *pricer, struct pricer_book *book,
                                          struct pricer_results **results);

/* Writes the plan for a person to read, with the kernel of each group and why it is that. Errors of
 * the stream are left to the caller; PRICER_ENGINE and what else an engine may return. */
PRICER_API enum pricer_status pricer_plan_print(struct pricer_results *results, FILE *stream);

/* Writes how one trade is priced: what it observes of a path, or its script, dates to come and
 * program, and the groups of the plan that simulate its paths. Errors of the stream are left to the
 * caller. PRICER_BAD_INPUT: no trade of that identifier is priced; else as pricer_plan_print. */
PRICER_API enum pricer_status pricer_explain(struct pricer_results *results, const char *trade,
                                             FILE *stream);

/* Compiles ahead what GPUs of a compute capability, as 90 for 9.0, simulate the paths of prices by,
 * and of Greeks, scenarios and the past where the book asks for them, and keeps it in
 * ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/ for runs on them; no GPU is needed. *n is how many
 * kernels, without those that were there. PRICER_NO_ENGINE: the library was built
 * without CUDA, or there is no compiler; PRICER_FAILED: it does not take the code;
 * PRICER_INTERRUPTED: what was compiled until then is kept. */
PRICER_API enum pricer_status pricer_compile(struct pricer_results *results, int architecture,
                                             int *n);

/* Sends the pieces of the run through a store, which is copied. PRICER_BAD_INPUT: a function of it
 * is NULL, or pricer_price() was called before. */
PRICER_API enum pricer_status pricer_keep_in(struct pricer_results *results,
                                             const struct pricer_store *store);

/* Prices the trades and checks them against their references; called again, those that live on what
 * was changed since. A trade that cannot be priced is PRICER_TRADE_FAILED and stops no other.
 * PRICER_BAD_INPUT (the handle is `dry`, or a change cannot be read), PRICER_NO_MEMORY,
 * PRICER_NO_ENGINE, PRICER_ENGINE, PRICER_INTERRUPTED, and what a store returns. Where the changed
 * market cannot be read, the results stay as they were and the changes are taken back; after any
 * other failure the results hold no price, and a further call prices what is due. */
PRICER_API enum pricer_status pricer_price(struct pricer_results *results);

/* Change a number of the book's market, or of its settings, by its path as of `--set`:
 * "market.assets[SX5E].volatility", "market.correlations[0].value", "settings.seed"; the spot of an
 * asset. The next pricer_price() reads the market anew, with all that is made of the number (spots
 * of crosses, strikes of quotes by delta, forwards), plans and prices the trades that live on it,
 * and leaves the others as they are; after a change of settings it plans and prices all. Every bit,
 * and so the digest, is that of a run of such a book. pricer_risk() may be called again then, and
 * computes all of it. Until then the results are those of before. What options of the handle give
 * goes before settings, changed or not.
 *
 * PRICER_BAD_INPUT: no number is there, or it is one of the trades', of their calendars or of the
 * risk group; the book has other results, which its market is that of; or the run is kept in a
 * store. A value that is out of range, or by which a scenario has no market, is found by
 * pricer_price(), which then takes all changes since the last pricing back; the results stay.
 * PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_set_number(struct pricer_results *results, const char *path,
                                                double value);
PRICER_API enum pricer_status pricer_set_spot(struct pricer_results *results, const char *asset,
                                              double spot);

/* Changes a number of a book that has no results, by the same paths, and reads its market anew at
 * once. PRICER_BAD_INPUT: no number is there, as above, or the book cannot have this one, which is
 * the message: the book stays as it was. PRICER_NO_MEMORY. */
PRICER_API enum pricer_status pricer_book_set(struct pricer_book *book, const char *path,
                                              double value);

/* Computes the Greeks, scenarios and value at risk that the book asks for; nothing where it asks
 * for none. Once after each pricer_price() that changed a price; statuses are the same. Where it
 * fails there is neither risk nor price: a further pricer_price() brings the prices back, without
 * computing them again, and pricer_risk() may be called again. */
PRICER_API enum pricer_status pricer_risk(struct pricer_results *results);

PRICER_API void pricer_results_free(struct pricer_results *results);

/* ---- reading results ------------------------------------------------------------------------- */

/* Money is in the trade's currency and for its whole quantity. */
enum pricer_column {
    PRICER_QUANTITY,
    PRICER_PRICE,
    PRICER_STD_ERROR, /* standard error of the price */
    PRICER_PATHS,     /* that the price took */
    PRICER_REFERENCE,
    PRICER_REFERENCE_ERROR,
    PRICER_Z,          /* (price - reference) / sqrt(std_error^2 + reference_error^2) */
    PRICER_UPPER,      /* of an early exercise, whose price is a lower bound: the upper bound */
    PRICER_UPPER_ERROR /* and its standard error */
};

enum pricer_trade_status {
    PRICER_TRADE_OK,        /* agrees with its reference */
    PRICER_TRADE_DISAGREES, /* does not */
    PRICER_TRADE_UNCHECKED, /* priced, but compared with nothing */
    PRICER_TRADE_FAILED,    /* not priced: the message says why */
    PRICER_TRADE_EXPIRED,   /* worth nothing, or the cash that it still pays */
    PRICER_TRADE_REFUSED    /* not read: its own keys are wrong */
};

/* A number with its standard error and, where there is one, the same of an independent
 * reference. */
struct pricer_value {
    double value, std_error, reference, reference_error, z;
};

/* Returns how many trades the book has: rows are 0 to that less 1, in the order of the book. 0
 * before pricer_price(). */
PRICER_API int pricer_trades(const struct pricer_results *results);
PRICER_API const char *pricer_trade_id(const struct pricer_results *results, int trade);
PRICER_API const char *pricer_trade_currency(const struct pricer_results *results, int trade);
PRICER_API double pricer_number(const struct pricer_results *results, enum pricer_column column,
                                int trade);
/* Returns the status of a trade; PRICER_TRADE_FAILED where there is no such trade. */
PRICER_API enum pricer_trade_status pricer_trade_status(const struct pricer_results *results,
                                                        int trade);
/* Returns "ok", "disagrees", ... as files write it; never NULL. */
PRICER_API const char *pricer_trade_status_text(enum pricer_trade_status status);
/* Returns one line; NULL where there is nothing to say. */
PRICER_API const char *pricer_trade_message(const struct pricer_results *results, int trade);

/* Returns how many trades, and Greeks and scenarios of trades, are to be looked at before the
 * numbers are used: refused, failed, far from their reference, or not valued. Before
 * pricer_price(): trades that were refused. */
PRICER_API int pricer_troubles(const struct pricer_results *results);

/* Returns the digest of the results: equal digests mean equal bits of all prices and their
 * errors. */
PRICER_API uint64_t pricer_digest(const struct pricer_results *results);

/* Say what it ran on: "cuda" or "cpu"; the kernel; the device. */
PRICER_API const char *pricer_engine(const struct pricer_results *results);
PRICER_API const char *pricer_kernel(const struct pricer_results *results);
PRICER_API const char *pricer_device(const struct pricer_results *results);

/* Give the Greeks that the book asks for: 0 to count less 1, each with a name: `delta:SX5E`,
 * `vega:SX5E@0.5`, `rho:EUR`, `theta`, `cross_gamma:SX5E:DAX`. A delta is per unit of spot, a gamma
 * the same twice, a vega per 1.00 of volatility, a rho per 1.00 of rate, a theta per year. NaN of a
 * trade that does not depend on it. */
PRICER_API int pricer_greeks(const struct pricer_results *results);
PRICER_API const char *pricer_greek_name(const struct pricer_results *results, int greek);
PRICER_API struct pricer_value pricer_greek(const struct pricer_results *results, int greek,
                                            int trade);

/* Give the P&L under the scenarios of the book, against today's value. Trade -1: the whole book, in
 * its reporting currency. */
PRICER_API int pricer_scenarios(const struct pricer_results *results);
PRICER_API const char *pricer_scenario_name(const struct pricer_results *results, int scenario);
PRICER_API struct pricer_value pricer_scenario(const struct pricer_results *results, int scenario,
                                               int trade);

/* ---- results as columns ---------------------------------------------------------------------- */

/* Tables, a row of each being a trade, or a number of one; the first six are those of the files of
 * results in long form (docs/book-format.md). */
enum pricer_table {
    PRICER_TABLE_PRICES,
    PRICER_TABLE_GREEKS, /* of each trade those that it has */
    PRICER_TABLE_PNL,    /* of scenarios, and of days of the past: totals, then trades */
    PRICER_TABLE_RISK,   /* value at risk and expected shortfall */
    PRICER_TABLE_TOTALS, /* values and Greeks of aggregates, in the reporting currency */
    PRICER_TABLE_TAGS,
    PRICER_TABLE_GROUPS,       /* the plan: trades that share paths, and their kernel and why */
    PRICER_TABLE_GROUP_TRADES, /* and which they are: rows of `groups`, from 0, and trades */
    PRICER_TABLE_KERNELS       /* of all engines; `ready` is 1 where the engine can run here */
};

/* Say what a table has: its name, "prices"; how many columns; their names; and whether one holds
 * texts (nonzero), else numbers. NULL or 0 beyond the last. */
PRICER_API const char *pricer_table_name(enum pricer_table table);
PRICER_API int pricer_table_columns(enum pricer_table table);
PRICER_API const char *pricer_table_column(enum pricer_table table, int column);
PRICER_API int pricer_table_is_text(enum pricer_table table, int column);

/* Returns the number of rows; 0 before what it shows was computed, -1 without memory. */
PRICER_API int64_t pricer_table_rows(struct pricer_results *results, enum pricer_table table);

/* Return a column [*n] by its name: numbers, NaN where there is none; texts, NULL where there is
 * none. NULL where there is no such column of that kind, or no memory (pricer_message()). Bits are
 * those of the results, not rounded. They belong to the results, and stay until these are released
 * or a call of pricer_price() or pricer_risk() has something to compute. */
PRICER_API const double *pricer_column(struct pricer_results *results, enum pricer_table table,
                                       const char *name, int64_t *n);
PRICER_API const char *const *pricer_text_column(struct pricer_results *results,
                                                 enum pricer_table table, const char *name,
                                                 int64_t *n);

/* Take a table as it is now, read its columns as those of the results, and release it (NULL is
 * accepted). Changes of the results do not change it. Nothing is copied. Any thread may read or
 * release it, while others price. PRICER_BAD_INPUT: there is no such table; PRICER_NO_MEMORY:
 * *snapshot is NULL then. */
PRICER_API enum pricer_status pricer_snapshot_take(struct pricer_results *results,
                                                   enum pricer_table table,
                                                   struct pricer_snapshot **snapshot);
PRICER_API const double *pricer_snapshot_column(const struct pricer_snapshot *snapshot,
                                                const char *name, int64_t *n);
PRICER_API const char *const *pricer_snapshot_text_column(const struct pricer_snapshot *snapshot,
                                                          const char *name, int64_t *n);
PRICER_API void pricer_snapshot_free(struct pricer_snapshot *snapshot);

/* ---- results for other programs -------------------------------------------------------------- */

/* Arrow's C data interface and C stream interface, as their pages define them
 * (https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html), unless another
 * header has done so. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset;
    int64_t n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* Gives a table as a stream of one batch: columns of float64 (without a copy) and utf8, where NaN
 * and NULL are nulls. The caller releases the stream, and what it takes from it, by their
 * callbacks, in any order, on any thread, before or after the results are released.
 * PRICER_BAD_INPUT: there is no such table; PRICER_NO_MEMORY: nothing is to be released then. */
PRICER_API enum pricer_status pricer_arrow(struct pricer_results *results, enum pricer_table table,
                                           struct ArrowArrayStream *stream);

#ifdef __cplusplus
}
#endif

#endif
