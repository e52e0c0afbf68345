// SPDX-License-Identifier: MIT
// The readers of A2M, A3M, Stockholm and of a sequence per line, and of files packed by gzip, from memory: what they make, what they say.
#include "counting.h"
#include "support.h"

#include "alignment/options.hpp"
#include "io/alignment_files.hpp"

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
  int64_t colors = 0, border = 0, bytes_left = 0;
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
  Options options(kAlignmentOptions);
  options.set(ATP_OPT_FORMAT, request.format);
  options.set(ATP_OPT_UNKNOWN, request.unknown);
  char *memory = static_cast<char *>(std::malloc(s.size() + (s.empty() ? 1 : 0)));  // ends where the text ends
  if (!s.empty()) std::memcpy(memory, s.data(), s.size());
  try {
    Alignment *a =
        alignment_from_bytes(context, {{memory, static_cast<int64_t>(s.size())}, "file"}, request.name, request.alphabet, options);
    result.colors = a->colors();
    result.border = a->labels.border();
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
      "# STOCKHOLM 1.0\n#=GF ID x\n#=GS a/1-3 DE what is known\n\na/1-3   AC.\n#=GR a/1-3 SS ..<\nb\tac-\n\n"
      "a/1-3   GU\nb  -U\n//\n";
  expect(read(two), "a/1-3:AC-GU b:AC--U ", "file: 1 of 5 columns contain only gaps ('-'); the first is column 3\n");
  std::string crlf;
  for (char c : two) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  expect(read(crlf), "a/1-3:AC-GU b:AC--U ", "file: 1 of 5 columns contain only gaps ('-'); the first is column 3\n");
  expect(read("# STOCKHOLM 1.0\nb AC\na GU\n\na UU\nb --\n//\n\n"), "b:AC-- a:GUUU ");  // another order in the second block
  expect(read("# STOCKHOLM 1.0\nb AC\na .U\n//", {".ACGU"}), "b:AC a:.U ");
}

// '#=GC RF' tells which columns are match columns, as in HMMER: those of any symbol but a gap.
void stockholm_reference(void **) {
  expect(read("# STOCKHOLM 1.0\n#=GC RF xx.x\na ACdE\nb AC.F\n//\n", {"-ACDEF"}), "a[2+1]:ACE b:ACF ",
         "file: 1 of 4 columns are insert columns by '#=GC RF' and were left out\n");
  // In two blocks, behind the sequences, with each symbol for a gap; upper case in insert columns, lower case in match columns.
  expect(read("# STOCKHOLM 1.0\na AGc\nb A-.\n#=GC\tRF\t A.c \n\na GUAA\nb gU--\n#=GC RF ~G_-\n//\n"), "a[1+1][2+1][3+2]:ACU b[2+1]:A-U ",
         "file: 4 of 7 columns are insert columns by '#=GC RF' and were left out\n");
  expect(read("# STOCKHOLM 1.0\na AC\nb GU\n#=GC RF xx\n#=GC RFX ..\n#=GR a RF ..\n//\n"), "a:AC b:GU ");
  const std::string head = "# STOCKHOLM 1.0\na ACG\nb GUC\n";
  expect_error(read(head + "#=GC RF xx\n//\n"), ATP_E_FORMAT,
               "file:2: sequence 'a' has 3 symbols, the lines '#=GC RF' have 2, expected equal numbers");
  expect_error(read(head + "#=GC RF xxx\n\na A\nb A\n//\n"), ATP_E_FORMAT,
               "file:2: sequence 'a' has 4 symbols, the lines '#=GC RF' have 3");
  expect_error(read(head + "#=GC RF x..\n//\n"), ATP_E_FORMAT,
               "file:2: sequence 'a' has 1 symbols in the match columns of '#=GC RF', needs");
}

