// SPDX-License-Identifier: MIT
#include "alignment/text.hpp"

#include "base/error.hpp"
#include "base/state.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <strings.h>

namespace atp {

namespace {

bool printable(char c) { return c >= ' ' && c <= '~'; }

bool starts_with(Span<const char> bytes, const char *magic, int64_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), magic, static_cast<std::size_t>(size)) == 0;
}

constexpr int64_t kLooked = 4096;

// "# STOCKHOLM", also without the blank or in lower case: the reader then says what is wrong with the line.
bool begins_stockholm(const char *p, const char *end) {
  if (p == end || *p++ != '#') return false;
  while (p < end && *p == ' ') ++p;
  return end - p >= 9 && strncasecmp(p, "STOCKHOLM", 9) == 0;
}

// The start of the next line that is not empty; the end where there is none.
const char *next_words(const char *p, const char *end) {
  while (p < end && !is_line_end(*p)) ++p;
  while (p < end && is_space(*p)) ++p;
  return p;
}

// PHYLIP begins with two numbers. The next line has a name and symbols: as many letters as the second number tells, or the first of them.
bool is_phylip(const char *p, const char *end) {
  constexpr int kLeast = 5;
  int numbers = 0, sites = 0, letters = 0;
  for (bool inside = false; p < end && !is_line_end(*p); ++p) {
    const bool digit = is_digit(*p);
    if (!digit && !is_space(*p)) return false;
    numbers += digit && !inside ? 1 : 0;
    if (digit) sites = std::min(kLeast, (inside ? 10 * sites : 0) + (*p - '0'));
    inside = digit;
  }
  for (p = next_words(p, end); p < end && !is_line_end(*p); ++p) letters += is_letter(*p) ? 1 : 0;
  return numbers == 2 && sites > 0 && letters >= sites;
}

// A record of PIR begins with '>', two letters or digits that tell its type, and ';'. Its second line is a title.
bool is_pir(const char *p, const char *end) {
  if (end - p < 4 || *p != '>' || p[3] != ';') return false;
  for (const char *type : {"P1", "F1", "DL", "DC", "RL", "RC", "N1", "N3", "XX"})
    if (std::memcmp(p + 1, type, 2) == 0) return true;
  return false;
}

// Whether the first word is a number with a sign or a fraction.
bool begins_with_real(const char *p, const char *end) {
  bool digits = false, more = false;
  for (; p < end && !is_space(*p) && *p != ',' && *p != ';'; ++p) {
    const bool digit = is_digit(*p);
    if (!digit && std::strchr("+-.eE", *p) == nullptr) return false;
    digits = digits || digit;
    more = more || !digit;
  }
  return digits && more;
}

// Whether a line has these words.
bool line_has(const char *p, const char *end, const char *words) {
  const char *stop = p;
  while (stop < end && !is_line_end(*stop)) ++stop;
  return std::search(p, stop, words, words + std::strlen(words)) != stop;
}

struct Magic {
  const char *bytes;
  int size, place;
  const char *what;
};

constexpr Magic kMagic[] = {{"\x28\xB5\x2F\xFD", 4, 0, "packed by zstd"},
                            {"\xFD\x37zXZ", 5, 0, "packed by xz"},
                            {"BZh", 3, 0, "packed by bzip2"},
                            {"PK\x03\x04", 4, 0, "packed by zip"},
                            {"7z\xBC\xAF", 4, 0, "packed by 7-Zip"},
                            {"Rar!\x1A", 5, 0, "packed by rar"},
                            {"\x04\x22\x4D\x18", 4, 0, "packed by lz4"},
                            {"\x1F\x9D", 2, 0, "packed by compress"},
                            {"\xFF\xFE", 2, 0, "text in UTF-16"},
                            {"\xFE\xFF", 2, 0, "text in UTF-16"},
                            {"%PDF-", 5, 0, "a PDF file"},
                            {"ustar", 5, 257, "an archive of tar"}};

constexpr Magic kTexts[] = {{"#NEXUS", 6, 0, "a NEXUS file"},
                            {"!!AA_MULTIPLE_ALIGNMENT", 23, 0, "an MSF alignment"},
                            {"!!NA_MULTIPLE_ALIGNMENT", 23, 0, "an MSF alignment"},
                            {"PileUp", 6, 0, "an MSF alignment"},
                            {"CLUSTAL", 7, 0, "a Clustal alignment"},
                            {"LOCUS  ", 7, 0, "a GenBank file"},
                            {"HMMER", 5, 0, "a profile of HMMER"},
                            {"HHsearch", 8, 0, "a profile of HH-suite"},
                            {"<", 1, 0, "an HTML or XML page"},
                            {"{", 1, 0, "a JSON file"}};

// The lines in which alignments of MSF, and those that programs write in Clustal's layout, name themselves.
const char *named_in_lines(const char *p, const char *end) {
  for (const char *words : {"multiple sequence alignment", "alignment in ClustalW format"})
    if (line_has(p, end, words)) return "an alignment in Clustal's layout";
  for (int k = 0; k < 20 && p < end; ++k, p = next_words(p, end))
    if (line_has(p, end, " MSF: ") && line_has(p, end, " Check: ")) return "an MSF alignment";
  return nullptr;
}

}  // namespace

bool ends_part(const Text &text, const char *place) {
  if (*place != 0 || place == text.begin() || !is_line_end(place[-1])) return false;
  const char *next = place + 1;
  return next == text.end() || *next == '>' || *next == '#' || (is_line_end(*next) && next + 1 == text.end());
}

