#!/usr/bin/env bash
# What README.md and docs/*.md set in backticks is in the tree: files, functions, structs, enums,
# macros, options, keys. Comments of C do not count, so that a name which only a comment still
# remembers is found. Links of the pages lead somewhere, and their lines have 100 columns at most,
# but for tables, code and addresses. No formula that stands on a line of its own is cut by the
# filling of lines, in the pages and in the comments of C.

docs=(README.md docs/*.md)
source validation/tests/folder.sh

# Words that are the user's, another program's or an example's, and names that CMake makes.
cat >"$there/theirs" <<'WORDS'
ACT/365F ACT/360 ACT/ACT
closes.csv change.csv change.json change.txt greeks.csv pnl.csv risk.csv totals.csv night.csv night.html night.log prices.csv heston.cfg bates.cfg ladder.csv guide.csv
preset ignore-scripts systemctl edit list-timers Persistent ProtectSystem pricer-night pricer-alarm pricer-night.timer pricer-alarm.service
cp.async.bulk multifit_nlinear test-suite/hestonmodel.cpp test-suite/batesmodel.cpp FOLDER dD
chooser CHOOSER chooser_value chooser_define check_chooser models/payoffs/chooser.h
sabr SABR sabr_step sabr_coefficients sabr_longest models/dynamics/sabr.h
mine.cfg foreign.cfg night.db trades.csv ore.cfg ore.csv market.txt
evaluationDate Quote Handle Date Period Calendar Schedule DayCounter FlatForward ZeroCurve DiscountCurve BlackConstantVol BlackVarianceCurve
BlackVarianceSurface BlackScholesMertonProcess GarmanKohlagenProcess HestonProcess BatesProcess Merton76Process HestonModelHelper
setPricingEngine NPV errorEstimate requiredSamples AnalyticEuropeanEngine AnalyticBarrierEngine MCDiscreteArithmeticAPEngine
FdBlackScholesVanillaEngine AnalyticHestonEngine quantlib-python
todaysmarket.xml curveconfig.xml conventions.xml pricingengine.xml sensitivity.xml stresstest.xml ore.xml portfolio.xml
0.5/rr25 DO TODAY HISTFIXING LOGPAY ABOVEPROB BELOWPROB PERMUTE REQUIRE normalCdf ccy
FxForward EquityEuropeanBarrierOption FxEuropeanBarrierOption EquityDoubleBarrierOption FxDoubleBarrierOption EquityTouchOption FxTouchOption DoubleTouchOption EquityAsianOption FxAsianOption
DISCOUNT/RATE ZERO/RATE EQUITY/PRICE EQUITY_DIVIDEND/RATE EQUITY_FWD/PRICE EQUITY_OPTION/RATE_LNVOL FX/RATE FX_OPTION/RATE_LNVOL
random_books_long random_books_tests math_normal_long sampler_long exercise_long exercise_greeks_long statistics_long fuzz_book_replay_test fuzz_trades_replay_test fuzz_script_replay_test
WORDS

# Prints the words of the tree: of its sources without comments, and the parts of the names of its
# files.
list_words() {
    {
        grep -E '\.(c|h|cu|cuh|js)$' "$there/files" | tr '\n' '\0' | xargs -0 cat | awk '{
            while (1) {
                if (inside) { i = index($0, "*/"); if (!i) next; $0 = substr($0, i + 2); inside = 0 }
                i = index($0, "/*")
                if (!i) break
                printf "%s ", substr($0, 1, i - 1); $0 = substr($0, i + 2); inside = 1
            }
            print
        }'
        grep -vE '\.(c|h|cu|cuh|js|png|svg|md)$|^validation/fuzz/corpus/' "$there/files" | grep -v docs_words_test |
            tr '\n' '\0' | xargs -0 cat
        cat "$there/files"
    } | sed 's/-D\([A-Z_]\)/ \1/g' | LC_ALL=C grep -aoE '[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*' | LC_ALL=C awk '!seen[$0]++ { print; if (gsub(/-/, "\n")) print }'
}