// What ColabFold, MMseqs2 and HH-suite write around the sequences.
void a3m_of_programs(void **) {
  const char *same = "q:ACGU b[2+1]:ACGU ", *note = "file: 1 symbols in insert columns (lower case) were skipped\n";
  const std::string records = ">q\nACGU\n>b x\nACaGU\n";
  for (const char *first : {"#4\t1\n", "#A3M#\n", "# my family\n", "#4,4\t1,1\r\n", "#a > b\n\n# more\n"}) {
    expect(read(first + records), same, note);
    for (const int64_t format : {ATP_FORMAT_A2M, ATP_FORMAT_A3M}) expect(read(first + records, {"-ACGU", "file", format}), same, note);
    expect_error(read(first + records, {"-ACGU", "file", ATP_FORMAT_FASTA}), ATP_E_FORMAT, "sequence 'b' has 5 symbols, expected 4");
  }
  // Annotations are no sequences; names that only resemble theirs are.
  expect(read(">ss_pred PSIPRED\nCCHH\n>ss_conf PSIPRED\n9899\n>Consensus\nACGU\n" + records + ">ss_dssp\n\n>sa_dssp\nAB\n"), same,
         (std::string("file: 5 records that are no sequences were left out: 'ss_pred', ...\n") + note).c_str());
  expect(read(">aa_dssp\nACGU\n" + records), same,
         (std::string("file: 1 records that are no sequences were left out: 'aa_dssp'\n") + note).c_str());
  expect(read(">ss_1\nACGU\n>Consensus_2\nACGU\n>consensus\nACGU\n"), "ss_1:ACGU Consensus_2:ACGU consensus:ACGU ");
  expect_error(read(">Consensus\nACGU\n"), ATP_E_FORMAT, "file: the alignment has annotations but no sequences");
}

// Zero bytes end the alignments of a complex: the first is read, the log says so.
void several_alignments(void **) {
  const std::string zero(1, '\0'), first = ">a\nACGU\n>b\nACGU\n", other = "#2\t1\n>c\nGG\n";
  const char *same = "a:ACGU b:ACGU ";
  expect(read(first + zero), same);
  expect(read(first + zero + "\n"), same);
  const char *note = "file: zero bytes (NUL) separate 3 alignments, as in files of ColabFold and MMseqs2; only the first is read\n";
  for (const int64_t format : {ATP_FORMAT_AUTO, ATP_FORMAT_A3M, ATP_FORMAT_FASTA}) {
    const Result r = read(first + zero + other + zero + first + zero, {"-ACGU", "file", format});
    expect(r, same, note);
    assert_int_equal(r.log.warnings, 1);
  }
  const Result two = read(first + zero + other);
  assert_non_null(strstr(two.log.text.c_str(), "separate 2 alignments"));
  assert_non_null(strstr(two.log.text.c_str(), "the format paired joins the two row by row"));
  std::string padded = "#" + std::string(5000, 'x') + "\n";  // beyond what shows the format
  expect_error(read(padded + ">a\nAC" + zero + "GU\n>b\nACGU\n"), ATP_E_FORMAT, "file:3: a zero byte (NUL), expected text to the end");
  expect_error(read(padded + first + zero + zero), ATP_E_FORMAT, "file:6: a zero byte (NUL)");
  expect_error(read(">a\nAC" + zero + "GU\n"), ATP_E_FORMAT, "byte 5 is zero (NUL)), expected sequences");
}

std::string note_of_pairs(int border, int sites, int alone, int count) {
  return "file: columns 1.." + std::to_string(border) + " are the first protein, " + std::to_string(border + 1) + ".." +
         std::to_string(sites) + " the second; " + std::to_string(alone) + " of " + std::to_string(count) +
         " sequences are unpaired, with only gaps ('-') in one of them\n";
}

