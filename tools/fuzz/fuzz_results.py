#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What tools/fuzz/fuzz.sh ran: numbers, corpora, coverage.

usage: fuzz_results.py record BUILD [--store] [--keep] TARGET...   from BUILD/logs: a line per target; status 1 if something was found
       fuzz_results.py coverage BUILD [--store]                    lines of src/io and src/alignment that tests and corpora reach
       fuzz_results.py write                                       the tables of docs/faults.md
       fuzz_results.py check                                       every target has a stored result of this version, the page has it

--store adds inputs and seconds to docs/results/fuzz.csv, where they are those of all runs of a version, and lines to
docs/results/fuzz_coverage.csv. --keep adds to the corpora.
"""
import csv
import datetime
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
import corpus  # noqa: E402
from tree_version import ROOT, version  # noqa: E402

STORED = ROOT / "docs/results/fuzz.csv"
LINES_COLUMNS = ["folder", "version", "date", "lines", "reached"]
LINES = ROOT / "docs/results/fuzz_coverage.csv"
PAGE, BEGIN, END = ROOT / "docs/faults.md", "<!-- begin fuzzing -->\n", "<!-- end fuzzing -->\n"
ALL_INPUTS = 10**8  # of all targets of a version
COLUMNS = ["target", "version", "date", "inputs", "seconds", "inputs_per_second", "edges", "findings"]
LARGEST_FILE, LARGEST_CORPUS, MOST_FILES = 4095, 16 << 10, 100  # of a target, beside those with names
FOUND = re.compile("[0-9a-f]{40}")  # the name of an input that a fuzzer found
FOLDERS = ("src/io", "src/alignment")
COVERED = 95  # per cent of lines
# Tests of what is in these folders.
UNIT = "comparison|formats|hdf5|hdf5_files|name_table|pairs|readers|selection"
API = ("alignment|baselines|borrow|braw|counts|damage|family|files|fork|formats|inputs|logs|memory|model|mutations|no_malloc|null|outputs|pairs|parts|"
       "plmc|saved_states|score_files|selection|symmetry|text|trainer_dense")


def targets():
    return sorted(path.stem.removeprefix("fuzz_") for path in (ROOT / "tests/fuzz").glob("fuzz_*.cpp"))


def read_log(path):
    """Inputs, seconds and edges of a run, from what libFuzzer prints."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    done = re.search(r"^Done (\d+) runs in (\d+) second", text, re.MULTILINE)
    units = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    rate = re.search(r"stat::average_exec_per_sec: *(\d+)", text)
    inputs = int(done[1] if done else units[1] if units else 0)
    # A run that finds something at once has no rate.
    seconds = int(done[2]) if done else round(inputs / int(rate[1])) if rate and int(rate[1]) > 0 else 1
    edges = max((int(n) for n in re.findall(r" cov: (\d+)", text)), default=0)
    return inputs, seconds, edges


def stored(path=STORED):
    """Rows of a table by their first column."""
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


def write(rows, path=STORED, columns=COLUMNS):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))
    write_page()


def tables():
    """What docs/faults.md has between its marks."""
    rows, lines = stored(), stored(LINES)
    inputs, seconds = (sum(int(row[name]) for row in rows.values()) for name in ("inputs", "seconds"))
    found = [f"{name} {row['findings']}" for name, row in sorted(rows.items()) if int(row["findings"])]
    text = f"{len(rows)} targets ran {inputs:,} inputs, {inputs // max(1, seconds):,} a second. Findings: {', '.join(found) or 'none'}.\n"
    for folder, row in sorted(lines.items()):
        text += (f"\n`{folder}`: corpora and tests reach {row['reached']} of {row['lines']} lines, "
                 f"{100 * int(row['reached']) / int(row['lines']):.1f} per cent.\n")
    return text


def page():
    return PAGE.read_text(encoding="utf-8")


def page_with(text):
    head, rest = text.split(BEGIN)
    return head + BEGIN + tables() + END + rest.split(END)[1]


def write_page():
    PAGE.write_text(page_with(page()), encoding="utf-8")
    return False


