#!/usr/bin/env bash
# Holds calendars and the dates of rules against QuantLib's, where its Python module is installed
# (Debian's quantlib-python, 1.29): 30 years of every calendar that it has, but for days that it does
# not know or has otherwise than the lists that holidays.def names.
set -euo pipefail

program=$BUILD_DIR/validation/config_tests
[ -x "$program" ] || exit 77
python=''
for one in python3 /usr/bin/python3; do
    if "$one" -c 'import QuantLib' 2>/dev/null; then python=$one; break; fi
done
[ -n "$python" ] || { echo "skipped: no QuantLib for Python"; exit 77; }

"$program" market_holidays_test --print | "$python" -c '
import sys
import QuantLib as ql

every = range(2000, 2030)
calendars = {  # the years to compare, and days that differ
    "weekends": (ql.WeekendsOnly(), every, ()),
    "TARGET": (ql.TARGET(), every, ()),
    "NYSE": (ql.UnitedStates(ql.UnitedStates.NYSE), every, ("2025-01-09",)),
    "London": (ql.UnitedKingdom(), every, ()),
    "Zurich": (ql.Switzerland(), every, ()),
    "Tokyo": (ql.Japan(), every, ("2003-05-06",)),
    "Stockholm": (ql.Sweden(), every, ()),
    "FederalReserve": (ql.UnitedStates(ql.UnitedStates.FederalReserve), every, ("2027-06-18",)),
    "Toronto": (ql.Canada(ql.Canada.TSX), every, ()),
    "Sydney": (ql.Australia(), every, ()),
    "Oslo": (ql.Norway(), every, ()),
    "SaoPaulo": (ql.Brazil(ql.Brazil.Exchange), range(2000, 2022), ()),
    "Eurex": (ql.Germany(ql.Germany.Eurex), every, ()),
    "HongKong": (ql.HongKong(), range(2004, 2021), ()),
    "Seoul": (ql.SouthKorea(ql.SouthKorea.KRX), range(2004, 2021), ()),
    "Mumbai": (ql.India(), range(2005, 2015), ()),
}

def written(date):
    return "%04d-%02d-%02d" % (date.year(), date.month(), date.dayOfMonth())

def read(text):
    return ql.Date(*map(int, reversed(text.split("-"))))

def holidays(calendar, year):
    return {written(d) for d in calendar.holidayList(ql.Date(1, 1, year), ql.Date(31, 12, year), False)}

wrong = compared = 0
for line in sys.stdin:
    kind, *words = line.split()
    if kind == "holidays":
        name, year = words[0], int(words[1])
        if name not in calendars or year not in calendars[name][1]:
            continue
        calendar, _, known = calendars[name]
        ours = {"%d-%s-%s" % (year, d[:2], d[2:]) for d in words[2:]}
        theirs = holidays(calendar, year)
        differ = {d for d in ours ^ theirs if d not in known}
    else:
        start, end, tenor, stub, *ours = words
        way = ql.DateGeneration.Backward if stub == "front" else ql.DateGeneration.Forward
        theirs = [written(d) for d in ql.Schedule(
            read(start), read(end), ql.Period(tenor), ql.TARGET(), ql.ModifiedFollowing,
            ql.ModifiedFollowing, way, False)]
        differ = ours != theirs and {"%s, not %s" % (" ".join(ours), " ".join(theirs))}
    compared += 1
    if differ:
        print("differs:", kind, *words[:4], *sorted(differ))
        wrong += 1
print(compared, "compared")
sys.exit(1 if wrong or compared < 500 else 0)
'
