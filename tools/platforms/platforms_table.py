#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Results of tools/platforms/platforms.sh, one file per target, and those of tools/platforms/kernel_instructions.py: the tables of docs/platforms.md.

usage: platforms_table.py record [--store] NAME BUILD    from the logs of a build folder; the environment has TITLE, HOW, COMPILER, SUITES
       platforms_table.py write                          both tables again, from docs/results/platforms/*.json and kernel_instructions.csv
       platforms_table.py check                          every target has a result of this version from a commit, and the tables are those
                                                         of the results

`record` prints a line and has status 1 where a test failed; it writes BUILD/platform.json, and with --store
docs/results/platforms/NAME.json and the table.
"""
import csv
import datetime
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
import count_tests  # noqa: E402
import test_targets  # noqa: E402
from readme_commands import between  # noqa: E402
from tree_version import ROOT, commit, version  # noqa: E402

STORED = pathlib.Path("docs/results/platforms")
PAGE = pathlib.Path("docs/platforms.md")
KERNELS = pathlib.Path("docs/results/kernel_instructions.csv")
SHOWN = 1.1  # ratios from here on are in the page
MOST = 1.3  # times AVX2's instructions per lane
MORE = {"two-tokens-mismatch": 1.35, "gibbs-listed": 1.6, "gibbs-scaled": 1.4, "encoder-add-sites": 1.45}  # docs/platforms.md says why
PLATFORMS, INSTRUCTIONS = ((f"<!-- begin {name} -->", f"<!-- end {name} -->") for name in ("platforms", "kernels"))
FIELDS = {"target", "title", "version", "commit", "date", "compiler", "how", "suites", "tests", "passed", "failed", "skipped", "seconds", "checks",
          "failures", "skips"}


def tests_of(build, words):
    """Of suites and single tests: names that passed, failed, and what was skipped with reasons. Tests without a result have failed."""
    passed, failed, skips = [], [], []
    names = test_targets.test_names(build, words)
    counted = count_tests.read(build, []) if names else ({}, [])
    if counted is None:
        return [], ["no results"], []
    results = counted[0]
    for name in names:
        result = results.get(name)
        outcome = result["result"] if result else "no result"
        lines = count_tests.output(result) if result else []
        if outcome == "SKIP":
            skips.append(f"{name}: {count_tests.why_skipped(lines)}")
        elif outcome in ("OK", "EXPECTEDFAIL"):
            passed.append(name)
            skips += [f"{name}: {part}" for part in count_tests.parts(lines)]
        else:
            failed.append(f"{name}: {outcome}")
    return passed, failed, skips


def checks_of(build):
    """Lines of checks.txt: name, status, text."""
    path = build / "checks.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [dict(zip(("name", "status", "text"), line.split("\t"))) for line in lines]


def record(name, build, store):
    build = pathlib.Path(build)
    suites, tests = (os.environ.get(name, "").split() for name in ("SUITES", "TESTS"))
    passed, failed, skips = tests_of(build, suites + tests)
    checks = checks_of(build)
    failed += [f"{c['name']}: {c['text']}" for c in checks if c["status"] == "failed"]
    result = {"target": name, "title": os.environ.get("TITLE", name), "version": version(), "commit": commit(),
              "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "compiler": os.environ.get("COMPILER", ""),
              "how": os.environ.get("HOW", ""), "suites": suites, "tests": tests, "passed": len(passed) + sum(c["status"] == "passed" for c in checks),
              "failed": len(failed), "skipped": len(skips), "seconds": int(os.environ.get("SECONDS_TAKEN", "0")), "checks": checks,
              "failures": failed, "skips": skips}
    text = json.dumps(result, indent=1) + "\n"
    (build / "platform.json").write_text(text, encoding="utf-8")
    if store:
        (ROOT / STORED).mkdir(parents=True, exist_ok=True)
        (ROOT / STORED / f"{name}.json").write_text(text, encoding="utf-8")
        write(ROOT)
    print(f"{name}: {result['passed']} passed, {result['failed']} failed, {result['skipped']} skipped in {result['seconds']} s",
          *failed, sep="\n")
    return failed or not result["passed"]


def load(root):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / STORED).glob("*.json"), key=lambda p: p.stem)]


def missing(root, results):
    """Titles of targets without a stored result."""
    stored = {r["target"] for r in results}
    paths = [path for path in sorted((root / "tools/platforms/targets").glob("*.sh")) if path.stem not in stored]
    return [re.search(r"^title='(.*)'$", path.read_text(encoding="utf-8"), re.MULTILINE)[1] for path in paths]


def what_ran(result):
    """Suites of tests, and how many further tests."""
    return ", ".join(result["suites"] + ([f"{len(result['tests'])} single tests"] if result["tests"] else [])) or "programs alone"


def table(results, without):
    lines = ["| target | compiler | how it was run | suites | passed | failed | skipped | minutes | version | commit | date |",
             "|---|---|---|---|---:|---:|---:|---:|---|---|---|"]
    for r in results:
        lines.append(f"| {r['title']} | {r['compiler']} | {r['how']} | {what_ran(r)} | {r['passed']} | {r['failed']} | {r['skipped']} | "
                     f"{r['seconds'] / 60:.1f} | {r['version']} | {r['commit']} | {r['date']} |")
    lines += [f"| {title} | | not run for this version | | | | | | | | |" for title in without]
    checks = {}
    for r in results:
        for c in r["checks"]:
            checks.setdefault((r["title"], c["status"]), []).append(c)
    if checks:
        lines += ["", "| target | check | outcome | what |", "|---|---|---|---|"]
        lines += [f"| {title} | {'; '.join(c['name'] for c in group)} | {status} | {'; '.join(c['text'] for c in group)} |"
                  for (title, status), group in checks.items()]
    return "\n".join(lines)


def kernel_rows(root):
    with open(root / KERNELS, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kernels(root):
    """The table of instructions, of the kernels with the largest ratios, from what tools/platforms/kernel_instructions.py wrote."""
    lines = ["| kernel | unit | AVX2 | NEON | ratio per lane |", "|---|---|---:|---:|---:|"]
    lines += [f"| {r['kernel']} | {r['unit']} | {float(r['avx2']):.3g} | {float(r['neon']):.3g} | {r['ratio_per_lane']} |"
              for r in kernel_rows(root) if float(r["ratio_per_lane"]) >= SHOWN]
    return "\n".join(lines)


def page_with(text, root):
    results = load(root)
    return between(between(text, PLATFORMS, table(results, missing(root, results))), INSTRUCTIONS, kernels(root))


def write(root):
    text = (root / PAGE).read_text(encoding="utf-8")
    (root / PAGE).write_text(page_with(text, root), encoding="utf-8")


def problems(root, current):
    """What is wrong with the stored results, as lines."""
    results = load(root)
    found = [f"{title}: no stored result" for title in missing(root, results)]
    for r in results:
        if set(r) != FIELDS:
            found.append(f"{r.get('target')}: has other fields than tools/platforms/platforms_table.py writes")
            continue
        if r["version"] != current:
            found.append(f"{r['target']}: stored for version {r['version']}, this is {current}: run tools/platforms/platforms.sh --slow --store "
                         f"{r['target']}")
        if r["commit"].endswith("-dirty"):
            found.append(f"{r['target']}: ran with changes that no commit has ({r['commit']})")
        if r["failed"] or not r["passed"]:
            found.append(f"{r['target']}: {r['passed']} passed, {r['failed']} failed")
        if not (root / f"tools/platforms/targets/{r['target']}.sh").exists():
            found.append(f"{r['target']}: there is no such target")
    for r in kernel_rows(root):
        most = MORE.get(r["kernel"], MOST)
        if float(r["ratio_per_lane"]) > most:
            found.append(f"{KERNELS}: {r['kernel']} needs {r['ratio_per_lane']} times AVX2's instructions, expected at most {most}")
    text = (root / PAGE).read_text(encoding="utf-8")
    if not found and page_with(text, root) != text:
        found.append(f"{PAGE}: the table is not that of the results: run tools/platforms/platforms_table.py write")
    return found


def main(arguments):
    if arguments[:1] == ["record"]:
        words = [a for a in arguments[1:] if a != "--store"]
        if len(words) == 2:
            return 1 if record(words[0], words[1], "--store" in arguments) else 0
    if arguments == ["write"]:
        write(ROOT)
        return 0
    if arguments == ["check"]:
        found = problems(ROOT, version())
        print(*found, sep="\n", end="\n" if found else "")
        return 1 if found else 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
