#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attopotts check: what it looks at, and that it finds planted faults (planted_check.c)."""
import contextlib
import json
import os
import pathlib
import subprocess
import unittest

from program import SANITIZED, Case, command, main, run, slow

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/performance.md"
PLANTED = os.environ.get("ATP_PLANTED_CHECK", "")
TRAINING = {"factored attention", "dense pseudo-likelihood", "encoder", "layer with a dial"}
SAMPLING = {f"sampling of {models}" for models in ("factored models", "dense models", "lattices", "lists of pairs")}
SAMPLED = {"sampling of factored models", "sampling of dense models"}
# What a fault breaks: the kind of check, the works, and what the program says.
FAULTS = {"kernel": ("kernels", TRAINING, "FAIL"), "threads": ("threads", TRAINING, "FAIL"), "samples": ("samples", SAMPLED, "FAIL"),
          "slow": ("speed", SAMPLING, "slow")}


def checked(*arguments, **environment):
    done = run("check", "--json", *arguments, env={**os.environ, **environment})
    return done, json.loads(done.stdout)["rows"]


def on_terminal(*arguments, **variables):
    """What the program writes to a terminal."""
    ours, its = os.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(command(*arguments), stdout=its, stderr=subprocess.DEVNULL, env={**environment, **variables})
    os.close(its)
    text = b""
    with contextlib.suppress(OSError):  # Linux ends a terminal without writers so
        while part := os.read(ours, 4096):
            text += part
    os.close(ours)
    process.wait(timeout=120)
    return text.decode()


def pages_ratios():
    """Expected ratios of the page: target -> what -> number."""
    lines = PAGE.read_text().split("## `attopotts check`")[1].split("\n## ")[0].splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {target: {row[0]: float(row[column]) for row in table[2:]} for column, target in enumerate(table[0]) if column > 0}


class Check(Case):
    @classmethod
    def make_inputs(cls):
        cls.done, cls.rows = checked()
        cls.targets = json.loads(run("info", "--json").stdout)["simd_targets"]

    def test_passes(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertNotIn("FAIL", {row["result"] for row in self.rows})

    def test_every_target_and_family(self):
        """Each family of kernels is compared on each target but scalar, and with one and several threads."""
        families = {row["what"] for row in self.rows if row["check"] == "threads"}
        self.assertGreaterEqual(len(families), 8)
        compared = {(row["target"], row["what"]) for row in self.rows if row["check"] == "kernels"}
        self.assertEqual(compared, {(target, what) for target in self.targets if target != "scalar" for what in families})
        self.assertEqual(sum(row["check"] == "samples" for row in self.rows), 2)

    def test_lines(self):
        """A line for each check, and one about all; with another seed samples agree, too."""
        lines = self.good("check", "--only", "samples", "--seed", "7").stdout.splitlines()
        rows = [row for row in self.rows if row["check"] == "samples"]
        self.assertEqual(len(lines), len(rows) + 1)
        for line, row in zip(lines, rows):
            self.assertEqual(line.split()[:3], ["ok", row["check"], row["target"]])
            self.assertNotIn(row["text"], line)
        self.assertRegex(lines[-1], rf"^{len(rows)} checks in [0-9.]+ s: 0 failed, [0-9]+ slow$")

    def test_colours_only_on_terminals(self):
        samples = ("check", "--only", "samples")
        self.assertNotIn("\x1b", self.good(*samples, env={**os.environ, "TERM": "xterm"}).stdout)
        self.assertIn("\x1b[32mok  \x1b[0m", on_terminal(*samples, TERM="xterm"))
        for variables in ({"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}):
            text = on_terminal(*samples, **variables)
            self.assertIn("ok  ", text)
            self.assertNotIn("\x1b", text)

    @slow
    def test_expected_speed(self):
        """Expected ratios are those of docs/performance.md, on every target that the page has."""
        page = pages_ratios()
        seen = 0
        for target in self.targets:
            rows = checked("--only", "speed", ATP_SIMD=target)[1]
            self.assertEqual({row["check"] for row in rows}, {"speed"} if rows else set())
            expected = {row["what"]: row["expected"] for row in rows if row["expected"] is not None}
            self.assertEqual(expected, page.get(target, {}), target)
            self.assertEqual(len(rows) > 0, target != "scalar")
            seen += len(expected)
        if "sse4" in self.targets:
            self.assertGreater(seen, 0)

    @unittest.skipIf(SANITIZED or not PLANTED, "nothing can be preloaded into this program")
    def test_planted_faults(self):
        for fault, (kind, works, result) in FAULTS.items():
            if self.targets == ["scalar"] and fault in ("kernel", "slow"):
                continue
            done, rows = checked("--only", kind, LD_PRELOAD=PLANTED, ATP_PLANTED=fault)
            found = [row for row in rows if row["result"] == result]
            # Beside the planted fault a busy machine can be slow.
            self.assertEqual({row["what"] for row in found} & works, works, fault)
            if result == "FAIL":
                self.assertEqual({row["what"] for row in found}, works, fault)
                self.assertIn(f"{len(found)} of {len(rows)} checks failed", done.stderr)
            self.assertEqual(done.returncode, 1 if result == "FAIL" else 0, fault)


main()
