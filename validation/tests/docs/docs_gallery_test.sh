#!/usr/bin/env bash
# docs/gallery.md is what scripts/gallery writes today: books of inputs/gallery with the prices that
# come out, and among them every product and every model. Pictures show the numbers that they would
# show today; how they are drawn may have changed since.
#
#   docs_gallery_test.sh            without the eleven books that take more than half of the time
#   docs_gallery_test.sh --every    with them
source validation/tests/folder.sh
slow=
[[ ${1-} == --every ]] ||
    slow='phoenix american convertible puttable_note callable_note fx_smile local_vol compound soft_call conditional_variance_swap
        corridor_variance_swap'
scripts/gallery --pricer="$PRICER" --without="$slow" "$there"

# The page without the sections of these books: each ends with the picture of its book.
awk -v slow="$slow" '
    BEGIN { n = split(slow, name, " "); for (i = 1; i <= n; i++) left_out["](gallery/" name[i] ".svg)"] = 1 }
    after && /^$/ { after = 0; next }
    /^## / { printf "%s", section; section = "" }
    { section = section $0 "\n" }
    /^!\[/ { match($0, /\]\(.*$/); if (substr($0, RSTART) in left_out) { section = ""; after = 1 } }
    END { printf "%s", section }' docs/gallery.md >"$there/committed.md"
diff -u "$there/committed.md" "$there/gallery.md" >&2 || fail "docs/gallery.md is not current: scripts/gallery writes it"

# Prints what a picture tells of its marks: moves, value and error.
numbers() {
    tr '\n' ' ' <"$1" | grep -o '<title>[^<]*</title>'
}
for picture in "$there"/{gallery,tutorial}/*.svg; do
    committed=docs${picture#"$there"}
    [[ -e $committed ]] || { fail "no $committed"; continue; }
    (($(numbers "$picture" | wc -l) >= 5)) || fail "$picture has $(numbers "$picture" | wc -l) marks"
    diff <(numbers "$committed") <(numbers "$picture") >&2 || fail "$committed is not current: scripts/gallery draws it"
    (($(wc -c <"$committed") < 20000)) || fail "$committed has $(wc -c <"$committed") bytes"
done
[[ $(ls docs/tutorial) == "$(ls "$there/tutorial")" ]] || fail "docs/tutorial has other pictures than its page"
[[ $(ls docs/gallery) == "$(basename -as .cfg inputs/gallery/*.cfg | sed 's/$/.svg/')" ]] || fail "docs/gallery has other pictures than its page"

# Names in the table of keys, as products and models have them in their lists.
has() {
    grep -lqE "$1" inputs/gallery/*.cfg || fail "the gallery has no book with $1"
}
for product in $(sed -nE 's/^PAYOFF\([A-Z_]+, ([a-z_]+),.*/\1/p' models/payoffs/{payoffs,linear}.def); do has "type = \"$product\""; done
for script in models/payoffs/*.pay; do has "type = \"$(basename "$script" .pay)\""; done
for model in $(sed -nE 's/^MODEL\([A-Z_]+, ([a-z_]+),.*/\1/p' models/dynamics/models.def); do
    [[ $model == black_scholes ]] || has "model = \"$model\""
done
books=(inputs/gallery/*.cfg)
[[ $(grep -c '^## ' docs/gallery.md) == "${#books[@]}" && ${#books[@]} -ge 25 ]] || fail "${#books[@]} books, $(grep -c '^## ' docs/gallery.md) on the page"
! grep -q 'disagrees\|unchecked' "$there/gallery.md" || fail "a trade is not ok"

# A book whose price has changed is seen.
sed 's/11\.175/11.176/' "$there/committed.md" >"$there/changed.md"
! diff -q "$there/changed.md" "$there/gallery.md" >/dev/null || fail "a changed price is not seen"
end_test "docs_gallery_test: ${#books[@]} books, every product and model"