def add(rows, name, run, findings):
    """Runs of one version add up."""
    inputs, seconds, edges = run
    old = rows.get(name)
    if old and old["version"] == version():
        inputs, seconds = inputs + int(old["inputs"]), seconds + int(old["seconds"])
        edges, findings = max(edges, int(old["edges"])), findings + int(old["findings"])
    rows[name] = {"target": name, "version": version(), "date": datetime.date.today().isoformat(), "inputs": inputs, "seconds": seconds,
                  "inputs_per_second": round(inputs / max(1, seconds)), "edges": edges, "findings": findings}


def keep(build, name):
    """Adds the smallest inputs that reach code which the corpus does not reach, as far as there is room."""
    there = [len(data) for file, data in corpus.load(name).items() if FOUND.fullmatch(file)]
    room, files = LARGEST_CORPUS - sum(there), MOST_FILES - len(there)
    with tempfile.TemporaryDirectory() as merged:
        corpus.unpack(name, merged)
        before = set(os.listdir(merged))
        run = subprocess.run([build / f"tests/fuzz/fuzzer_{name}", "-set_cover_merge=1", "-use_counters=0", "-max_len=4095", merged,
                              build / "corpus" / name], cwd=ROOT, capture_output=True)
        new = sorted((pathlib.Path(merged) / file for file in set(os.listdir(merged)) - before), key=lambda path: path.stat().st_size)
        kept = {}
        for path in new if run.returncode == 0 else []:
            data = path.read_bytes()
            if len(data) <= min(LARGEST_FILE, room) and len(kept) < files:
                kept[hashlib.sha1(data).hexdigest()] = data
                room -= len(data)
    corpus.add(name, kept)
    return len(kept)


def record(arguments):
    build = (ROOT / arguments[0]).resolve()
    rows, found_any = stored(), False
    print(f"{'target':<14}{'inputs':>12}{'seconds':>9}{'inputs/s':>10}{'edges':>7}{'findings':>9}{'kept':>6}")
    for name in [word for word in arguments[1:] if not word.startswith("--")]:
        run = read_log(build / "logs" / f"{name}.log")
        found = build / "found" / name
        findings = len(list(found.iterdir())) if found.is_dir() else 0
        kept = keep(build, name) if "--keep" in arguments else 0
        print(f"{name:<14}{run[0]:>12}{run[1]:>9}{run[0] // max(1, run[1]):>10}{run[2]:>7}{findings:>9}{kept:>6}")
        add(rows, name, run, findings)
        found_any = found_any or findings > 0 or run[0] == 0
    if "--store" in arguments:
        write(rows)
        print(f"inputs so far in all: {sum(int(row['inputs']) for row in rows.values())}")
    return found_any


def run_profiled(build, folder):
    """Replays the corpora and runs the tests that read files or look at alignments, with a profile each; returns the programs."""
    profile = {**os.environ, "LLVM_PROFILE_FILE": f"{folder}/%m-%p.profraw"}
    names = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    wanted = re.findall(rf"^(tests/(?:fuzz/fuzz_\w+|unit/unit_(?:{UNIT})|api/api_(?:{API}))):", names, re.MULTILINE)
    subprocess.run(["ninja", "-C", build, *wanted], stdout=subprocess.DEVNULL, check=True, env=profile)
    for name in wanted:
        words = [corpus.archive(name.split("fuzz_")[-1])] if "/fuzz_" in name else []
        words += [ROOT / "tests/hdf5/files"] if name.endswith("fuzz_hdf5") else []
        if subprocess.run([build / name, *words], cwd=build, capture_output=True, env=profile).returncode:
            print(f"{name} failed: its lines may be missing", file=sys.stderr)
    return wanted


