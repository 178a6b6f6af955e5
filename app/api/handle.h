/* What is behind the three names of app/api/pricer.h, for the library itself and for the parts
 * of the program that show more than the door does: plans, timings, outputs. */
#ifndef PRICER_APP_API_HANDLE_H
#define PRICER_APP_API_HANDLE_H

#include "app/pricing/base/book.h"
#include "app/pricing/value/controls/controls.h"
#include "app/api/pricer.h"
#include "app/pricing/value/rounds.h"
#include "app/api/result_table.h"
#include "app/api/run_results.h"
#include "app/pricing/base/store.h"
#include "kernels/engine.h"
#include "models/base/stop.h"

struct pricer {
    struct pricer_options options;        /* texts and lists of it are owned */
    struct engine_options engine_options; /* of every run, but for kernel and progress */
    struct stop stop;
    bool waking;              /* devices are getting ready */
    bool engine_noted;        /* why a better engine is not used */
    bool plain;               /* what is planned is timed: Philox paths, without control variates */
    struct message why;       /* of the last call */
    char file[LOCATION_TEXT]; /* where it says so, "" where nowhere */
    int line;
};

struct pricer_book {
    struct pricer *pricer;
    struct book book;
    double seconds; /* that reading it took */
    int n_results;
    struct book_tree *tree; /* that it was read from (app/config/load_book.h); owned */
};

struct book_input;

/* Reads a book for a handle: complaints and remarks are told, and the first complaint is the
 * message. */
enum pricer_status book_open(struct pricer *pricer, const struct book_input *input,
                             struct pricer_book **book);

/* Tell whether numbers of the book were changed since it was read; read its market and settings as
 * they now are, `*settings_too` telling whether the settings differ (STATUS_BAD_INPUT and the
 * message: `market` is empty; STATUS_NO_MEMORY); and take the changes for good, or back. */
bool book_is_changed(const struct pricer_book *book);
enum status book_read_again(struct pricer_book *book, struct market *market,
                            struct settings *settings, bool *settings_too);
void book_take_changes(struct pricer_book *book, struct market *market,
                       const struct settings *settings);
void book_undo_changes(struct pricer_book *book);

/* What a run has planned. */
struct planned {
    struct plan plan;
    struct piece_memory *policies; /* of all plans of the run; owned */
    struct controls controls;      /* control variates, where they are asked for, and: */
    struct plan controlled;        /* the trades that have any; `plan` is then of the others */
    struct route_count *routes;    /* [n_routes] of the groups of both plans */
    int n_routes;
    struct refusal *refusals; /* [n_trades] */
    uint64_t digest;          /* once it was asked for: session_plan_digest() */
    bool digested;
    bool *moved; /* [n_trades] to be priced; NULL: all, or once all are priced none */
    bool stale;  /* the plan is that of a market that is gone */
};

/* What it has priced and checked; each list is [n_trades]. */
struct priced {
    bool done; /* with success */
    struct controlled_price *controlled;
    struct tally *tallies;
    struct round_log rounds; /* of the trades, where an accuracy is asked for */
    double *paths;           /* that they took */
    struct estimate *estimates;
    double *check_seconds; /* that the check of each took */
};

/* What it has valued in addition to prices. */
struct risked {
    bool done;
    struct risk risk;
    struct book_sums sums;
};

/* What it shows of all that. */
struct shown {
    struct results results;
    struct trade *joined_trades; /* [results.n] where there are unpriced trades, else NULL, as: */
    struct estimate *joined_estimates; /* what the two point to is not owned */
    char **notes; /* [results.n] what is said of the trade and its market; NULL: nothing */
    struct result_table *tables[N_RESULT_TABLES]; /* NULL: not asked for */
    struct result_table *book_columns; /* of the prices, the same after every pricing; or NULL */
    int *by_id;                        /* [results.n] rows by their identifiers; NULL: not yet */
};

