#include "app/database/stored_runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Terms without what passes by itself: dates of schedules that are over, and what they saw. */
#define LASTING(terms)                                                                             \
    "json_remove(" terms ", '$.past_count', '$.past_average', '$.past_years', '$.past_variance', " \
    "'$.past_level', '$.past_returns', '$.past_observations', '$.past_missed', '$.hit', "          \
    "'$.extreme', '$.fixings', '$.fixing_times', '$.monitoring', '$.reset_times', "                \
    "'$.observation_times', '$.exercise_times')"

/* Whether a schedule has no more dates than before. */
#define NO_LONGER(key)                                                                             \
    " AND (json_type(b.terms, '$." key "') IS NULL OR"                                             \
    " (json_extract(a.terms, '$." key "') >= json_extract(b.terms, '$." key "')"                   \
    " AND json_type(a.terms, '$." key "') = json_type(b.terms, '$." key "')))"

/* ?1 and ?2 are the runs of the two nights. */
static const char *const tables[] = {
    "CREATE TEMP TABLE nights AS"
    " SELECT 1 AS night, * FROM main.runs WHERE run = ?1 UNION ALL SELECT 2, * FROM other.runs "
    "WHERE run = "
    "?2",

    "CREATE TEMP TABLE moves AS"
    " WITH a AS (SELECT *, row_number() OVER (PARTITION BY owner, input ORDER BY position) AS rank"
    "            FROM main.inputs WHERE run = ?1),"
    "      b AS (SELECT *, row_number() OVER (PARTITION BY owner, input ORDER BY position) AS rank"
    "            FROM other.inputs WHERE run = ?2)"
    " SELECT a.owner, a.input, a.time, a.strike, a.value AS before, b.value AS after"
    " FROM a JOIN b USING (owner, input, rank)"
    /* Correlations that are not stored are 0. */
    " UNION ALL SELECT owner, input, NULL, NULL, value, 0.0 FROM a WHERE input LIKE 'correlation %'"
    "  AND (owner, input) NOT IN (SELECT owner, input FROM b)"
    " UNION ALL SELECT owner, input, NULL, NULL, 0.0, value FROM b WHERE input LIKE 'correlation %'"
    "  AND (owner, input) NOT IN (SELECT owner, input FROM a)",

    "CREATE TEMP TABLE both AS"
    " SELECT a.trade, a.id, a.product, a.assets, a.currency, a.terms AS terms_before, b.terms AS "
    "terms_after,"
    "  a.quantity AS quantity_before, b.quantity AS quantity_after,"
    "  (a.product, a.assets, a.model, a.currency, a.quantity) IS"
    "  (b.product, b.assets, b.model, b.currency, b.quantity) AND (a.terms = b.terms OR"
    "   ((SELECT x.valuation_date < y.valuation_date FROM nights x, nights y WHERE x.night = 1 AND"
    "     y.night = 2) AND abs(json_extract(a.terms, '$.expiry')) > 1000 AND " LASTING(
        "a.terms") " = " LASTING("b.terms") NO_LONGER("fixings") NO_LONGER("fixing_times")
        NO_LONGER("monitoring") NO_LONGER("reset_times") NO_LONGER("observation_times") NO_LONGER(
            "exercise_times") ")) AS "
                              "same,"
                              "  p.price AS before, q.price AS after, q.price - p.price AS change,"
                              "  p.std_error * p.std_error + q.std_error * q.std_error AS variance,"
                              "  p.std_error AS error_before, q.std_error AS error_after,"
                              "  p.verdict AS verdict_before, q.verdict AS verdict_after, "
                              "q.message, b.file, b.line"
                              " FROM main.trades a JOIN other.trades b ON b.run = ?2 AND b.id = "
                              "a.id"
                              " JOIN main.prices p ON p.run = a.run AND p.trade = a.trade"
                              " JOIN other.prices q ON q.run = b.run AND q.trade = b.trade WHERE "
                              "a.run = ?1",

    /* The first night's Greeks times the moves; of curves and surfaces, the average move. */
    "CREATE TEMP TABLE explanation AS"
    " WITH steps AS (SELECT owner, input, avg(after - before) AS move FROM moves GROUP BY owner, "
    "input),"
    "  pillars AS (SELECT owner, time, avg(after - before) AS move FROM moves WHERE input = "
    "'volatility'"
    "              GROUP BY owner, time),"
    "  bucketed AS (SELECT DISTINCT asset FROM main.sensitivities WHERE run = ?1 AND greek = "
    "'vega_bucket'),"
    "  dates AS (SELECT (julianday(b.valuation_date) - julianday(a.valuation_date)) / 365.0 AS "
    "years"
    "            FROM nights a, nights b WHERE a.night = 1 AND b.night = 2 AND ?2)"
    " SELECT g.trade,"
    "  total(CASE s.greek WHEN 'delta' THEN g.value * x.move END) AS delta,"
    "  total(CASE s.greek WHEN 'gamma' THEN 0.5 * g.value * x.move * x.move"
    "                     WHEN 'cross_gamma' THEN g.value * x.move * y.move END) AS gamma,"
    "  total(CASE WHEN s.greek = 'vega_bucket' THEN g.value * pillars.move"
    "             WHEN s.greek = 'vega' AND s.asset NOT IN bucketed THEN g.value * v.move END) AS "
    "vega,"
    "  total(CASE s.greek WHEN 'rho' THEN g.value * r.move END) AS rho,"
    "  total(CASE WHEN s.greek = 'theta' AND abs(json_extract(t.terms, '$.expiry')) > 1000"
    "             THEN g.value * dates.years END) AS theta," /* an expiry in years comes no nearer
                                                              */
    "  total(CASE s.greek WHEN 'correlation' THEN g.value * c.move END) AS correlation"
    " FROM main.greeks g JOIN main.sensitivities s USING (run, sensitivity)"
    " JOIN main.trades t USING (run, trade) JOIN dates"
    " LEFT JOIN steps x ON x.owner = s.asset AND x.input = 'spot'"
    " LEFT JOIN steps y ON y.owner = s.other AND y.input = 'spot'"
    " LEFT JOIN steps v ON v.owner = s.asset AND v.input = 'volatility'"
    " LEFT JOIN pillars ON pillars.owner = s.asset AND abs(pillars.time - s.bucket) < 1e-6"
    " LEFT JOIN steps r ON r.owner = s.currency AND r.input = 'rate'"
    " LEFT JOIN steps c ON c.owner IN (s.asset, s.other)"
    "  AND c.input = 'correlation ' || CASE c.owner WHEN s.asset THEN s.other ELSE s.asset END"
    " WHERE g.run = ?1 GROUP BY g.trade",

    /* What expired in between is gone; of what was amended the Greeks explain nothing. */
    "CREATE TEMP TABLE changes AS"
    " WITH of_both AS (SELECT both.*, same AND NOT (verdict_after = 'expired' AND verdict_before "
    "<> "
    "'expired') AS alike, verdict_after = 'expired' AND verdict_before <> 'expired' AS over FROM "
    "both)"
    " SELECT id, currency, before, after, 0.0 AS new, change * over AS gone,"
    "  change * (NOT same AND NOT over) AS amended,"
    "  coalesce(delta * alike, 0.0) AS delta, coalesce(gamma * alike, 0.0) AS gamma,"
    "  coalesce(vega * alike, 0.0) AS vega, coalesce(rho * alike, 0.0) AS rho,"
    "  coalesce(theta * alike, 0.0) AS theta, coalesce(correlation * alike, 0.0) AS correlation,"
    "  error_before, error_after"
    " FROM of_both LEFT JOIN explanation USING (trade) WHERE change IS NOT NULL AND ?1 AND ?2"
    " UNION ALL SELECT id, currency, 0.0, price, price, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "
    "0.0,"
    "  std_error FROM other.trades JOIN other.prices USING (run, trade)"
    " WHERE run = ?2 AND price IS NOT NULL AND id NOT IN (SELECT id FROM both)"
    " UNION ALL SELECT id, currency, price, 0.0, 0.0, -price, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,"
    "  std_error, 0.0 FROM main.trades JOIN main.prices USING (run, trade)"
    " WHERE run = ?1 AND price IS NOT NULL AND id NOT IN (SELECT id FROM both)",

    "CREATE TEMP TABLE change_tags (id TEXT, tag TEXT, value TEXT, PRIMARY KEY (id, tag))",
    "INSERT INTO change_tags SELECT id, tag, value FROM other.trades JOIN other.tags USING (run, "
    "trade) WHERE run = ?2 AND ?1",
    "INSERT OR IGNORE INTO change_tags SELECT id, tag, value FROM main.trades JOIN main.tags USING "
    "(run, trade) WHERE run = ?1 AND id NOT IN (SELECT id FROM other.trades WHERE run = ?2)",

    /* The sums of each number by currency: of all trades, then by each tag. */
    "CREATE TEMP TABLE explained AS"
    " WITH ways AS (SELECT 'total' AS way UNION ALL SELECT DISTINCT tag FROM change_tags)"
    " SELECT way, CASE way WHEN 'total' THEN 'total' ELSE coalesce((SELECT value FROM change_tags t"
    "   WHERE t.id = changes.id AND t.tag = way), '(none)') END AS of,"
    "  currency, count(*) AS trades, total(before) AS before, total(after) AS after,"
    "  total(new) AS new, total(gone) AS gone, total(amended) AS amended, total(delta) AS delta,"
    "  total(gamma) AS gamma, total(vega) AS vega, total(rho) AS rho, total(theta) AS theta,"
    "  total(correlation) AS correlation,"
    "  total(error_before) AS error_before, total(error_after) AS error_after"
    " FROM changes, ways GROUP BY way, of, currency",
};

