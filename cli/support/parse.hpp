// SPDX-License-Identifier: MIT
// Values of flags. Every failure names the flag, the value and what was expected.
#pragma once

#include <attopotts.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cli {

// A whole number in lowest..highest; 12000 and 1e4 are both understood.
int64_t parse_count(const std::string &flag, const std::string &text, int64_t lowest, int64_t highest);
// A size in bytes: 500M, 2G, 1.5GiB, 65536.
int64_t parse_bytes(const std::string &flag, const std::string &text);
// A finite number in lowest..highest.
double parse_number(const std::string &flag, const std::string &text, double lowest, double highest);
// LIST: "0.5,1,2" or "LO:HI:COUNT" (evenly spaced, both ends included).
std::vector<double> parse_list(const std::string &flag, const std::string &text, double lowest, double highest);
// One of some words; gives its place.
std::size_t parse_word(const std::string &flag, const std::string &text, const std::vector<std::string> &words);

// FIRST:COUNT, rows of a data set; an empty text is all of them.
struct Rows {
  int64_t first = 0, count = -1;  // -1: to the end
  bool all() const { return first == 0 && count < 0; }
};
Rows parse_rows(const std::string &flag, const std::string &text);

// Fail unless the text is protein, rna, dna or at least two different printable symbols without '>'.
void check_alphabet(const std::string &flag, const std::string &text);

// Set a library option from a flag's text, within the option's own bounds.
void set_option(atp_options *options, atp_option key, const std::string &flag, const std::string &text);

}  // namespace cli
