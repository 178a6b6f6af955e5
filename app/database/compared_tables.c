#include "app/database/stored_runs.h"

/* clang-format off */

/* Terms without what passes by itself: dates of schedules that are over, and what they saw. */
#define LASTING(terms) \
"json_remove(" terms ", '$.past_count', '$.past_average', '$.past_years', '$.past_variance'," \
" '$.past_level', '$.past_returns', '$.past_observations', '$.past_missed', '$.hit', '$.extreme'," \
" '$.fixings', '$.monitoring', '$.reset_times', '$.observation_times', '$.coupon_years'," \
" '$.exercise', '$.dates_ahead', '$.ahead')"

/* Whether a schedule has no more dates than before. */
#define NO_LONGER(key) \
" AND (json_type(b.terms, '$." key "') IS NULL OR" \
"  (json_type(a.terms, '$." key "') IS json_type(b.terms, '$." key "')" \
"   AND json_extract(a.terms, '$." key "') >= json_extract(b.terms, '$." key "')))"

/* Whether the dates that the second night has to come are those that the first night had. */
#define SAME_DATES \
" AND (json_type(a.terms, '$.dates_ahead') IS NULL OR json_type(b.terms, '$.dates_ahead') IS NULL OR" \
"  (SELECT group_concat(value) FROM json_each(a.terms, '$.dates_ahead') WHERE value >" \
"   (SELECT julianday(valuation_date) - 2440587.5 FROM nights WHERE night = 2)) IS" \
"  (SELECT group_concat(value) FROM json_each(b.terms, '$.dates_ahead')))"

/* Whether a row of an asset's buckets, or of another sensitivity, is of the same thing in both
 * nights: buckets by their dates. */
#define SENSITIVITY_KEY(in_night) \
" CASE WHEN bucket IS NULL THEN name ELSE coalesce(asset, currency) || '@' || coalesce((SELECT date FROM pillars p" \
"   WHERE (p.night, p.owner, p.input) = (" in_night ", coalesce(asset, currency), " \
"    CASE greek WHEN 'rho_bucket' THEN 'rate' WHEN 'yield_bucket' THEN 'yield' WHEN 'cash_dividend' THEN 'dividend'" \
"     ELSE 'volatility' END) AND abs(p.time - bucket) < 1e-6)," \
"  dense_rank() OVER (PARTITION BY greek, asset, currency ORDER BY bucket)) || coalesce('/' || coalesce(strike, other), '') END AS key"

/* Whether a Greek is of one quote, whose own move it is multiplied by. */
#define OF_QUOTES(greek) \
" (" greek " IN ('vega_strike', 'vega_quote', 'rho_bucket', 'yield_bucket', 'cash_dividend') OR " greek " LIKE 'heston^_%' ESCAPE '^' OR " greek " LIKE 'jump^_%' ESCAPE '^')"

