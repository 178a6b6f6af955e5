#!/usr/bin/env bash
# The man pages say all of what they describe: every option of --help and of nightly with its words,
# every status, every key of docs/book-format.md.
source validation/tests/folder.sh
failed=0
for page in pricer.1 nightly.1 pricer-book.5; do
    scripts/man "$page" "${PRICER:?}" >"$there/$page"
    sed -E 's/\\f[BIRP]//g; s/\\&//g; s/\\-/-/g' "$there/$page" >"$there/$page.plain"
done

# One line an item, "--seed=N seed of the random numbers", sorted.
items() {
    awk '/^\.TP/ { getline name; getline text; print name " " text }' "$there/$1.plain" | grep -- "$2" | sort
}

# same WHAT WANTED FOUND LEAST: two lists are one, of so many lines.
same() {
    [[ $(wc -l <<<"$2") -ge $4 ]] || { echo "FAILED: $1: $(wc -l <<<"$2") are not as this test reads them"; failed=1; }
    diff -u <(echo "$2") <(echo "$3") || { echo "FAILED: $1: what is described (-) and the page (+) differ"; failed=1; }
}

help=$("$PRICER" --help)
same 'options of pricer' "$(sed -nE 's/^ +((-[a-z], )?--[a-z][^ ]*) +(.*)/\1 \3/p' <<<"$help" | sort)" "$(items pricer.1 '^-')" 20
statuses=$(sed -n '/^Exit status: /,$p' <<<"$help" | sed 's/^Exit status: //' | tr '\n' ' ' | sed 's/ $//; s/; /\n/g')
same 'statuses of pricer' "$(sort <<<"$statuses")" "$(items pricer.1 '^[0-9]')" 6
comment=$(sed -n '2,/^set -euo/s/^# \{0,1\}//p' scripts/nightly)
options=$(awk '/^  --/ { if (n++) print line; line = $0; next } /^     / { sub(/^ +/, ""); line = line " " $0; next } line { print line; line = "" }' <<<"$comment")
same 'options of nightly' "$(sed -E 's/^  (--[^ ]+) +/\1 /' <<<"$options" | sort)" "$(items nightly.1 '^--')" 8
tail -n 1 <<<"$comment" | grep -qxFf - "$there/nightly.1.plain" || { echo "FAILED: the page does not end as the comment of nightly"; failed=1; }
scripts/nightly --help 2>&1 | diff <(echo "$comment") - || { echo "FAILED: nightly --help is not its comment"; failed=1; }
keys=$(sed '/^## Results/,$d' docs/book-format.md | awk '/^\| key / { at = 1; getline; next } !/^\|/ { at = 0 } at' | sed -E 's/^\| //; s/ \|.*//; s/`//g')
same 'keys of a book' "$keys" "$(awk '/^\.SH/ { at = /KEYS/ } at && /^\.TP/ { getline; print }' "$there/pricer-book.5.plain")" 150
[[ $failed == 0 ]] || exit 1
echo "$(grep -c '^\.TP' "$there"/*.[15] | awk -F: '{ n += $2 } END { print n }') items in three man pages"
