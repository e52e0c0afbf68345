#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/fuzz.sh ran: numbers, corpora, coverage.

usage: fuzz_results.py record BUILD [--store] [--keep] TARGET...   from BUILD/logs: a line per target; status 1 if something was found
       fuzz_results.py coverage BUILD                              lines of src/io and src/data that tests and corpora reach
       fuzz_results.py check                                       every target has a stored result of this version

--store adds inputs and seconds to docs/results/fuzz.csv, where they are those of all runs of a version. --keep adds to the corpora.
"""
import csv
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tree_version import ROOT, version  # noqa: E402

STORED = ROOT / "docs/results/fuzz.csv"
CORPUS = ROOT / "tests/fuzz/corpus"
COLUMNS = ["target", "version", "date", "inputs", "seconds", "inputs_per_second", "edges", "findings"]
LARGEST_FILE, LARGEST_CORPUS = 4095, 64 << 10
FOLDERS = ("src/io", "src/data")
COVERED = 95  # per cent of lines


def targets():
    return sorted(path.stem.removeprefix("fuzz_") for path in (ROOT / "tests/fuzz").glob("fuzz_*.cpp"))


def read_log(path):
    """Inputs, seconds and edges of a run, from what libFuzzer prints."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    done = re.search(r"^Done (\d+) runs in (\d+) second", text, re.MULTILINE)
    units = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    rate = re.search(r"stat::average_exec_per_sec: *(\d+)", text)
    inputs = int(done[1] if done else units[1] if units else 0)
    seconds = int(done[2]) if done else round(inputs / max(1, int(rate[1]))) if rate else 0
    edges = max((int(n) for n in re.findall(r" cov: (\d+)", text)), default=0)
    return inputs, seconds, edges


def stored():
    if not STORED.is_file():
        return {}
    with open(STORED, encoding="utf-8", newline="") as file:
        return {row["target"]: row for row in csv.DictReader(file)}


def write(rows):
    with open(STORED, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


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
    folder = CORPUS / name
    room = LARGEST_CORPUS - sum(path.stat().st_size for path in folder.iterdir() if re.fullmatch("[0-9a-f]{40}", path.name))
    with tempfile.TemporaryDirectory() as merged:
        for path in folder.iterdir():
            shutil.copy(path, merged)
        before = set(os.listdir(merged))
        run = subprocess.run([build / f"tests/fuzz/fuzzer_{name}", "-merge=1", "-max_len=4095", merged, build / "corpus" / name],
                             cwd=ROOT, capture_output=True)
        new = sorted((pathlib.Path(merged) / file for file in set(os.listdir(merged)) - before), key=lambda path: path.stat().st_size)
        kept = 0
        for path in new if run.returncode == 0 else []:
            data = path.read_bytes()
            if len(data) <= min(LARGEST_FILE, room):
                (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
                room -= len(data)
                kept += 1
    return kept


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
    """Replays the corpora and runs the tests that read files, with a profile each; returns the programs."""
    names = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    wanted = re.findall(r"^(tests/(?:fuzz/fuzz_\w+|unit/unit_(?:readers|formats|hdf5|hdf5_files|comparison|name_table)|"
                        r"api/api_(?:alignment|counts|damage|files|formats|inputs|parts|plmc|score_files|text|logs|fork|memory))):", names,
                        re.MULTILINE)
    subprocess.run(["ninja", "-C", build, *wanted], stdout=subprocess.DEVNULL, check=True)
    for name in wanted:
        words = [ROOT / "tests/fuzz/corpus" / name.split("fuzz_")[-1]] if "/fuzz_" in name else []
        words += [ROOT / "tests/hdf5/files"] if name.endswith("fuzz_hdf5") else []
        subprocess.run([build / name, *words], cwd=build, capture_output=True, env={**os.environ, "LLVM_PROFILE_FILE": f"{folder}/%m-%p.profraw"})
    return wanted


def coverage(build):
    build = (ROOT / build).resolve()
    with tempfile.TemporaryDirectory() as folder:
        programs = run_profiled(build, folder)
        subprocess.run(["llvm-profdata-14", "merge", "-sparse", "-o", f"{folder}/all", *map(str, pathlib.Path(folder).glob("*.profraw"))],
                       check=True)
        objects = [word for name in programs for word in ("-object", str(build / name))]
        shown = subprocess.run(["llvm-cov-14", "export", "-format=lcov", f"-instr-profile={folder}/all", *objects[1:], *(str(ROOT / f) for f in FOLDERS)],
                               capture_output=True, text=True, check=True).stdout
    return report(shown)


def report(lcov):
    """Prints per folder how many lines are reached, and which are not."""
    lines = {}
    for block in lcov.split("end_of_record"):
        source = re.search(r"^SF:(.*)$", block, re.MULTILINE)
        for line, hits in re.findall(r"^DA:(\d+),(\d+)", block, re.MULTILINE) if source else []:
            key = (os.path.relpath(os.path.realpath(source[1]), ROOT), int(line))
            lines[key] = max(lines.get(key, 0), int(hits))
    low = False
    for folder in FOLDERS:
        own = {key: hits for key, hits in lines.items() if key[0].startswith(folder + "/")}
        reached = sum(hits > 0 for hits in own.values())
        share = 100 * reached / max(1, len(own))
        low = low or share < COVERED
        print(f"{folder}: {reached} of {len(own)} lines, {share:.1f} per cent")
        for source in sorted({key[0] for key in own}):
            missed = sorted(line for (name, line), hits in own.items() if name == source and hits == 0)
            if missed:
                print(f"  {source}: not reached: {', '.join(map(str, missed))}")
    return low


def check():
    rows = stored()
    wrong = [f"{name}: no stored result, run scripts/fuzz.sh MINUTES {name} --store" for name in targets() if name not in rows]
    wrong += [f"{name}: stored for version {row['version']}, this is {version()}: run scripts/fuzz.sh MINUTES --store"
              for name, row in rows.items() if row["version"] != version()]
    wrong += [f"{name}: the stored result is of a target that is not there" for name in rows if name not in targets()]
    wrong += [f"{name}: no input was run" for name, row in rows.items() if int(row["inputs"]) < 1]
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    found = [path for path in files if re.fullmatch("[0-9a-f]{40}", path.name)]
    wrong += [f"{path}: larger than 4 kB" for path in found if path.stat().st_size > LARGEST_FILE]
    wrong += [f"{path}: its name is not its SHA-1" for path in found if hashlib.sha1(path.read_bytes()).hexdigest() != path.name]
    if (size := sum(path.stat().st_size for path in files)) > 2 << 20:
        wrong.append(f"tests/fuzz/corpus has {size} bytes, expected at most 2 MB")
    print("\n".join(wrong) if wrong else f"{sum(int(row['inputs']) for row in rows.values())} inputs, {len(files)} files, {size} bytes")
    return bool(wrong)


def main():
    commands = {"record": lambda: record(sys.argv[2:]), "coverage": lambda: coverage(sys.argv[2]), "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    return commands[sys.argv[1]]()


if __name__ == "__main__":
    sys.exit(main())
