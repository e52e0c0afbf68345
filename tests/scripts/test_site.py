#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The site: its readers of headers and sources find what is declared and faults that are planted, its checker finds dead links and what is
loaded from outside. tests/consumer/run_site.py builds the site itself."""
import ast
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/site"), str(ROOT / "tools/ci"), str(ROOT / "bindings/generator")]
import site_c  # noqa: E402
import site_cpp  # noqa: E402
import site_fortran  # noqa: E402
import site_julia  # noqa: E402
import site_program  # noqa: E402
import site_python  # noqa: E402
import site_r  # noqa: E402

HEADER = """/** @file one.h
 *  A file.
 */
/** Opaque thing. */
typedef struct atp_thing atp_thing;
/** Kinds. */
typedef enum atp_kind ATP_INT {
  ATP_KIND_A = 0, /**< first */
  ATP_KIND_B = 1  /**< second, see atp_thing_make() */
} atp_kind;
/** Makes things:
 *    a = sum_i b_i
 *  of one kind.
 *  @param[in] kind  an atp_kind; @param[out] n, m  numbers
 *  @return ATP_OK. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_thing_make(atp_kind kind, int64_t *n, int64_t *m) ATP_NOEXCEPT;
"""

PAGES = {"index.html": '<a href="two.html#there">x</a> <img src="one.png"> <a href="https://example.org">out</a> <a href="#here">y</a><p id="here">',
         "two.html": '<p id="there">', "one.png": "", "style.css": "a { background: url(one.png) }"}
FAULTS = {"which is not there": '<a href="three.html">', "which is not there ": '<img src="two.png">', "a place that": '<a href="two.html#nowhere">',
          "outside of the folder": '<a href="/index.html">', "from outside": '<script src="https://example.org/x.js"></script>',
          "from outside ": '<link rel="stylesheet" href="//example.org/x.css">', "from outside  ": '<p style="background: url(http://example.org/a.png)">'}


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name


class Links(Files):
    def check(self):
        done = subprocess.run([sys.executable, ROOT / "tools/site/site_links.py", self.folder], capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_faults(self):
        for name, text in PAGES.items():
            self.write(name, text)
        self.assertEqual(self.check(), (0, "2 pages, 4 links, 1 addresses outside\n"))
        for message, text in FAULTS.items():
            self.write("fault.html", text)
            status, found = self.check()
            self.assertEqual((status, len(found.splitlines())), (1, 1), text + found)
            self.assertIn(message.strip(), found)
        self.write("fault.html", "")
        self.write("fault.css", "\n@import 'https://example.org/fonts.css';")
        self.assertEqual(self.check()[1], "fault.css:2: loads https://example.org/fonts.css from outside\n")

    def test_nothing_to_check(self):
        self.assertEqual(self.check()[0], 1)


class C(Files):
    def test_items(self):
        path = self.write("one.h", HEADER)
        found = site_c.items(path)
        self.assertEqual([(i.kind, i.name) for i in found],
                         [("file", "one.h"), ("type", "atp_thing"), ("enum", "atp_kind"), ("function", "atp_thing_make")])
        text = site_c.header_page(path, found, site_c.Names({path: found}))
        for line in (".. c:function:: atp_status atp_thing_make(atp_kind kind, int64_t *n, int64_t *m)", ".. c:enumerator:: ATP_KIND_B = 1",
                     ":param m: *output*; numbers", "*Allocates*: no. *Threads*: any. *Since*: 0.1.", "a = sum_i b_i", ":param kind: an \\ :c:enum:`atp_kind`"):
            self.assertIn(line, text)

    def test_faults(self):
        for before, after in (("/** Makes things:", "/* Makes things:"), ("/** @file one.h", "/** A file"), ("ATP_NOEXCEPT", "")):
            with self.assertRaises(ValueError, msg=before):
                site_c.items(self.write("one.h", HEADER.replace(before, after)))

    def test_all_headers(self):
        pages = site_c.c_pages()
        self.assertGreater(len(pages), 25)
        self.assertGreater(sum(text.count(".. c:function::") for text in pages.values()), 200)


class Cpp(Files):
    def test_declarations(self):
        text = """/** @file a.hpp
 *  Part. */
