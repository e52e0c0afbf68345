#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`demo`: its tables, pictures and page agree."""
import csv
import unittest

import pages
from pictures import Picture
from program import SANITIZED, Case, main, run
from tables import differences


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Demo(Case):
    @unittest.skipIf(SANITIZED, "takes minutes with sanitizers")
    def test_demo(self):
        done = run("demo", "--output", "demo", "--samples", "750,1500", "--report", "demo.html", timeout=900)
        self.assertEqual(done.returncode, 0, done.stderr)
        page = pages.Page("demo.html")
        self.assertEqual(pages.faults(page), [])
        self.assertEqual(page.table("growing numbers")[1], rows_of("demo/error.csv"))
        shown = {r["samples per parameter, alpha"]: r for r in page.numbers("Learning curve")[1]}
        for row in rows_of("demo/theory.csv"):
            self.assertEqual([shown[row["alpha"]][c] for c in ("theory, many sites", "theory, this system", "simulation, with standard errors")],
                             [row["eg_limit"], row["eg"], row["eg_sim"]])
        for name, column in (("SGD, test", "sgd"), ("L-BFGS, test", "lbfgs")):
            losses = {r["epoch (L-BFGS: iteration)"]: r[name] for r in page.numbers("Loss of")[1] if r[name]}
            self.assertEqual(losses, {r["epoch"]: r["test_loss"] for r in rows_of(f"demo/loss_{column}.csv")})
        for cells, column in zip(page.map_data(), ("true", "learned")):
            for r in rows_of("demo/maps.csv"):
                self.assertEqual(cells["cells"][0][int(r["i"])][int(r["j"])], f"sites {r['i']} and {r['j']}: {float(r[column]):.4g}")
        for name in ("loss", "maps", "error", "theory"):
            self.assertGreater(len(Picture(f"demo/{name}.svg").all("path")), 10)
        for path, section in [("maps", "maps.csv"), ("error", "error.csv"), ("theory", "theory.csv"), ("loss_sgd", "learn --log"),
                              ("loss_lbfgs", "learn --log")]:
            self.assertEqual(differences(section, list(rows_of(f"demo/{path}.csv")[0])), [])


main(needs_hdf5=False)
