#!/usr/bin/env bash
# Outputs under names that are symbolic links: the link stays, what it leads to is replaced in its
# own folder, or made; and nothing takes the place of a file that the book is read from.
. validation/tests/test.sh

mkdir "$there/links" "$there/real" "$there/far"
cp inputs/first.cfg "$there/book.cfg"

# write STATUS FILE: a run that writes it.
write() {
    local output=--output
    [[ $2 != *.html ]] || output=--report
    run "$1" --engine=cpu --paths=1024 --check=none --quiet "$output=$2" "$there/book.cfg"
    [[ $1 == 0 || $(wc -l <"$there/err") == 1 ]] || fail "$2: not one line"
}

# ---- a link, a link to a link, a link to a file that is not there yet; beside each other or not

for form in csv json html db; do
    old=$there/real/x.$form
    write 0 "$old"
    ln -s "../real/x.$form" "$there/links/x.$form"
    ln -s "$there/links/x.$form" "$there/far/y.$form"
    ln -s "../real/new.$form" "$there/links/new.$form"
    ln "$old" "$there/real/kept.$form" # another name of the old file
    touch -d 2020-01-01 "$old"
    write 0 "$there/links/x.$form"
    [[ $form == db || $(stat -c %Y "$there/real/kept.$form") -lt 1600000000 ]] || fail "x.$form was written in place, not replaced"
    for name in links/x far/y links/new; do
        touch -d 2020-01-01 "$old"
        write 0 "$there/$name.$form"
        [[ -L $there/$name.$form ]] || fail "$name.$form is no link any more"
        [[ -s $there/$name.$form && ! -L $there/real/new.$form ]] || fail "$name.$form: nothing where it leads"
        [[ $name == links/new || $(stat -c %Y "$old") -gt 1600000000 ]] || fail "$name.$form: the file that it leads to is the old one"
    done
done
[[ -z $(find "$there" -name '.*.??????') ]] || fail "parts of files stay"

# ---- links that lead nowhere

ln -s b.csv "$there/links/a.csv"
ln -s a.csv "$there/links/b.csv"
write 3 "$there/links/a.csv"
grep -q "cannot write $there/links/a.csv: Too many levels" "$there/err" || fail "a circle"
ln -s ../none/x.csv "$there/links/none.csv"
write 3 "$there/links/none.csv"
grep -q "cannot write $there/links/none.csv, a link to $there/links/../none/x.csv: No such file" "$there/err" || fail "no such folder"
ln -s a.db "$there/links/a.db"
write 3 "$there/links/a.db"
ln -s ../real "$there/links/folder.csv"
write 3 "$there/links/folder.csv"

# ---- the book's own files

cat >"$there/book.cfg" <<'BOOK'
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; } ); };
book = { trades_file = "trades.csv"; };
BOOK
printf 'id,type,asset,option,strike,expiry\nT,european,A,put,100,1\n' >"$there/trades.csv"
ln -s ../trades.csv "$there/links/trades.csv"
for name in trades.csv links/trades.csv; do
    write 2 "$there/$name"
    grep -q "$name is a file that the book is read from" "$there/err" || fail "$name"
done
mkdir "$there/pictures"
ln -s ../trades.csv "$there/pictures/z.svg"
refused 2 "*--charts: $there/pictures/z.svg is a file that the book is read from" --engine=cpu --report="$there/report.html" \
    --charts="$there/pictures/" "$there/book.cfg"
grep -q '^T,european' "$there/trades.csv" || fail "the trades are lost"

end_test "links: all well"