const char *zero_byte(const Text &text, const char *from, bool records) {
  for (const char *p = from; p < text.end(); ++p) {
    p = static_cast<const char *>(std::memchr(p, 0, static_cast<std::size_t>(text.end() - p)));
    if (p == nullptr || !records || p == text.begin() || !is_line_end(p[-1])) return p;
    if (p + 1 < text.end() && p[1] == 0) return p;
  }
  return nullptr;
}

const char *unread_format(Span<const char> head) {
  for (const Magic &magic : kMagic)
    if (head.size() >= magic.place + magic.size &&
        std::memcmp(head.data() + magic.place, magic.bytes, static_cast<std::size_t>(magic.size)) == 0)
      return magic.what;
  const Text text = without_mark({head.sub(0, std::min(head.size(), kLooked)), ""});
  const char *p = text.begin();
  while (p < text.end() && is_space(*p)) ++p;
  for (const Magic &words : kTexts)
    if (starts_with({p, text.end() - p}, words.bytes, words.size)) return words.what;
  if (is_pir(p, text.end())) return "a PIR file";
  if (p == text.end() || *p == '>' || *p == '#') return nullptr;
  if (begins_with_real(p, text.end())) return "text of real numbers";
  return is_phylip(p, text.end()) ? "a PHYLIP alignment" : named_in_lines(p, text.end());
}

Text without_mark(const Text &text) {
  if (!starts_with(text.bytes, "\xEF\xBB\xBF", 3)) return text;
  return {text.bytes.sub(3, text.bytes.size() - 3), text.label};
}

llong line_of(const Text &text, const char *place) {
  llong line = 1;
  for (const char *p = text.begin(); p < place; ++p)
    if (*p == '\n' || (*p == '\r' && (p + 1 == text.end() || p[1] != '\n'))) ++line;
  return line;
}

void fail_at(const Text &text, const char *place, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  format_list(message, sizeof message, format, arguments);
  va_end(arguments);
  fail(ATP_E_FORMAT, "%s:%lld: %s", text.label, line_of(text, place), message);
}

Quoted::Quoted(const char *begin, const char *end) {
  char *p = text;
  *p++ = '\'';
  for (const char *c = begin; c < end && c < begin + 40; ++c) *p++ = printable(*c) ? *c : '?';
  if (end - begin > 40) p = static_cast<char *>(std::memcpy(p - 3, "...", 3)) + 3;
  *p++ = '\'';
  *p = 0;
}

ShownPath::ShownPath(const char *path) {
  const std::size_t size = std::strlen(path), room = sizeof text - 1;
  if (size <= room)
    std::memcpy(text, path, size + 1);
  else
    std::snprintf(text, sizeof text, "...%s", path + size - (room - 3));
  for (char *c = text; *c != 0; ++c)
    if (!printable(*c) && static_cast<unsigned char>(*c) < 128) *c = '?';
}

Content content_of(Span<const char> head) {
  if (starts_with(head, "\x89HDF\r\n\x1a\n", 8)) return Content::hdf5;
  if (starts_with(head, "\x93NUMPY", 6)) return Content::npy;
  if (starts_with(head, kStateMagic, sizeof kStateMagic)) return Content::state;
  if (starts_with(head, "\x1f\x8b", 2)) return Content::gzip;
  const Text text = without_mark({head, ""});
  bool parts = false;
  for (const char *p = text.begin(); p < text.end() && p < text.begin() + kLooked; ++p) {
    if (is_control(*p) && !ends_part(text, p)) return Content::binary;
    parts = parts || *p == 0;
  }
  const char *p = text.begin();
  bool comments = false;
  for (; p < text.end(); ++p) {
    if (*p == '#') {
      comments = true;
      while (p + 1 < text.end() && p[1] != '\n' && p[1] != '\r') ++p;
    } else if (!is_space(*p)) {
      break;
    }
  }
  const char *first = text.begin();
  while (first < text.end() && is_space(*first)) ++first;
  if (begins_stockholm(first, text.end())) return parts ? Content::binary : Content::stockholm;
  if (p < text.end() && *p == '>') return Content::fasta;
  if (parts) return Content::binary;
  if (p >= text.end()) return comments ? Content::other : Content::empty;
  const char *digits = p;
  while (p < text.end() && is_digit(*p)) ++p;
  if (p > digits && (p == text.end() || is_space(*p) || *p == ',')) return Content::integers;
  return Content::lines;
}

namespace {

// Bytes of the UTF-8 character that begins with a byte above 127; 1 for a byte that begins none.
int64_t character_bytes(const unsigned char *text, int64_t bytes) {
  const int64_t length = text[0] >= 0xc2 && text[0] < 0xe0   ? 2
                         : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                         : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                             : 1;
  for (int64_t k = 1; k < length; ++k)
    if (k == bytes || text[k] >> 6 != 2) return 1;
  return length;
}

}  // namespace

void check_one_line(const char *text, int64_t bytes, const char *what) {
  const auto *c = reinterpret_cast<const unsigned char *>(text);
  for (int64_t k = 0, length = 1; k < bytes; k += length) {
    length = c[k] < 0x80 ? 1 : character_bytes(c + k, bytes - k);
    // Codes 128..159, as a byte and in UTF-8.
    const unsigned code = length == 1 ? c[k] : length == 2 ? (c[k] & 0x1fu) << 6 | (c[k + 1] & 0x3fu) : 0xa0;
    if (code < ' ' || (code >= 127 && code < 0xa0))
      fail(ATP_E_VALUE, "%s: byte %lld has the code %u, must be one line without control characters", what, llong{k}, code);
  }
}

}  // namespace atp
