#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the results of test runs from Meson's own logs. usage: count_tests.py NAME=BUILD_DIR[:SUITE,...] ...

BUILD_DIR/meson-logs/testlog.json has one JSON object per test that ran, BUILD_DIR/meson-info/intro-tests.json every test there is;
with suites only theirs count. A configuration whose log is missing or empty (it did not build, say) counts as one failure, and so does
each test that should have run and has no result. Skipped tests are listed and are neither passed nor failed. The last line
is "N passed, M failed"; the status is 0 where something passed and nothing failed.
"""
import json
import pathlib
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
            elif verdict == "SKIP":
                skipped.append(f"{name}: {test}")
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
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
