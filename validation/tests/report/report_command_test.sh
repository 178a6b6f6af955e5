#!/usr/bin/env bash
# --report as a person uses it: a page of a real run, complete or absent, whose policy fits its
# contents and which asks for nothing.
. validation/tests/test.sh

# The last trade cannot be priced, so that the exit status is 1.
cat >"$there/book.cfg" <<'BOOK'
market = {
  currencies = ( { name = "E<b>&"; rate = 0.025; } );
  assets = ( { name = "SX5E"; currency = "E<b>&"; spot = 4850; dividend_yield = 0.028; volatility = 0.18; },
             { name = "WILD"; currency = "E<b>&"; spot = 100; volatility = 9.0; },
             { name = "UNUSED <b>"; currency = "E<b>&"; spot = 100; volatility = 0.2; } ); };
book = { trades = (
  { id = "call"; type = "european"; asset = "SX5E"; option = "call"; strike = 4900; expiry = 1.0; },
  { id = "</script><img src=x onerror=alert(1)>"; type = "european"; asset = "SX5E"; option = "put"; strike = 4900; expiry = 1.0; },
  { id = "'\"><svg/onload=alert(2)>&amp;"; type = "digital"; asset = "SX5E"; option = "put"; strike = 4900; payout = "cash"; expiry = 0.5; },
  { id = "wild"; type = "european"; asset = "WILD"; option = "call"; strike = 100; expiry = 60.0; } ); };
BOOK

# page_of STATUS FILE OPTIONS...: writes the report.
page_of() { run "$1" --engine=cpu --paths=4096 --report="$2" "${@:3}" "$there/book.cfg"; }

# ---- the page

page=$there/page.html
page_of 1 "$page"
[[ $(stat -c %a "$page") == 600 ]] || fail "a book is confidential, its report is not: $(stat -c %a "$page")"
grep -q "<td>$there/book.cfg:10</td>" "$page" || fail "where the failed trade stands"
digest=$(sed -n 's/.*; digest \([0-9a-f]\{16\}\)$/\1/p' "$there/out")
grep -q "<code>$digest</code>" "$page" || fail "the digest of the table is not that of the page"
grep -q '&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;' "$page" || fail "a hostile id is not there as text"
[[ $(wc -c <"$page") -lt 1000000 ]] || fail "the page has $(wc -c <"$page") bytes"

# Elements that close in order, hashes that fit, no address, and no hostile element.
cat >"$there/judge.py" <<'PYTHON'
import base64, hashlib, html.parser, re, sys

VOID = {"meta", "input", "br", "img", "link", "hr"}
CELL, ROW = {"td", "th", "tr", "tbody"}, {"tr", "tbody"}
ENDS = {"dt": {"dt", "dd"}, "dd": {"dt", "dd"}, "td": CELL, "th": CELL, "tr": ROW, "thead": {"tbody"}, "tbody": set()}

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.policy, self.ids, self.links, self.raw = [], [], "", set(), set(), []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name, value in attributes.items():
            if name.startswith("on") or name in ("style", "src") or (name == "href" and not value.startswith("#")):
                self.wrong.append(f"<{tag} {name}={value}>")
        if tag == "a":
            self.links.add(attributes["href"][1:])
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.wrong.append(f"id {attributes['id']} twice")
            self.ids.add(attributes["id"])
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag in ("img", "link", "iframe", "object", "embed", "base", "form"):
            self.wrong.append(f"<{tag}>")
        self.close_before(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.type = attributes.get("type")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    # Elements whose end may be left out end before these, and where the element around them ends.
    def close_before(self, tag):
        while self.open and tag in ENDS.get(self.open[-1], ()):
            self.open.pop()

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in ENDS:
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, text):
        if self.open and self.open[-1] in ("style", "script"):
            if self.type is None:
                self.raw.append((self.open[-1], text))
        elif re.search("https?:", text):
            self.wrong.append(f"an address: {text[:80]}")

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    text = file.read()
page = Page()
page.feed(text)
page.close()
page.wrong += [f"nothing is called {link}" for link in page.links - page.ids]
page.wrong += [f"<{tag}> is left open" for tag in page.open]
if "default-src 'none'" not in page.policy or "unsafe" in page.policy:
    page.wrong.append(f"policy: {page.policy}")
for kind in ("style", "script"):
    found = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for tag, text in page.raw if tag == kind}
    wanted = set(re.findall("'sha256-([^']*)'", re.search(f"{kind}-src ([^;]*)", page.policy)[1]))
    if found != wanted or not found:
        page.wrong.append(f"{kind}: the policy allows {wanted}, the page has {found}")
print("\n".join(page.wrong))
sys.exit(bool(page.wrong))
PYTHON
if command -v python3 >/dev/null; then
    python3 "$there/judge.py" "$page" >"$there/wrong" || fail "$(cat "$there/wrong")"
    # A judge that lets a broken page pass is none.
    for break in 's/<section id="prices">/&<b>/' 's/default-src .none./default-src */' "s/'sha256-/&A/" \
        's/<p class="note">/<p onclick="x">/' 's/id="trade-call"/id="trade-cell"/' 's/<h1>/&<img src="x">/'; do
        sed "$break" "$page" >"$there/broken.html"
        ! python3 "$there/judge.py" "$there/broken.html" >"$there/wrong" || fail "the judge lets pass: $break"
    done
