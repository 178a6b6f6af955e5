#!/usr/bin/env bash
# The example queries of docs/database.md run on a database that pricer wrote, and every table and
# column that it has is named there.
set -euo pipefail
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database_books.sh
trap 'rm -rf "$there"' EXIT
make_book few 2
sed -i 's/"T2"/"it'"'"'s"/' "$there/few.cfg"
database=$there/night.db
for seed in 1 2; do "$PRICER" --engine=cpu --paths=2048 --quiet --check=none --seed=$seed --output="$database" "$there/few.cfg"; done
ask "$database" "UPDATE prices SET verdict = 'disagrees', z = 7.125 WHERE trade = 1"
ask "$database" "INSERT INTO sensitivities VALUES (2, 0, 'delta:A1', 'delta', 'A1', NULL, NULL, NULL);
    INSERT INTO greeks VALUES (2, 0, 0, 0.25, 0.003, NULL, NULL, NULL, 0.01, 'central difference'),
        (2, 2, 0, -0.5, 0.004, NULL, NULL, NULL, 0.01, 'central difference')"

awk -v folder="$there" '/^```sql$/ { n++; file = folder "/" n ".sql"; next } /^```$/ { file = ""; next } file { print >file }' docs/database.md
[[ $(ls "$there"/*.sql | wc -l) == 3 ]] || fail "docs/database.md has not three queries"
answer() {
    ask "$database" "$(cat "$there/$1.sql")"
}
[[ $(answer 1 | cut -d '|' -f 1,3-6) == '1|many groups|4|0|1'$'\n''2|many groups|4|0|1' ]] || fail "first: $(answer 1)"
[[ $(answer 2 | cut -d '|' -f 1,2,5) == "it's|disagrees|7.13" ]] || fail "second: $(answer 2)"
[[ $(answer 3) == 'A1|EUR|-0.25|0.007' ]] || fail "third: $(answer 3)"

for table in $(ask "$database" "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"); do
    grep -qF "**$table**" docs/database.md || fail "docs/database.md has no table $table"
    for column in $(ask "$database" "SELECT name FROM pragma_table_info('$table')"); do
        grep -qwF "$column" docs/database.md || fail "docs/database.md has no column $table.$column"
    done
done
[[ $failures == 0 ]] || exit 1
echo "docs_database_test: three queries, and every column"
