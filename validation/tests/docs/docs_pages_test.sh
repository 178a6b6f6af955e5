#!/usr/bin/env bash
# The pages that teach, as a reader would follow them: every code block of each page is run in a
# folder of its own, in order, and what the page says comes out comes out.
#
# A block ```sh is run by bash; <!-- status N --> before it says its exit status, 0 where it says
# none. A block ```text after it has lines that it prints, to the letter but for times and the name
# of the kernel; [...] stands for any. <!-- file NAME --> before a block saves it. ```python is run
# where what it imports is there. Any other block has to say <!-- part --> that it is not run.
source validation/tests/folder.sh
mkdir "$there/bin"
ln -s "$(readlink -f "$PRICER")" "$there/bin/pricer"
export PATH="$there/bin:$PWD/scripts:$PATH" PRICER
PYTHONPATH=$PWD/app/python PRICER_LIBRARY=$(dirname "$(readlink -f "$PRICER")")/libpricer.so.0
export PYTHONPATH PRICER_LIBRARY PYTHONDONTWRITEBYTECODE=1
sanitized=$(grep -cE '^PRICER_SANITIZE:[A-Z]*=.+' "$(dirname "$(readlink -f "$PRICER")")/CMakeCache.txt" || true)
root=$PWD failures=0 blocks=0 skipped=0
python=python3
for candidate in /usr/bin/python3 python3; do # the distribution's has the distribution's QuantLib
    if "$candidate" -c 'import QuantLib' 2>/dev/null; then python=$candidate; break; fi
done

# Cuts a page into steps: NNN.KIND with the text, NNN.about with line, status and file.
cut_page() {
    awk -v out="$2" '
        /^<!-- (file|status|part)/ { split($0, w, " "); mark[w[2]] = w[2] == "part" ? 1 : w[3]; next }
        /^```/ && !inside {
            inside = 1; kind = substr($0, 4); n++
            if ("part" in mark) kind = "part"
            else if ("file" in mark) kind = "file"
            stem = sprintf("%s/%03d", out, n)
            text = stem "." (kind == "" ? "bare" : kind)
            printf "" >text
            print NR, ("status" in mark ? mark["status"] : 0), ("file" in mark ? mark["file"] : "-") >(stem ".about")
            delete mark
            next
        }
        /^```$/ { inside = 0; close(text); next }
        inside { print >text }' "$1"
}

# Leaves out what differs from machine to machine and from run to run.
steady() {
    sed -E -e '/GPU not used/d' -e 's/[0-9.e-]+ s (pricing|checking|risk)/T s \1/g' -e 's/ \(about T s [^)]*\)| \(about [^)]*\)//g' \
        -e 's/; (cpu|cuda) [^;]*; digest/; KERNEL; digest/' -e 's/[[:space:]]+$//' "$1"
}

for page in "$root"/docs/{tutorial,coming-from,trust,answers}.md; do
    [[ -e $page ]] || continue
    name=$(basename "$page" .md)
    steps=$there/$name.steps here=$there/$name
    mkdir "$steps" "$here"
    cp -r "$root/inputs" "$here/inputs"
    cut_page "$page" "$steps"
    cd "$here"
    : >"$there/printed"
    for about in "$steps"/*.about; do
        read -r line status file <"$about"
        step=$(ls "${about%.about}".* | grep -v 'about$')
        where="docs/$name.md:$line"
        blocks=$((blocks + 1))
        case $step in
        *.file) cp "$step" "$file" ;;
        *.part) blocks=$((blocks - 1)) ;;
        *.sh | *.python)
            code=0
            if [[ $step == *.python ]] && { [[ $sanitized != 0 ]] || ! "$python" -c "$(grep -E '^(import|from) ' "$step")" 2>/dev/null; }; then
                echo "$where: skipped: $("$python" --version 2>&1) lacks what it imports, or a sanitizer is in the library"
                skipped=$((skipped + 1))
                rm -f "$there/printed"
                continue
            fi
            case $step in
            *.sh) bash -euo pipefail "$step" >"$there/printed" 2>&1 || code=$? ;;
            *) "$python" "$step" >"$there/printed" 2>&1 || code=$? ;;
            esac
            [[ $code == "$status" ]] || {
                echo "$where: exit status $code, not $status: $(tail -n 5 "$there/printed")"
                failures=$((failures + 1))
            }
            ;;
        *.text)
            [[ -e $there/printed ]] || continue # of a block that was skipped
            steady "$there/printed" >"$there/steady"
            while IFS= read -r wanted; do
                [[ $wanted == "[...]" || -z $wanted ]] || grep -qxF -- "$wanted" "$there/steady" || {
                    echo "$where: not printed: $wanted"
                    failures=$((failures + 1))
                }
            done < <(steady "$step")
            ;;
        *)
            echo "$where: a block that nothing runs: say what it is, or <!-- part -->"
            failures=$((failures + 1))
            ;;
        esac
    done
    cd "$root"
done
((blocks > 10)) || { echo "the pages have $blocks blocks"; failures=$((failures + 1)); }
end_test "docs_pages_test: $blocks blocks, $skipped skipped"
