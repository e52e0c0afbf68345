// SPDX-License-Identifier: MIT
// The readers of A2M, A3M, Stockholm and of a sequence per line, and of files packed by gzip, from memory: what they make, what they say.
#include "counting.h"
#include "support.h"

#include "io/read_write.hpp"

#include <cstdlib>
#include <string>

#if ATP_HAS_ZLIB
#include <zlib.h>
#endif

using namespace atp;

namespace {

struct Log {
  std::string text;
  int warnings = 0;
};

void keep(atp_log_level level, const char *text, void *user) {
  Log *log = static_cast<Log *>(user);
  log->text += text;
  log->text += '\n';
  log->warnings += level == ATP_LOG_WARNING ? 1 : 0;
}

struct Result {
  atp_status status = ATP_OK;
  std::string text;
  int64_t colors = 0, bytes_left = 0;
  Log log;
};

struct Request {
  const char *alphabet = "-ACGU", *name = "file";
  int64_t format = ATP_FORMAT_AUTO, unknown = ATP_UNKNOWN_GAP;
};

// Rows of symbols with names; insert runs as name[column+count ...].
Result read(const std::string &s, const Request &request = {}) {
  Result result;
  Context context(counting_alloc, counting_free, nullptr);
  context.log = keep;
  context.log_user = &result.log;
  Options options;
  options.set(ATP_OPT_FORMAT, request.format);
  options.set(ATP_OPT_UNKNOWN, request.unknown);
  char *memory = static_cast<char *>(std::malloc(s.size() + (s.empty() ? 1 : 0)));  // ends where the text ends
  if (!s.empty()) std::memcpy(memory, s.data(), s.size());
  try {
    Alignment *a =
        alignment_from_bytes(context, {{memory, static_cast<int64_t>(s.size())}, "file"}, request.name, request.alphabet, options);
    result.colors = a->colors();
    for (int64_t n = 0; n < a->count(); ++n) {
      result.text += a->name(n);
      if (a->has_inserts())
        for (int64_t k = a->insert_offsets[n]; k < a->insert_offsets[n + 1]; ++k)
          result.text += "[" + std::to_string(a->insert_runs[k].column) + "+" + std::to_string(a->insert_runs[k].count) + "]";
      result.text += ':';
      for (int64_t i = 0; i < a->sites(); ++i)
        result.text += a->alphabet[0] == 0 ? static_cast<char>('0' + a->sequence(n)[i]) : a->alphabet[a->sequence(n)[i]];
      result.text += ' ';
    }
    destroy_block(context.allocator, a);
  } catch (const Error &e) {
    result.status = e.status();
    result.text = e.what();
  }
  std::free(memory);
  result.bytes_left = context.allocator.bytes();
  return result;
}

void expect(const Result &result, const char *text, const char *log = "") {
  if (result.status != ATP_OK) fail_msg("failed: %s", result.text.c_str());
  assert_string_equal(result.text.c_str(), text);
  assert_string_equal(result.log.text.c_str(), log);
  assert_int_equal(result.bytes_left, 0);
}

void expect_error(const Result &result, atp_status status, const char *part) {
  if (result.status != status || result.text.find(part) == std::string::npos)
    fail_msg("status %d, text: %s\nexpected %s", result.status, result.text.c_str(), part);
  assert_int_equal(result.bytes_left, 0);
}

const char *const kInserts3 = "file: 3 symbols in insert columns (lower case) were skipped\n";

void a2m(void **) {
  // s has "c" before the fourth column, t "ga" at the end.
  const std::string dots = ">s\nACGcU..\n>t\nA-G.Uga\n", dotless = ">s\nACGcU\n>t\nA-GUga\n";
  const char *same = "s[3+1]:ACGU t[4+2]:A-GU ";
  expect(read(dots), same, kInserts3);     // no column of both kinds
  expect(read(dotless), same, kInserts3);  // lengths agree only without lower case
  expect(read(dots, {"-ACGU", "x.a2m"}), same, kInserts3);
  expect(read(dotless, {"-ACGU", "x.A3M.gz"}), same, kInserts3);
  expect(read(dotless, {"-ACGU", "file", ATP_FORMAT_A3M}), same, kInserts3);
  expect(read(dots, {"-ACGU", "x.a2m", ATP_FORMAT_FASTA}), "s:ACGCU-- t:A-G-UGA ");
  expect(read(">s\nAC\nGc\nU..\n\n>t\r\nA-G.Uga\r\n"), same, kInserts3);
}

void fasta_stays(void **) {
  expect(read(">s\nacgu\n>t\na.gu\n"), "s:ACGU t:A-GU ");  // lower case alone
  expect(read(">s\nacGU\n>t\nACgu\n"), "s:ACGU t:ACGU ");  // a column of both
  expect(read(">s\nACgu\n"), "s:ACGU ");                   // one sequence does not show the format
  expect(read(">s\nA.GU\n>t\nAC.U\n"), "s:A-GU t:AC-U ");  // dots alone
  expect(read(">s\nAc.U\n>t\nAC.u\n", {"-ACUc", "file"}), "s:Ac-U t[3+1]:AC-- ",
         "file: 1 of 8 symbols are not in the alphabet and were replaced by '-': 'u' 1\n"
         "file: 1 of 4 columns contain only gaps ('-'); the first is column 3\n");  // an alphabet with lower case
  expect(read(">s\n.AU.\n>t\nCAUC\n", {".ACGU", "x.a2m"}), "s:.AU. t:CAUC ");       // a symbol of the alphabet is itself
  expect(read(">1\n_*^\n>2\n^^_\n", {"_*^", "x.a2m"}), "1:_*^ 2:^^_ ");
}

void a2m_refuses(void **) {
  const Request a2m{"-ACGU", "x.a2m"};
  expect_error(read(">s\nACgU\n>t\nACGU\n", a2m), ATP_E_FORMAT,
               "file:3: sequence 't' has 4 symbols outside insert columns (lower case and '.'), expected 3 as in the first one");
  expect_error(read(">s\nacgu\n", a2m), ATP_E_FORMAT, "file:1: sequence 's' has 0 symbols outside insert columns");
  expect_error(read(">s\nACgU\n>t\nACG\n>u\nACGU\n"), ATP_E_FORMAT, "file:3: sequence 't' has 3 symbols, expected 4");  // cut
}

// A letter that is not in the alphabet is a residue, which numbers count.
void hidden_residues(void **) {
  expect(read(">s\nACXU\n>t\nACGU\n"), "s[2+1]:AC-U t:ACGU ",
         "file: 1 of 8 symbols are not in the alphabet and were replaced by '-': 'X' 1\n");
  expect(read(">s\naACaXU\n>t\nAC*U\n", {"-ACGU", "x.a3m"}), "s[0+1][2+2]:AC-U t:AC-U ",
         "file: 2 symbols in insert columns (lower case) were skipped\n"
         "file: 2 of 8 symbols are not in the alphabet and were replaced by '-': '*' 1, 'X' 1\n"
         "file: 1 of 4 columns contain only gaps ('-'); the first is column 3\n");
  expect(read(">s\nAcXU\n>t\nAaCCa\n", {"-ACGU", "x.a3m", ATP_FORMAT_AUTO, ATP_UNKNOWN_DROP}), "t[1+1][3+1]:ACC ",
         "file: 3 symbols in insert columns (lower case) were skipped\n"
         "file: 1 of 2 sequences were dropped because of symbols that are not in the alphabet: 'X' 1\n");
}

void stockholm(void **) {
  const std::string two =
      "# STOCKHOLM 1.0\n#=GF ID x\n#=GS a/1-3 DE what is known\n\na/1-3   AC.\n#=GR a/1-3 SS ..<\nb\tac-\n#=GC RF xxx\n\n"
      "a/1-3   GU\nb  -U\n//\n";
  expect(read(two), "a/1-3:AC-GU b:AC--U ", "file: 1 of 5 columns contain only gaps ('-'); the first is column 3\n");
  std::string crlf;
  for (char c : two) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  expect(read(crlf), "a/1-3:AC-GU b:AC--U ", "file: 1 of 5 columns contain only gaps ('-'); the first is column 3\n");
  expect(read("# STOCKHOLM 1.0\nb AC\na GU\n\na UU\nb --\n//\n\n"), "b:AC-- a:GUUU ");  // another order in the second block
  expect(read("# STOCKHOLM 1.0\nb AC\na .U\n//", {".ACGU"}), "b:AC a:.U ");
}

void stockholm_refuses(void **) {
  const std::string head = "# STOCKHOLM 1.0\n";
  expect_error(read(head + "a AC\nb GU\n"), ATP_E_FORMAT, "file:4: the file ends without '//'");
  expect_error(read(head + "a AC\nb\n//\n"), ATP_E_FORMAT, "file:3: 'b', expected a name, blanks and symbols");
  expect_error(read(head + "a AC GU\n//\n"), ATP_E_FORMAT, "file:2: 'a AC GU', expected a name");
  expect_error(read(head + "a AC\na GU\n//\n"), ATP_E_FORMAT, "file:3: sequence 'a' occurs twice in a block");
  expect_error(read(head + "#" + std::string(5000, 'c') + "\na\x01 AC\n//\n"), ATP_E_FORMAT,
               "file:3: the name of a sequence: byte 1 has the code 1");
  expect_error(read(head + "a AC\nb GU\n\na GU\n//\n"), ATP_E_FORMAT, "file:3: sequence 'b' has 2 symbols, expected 4");
  expect_error(read(head + "//\n"), ATP_E_FORMAT, "file: the alignment has no sequences");
  expect_error(read(head + "a AC\n//\n" + head), ATP_E_FORMAT, "file:4: '# STOCKHOLM 1.0' after the '//'");
  expect_error(read("a AC\n//\n", {"-ACGU", "file", ATP_FORMAT_STOCKHOLM}), ATP_E_FORMAT,
               "file:1: 'a AC', expected the first line of a Stock");
  expect_error(read("\n", {"-ACGU", "file", ATP_FORMAT_STOCKHOLM}), ATP_E_FORMAT, "file: the file is empty");
}

void lines(void **) {
  expect(read("ACGU\n\n-.cu\n  AAAA \n"), ":ACGU :--CU :AAAA ");
  expect(read("one ACGU\r\ntwo\t  -.cu"), "one:ACGU two:--CU ");
  expect(read("# made by hand\none ACGU\n"), "one:ACGU ");
  expect(read("#A#A\nA#AA\n", {"#A"}), ":#A#A :A#AA ");
  expect(read("0110\n1001\n", {"01"}), ":0110 :1001 ");  // a row of numbers has more than one
  expect(read("0 1 1\n1 0 0\n", {"01"}), ":011 :100 ");  // numbers, whose alphabet is not asked for
  expect(read("01\n10\n", {"01", "x", ATP_FORMAT_ALN}), ":01 :10 ");
  std::string longest(3000000, 'A');
  longest[2999999] = 'U';
  expect(read(longest + "\n" + longest), (":" + longest + " :" + longest + " ").c_str());
}

void lines_refuse(void **) {
  expect_error(read("ACGU\nACG\n"), ATP_E_FORMAT, "file:2: the sequence has 3 symbols, expected 4 as in the first one");
  expect_error(read("ACGU\nb ACGU\n"), ATP_E_FORMAT, "file:2: 'b ACGU', expected the symbols of a sequence without blanks");
  expect_error(read("a ACGU\nACGU\n"), ATP_E_FORMAT, "file:2: 'ACGU', expected a name, blanks and symbols");
  expect_error(read("a ACGU 4\n"), ATP_E_FORMAT, "file:1: 'a ACGU 4', expected a name");
  expect_error(read("CLUSTAL W (1.83)\n\na ACGU\n"), ATP_E_FORMAT, "file:1: Clustal files are not supported");
  expect_error(read("WYYW\n"), ATP_E_FORMAT,
               "file:1: symbol 'W' of the sequence is not in the alphabet -ACGU, nor is any other symbol of the file");
  expect_error(read("ACGU\nAXGU\n", {"-ACGU", "file", ATP_FORMAT_AUTO, ATP_UNKNOWN_ERROR}), ATP_E_ALPHABET, "file:2: symbol 'X'");
  expect_error(read("ACGU\n", {nullptr}), ATP_E_CONFLICT, "alphabet is NULL, must be given for a file of symbols");
}

void junk(void **) {
  std::string bytes;
  for (int k = 0; k < 512; ++k) bytes += static_cast<char>(k * 37 + 11);
  expect_error(read(bytes), ATP_E_FORMAT, "file: neither text nor HDF5 (it begins with ");
  expect_error(read(">a\n" + bytes), ATP_E_FORMAT, "file: neither text nor HDF5");
  expect_error(read("  \r\n"), ATP_E_FORMAT, "file: the file is empty");
}

void names_twice(void **) {
  expect(read(">a\nAC\n>b\nAC\n>a x\nGU\n>\nAA\n>\nAA\n>a\nUU\n"), "a:AC b:AC a:GU :AA :AA a:UU ",
         "file: 2 sequences have the name of an earlier one, the first is 'a' in lines 1 and 5\n");
  assert_int_equal(read(">a\nAC\n>a\nGU\n").log.warnings, 1);
  std::string many, expected;
  for (int k = 0; k < 1000; ++k) {
    many += ">s" + std::to_string(k) + "\nAC\n";
    expected += "s" + std::to_string(k) + ":AC ";
  }
  expect(read(many), expected.c_str());
}

#if ATP_HAS_ZLIB
std::string packed(const std::string &s) {
  z_stream z{};
  assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&z, s.size()) + 64, 0);
  z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(s.data()));
  z.avail_in = static_cast<uInt>(s.size());
  z.next_out = reinterpret_cast<Bytef *>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

