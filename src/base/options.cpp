// SPDX-License-Identifier: MIT
#include "base/options.hpp"

#include "base/error.hpp"

#include <cmath>

namespace atp {

int option_index(int key) {
  for (int k = 0; k < kOptionCount; ++k)
    if (kOptions[k].key == key) return k;
  return -1;
}

namespace {

int index_or_fail(int key) {
  const int k = option_index(key);
  if (k < 0) fail(ATP_E_OPTION, "option %d does not exist", key);
  return k;
}

[[noreturn]] void fail_range(const OptionInfo &info, double value) {
  fail(ATP_E_OPTION_RANGE, "option %s is %.17g, must be %s in %.17g..%.17g", info.name, value, info.integer ? "a whole number" : "a number",
       info.lowest, info.highest);
}

}  // namespace

void Options::reset() {
  for (int k = 0; k < kOptionCount; ++k) {
    set_[k] = false;
    if (kOptions[k].integer)
      values_[k].integer = static_cast<int64_t>(kOptions[k].initial);
    else
      values_[k].real = kOptions[k].initial;
  }
}

void Options::set(int key, double value) {
  const int k = index_or_fail(key);
  const OptionInfo &info = kOptions[k];
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "option %s is %g, must be finite", info.name, value);
  if (value < info.lowest || value > info.highest || (info.integer && value != std::floor(value)) ||
      (key == ATP_OPT_PRECISION && value != 32 && value != 64))
    fail_range(info, value);
  if (info.integer)
    values_[k].integer = static_cast<int64_t>(value);
  else
    values_[k].real = value;
  set_[k] = true;
}

void Options::set(int key, int64_t value) {
  const int k = index_or_fail(key);
  const OptionInfo &info = kOptions[k];
  if (!info.integer) return set(key, static_cast<double>(value));
  if (value < static_cast<int64_t>(info.lowest) || value > static_cast<int64_t>(info.highest) ||
      (key == ATP_OPT_PRECISION && value != 32 && value != 64))
    fail_range(info, static_cast<double>(value));
  values_[k].integer = value;
  set_[k] = true;
}

double Options::real(atp_option key) const {
  const int k = index_or_fail(key);
  return kOptions[k].integer ? static_cast<double>(values_[k].integer) : values_[k].real;
}

int64_t Options::integer(atp_option key) const {
  const int k = index_or_fail(key);
  if (!kOptions[k].integer) fail(ATP_E_OPTION, "option %s is a real number: read it with atp_options_get_f64", kOptions[k].name);
  return values_[k].integer;
}

}  // namespace atp
