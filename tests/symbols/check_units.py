#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that are compiled several as one have no name twice in their unnamed namespaces, functions with other arguments excepted, and none
that one of their headers has. usage: check_units.py FILE.cpp...

How many files make one depends on the build (cli/meson.build): such a name breaks some builds alone. A name is what begins a declaration at
the left margin, where clang-format puts those of namespaces."""
import pathlib
import re
import sys

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
QUALIFIED = r"[\w:]+(?:<[^;=(){}]*>)?"
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?|using) (\w+)")
FUNCTION = re.compile(rf"(?:\w+ )*{QUALIFIED}[ *&]+(\w+)\(")
VARIABLE = re.compile(rf"(?:(?:const|constexpr|static|inline|extern) )*{QUALIFIED}[ *&]+(?:const )?(\w+)(?:\[\w*\])*(?= = |\{{|;|,)(.*)")


def names(text):
    """(name, arguments) of declarations; arguments is empty for what is no function."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', "", text, flags=re.S)
    for begin in re.finditer(r"^[a-zA-Z\[].*", text, flags=re.M):
        line = re.sub(r"^(template <.*?> )?(\[\[\w+\]\] )?", "", begin[0])
        if re.match(r"(namespace|template|return|public|private|else)\b", line):
            continue
        if found := TYPE.match(line):
            yield found[1], ""
        elif found := FUNCTION.match(line):
            yield found[1], " ".join(text[begin.end() - len(line) + found.end(1):].split(")", 1)[0].split())
        elif found := VARIABLE.match(line):
            for name in (found[1], *re.findall(r", (\w+) = ", found[2])):
                yield name, ""


def complaints(units, headers):
    """Both: file -> text."""
    of_headers = {name: file for file, text in headers.items() for name, _ in names(text)}
    first = {}
    for file, text in sorted(units.items()):
        for name, arguments in sorted({found for block in UNNAMED.findall(text) for found in names(block)}):
            others = first.setdefault(name, {})
            same = others.get(arguments) or others.get("") or (not arguments and next(iter(others.values()), None))
            if other := of_headers.get(name) or (same != file and same):
                yield f"{file}: {name} is in the unnamed namespace, and in {other}"
            others.setdefault(arguments, file)


def planted(line):
    return "namespace cli {\n\nnamespace {\n\n" + line + "\n\n}  // namespace\n\n}  // namespace cli\n"


for line in ("constexpr int64_t kSites = 20, kColors = 4;", "constexpr const char *kColors[] = {", "std::string kColors(const T &x) {",
             "struct kColors {", "const std::vector<std::pair<int, double>> kColors{{1, 2}};", "template <class T> T *kColors(T *x) {", "using kColors = int;"):
    for others in ({"b": planted("int kColors = 3;")}, {"b": planted(line)}):
        if "b: kColors is in the unnamed namespace, and in a" not in complaints({"a": planted(line), **others}, {}):
            sys.exit(f"the check does not see two names in: {line}")
    if [*complaints({"a": planted(line)}, {"h": "int kColors(double);"})] != ["a: kColors is in the unnamed namespace, and in h"]:
        sys.exit(f"the check does not see the name of a header in: {line}")
if [*complaints({"a": planted("int of(double x) {"), "b": planted("int of(int x) {")}, {})]:
    sys.exit("the check sees two names in two functions with other arguments")
files = {path: pathlib.Path(path) for path in sys.argv[1:]}
folders = {path.parent for path in files.values()}
found = [*complaints({name: path.read_text() for name, path in files.items()}, {str(h): h.read_text() for f in folders for h in sorted(f.glob("*.hpp"))})]
print("\n".join(found) or f"{len(files)} files")
sys.exit(1 if found else 0)