def coverage(build, store):
    build = (ROOT / build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        programs = run_profiled(build, folder)
        subprocess.run(["llvm-profdata-14", "merge", "-sparse", "-failure-mode=all", "-o", f"{folder}/all", *map(str, pathlib.Path(folder).glob("*.profraw"))],
                       check=True)
        objects = [word for name in programs for word in ("-object", str(build / name))]
        shown = subprocess.run(["llvm-cov-14", "export", "-format=lcov", f"-instr-profile={folder}/all", *objects[1:], *(str(ROOT / f) for f in FOLDERS)],
                               capture_output=True, text=True, check=True).stdout
    return report(shown, store)


def report(lcov, store):
    """Prints per folder how many lines are reached, and which are not."""
    lines = {}
    for block in lcov.split("end_of_record"):
        source = re.search(r"^SF:(.*)$", block, re.MULTILINE)
        for line, hits in re.findall(r"^DA:(\d+),(\d+)", block, re.MULTILINE) if source else []:
            key = (os.path.relpath(os.path.realpath(source[1]), ROOT), int(line))
            lines[key] = max(lines.get(key, 0), int(hits))
    low, rows = False, {}
    for folder in FOLDERS:
        own = {key: hits for key, hits in lines.items() if key[0].startswith(folder + "/")}
        reached = sum(hits > 0 for hits in own.values())
        share = 100 * reached / max(1, len(own))
        low = low or share < COVERED
        rows[folder] = {"folder": folder, "version": version(), "date": datetime.date.today().isoformat(), "lines": len(own), "reached": reached}
        print(f"{folder}: {reached} of {len(own)} lines, {share:.1f} per cent")
        for source in sorted({key[0] for key in own}):
            missed = sorted(line for (name, line), hits in own.items() if name == source and hits == 0)
            if missed:
                print(f"  {source}: not reached: {', '.join(map(str, missed))}")
    if store:
        write(rows, LINES, LINES_COLUMNS)
    return low


def check():
    rows = stored()
    wrong = [f"{name}: no stored result, run tools/fuzz/fuzz.sh MINUTES {name} --store" for name in targets() if name not in rows]
    wrong += [f"{name}: stored for version {row['version']}, this is {version()}: run tools/fuzz/fuzz.sh MINUTES --store"
              for name, row in rows.items() if row["version"] != version()]
    wrong += [f"{name}: the stored result is of a target that is not there" for name in rows if name not in targets()]
    wrong += [f"{name}: no input was run" for name, row in rows.items() if int(row["inputs"]) < 1]
    total, lines = sum(int(row["inputs"]) for row in rows.values()), stored(LINES)
    wrong += [f"{total} inputs of all targets, expected {ALL_INPUTS}: run tools/fuzz/fuzz.sh MINUTES --fast --store"] if total < ALL_INPUTS else []
    wrong += [f"{folder}: no lines counted with this version: run tools/fuzz/fuzz.sh MINUTES --coverage --store"
              for folder in FOLDERS if lines.get(folder, {}).get("version") != version()]
    wrong += [f"{folder}: {row['reached']} of {row['lines']} lines, expected {COVERED} per cent"
              for folder, row in lines.items() if 100 * int(row["reached"]) < COVERED * int(row["lines"])]
    wrong += [] if page() == page_with(page()) else ["docs/faults.md has other numbers of fuzzing: run tools/fuzz/fuzz_results.py write"]
    wrong += corpus.problems()
    inputs = {(name, file): data for name in corpus.targets() for file, data in corpus.load(name).items()}
    found = {key: data for key, data in inputs.items() if FOUND.fullmatch(key[1])}
    wrong += [f"{name}: {file} is larger than 4 kB" for (name, file), data in found.items() if len(data) > LARGEST_FILE]
    wrong += [f"{name}: {file} is not named by its SHA-1" for (name, file), data in found.items() if hashlib.sha1(data).hexdigest() != file]
    wrong += [f"{name}: an archive of no target" for name in corpus.targets() if name not in targets()]
    if (size := sum(map(len, inputs.values()))) > 2 << 20:
        wrong.append(f"the inputs of tests/fuzz/corpus have {size} bytes, expected at most 2 MB")
    print("\n".join(wrong) if wrong else f"{total} inputs, {len(inputs)} files, {size} bytes")
    return bool(wrong)


def main():
    commands = {"record": lambda: record(sys.argv[2:]), "coverage": lambda: coverage(sys.argv[2], "--store" in sys.argv), "write": write_page,
                "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    return commands[sys.argv[1]]()


if __name__ == "__main__":
    sys.exit(main())
