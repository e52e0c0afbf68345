# SPDX-License-Identifier: MIT
"""NAMESPACE and help pages of the R package, from its R files and the texts in pages/."""
import re
import textwrap

from interface import NOTE

# What parameters are where a help page says nothing of them.
COMMON = {"context": "a context, see [atp_context].", "model": "a model.", "alignment": "an alignment.", "path": "a file.",
          "progress": "a function of a list of numbers, see [attopotts-package]; called about every 0.1 s. `TRUE` ends the run.",
          **dict.fromkeys(("xlab", "ylab", "main", "log"), "as in [plot.default].")}
GGPLOT2 = ("autolayer", "autoplot")
# Generics of other packages of R, which the package imports.
IMPORTED = {"stats": ("logLik", "nobs", "predict", "simulate", "weights"), "utils": (".DollarNames", "head", "str", "tail")}
GENERICS = ("[", "[[", "$", *(f"{name}<-" for name in ("[", "[[", "$", "names", "length", "dim", "levels")), "all.equal", "as.data.frame", "as.list",
            "as.matrix", "c", "dim", "dimnames", "length", "plot", "print", "rep", "summary", *GGPLOT2, *(x for names in IMPORTED.values() for x in names))
METHOD = re.compile(rf"({'|'.join(map(re.escape, GENERICS))})\.(atp_\w+|summary\.\w+)")
TAGS = re.compile(r"^@(functions|title|description|param|details|value|references|seealso|examples)\b", flags=re.M)
PARAMETER = re.compile(r"(?:^|, )(\.\.\.|[a-z]\w*)(?= =|,|$)")


def signatures(sources):
    """{name: arguments} of the functions of R files."""
    found = {}
    for match in re.finditer(r"^(`?)([\w.\[$<-]+)\1 <- function\(", sources, flags=re.M):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(sources[end], 0)
            end += 1
        found[match[2]] = re.sub(r"\s+", " ", sources[match.end():end - 1])
    return found


def options_in(text, interface):
    def shown(match):
        found = [f"\\code{{{name} = {'NULL' if value is None else value if re.match('[-0-9]', value) else repr(value)}}}".replace("'", '"')
                 for name, value in interface.options_of(match[1])]
        return "\n".join(textwrap.wrap(", ".join(found).replace(" = ", "\0=\0"), 120)).replace("\0", " ")
    return re.sub(r"@options (\w+)", shown, text)


def marked(text, interface):
    """Rd of a text with `code`, links as [atp_loss] or [atp_loss()], and `@options KIND`: the options of samplers, ... with defaults."""
    text = re.sub(r"\[(atp_\w+|attopotts-package|plot\.default)(\(\))?\]", r"\\code{\\link{\1}\2}", text)
    return options_in(re.sub(r"`([^`]+)`", r"\\code{\1}", text), interface)


def usage(name, signature, methods):
    generic, class_ = methods.get(name, (None, None))
    called = f"\\method{{{generic}}}{{{class_}}}" if generic else name
    # A name and its default stay on one line, and so does a text.
    call = f"{called}({signature})".replace(" = ", "\0=\0")
    call = re.sub(r'"[^"]*"', lambda text: text[0].replace(" ", "\0"), call)
    lines = textwrap.wrap(call, 90, subsequent_indent="     ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def page(path, interface, functions, methods):
    """An Rd page from a text with the tags of roxygen2. `@functions` lists what the page is about, names in brackets as aliases alone; the
    usage comes from the code, and from COMMON the parameters that the page says nothing of."""
    head, *parts = TAGS.split(path.read_text())
    found = [(tag, body.strip()) for tag, body in zip(parts[::2], parts[1::2])]
    listed = " ".join(body for tag, body in found if tag == "functions").split()
    told = {}
    for tag, body in found:
        if tag == "param":
            names, text = body.split(maxsplit=1)
            told.update(dict.fromkeys(names.split(","), text))
    taken = dict.fromkeys(p for name in listed for p in PARAMETER.findall(functions.get(name, "")))
    if wrong := set(taken) - set(told) - set(COMMON) | set(told) - set(taken):
        raise ValueError(f"{path.name}: parameters without a text, or texts without a parameter: {', '.join(sorted(wrong))}")
    items = {}
    for name in taken:
        items.setdefault(told.get(name) or COMMON[name], []).append(name)
    out = {tag: body if tag == "examples" else marked(body, interface) for tag, body in found if tag not in ("functions", "param")}
    lines = [f"% {NOTE.replace('the headers in include/attopotts', 'bindings/r/pages and bindings/r/R')}", head.strip()]
    lines += [f"\\name{{{path.stem}}}"] * bool(listed) + ["\\alias{" + name.strip("()") + "}" for name in listed]
    lines += [f"\\title{{{out.pop('title')}}}", f"\\description{{\n{out.pop('description')}\n}}"]
    if listed:
        lines += ["\\usage{", *(usage(name, functions[name], methods) for name in listed if name in functions), "}", "\\arguments{"]
        lines += [f"\\item{{{', '.join(names)}}}{{{marked(text, interface)}}}" for text, names in items.items()] + ["}"]
    return "\n".join(lines + [f"\\{tag}{{\n{body}\n}}" for tag, body in out.items()] + [""])


def namespace(methods):
    lines = ["# SPDX-License-Identifier: MIT", f"# {NOTE.replace('the headers in include/attopotts', 'bindings/r/R')}",
             'useDynLib(attopotts, .registration = TRUE, .fixes = "C_")', 'exportPattern("^atp_")',
             *(f"importFrom({package}, {', '.join(names)})" for package, names in IMPORTED.items())]
    for generic, class_ in (methods[name] for name in sorted(methods)):
        # Registered when ggplot2 is loaded, which nothing needs to be.
        found = f"ggplot2::{generic}" if generic in GGPLOT2 else f'"{generic}"'
        lines.append(f"S3method({found}, {class_})")
    return "\n".join(lines + [""])


def files(interface, here):
    functions = signatures("\n".join(path.read_text() for path in sorted((here / "R").glob("*.R"))))
    found = {name: METHOD.fullmatch(name) for name in functions}
    methods = {name: match.groups() for name, match in found.items() if match}
    return {"NAMESPACE": namespace(methods),
            **{f"man/{path.stem}.Rd": page(path, interface, functions, methods) for path in sorted((here / "pages").glob("*.txt"))}}
