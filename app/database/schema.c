#include "app/database/database.h"

/* clang-format off */
#define TABLE(name, columns) "CREATE TABLE IF NOT EXISTS " name " (" columns ") STRICT, WITHOUT ROWID;"

/* What a row belongs to, with which it goes: a run; and in addition a trade of it, or what else is
 * in a table of its own. */
#define OF_RUN " run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
#define OF(key, table) ", FOREIGN KEY (run, " key ") REFERENCES " table " ON DELETE CASCADE"
#define OF_TRADE OF("trade", "trades")
#define OF_AGGREGATE OF("aggregate", "aggregates")

/* A profit and loss by two keys of other tables. */
#define PNL_TABLE(name, key, other, owners) \
TABLE(name, " run INTEGER NOT NULL, " key " INTEGER NOT NULL, " other " INTEGER NOT NULL, value REAL NOT NULL, std_error REAL," \
      " PRIMARY KEY (run, " key ", " other ")" owners)

#define TAIL " confidence REAL NOT NULL, var REAL, var_error REAL, var_low REAL, var_high REAL," \
             " shortfall REAL, shortfall_error REAL, shortfall_low REAL, shortfall_high REAL,"

const char schema_sql[] =
"CREATE TABLE IF NOT EXISTS runs ("
" run INTEGER PRIMARY KEY AUTOINCREMENT,"
" status TEXT NOT NULL CHECK (status IN ('unfinished', 'complete')),"
" exit_status INTEGER,"
" writer INTEGER NOT NULL,"
" identity TEXT NOT NULL,"
" version TEXT NOT NULL, git_commit TEXT NOT NULL,"
" book TEXT NOT NULL, book_name TEXT NOT NULL, valuation_date TEXT,"
" seed INTEGER NOT NULL, paths INTEGER NOT NULL, path_steps INTEGER NOT NULL,"
" plan_digest TEXT NOT NULL, results_digest TEXT,"
" engine TEXT NOT NULL, kernel TEXT, device TEXT, threads INTEGER NOT NULL, currency TEXT,"
" began TEXT NOT NULL, ended TEXT,"
" load_seconds REAL, plan_seconds REAL, start_seconds REAL, price_seconds REAL, gpu_busy_seconds REAL,"
" check_seconds REAL, risk_seconds REAL"
") STRICT;"
TABLE("routes", OF_RUN
      " route INTEGER NOT NULL, kernel TEXT NOT NULL, why TEXT NOT NULL, groups INTEGER NOT NULL,"
      " PRIMARY KEY (run, route)")
TABLE("inputs", OF_RUN
      " position INTEGER NOT NULL, owner TEXT NOT NULL, input TEXT NOT NULL, time REAL, strike REAL, value REAL NOT NULL,"
      " PRIMARY KEY (run, position)")
TABLE("fx_rates", OF_RUN " currency TEXT NOT NULL, rate REAL NOT NULL, PRIMARY KEY (run, currency)")

TABLE("trades", OF_RUN
      " trade INTEGER NOT NULL, id TEXT NOT NULL, product TEXT, assets TEXT, model TEXT,"
      " currency TEXT, quantity REAL, terms TEXT NOT NULL, file TEXT, line INTEGER,"
      " PRIMARY KEY (run, trade), UNIQUE (run, id)")
TABLE("scripts", OF_RUN " digest TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, digest)")
TABLE("tags", " run INTEGER NOT NULL, trade INTEGER NOT NULL, tag TEXT NOT NULL, value TEXT NOT NULL,"
      " PRIMARY KEY (run, trade, tag)" OF_TRADE)
"CREATE TABLE IF NOT EXISTS prices ("
" run INTEGER NOT NULL, trade INTEGER NOT NULL,"
#define COLUMN(name, field, traits, heading, title)
#define PRICE_COLUMN(name, field, traits, heading, title, sql) " " sql ","
#include "app/api/columns.def"
" PRIMARY KEY (run, trade)" OF_TRADE
") STRICT, WITHOUT ROWID;"

TABLE("sensitivities", OF_RUN
      " sensitivity INTEGER NOT NULL, name TEXT NOT NULL, greek TEXT NOT NULL,"
      " asset TEXT, other TEXT, currency TEXT, bucket REAL, strike REAL,"
      " PRIMARY KEY (run, sensitivity), UNIQUE (run, name)")
TABLE("greeks", " run INTEGER NOT NULL, trade INTEGER NOT NULL, sensitivity INTEGER NOT NULL,"
      " value REAL NOT NULL, std_error REAL, reference REAL, reference_error REAL, z REAL, bump REAL, method TEXT NOT NULL,"
      " PRIMARY KEY (run, trade, sensitivity)" OF_TRADE OF("sensitivity", "sensitivities"))
TABLE("scenarios", OF_RUN " scenario INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run, scenario)")
PNL_TABLE("scenario_pnl", "scenario", "trade", OF_TRADE OF("scenario", "scenarios"))
TABLE("days", OF_RUN " day INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run, day)")
PNL_TABLE("day_pnl", "day", "trade", OF_TRADE OF("day", "days"))
TABLE("tails", " run INTEGER NOT NULL, trade INTEGER NOT NULL," TAIL
      " PRIMARY KEY (run, trade, confidence)" OF_TRADE)

TABLE("aggregates", OF_RUN
      " aggregate INTEGER NOT NULL,"
      " tag TEXT NOT NULL, name TEXT NOT NULL, n_trades INTEGER NOT NULL, worth REAL, worth_error REAL,"
      " PRIMARY KEY (run, aggregate), UNIQUE (run, tag, name)")
TABLE("aggregate_greeks", " run INTEGER NOT NULL, aggregate INTEGER NOT NULL, sensitivity INTEGER NOT NULL,"
      " n INTEGER NOT NULL, value REAL NOT NULL, error_at_most REAL,"
      " PRIMARY KEY (run, aggregate, sensitivity)" OF_AGGREGATE OF("sensitivity", "sensitivities"))
PNL_TABLE("aggregate_scenarios", "aggregate", "scenario", OF_AGGREGATE OF("scenario", "scenarios"))
PNL_TABLE("aggregate_days", "aggregate", "day", OF_AGGREGATE OF("day", "days"))
TABLE("aggregate_tails", " run INTEGER NOT NULL, aggregate INTEGER NOT NULL," TAIL
      " component_var REAL, component_var_error REAL, component_shortfall REAL, component_shortfall_error REAL,"
      " incremental_var REAL, incremental_var_error REAL,"
      " incremental_shortfall REAL, incremental_shortfall_error REAL,"
      " PRIMARY KEY (run, aggregate, confidence)" OF_AGGREGATE)

"CREATE TABLE IF NOT EXISTS sections (" OF_RUN
" kind TEXT NOT NULL, digest TEXT NOT NULL, content BLOB NOT NULL, content_digest TEXT NOT NULL,"
" PRIMARY KEY (run, kind, digest)"
") STRICT;"
"CREATE INDEX IF NOT EXISTS kept_references ON sections (digest) WHERE kind = 'kept reference';";
/* clang-format on */