// The two alignments of a complex are joined row by row, with the names of the first; a merged file has the widths in its first line.
void paired_alignments(void **) {
  const Request paired{"-ACGU", "file", ATP_FORMAT_PAIRED};
  const std::string zero(1, '\0'), first = "#4\t1\n>a\nACGU\n>b\nAaC-U\n", second = "#2\t1\n>c\nGG\n>b x\nguG-\n";
  const std::string inserts = "file: 3 symbols in insert columns (lower case) were skipped\n";
  const std::string partners =
      "file: rows of the two alignments were joined in their order; 1 of 2 have another name in the second, names are those of the first\n";
  for (const std::string &end : {std::string(), zero, zero + "\n"}) {
    const Result r = read(first + zero + second + end, paired);
    expect(r, "a:ACGUGG b[1+1][4+2]:AC-UG- ", (partners + inserts + note_of_pairs(4, 6, 0, 2)).c_str());
    assert_int_equal(r.border, 4);
  }
  const std::string noted = ">ss_pred\nHHHH\n" + first.substr(5) + zero + ">Consensus\nGG\n>ss_dssp\nHH\n>a\nGG\n>b\n--\n";
  expect(read(noted, paired), "a:ACGUGG b[1+1]:AC-U-- ",
         ("file: 3 records that are no sequences were left out: 'ss_pred', ...\nfile: 1 symbols in insert columns (lower case) were "
          "skipped\n" +
          note_of_pairs(4, 6, 1, 2))
             .c_str());
  const Result dropped = read(">a\nAC\n>b\nAC\n" + zero + ">a\nGX\n>b\nGU\n", {"-ACGU", "file", ATP_FORMAT_PAIRED, ATP_UNKNOWN_DROP});
  assert_string_equal(dropped.text.c_str(), "b:ACGU ");
  const Result merged = read("#4,2\t1,1\n>a\nACGUGG\n>b\nACGU--\n>c\n----GG\n>d\nAC-UgGG\n" + zero, paired);
  expect(merged, "a:ACGUGG b:ACGU-- c:----GG d[4+1]:AC-UGG ",
         ("file: 1 symbols in insert columns (lower case) were skipped\n" + note_of_pairs(4, 6, 2, 4)).c_str());
  assert_int_equal(merged.border, 4);
  assert_int_equal(read("#4,2\t1,1\n>a\nACGUGG\n").border, 0);  // the format is asked for, never guessed
}

// Parts that are no pair. Lines are those of the file.
void unpaired_alignments(void **) {
  const std::string zero(1, '\0'), first = ">a\nACGU\n>b\nACGU\n", row = ">a\nACGUGG\n", other = ">c\nGG\n";
  const struct {
    std::string text;
    const char *part;
  } cases[] = {
      {"", "file: the file is empty"},
      {first, "file: one alignment, expected two with a zero byte (NUL) between them, or a first line '#L1,L2' and a tab"},
      {"#6\t2\n" + row + zero, "file: one alignment, expected two"},
      {"#4,2 1" + std::string(1, '\n') + row + zero + other + zero + other, "file: zero bytes (NUL) separate 3 alignments, expected two"},
      {"#4,2\n" + row, "file: one alignment, expected two"},
      {"#4,x\t1\n" + row, "file: one alignment, expected two"},
      {"#0,6\t1,1\n" + row, "file: one alignment, expected two"},
      {"#2,2,2\t1,1,1\n" + row, "file: one alignment of more than two proteins, its first line is '#2,2,2?1,1,1', expected two"},
      {"#4,3\t1,1\n" + row, "file:1: the proteins have 4 and 3 columns, the sequences below 6, expected the sum of both"},
      {first + zero + other, "file: the two alignments have 2 and 1 sequences, expected equal numbers: row k of both is a pair"},
      {first + zero + other + ">ss_pred\nHH\n", "file: the two alignments have 2 and 1 sequences"},
      {first + zero + other + ">d\nG\n", "file:7: row 2 of the second alignment has 1 symbols outside insert columns"},
      {">a\nACGU\n>b\nACG\n" + zero + other + ">d\nGGG\n", "file:3: row 2 of the first alignment has 3 symbols"},  // equal sums
      {first + zero + ">c\n>d\n", "file:5: row 1 of the second alignment has 0 symbols"},
      {first + zero + "#\nGG\n", "file, second alignment:2: 'G', expected a FASTA header"},
      {first + "A" + zero + other, "a zero byte (NUL), expected text to the end"},
      {"# STOCKHOLM 1.0\na ACGU\n//\n", "the format asked for is A3M of two proteins, the content is Stockholm"}};
  for (const auto &c : cases) expect_error(read(c.text, {"-ACGU", "file", ATP_FORMAT_PAIRED}), ATP_E_FORMAT, c.part);
}

