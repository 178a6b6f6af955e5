#!/usr/bin/env bash
# Published and exact prices (validation/cases) against the program: each case within four standard errors plus its
# source's tolerance, each trade in agreement with the reference, standard errors at most 0.1 % of spot.
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT

for book in published published-long; do
    cfg=validation/cases/$book.cfg
    "$PRICER" "$cfg" --output="$folder/$book.csv" --quiet > /dev/null
    # Spots of the assets, as `name spot` lines.
    sed -n 's/.*name = "\([^"]*\)".*[ ;]spot = \([0-9.eE+-]*\);.*/\1 \2/p' "$cfg" > "$folder/spots"
    awk -F, -v spots="$folder/spots" -v prices="$folder/$book.csv" -v book="$book" '
        BEGIN {
            while ((getline line < spots) > 0) { split(line, word, " "); spot[word[1]] = word[2] }
            while ((getline line < prices) > 0) {
                n = split(line, field, ",")
                if (field[1] == "trade_id") continue
                asset[field[1]] = field[3]; price[field[1]] = field[7]; error[field[1]] = field[8]; status[field[1]] = field[16]
            }
        }
        FNR == 1 { next }
        {
            sum = 0; spread = 0; legs = split($NF, leg, "+"); tolerance = $(NF - 1); expected = $(NF - 2); wrong = ""
            for (i = 1; i <= legs; i++) {
                id = leg[i]
                if (!(id in price)) { wrong = wrong " no price of " id; continue }
                if (status[id] != "ok") wrong = wrong " " id " " status[id]
                if (error[id] > 0.001 * spot[asset[id]]) wrong = wrong " standard error of " id " over 0.1 % of spot"
                sum += price[id]; spread += error[id]
            }
            off = sum - expected; if (off < 0) off = -off
            if (off > 4 * spread + tolerance) wrong = wrong sprintf(" price %.8g, expected %.8g, allowed %.3g", sum, expected, 4 * spread + tolerance)
            if (wrong != "") { print book ": " $1 ":" wrong; bad++ }
            if (off / (4 * spread + tolerance) > worst) { worst = off / (4 * spread + tolerance); which = $1 }
            cases++
        }
        END {
            printf "%s: %d cases, %d wrong; largest difference %.2f of what is allowed (%s)\n", book, cases, bad, worst, which
            exit bad > 0 || cases == 0
        }' "validation/cases/$book.csv"
done
