# SPDX-License-Identifier: MIT
"""What a page shows below a command against what the command prints."""
import math
import re

NUMBER = re.compile(r"[-+]?\d+\.\d+(?:e[-+]?\d+)?|[-+]?\d+e[-+]?\d+", re.IGNORECASE)
# Last digits of BLIS and LAPACK depend on the processor, and with them those of what is 0 but for rounding.
RELATIVE, ABSOLUTE = 1e-4, 1e-9


def same(shown, printed):
    """The same words and whole numbers, and other numbers to four digits."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=ABSOLUTE) for a, b in pairs)


def difference(shown, printed):
    """None where the lines that are shown are those that are printed, else what is missing. A line `...` stands for any lines."""
    lines = [line.rstrip() for line in printed.rstrip("\n").splitlines()]
    at, anywhere = 0, False
    for text in (line.rstrip() for line in shown):
        if text == "...":
            anywhere = True
            continue
        places = range(at, len(lines)) if anywhere else range(at, min(at + 1, len(lines)))
        found = next((k for k in places if same(text, lines[k])), None)
        if found is None:
            return f"the page shows\n    {text}\nwhere the command prints\n    " + "\n    ".join(lines[at:at + 20] or ["(nothing)"])
        at, anywhere = found + 1, False
    if at < len(lines) and not anywhere:
        return f"the command also prints\n    {lines[at]}"
    return None


def renewed(shown, printed):
    """The lines that are shown with the numbers that are printed now, in lines of the same words; None where such a line is missing."""
    lines, found = [line.rstrip() for line in printed.splitlines()], []
    for text in shown:
        if text != "...":
            words = re.sub(NUMBER.pattern + r"|\d+", "#", text.rstrip())
            while lines and re.sub(NUMBER.pattern + r"|\d+", "#", lines[0]) != words:
                lines.pop(0)
            if not lines:
                return None
        found.append(text if text == "..." else lines.pop(0))
    return found