// A byte order mark and each kind of line ends, in every format.
void marks_and_line_ends(void **) {
  const struct {
    std::string text;
    Request request;
    const char *result;
  } cases[] = {{">a\nAC\n>b\nGU\n", {}, "a:AC b:GU "},
               {"#2\t1\n>a\nAC\n>b\nGU\n", {"-ACGU", "x.a3m"}, "a:AC b:GU "},
               {"# STOCKHOLM 1.0\n#=GC RF x.x\na A.C\nb G.U\n\n//\n", {}, "a:AC b:GU "},
               {"AC\nGU\n", {}, ":AC :GU "},
               {"a AC\nb GU\n", {}, "a:AC b:GU "},
               {"1 2\n3 4\n", {nullptr}, ":12 :34 "},
               {"# c\n1,2\n\n3,4\n", {nullptr}, ":12 :34 "}};
  for (const auto &c : cases)
    for (const char *mark : {"", "\xEF\xBB\xBF"})
      for (const char *line_end : {"\n", "\r\n", "\r"})
        for (const int64_t format : {int64_t{ATP_FORMAT_AUTO}, c.request.format}) {
          std::string text = mark;
          for (char byte : c.text) text += byte == '\n' ? line_end : std::string(1, byte);
          const Result r = read(text, {c.request.alphabet, c.request.name, format});
          if (r.status != ATP_OK) fail_msg("%s: %s", c.text.c_str(), r.text.c_str());
          assert_string_equal(r.text.c_str(), c.result);
        }
}

// Files of other kinds are named, whatever was asked for.
void other_kinds(void **) {
  const std::string zeros(600, '\0');
  const struct {
    std::string text;
    const char *what;
  } cases[] = {{" 3 8\nseqA ACGUACGU\nseqB ACGUACGU\nseqC ACGUACGU\n", "a PHYLIP alignment"},
               {"2 4\r\n\r\n101 ACGU\r\n102 ACGU\r\n", "a PHYLIP alignment"},
               {"#NEXUS\nbegin data;\n matrix\n a ACGU\n b ACGU\n;\nend;\n", "a NEXUS file"},
               {"!!AA_MULTIPLE_ALIGNMENT 1.0\nx.msf  MSF: 8  Type: P  Check: 0 ..\n\n//\na ACGU\n", "an MSF alignment"},
               {"\n x.msf  MSF: 8  Type: P  Check: 0 ..\n\n Name: a\n//\n\na ACGU\n", "an MSF alignment"},
               {"CLUSTAL O(1.2.4) multiple sequence alignment\n\n\na ACGU\nb ACGU\n  ****\n", "a Clustal alignment"},
               {"CLUSTAL W (1.83)\n\na ACGU\n", "a Clustal alignment"},
               {"MUSCLE (3.8) multiple sequence alignment\n\n\na ACGU\nb ACGU\n", "an alignment in Clustal's layout"},
               {"Kalign (2.0) alignment in ClustalW format\n\na ACGU\n", "an alignment in Clustal's layout"},
               {"LOCUS       X 4 bp\nORIGIN\n 1 acgu\n//\n", "a GenBank file"},
               {">P1;a\ntitle\nACGU*\n>P1;b\ntitle\nACGU*\n", "a PIR file"},
               {"1.0 0.0\n0.0 1.0\n", "text of real numbers"},
               {"5e-1,0\n1,1\n", "text of real numbers"},
               {"<!DOCTYPE html>\n<html>\n", "an HTML or XML page"},
               {"{\"a\": \"ACGU\"}\n", "a JSON file"},
               {"HMMER3/f [3.3]\nNAME x\n", "a profile of HMMER"},
               {"\x28\xB5\x2F\xFD$" + zeros, "packed by zstd"},
               {"\xFD" + ("7zXZ" + zeros), "packed by xz"},
               {"BZh91AY&SY" + zeros, "packed by bzip2"},
               {"PK\x03\x04\x14" + zeros, "packed by zip"},
               {"x.fasta" + zeros.substr(0, 250) + "ustar" + zeros, "an archive of tar"},
               {std::string("\xFF\xFE>\0a\0", 6) + zeros, "text in UTF-16"}};
  for (const auto &c : cases)
    for (const char *alphabet : {"-ACGU", static_cast<const char *>(nullptr)}) {
      const Result r = read(c.text, {alphabet});
      expect_error(r, ATP_E_FORMAT, (std::string("file: ") + c.what + ", expected FASTA, A2M, A3M, Stockholm, one sequence").c_str());
    }
  // The first lines decide nothing where the file can be read.
  expect(read("{<\n<{\n", {"{<"}), ":{< :<{ ");
  expect(read("2 4\n1 3\n", {nullptr}), ":24 :13 ");
  expect(read("0-.1\n1.-0\n", {"-01."}), ":0-.1 :1.-0 ");
  expect(read(">P1a\nAC\n>P1;b\nAC\n"), "P1a:AC P1;b:AC ");
}

