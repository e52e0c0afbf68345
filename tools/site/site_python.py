# SPDX-License-Identifier: MIT
"""Reference of the Python package, from the signatures and docstrings of its sources: nothing is imported."""
import ast
import inspect
import pathlib
import re
import sys

from site_text import SPECIAL, directive, escape, page, prose, title

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/generator"))
from interface import Interface  # noqa: E402

PACKAGE = "bindings/python/src/attopotts"
SECTION = re.compile(r"^\s*(Parameters|Returns|Yields|Raises|Notes|Examples|See Also|References|Attributes)\n\s*-{3,}\s*$", re.M)


def doc_lines(text):
    """reStructuredText of a docstring: plain paragraphs, or the sections of NumPy's style."""
    text = escape_text(inspect.cleandoc(text or ""))
    if not SECTION.search(text):
        return prose(text.splitlines(), lambda piece: piece)
    from sphinx.ext.napoleon import Config, NumpyDocstring
    made = NumpyDocstring(text, Config(napoleon_use_rtype=False, napoleon_use_admonition_for_examples=False))
    return [*str(made).splitlines(), ""]


def escape_text(text):
    """Escaped, but for examples and the lines under headings."""
    # A letter and a full stop alone would begin a list.
    text = re.sub(r"^(\s*)(\w\.)$", r"\1\0\2", text, flags=re.M)
    return "\n".join(line if line.lstrip().startswith((">>>", "...", "---")) else SPECIAL.sub(r"\\\1", line).replace("\0", "\\") for line in text.splitlines())


class Package:
    """The sources: modules, and classes and functions by name."""

    def __init__(self, folders):
        self.modules, self.classes, self.functions = {}, {}, {}
        for folder in folders:
            for path in sorted(folder.glob("*.py")):
                tree = ast.parse(path.read_text())
                self.modules[path.stem] = tree
                for node in tree.body:
                    if isinstance(node, ast.ClassDef):
                        self.classes[node.name] = node
                    elif isinstance(node, ast.FunctionDef):
                        self.functions[path.stem, node.name] = node
        self.interface = Interface()

    def line_of_bases(self, node):
        """A class and its bases in this package, nearest first."""
        found = [node]
        for base in node.bases:
            name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
            if name in self.classes:
                found += [c for c in self.line_of_bases(self.classes[name]) if c not in found]
        return found

    def kind_of(self, node):
        for one in self.line_of_bases(node):
            for item in one.body:
                if isinstance(item, ast.Assign) and getattr(item.targets[0], "id", "") == "_kind":
                    return item.value.value
        return None

    def exported(self):
        return ast.literal_eval(assigned(self.modules["__init__"], "__all__"))


def assigned(tree, name):
    """What a module assigns to a name."""
    for item in tree.body:
        targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
        if any(getattr(target, "id", "") == name for target in targets):
            return item.value
    raise ValueError(f"{PACKAGE}: no module assigns {name}")


def decorators(node):
    return {(d.func if isinstance(d, ast.Call) else d).id if isinstance(d.func if isinstance(d, ast.Call) else d, ast.Name)
            else (d.func if isinstance(d, ast.Call) else d).attr: d for d in node.decorator_list}


def options_lines(package, node, kind, renamed=(), texts=True):
    """The options that a function takes by name beside its own parameters, with their defaults and what they mean."""
    names = {"lambda": "penalty", "student_rank": "rank", **dict(renamed)}
    own = {a.arg for a in [*node.args.args, *node.args.kwonlyargs]}
    found = {name: f"``{names.get(name, name)}={value if re.match('[-0-9.]', str(value)) else repr(value)}``"
             for name, value in package.interface.options_of(kind.lower()) if names.get(name, name) not in own}
    if not found:
        return []
    texts_of = {name: text for name, _, text, _ in package.interface.options[kind.lower()]}
    if not texts:
        return [":Options: " + ", ".join(found.values()), ""]
    return [":Options:", *(f"   - {shown} -- {escape(texts_of[name])}" for name, shown in found.items()), ""]


