#!/usr/bin/env bash
# Every example of docs/book-format.md is a book that is priced, or a trade on the market of the
# first one, and together the trades show every product and every key that a product has.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The first example and the one with past closes are whole books; the others are trades. Those of
# CSV files are what the second book reads.
awk -v folder="$scratch" '
    /^```cfg$/ { begins = 1; next }
    /^```csv$/ { split("trades closes holidays history", names, " "); file = folder "/" names[++csv] ".csv"; next }
    /^```$/ { file = ""; next }
    begins { begins = 0; n += /^valuation_date/; file = folder "/" (/^valuation_date/ ? "book" n ".cfg" : "trades.txt"); if (!/^valuation/ && t++) print "," >file }
    file { print >file }' docs/book-format.md
sed -e '/^book = {/,$d' "$scratch/book1.cfg" >"$scratch/all.cfg"
{
    echo 'book = { trades = ('
    cat "$scratch/trades.txt"
    echo '); };'
} >>"$scratch/all.cfg"

status=0
for book in book1 book2 all; do
    "$PRICER" --engine=cpu --quiet $([[ $book == book2 ]] || echo --paths=65536) --output="$scratch/$book.csv" "$scratch/$book.cfg" || status=$?
    if [[ $status -ne 0 ]]; then
        echo "the examples of docs/book-format.md are not a good book ($book, exit status $status):"
        cat "$scratch/$book.csv" 2>/dev/null
        exit 1
    fi
done

products=$(sed -nE 's/^PAYOFF\([A-Z_]+, ([a-z_]+),.*/\1/p' models/payoffs/payoffs.def)
for product in $products; do
    grep -q "^[^,]*,$product," "$scratch/all.csv" || {
        echo "docs/book-format.md has no example of $product"
        status=1
    }
    grep -q "^### \`$product\`" docs/book-format.md || {
        echo "docs/book-format.md has no section on $product"
        status=1
    }
done
keys=$(sed -n '/^PAYOFF/,$p' models/payoffs/payoffs.def | grep -oE '"[^"]*"' | tr -d '"' | tr ' ' '\n' | sort -u)
for key in $keys; do
    grep -q "\`$key\`" docs/book-format.md || {
        echo "docs/book-format.md does not explain the key $key"
        status=1
    }
done
[[ $status -ne 0 ]] || echo "$(($(wc -l <"$scratch/all.csv") - 1)) example trades priced, every product and key is described"
exit $status
