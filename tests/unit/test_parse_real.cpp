// SPDX-License-Identifier: MIT
// Real numbers in texts: the fallback for standard libraries without std::from_chars for double, against to_chars (shares no code) and,
// where there is one, against std::from_chars.
#include "base/parse_real.hpp"

#include "comma_locale.h"
#include "support.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace {

uint64_t bits(double x) {
  uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  return word;
}

// Both ways must stop at the same place, with the same error or the same bits: what an error leaves differs between standard libraries.
void compare(const std::string &text) {
  double fallback = 7, used = 7;
  const char *begin = text.data(), *end = begin + text.size();
  const std::from_chars_result mine = atp::parse_real_by_strtod(begin, end, fallback), its = atp::parse_real(begin, end, used);
  const bool same_value = mine.ec != std::errc() || bits(fallback) == bits(used) || (std::isnan(fallback) && std::isnan(used));
  if (mine.ptr != its.ptr || mine.ec != its.ec || !same_value)
    fail_msg("\"%s\": %d, %td bytes, %.17g; expected %d, %td, %.17g", text.substr(0, 60).c_str(), static_cast<int>(mine.ec),
             mine.ptr - begin, fallback, static_cast<int>(its.ec), its.ptr - begin, used);
}

void expect(const std::string &text, double value) {
  double found = 7;
  const std::from_chars_result result = atp::parse_real_by_strtod(text.data(), text.data() + text.size(), found);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || bits(found) != bits(value))
    fail_msg("\"%s\": %.17g, expected %.17g", text.substr(0, 60).c_str(), found, value);
}

// The shortest text and one of 20 digits of any double give it back.
void test_round_trip(void **) {
  std::mt19937_64 random(20261124);
  for (int k = 0; k < 100000; ++k) {
    const uint64_t word = random();
    double x;
    std::memcpy(&x, &word, sizeof x);
    if (!std::isfinite(x)) continue;
    char text[64];
    expect(std::string(text, std::to_chars(text, text + sizeof text, x).ptr), x);
    const std::string digits(text, std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, 20).ptr);
    expect(digits, x);
    compare(digits);
  }
}

// 1200 decimal places of a number below 10: exact for the numbers of test_halfway.
std::string all_digits(double x) {
  char text[1300];
  std::snprintf(text, sizeof text, "%.1200f", x);
  return text;
}

// (a + b) / 2 of two such texts with an even last digit of the sum.
std::string middle_of(const std::string &a, const std::string &b) {
  std::string sum = a;
  int carry = 0;
  for (std::size_t d = a.size(); d-- > 0;) {
    if (a[d] == '.') continue;
    const int digit = (a[d] - '0') + (b[d] - '0') + carry;
    sum[d] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  int rest = carry;
  for (char &c : sum) {
    if (c == '.') continue;
    const int number = 10 * rest + (c - '0');
    c = static_cast<char>('0' + number / 2);
    rest = number % 2;
  }
  return sum;
}

// The exact middle between two neighbours goes to the even one, and the smallest digit behind it decides.
void test_halfway(void **) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 2000; ++k) {
    const double x = std::ldexp(static_cast<double>(random() >> 12 | uint64_t{1} << 52), static_cast<int>(random() % 900) - 950);
    const double next = std::nextafter(x, INFINITY);
    const std::string middle = middle_of(all_digits(x), all_digits(next));
    expect(middle, (bits(x) & 1) == 0 ? x : next);
    expect(middle + "00000000000000000001", next);
  }
}

void test_extremes(void **) {
  for (const char *text : {"0",
                           "-0",
                           "0.0e5",
                           ".5",
                           "5.",
                           "-.5e1",
                           "1e",
                           "1e+",
                           "1e-",
                           "1e5x",
                           "1.5.2",
                           "1e0005",
                           "00012",
                           "",
                           "-",
                           "+1",
                           ".",
                           "e5",
                           "-e",
                           "inf",
                           "-inf",
                           "Infinity",
                           "infinit",
                           "nan",
                           "-NaN",
                           "nan(12_a)",
                           "nan(",
                           "nan(-)",
                           "n",
                           "0x10",
                           "1e308",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e309",
                           "4.9e-324",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308",
                           "1e99999999999999999999",
                           "9007199254740993",
                           "9007199254740992.99999",
                           " 1",
                           "1,5"})
    compare(text);
  const std::string zeros(1000, '0');
  expect("0." + zeros + "1e1001", 1);
  expect("1" + zeros + "e-1000", 1);
  expect("1" + zeros + "1e-1001", 1);
  double unchanged = 7;
  const std::string small = "1e-400";
  assert_true(atp::parse_real_by_strtod(small.data(), small.data() + small.size(), unchanged).ec == std::errc::result_out_of_range);
  assert_true(bits(unchanged) == bits(7));
}

// A locale with a decimal comma changes nothing.
void test_locale(void **) {
  set_comma_locale();
  expect("1.5", 1.5);
  expect("-2.25e-3", -2.25e-3);
  std::setlocale(LC_ALL, "C");
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_halfway),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_locale),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
