# SPDX-License-Identifier: MIT
"""Reference of the R package: its help pages, which bindings/generate.py writes from bindings/r/pages and bindings/r/R."""
import re

from site_text import code, escape, indented, page, title

PIECE = re.compile(r"\\(\w+)|\\(.)|([{}])|([^\\{}]+)", re.S)


def arguments_of(text, place, count):
    """`count` arguments in braces from a place on, and the place behind them."""
    found = []
    for _ in range(count):
        while text[place] in " \n":
            place += 1
        if text[place] != "{":
            raise ValueError(f"a brace was expected: {text[place:place + 40]!r}")
        depth, start = 1, place + 1
        while depth:
            place += 1
            if text[place] == "\\":
                place += 1
            else:
                depth += {"{": 1, "}": -1}.get(text[place], 0)
        found.append(text[start:place])
        place += 1
    return found, place


def literal(text):
    """Rd without its marks, for code."""
    text = re.sub(r"\\method\{([^}]*)\}\{([^}]*)\}", lambda m: f"{m[1]}.{m[2]}".replace("[.", "`[.") + "`" * (m[1] == "["), text)
    text = re.sub(r"\\(?:link|code|eqn)\{([^{}]*)\}", r"\1", text)
    return re.sub(r"\\dots|\\ldots", "...", re.sub(r"\\([%{}\\])", r"\1", text))


def shown(text, pages):
    """reStructuredText of Rd in one paragraph."""
    out, place = [], 0
    while place < len(text):
        match = PIECE.match(text, place)
        place = match.end()
        name = match[1]
        if name in ("dots", "ldots"):
            out.append("...")
        elif name in ("code", "link", "emph", "url", "strong"):
            (inner,), place = arguments_of(text, place, 1)
            link = re.fullmatch(r"(?:\\link\{)?([\w.-]+)\}?", inner) if "\\link" in inner or name == "link" else None
            plain = literal(inner)
            if link and link[1] in pages:
                out.append(f"\\ :doc:`{link[1]} <{pages[link[1]]}>`\\ ")
            else:
                out.append(f"\\ ``{plain.strip()}``\\ " if plain.strip() else "")
        elif name in ("eqn", "deqn"):
            (latex,), place = arguments_of(text, place, 1)
            if text[place:place + 1] == "{":
                (latex,), place = arguments_of(text, place, 1)
            out.append("\\ *" + escape(" ".join(latex.replace("\\", "").split())) + "*\\ ")
        elif name == "doi":
            (number,), place = arguments_of(text, place, 1)
            out.append(f"\\ `doi:{number} <https://doi.org/{number}>`__\\ ")
        elif name:
            raise ValueError(f"unknown mark of Rd: \\{name}")
        elif match[2]:
            out.append(escape(match[2]))
        elif match[4]:
            out.append(escape(re.sub(r"\s+", " ", match[4])))
    return "".join(out).strip()


def paragraphs(text, pages):
    out = []
    for part in re.split(r"\n\s*\n", text.strip()):
        out += [shown(part, pages), ""]
    return out


def sections(text):
    """[(name, argument)] of the outer level of an Rd page."""
    found, place = [], 0
    while match := re.compile(r"^\\(\w+)(?=\{)", re.M).search(text, place):
        (inner,), place = arguments_of(text, match.end(), 1)
        found.append((match[1], inner))
    return found


def argument_lines(text, pages):
    out, place = [], 0
    while match := re.compile(r"\\item(?=\{)").search(text, place):
        (name, about), place = arguments_of(text, match.end(), 2)
        out += [f"``{literal(name)}``", *indented([shown(about, pages)]), ""]
    return out


def help_page(text, pages):
    found = dict(reversed([(name, inner) for name, inner in sections(text) if name != "alias"]))
    lines = [*title(literal(found["title"]) + " (R)"), *paragraphs(found["description"], pages)]
    if "usage" in found:
        names = [inner for name, inner in sections(text) if name == "alias"]
        lines += [".. index::", *(f"   single: {name} (R)" for name in names if re.fullmatch(r"[\w.]+", name)), ""]
        lines += [*code(literal(found["usage"]).strip(), "r")]
        lines += [*title("Arguments", "-"), *argument_lines(found["arguments"], pages)]
    for name, heading in (("details", "Details"), ("value", "Value"), ("seealso", "See also"), ("references", "References")):
        if name in found:
            lines += [*title(heading, "-"), *paragraphs(found[name], pages)]
    if "examples" in found:
        lines += [*title("Examples", "-"), *code(literal(found["examples"]).strip(), "r")]
    return page(lines)


def r_pages(generated):
    """{name of a page: text}, index first. generated: the folder that bindings/generate.py wrote the package's files to."""
    texts = {path.stem: path.read_text() for path in sorted((generated / "man").glob("*.Rd"))}
    pages = {alias: stem for stem, text in texts.items() for alias in [stem] + [i for n, i in sections(text) if n == "alias"]}
    first = [n for n in ("attopotts-package",) if n in texts]
    order = first + [n for n in texts if n not in first]
    index = [*title("R"), "The help pages of the package ``attopotts``.", "", ".. toctree::", "", *indented(order)]
    return {"index": page(index), **{name: help_page(texts[name], pages) for name in order}}
