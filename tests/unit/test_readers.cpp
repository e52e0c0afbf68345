// SPDX-License-Identifier: MIT
// The readers of FASTA and of integer matrices, from memory: what they accept, what they say of the rest, and that no cut of a file crashes
// them.
#include "counting.h"
#include "support.h"

#include "alignment/sequence_text.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace atp;

namespace {

struct Log {
  std::string text;
  int warnings = 0;
};

void keep(atp_log_level level, const char *text, void *user) {
  Log *log = static_cast<Log *>(user);
  log->text += text;
  log->warnings += level == ATP_LOG_WARNING ? 1 : 0;
}

// A file as a string that ends where the memory ends, so that AddressSanitizer sees a read past it.
struct Exact {
  explicit Exact(const std::string &s)
      : size(static_cast<int64_t>(s.size())), memory(static_cast<char *>(std::malloc(s.size() + (s.empty() ? 1 : 0)))) {
    if (!s.empty()) std::memcpy(memory, s.data(), s.size());
  }
  ~Exact() { std::free(memory); }
  Exact(const Exact &) = delete;
  Exact &operator=(const Exact &) = delete;
  Text text() const { return {{memory, size}, "file"}; }
  int64_t size;
  char *memory;
};

// The result of a reader as text: rows of digits and names, or the error.
struct Result {
  atp_status status = ATP_OK;
  std::string text;
  int64_t colors = 0, bytes_left = 0;
  Log log;
};

template <class Parse>
Result run(Parse &&parse) {
  Result result;
  Context context(counting_alloc, counting_free, nullptr);
  context.log = keep;
  context.log_user = &result.log;
  try {
    Alignment *a = parse(context);
    result.colors = a->colors();
    for (int64_t n = 0; n < a->count(); ++n) {
      result.text += a->name(n);
      result.text += ':';
      for (int64_t i = 0; i < a->sites(); ++i) result.text += (i > 0 ? "," : "") + std::to_string(a->sequence(n)[i]);
      result.text += ' ';
      if (a->weights[n] != 1) result.text += "weight!";
    }
    destroy_block(context.allocator, a);
  } catch (const Error &e) {
    result.status = e.status();
    result.text = e.what();
  }
  result.bytes_left = context.allocator.bytes();
  return result;
}

Result fasta(const std::string &s, const char *symbols = "-ACGU", atp_unknown policy = ATP_UNKNOWN_GAP) {
  const Exact exact(s);
  return run([&](Context &context) { return parse_sequences(context, exact.text(), SequenceFormat::fasta, symbols, policy); });
}

Result integers(const std::string &s, int64_t colors = 0) {
  const Exact exact(s);
  return run([&](Context &context) { return parse_integers(context, exact.text(), colors); });
}

void expect(const Result &result, const char *text) {
  if (result.status != ATP_OK) fail_msg("failed: %s", result.text.c_str());
  assert_string_equal(result.text.c_str(), text);
  assert_int_equal(result.bytes_left, 0);
}

void expect_error(const Result &result, atp_status status, const char *part) {
  if (result.status != status || result.text.find(part) == std::string::npos)
    fail_msg("status %d, text: %s\nexpected %s", result.status, result.text.c_str(), part);
  assert_int_equal(result.bytes_left, 0);
}

void expect_log(const Result &result, const char *part, int warnings) {
  if (result.log.text.find(part) == std::string::npos) fail_msg("the log is \"%s\", expected %s", result.log.text.c_str(), part);
  assert_int_equal(result.log.warnings, warnings);
}

void fasta_layouts(void **) {
  const char *same = "a:1,2,3,4 b:0,1,1,0 ";
  expect(fasta(">a first\nACGU\n>b\n-AA-\n"), same);
  expect(fasta(">a first\nACGU\n>b\n-AA-"), same);
  expect(fasta(">a first\r\nACGU\r\n>b\r\n-AA-\r\n"), same);
  expect(fasta(">a first\rACGU\r>b\r-AA-\r"), same);
  expect(fasta(">a\nA\nC\nG\nU\n>b\n-A\nA-\n"), same);
  expect(fasta("\n\n \n>a\n\nAC\n\nGU\n\n>b\n-AA-\n\n\n"), same);
  expect(fasta(">a\nAC GU\n> b x\n-A\tA-\n"), same);
  expect(fasta("\xEF\xBB\xBF>a\nACGU\n>b\n-AA-\n"), same);
  expect(fasta(">a|x>y z>\nACGU\n>\n-AA-\n"), "a|x>y:1,2,3,4 :0,1,1,0 ");
  expect(fasta(">\nACGU\n>\n-AA-\n"), ":1,2,3,4 :0,1,1,0 ");
  assert_int_equal(fasta(">\nACGU\n").colors, 5);
}

void fasta_long(void **) {
  std::string s = ">long\n", expected = "long:";
  for (int i = 0; i < 300000; ++i) {
    s += "-ACGU"[i % 5];
    expected += (i > 0 ? "," : "") + std::to_string(i % 5);
  }
  expect(fasta(s + "\n"), (expected + " ").c_str());
}

void fasta_symbols(void **) {
  expect(fasta(">a\nac.-\n"), "a:1,2,0,0 ");           // lower case and '.' where the alphabet has neither
  expect(fasta(">a\n.AU-\n", ".ACGU"), "a:0,1,4,0 ");  // '.' is the gap, '-' is unknown and becomes it
  expect(fasta(">a\n.aA-\n", "-aA."), "a:3,1,2,0 ");   // every symbol is itself
  expect(fasta(">a\nA.A\n", "AC-"), "a:0,2,0 ");       // '.' follows '-', wherever that is
  expect(fasta(">a\nbBa\n", "-aB"), "a:0,2,1 ");       // an alphabet with lower case: 'b' is not 'B'
  expect(fasta(">a\n_*^_\n", "_*^"), "a:0,1,2,0 ");
  expect(fasta(">a\nWYV\n", "-ACDEFGHIKLMNPQRSTVWY"), "a:19,20,18 ");
}

void fasta_unknown(void **) {
  const std::string s = ">a\nACGU\n>b\nAXGN\n>c\nXCGU\n>d\nUUUU\n";
  Result r = fasta(s);
  expect(r, "a:1,2,3,4 b:1,0,3,0 c:0,2,3,4 d:4,4,4,4 ");
  expect_log(r, "file: 3 of 16 symbols are not in the alphabet and were replaced by '-': 'X' 2, 'N' 1", 1);
  r = fasta(s, "-ACGU", ATP_UNKNOWN_DROP);
  expect(r, "a:1,2,3,4 d:4,4,4,4 ");
  expect_log(r, "file: 2 of 4 sequences were dropped because of symbols that are not in the alphabet: 'X' 2, 'N' 1", 1);
  r = fasta(s, "-ACGU", ATP_UNKNOWN_ERROR);
  expect_error(r, ATP_E_ALPHABET, "file:4: symbol 'X' of sequence 'b' is not in the alphabet -ACGU");
  assert_string_equal(r.log.text.c_str(), "");
  r = fasta(">a\nACGU\n", "-ACGU", ATP_UNKNOWN_DROP);
  assert_string_equal(r.log.text.c_str(), "");  // nothing to say
  expect_log(fasta(">a\nACGUACGUACGUACGUACG\x80\n"), "1 of 20 symbols are not in the alphabet and were replaced by '-': \\x80 1", 0);
  // A wrong alphabet: the warning says which one fits, where the symbols tell.
  expect_log(fasta(">a\nACUUACCU\n", "-ACDEFGHIKLMNPQRSTVWY"),
             "3 of 8 symbols are not in the alphabet and were replaced by '-': 'U' 3; the alphabet 'rna' fits", 1);
  expect_log(fasta(">a\nGAVLIMFK\n", "-ACGU"), "'F' 1, 'I' 1, 'K' 1, 'L' 1, 'M' 1, 'V' 1; the alphabet 'protein' fits", 1);
  r = fasta(">a\nACNNNN\n", "-ACGU");
  expect_log(r, "were replaced by '-': 'N' 4", 1);
  assert_null(std::strstr(r.log.text.c_str(), "fits"));
  std::string many = ">a\n";
  for (char c = 'a'; c <= 'z'; ++c) many += std::string(static_cast<std::size_t>(c - 'a' + 1), c);
  expect_log(fasta(many, "-A"), "'z' 26, 'y' 25, 'x' 24, 'w' 23, 'v' 22, 'u' 21, 't' 20, 's' 19, ...", 1);
}

// T and U are the same base.
void fasta_other_base(void **) {
  Result r = fasta(">a\nACTU\n>b\nacgt\n");
  expect(r, "a:1,2,4,4 b:1,2,3,4 ");
  assert_string_equal(r.log.text.c_str(), "file: 2 symbols 'T' were read as 'U'");
  assert_int_equal(r.log.warnings, 0);
  r = fasta(">a\nACUU\n>b\nACGN\n", "-ACGTN");
  expect(r, "a:1,2,4,4 b:1,2,3,5 ");
  assert_string_equal(r.log.text.c_str(), "file: 2 symbols 'U' were read as 'T'");
  expect(fasta(">a\nactu\n", "acgu"), "a:0,1,3,3 ");
  expect(fasta(">a\nACTU\n", "-ACGU", ATP_UNKNOWN_ERROR), "a:1,2,4,4 ");
  expect(fasta(">a\nACTU\n", "-ACGUT"), "a:1,2,5,4 ");  // both have colours
  r = fasta(">a\nACTU\n", "-ACDEFGHIKLMNPQRSTVWY");     // in proteins T is threonine, U selenocysteine
  expect(r, "a:1,2,17,0 ");
  assert_string_equal(fasta(">a\nACTA\n", "-ACG").text.c_str(), "a:1,2,0,1 ");
}

// Without a gap in the alphabet nothing can stand for what is not in it.
void fasta_without_gap(void **) {
  expect(fasta(">a\nACGU\n>b\nUGCA\n", "ACGU"), "a:0,1,2,3 b:3,2,1,0 ");
  for (const char *symbol : {"-", ".", "X"})
    expect_error(fasta(std::string(">a\nACGU\n>b\nAC") + symbol + "U\n", "ACGU"), ATP_E_ALPHABET,
                 (std::string("file:4: symbol '") + symbol + "' of sequence 'b' is not in the alphabet ACGU, which has no gap").c_str());
  expect(fasta(">a\nACGU\n>b\nAC-U\n", "ACGU", ATP_UNKNOWN_DROP), "a:0,1,2,3 ");
}

void fasta_never_empties(void **) {
  expect_error(fasta(">a\nACX\n>b\nANA\n", "-ACGU", ATP_UNKNOWN_DROP), ATP_E_FORMAT,
               "file:2: symbol 'X' of sequence 'a' is not in the alphabet -ACGU");
  expect_error(fasta(">a\nWYW\n>b\nLLL\n"), ATP_E_FORMAT, "file:2: symbol 'W' of sequence 'a'");
}

void fasta_refuses(void **) {
  expect_error(fasta(""), ATP_E_FORMAT, "file: the file is empty");
  expect_error(fasta(" \n\r\n"), ATP_E_FORMAT, "file: the file is empty");
  expect_error(fasta("\n\nACGU\n"), ATP_E_FORMAT, "file:3: 'A', expected a FASTA header");
  expect_error(fasta(">a\nACGU\n>b\n\nACG\n>c\nACGU\n"), ATP_E_FORMAT,
               "file:3: sequence 'b' has 3 symbols, expected 4 as in the first one");
  expect_error(fasta(">a\nACGU\n>b\nACGUU\n"), ATP_E_FORMAT, "file:3: sequence 'b' has 5 symbols, expected 4");
  expect_error(fasta(">a\r\nACGU\r\n>b\r\nACG\r\n"), ATP_E_FORMAT, "file:3: sequence 'b'");
  expect_error(fasta(">a\rACGU\r>b\rACG\r"), ATP_E_FORMAT, "file:3: sequence 'b'");
  expect_error(fasta(">a\n>b\nAC\n"), ATP_E_FORMAT, "file:1: sequence 'a' has 0 symbols, needs at least 2");
  expect_error(fasta(">a"), ATP_E_FORMAT, "file:1: sequence 'a' has 0 symbols");
  expect_error(fasta(">a\nA\n"), ATP_E_FORMAT, "has 1 symbols, needs at least 2");
  // A lost line end, also where the lengths agree.
  expect_error(fasta(">a\nACGU>b\nACGU\n>c\nACGU"), ATP_E_FORMAT, "file:2: '>b' within the symbols of sequence 'a', expected '>' at the");
  expect_error(fasta(">a\nACGU>b\nA\n>c\nACGUGGA\n", "-ACGU", ATP_UNKNOWN_DROP), ATP_E_FORMAT, "file:2: '>b' within");
  // Comments, and bytes that no text has, are no symbols. Those of the alphabet are.
  for (const char *comment : {"; c", "# c", " ;c"})
    expect_error(fasta(std::string(">a\nACGU\n") + comment + "\n>b\nACGU\n" + comment + "\n"), ATP_E_FORMAT, "file:3: '");
  expect_error(fasta(">a\nAC\fGU\n>b\nAC\fGU\n"), ATP_E_FORMAT, "file:2: '?GU' within the symbols of sequence 'a', expected no control");
  expect(fasta(">a\n;#\n#;\n", "-;#"), "a:1,2,2,1 ");
  expect(fasta(">a\nAC;U\n"), "a:1,2,0,4 ");
  expect_error(fasta(">a\nACGU\n", "-"), ATP_E_ALPHABET, "alphabet has 1 symbols");
  expect_error(fasta(">a\nACGU\n", ""), ATP_E_ALPHABET, "alphabet has 0 symbols");
  expect_error(fasta(">a\nACGU\n", "-AA"), ATP_E_ALPHABET, "'A' occurs twice");
  expect_error(fasta(">a\nACGU\n", "-A C"), ATP_E_ALPHABET, "alphabet: symbol 2 has the code 32");
  expect_error(fasta(">a\nACGU\n>\xc3\xa4" + std::string(100, 'n') + "\nA\n"), ATP_E_FORMAT,
               ("sequence '??" + std::string(35, 'n') + "...' has 1").c_str());
}

void integers_layouts(void **) {
  const char *same = ":1,2,3 :0,20,254 ";
  expect(integers("1 2 3\n0 20 254\n"), same);
  expect(integers("1,2,3\r\n0,20,254\r\n"), same);
  expect(integers("1\t2   3 \n\n# comment\n  # more\n 0 , 20 ,254"), same);
  expect(integers("# x\r1 2 3\r0 020 254\r"), same);
  expect(integers("\xEF\xBB\xBF"
                  "1 2 3\n0 20 254\n"),
         same);
  assert_int_equal(integers("1 2 3\n").colors, 4);
  assert_int_equal(integers("0 0\n").colors, 2);
  assert_int_equal(integers("0 254\n").colors, 255);
  assert_int_equal(integers("0 1\n", 21).colors, 21);
}

void integers_refuse(void **) {
  expect_error(integers(""), ATP_E_FORMAT, "file: the file is empty");
  expect_error(integers("# only\n"), ATP_E_FORMAT, "file: the file is empty");
  expect_error(integers("1 2 3\n1 2\n"), ATP_E_FORMAT, "file:2: 2 numbers, expected as many as before, 3");
  expect_error(integers("1 2 3\n# c\n1 2 3 4\n"), ATP_E_FORMAT, "file:3: 4 numbers, expected as many as before, 3");
  expect_error(integers("1\n"), ATP_E_FORMAT, "file:1: 1 numbers, expected at least 2");
  expect_error(integers("1 255\n"), ATP_E_FORMAT, "file:1: '255', expected a whole number in 0..254");
  expect_error(integers("1 99999999999999999999\n"), ATP_E_FORMAT, "'99999999999999999999'");
  expect_error(integers("1 -1\n"), ATP_E_FORMAT, "'-1', expected a whole number");
  expect_error(integers("1 2.5\n"), ATP_E_FORMAT, "'2.5', expected");
  expect_error(integers("1 2x\n"), ATP_E_FORMAT, "'2x', expected");
  expect_error(integers("ACGU\n"), ATP_E_FORMAT, "'ACGU', expected a whole number in 0..254 (a FASTA file begins with '>')");
  expect_error(integers("1,,2\n"), ATP_E_FORMAT, "file:1: nothing after a comma");
  expect_error(integers("1,2,\n"), ATP_E_FORMAT, "file:1: nothing after a comma");
  expect_error(integers("1,2,"), ATP_E_FORMAT, "file:1: nothing after a comma");
  expect_error(integers(",1,2\n"), ATP_E_FORMAT, "file:1: ''");
  expect_error(integers("1 2 # c\n"), ATP_E_FORMAT, "'#'");
  expect_error(integers(std::string("1 2\0\n", 5)), ATP_E_FORMAT, "'2?'");
  expect_error(integers("0 1\n1 5\n", 5), ATP_E_ALPHABET, "file:2: number 5, must be below the 5 colours");
}

// Every cut of a good file, and every byte of it replaced by some others: a result or a status, nothing allocated afterwards.
void damaged(void **) {
  const std::string good = "\xEF\xBB\xBF\n>a b\r\nAC-\r\n.GU\r\n>c\nACG\nUUX\n", numbers = "# c\r\n1, 2 3\n\n4 5,6\r10 20 254";
  int failed = 0, passed = 0;
  for (std::size_t n = 0; n <= good.size(); ++n) {
    const Result r = fasta(good.substr(0, n));
    ++(r.status == ATP_OK ? passed : failed);
    assert_int_equal(r.bytes_left, 0);
  }
  for (std::size_t n = 0; n <= numbers.size(); ++n) {
    const Result r = integers(numbers.substr(0, n));
    ++(r.status == ATP_OK ? passed : failed);
    assert_int_equal(r.bytes_left, 0);
  }
  for (const char byte : {'\0', '>', '\n', '\r', ' ', '#', ',', '\x80', '\xff', '7'}) {
    for (std::size_t n = 0; n < good.size(); ++n) {
      std::string s = good;
      s[n] = byte;
      assert_int_equal(fasta(s, "-ACGU", ATP_UNKNOWN_DROP).bytes_left, 0);
    }
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      std::string s = numbers;
      s[n] = byte;
      assert_int_equal(integers(s).bytes_left, 0);
    }
  }
  assert_true(failed > 20 && passed > 5);
}

