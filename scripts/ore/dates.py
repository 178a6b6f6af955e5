"""Dates as ORE writes them, and its calendars that are known here."""
import datetime

DATE_FORMATS = ("%Y-%m-%d", "%Y%m%d", "%Y/%m/%d", "%Y.%m.%d", "%d-%m-%Y", "%d/%m/%Y", "%d.%m.%Y")


def read_date(text):
    """Returns the date that ORE's formats with four digits of the year make of a text, or None."""
    for form in DATE_FORMATS:
        try:
            return datetime.datetime.strptime(text, form).date()
        except ValueError:
            continue
    return None


def add_period(day, count, unit):
    """Returns the day so many days, weeks, months or years later, in a shorter month its last; the
    calendar's last day beyond it."""
    try:
        if unit in "DW":
            return day + datetime.timedelta(days=count * (7 if unit == "W" else 1))
        months = day.year * 12 + day.month - 1 + count * (12 if unit == "Y" else 1)
        first = datetime.date(months // 12, months % 12 + 1, 1)
        after = datetime.date((months + 1) // 12, (months + 1) % 12 + 1, 1)
        return first.replace(day=min(day.day, (after - first).days))
    except (OverflowError, ValueError):
        return datetime.date.max


def easter(year):
    """Returns Easter Sunday (Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    month, day = divmod(h + k - 7 * ((a + 11 * h + 22 * k) // 451) + 114, 31)
    return datetime.date(year, month, day + 1)


def is_target_holiday(day):
    """Returns whether the ECB's payment system is closed, on a day of the week from 2002 on."""
    around = (day - easter(day.year)).days
    return around in (-2, 1) or (day.month, day.day) in ((1, 1), (5, 1), (12, 25), (12, 26))


CALENDARS = {  # ORE's names, and what is a holiday beside weekends
    "WeekendsOnly": lambda day: False,
    "TARGET": is_target_holiday, "TGT": is_target_holiday, "EUR": is_target_holiday,
}
CONVENTIONS = {
    "F": "following", "Following": "following", "FOLLOWING": "following",
    "MF": "modified", "ModifiedFollowing": "modified", "Modified Following": "modified", "MODIFIEDF": "modified",
    "P": "preceding", "Preceding": "preceding", "PRECEDING": "preceding",
    "U": "none", "Unadjusted": "none", "INDIFF": "none",
}


def roll(day, convention, is_holiday):
    """Returns the business day that a date goes to."""
    if convention == "none":
        return day
    step = datetime.timedelta(days=-1 if convention == "preceding" else 1)
    moved = day
    while moved.weekday() >= 5 or is_holiday(moved):
        moved += step
    if convention == "modified" and moved.month != day.month:
        return roll(day, "preceding", is_holiday)
    return moved
