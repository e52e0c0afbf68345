#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the results of test runs from Meson's own logs. usage: count_tests.py NAME=BUILD_DIR[:SUITE,...] ...

BUILD_DIR/meson-logs/testlog.json has one JSON object per test that ran, BUILD_DIR/meson-info/intro-tests.json every test there is;
with suites only theirs count. A configuration whose log is missing or empty (it did not build, say) counts as one failure, and so does
each test that should have run and has no result. Skipped tests are listed with their reasons and are neither passed nor failed. A test
that passed may have skipped parts of itself: each part counts as skipped, too (see `parts`). The last line is
"N passed, M failed, K skipped"; the status is 0 where something passed and nothing failed.
"""
import json
import pathlib
import re
import sys


def read(build, suites):
    """Results by name, and the names that should have run; None where there is nothing to count."""
    try:
        log = (build / "meson-logs" / "testlog.json").read_text()
        results = [json.loads(line) for line in log.splitlines() if line.strip()]
        tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    except (OSError, ValueError) as problem:
        print(f"no results: {problem}")
        return None
    names = [t["name"] for t in tests if not suites or any(s.split(":")[-1] in suites for s in t["suite"])]
    if not results or not names:
        return None
    return {r["name"].split(" / ")[-1]: r for r in results}, names


def output(result):
    return (result.get("stdout", "") + "\n" + result.get("stderr", "")).splitlines()


def parts(lines):
    """What was skipped inside a test, with reasons: each `[  SKIPPED ] NAME` (cmocka) or `[  SKIPPED ] NAME: REASON` once, where
    cmocka's reason is in a line `skipped: REASON` before it, and pytest's `SKIPPED [N] PLACE: REASON`, N times."""
    found, reason = {}, ""
    for line in lines:
        if line.startswith("skipped: "):
            reason = line[len("skipped: "):]
        ours = re.match(r"\[  SKIPPED \] (?!\d+ test\(s\), listed below:)([^:]+)(?:: (.*))?$", line)
        if ours:
            found.setdefault(ours.group(1), ours.group(2) or reason or "no reason given")
            reason = ""
        pytests = re.match(r"SKIPPED \[(\d+)\] (\S+): (.*)$", line)
        if pytests:
            for k in range(int(pytests.group(1))):
                found[f"{pytests.group(2)} ({k + 1})"] = pytests.group(3)
    return [f"{name}: {why}" for name, why in found.items()]


def why_skipped(lines):
    """The reason that a program gives before it leaves with 77."""
    reasons = [line.partition("kipped: ")[2] for line in lines if re.match(r"[Ss]kipped: ", line)]
    return reasons[-1] if reasons else "no reason given"


def main(configurations):
    passed, failed, skipped, bad = 0, 0, [], []
    for configuration in configurations:
        name, _, place = configuration.partition("=")
        build, _, suites = place.partition(":")
        counts = read(pathlib.Path(build), suites.split(",") if suites else [])
        if counts is None:
            failed += 1
            bad.append(f"{name}: no test results")
            continue
        results, names = counts
        before = passed, failed, len(skipped)
        for test, result in results.items():
            verdict = result["result"]
            if verdict in ("OK", "EXPECTEDFAIL"):
                passed += 1
                skipped += [f"{name}: {test}: {part}" for part in parts(output(result))]
            elif verdict == "SKIP":
                skipped.append(f"{name}: {test}: {why_skipped(output(result))}")
            else:
                failed += 1
                bad.append(f"{name}: {test} ({verdict})")
        for test in names:
            if test not in results:
                failed += 1
                bad.append(f"{name}: {test} (did not run)")
        seconds = sum(result["duration"] for result in results.values())
        print(f"{name}: {passed - before[0]} passed, {failed - before[1]} failed, {len(skipped) - before[2]} skipped, "
              f"{seconds:.0f} s of tests")
    for test in skipped:
        print("SKIPPED", test)
    for test in bad:
        print("FAILED", test)
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