void contents(void **) {
  const auto of = [](const std::string &s) { return content_of({s.data(), static_cast<int64_t>(s.size())}); };
  assert_true(of("") == Content::empty);
  assert_true(of(" \r\n\t") == Content::empty);
  assert_true(of("\x89HDF\r\n\x1a\n....") == Content::hdf5);
  assert_true(of("\x89HDF\r\n\x1a") == Content::binary);
  assert_true(of("attostat\x01") == Content::state);
  assert_true(of("\x1f\x8b\x08") == Content::gzip);
  assert_true(of("\n>a\nA") == Content::fasta);
  assert_true(of("# x\n>a\nA") == Content::fasta);
  assert_true(of("#6\t1\n>a\nA") == Content::fasta);
  assert_true(of("# x\n 12 3") == Content::integers);
  assert_true(of("0,1") == Content::integers);
  assert_true(of("1.5 2") == Content::lines);
  assert_true(of("ACGU") == Content::lines);
  assert_true(of("# only") == Content::other);
  assert_true(of("# STOCKHOLM 1.0\n") == Content::stockholm);
  assert_true(of("#Stockholm 1.0\n") == Content::stockholm);
  assert_true(of("name ACGU") == Content::lines);
  assert_true(of(std::string("ACGU\0", 5)) == Content::binary);
  assert_true(of(std::string("ACGU\n\0", 6)) == Content::binary);
  assert_true(of(std::string(">a\nAC\n\0>b\nAC\n\0", 14)) == Content::fasta);  // several alignments
  assert_true(of(std::string(">a\nAC\0>b\nAC\n", 12)) == Content::binary);
  assert_true(of(std::string(">a\nAC\n\0\0", 8)) == Content::binary);
}

void shown(void **) {
  const std::string path = "/folder/" + std::string(300, 'x') + "/end\n";
  const ShownPath text(path.c_str());
  assert_int_equal(std::strlen(text.text), sizeof text.text - 1);
  assert_memory_equal(text.text, "...", 3);
  assert_string_equal(text.text + sizeof text.text - 6, "/end?");
  const std::string token = std::string(39, 'a') + "bc";
  assert_string_equal(Quoted(token.data(), token.data() + 40).text, ("'" + token.substr(0, 40) + "'").c_str());
  assert_string_equal(Quoted(token.data(), token.data() + 41).text, ("'" + token.substr(0, 37) + "...'").c_str());
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(fasta_layouts),
      cmocka_unit_test(fasta_long),
      cmocka_unit_test(fasta_symbols),
      cmocka_unit_test(fasta_unknown),
      cmocka_unit_test(fasta_other_base),
      cmocka_unit_test(fasta_without_gap),
      cmocka_unit_test(fasta_never_empties),
      cmocka_unit_test(fasta_refuses),
      cmocka_unit_test(integers_layouts),
      cmocka_unit_test(integers_refuse),
      cmocka_unit_test(damaged),
      cmocka_unit_test(contents),
      cmocka_unit_test(shown),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