/* A run of a book, as far as it has come. */
struct pricer_results {
    struct pricer *pricer;
    struct pricer_book *owner;
    const struct book *book; /* the owner's */
    const struct engine *engine;
    struct engine_options engine_options;
    struct engine_report report;
    const char *phase; /* that progress is told of */
    struct phases phases;
    struct store store; /* the caller's */
    bool begun;
    struct planned planned;
    struct priced priced;
    struct risked risked;
    struct shown shown;
};

/* Fills the message as printf does, with its place where it begins with one, as `book.cfg:4: `.
 * Returns the status. */
enum status pricer_say(struct pricer *pricer, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Tells a note, where anybody listens; and a list of them, in order. */
void pricer_notify(const struct pricer *pricer, enum pricer_note kind, const char *line);
void pricer_notify_all(const struct pricer *pricer, enum pricer_note kind,
                       const struct complaints *complaints);

/* Begins a call with the pointers that follow, whose names are separated by blanks.
 * STATUS_BAD_INPUT, and the message, where one of them is NULL, or the handle. */
enum status pricer_begin_with(struct pricer *pricer, const char *names, ...);

/* Returns the handle of results; NULL where there are none. */
static inline struct pricer *pricer_of(const struct pricer_results *results)
{
    return results ? results->pricer : NULL;
}

/* Ends a call: the message of a status that has none yet is its text. */
enum pricer_status pricer_end(struct pricer *pricer, enum status status);

/* Puts the options of the handle in place of the settings of a book. STATUS_BAD_INPUT and the
 * message. */
enum status pricer_settle(struct pricer *pricer, struct settings *settings);

/* Waits for devices that still get ready. */
void pricer_await(struct pricer *pricer);

/* The steps of a run (session.c), each with the message where it fails. Prices are those of the
 * trades that moved, or of all. */
enum status session_plan(struct pricer_results *run);
enum status session_price(struct pricer_results *run);
enum status session_risk(struct pricer_results *run);
void session_free(struct pricer_results *run);

/* Brings the plan to what the book has become (reprice.c). */
enum status session_follow(struct pricer_results *run);

/* A group of the plans of a run: those of `plan`, then those of `controlled`. */
struct run_group {
    const struct plan *plan;
    int index; /* of the group in its plan */
    const struct group *group;
    const struct trade *trades; /* that the group has indices of */
};
int session_groups(const struct pricer_results *run);
struct run_group session_group(const struct pricer_results *run, int i);

/* Finds by what a group is simulated. Errors are those of the engine. */
enum status session_route(struct pricer_results *run, const struct run_group *group,
                          struct route *route);

/* Values Greeks, scenarios and the past by an engine, with notes of what could not be (session.c).
 * Errors are those of risk_make(). */
enum status session_make_risk(struct pricer_results *run, const struct engine *engine,
                              struct risk *risk, struct complaints *notes);

/* Returns what a plan of the run takes from the settings of its book. */
struct plan_settings session_plan_settings(const struct pricer_results *run);

/* Makes the rows of all that is known, the risk among it or not; and frees them (run_results.c). */
enum status session_make_results(struct pricer_results *run, bool with_risk);
void session_free_rows(struct pricer_results *run);

/* Finds a table, or makes it, and holds it for whoever may outlive the run (make_tables.c).
 * STATUS_BAD_INPUT and the message: there is no such table; STATUS_NO_MEMORY, and what an engine
 * returns that chooses a kernel. */
enum status session_hold_table(struct pricer_results *run, enum pricer_table kind,
                               struct result_table **table);

/* Forgets the tables that were made, before what they show changes. */
void session_forget_tables(struct pricer_results *run);

/* Returns the digest of the plan, or of both plans; 0 on a rank that follows. */
uint64_t session_plan_digest(struct pricer_results *run);

/* Returns what the outputs show of the run; before it is priced, its manifest alone is right. */
const struct results *session_results(struct pricer_results *run);

#endif