void gzip(void **) {
  const char *same = "a:ACGU b:A-GU ";
  expect(read(packed(">a\nACGU\n>b\nA-GU\n")), same);
  expect(read(packed(">a\nACGU\n>b\nA") + packed("-GU\n")), same);
  expect(read(packed(">a\nACGU\n>b\nA-GU\n") + std::string(512, '\0')), same);
  expect(read(packed("a ACGU\nb A-GU\n")), same);
  expect(read(packed("0 1\n1 0\n"), {nullptr}), ":01 :10 ");
  const std::string zeros(20000, 'A'), big = packed(">a\n" + zeros + "\n");  // a factor of a hundred
  assert_true(big.size() < 200);
  expect(read(big), ("a:" + zeros + " ").c_str());
}

void gzip_refuses(void **) {
  std::string text = ">a\n";
  for (int k = 0; k < 4000; ++k) text += "ACGU"[(k * k / 7 + k / 3) % 4];
  const std::string good = packed(text);
  assert_int_equal(read(good).status, ATP_OK);
  for (std::size_t n = 2; n < good.size(); n += 7) expect_error(read(good.substr(0, n)), ATP_E_FORMAT, "the file has been cut");
  for (std::size_t n = 10; n < good.size(); n += 5) {
    std::string s = good;
    s[n] = static_cast<char>(s[n] ^ 0x10);
    const Result r = read(s);
    if (r.status != ATP_E_FORMAT) fail_msg("byte %zu changed: status %d", n, r.status);
    assert_int_equal(r.bytes_left, 0);
  }
  std::string checksum = good;
  checksum[good.size() - 8] = static_cast<char>(checksum[good.size() - 8] ^ 1);
  expect_error(read(checksum), ATP_E_FORMAT, "file: the gzip data are damaged at byte");
  expect_error(read(good + "more"), ATP_E_FORMAT, "file: 4 bytes after the end of the gzip data at byte");
  expect_error(read(packed(good)), ATP_E_FORMAT, "packed by gzip twice");
  expect_error(read(packed("")), ATP_E_FORMAT, "file: the file is empty");
}
#else
void gzip(void **) { expect_error(read("\x1f\x8b\x08"), ATP_E_UNSUPPORTED, "this build of the library has no zlib"); }
void gzip_refuses(void **) { skip_because("this build has no zlib"); }
#endif

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(a2m),
      cmocka_unit_test(fasta_stays),
      cmocka_unit_test(a2m_refuses),
      cmocka_unit_test(hidden_residues),
      cmocka_unit_test(stockholm),
      cmocka_unit_test(lines),
      cmocka_unit_test(stockholm_refuses),
      cmocka_unit_test(lines_refuse),
      cmocka_unit_test(junk),
      cmocka_unit_test(names_twice),
      cmocka_unit_test(gzip),
      cmocka_unit_test(gzip_refuses),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