def taken(node):
    """The kind of options that @takes names, and their other names."""
    call = decorators(node).get("takes")
    return (call.args[0].value, [(k.arg, k.value.value) for k in call.keywords]) if call else (None, [])


def signature(node, method):
    arguments = ast.parse(ast.unparse(node)).body[0].args
    if method and "staticmethod" not in decorators(node):
        arguments.args = arguments.args[1:]
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(arguments)}){result}"


def function_lines(package, node, name, method=False, kind=None):
    found = decorators(node)
    body = doc_lines(ast.get_docstring(node))
    named, renamed = taken(node)
    if (named or kind) and node.args.kwarg:
        body += options_lines(package, node, named or kind, renamed, texts=not method)
    if "property" in found:
        options = [f":type: {ast.unparse(node.returns)}"] if node.returns else []
        return directive("py:property", name, body, options)
    options = [":classmethod:"] if "classmethod" in found else [":staticmethod:"] if "staticmethod" in found else []
    return directive("py:method" if method else "py:function", name + signature(node, method), body, options)


def field_lines(package, node):
    """The fields of a NamedTuple and what @described says of them."""
    call = decorators(node).get("described")
    texts = {k.arg: k.value.value for k in call.keywords} if call else {}
    out = []
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            out += directive("py:attribute", item.target.id, [escape(texts.get(item.target.id, ""))], [f":type: {ast.unparse(item.annotation)}"])
    return out


def class_lines(package, node):
    body, seen, made = doc_lines(ast.get_docstring(node)), set(), None
    learner = any(one.name == "Learner" for one in package.line_of_bases(node))
    members = []
    for one in package.line_of_bases(node):
        for item in one.body:
            if not isinstance(item, ast.FunctionDef) or item.name in seen or "setter" in decorators(item):
                continue
            seen.add(item.name)
            if item.name == "__init__":
                made = item
            elif not item.name.startswith("_"):
                kind = package.kind_of(node) if learner and item.name == "bytes" else None
                members += function_lines(package, item, item.name, method=True, kind=kind)
    if made:
        kind, renamed = taken(made)
        kind = kind or package.kind_of(node) if learner or kind else None
        body += options_lines(package, made, kind, renamed) if kind and made.args.kwarg else []
    body += field_lines(package, node) + members
    return directive("py:class", node.name + (signature(made, True) if made else ""), body)


def module_page(package, name):
    tree = package.modules[name]
    lines = [*title("attopotts." + name), f".. py:module:: attopotts.{name}", "", *doc_lines(ast.get_docstring(tree))]
    for item in tree.body:
        if isinstance(item, ast.ClassDef) and not item.name.startswith("_"):
            lines += class_lines(package, item)
        elif isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            lines += function_lines(package, item, item.name)
    return page(lines)


def main_page(package, names):
    lines = [*title("attopotts"), ".. py:module:: attopotts", "", *doc_lines(ast.get_docstring(package.modules["__init__"]))]
    classes = [n for n in names if n in package.classes]
    functions = [n for n in names if n not in classes and n.islower()]
    for heading, chosen in (("Classes", classes), ("Functions", functions)):
        lines += title(heading, "-")
        for name in chosen:
            if name in classes:
                lines += class_lines(package, package.classes[name])
                continue
            node = next((n for (_, known), n in package.functions.items() if known == name), None)
            if node is None:
                raise ValueError(f"{PACKAGE}: __all__ names {name}, which no module defines")
            lines += function_lines(package, node, name)
    return page(lines)


def python_pages(generated):
    """{name of a page: text}, index first. generated: the folder that bindings/generate.py wrote the package's files to."""
    package = Package([generated / "src/attopotts", ROOT / PACKAGE])
    names = package.exported()
    modules = [name for name in names if name in package.modules and name.islower()]
    index = [*title("Python"), "The package ``attopotts``: signatures, docstrings and options.", "", ".. toctree::", "",
             *("   " + name for name in ["attopotts", *modules])]
    return {"index": page(index), "attopotts": main_page(package, [n for n in names if n not in modules]),
            **{name: module_page(package, name) for name in modules}}
