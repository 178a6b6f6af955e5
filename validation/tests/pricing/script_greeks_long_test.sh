#!/usr/bin/env bash
# Greeks of scripts have honest errors: over 20 seeds at 65536 paths they are as far from those of a
# long run as their errors say; of payoffs that jump, and of decisions, where a put as a script is
# held against american.
. validation/tests/test.sh

# rows SEED PATHS BOOK OPTION...: the book's table, without its first line but for seed 0.
rows() {
    "$pricer" --engine=cpu -q --check=none --seed="$1" --paths="$2" --output="$there/run.csv" "${@:4}" "$3" >/dev/null
    if [[ $1 == 0 ]]; then cat "$there/run.csv"; else tail -n +2 "$there/run.csv"; fi
}

# honest BOOK PATHS: z^2 of each Greek over the seeds, against one run of so many paths.
honest() {
    rows 0 "$2" "$1" >"$there/truth.csv"
    for seed in $(seq 20); do rows "$seed" 65536 "$1"; done >"$there/runs.csv"
    awk -F, '
        FNR == 1 && NR == 1 {
            for (i = 1; i <= NF; i++) at[$i] = i
            for (name in at) {
                error = name
                if (name ~ /^(delta|(cross_)?gamma|vega|rho|theta)(:|$)/ && sub(/^[a-z_]+/, "&_se", error) && error in at)
                    of[at[name]] = at[error]
            }
            next
        }
        NR == FNR { for (i in of) if ($i != "") { truth[$1, i] = $i; wide[$1, i] = $of[i] } next }
        {
            from = $1 == "script" ? "american" : $1
            for (i in of) if ($i != "" && truth[from, i] != "" && $1 != "american") {
                z2[$1, i] += ($i - truth[from, i]) ^ 2 / ($of[i] ^ 2 + wide[from, i] ^ 2)
                n[$1, i]++
            }
        }
        END {
            for (k in n) { greeks++; sum += z2[k] / n[k]; if (z2[k] / n[k] > most) most = z2[k] / n[k]; runs += n[k] }
            print greeks " Greeks, z^2 " sum / greeks ", at most " most
            exit !(greeks >= 3 && runs == 20 * greeks && sum / greeks < 1.5 && most < 2.5 && sum / greeks > 0.05)
        }' "$there/truth.csv" "$there/runs.csv" >"$there/said" || fail "$1: $(cat "$there/said")"
    echo "$(basename "$1"): $(cat "$there/said")"
}

for script in tarf accumulator range_accrual step_down_autocallable phoenix \
    callable_note puttable_note soft_call convertible; do
    grep -v -e '^@include' -e '^settings' "inputs/gallery/$script.cfg" >"$there/$script.cfg"
    echo 'risk = { greeks = ["delta", "gamma", "cross_gamma", "vega"]; };' >>"$there/$script.cfg"
    honest "$there/$script.cfg" 1048576
done

cat >"$there/put.pay" <<'END'
product put(asset s; dates when; date expiry; number strike)
  each t in when
    exercise holder pays max(strike - s(t), 0)
  at expiry
    pay max(strike - s(expiry), 0)
END
cat >"$there/put.cfg" <<'END'
market: { currencies = ( { name = "USD"; rate = 0.06; } );
          assets = ( { name = "A"; currency = "USD"; spot = 100.0; volatility = 0.2; } ); }
book: { trades = (
  { id = "american"; type = "american"; asset = "A"; option = "put"; strike = 100.0; expiry = 1.0;
    exercise_times = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]; },
  { id = "script"; script = "put.pay"; asset = "A"; strike = 100.0; expiry = 1.0;
    when = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]; } ); }
risk: { greeks = ["delta", "gamma", "vega", "rho", "theta"]; }
END
honest "$there/put.cfg" 1048576
# and not by being wide: where each market decides for itself the error is 0.008
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "delta_se:A") at = i } $1 == "script" { exit !($at < 0.006) }' \
    "$there/truth.csv" || fail "the error of the put's delta"

# A policy that sees the variance of its asset is off by more than one that need not; the error counts it.
sed -e 's/volatility = 0.2;/model = "heston"; heston = { v0 = 0.05; kappa = 1.5; theta = 0.05; xi = 0.5; rho = -0.7; };/' \
    -e 's/strike = 100.0/strike = 115.0/; s/, "theta"]/]/' "$there/put.cfg" >"$there/put_heston.cfg"
honest "$there/put_heston.cfg" 1048576

end_test "script_greeks_long_test: all well"