const char *const compared_tables[] = {
"CREATE TEMP TABLE nights AS"
" SELECT 1 AS night, * FROM main.runs WHERE run = ?1"
" UNION ALL SELECT 2, * FROM other.runs WHERE run = ?2",
"CREATE TEMP TABLE elapsed AS SELECT (julianday(b.valuation_date) - julianday(a.valuation_date)) / 365.0 AS years"
" FROM nights a, nights b WHERE a.night = 1 AND b.night = 2",

/* Dates of curves and surfaces, numbered in order. Where all of the second night's, up to the last
 * of the first night's, are among those, they have the numbers of the same dates, 0 for one behind:
 * some may be over. Else they are as many years or tenors ahead as before. */
"CREATE TEMP TABLE pillars AS"
" WITH a AS (SELECT DISTINCT owner, input, time, dense_rank() OVER (PARTITION BY owner, input ORDER BY time) AS date"
"        FROM main.inputs WHERE run = ?1 AND time IS NOT NULL AND input <> 'return'),"
"  b AS (SELECT DISTINCT owner, input, time, dense_rank() OVER (PARTITION BY owner, input ORDER BY time) AS date,"
"         time + years AS at"
"        FROM other.inputs, elapsed WHERE run = ?2 AND time IS NOT NULL AND input <> 'return'),"
"  met AS (SELECT b.*, a.date AS same FROM b LEFT JOIN a"
"           ON (a.owner, a.input) = (b.owner, b.input) AND abs(a.time - b.at) < 1e-6),"
"  dated AS (SELECT owner, input FROM met JOIN (SELECT owner, input, max(time) AS last FROM a GROUP BY owner, input)"
"             USING (owner, input) WHERE at < last + 1e-6 GROUP BY owner, input HAVING count(*) = count(same))"
" SELECT 1 AS night, * FROM a UNION ALL"
" SELECT 2, owner, input, time, iif((owner, input) IN dated, coalesce(same, 0), date) FROM met",
"CREATE INDEX temp.pillars_places ON pillars (night, owner, input, time)",

#define ON_PILLARS(inputs, in_night) \
" SELECT i.*, coalesce(date, row_number() OVER (PARTITION BY i.owner, i.input ORDER BY position)) AS date," \
"  row_number() OVER (PARTITION BY i.owner, i.input, i.time ORDER BY position) AS place" \
" FROM " inputs " i LEFT JOIN pillars p ON (p.night, p.owner, p.input, p.time) = (" in_night ", i.owner, i.input, i.time)"

"CREATE TEMP TABLE moves AS"
" WITH a AS (" ON_PILLARS("main.inputs", "1") " WHERE run = ?1),"
"      b AS (" ON_PILLARS("other.inputs", "2") " WHERE run = ?2)"
" SELECT a.owner, a.input, a.time, a.strike, a.value AS before, b.value AS after"
" FROM a JOIN b USING (owner, input, date, place)"
/* Correlations that are not stored are 0. */
" UNION ALL SELECT owner, input, NULL, NULL, value, 0.0 FROM a WHERE input LIKE 'correlation %'"
"  AND (owner, input) NOT IN (SELECT owner, input FROM b)"
" UNION ALL SELECT owner, input, NULL, NULL, 0.0, value FROM b WHERE input LIKE 'correlation %'"
"  AND (owner, input) NOT IN (SELECT owner, input FROM a)",

/* `alike`: the same but for the model. */
"CREATE TEMP TABLE both AS"
" WITH pairs AS (SELECT a.trade, b.trade AS trade_after, a.id, a.product, a.assets, a.currency, b.currency AS currency_after,"
"   a.terms AS terms_before, b.terms AS terms_after,"
"   a.quantity AS quantity_before, b.quantity AS quantity_after, a.model IS b.model AS same_model,"
"   (a.product, a.assets, a.currency, a.quantity) IS (b.product, b.assets, b.currency, b.quantity)"
"    AND (a.terms = b.terms OR"
"     ((SELECT years > 0.0 FROM elapsed) AND abs(json_extract(a.terms, '$.expiry')) > 1000"
"      AND " LASTING("a.terms") " = " LASTING("b.terms")
       NO_LONGER("fixings") NO_LONGER("monitoring") NO_LONGER("reset_times")
       NO_LONGER("observation_times") NO_LONGER("exercise") SAME_DATES
"     )) AS alike, json_extract(a.terms, '$.ahead') IS json_extract(b.terms, '$.ahead') AS steady,"
"   json_extract(a.terms, '$.strike') AS strike, abs(json_extract(a.terms, '$.expiry')) > 1000 AS dated,"
"   json_extract(a.terms, '$.expiry') BETWEEN 1000 AND"
"    (SELECT julianday(valuation_date) - 2440587.5 FROM nights WHERE night = 2) AS due,"
"   iif(abs(json_extract(a.terms, '$.expiry')) > 1000, json_extract(a.terms, '$.expiry') -"
"    (SELECT julianday(valuation_date) - 2440587.5 FROM nights WHERE night = 1), 365.0 * json_extract(a.terms,"
"    '$.expiry')) / 365.0 AS expiry, b.file, b.line"
"  FROM main.trades a JOIN other.trades b ON b.run = ?2 AND b.id = a.id WHERE a.run = ?1)"
" SELECT pairs.*, alike AND same_model AS same, p.price AS before, q.price AS after,"
"  q.price - p.price AS change,"
"  p.std_error * p.std_error + q.std_error * q.std_error AS variance,"
"  p.std_error AS error_before, q.std_error AS error_after,"
"  p.verdict AS verdict_before, q.verdict AS verdict_after,"
"  q.verdict = 'expired' AND p.verdict <> 'expired' AS over, p.std_error <= 1e-12 * abs(p.price) AS certain, q.message"
" FROM pairs JOIN main.prices p ON p.run = ?1 AND p.trade = pairs.trade"
" JOIN other.prices q ON q.run = ?2 AND q.trade = pairs.trade_after",
"CREATE INDEX temp.both_places ON both (trade)",

/* The volatilities of surfaces on each of their dates, and the strikes of trades under them: of
 * trades on several assets, or without a strike, the spot. */
"CREATE TEMP TABLE smiles AS"
" SELECT night, owner, date, time, strike, value"
" FROM (SELECT 1 AS night, * FROM main.inputs WHERE run = ?1 UNION ALL SELECT 2, * FROM other.inputs WHERE run = ?2)"
" JOIN pillars USING (night, owner, input, time) WHERE input = 'volatility' AND strike IS NOT NULL AND date > 0",
"CREATE INDEX temp.smiles_places ON smiles (night, owner, date, strike)",

/* What the move of the spot makes of quotes by delta, whose smile goes with it, as at its strikes,
 * where deltas leave it: by the smile's slopes, of parabolas, at the ends too. */
"CREATE TEMP TABLE smile_shifts AS"
" WITH quotes(quote, place, share) AS (VALUES ('atm', 0, 1.0), ('rr25', 1, 1.0), ('rr25', -1, -1.0), ('bf25', 1, 0.5),"
"   ('bf25', -1, 0.5), ('bf25', 0, -1.0), ('rr10', 2, 1.0), ('rr10', -2, -1.0), ('bf10', 2, 0.5), ('bf10', -2, 0.5), ('bf10', 0, -1.0)),"
"  lines AS (SELECT owner, time, strike, (lead(value) OVER on_date - value) / (lead(strike) OVER on_date - strike) AS upper,"
"    (value - lag(value) OVER on_date) / (strike - lag(strike) OVER on_date) AS lower,"
"    (lead(strike) OVER on_date - strike) / (lead(strike) OVER on_date - lag(strike) OVER on_date) AS share,"
"    row_number() OVER on_date - 1 - count(*) OVER (PARTITION BY owner, time) / 2 AS place"
"   FROM smiles WHERE night = 1 WINDOW on_date AS (PARTITION BY owner, time ORDER BY strike)),"
"  inside AS (SELECT *, lower * share + upper * (1.0 - share) AS slope FROM lines),"
"  slopes AS (SELECT *, coalesce(slope, 2.0 * upper - lead(slope) OVER on_date, 2.0 * lower - lag(slope) OVER on_date) AS at"
"   FROM inside WINDOW on_date AS (PARTITION BY owner, time ORDER BY strike))"
" SELECT owner, slopes.time, quote, total(-quotes.share * at * slopes.strike * (after / before - 1.0)) AS shift"
" FROM slopes JOIN quotes USING (place) JOIN moves USING (owner) WHERE input = 'spot' GROUP BY owner, slopes.time, quote",
"CREATE TEMP TABLE trade_strikes AS"
" SELECT both.trade, s.asset AS owner, coalesce(iif(both.assets = s.asset, both.strike, NULL), x.before) AS strike"
" FROM main.greeks g JOIN main.sensitivities s USING (run, sensitivity) JOIN both USING (trade)"
" JOIN moves x ON (x.owner, x.input) = (s.asset, 'spot')"
" WHERE g.run = ?1 AND greek = 'vega' AND s.asset IN (SELECT owner FROM smiles)",
"CREATE INDEX temp.strikes_places ON trade_strikes (trade, owner)",

/* Where a number lies between the dates or strikes `low` and `high`, at whose ends it stays. */
#define BETWEEN(at, low, high, value_low, value_high) \
" CASE WHEN " low " IS NULL OR " low " = " high " THEN " value_high " WHEN " high " IS NULL THEN " value_low \
" ELSE " value_low " + (" value_high " - " value_low ") * (" at " - " low ") / (" high " - " low ") END"

/* By how much each curve moved on its dates, and each surface on them and at those strikes. */
"CREATE TEMP TABLE curve_moves AS"
" WITH places AS (SELECT night, owner, date, time, k,"
"    (SELECT max(strike) FROM smiles s WHERE (s.night, s.owner, s.date) = (d.night, d.owner, d.date) AND s.strike <= k) AS low,"
"    (SELECT min(strike) FROM smiles s WHERE (s.night, s.owner, s.date) = (d.night, d.owner, d.date) AND s.strike >= k) AS high"
"   FROM (SELECT DISTINCT night, owner, date, time FROM smiles) d"
"   JOIN (SELECT DISTINCT owner, strike AS k FROM trade_strikes) USING (owner)),"
"  at AS (SELECT p.night, p.owner, p.date, p.time, k," BETWEEN("k", "low", "high", "x.value", "y.value") " AS value"
"   FROM places p LEFT JOIN smiles x ON (x.night, x.owner, x.date, x.strike) = (p.night, p.owner, p.date, low)"
"   LEFT JOIN smiles y ON (y.night, y.owner, y.date, y.strike) = (p.night, p.owner, p.date, high))"
" SELECT owner, input, -1.0 AS strike, coalesce(time, 0.0) AS time, avg(after - before) AS move,"
"  avg(after + before) / 2.0 AS level FROM moves"
" WHERE input IN ('rate', 'yield', 'volatility') AND strike IS NULL GROUP BY owner, input, 4"
" UNION ALL SELECT a.owner, 'volatility', a.k, a.time, b.value - a.value, (a.value + b.value) / 2.0 FROM at a JOIN at b"
"  ON (b.owner, b.date, b.k) = (a.owner, a.date, a.k) WHERE a.night = 1 AND b.night = 2",
"CREATE INDEX temp.curve_dates ON curve_moves (owner, input, strike, time)",

/* The same at the expiries of trades: what accrues is between two dates on a line, of volatilities
 * the variance; that of a rate or a yield goes on after the last two. The root by a step of Newton's
 * from the line between both volatilities. */
#define ON_LINE(low_value, high_value) \
" ((" low_value ") * (high - expiry) + (" high_value ") * (expiry - low)) / (high - low)"
#define VARIANCE_MOVE ON_LINE("x.level * low * x.move", "y.level * high * y.move") \
" / expiry * 2.0 / (" ON_LINE("x.level", "y.level") " + " ON_LINE("x.level * x.level * low", "y.level * y.level * high") \
" / expiry / (" ON_LINE("x.level", "y.level") "))"
"CREATE TEMP TABLE moves_at AS"
" WITH places AS (SELECT owner, input, strike, expiry FROM (SELECT DISTINCT owner, input, strike FROM curve_moves"
"    WHERE strike = -1.0), (SELECT DISTINCT expiry FROM both)"
"   UNION SELECT owner, 'volatility', t.strike, expiry FROM trade_strikes t JOIN both USING (trade)),"
"  at AS (SELECT *, (SELECT max(time) FROM curve_moves m WHERE (m.owner, m.input, m.strike) ="
"     (p.owner, p.input, p.strike) AND m.time <= expiry) AS low,"
"    (SELECT min(time) FROM curve_moves m WHERE (m.owner, m.input, m.strike) ="
"     (p.owner, p.input, p.strike) AND m.time >= expiry) AS high FROM places p),"
"  ends AS (SELECT *, (SELECT max(time) FROM curve_moves m WHERE (m.owner, m.input, m.strike) ="
"    (a.owner, a.input, a.strike) AND m.time < low AND a.input <> 'volatility' AND high IS NULL) AS before FROM at a)"
" SELECT a.owner, a.input, a.strike, expiry, CASE WHEN a.input <> 'volatility' AND low < high THEN"
  ON_LINE("x.move * low", "y.move * high") " / expiry WHEN low < high THEN" VARIANCE_MOVE
"  WHEN before IS NOT NULL THEN (x.move * low + (x.move * low - z.move * before) * (expiry - low) / (low - before)) / expiry"
"  ELSE" BETWEEN("expiry", "low", "high", "x.move", "y.move") " END AS move"
" FROM ends a LEFT JOIN curve_moves x ON (x.owner, x.input, x.strike, x.time) = (a.owner, a.input, a.strike, low)"
" LEFT JOIN curve_moves y ON (y.owner, y.input, y.strike, y.time) = (a.owner, a.input, a.strike, high)"
" LEFT JOIN curve_moves z ON (z.owner, z.input, z.strike, z.time) = (a.owner, a.input, a.strike, before)",
"CREATE INDEX temp.moves_places ON moves_at (owner, input, strike, expiry)",

/* By what a Greek is to be multiplied; that of a curve is NULL: by the move to a trade's expiry. */
"CREATE TEMP TABLE weights AS"
" WITH steps AS (SELECT owner, input, avg(after - before) AS move FROM moves"
"               WHERE input = 'spot' OR input LIKE 'correlation %' GROUP BY owner, input),"
/* What has Greeks of its parts is explained by those. */
"  in_parts AS (SELECT DISTINCT iif(asset IS NULL, 'rho', 'vega') AS greek, coalesce(asset, currency) AS owner"
"   FROM main.sensitivities WHERE run = ?1 AND greek IN ('vega_bucket', 'vega_strike', 'vega_quote', 'rho_bucket')"
"   UNION SELECT DISTINCT 'vega_bucket', asset FROM main.sensitivities WHERE run = ?1 AND greek IN ('vega_strike', 'vega_quote')"
"   UNION SELECT DISTINCT 'vega_strike', asset FROM main.sensitivities WHERE run = ?1 AND greek = 'vega_quote'"
"   UNION SELECT DISTINCT 'yield', asset FROM main.sensitivities WHERE run = ?1 AND greek = 'yield_bucket'),"
"  quoted AS (SELECT s.sensitivity, avg(after - before) + coalesce((SELECT shift FROM smile_shifts q"
"    WHERE (q.owner, q.quote) = (s.asset, s.other) AND abs(q.time - s.bucket) < 1e-6), 0.0) AS move FROM main.sensitivities s JOIN moves m"
"   ON m.owner = coalesce(s.asset, s.currency) AND m.input = CASE greek WHEN 'vega_strike' THEN 'volatility'"
"    WHEN 'vega_quote' THEN s.other WHEN 'rho_bucket' THEN 'rate' WHEN 'yield_bucket' THEN 'yield' WHEN 'cash_dividend' THEN 'dividend' ELSE replace(replace(greek, 'heston_', 'heston '), 'jump_', 'jumps ') END"
"   AND (s.bucket IS NULL OR abs(m.time - s.bucket) < 1e-6) AND (s.strike IS NULL OR m.strike = s.strike)"
"   WHERE s.run = ?1 AND " OF_QUOTES("greek") " GROUP BY s.sensitivity),"
"  on_dates AS (SELECT owner, time, avg(after - before) AS move FROM moves"
"               WHERE input = 'volatility' GROUP BY owner, time),"
"  first AS (SELECT *," SENSITIVITY_KEY("1") " FROM main.sensitivities WHERE run = ?1),"
"  second AS (SELECT *," SENSITIVITY_KEY("2") " FROM other.sensitivities WHERE run = ?2)"
" SELECT s.sensitivity, z.sensitivity AS later, s.greek,"
"  CASE WHEN s.greek = 'rho_bucket' THEN 'rho' WHEN s.greek IN ('yield_bucket', 'cash_dividend') THEN 'yield'"
"   WHEN s.greek = 'vega_bucket' OR " OF_QUOTES("s.greek") " THEN 'vega'"
"   WHEN s.greek IN ('gamma', 'cross_gamma') THEN 'second_order' ELSE s.greek END AS part,"
"  CASE WHEN s.greek = 'theta' THEN 'time' WHEN s.other IS NOT NULL AND s.bucket IS NULL THEN s.asset || ' ' || s.other"
"   ELSE coalesce(s.asset, s.currency) END AS factor,"
"  CASE s.greek WHEN 'rho' THEN s.currency WHEN 'vega' THEN s.asset WHEN 'yield' THEN s.asset END AS curve,"
"  CASE s.greek WHEN 'rho' THEN 'rate' WHEN 'vega' THEN 'volatility' WHEN 'yield' THEN 'yield' END AS input,"
"  CASE s.greek WHEN 'delta' THEN x.move WHEN 'gamma' THEN 0.5 * x.move * x.move"
"   WHEN 'cross_gamma' THEN x.move * y.move WHEN 'vega_bucket' THEN on_dates.move"
"   WHEN 'theta' THEN elapsed.years WHEN 'correlation' THEN c.move ELSE quoted.move END AS weight"
" FROM first s JOIN elapsed LEFT JOIN second z USING (greek, key)"
" LEFT JOIN quoted ON quoted.sensitivity = s.sensitivity"
" LEFT JOIN steps x ON x.owner = s.asset AND x.input = 'spot'"
" LEFT JOIN steps y ON y.owner = s.other AND y.input = 'spot'"
" LEFT JOIN on_dates ON on_dates.owner = s.asset AND abs(on_dates.time - s.bucket) < 1e-6"
" LEFT JOIN steps c ON c.owner IN (s.asset, s.other)"
"  AND c.input = 'correlation ' || CASE c.owner WHEN s.asset THEN s.other ELSE s.asset END"
" WHERE (s.greek, coalesce(s.asset, s.currency, '')) NOT IN in_parts",

/* What each Greek of the first night makes of its move, and what that of the second does. An expiry
 * in years comes no nearer. */
"CREATE TEMP TABLE products AS"
" WITH weighted AS (SELECT both.trade, both.id, both.steady, w.greek, w.part, w.factor, g.value, g.std_error, h.value AS later,"
"   h.std_error AS later_error,"
"   iif(w.curve IS NULL, w.weight, m.move) AS weight"
"  FROM main.greeks g JOIN weights w USING (sensitivity) JOIN both ON both.trade = g.trade"
"  LEFT JOIN trade_strikes k ON w.input = 'volatility' AND k.trade = g.trade AND k.owner = w.curve"
"  LEFT JOIN moves_at m ON (m.owner, m.input, m.strike, m.expiry) ="
"   (w.curve, w.input, coalesce(k.strike, -1.0), both.expiry)"
"  LEFT JOIN other.greeks h ON h.run = ?2 AND h.trade = both.trade_after AND h.sensitivity = w.later"
"  WHERE g.run = ?1 AND same AND NOT over AND (w.greek <> 'theta' OR both.dated))"
" SELECT trade, id, steady, greek, part, factor, value * weight AS first, later * weight AS second,"
"  std_error * abs(weight) AS error, later_error * abs(weight) AS error_second"
" FROM weighted WHERE weight <> 0.0",

/* Of second order is half of what the change of the Greeks from the one night to the other makes of
 * the moves, where each night has them all and no date was observed in between, at which Greeks
 * jump; else what the first night's gammas do. */
"CREATE TEMP TABLE parts AS"
" WITH whole AS (SELECT trade, min(second IS NOT NULL) AND max(greek = 'delta') >= max(part = 'second_order') AS whole"
"               FROM (SELECT trade, greek, part, iif(part = 'second_order', 0.0, iif(steady, second, NULL)) AS second"
"                     FROM products)"
"               GROUP BY trade)"
/* Both together are the mean of what the Greeks of the two nights make of it, and so are errors. */
" SELECT trade, id, part, factor, first AS value, iif(whole, 0.5, 1.0) * error AS error"
"  FROM products JOIN whole USING (trade) WHERE part <> 'second_order'"
" UNION ALL SELECT trade, id, 'second_order', factor, 0.5 * (second - first), 0.5 * error_second FROM products"
"  JOIN whole USING (trade) WHERE whole AND part <> 'second_order'"
" UNION ALL SELECT trade, id, part, factor, first, error FROM products"
"  JOIN whole USING (trade) WHERE NOT whole AND part = 'second_order'",

#define BY_PARTS(sum) \
"  total(CASE part WHEN 'delta' THEN " sum " END) AS delta," \
"  total(CASE part WHEN 'second_order' THEN " sum " END) AS second_order," \
"  total(CASE part WHEN 'vega' THEN " sum " END) AS vega," \
"  total(CASE part WHEN 'rho' THEN " sum " END) AS rho," \
"  total(CASE part WHEN 'yield' THEN " sum " END) AS yield," \
"  total(CASE part WHEN 'theta' THEN " sum " END) AS theta," \
"  total(CASE part WHEN 'correlation' THEN " sum " END) AS correlation"

"CREATE TEMP TABLE explanation AS SELECT trade," BY_PARTS("value") ", total(error) AS error_explained FROM parts GROUP BY trade",

/* Where each trade's change goes. What was amended, got another model, or has a price on one of
 * the nights alone is a line by itself: Greeks explain nothing of it. A trade that expired in
 * between, or was called, goes to what it owes, and so does cash that has fallen due; owed cash
 * that is settled goes out, and so does the known value of a trade that paid on the first night
 * itself. What was over on both nights is left out. */
"CREATE TEMP TABLE changes AS"
" WITH lines AS ("
"  SELECT both.id, currency, coalesce(before, 0.0) AS before, coalesce(after, 0.0) AS after,"
"   CASE WHEN before IS NULL THEN 'new' WHEN after IS NULL THEN 'gone'"
"    WHEN verdict_before = 'expired' AND verdict_after <> 'expired' OR NOT alike AND NOT ended THEN 'amended'"
"    WHEN ended AND after = 0.0 AND (NOT over OR certain) THEN 'cash' WHEN ended OR due THEN 'expired'"
"    WHEN NOT same_model THEN 'model' ELSE '' END AS line,"
"   coalesce(error_before, 0.0) AS error_before, coalesce(error_after, 0.0) AS error_after, both.trade AS explained"
"  FROM (SELECT *, verdict_after = 'expired' AS ended FROM both) AS both"
"  WHERE coalesce(before, after) IS NOT NULL AND currency = coalesce(currency_after, currency)"
"   AND NOT (verdict_before = 'expired' AND verdict_after = 'expired' AND before = 0.0 AND after = 0.0)"
/* A trade in another currency than before is two. */
"  UNION ALL SELECT id, currency, before, 0.0, 'amended', error_before, 0.0, NULL FROM both"
"   WHERE before IS NOT NULL AND currency <> currency_after"
"  UNION ALL SELECT id, currency_after, 0.0, after, 'amended', 0.0, error_after, NULL FROM both"
"   WHERE after IS NOT NULL AND currency <> currency_after"
"  UNION ALL SELECT id, currency, 0.0, price, 'new', 0.0, std_error, NULL"
"  FROM other.trades JOIN other.prices USING (run, trade) WHERE run = ?2 AND price IS NOT NULL"
"   AND id NOT IN (SELECT id FROM both) AND NOT (verdict = 'expired' AND price = 0.0)"
"  UNION ALL SELECT id, currency, price, 0.0, iif(verdict = 'expired', 'cash', 'gone'), std_error, 0.0, NULL"
"  FROM main.trades JOIN main.prices USING (run, trade) WHERE run = ?1 AND price IS NOT NULL"
"   AND id NOT IN (SELECT id FROM both) AND NOT (verdict = 'expired' AND price = 0.0)),"
"  by_lines AS (SELECT id, currency, before, after, 0.0 AS fx_translation,"
"   iif(line = 'cash', after - before, 0.0) AS cash, iif(line = 'new', after - before, 0.0) AS new,"
"   iif(line = 'gone', after - before, 0.0) AS gone, iif(line = 'amended', after - before, 0.0) AS amended,"
"   iif(line = 'model', after - before, 0.0) AS model, coalesce(delta, 0.0) AS delta,"
"   coalesce(second_order, 0.0) AS second_order, coalesce(vega, 0.0) AS vega, coalesce(rho, 0.0) AS rho,"
"   coalesce(yield, 0.0) AS yield,"
"   coalesce(theta, 0.0) AS theta, coalesce(correlation, 0.0) AS correlation,"
"   iif(line = 'expired', after - before, 0.0) AS expired, error_before, error_after,"
"   coalesce(error_explained, 0.0) AS error_explained, line = '' AS by_greeks"
"  FROM lines LEFT JOIN explanation ON line = '' AND explanation.trade = explained),"
"  rested AS (SELECT *, after - before - cash - new - gone - amended - model - delta - second_order - vega - rho"
"    - yield - theta - correlation - expired AS unexplained,"
"    iif(by_greeks, error_before * error_before + error_after * error_after + error_explained * error_explained, 0.0)"
"     AS variance FROM by_lines)"
/* Beyond four errors is an alarm where the first night has the Greeks that explain a change, but for
 * what is of third order: trades without a path have no error. */
" SELECT *, by_greeks AND unexplained * unexplained > 16.0 * variance AND abs(unexplained) > 1e-9 * (abs(before) + abs(after))"
"   + 1e-3 * (abs(delta) + abs(second_order) + abs(vega) + abs(rho) + abs(yield) + abs(theta) + abs(correlation))"
"  AND (SELECT count(DISTINCT replace(greek, '_bucket', '')) = 4 FROM main.sensitivities"
"   WHERE run = ?1 AND greek IN ('delta', 'vega', 'vega_bucket', 'rho', 'rho_bucket', 'theta')) AS beyond FROM rested",

"CREATE TEMP TABLE change_tags (id TEXT, tag TEXT, value TEXT, PRIMARY KEY (id, tag))",
"INSERT INTO change_tags SELECT id, tag, value FROM other.trades JOIN other.tags USING (run, trade)"
" WHERE run = ?2",
"INSERT OR IGNORE INTO change_tags SELECT id, tag, value FROM main.trades JOIN main.tags USING (run, trade)"
" WHERE run = ?1 AND id NOT IN (SELECT id FROM other.trades WHERE run = ?2)",

/* What a unit of each currency stands for in the sums of the second night, and in those of the
 * first: where that added up in another currency, whose rate it has, in the second's. */
"CREATE TEMP TABLE fx AS"
" WITH a AS (SELECT currency, rate FROM main.fx_rates WHERE run = ?1),"
"  b AS (SELECT currency, rate FROM other.fx_rates WHERE run = ?2),"
"  unit AS (SELECT (SELECT rate FROM a WHERE currency = n.currency) AS rate FROM nights n WHERE night = 2)"
" SELECT currency, coalesce(b.rate, 0.0) AS rate,"
"  iif(unit.rate IS NULL, b.rate, coalesce(a.rate / unit.rate, 0.0)) AS rate_before"
" FROM (SELECT currency FROM a UNION SELECT currency FROM b) LEFT JOIN a USING (currency)"
" LEFT JOIN b USING (currency), unit WHERE coalesce(b.rate, a.rate / unit.rate) IS NOT NULL",

"CREATE TEMP TABLE placed AS"
" WITH ways AS (SELECT 'total' AS way UNION ALL SELECT DISTINCT tag FROM change_tags),"
"  places AS (SELECT way, CASE way WHEN 'total' THEN 'total' ELSE coalesce((SELECT value FROM change_tags t"
"    WHERE t.id = changes.id AND t.tag = way), '(none)') END AS of, id, currency FROM changes, ways)"
" SELECT way, of, id, currency, 0 AS converted, currency AS unit, 1.0 AS rate, 1.0 AS rate_before FROM places"
" UNION ALL SELECT way, of, id, currency, 1, (SELECT currency FROM nights WHERE night = 2), rate, rate_before"
" FROM places JOIN fx USING (currency)",

#define SUM(column) " total(rate * " column ") AS " column
"CREATE TEMP TABLE explained AS"
" SELECT way, of, converted, unit AS currency, count(DISTINCT id) AS trades, total(rate_before * before) AS before," SUM("after") ","
"  total(rate * abs(after - before)) AS gross, total((rate - rate_before) * before) AS fx_translation," SUM("cash") ","
   SUM("new") "," SUM("gone") "," SUM("amended") "," SUM("model") "," SUM("delta") "," SUM("second_order") ","
   SUM("vega") "," SUM("rho") "," SUM("yield") "," SUM("theta") "," SUM("correlation") "," SUM("expired") "," SUM("unexplained") ","
   SUM("error_before") "," SUM("error_after") "," SUM("error_explained") ","
"  total(rate * rate * variance) AS variance, sum(beyond) AS beyond"
" FROM placed JOIN changes USING (id, currency) GROUP BY way, of, converted, unit",

/* Of the trades whose change the Greeks explain: that of others stands in lines of their own. */
"CREATE TEMP TABLE explained_factors AS"
" SELECT way, of, factor, converted, unit AS currency, count(DISTINCT id) AS trades," BY_PARTS("rate * value") ","
"  total(rate * error) AS error"
" FROM placed JOIN parts USING (id) JOIN changes USING (id, currency) WHERE by_greeks"
" GROUP BY way, of, factor, converted, unit",

NULL};
/* clang-format on */
