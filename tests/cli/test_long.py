#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs of a minute: plmc's own example and the transition of dot-product attention."""
import json
import math
import os

import pages
from program import Case, main, read_table, run


class Long(Case):
    def test_dhfr(self):
        """plmc's own example: N_eff and, after 100 iterations, its objective of 165 888 or less."""
        path = os.path.join(os.environ.get("ATP_SHARED_DATA", ""), "DHFR.a2m")
        if not os.path.exists(path):
            self.skipTest("ATP_SHARED_DATA does not name the folder of example alignments")
        done = run("learn", path, "-o", "d.h5", "--like", "plmc", "--focus", "DYR_ECOLI", "--gaps", "ignore", "--l2-couplings", 16,
                   "--l2-fields", 0.01, "--epochs", 100, "--progress", "json", timeout=600)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("effective number 1568.1 ", done.stderr)
        objective = [json.loads(line)["objective"] for line in done.stderr.splitlines() if '"objective"' in line][-1]
        self.assertLessEqual(objective, 165888 * 1.0005)
        self.assertGreater(objective, 150000)

    def test_transition(self):
        flags = ["dotattn", "--omega", "0.3", "--set", "accuracy=1e-2"]
        rows = read_table(self.good(*flags, "--transition", "--report", "page.html").stdout)[2]
        page = pages.Page("page.html")
        self.assertEqual(pages.faults(page), [])
        self.assertEqual([r["the training losses cross"] for r in page.numbers("Transition")[1]], [rows[0]["alpha_c"]])
        self.assertEqual(list(rows[0]), "omega,alpha_c,alpha_linear,alpha_semantic,alpha_positional,alpha_positional_end,error_c,error_linear,eg_linear,et,"
                                        "iterations,outcome".split(","))
        self.assertEqual(rows[0]["outcome"], "converged")
        row = {k: float(v) for k, v in rows[0].items() if k != "outcome"}
        self.assertLess(row["alpha_positional"], row["alpha_semantic"])
        self.assertLess(row["alpha_semantic"], row["alpha_c"])
        self.assertLess(row["alpha_c"], row["alpha_linear"])
        self.assertTrue(math.isinf(row["alpha_positional_end"]))
        # The losses cross there.
        both = read_table(self.good(*flags[:3], "--alpha", f"{row['alpha_c']:.6f}").stdout)[2]
        self.assertAlmostEqual(float(both[0]["et"]) / float(both[1]["et"]), 1, 3)


main()