void asked_for_another_format(void **) {
  const std::string fasta = ">a\nACGU\n>b\nACGU\n", sto = "# STOCKHOLM 1.0\na ACGU\n//\n", numbers = "1 2\n2 1\n";
  const struct {
    const std::string &text;
    int64_t format;
    const char *end;
  } cases[] = {{fasta, ATP_FORMAT_STOCKHOLM, "; the format asked for is Stockholm, the content is FASTA, A2M or A3M"},
               {fasta, ATP_FORMAT_ALN, "; the format asked for is one sequence per line, the content is FASTA, A2M or A3M"},
               {fasta, ATP_FORMAT_INTEGERS, "; the format asked for is whole numbers, the content is FASTA, A2M or A3M"},
               {sto, ATP_FORMAT_A3M, "; the format asked for is A3M, the content is Stockholm"},
               {sto, ATP_FORMAT_NAMED, "; the format asked for is a name and a sequence per line, the content is Stockholm"},
               {numbers, ATP_FORMAT_FASTA, "; the format asked for is FASTA, the content is whole numbers"}};
  for (const auto &c : cases) expect_error(read(c.text, {"-ACGU", "file", c.format}), ATP_E_FORMAT, c.end);
  const Result r = read(">a\nAC\n>b\nA\n", {"-ACGU", "file", ATP_FORMAT_FASTA});  // the right format, damaged
  expect_error(r, ATP_E_FORMAT, "file:3: sequence 'b' has 1 symbols, needs at least 2");
  assert_null(std::strstr(r.text.c_str(), "asked for"));
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
  for (const char *first : {"#STOCKHOLM 1.0\n", "# stockholm 1.0\n"})
    expect_error(read(first + std::string("a ACDE\n//\n")), ATP_E_FORMAT,
                 ("file:1: '" + std::string(first, std::strlen(first) - 1)).c_str());
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
      cmocka_unit_test(stockholm_reference),
      cmocka_unit_test(a3m_of_programs),
      cmocka_unit_test(several_alignments),
      cmocka_unit_test(paired_alignments),
      cmocka_unit_test(unpaired_alignments),
      cmocka_unit_test(marks_and_line_ends),
      cmocka_unit_test(other_kinds),
      cmocka_unit_test(asked_for_another_format),
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
