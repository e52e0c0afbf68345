#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--report: pages are well-formed and whole, lead nowhere outside, and have the numbers of the tables; names cannot break out of the text."""
import os
import resource
import signal

import pages
from program import Case, main, must, read_table, run, small_data

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
        counts = page.classes("path")
        known = [r["distance"] != "" for r in table]
        self.assertEqual(counts["far"], sum(r["distance"] != "" and float(r["distance"]) >= 7 for r in table) + 1)
        self.assertEqual(counts.get("unknown", 0), known.count(False) + (False in known))
        self.same_numbers(page, "Precision of the best pairs", {"number of best pairs": "pairs", "precision": "precision"}, rows_in("ppv.csv"))
        self.assertIn("P@L/5 (2)", page.facts()["Precision"][0])
        # Cells of contacts: the paths of the class `known` cover the area that the file has.
        path = [p for p in page.all("path", **{"class": "known"}) if p.parent.tag == "g"]
        covered = sum(int(piece.split("h")[1].split("v")[0]) for piece in path[0]["d"].split("M")[1:])
        self.assertEqual(covered, sum(2.5 + (3 * i + 5 * j) % 11 < 7 for i in range(11) for j in range(i + 1, 11)))

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
                                 (["--report", "same", "--csv", "same"], ["--csv and --report", "same"])]:
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
        """A configuration file, and a batch with one page for each job."""
        with open("flags.toml", "w") as file:
            file.write('[contacts]\nreport = "config.html"\n')
        self.good("contacts", "truth.h5", "--config", "flags.toml", "--csv", "pairs.csv")
        self.page("config.html")
        with open("jobs.txt", "w") as file:
            file.write("command\ncontacts truth.h5 --report one.html --csv one.csv\ncontacts truth.h5 --report two.html --csv two.csv --top 3\n")
        self.good("batch", "jobs.txt")
        self.assertEqual(len(self.page("one.html").table("best pairs. A column")[1]), 12)
        self.assertEqual(len(self.page("two.html").table("best pairs. A column")[1]), 3)


if __name__ == "__main__":
    main()