namespace attopotts {
/** A thing. */
class Thing {
 public:
  explicit Thing(int n) : n_(n) {}
  /** Twice. */
  int twice(int m = {}) const { return atp_twice(n_, m); }
  Thing(const Thing &) = delete;
 private:
  int hidden();
  int n_;
};
namespace detail { inline int no(); }
inline double half(double x) { return x / 2; }  // }
}
"""
        found = site_cpp.header_page(self.write("a.hpp", text), site_c.Names({}))
        declared = [line.strip() for line in found.splitlines() if ":: " in line and "cpp" in line and "code-block" not in line]
        self.assertEqual(declared, [".. cpp:namespace:: attopotts", ".. cpp:class:: Thing", ".. cpp:function:: explicit Thing(int n)",
                                    ".. cpp:function:: int twice(int m = {}) const", ".. cpp:function:: double half(double x)"])
        with self.assertRaises(ValueError):
            site_cpp.header_page(self.write("a.hpp", "namespace attopotts {}"), site_c.Names({}))


class Others(Files):
    def test_manual_page(self):
        page = ('.TH x 1\n.SH NAME\nattopotts\\-x \\- does it\n.SH "Model"\n.TP\n\\fB\\-\\-out\\fR, \\fB\\-o\\fR \\fIFILE\\fR\nthe file\n'
                ".SH EXAMPLE\n.EX\nattopotts x \\-o a\n.EE\n")
        text = site_program.manual_page("attopotts x", page, "x", [])
        for line in ("Does it.", "Model\n-----", ".. option:: --out, -o FILE", "   attopotts x -o a"):
            self.assertIn(line, text)
        with self.assertRaises(ValueError):
            site_program.program_pages("/bin/false")

    def test_r(self):
        text = ("\\name{f}\n\\alias{f}\n\\alias{g}\n\\title{T}\n\\description{See \\code{\\link{g}} and \\eqn{a_b}{ab}.}\n\\usage{\nf(x)\n}\n"
                "\\arguments{\n\\item{x}{a \\code{number}}\n}\n\\examples{\nf(1) \\% 2\n}\n")
        found = site_r.help_page(text, {"f": "f", "g": "f"})
        for line in ("See \\ :doc:`g <f>`\\  and \\ *ab*\\ .", "``x``\n   a \\ ``number``", "f(1) % 2", "single: g (R)"):
            self.assertIn(line, found)
        with self.assertRaises(ValueError):
            site_r.help_page(text.replace("\\eqn", "\\unheard"), {})

    def test_python(self):
        self.write("__init__.py", '__all__ = ["Thing", "make"]\n')
        self.write("thing.py", "class Base:\n    @property\n    def size(self) -> int:\n        'How large * it is.'\n\n"
                   "class Thing(Base):\n    'A thing.'\n    @takes('REPLICA_SQUARE')\n    def __init__(self, model, noise=2, **values):\n        pass\n"
                   "    def says(self, a: int = 1) -> str:\n        'Says.'\n\ndef make(x):\n    'Makes.'\n")
        package = site_python.Package([self.folder])
        text = site_python.main_page(package, package.exported())
        for line in (".. py:class:: Thing(model, noise=2, **values)", "How large \\* it is.", ".. py:property:: size", ".. py:method:: says(a: int=1) -> str",
                     "- ``penalty=1e-08`` -- penalty on each parameter", ".. py:function:: make(x)"):
            self.assertIn(line, text)
        self.assertNotIn("variance of a masked value", text)  # the class has a parameter of this name
        with self.assertRaises(ValueError):
            site_python.main_page(package, ["nothing"])

    def test_julia(self):
        source = '@api begin\n    "Makes `x`."\n    f!(report, x; n = 1) = atp_f\n    function f!(x)\n        return 1\n    end\nend\n'
        self.assertEqual(site_julia.entries(source, None, "x.jl"), [("Makes `x`.", ["f!([report,] x; n = 1)", "f!(x)"])])
        with self.assertRaises(ValueError):
            site_julia.entries("@api begin\n    f(x) = atp_f\nend\n", None, "x.jl")

    def test_fortran(self):
        source = ("!> About.\nmodule m\n  public :: f, t\n  !> A type.\n  type :: t\n  contains\n    procedure :: g => t_g\n  end type\ncontains\n"
                  "  !> Gives one.\n  integer function f(x)\n    real, intent(in), optional :: x\n  end function\n"
                  "  !> Goes.\n  subroutine t_g(self, n)\n    class(t), intent(inout) :: self\n    integer, intent(in) :: n\n  end subroutine\nend module\n")
        name, text = site_fortran.module_page(source, None)
        self.assertEqual(name, "m")
        for line in ("call t%g(n)", "f([x])   ! integer", "Gives one.", "Goes.", "integer, intent(in) :: n"):
            self.assertIn(line, text)
        self.assertNotIn("Gives one.", site_fortran.module_page(source, {"t"})[1])

    def test_sources_are_python_of_the_version(self):
        for path in (ROOT / "tools/site").glob("site*.py"):
            ast.parse(path.read_text(), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
