# Holds the prices of one book against its list of cases.
#
#     awk -F, -v book=NAME -v cfg=BOOK.cfg -v prices=RESULTS.csv -v known=found-wrong.csv [-v table=FILE] -f judge.awk CASES.csv
#
# A case holds if |price - expected| <= tolerance + bias + 4 standard errors, if each of its trades agrees with the reference and
# has a standard error of at most 0.1 % of spot, and if the reference itself is within tolerance, or the row is known to
# be wrong; its own error is small, but where it is simulated, or by finite differences. Of early exercise the program gives two ends: the nearer one counts. What does not hold is printed. Added to `table`: instrument, model, rows, rows that hold, largest distance
# in standard errors beyond tolerance and bias, largest standard error in % of spot, paths, largest bias, or distance of both ends, in % of spot;
# and `-`, id, expected, reference, tolerance for each row that is known to be wrong.
BEGIN {
    while ((getline line < cfg) > 0)
        if (match(line, /name = "[^"]*"/)) {
            name = substr(line, RSTART + 8, RLENGTH - 9)
            if (match(line, / spot = [^;]*/)) spot[name] = substr(line, RSTART + 8, RLENGTH - 8) + 0
        }
    while ((getline line < prices) > 0) {
        n = split(line, field, ",")
        if (field[1] == "trade_id") { for (i = 1; i <= n; i++) column[field[i]] = i; continue }
        id = field[1]
        n = split(field[column["assets"]], asset, "+")
        for (i = 1; i <= n; i++) if (spot[asset[i]] > spot_of[id]) spot_of[id] = spot[asset[i]]
        price[id] = field[column["price"]]; error[id] = field[column["std_error"]]; paths = field[column["paths"]]
        reference[id] = field[column["reference"]]; reference_error[id] = field[column["reference_error"]]
        method[id] = field[column["reference_method"]]
        status[id] = field[column["status"]]
        z_of[id] = field[column["z"]] # empty: no reference, or one whose error is large beside the price
        if ("upper" in column) { upper[id] = field[column["upper"]]; upper_error[id] = field[column["upper_error"]] }
    }
    while ((getline line < known) > 0) {
        split(line, field, ",")
        if (field[2] == "wrong") is_wrong[field[1]] = 1
    }
}
FNR == 1 { next }
{
    expected = $5; tolerance = $6; bias = $7; legs = split($8, leg, "+")
    sum = spread = references = reference_errors = simulated = differences = 0; compared = 1; says = ""
    for (i = 1; i <= legs; i++) {
        id = leg[i]
        if (!(id in price)) { says = says " no price of " id ";"; continue }
        if (status[id] != "ok" && !(status[id] == "unchecked" && z_of[id] == "")) says = says " " id " " status[id] ";"
        if (error[id] > 0.001 * spot_of[id]) says = says " standard error of " id " over 0.1 % of spot;"
        sum += price[id]; spread += error[id]; references += reference[id]; reference_errors += reference_error[id]
        if (reference[id] == "") compared = 0
        if (method[id] == "monte carlo") simulated = 1
        if (method[id] == "finite differences") differences = 1
        if (100 * error[id] / spot_of[id] > most_error[$2, $3]) most_error[$2, $3] = 100 * error[id] / spot_of[id]
    }
    off = sum - expected
    # Of early exercise the price is a lower bound and `upper` the other end: what lies between is no difference.
    id = leg[1]
    if (legs == 1 && upper[id] != "") {
        between = upper[id] - sum
        if (between < 0) between = 0
        if (100 * between / spot_of[id] > most_bias[$2, $3]) most_bias[$2, $3] = 100 * between / spot_of[id]
        if (off < 0) { off = off + between; if (off > 0) off = 0; else spread = upper_error[id] }
    }
    if (off < 0) off = -off
    if (!(off <= 4 * spread + tolerance + bias))
        says = says sprintf(" price %.8g, expected %.8g, allowed %.3g;", sum, expected, 4 * spread + tolerance + bias)
    gap = references - expected; if (gap < 0) gap = -gap
    # A bias is that of the program's steps, but for the dates of a variance swap.
    own = $2 ~ /^variance_swap/ ? bias : 0
    if (!compared && book != "scripts" && $2 != "max_of_three_american") says = says " no reference;"
    if (!simulated && reference_errors > (differences ? 2e-3 : 1e-5) * (1 + references)) says = says sprintf(" reference error %.1e;", reference_errors)
    if (compared && gap > tolerance + own + 4 * reference_errors && !($1 in is_wrong))
        says = says sprintf(" reference %.10g, expected %.10g;", references, expected)
    if ($1 in is_wrong) wrong_rows = wrong_rows sprintf("-,%s,%s,%.6g,%s\n", $1, expected, references, tolerance)
    key = $2 SUBSEP $3; if (!(key in rows)) order[++keys] = key
    rows[key] += $4; cases++
    if (says == "") held[key] += $4
    else { print book ": " $1 ":" substr(says, 1, length(says) - 1); bad++ }
    z = spread > 0 ? (off - tolerance - bias) / spread : 0
    if (z > most[key]) most[key] = z
    if (100 * bias / spot_of[leg[1]] > most_bias[key]) most_bias[key] = 100 * bias / spot_of[leg[1]]
    if (spread + tolerance > 0 && off / (4 * spread + tolerance + bias) > worst) { worst = off / (4 * spread + tolerance + bias); which = $1 }
}
END {
    printf "%s: %d cases, %d wrong; largest difference %.2f of what is allowed (%s)\n", book, cases, bad, worst, which
    if (table != "") {
        for (i = 1; i <= keys; i++) {
            split(order[i], part, SUBSEP); key = order[i]
            printf "%s,%s,%d,%d,%.2f,%.4f,%d,%.4f\n", part[1], part[2], rows[key], held[key], most[key], most_error[key], paths, most_bias[key] >> table
        }
        printf "%s", wrong_rows >> table
    }
    exit bad > 0 || cases == 0
}
