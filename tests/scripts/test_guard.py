#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/guard.py with a stand-in for bench/ratios: what fails, what is a warning, what is measured again."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import guard  # noqa: E402

# Prints the next line of the file `found` as the ratio of each case, the last one again and again; the machine has the target avx2 alone.
PROGRAM = """#!/bin/sh
cd "$(dirname "$0")" || exit 1
[ "$ATP_SIMD" = avx2 ] || { echo "ratios: ATP_E_UNSUPPORTED: no $ATP_SIMD" >&2; exit 1; }
shift
ratio=$(head -1 found)
[ "$(wc -l < found)" = 1 ] || sed -i 1d found
echo "name,ours,reference,ratio,unit"
for case; do echo "$case,1,1,$ratio,x/s"; done
"""


class Guard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        for name, text in (("bench/ratios", PROGRAM), ("meson-info/intro-buildoptions.json", '[{"name": "optimization", "value": "3"}]')):
            (self.build / name).parent.mkdir()
            (self.build / name).write_text(text)
        (self.build / "bench/ratios").chmod(0o755)
        self.addCleanup(setattr, guard, "STORED", guard.STORED)
        guard.STORED = self.build / "ratios.csv"

    def compare(self, found, processor=None):
        (self.build / "bench/found").write_text("".join(f"{ratio}\n" for ratio in found))
        guard.STORED.write_text(f"# 2026-11-30, {processor or guard.processor()}, optimization 3, 11 measurements, load 1\n"
                                "target,case,ratio,least,largest\navx512,a,20,19,21\navx2,a,10,9,11\navx2,b,10,9,11\n")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            status = guard.compare(self.build)
        return status, out.getvalue()

    def test_slow_kernels_fail(self):
        status, text = self.compare([10 * guard.FLOOR - 0.1])
        self.assertEqual((status, text.count("FAILED: avx2")), (1, 2))
        self.assertEqual(self.compare([10 * guard.FLOOR + 0.1])[0], 0)

    def test_single_measurements_do_not(self):
        self.assertEqual(self.compare([1, 1, 9])[0], 0)
        self.assertEqual(self.compare([1, 1, 1, 9])[0], 1)

    def test_other_processors_warn(self):
        status, text = self.compare([1], "another")
        self.assertEqual((status, text.count("warning: avx2")), (0, 2))
        status, text = self.compare([10 * guard.ELSEWHERE + 0.1], "another")
        self.assertEqual((status, text.count("warning")), (0, 0))

    def test_nothing_to_compare(self):
        (self.build / "meson-info/intro-buildoptions.json").write_text('[{"name": "optimization", "value": "2"}]')
        self.assertEqual(self.compare([1])[0], 77)
        (self.build / "bench/ratios").unlink()
        self.assertEqual(self.compare([1])[0], 77)

    def test_stored_ratios(self):
        """The measured cases are those that are stored."""
        guard.STORED = ROOT / "docs/results/ratios.csv"
        for target, ratios in guard.load()[2].items():
            self.assertEqual(set(ratios), set(guard.CASES), target)


if __name__ == "__main__":
    unittest.main()
