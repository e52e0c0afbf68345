# SPDX-License-Identifier: MIT
"""reStructuredText for the pages of reference that tools/site/site.py writes."""
import re
import textwrap

SPECIAL = re.compile(r"([\\*`|<>_\[\]])")


def escape(text):
    """Text that is shown as it is."""
    return SPECIAL.sub(r"\\\1", text)


def title(text, line="="):
    return [escape(text), line * max(len(escape(text)), 3), ""]


def indented(lines, width=3):
    return [" " * width + line if line else "" for line in lines]


def code(lines, language="none"):
    """A block of code; `lines` is a list, or one text."""
    lines = lines.splitlines() if isinstance(lines, str) else lines
    return [f".. code-block:: {language}", "", *indented(textwrap.dedent("\n".join(lines)).splitlines()), ""]


def directive(name, argument, body, options=()):
    return [f".. {name}:: {argument}", *indented(list(options)), "", *indented(body), ""]


def prose(lines, shown=escape):
    """Paragraphs, lists and formulas of a comment. A line that begins with two spaces is a formula, or goes on with an item of a list; "- "
    begins an item. `shown` makes reStructuredText of a piece of text."""
    groups, kind = [], None  # (kind, lines)
    for line in lines:
        text = line.rstrip()
        if not text:
            kind = None
            continue
        if text.startswith("- "):
            groups.append(("item", [text[2:]]))
            kind = "item"
        elif text.startswith("  ") and kind == "item":
            groups[-1][1].append(text.strip())
        else:
            new = "formula" if text.startswith("  ") else "text"
            if new != kind:
                groups.append((new, []))
            kind = new
            groups[-1][1].append(text)
    out, before = [], None
    for kind, found in groups:
        if before == "item" and kind != "item":
            out.append("")
        if kind == "formula":
            out += code(found)
        elif kind == "item":
            out.append("- " + shown(" ".join(found)))
        else:
            out += [shown(" ".join(found)), ""]
        before = kind
    return out + [""] * (before == "item")


def page(lines):
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"