/* ---- the runs -------------------------------------------------------------------------------- */

static enum status find_run(const struct database *database, const char *schema, const char *path,
                            int64_t skip, int64_t *run, struct message *why)
{
    char sql[256];
    struct statement statement = {0};
    bool there;
    enum status status = STATUS_OK;
    snprintf(
        sql, sizeof sql,
        "SELECT run FROM %s.runs WHERE status = 'complete' AND run = coalesce(nullif(?, 0), run)"
        " ORDER BY run DESC LIMIT 1 OFFSET ?",
        schema);
    TRY(statement_begin(database, sql, &statement, why));
    put_integer(&statement, *run);
    put_integer(&statement, skip);
    TRY(statement_next(&statement, &there, why));
    if (there) {
        *run = get_integer(&statement, 0);
    } else {
        if (*run)
            snprintf(why->text, sizeof why->text, "%.300s has no complete run %" PRId64, path,
                     *run);
        else
            snprintf(why->text, sizeof why->text, "%.300s has %s complete run", path,
                     skip ? "no two, only one or no," : "no");
        status = STATUS_BAD_INPUT;
    }
done:
    statement_end(&statement);
    return status;
}

/* ---- the databases --------------------------------------------------------------------------- */

/* Opens the first, and the second beside it, after a look whether it is one of ours. */
static enum status open_both(const struct stored_run nights[2], struct database *database,
                             struct message *why)
{
    struct database second = {0};
    struct statement statement = {0};
    enum status status = STATUS_OK;
    TRY(database_read(nights[0].path, database, why));
    TRY(database_read(nights[1].path, &second, why));
    TRY(statement_begin(database, "ATTACH ? AS other", &statement, why));
    put_text(&statement, nights[1].path);
    TRY(statement_run(&statement, why));
done:
    statement_end(&statement);
    database_close(&second);
    return status;
}

