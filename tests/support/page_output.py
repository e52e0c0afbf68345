# SPDX-License-Identifier: MIT
"""What a page shows below a command against what the command prints."""
import re


def difference(shown, printed):
    """None where the lines that are shown are those that are printed, else what is missing. A line `...` stands for any lines."""
    lines = [line.rstrip() for line in printed.rstrip("\n").splitlines()]
    at, anywhere = 0, False
    for text in (line.rstrip() for line in shown):
        if text == "...":
            anywhere = True
            continue
        places = range(at, len(lines)) if anywhere else range(at, min(at + 1, len(lines)))
        found = next((k for k in places if lines[k] == text), None)
        if found is None:
            return f"the page shows\n    {text}\nwhere the command prints\n    " + "\n    ".join(lines[at:at + 20] or ["(nothing)"])
        at, anywhere = found + 1, False
    if at < len(lines) and not anywhere:
        return f"the command also prints\n    {lines[at]}"
    return None


def outputs(text):
    """The lines of the block of text that follows each block of sh, or None."""
    pattern = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
    return [(m[1], m[2].splitlines() if m[2] is not None else None) for m in pattern.finditer(text)]
