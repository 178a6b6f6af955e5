#!/usr/bin/env python3
"""Years between pairs of dates by QuantLib's day counters, as day-counts.csv: the ends of months and the days beside
them, leap days, and others by chance.

    day-counts.py >day-counts.csv

Needs QuantLib 1.29 or later.
"""
import random

import QuantLib as ql

COUNTERS = (ql.Actual365Fixed(), ql.Actual360(), ql.Thirty360(ql.Thirty360.BondBasis), ql.ActualActual(ql.ActualActual.ISDA))
dice = random.Random(360)


def some_day():
    month_end = ql.Date.endOfMonth(ql.Date(1, dice.choice([2, dice.randint(1, 12)]), dice.randint(2020, 2044)))
    return month_end + dice.choice([0, 0, -1, 1, -2, dice.randint(-27, 0)])


print("from,to,ACT/365F,ACT/360,30/360,ACT/ACT")
for _ in range(1000):
    first, last = sorted((some_day(), some_day()))
    print(first.ISO(), last.ISO(), *(repr(c.yearFraction(first, last)) for c in COUNTERS), sep=",")
