"""A portfolio as elements of XML that know their lines, and whether anybody has read them."""
import math
import xml.parsers.expat

from dates import read_date
from said import NotConverted, stop


class Element:
    """An element of XML, which remembers its line and whether anybody has looked at it."""

    def __init__(self, tag, line, attributes):
        self.tag, self.line, self.attributes = tag, line, attributes
        self.children, self.text, self.seen = [], "", False

    def child(self, tag):
        """Returns the one child with the tag, or None."""
        found = [c for c in self.children if c.tag == tag]
        if len(found) > 1:
            raise NotConverted(found[1].line, f"<{tag}> stands twice in <{self.tag}>")
        for c in found:
            c.seen = True
        return found[0] if found else None

    def need(self, tag):
        """Returns the child with the tag, which must be there."""
        found = self.child(tag)
        if found is None:
            raise NotConverted(self.line, f"<{self.tag}> has no <{tag}>")
        return found

    def word(self, tag, default=None):
        """Returns the text of a child; an error where it is missing and there is no default."""
        found = self.child(tag) if default is not None else self.need(tag)
        text = found.text.strip() if found is not None else ""
        if not text and default is None:
            raise NotConverted(found.line, f"<{tag}> is empty")
        return text or default

    def number(self, tag, default=None):
        """Returns the positive number, or the 0 that a default of 0 allows, of a child."""
        text = self.word(tag, None if default is None else str(default))
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (0 <= value < math.inf) or (value == 0 and default is None):
            raise NotConverted(self.need(tag).line, f"<{tag}> must be a number above 0, got '{text}'")
        return value

    def date(self, tag):
        """Returns the date of a child, which must be there."""
        day = read_date(self.word(tag))
        if day is None:
            raise NotConverted(self.need(tag).line, f"<{tag}> must be a date like 2027-06-18, got '{self.word(tag)}'")
        return day

    def ignore(self, *tags):
        """Marks children that move no price."""
        for c in self.children:
            if c.tag in tags:
                c.ignore_all()

    def ignore_all(self):
        self.seen = True
        for c in self.children:
            c.ignore_all()

    def unseen(self):
        """Returns the first element below that nobody has looked at, or None."""
        for c in self.children:
            found = c if not c.seen else c.unseen()
            if found is not None:
                return found
        return None


def read_portfolio(path):
    """Returns the <Trade> elements of a portfolio."""
    parser = xml.parsers.expat.ParserCreate()
    top = Element("", 1, {})
    stack = [top]

    def start(tag, attributes):
        element = Element(tag, parser.CurrentLineNumber, attributes)
        stack[-1].children.append(element)
        stack.append(element)

    def text(data):
        stack[-1].text += data

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, lambda tag: stack.pop(), text
    try:
        with open(path, "rb") as file:
            parser.ParseFile(file)
    except OSError as error:
        stop(f"cannot read {path}: {error.strerror}")
    except xml.parsers.expat.ExpatError as error:
        stop(f"{path}:{error.lineno}: no well-formed XML: {xml.parsers.expat.ErrorString(error.code)}")
    root = top.children[0]
    if root.tag != "Portfolio":
        stop(f"{path}:{root.line}: the first element must be <Portfolio>, got <{root.tag}>")
    return [c for c in root.children if c.tag == "Trade"]
