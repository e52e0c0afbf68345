#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The notebooks of examples/notebooks. usage: notebooks.py check FILE... | clean FILE... | run [--keep FOLDER] FILE...

check: they hold no outputs, are in canonical form, and every number with decimals in their texts has a mark in its cell:
  <!-- number: 1.183: f"{loss:.3f}" -->   the text has 1.183, and the expression gives it when all cells have run
clean: remove outputs, write the canonical form.
run: execute all cells (tools/machines/install-deps.sh --notebooks) in an empty folder, where they leave nothing, and compare
the numbers of the marks; --keep writes the notebooks with their outputs and pictures to a folder. The first notebook that fails ends the run
with status 1; one without its kernel is left out, with a line.
"""
import copy
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MARK = re.compile(r"<!-- number: (\S+): (.+?) -->")
SYSTEM_PYTHON = "/usr/bin/python3"
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?![\w.]*\w)")
KERNELS = {"python": {"display_name": "Python 3", "language": "python", "name": "python3"},
           "R": {"display_name": "R", "language": "R", "name": "ir"}}


def read(path):
    return json.loads(pathlib.Path(path).read_text())


def text_of(cell):
    return "".join(cell["source"])


def canonical(book):
    """The notebook without outputs, as text."""
    cells = []
    for k, cell in enumerate(book["cells"], 1):
        kept = {"cell_type": cell["cell_type"], "id": f"cell-{k:02d}", "metadata": {}, "source": text_of(cell).strip().splitlines(True)}
        if cell["cell_type"] == "code":
            kept.update(execution_count=None, outputs=[])
        cells.append(dict(sorted(kept.items())))
    language = book["metadata"]["kernelspec"]["language"]
    known = {"kernelspec": KERNELS[language], "language_info": {"name": language}}
    made = {"cells": cells, "metadata": known, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def marks(book):
    """(number, expression) of all texts."""
    return [mark for cell in book["cells"] if cell["cell_type"] == "markdown" for mark in MARK.findall(text_of(cell))]


def faults(path):
    """What is wrong with a stored notebook, a line each."""
    book = read(path)
    found = []
    if canonical(book) != pathlib.Path(path).read_text():
        found.append(f"{path}: outputs, or not in canonical form: run tools/ci/notebooks.py clean {path}")
    for cell in book["cells"]:
        if cell["cell_type"] == "markdown":
            shown = set(NUMBER.findall(re.sub(r"<!--.*?-->|`[^`]*`|\$[^$]*\$|\]\([^)]*\)", "", text_of(cell), flags=re.S)))
            marked = {number for number, _ in MARK.findall(text_of(cell))}
            found += [f"{path}: the text has {number}, but no mark for it" for number in sorted(shown - marked)]
            found += [f"{path}: a mark has {number}, but its text does not" for number in sorted(marked - shown)]
    return found


def left_out(reason):
    """A line that tools/ci/count_tests.py counts."""
    print(f"[  SKIPPED ] notebooks: {reason} (tools/machines/install-deps.sh --notebooks)", flush=True)


def execute(path, keep):
    import nbformat
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    book = nbformat.read(path, as_version=4)
    count, asked = len(book.cells), marks(book)
    report = "print({})" if book.metadata.kernelspec.language == "python" else "cat({})"
    made = copy.deepcopy(book)
    made.cells += [nbformat.v4.new_code_cell(report.format(expression)) for _, expression in asked]
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(made, timeout=1200, startup_timeout=300, resources={"metadata": {"path": folder}}).execute()
            if left := sorted(os.listdir(folder)):
                sys.exit(f"{path}: leaves {', '.join(left)} in the folder where it runs: write to a temporary folder")
    except NoSuchKernel as problem:
        left_out(f"{pathlib.Path(path).name} needs Jupyter's kernel {problem.name}, which is not installed")
        return
    except CellExecutionError as problem:
        sys.exit(f"{path}: a cell fails\n{problem}")
    given = ["".join(output.get("text", "") for output in cell.outputs).strip() for cell in made.cells[count:]]
    made.cells = made.cells[:count]
    if keep:
        nbformat.write(made, pathlib.Path(keep) / pathlib.Path(path).name)
    wrong = [f"{path}: the text has {number}, but {expression} is {found}"
             for (number, expression), found in zip(asked, given) if found != number]
    pictures = sum("image/png" in output.get("data", {}) for cell in made.cells if cell.cell_type == "code" for output in cell.outputs)
    if pictures < 2:
        wrong.append(f"{path}: only {pictures} pictures")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{path}: {count} cells, {pictures} pictures, {len(asked)} numbers, {time.monotonic() - began:.1f} s", flush=True)


def prepare():
    """The Python that has nbclient: this one, or Debian's. False where there is none."""
    if importlib.util.find_spec("nbclient") is None:
        has = subprocess.run([SYSTEM_PYTHON, "-c", "import nbclient"], capture_output=True).returncode == 0
        if not has or sys.executable == SYSTEM_PYTHON:
            left_out("nbclient is not installed")
            return False
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    # The kernel's debugger warns of itself; waiting threads sleep, as tests run side by side.
    os.environ.update(PYDEVD_DISABLE_FILE_VALIDATION="1", OMP_WAIT_POLICY="passive")
    return True


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help") or arguments[0] not in ("check", "clean", "run"):
        print(__doc__)
        sys.exit(0 if arguments and arguments[0] in ("-h", "--help") else 2)
    what, keep, files = arguments[0], None, arguments[1:]
    if files[:1] == ["--keep"]:
        keep, files = files[1], files[2:]
    if what == "check":
        found = [line for path in files for line in faults(path)]
        print("\n".join(found or [f"{len(files)} notebooks"]))
        sys.exit(bool(found) or not files)
    if what == "run" and not prepare():
        return
    for path in files:
        if what == "clean":
            pathlib.Path(path).write_text(canonical(read(path)))
        else:
            execute(path, keep)


if __name__ == "__main__":
    main()
