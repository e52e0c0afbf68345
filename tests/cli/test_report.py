#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--report: pages are well-formed and whole, lead nowhere outside, and have the numbers of the tables; names cannot break out of the text."""
import os
import resource
import signal

import pages
from program import Case, main, must, read_table, run, slow, small_data

HOSTILE = "<script>alert(1)</script>&amp;\"'><img src=x onerror=alert(2)>"


def rows_of(text):
    return read_table(text)[2]


def rows_in(path):
    with open(path) as file:
        return rows_of(file.read())


def ranked(table):
    """The rows as the page has them: with their ranks, without columns that are empty."""
    return [{"rank": str(k + 1), **{c: v for c, v in r.items() if any(x[c] for x in table)}} for k, r in enumerate(table)]


class Reports(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=12)
        with open("distances.txt", "w") as file:
            for i in range(12):
                for j in range(i + 1, 12):
                    if j != 11:  # of the last site no distance is known
                        file.write(f"{i + 1} {j + 1} {2.5 + (3 * i + 5 * j) % 11}\n")

        with open("teacher.txt", "w") as file:
            file.write(" ".join(["1"] * 4))
        with open("unit.txt", "w") as file:
            file.write("\n".join(" ".join("1" if i == j else "0" for j in range(4)) for i in range(4)))

    def page(self, path="page.html"):
        page = pages.Page(path)
        self.assertEqual(pages.faults(page), [])
        return page

    def same_numbers(self, page, title, columns, rows):
        """The figure's numbers are the cells of the table. columns: name on the page -> column of the table; the first is that of x."""
        names = list(columns)
        shown = {float(r[names[0]]): r for r in page.numbers(title)[1]}
        compared = 0
        for row in rows:
            x = float(row[columns[names[0]]])
            for name in names[1:]:
                if row[columns[name]] != "" and x in shown:
                    self.assertEqual(shown[x][name], row[columns[name]], (title, name, x))
                    compared += 1
        self.assertGreater(compared, 0, title)

    def test_faults_are_found(self):
        """The checks of pages.py see what they look for."""
        self.good("contacts", "truth.h5", "--csv", "pairs.csv", "--report", "page.html")
        with open("page.html", encoding="utf-8") as file:
            source = file.read()
        for old, new in [('lang="en"', ""), ("<main>", '<main><a href="https://example.org/">x</a>'), ("<main>", '<main><img src="x.png">'),
                         ("</title><desc", "</title><nodesc"), ('aria-sort="none"', ""), ("<main>", '<main onclick="x()">'),
                         ("default-src 'none'", "default-src *"), ("<main>", '<main><p id="said"></p>'), ("<style>", "<style>@import 'x';")]:
            self.assertIn(old, source)
            with open("planted.html", "w", encoding="utf-8") as file:
                file.write(source.replace(old, new).replace("nodesc", "p").replace("</desc>", "</p>") if "nodesc" in new else source.replace(old, new))
            self.assertTrue(pages.faults(pages.Page("planted.html")), new)
        for broken in ("</p></section>", "<p>"):
            with open("planted.html", "w", encoding="utf-8") as file:
                file.write(source.replace("</main>", broken + "</main>"))
            self.assertRaises(ValueError, pages.Page, "planted.html")

    def test_contacts_alone(self):
        table = rows_of(self.good("contacts", "truth.h5", "--report", "page.html", "--min-separation", 2).stdout)
        page = self.page()
        columns, rows = page.table("best pairs. A column")
        self.assertEqual(columns, ["rank", "i", "j", "fn", "apc"])  # there are no residues
        self.assertEqual(rows, ranked(table[:12]))
        self.assertEqual(page.classes("path")["pair"], 12 + 1)  # and one in the legend
        self.assertNotIn("known", page.classes("path"))
        self.assertFalse([h for h in page.all("h2") if h.text == "Precision"])
        data = page.map_data()[0]
        self.assertEqual(data["names"], [str(k) for k in range(1, 13)])
        for row in table:  # the scores behind every cell
            i, j = int(row["i"]) - 1, int(row["j"]) - 1
            self.assertAlmostEqual(data["scores"][i][j - i - 1], float(row["apc"]), delta=1e-3 * abs(float(row["apc"])) + 1e-12)
        self.assertIsNone(data["scores"][3][0])
        self.assertEqual([pair[:2] for pair in data["pairs"]], [[int(r["i"]) - 1, int(r["j"]) - 1] for r in table[:12]])
        self.assertEqual([h.text for h in page.all("h2")], ["Summary", "Contact map", "Best pairs", "This run"])

    def test_contacts_with_distances(self):
        done = self.good("contacts", "truth.h5", "--report", "page.html", "--distances", "distances.txt", "--ppv", "ppv.csv", "--top", 20, "--cutoff", 7)
        table, page = rows_of(done.stdout), self.page()
        rows = page.table("best pairs. A column")[1]
        self.assertEqual(rows, ranked(table))
        self.assertIn("Of the best 12 pairs", page.all("main")[0].text)
        self.assertLess(page.source.index(".pair.far {"), page.source.index(".pair.on {"))  # the colour of a chosen pair wins
        counts = page.classes("path")
        known = [r["distance"] != "" for r in table]
        self.assertEqual(counts["far"], sum(r["distance"] != "" and float(r["distance"]) >= 7 for r in table) + 1)
        self.assertEqual(counts.get("unknown", 0), known.count(False) + (False in known))
        self.same_numbers(page, "Precision of the best pairs", {"number of best pairs": "pairs", "precision": "precision"}, rows_in("ppv.csv"))
        self.assertIn("P@L/5 (2)", page.facts()["Precision"][0])
        # Cells of contacts: the paths of the class `known` cover the area that the file has.
        path = [p for p in page.all("path", **{"class": "known"}) if p.parent["class"] == "cells"]
        covered = sum(int(piece.split("h")[1].split("v")[0]) for piece in path[0]["d"].split("M")[1:])
        self.assertEqual(covered, sum(2.5 + (3 * i + 5 * j) % 11 < 7 for i in range(11) for j in range(i + 1, 11)))

    def test_learn(self):
        done = self.good("learn", "data.h5", "-o", "learned.h5", "--rows", "0:300", "--test", "data.h5", "--test-rows", "300:100", "--truth", "truth.h5",
                         "--log", "log.csv", "--epochs", 40, "--report", "page.html")
        page, log = self.page(), rows_in("log.csv")
        self.same_numbers(page, "Loss", {"epoch or iteration": "epoch", "training loss": "train_loss", "test loss": "test_loss",
                                         "loss of the true model": "optimal_loss"}, log)
        self.same_numbers(page, "Norm of the gradient", {"epoch or iteration": "epoch", "Norm of the gradient": "gradient_norm"}, log)
        self.same_numbers(page, "Error of the couplings", {"epoch or iteration": "epoch", "Error of the couplings": "coupling_error"}, log)
        facts = page.facts()
        self.assertIn("data.h5, 300 of summed weight 300", facts["Sequences"])
        self.assertEqual((facts["Sites and colours"], facts["Model"]), (["12, 4"], ["learned.h5"]))
        self.assertIn(facts["Outcome"][0].split()[0], done.stderr)

    def test_learn_that_does_not_converge(self):
        done = run("learn", "data.h5", "-o", "short.h5", "--optimizer", "lbfgs", "--epochs", 2, "--report", "page.html")
        self.assertEqual(done.returncode, 3, done.stderr)
        warnings = [d.text for d in self.page().all("div") if d["class"] == "warning"]
        self.assertIn("not converged (", warnings[0])

    def test_learn_goes_on(self):
        """A resumed run has the rows of both parts."""
        flags = ["learn", "data.h5", "-o", "learned.h5", "--optimizer", "lbfgs", "--checkpoint", "state", "--log", "log.csv", "--report", "page.html"]
        for more in (["--epochs", 3], ["--epochs", 7, "--resume"]):
            done = run(*flags, *more)
            self.assertEqual(done.returncode, 3, done.stderr)
        page = self.page()
        self.assertEqual([r["epoch or iteration"] for r in page.numbers("Loss")[1]], [r["epoch"] for r in rows_in("log.csv")])
        self.assertEqual(len(rows_in("log.csv")), 7)

    def test_replica(self):
        done = self.good("replica", "--shift", "2.5", "--sites", 30, "--alpha", "0.5:2:4", "--lambda", "0.1", "--simulate", 20, "--details",
                         "--report", "page.html")
        page, table = self.page(), rows_of(done.stdout)
        alpha = "samples per parameter, alpha"
        self.same_numbers(page, "Test loss", {alpha: "alpha", "theory": "eg", "simulation": "eg_sim", "simulation, standard error": "eg_sim_sem"}, table)
        self.same_numbers(page, "Training loss", {alpha: "alpha", "theory": "et", "simulation": "et_sim"}, table)
        self.same_numbers(page, "Order parameters", {alpha: "alpha", "rho": "rho", "q": "q", "m": "m"}, table)
        self.assertEqual(page.table("All numbers")[1], table)
        best = float(page.facts()["Best possible loss"][0])
        self.assertEqual({float(r["best possible loss"]) for r in page.numbers("Test loss")[1] if r["best possible loss"]}, {best})
        self.good("replica", "--shift", "2.5", "--target", "1.1", "--lambda", "0.1", "--report", "page.html")
        self.assertEqual(len(self.page().table("All numbers")[1]), 1)
        self.good("replica", "--loss", "logistic", "--teacher", "teacher.txt", "--covariance", "unit.txt", "--alpha", "1,2", "--lambda", "0.1", "--report",
                  "page.html")
        self.assertIn("loss logistic", self.page().all("main")[0].text)

    @slow
    def test_dotattn(self):
        done = run("dotattn", "--set", "accuracy=0.1", "--alpha", "1.5,2", "--report", "page.html", "--omega", "0.1,0.3", "--simulate", 30, "--runs", 2,
                   "--optimizer", "lbfgs")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        page, table = self.page(), rows_of(done.stdout)
        self.assertEqual(page.table("All numbers")[1], table)
        alpha = "samples per dimension, alpha"
        for branch in ("semantic", "positional"):
            for omega in ("0.1", "0.3"):
                rows = [r for r in table if r["branch"] == branch and r["omega"] == omega]
                name = f"{branch}, omega {omega}"
                for title, column in (("Generalisation loss", "eg"), ("Training loss", "et")):
                    self.same_numbers(page, title, {alpha: "alpha", name: column, name + ", simulation": column + "_sim",
                                                    name + ", simulation, standard error": column + "_sim_sem"}, rows)
                overlap = "theta" if branch == "semantic" else "m"
                self.same_numbers(page, "Overlaps", {alpha: "alpha", f"{overlap}, {name}": overlap}, rows)

    def test_dotattn_in_other_modes(self):
        # Ends at once, not converged: a page with an empty figure, and a warning. tests/cli/test_long.py has one with numbers.
        done = run("dotattn", "--transition", "--omega", "0.3", "--set", "accuracy=0.1", "--set", "max-iter=1", "--report", "page.html")
        self.assertEqual(done.returncode, 3, done.stderr)
        page = self.page()
        self.assertEqual(page.table("All numbers")[1], rows_of(done.stdout))
        self.assertIn("not converged", page.all("main")[0].text)
        done = run("dotattn", "--tokens", 3, "--code", "1,0,-1", "--teacher", "0.5,0.3,0.2,0.3,0.4,0.3,0.2,0.3,0.5", "--alpha", "1,2", "--set", "points=64",
                   "--report", "page.html", "--branch", "mixed")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        page = self.page()
        self.assertEqual(page.table("All numbers")[1], rows_of(done.stdout))
        self.assertIn("3, teacher 0.5,0.3", page.facts()["Tokens"][0])
        done = self.good("dotattn", "--time", "0.5,1,2", "--set", "points=64", "--set", "start-theta=0.1", "--report", "page.html")
        self.same_numbers(self.page(), "Overlaps", {"time, samples per dimension": "time", "q": "q", "m": "m", "theta": "theta"}, rows_of(done.stdout))
        done = self.good("dotattn", "--time", "0.5,1", "--simulate", 30, "--runs", 3, "--report", "page.html")
        self.assertEqual(self.page().table("All numbers")[1], rows_of(done.stdout))

    @slow
    def test_dotattn_goes_on(self):
        flags = ["dotattn", "--branch", "positional", "--set", "accuracy=0.1", "--omega", "0.3", "--alpha", "1,2", "--csv", "grown.csv", "--report", "page.html"]
        self.good(*flags)
        with open("grown.csv") as file:
            text = file.read().replace("# outcome: converged\n", "")
        with open("grown.csv", "w") as file:
            file.write("\n".join(text.splitlines()[:-1]) + "\n")
        self.good(*flags, "--resume")
        self.assertEqual(self.page().table("All numbers")[1], rows_in("grown.csv"))
        self.assertEqual(len(rows_in("grown.csv")), 2)

    def test_mutants(self):
        flags = ["mutants", "truth.h5", "text.fasta", "--row", 3, "--report", "page.html"]
        must("convert", "data.h5", "text.fasta")
        table = rows_of(self.good(*flags).stdout)
        page = self.page()
        shown = page.table("mutants by energy")[1]
        self.assertEqual(sorted(map(str, shown)), sorted(map(str, table)))
        energies = [float(r["energy"]) for r in shown]
        self.assertEqual(energies, sorted(energies))
        cells = page.map_data()[0]["cells"][0]
        self.assertEqual([len(cells), len(cells[0])], [4, 12])
        for r in table:
            text = cells["ABCD".index(r["to"])][int(r["site"])]
            name, _, score = text.partition(": score ")
            self.assertEqual(name, f"{r['from']}{r['number']}{r['to']}")
            self.assertAlmostEqual(float(score), -float(r["energy"]), delta=1e-3 * abs(float(r["energy"])) + 1e-12)
        self.assertEqual(sum("wild type" in text for row in cells for text in row), 12)
        self.assertEqual(len(page.all("circle", **{"class": "wild"})), 13)  # one in the legend
        # A list, double mutants, measurements.
        names = [f"{r['from']}{r['number']}{r['to']}" for r in table]
        with open("list.txt", "w") as file:
            file.write("\n".join(names[:5] + [names[0] + "/" + names[-1]]) + "\n")
        table = rows_of(self.good(*flags, "--mutations", "list.txt").stdout)
        self.assertEqual(sorted(map(str, self.page().table("mutants by energy")[1])), sorted(map(str, table)))
        table = rows_of(self.good(*flags, "--doubles", "--top", 6).stdout)
        self.assertEqual(self.page().table("mutants by energy")[1], table)
        self.good(*flags, "--doubles", "--csv", "doubles.csv")
        self.assertEqual([h.text for h in self.page().all("h2")], ["Summary", "Heat map", "This run"])
        with open("measured.csv", "w") as file:
            file.write("mutant,effect\n" + "".join(f"{name},{(7 * k) % 11}\n" for k, name in enumerate(names)))
        table = rows_of(self.good(*flags, "--dms", "measured.csv", "--column", "effect", "--bootstrap", 9, "--statistics", "statistics.csv").stdout)
        page = self.page()
        self.assertEqual(sorted(map(str, page.table("mutants by energy")[1])), sorted(map(str, table)))
        self.assertEqual(page.table("Agreement")[1], rows_in("statistics.csv"))
        hints = {path.all("title")[0].text.split(":")[0] for path in page.all("path") if path.all("title")}
        self.assertEqual(hints, set(names))

    def test_compare(self):
        must("sample", "--model", "truth.h5", "--samples", 200, "--seed", 5, "--protocol", "chain", "-o", "samples.h5", "--alphabet", "ABCD")
        table = rows_of(self.good("compare", "data.h5", "samples.h5", "--report", "page.html").stdout)
        page = self.page()
        self.assertEqual(page.table("covariances C_ij of samples")[1], table)
        # The points of the figure: frequencies counted here.
        lines = {}
        for name in ("data", "samples"):
            must("convert", f"{name}.h5", f"{name}.fasta")
            with open(f"{name}.fasta") as file:
                lines[name] = [line.strip() for line in file if not line.startswith(">")]
        hints = [path.all("title")[0].text for path in page.all("path") if path.all("title")]
        hints = [hint for hint in hints if hint.startswith("site ")]
        expected = [f"site {i + 1}, {a}: " + ", ".join(f"{sum(s[i] == a for s in lines[n]) / len(lines[n]):.4f} in the {n}" for n in lines)
                    for i in range(12) for a in "ABCD"]
        self.assertEqual(hints, expected)
        # The histogram has every covariance of two sites.
        counts = [int(text.split()[0]) for row in page.map_data()[0]["cells"][0] for text in row if text]
        self.assertEqual(sum(counts), 12 * 11 // 2 * 16)

    def test_compare_without_gaps(self):
        with open("gapped.fasta", "w") as file, open("gapless.fasta", "w") as other:
            for k in range(40):
                file.write(f">{k}\n{'-' if k % 4 == 0 else 'ABC'[k % 3]}{'ABC'[k % 2]}-\n")
                other.write(f">{k}\n{'ABC'[k % 3]}{'ABC'[k % 2]}A\n")
        done = run("compare", "gapped.fasta", "gapless.fasta", "--alphabet", "-ABC", "--gaps", "ignore", "--runs", 0, "--report", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.page()
        self.assertFalse(page.map_data())  # covariances need the same colours
        hints = [path.all("title")[0].text for path in page.all("path") if path.all("title")]
        hints = [hint for hint in hints if hint.startswith("site ")]
        self.assertEqual(len(hints), 6)  # the third site has gaps alone
        share = sum(k % 4 != 0 and k % 3 == 0 for k in range(40)) / 30
        self.assertIn(f"site 1, A: {share:.4f} in the data", hints[0])

    def test_the_run(self):
        done = self.good("contacts", "truth.h5", "--report", "page.html", "--seed", 7, "--threads", 1, "--distances", "distances.txt", "--cutoff", 99, "--quiet",
                         "--csv", "a b.csv")
        self.assertEqual(done.stderr, "")
        page = self.page()
        command = page.all("code")[0].text
        self.assertTrue(command.startswith("attopotts contacts truth.h5 --report page.html"), command)
        self.assertTrue(command.endswith("--csv 'a b.csv'"), command)
        facts = page.facts()
        self.assertEqual((facts["Seed"], facts["Threads"]), (["7"], ["1"]))
        self.assertEqual(facts["Version"], [run("--version").stdout.strip()])
        for name in ("Began", "Ended"):
            self.assertRegex(facts[name][0], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$")
        self.assertRegex(facts["Time taken"][0], r"^[0-9.e-]+ s$")
        warnings = [d for d in page.all("div") if d["class"] == "warning"]
        self.assertEqual(len(warnings), 1)
        self.assertIn("all distances are below 99", warnings[0].text)

    def test_names_stay_text(self):
        name = "<b onmouseover=x>&\xe9.h5"
        os.link("truth.h5", name)
        os.link("truth.h5", b"\xff<i>.h5")
        for file in (name, b"\xff<i>.h5"):
            self.good("contacts", file if isinstance(file, str) else os.fsdecode(file), "--report", "page.html", "--csv", "pairs.csv")
            page = self.page()
            self.assertFalse(page.all("b") + page.all("i"))
        self.assertIn("\ufffd<i>.h5", page.all("title")[0].text)

    def test_refused(self):
        before = set(os.listdir())
        for flags, fragments in [(["--report", "absent/page.html"], ["--report", "absent/page.html"]),
                                 (["--report", "."], ["--report", "directory"]),
                                 (["--report", "-"], ["--report", "-", "expected the name of a file"]),
                                 (["--report", "truth.h5"], ["--report", "truth.h5", "INPUT"]),
                                 (["--report", "same", "--csv", "same"], ["--report and --csv", "same"])]:
            self.wrong(2, fragments, "contacts", "truth.h5", *flags)
        self.assertEqual(set(os.listdir()), before)

    def test_replaced_as_a_whole(self):
        with open("old.html", "w") as file:
            file.write("an earlier page")
        self.wrong(2, ["--min-separation"], "contacts", "truth.h5", "--report", "old.html", "--min-separation", 40)
        with open("old.html") as file:
            self.assertEqual(file.read(), "an earlier page")

        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

        done = run("contacts", "truth.h5", "--report", "old.html", "--csv", "short.csv", "--top", 3, preexec_fn=small_files)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("old.html", done.stderr)
        with open("old.html") as file:
            self.assertEqual(file.read(), "an earlier page")
        self.assertFalse([name for name in os.listdir() if "old.html" in name and name != "old.html"])
        self.good("contacts", "truth.h5", "--report", "old.html", "--csv", "pairs.csv")
        self.page("old.html")

    def test_flags_from_elsewhere(self):
        """A configuration file."""
        with open("flags.toml", "w") as file:
            file.write('[contacts]\nreport = "config.html"\n')
        self.good("contacts", "truth.h5", "--config", "flags.toml", "--csv", "pairs.csv")
        self.page("config.html")


if __name__ == "__main__":
    main()
