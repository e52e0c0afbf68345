#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pages of --report in a headless Chromium, light and dark, wide and on a phone: no errors, nothing loaded, no scrolling sideways, contrast,
sorting and stepping by keys, names and roles for screen readers.

ATP_SCREENSHOTS=FOLDER keeps pictures of all pages.
"""
import os
import sys

from browser import PROGRAM, Browser
from program import Case, main, must, run, small_data

SIZES = {"wide": (1100, 900), "phone": (360, 740)}
# The smallest contrast of texts with what is behind them, by the formula of WCAG 2.
CONTRAST = """(() => {
  const channel = (c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
  const light = (color) => { const [r, g, b] = color.match(/[0-9.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
  const behind = (node) => { for (; node; node = node.parentElement) {
    const color = getComputedStyle(node).backgroundColor; if (!/, 0\\)$|transparent/.test(color)) return color; } return "rgb(255, 255, 255)"; };
  let worst = [21, ""];
  document.querySelectorAll("p, dt, dd, td, th button, caption, li, h1, h2, h3, a, code, summary, figcaption, svg text").forEach((node) => {
    const style = getComputedStyle(node);
    const [a, b] = [light(node.closest("svg") ? style.fill : style.color), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst[0]) worst = [ratio, node.tagName + ": " + node.textContent.slice(0, 40)];
  });
  return worst;
})()"""


class Pages(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=14, samples=300)
        with open("distances.txt", "w") as file:
            file.write("".join(f"{i + 1} {j + 1} {2.5 + (3 * i + 5 * j) % 11}\n" for i in range(14) for j in range(i + 1, 13)))
        must("convert", "data.h5", "text.fasta")
        must("sample", "--model", "truth.h5", "--samples", 200, "--seed", 5, "--protocol", "chain", "-o", "samples.h5", "--alphabet", "ABCD")
        commands = {
            "contacts": ["contacts", "truth.h5", "--distances", "distances.txt", "--csv", "pairs.csv"],
            "mutants": ["mutants", "truth.h5", "text.fasta", "--csv", "mutants.csv"],
            "compare": ["compare", "data.h5", "samples.h5", "--csv", "compared.csv"],
            "learn": ["learn", "data.h5", "-o", "learned.h5", "--rows", "0:200", "--test", "data.h5", "--test-rows", "200:100", "--truth", "truth.h5"],
            "replica": ["replica", "--shift", "2.5", "--sites", 30, "--alpha", "0.5:3:6", "--lambda", "0.1", "--simulate", 10, "--csv", "curve.csv"],
            "dotattn": ["dotattn", "--set", "accuracy=0.02", "--alpha", "0.5:2:4", "--omega", "0.1,0.3", "--csv", "branches.csv"],
        }
        cls.names = list(commands)
        for name, words in commands.items():
            done = run(*words, "--report", f"{name}.html")
            if done.returncode not in (0, 3):
                raise SystemExit(done.stderr)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        super().tearDownClass()

    def test_pages_open_everywhere(self):
        pictures = os.environ.get("ATP_SCREENSHOTS")
        for name in self.names:
            for size, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    self.browser.open(f"{name}.html", width, height, scheme)
                    where = f"{name}, {size}, {scheme}"
                    self.assertEqual(self.browser.complaints, [], where)
                    self.assertEqual(len(self.browser.requests), 1, (where, self.browser.requests))
                    self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width, where)
                    ratio, text = self.browser.run(CONTRAST)
                    self.assertGreater(ratio, 4.5, (where, text))
                    brightness = self.browser.run("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).reduce((a, b) => a + Number(b), 0)")
                    self.assertTrue(brightness > 600 if scheme == "light" else brightness < 150, where)
                    if pictures:
                        self.browser.screenshot(os.path.join(pictures, f"{name}-{size}-{scheme}.png"), self.browser.run("document.documentElement.scrollHeight"))
        # The check of contrast sees what it looks for.
        self.browser.run("document.querySelector('h1').style.color = getComputedStyle(document.body).backgroundColor")
        self.assertLess(self.browser.run(CONTRAST)[0], 1.1)

    def test_errors_are_seen(self):
        with open("learn.html") as file:
            source = file.read()
        for planted in ("<script>nowhere();</script>", '<img src="https://example.org/x.png">', "<script>console.error('x')</script>"):
            with open("planted.html", "w") as file:
                file.write(source.replace("</main>", planted + "</main>"))
            self.browser.open("planted.html", 800, 600, "light")
            self.browser.run("1")
            self.assertTrue(self.browser.complaints or len(self.browser.requests) > 1, planted)

    def column(self, number):
        return self.browser.run(f"[...document.querySelectorAll('table[data-map] tbody tr')].map((row) => row.cells[{number}].textContent)")

    def test_tables_sort_by_keys(self):
        self.browser.open("contacts.html", 1100, 900, "light")
        self.assertEqual(self.column(0), [str(k) for k in range(1, 15)])
        self.browser.run("document.querySelector('table[data-map] th button').focus()")
        self.browser.press("Tab")  # from rank to i
        self.assertEqual(self.browser.run("document.activeElement.textContent"), "i")
        state = "document.querySelectorAll('table[data-map] th')[1].getAttribute('aria-sort')"
        for order, reverse in (("ascending", False), ("descending", True)):
            self.browser.press("Enter", text="\r")
            self.assertEqual(self.browser.run(state), order)
            numbers = [int(text) for text in self.column(1)]
            self.assertEqual(numbers, sorted(numbers, reverse=reverse))
            self.assertIn(f"Sorted by i, {order}", self.browser.run("document.getElementById('said').textContent"))
        self.assertEqual(self.browser.run("document.querySelectorAll('table[data-map] th')[0].getAttribute('aria-sort')"), "none")
        # Distances: the empty cells of unknown ones stay last.
        place = self.browser.run("[...document.querySelectorAll('table[data-map] th')].findIndex((th) => th.textContent === 'distance')")
        self.browser.run(f"document.querySelectorAll('table[data-map] th button')[{place}].click()")
        texts = self.column(place)
        known = [float(text) for text in texts if text]
        self.assertIn("", texts)
        self.assertEqual((known, texts[:len(known)].count("")), (sorted(known), 0))

    def test_map_follows_pointer_and_keys(self):
        self.browser.open("contacts.html", 1100, 900, "light")
        self.browser.run("document.querySelector('figure.map [tabindex]').focus()")
        said = []
        for _ in range(2):
            self.browser.press("ArrowRight")
            said.append(self.browser.run("document.getElementById('said').textContent"))
        self.assertIn("rank 1,", said[0])
        self.assertIn("rank 2,", said[1])
        self.assertEqual(self.browser.run("[...document.querySelectorAll('tr.on')].map((row) => row.cells[0].textContent)"), ["2"])
        self.assertEqual(self.browser.run("document.querySelectorAll('.pair.on').length"), 1)
        # A cell above the diagonal that is among no best pairs shows its score; one outside nothing.
        box = self.browser.run("(() => { document.querySelector('figure.map').scrollIntoView(); const b = document.querySelector('.area').getBoundingClientRect();"
                               " return [b.left, b.top, b.width, b.height]; })()")
        texts = set()
        for j in range(1, 14):
            self.browser.point(box[0] + (j + 0.5) / 14 * box[2], box[1] + 0.5 / 14 * box[3])
            text = self.browser.run("document.querySelector('.readout').textContent")
            self.assertTrue(text.startswith(f"1 and {j + 1}: "), (j, text))
            texts.add(text)
        self.assertEqual(len(texts), 13)
        self.browser.open("mutants.html", 1100, 900, "light")
        box = self.browser.run("(() => { const b = document.querySelector('.area').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        self.browser.point(box[0] + 2.5 / 14 * box[2], box[1] + 1.5 / 4 * box[3])
        self.assertRegex(self.browser.run("document.querySelector('.readout').textContent"), r"^[ABCD]3(B: score|: wild type)")
        # The same cell by keys: the first press chooses the first cell.
        self.browser.run("document.querySelector('figure.map [tabindex]').focus()")
        pointed = self.browser.run("document.querySelector('.readout').textContent")
        for key in ("ArrowLeft", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowLeft"):
            self.browser.press(key)
        self.assertEqual(self.browser.run("document.getElementById('said').textContent"), pointed)
        frame = self.browser.run("(() => { const b = document.querySelector('rect.here').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        self.assertLess(abs(frame[0] + frame[2] / 2 - (box[0] + 2.5 / 14 * box[2])), 1)
        self.assertLess(abs(frame[1] + frame[3] / 2 - (box[1] + 1.5 / 4 * box[3])), 1)

    def test_screen_readers(self):
        for name in self.names:
            self.browser.open(f"{name}.html", 1100, 900, "light")
            nodes = [node for node in self.browser.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
            by_role = {}
            for node in nodes:
                by_role.setdefault(node["role"]["value"], []).append(node.get("name", {}).get("value", ""))
            for role in ("image", "button", "table", "columnheader", "region", "link", "heading"):
                if role in ("table", "columnheader", "region", "button") and role not in by_role and name == "learn":
                    continue  # its tables are folded
                self.assertTrue(by_role.get(role), (name, role, sorted(by_role)))
                self.assertTrue(all(by_role[role]), (name, role, by_role[role]))
            self.assertEqual(len(by_role["main"]), 1)
            self.assertEqual(self.browser.run("document.documentElement.lang"), "en")


if __name__ == "__main__":
    if PROGRAM is None:
        print("skipped: Chromium is missing (tools/machines/install-deps.sh --browser)")
        sys.exit(77)
    main()
