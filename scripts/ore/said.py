"""What from-ore says on standard error, and how it ends where a file is wrong."""
import re
import sys


class NotConverted(Exception):
    """Says why a trade cannot be expressed, and on which line."""

    def __init__(self, line, text):
        super().__init__(text)
        self.line, self.text = line, text


class Lines:
    """Collects what there is to say, and says it in the order of the files."""

    def __init__(self):
        self.said = {}
        self.refused = 0

    def add(self, path, line, text, note=False):
        if (path, line, text) not in self.said:
            self.said[path, line, text] = note
            self.refused += not note

    def show(self):
        for (path, line, text), note in sorted(self.said.items(), key=lambda item: item[0][:2]):
            print(f"{path}:{line}: {'note: ' if note else 'not converted: '}{text}", file=sys.stderr)


def stop(text):
    """Ends the program: nothing is written."""
    print(f"from-ore: {text}" if not re.match(r"\S+:\d+: ", text) else text, file=sys.stderr)
    sys.exit(2)