fi

# ---- rounds, where an accuracy is asked for: the last of them is the price

page_of 1 "$page" --set settings.target_stderr=2 --set settings.max_paths=1048576
leaf=$(sed -n '/<section class="leaf" id="trade-call">/,/<\/section>/p' "$page")
grep -q 'id="chart-rounds-0"' <<<"$leaf" || fail "no chart of rounds: $leaf"
price=$(sed -n 's/.*<dt>price<dd title="[^"]*">\([0-9.,]*\) .*/\1/p' <<<"$leaf")
rounds=$(grep -c '^<tr><th>[0-9,]*<td>' <<<"$leaf")
last=$(sed -n 's/^<tr><th>\([0-9,]*\)<td>\([0-9.,]*\)<td>.*/\1 \2/p' <<<"$leaf" | tail -n 1)
paths=$(sed -n 's/.*<dt>paths<dd>\([0-9,]*\)<.*/\1/p' <<<"$leaf")
[[ $rounds -ge 3 && $last == "$paths $price" ]] || fail "rounds: $rounds, the last $last, not $paths $price"
page_of 1 "$page" --paths=32768 --set settings.target_stderr=0.1 --set settings.control_variates=true \
    --set settings.max_paths=1048576
grep -q 'id="chart-rounds-[0-9]"' "$page" || fail "no chart of rounds with control variates"
page_of 1 "$page"
! grep -q 'chart-rounds' "$page" || fail "one round has a path"

# ---- its charts as pictures

page_of 1 "$page" --charts="$there/pictures/"
[[ $(stat -c %a "$there/pictures" "$there/pictures/z.svg" | xargs) == '700 600' ]] || fail "pictures are not confidential"
for name in curves histogram precision prices timing z; do
    [[ -s $there/pictures/$name.svg ]] || fail "no picture of $name: $(ls "$there/pictures")"
done
[[ $(ls "$there/pictures" | wc -l) == 6 ]] || fail "pictures: $(ls "$there/pictures")"
grep -q '^<text class="title" [^>]*>z by trade</text>' "$there/pictures/z.svg" || fail "a picture without its title"

# XML that any reader takes, with its style, within its frame, and as many marks as the page has.
cat >"$there/picture.py" <<'PYTHON'
import re, sys, xml.etree.ElementTree as xml

page = open(sys.argv[1], encoding="utf-8").read()
for path in sys.argv[2:]:
    name = path.rsplit("/", 1)[1][:-4]
    root = xml.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    left, top, width, height = map(float, root.get("viewBox").split())
    kinds = ("circle", "line", "path", "text", "title")
    found = [len(root.findall(f".//{space}{kind}")) for kind in kinds]
    figure = re.search(f'<figure id="chart-{name}".*?</figure>', page, re.S)[0]
    wanted = [len(re.findall(f"<{kind}[ >]", figure)) for kind in kinds]
    wanted[kinds.index("text")] += 1
    if found != wanted:
        print(f"{name}: {found} of {kinds}, not {wanted}")
    if len(root.findall(f"{space}style")) != 1 or "--ink" not in root.find(f"{space}style").text:
        print(f"{name}: no style")
    for mark in root.iter():
        x, y = (float(mark.get(a) or mark.get(b) or 0) for a, b in (("x", "cx"), ("y", "cy")))
        if not (left <= x <= left + width and top <= y <= top + height):
            print(f"{name}: {mark.tag} at {x} {y}")
PYTHON
if command -v python3 >/dev/null; then
    said=$(python3 "$there/picture.py" "$page" "$there"/pictures/*.svg 2>&1) || true
    [[ -z $said ]] || fail "pictures: $said"
fi
echo old >"$there/pictures/mine.svg"
echo old >"$there/pictures/z.svg"
page_of 1 "$page" --charts="$there/pictures/"
[[ $(cat "$there/pictures/mine.svg") == old ]] || fail "a file of another name is gone"
[[ $(wc -l <"$there/pictures/z.svg") -gt 10 ]] || fail "an old picture stays"
page_of 2 "$page" --charts="$there/pictures"
grep -q -- "--charts must be a folder that ends in /, got '$there/pictures'" "$there/err" || fail "no folder: $(cat "$there/err")"
page_of 3 "$page" --charts="$there/book.cfg/"
[[ $(wc -l <"$there/err") == 1 ]] || fail "a folder that is a file: $(cat "$there/err")"
page_of 3 "$page" --charts="$there/no/where/"
grep -q "cannot make the folder $there/no/where/" "$there/err" || fail "a folder in none: $(cat "$there/err")"
run 2 --charts="$there/pictures/" "$there/book.cfg"
says '--charts needs --report'

for place in /nowhere/x.html /dev/null/x.html "$there/book.cfg/x.html"; do
    page_of 3 "$place"
    [[ $(wc -l <"$there/err") == 1 ]] && grep -q "cannot write $place" "$there/err" || fail "$place: $(cat "$there/err")"
done

# ---- not what is asked

for other in --plan --bench --calibrate=heston; do
    page_of 2 "$there/none.html" "$other"
    grep -q -- "${other%%=*} prices nothing" "$there/err" || fail "$other: $(cat "$there/err")"
    [[ ! -e $there/none.html ]] || fail "$other writes a page"
done

end_test "the page is whole, escaped, and asks for nothing"
