// SPDX-License-Identifier: MIT
// Values of flags: the first byte says as what the other bytes are read. What is accepted is within its bounds, what is not has a text.
#include "fuzz.hpp"

#include "text/parse.hpp"
#include "run/session.hpp"

#include <cmath>
#include <string>

using atp_fuzz::check;

namespace {

bool read(int what, const std::string &text) {
  int64_t whole = 7;
  double number = 7;
  std::vector<double> list;
  switch (what) {
    case 0:
      if (!cli::read_count(text, -3, 1000000, whole).empty()) return false;
      check(whole >= -3 && whole <= 1000000, "within the bounds");
      return true;
    case 1:
      if (!cli::read_bytes(text, whole).empty()) return false;
      check(whole >= 0, "a size");
      return true;
    case 2:
      if (!cli::read_number(text, -1e9, 1e9, number).empty()) return false;
      check(number >= -1e9 && number <= 1e9, "within the bounds");
      return true;
    case 3:
      if (!cli::read_list(text, -10, 1e6, list).empty()) return false;
      check(!list.empty(), "a list has numbers");
      for (const double x : list) check(x >= -10 && x <= 1e6, "within the bounds");
      return true;
    case 4:
    case 5:
    case 6: {
      const std::string quoted = cli::json_string(text);
      check(quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"', "a text in quotes");
      for (const char c : quoted) check(static_cast<unsigned char>(c) >= 0x20, "no control characters");
      return true;
    }
    default: return cli::not_one_of(text, {"one", "two"}).find("expected one or two") == std::string::npos;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  if ((data[0] % 8 < 4 || data[0] % 8 == 7) && text.find('\0') != std::string::npos) return 0;  // arguments end there
  if (read(data[0] % 8, text)) atp_fuzz::accepted = true;
  return 0;
}