# Prints FILE:LINE: and what is wrong in the pages given: $1 has the tree's files, $2 its words, $3
# those that are not its own.
judge() {
    LC_ALL=C awk '
        function known(word) { return word in words }
        function judge_piece(piece,  n, parts, i) {
            sub(/^-+D?/, "", piece); sub(/^\.+\//, "", piece); gsub(/^[.-]+|[.\/-]+$/, "", piece)
            if (piece !~ /[A-Za-z][A-Za-z]/ || piece ~ /^\// || piece ~ /^[A-Z]+\./ || piece in theirs) return
            if (piece ~ /\// || piece ~ /\.(c|h|cu|cuh|def|sh|js|css|cmake|cfg|csv|txt|md)$/) {
                if (!(piece in paths)) say(piece)
                return
            }
            n = split(piece, parts, ".")
            for (i = 1; i <= n; i++) if (parts[i] ~ /[A-Za-z][A-Za-z]/ && !known(parts[i])) { say(piece); return }
        }
        function say(what) { print FILENAME ":" FNR ": `" what "` is not in the tree"; bad = 1 }
        function judge_span(span,  n, parts, i) {
            gsub(/\$?\{[^}]*\}[^ ]*|[^ ]*<[^>]*>[^ ]*|[^ ]*\.\.\.[^ ]*|[^ ]*\*[^ ]*/, " ", span)
            n = split(span, parts, /[^A-Za-z0-9_.\/-]+/)
            for (i = 1; i <= n; i++) judge_piece(parts[i])
        }
        function judge_line(line,  n, parts, i) { # a span may go on in the next line
            n = split(line, parts, "`")
            for (i = 1; i <= n; i++) {
                if (inside) judge_span(parts[i])
                if (i < n) inside = !inside
            }
        }
        function judge_links(line,  target, folder) {
            while (match(line, /\]\([^)#:]+[)#]/)) {
                target = substr(line, RSTART + 2, RLENGTH - 3)
                line = substr(line, RSTART + RLENGTH)
                folder = FILENAME ~ /\// ? "docs/" : ""
                target = folder target
                while (sub(/[^\/]+\/\.\.\//, "", target)) continue
                if (!(target in files)) { print FILENAME ":" FNR ": no file " target; bad = 1 }
            }
        }
        function width(line) { gsub(/[\200-\277]/, "", line); return length(line) } # in characters of UTF-8
        FILENAME == ARGV[1] {
            files[$0]
            n = split($0, parts, "/")
            for (i = 1; i <= n; i++) {
                path = ""
                for (j = i; j <= n; j++) { path = path (j > i ? "/" : "") parts[j]; paths[path] }
            }
            next
        }
        FILENAME == ARGV[2] { words[$0]; next }
        FILENAME == ARGV[3] { for (i = 1; i <= NF; i++) theirs[$i]; next }
        FNR == 1 { inside = 0; fence = 0 }
        /^```/ { fence = !fence; next }
        /^$/ { inside = 0 }
        fence || /^    / { next }
        { judge_line($0); judge_links($0) }
        FILENAME ~ /words\.md$/ && split($0, cells, "|") > 4 && cells[4] ~ /\// { judge_span(cells[4]) }
        !/^\|/ && !/https?:/ && !/^!?\[.*\)$/ && width($0) > 100 {
            print FILENAME ":" FNR ": " width($0) " columns"; bad = 1
        }
        END { exit bad }' "$@"
}

# Prints FILE:LINE of each line that a displayed formula was cut into: prose with the gaps of one,
# or what follows an indented line that is not at its end.
judge_formulas() {
    LC_ALL=C awk '
        function say(why) { print FILENAME ":" FNR ": a cut formula (" why ")"; bad = 1 }
        function open_ended(line,  opened, closed) {
            opened = gsub(/[(\[]/, "&", line); closed = gsub(/[])]/, "&", line)
            return opened > closed || line ~ / [-+*\/=]$/
        }
        FNR == 1 { page = FILENAME ~ /\.md$/; fence = indented = 0 }
        page && /^```/ { fence = !fence; indented = 0; next }
        fence { next }
        {
            text = $0
            if (!page && !sub(/^ *\/?\* ?/, "", text)) { indented = 0; next } # no line of a comment
            if (text ~ /^ /) { indented = text ~ /^    /; last = text; next }
            if (text ~ /^[^|].*[^ ]   +[^ *]/) say("gaps in prose")
            if (indented && text != "" && text != "/" && (page || open_ended(last))) say("its rest")
            indented = 0
        }
        END { exit bad }' "$@"
}

find . -path './.git' -prune -o -path './build*' -prune -o -type f -print | sed 's#^\./##' | sort >"$there/files"
list_words >"$there/words"
status=0
judge "$there/files" "$there/words" "$there/theirs" "${docs[@]}" || status=1
grep -E '^(models|kernels|app|validation)/.*\.(c|h|cu|cuh)$' "$there/files" >"$there/sources"
judge_formulas "${docs[@]}" $(<"$there/sources") || status=1
(($(wc -l <README.md) <= 200)) || { echo "README.md has more than 200 lines"; status=1; }

# Each kind of fault is found, so that a rule which has stopped working cannot pass for pages that
# are right.
printf '%s\n' 'See `no_such_function()`, `models/math/none.h`,' '`--no-such-option` and [a page](none.md).' \
    "$(printf 'word %.0s' {1..21})" >"$there/page.md"
found=$(judge "$there/files" "$there/words" "$there/theirs" "$there/page.md" | wc -l) || true
[[ $found == 5 ]] || { echo "of five faults $found were found"; status=1; }
printf '%s\n' '    a = b + c,    d' '= e' '' 'or x = 1,    y = 2' >"$there/page.md"
printf '%s\n' '/* Text' ' *' ' *     a = b +' ' * c' ' *' ' *     f(x, g(y' ' * )) and x,   y' ' */' >"$there/page.h"
found=$(judge_formulas "$there/page.md" "$there/page.h" | wc -l) || true
[[ $found == 5 ]] || { echo "of five cut formulas $found were found"; status=1; }
[[ $status != 0 ]] || echo "docs_words_test: ${#docs[@]} pages, $(wc -l <"$there/words") words in the tree"
exit $status
