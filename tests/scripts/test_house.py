#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/ci/house.py on a made-up tree: it draws what is there and sees every kind of fault; tools/ci/measure.py counts there."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/ci/house.py"
sys.path.insert(0, str(SCRIPT.parent))
import measure  # noqa: E402

FILES = {
    "include/attopotts/a.h": "#include <stdint.h>\n",
    "include/attopotts.h": "#include <attopotts/a.h>\n",
    "src/base/error.hpp": "#include <attopotts/a.h>\n#include <vector>\n",
    "src/base/error.cpp": '#include "base/error.hpp"\nvoid fail() {}\n',
    "src/left/x.cpp": '#include "base/error.hpp"\n',
    "src/right/y.hpp": '#include "base/error.hpp"\n',
    "src/right/y.cpp": '// #include "left/x.hpp"\n#include "right/y.hpp"\n',
    "capi/z.cpp": '#include "right/y.hpp"\n#  include <attopotts.h>\n#include "z.hpp"\n',
    "capi/z.hpp": "",
}
ARROWS = {"base": ["include"], "left": ["base"], "right": ["base"], "capi": ["right", "include"]}
PLACES = "| how it fails | `src/base/error.cpp` | `fail` |\n"


class House(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FILES.items():
            self.put(name, text)
        self.draw(ARROWS)
        self.assertEqual(self.run_script("--write"), (0, ""))

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def draw(self, arrows, places=PLACES):
        """A document with these arrows; the generated block stays."""
        path = self.root / "docs/architecture.md"
        block = path.read_text().partition("<!-- begin house -->\n")[2].partition("<!-- end house -->")[0] if path.exists() else ""
        rows = "".join(f"| `{folder}` | {', '.join(f'`{other}`' for other in others)} |\n" for folder, others in arrows.items())
        self.put("docs/architecture.md", f"before\n<!-- begin house -->\n{block}<!-- end house -->\nbetween\n<!-- begin arrows -->\n"
                 f"| folder | may include |\n|---|---|\n{rows}<!-- end arrows -->\n<!-- begin places -->\n{places}<!-- end places -->\nafter\n")

    def run_script(self, *arguments):
        run = subprocess.run([sys.executable, SCRIPT, "--root", self.root, *arguments], capture_output=True, text=True, timeout=60)
        return run.returncode, run.stdout + run.stderr

    def faults(self):
        status, out = self.run_script("--check")
        self.assertEqual(status, 1)
        return out.splitlines()

    def test_what_is_there(self):
        self.assertEqual(self.run_script("--check"), (0, "5 folders, 5 arrows, each in docs/architecture.md\n"))
        self.assertEqual(self.run_script()[1].splitlines(), [
            "layer 3  capi     includes include (1), right (1)", "layer 2  left     includes base (1)",
            "layer 2  right    includes base (1)", "layer 1  base     includes include (1)",
            "layer 0  include  includes no other folder"])
        document = (self.root / "docs/architecture.md").read_text()
        self.assertIn("| 2 | `left`, `right` |\n", document)
        self.assertTrue(document.startswith("before\n") and document.endswith("after\n"))

    def test_picture(self):
        self.assertEqual(self.run_script("--svg", self.root / "picture.svg"), (0, ""))
        picture = xml.etree.ElementTree.parse(self.root / "picture.svg")
        texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
        arrows = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}title")]
        self.assertEqual(texts, ["base", "capi", "include", "left", "right"])
        # capi includes include, too: that follows.
        self.assertEqual(arrows, ["base includes include", "capi includes right", "left includes base", "right includes base"])

    def test_forbidden_arrow(self):
        self.put("src/right/more.cpp", '\n#include "left/x.hpp"\n')
        self.put("src/left/x.hpp", "")
        self.assertIn("src/right/more.cpp:2: right must not include left: docs/architecture.md has no such arrow", self.faults())

    def test_unused_arrow(self):
        self.draw({**ARROWS, "right": ["base", "left"]})
        self.assertEqual(self.faults(), ["docs/architecture.md: right may include left, and no #include does: remove the arrow"])

    def test_circle(self):
        self.put("src/base/more.hpp", '#include "right/y.hpp"\n')
        self.draw({**ARROWS, "base": ["include", "right"]})
        self.assertEqual(self.faults(), ["folders include each other in a circle: base -> right -> base"])
        for mode in ["--text"], ["--write"], ["--svg", self.root / "picture.svg"]:
            self.assertEqual(self.run_script(*mode), (1, "folders include each other in a circle: base -> right -> base\n"))

    def test_no_such_file(self):
        self.put("src/left/x.cpp", '#include "base/error.hpp"\n#include "base/nothing.hpp"\n')
        self.assertEqual(self.faults(), ['src/left/x.cpp:2: no file for #include "base/nothing.hpp"'])

    def test_out_of_date(self):
        self.put("src/left/x.cpp", '#include "right/y.hpp"\n#include "base/error.hpp"\n')
        self.draw({**ARROWS, "left": ["base", "right"]})
        self.assertEqual(self.faults(), ["docs/architecture.md: the generated block is out of date: run tools/ci/house.py --write",
                                         "docs/architecture.svg is out of date: run tools/ci/house.py --write"])
        self.assertEqual(self.run_script("--write"), (0, ""))
        self.assertEqual(self.run_script("--check")[0], 0)

    def test_lost_places(self):
        self.draw(ARROWS, "| a | `src/base/error.cpp` | `fai` |\n| b | `src/base/gone.cpp` | `fail` |\n")
        self.assertEqual(self.faults(), ["docs/architecture.md: fai is not in src/base/error.cpp",
                                         "docs/architecture.md: there is no file src/base/gone.cpp"])

    def test_measures(self):
        self.put("cli/one.cpp", 'app->add_option("-o,--out,--output", x);\nfail("say --seed");\nwrong("--seed");\n')
        self.put("include/attopotts/options.h", "  ATP_OPT_SEED = 100, /**< */\n  ATP_OPT_BETA = 102\nATP_API int atp_f(void);\n")
        self.put("CHANGELOG.md", "one\ntwo\n")
        found = measure.measures(self.root)
        self.assertEqual(found["capi"], "2 files, 3 lines, median 2")
        # error.hpp: x.cpp and y.hpp, not error.cpp; y.hpp: z.cpp alone.
        self.assertEqual((found["headers in src, with one customer"], found["headers in capi, with one customer"]), ("2, 1", "1, 0"))
        self.assertEqual((found["flags of the program"], found["options of the library"], found["C functions"]), ("3", "2", "1"))
        self.assertEqual((found["arrows between folders"], found["lines of CHANGELOG.md"]), ("5", "2"))


if __name__ == "__main__":
    unittest.main()
