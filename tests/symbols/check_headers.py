#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each public header compiles alone, as C11 and as C++17, without a warning; defines no name without our prefix; has a guard and C
linkage. No function has more than 7 parameters.

usage: check_headers.py "CC" "CXX" INCLUDE_DIRECTORIES HEADER...     (include directories separated by colons)
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

cc, cxx, includes, *paths = sys.argv[1:]
FLAGS = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wstrict-prototypes", "-fsyntax-only"]


def compiles(path, language, folders):
    if language == "c":
        compiler = [*cc.split(), "-std=c11", *FLAGS]
    else:
        compiler = [*cxx.split(), "-std=c++17", *[f for f in FLAGS if "strict" not in f], "-Wold-style-cast"]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / ("alone.c" if language == "c" else "alone.cpp")
        # Twice: the guard works.
        source.write_text(f'#include "{path}"\n#include "{path}"\nint attopotts_alone(void);\n')
        run = subprocess.run([*compiler, *[f"-I{f}" for f in folders], str(source)], capture_output=True, text=True)
    if run.returncode == 0:
        return []
    why = (run.stderr.strip() or f"status {run.returncode}").splitlines()[0]
    return [f"{path}: does not compile alone as {language}: {why}"]


def names(path):
    """Everything that a header defines: macros, and names at file scope."""
    text = headers.strip_comments(pathlib.Path(path).read_text()).replace("\\\n", " ")
    found = re.findall(r"^\s*#\s*define\s+(\w+)", text, flags=re.M)
    code = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    code = re.sub(r'extern\s+"C"\s*\{', "", code)
    for enum in re.findall(r"enum\s+\w*(?:\s+ATP_INT)?\s*\{(.*?)\}", code, flags=re.S):
        found += re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", enum.strip())
    code = re.sub(r"\{[^{}]*\}", " ", code)
    for declaration in re.split(r"[;}]", code):
        declaration = " ".join(declaration.split())
        if not declaration:
            continue
        tag = re.match(r"(?:typedef )?(?:struct|enum|union) (\w+)", declaration)
        if tag:
            found.append(tag[1])
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        function = re.search(r"(\w+) ?\(", declaration)
        last = re.search(r"(\w+)$", declaration)
        if pointer:
            found.append(pointer[1])
        elif function:
            found.append(function[1])
        elif last:
            found.append(last[1])
        else:
            raise SystemExit(f"{path}: not understood: {declaration}")
    return found


MOST_PARAMETERS = 7


def complaints(path, folders):
    text = pathlib.Path(path).read_text()
    found = compiles(path, "c", folders) + compiles(path, "c++", folders)
    found += [f"{path}: defines {name}" for name in names(path) if not re.match(r"atp_|ATP_|ATTOPOTTS_", name)]
    found += [f"{path}: {f.name} has {len(f.parameters)} parameters, expected at most {MOST_PARAMETERS}"
              for f in headers.functions(path) if len(f.parameters) > MOST_PARAMETERS]
    if not re.search(r"#ifndef (ATTOPOTTS_\w+)\n#define \1\n", text):
        found.append(f"{path}: no include guard")
    if "ATP_API " in headers.strip_comments(text).replace("#define ATP_API ", "") and 'extern "C" {' not in text:
        found.append(f"{path}: no C linkage")
    return found


PLANTED = {
    "warns.h": "static int atp_unused(int x) { unsigned y = 0; return x < y; }",
    "needs.h": "atp_status atp_needs_status(void);",
    "leaks.h": "#define LIMIT 3\ntypedef long BIGINT;\nenum color { RED = 1, ATP_GREEN };\ntypedef void (*callback)(int);\n"
               "struct shape;\nint size_of(int n);",
    "many.h": "#define ATP_API\n#define ATP_NOEXCEPT\n"
              "ATP_API int atp_eight(int a, int b, int c, int d, int e, int f, int g, int h) ATP_NOEXCEPT;\n"
              "ATP_API int atp_seven(int a, int b, int c, int d, int e, int f, int g) ATP_NOEXCEPT;",
    "good.h": "#ifndef ATTOPOTTS_GOOD_H\n#define ATTOPOTTS_GOOD_H\ntypedef struct atp_good atp_good;\n#endif",
}
with tempfile.TemporaryDirectory() as folder:
    for name, text in PLANTED.items():
        (pathlib.Path(folder) / name).write_text(text + "\n")
    folders = [*includes.split(":"), folder]

    def seen(name):
        return " | ".join(complaints(str(pathlib.Path(folder) / name), folders))
    if "alone as c:" not in seen("warns.h") or "alone as c++:" not in seen("warns.h") or "alone as c:" not in seen("needs.h"):
        sys.exit("the check does not see a header that does not compile")
    for name in ("LIMIT", "BIGINT", "color", "RED", "callback", "shape", "size_of", "no include guard"):
        if name not in seen("leaks.h"):
            sys.exit(f"the check does not see {name}: {seen('leaks.h')}")
    if "atp_eight has 8 parameters" not in seen("many.h") or "atp_seven" in seen("many.h"):
        sys.exit(f"the check does not count parameters: {seen('many.h')}")
    if "GREEN" in seen("leaks.h") or seen("good.h"):
        sys.exit(f"the check objects to what is good: {seen('leaks.h')} {seen('good.h')}")

found = [text for path in paths for text in complaints(path, includes.split(":"))]
print("\n".join(found) or f"{len(paths)} headers stand alone")
sys.exit(1 if found or not paths else 0)
