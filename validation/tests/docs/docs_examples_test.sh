#!/usr/bin/env bash
# Every example of docs/book-format.md is a book that is priced, or a trade on the market of the
# first one, and together the trades show every product and every key that a product has.
source validation/tests/folder.sh

# The first example and the one with past closes are whole books; the others are trades. Those of
# CSV files are what the second book reads.
awk -v folder="$there" '
    /^```cfg$/ { begins = 1; next }
    /^```csv$/ { split("trades closes holidays history", names, " "); file = folder "/" names[++csv] ".csv"; next }
    /^```$/ { file = ""; next }
    begins { begins = 0; n += /^valuation_date/; file = folder "/" (/^valuation_date/ ? "book" n ".cfg" : "trades.txt"); if (!/^valuation/ && t++) print "," >file }
    file { print >file }' docs/book-format.md
sed -e '/^book = {/,$d' "$there/book1.cfg" >"$there/all.cfg"
{
    echo 'book = { trades = ('
    cat "$there/trades.txt"
    echo '); };'
} >>"$there/all.cfg"

status=0
for book in book1 book2 all; do
    "$PRICER" --engine=cpu --quiet $([[ $book == book2 ]] || echo --paths=65536) --output="$there/$book.csv" "$there/$book.cfg" || status=$?
    if [[ $status -ne 0 ]]; then
        echo "the examples of docs/book-format.md are not a good book ($book, exit status $status):"
        cat "$there/$book.csv" 2>/dev/null
        exit 1
    fi
done

products=$(sed -nE 's/^PAYOFF\([A-Z_]+, ([a-z_]+),.*/\1/p' models/payoffs/payoffs.def)
for product in $products; do
    grep -q "^[^,]*,$product," "$there/all.csv" || {
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
[[ $status -ne 0 ]] || echo "$(($(wc -l <"$there/all.csv") - 1)) example trades priced, every product and key is described"
exit $status
