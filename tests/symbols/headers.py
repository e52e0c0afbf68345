# SPDX-License-Identifier: MIT
"""Reads the public C headers: prototypes with their comments and parameters, enums with their constants.

The headers are regular on purpose (one comment per prototype, ATP_API in front); what does not fit raises an error rather than
being skipped.
"""
import dataclasses
import pathlib
import re


@dataclasses.dataclass
class Parameter:
    type: str
    name: str

    @property
    def pointer(self):
        return "*" in self.type or self.type.endswith("_fn")


@dataclasses.dataclass
class Function:
    name: str
    returns: str
    parameters: list
    comment: str
    header: str


@dataclasses.dataclass
class Enum:
    name: str
    constants: dict  # name -> value
    header: str


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def parse_parameters(text):
    text = text.strip()
    if text in ("", "void"):
        return []
    parameters = []
    for piece in text.split(","):
        match = re.fullmatch(r"(.*[\s*])(\w+)", piece.strip())
        if not match:
            raise ValueError(f"parameter not understood: {piece!r}")
        parameters.append(Parameter(re.sub(r"\s+", " ", match[1]).strip(), match[2]))
    return parameters


PROTOTYPE = re.compile(r"ATP_API\s+([\w\s*]+?[\s*])(\w+)\s*\(([^()]*)\)\s*ATP_NOEXCEPT\s*;", re.S)


def functions(path):
    text = pathlib.Path(path).read_text()
    code = re.sub(r"^\s*#.*$", lambda m: " " * len(m[0]), text, flags=re.M)
    found = []
    for match in PROTOTYPE.finditer(code):
        before = re.sub(r'ATP_DEPRECATED\("[^"]*"\)$', "", code[: match.start()].rstrip()).rstrip()
        # The comment next to the prototype, and no other: a plain one in between hides it.
        comment = before[before.rindex("/*"):] if before.endswith("*/") else ""
        if not re.match(r"/\*\*[^<*/]", comment):
            comment = ""
        found.append(Function(match[2], re.sub(r"\s+", " ", match[1]).strip(), parse_parameters(match[3]), comment, path))
    if len(found) != len(re.findall(r"\bATP_API\b", strip_comments(code))):
        raise ValueError(f"{path}: {len(re.findall(r'ATP_API', strip_comments(code)))} times ATP_API, {len(found)} prototypes understood")
    return found


def enums(path):
    code = strip_comments(pathlib.Path(path).read_text())
    found = []
    for match in re.finditer(r"typedef\s+enum\s+(\w+)\s+ATP_INT\s*\{(.*?)\}\s*(\w+)\s*;", code, flags=re.S):
        if match[1] != match[3]:
            raise ValueError(f"{path}: enum {match[1]} is called {match[3]}")
        constants = {}
        for piece in match[2].split(","):
            if not piece.strip():
                continue
            constant = re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d+)\s*", piece)
            if not constant:
                raise ValueError(f"{path}: no pinned value in {piece.strip()!r}")
            constants[constant[1]] = int(constant[2])
        found.append(Enum(match[1], constants, path))
    if len(found) != len(re.findall(r"\benum\b", code)):
        raise ValueError(f"{path}: an enum was not understood: typedef enum atp_NAME ATP_INT {{ ... }} atp_NAME;")
    return found


def all_functions(paths):
    return [f for path in paths for f in functions(path)]


def all_enums(paths):
    return [e for path in paths for e in enums(path)]