static enum status fill_tables(const struct stored_run nights[2], const struct database *database,
                               struct message *why)
{
    enum status status = STATUS_OK;
    struct statement statement = {0};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        TRY(statement_begin(database, tables[i], &statement, why));
        if (sqlite3_bind_parameter_count(statement.handle)) {
            put_integer(&statement, nights[0].run);
            put_integer(&statement, nights[1].run);
        }
        TRY(statement_run(&statement, why));
        statement_end(&statement);
    }
done:
    statement_end(&statement);
    return status;
}

enum status run_before(const char *path, int64_t run, int64_t *before, struct message *why)
{
    enum status status = STATUS_OK;
    struct database database = {0};
    struct statement statement = {0};
    bool there;
    TRY(database_read(path, &database, why));
    TRY(statement_begin(&database,
                        "SELECT max(run) FROM runs WHERE status = 'complete' AND run < ?",
                        &statement, why));
    put_integer(&statement, run);
    TRY(statement_next(&statement, &there, why));
    *before = there ? get_integer(&statement, 0) : 0;
done:
    statement_end(&statement);
    database_close(&database);
    return status;
}

enum status stored_runs_open(struct stored_run nights[2], struct database *database,
                             struct message *why)
{
    enum status status = STATUS_OK;
    bool alone = !nights[1].path;
    struct stored_run both[2] = {nights[0], alone ? nights[0] : nights[1]};
    if (alone) both[1].run = 0;
    status = open_both(both, database, why);
    if (status == STATUS_FILE) status = STATUS_BAD_INPUT;
    TRY(status);
    TRY(find_run(database, "other", both[1].path, 0, &both[1].run, why));
    TRY(find_run(database, "main", both[0].path, alone && !both[0].run, &both[0].run, why));
    TRY(fill_tables(both, database, why));
    nights[0].run = both[0].run;
    nights[1].run = both[1].run;
done:
    return status;
}
