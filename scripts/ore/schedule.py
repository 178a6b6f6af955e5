"""Schedules of dates: by dates and by rules."""
import re

from dates import CALENDARS, CONVENTIONS, add_period, roll
from elements import Element
from said import NotConverted


def calendar(element):
    """Returns what is a holiday of the calendars of an element."""
    text = element.word("Calendar", "NullCalendar")
    if text == "NullCalendar":
        return None
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in CALENDARS]
    if unknown:
        raise NotConverted(element.need("Calendar").line, f"calendar {unknown[0]}: known here are {', '.join(CALENDARS)}; list the dates in <Dates>")
    return lambda day: any(CALENDARS[name](day) for name in names)


def convention(element, tag, default):
    text = element.word(tag, default)
    if text not in CONVENTIONS:
        raise NotConverted(element.need(tag).line, f"<{tag}> '{text}' is not known here")
    return CONVENTIONS[text]


def schedule(element):
    """Returns the dates of a schedule by dates or by rules."""
    found = set()
    for part in element.children:
        part.seen = True
        holidays = calendar(part)
        if part.tag == "Dates":
            how = convention(part, "Convention", "Unadjusted")
            part.ignore("Tenor", "EndOfMonth", "EndOfMonthConvention", "IncludeDuplicateDates")
            for date in part.need("Dates").children:
                one = Element("Dates", date.line, {})
                one.children = [date]
                found.add(roll(one.date("Date"), how if holidays else "none", holidays))
        elif part.tag == "Rules":
            found |= rule_dates(part, holidays)
        else:
            raise NotConverted(part.line, f"<{part.tag}>: a schedule is read by <Dates> or <Rules>")
    if not found:
        raise NotConverted(element.line, "the schedule has no dates")
    return sorted(found)


def rule_dates(part, holidays):
    """Returns the dates of a rule, its start among them."""
    start, end, tenor, rule = part.date("StartDate"), part.date("EndDate"), part.word("Tenor"), part.word("Rule", "Forward")
    match = re.fullmatch(r"([1-9]\d*)([DWMY])", tenor)
    if not match or rule not in ("Forward", "Backward") or start >= end:
        raise NotConverted(part.line, f"a rule goes Forward or Backward by a tenor from its start to a later end, got {rule} by {tenor}")
    if part.word("EndOfMonth", "false").lower() not in ("false", "n", "0", "no"):
        raise NotConverted(part.need("EndOfMonth").line, "the rule of ends of months is not read; list the dates in <Dates>")
    how = convention(part, "Convention", "Unadjusted")
    last = convention(part, "TermConvention", part.word("Convention", "Unadjusted"))
    count, unit = int(match[1]), match[2]
    dates, i = {start}, 1
    while True:
        day = add_period(start, i * count, unit) if rule == "Forward" else add_period(end, -i * count, unit)
        if not start < day < end:
            break
        dates.add(day)
        i += 1
    ends = {roll(end, last if holidays else "none", holidays)}
    moved = {roll(day, how if holidays else "none", holidays) for day in dates} | ends
    for tag, extreme in (("RemoveFirstDate", min), ("RemoveLastDate", max)):
        if part.word(tag, "false").lower() in ("true", "y", "1", "yes"):
            moved.discard(extreme(moved))
    return moved
