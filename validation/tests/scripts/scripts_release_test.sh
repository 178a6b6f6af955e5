#!/usr/bin/env bash
# scripts/release tags a clean, tested tree whose files agree on the version, and nothing else. The
# workflow of the public CI runs the commands of the README.

here=$PWD
source validation/tests/folder.sh
command -v git >/dev/null || exit 77
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
# A tree that may be released.
mkdir -p "$there/tree"/{scripts,docs}
cd "$there/tree"
cp "$here/scripts/release" scripts/
printf 'project(pricer VERSION 1.2.3 LANGUAGES C)\n' >CMakeLists.txt
printf '# Changelog\n\n## 1.2.3\n\n- New: # this.\n\n## 1.2.2\n\n- Old.\n' >CHANGELOG.md
touch docs/page.md
printf '#!/bin/sh\n[ ! -e untracked ] && echo "7 passed, 0 failed, 1 skipped"\n' >scripts/test
chmod +x scripts/test
git init -q . && git add -A && git commit -qm one

# refused WHAT PATTERN COMMAND: after COMMAND and a commit (unless it says no), no tag; all is undone.
refused() {
    eval "$3"
    [[ $1 == *uncommitted* ]] || { git add -A && git commit -qm two; }
    ends 1 scripts/release 1.2.3
    grep -q -- "$2" "$there/err" || fail "$1: '$2' is not in: $(cat "$there/err")"
    ! git rev-parse -q --verify refs/tags/v1.2.3 >/dev/null || fail "$1: there is a tag"
    git reset -q --hard "$first" && git clean -qfdx
}
first=$(git rev-parse HEAD)
refused 'an uncommitted change' 'not the commit: .* 1 more' 'echo x >>docs/page.md; echo x >>CHANGELOG.md'
refused 'an uncommitted file' 'not the commit: ?? new' 'touch new'
refused 'a failed test' 'tests fail' 'sed -i s/7.*skipped.$/\&\;false/ scripts/test'
refused 'no test' 'no test has passed' 'sed -i s/7/0/ scripts/test'
refused 'an unreleased version' "is '## 1.2.3 (unreleased)'" 'sed -i "s/## 1.2.3/& (unreleased)/" CHANGELOG.md'
refused 'no notes' "nothing under '## 1.2.3'" 'sed -i "s/## 1.2.3/## 1.2.30/" CHANGELOG.md'
refused 'another version' 'CMakeLists.txt is of version 1.2.4' 'sed -i s/1.2.3/1.2.4/ CMakeLists.txt'

[[ $(scripts/release --notes 1.2.3 | xargs) == '- New: # this.' ]] || fail "notes: $(scripts/release --notes 1.2.3)"
! git rev-parse -q --verify refs/tags/v1.2.3 >/dev/null || fail "--notes has made a tag"
touch .git/untracked
scripts/release 1.2.3 >"$there/out" 2>&1 || fail "a good tree: $(cat "$there/out")"
[[ $(git rev-parse 'v1.2.3^{commit}') == "$first" ]] || fail "the tag is of another commit"
git tag -n9 -l v1.2.3 | grep -q -- '- New: # this.' || fail "the tag has no notes: $(git tag -n9)"
git tag -n9 -l v1.2.3 | grep -q '7 passed, 0 failed' || fail "the tag does not tell the tests"
ends 1 scripts/release 1.2.3
grep -q 'there already' "$there/err" || fail "a second time: $(cat "$there/out")"

# ---- the workflow

cd "$here"
grep -oE '^ +- run: .*' .github/workflows/ci.yml | sed 's/^ *- run: //' >"$there/runs"
[[ $(wc -l <"$there/runs") == 2 ]] || fail "the workflow runs $(wc -l <"$there/runs") commands"
while read -r line; do grep -qx "    $line" README.md || fail "the workflow runs '$line', which the README does not"; done <"$there/runs"
! grep -qi 'secrets\.' .github/workflows/ci.yml || fail "the workflow wants secrets"

end_test "a clean and tested tree alone is tagged"
