// SPDX-License-Identifier: MIT
#include "base/options.hpp"

#include "base/error.hpp"

#include <cmath>

namespace atp {

const char *OptionInfo::word(int64_t value) const {
  return value < values.first || value - values.first >= values.count ? nullptr : values.words[value - values.first];
}

const OptionInfo *OptionTable::find(int key) const {
  for (int k = 0; k < count; ++k)
    if (rows[k].key == key) return rows + k;
  return nullptr;
}

namespace {

bool in_range(const OptionInfo &info, double value) {
  return value >= info.lowest && value <= info.highest &&
         (!info.integer || (value == std::floor(value) && std::fmod(value - info.lowest, static_cast<double>(info.step)) == 0));
}

void require_in_range(const OptionInfo &info, double value) {
  if (!in_range(info, value))
    fail(ATP_E_OPTION_RANGE, "option %s is %.17g, must be %s in %.17g..%.17g", info.name, value,
         info.integer ? "a whole number" : "a number", info.lowest, info.highest);
}

}  // namespace

int Options::index_of(int key) const {
  const OptionInfo *info = table_->find(key);
  if (info == nullptr) fail(ATP_E_OPTION, "%s has no option %d", table_->name, key);
  return static_cast<int>(info - table_->rows);
}

void Options::reset() {
  for (int k = 0; k < table_->count; ++k) {
    if (table_->rows[k].integer)
      values_[k].integer = static_cast<int64_t>(table_->rows[k].initial);
    else
      values_[k].real = table_->rows[k].initial;
  }
}

void Options::set(int key, double value) {
  const int k = index_of(key);
  const OptionInfo &info = table_->rows[k];
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "option %s is %g, must be finite", info.name, value);
  require_in_range(info, value);
  if (info.integer)
    values_[k].integer = static_cast<int64_t>(value);
  else
    values_[k].real = value;
}

void Options::set(int key, int64_t value) {
  const int k = index_of(key);
  const OptionInfo &info = table_->rows[k];
  if (!info.integer) return set(key, static_cast<double>(value));
  // Seeds need the comparison as integers: the double nearest to one may be out of range.
  if (value < static_cast<int64_t>(info.lowest) || value > static_cast<int64_t>(info.highest))
    fail(ATP_E_OPTION_RANGE, "option %s is %lld, must be a whole number in %.17g..%.17g", info.name, llong{value}, info.lowest,
         info.highest);
  if (info.highest <= kAnyCount) require_in_range(info, static_cast<double>(value));
  values_[k].integer = value;
}

double Options::real(int key) const {
  const int k = index_of(key);
  return table_->rows[k].integer ? static_cast<double>(values_[k].integer) : values_[k].real;
}

int64_t Options::integer(int key) const {
  const int k = index_of(key);
  if (!table_->rows[k].integer) fail(ATP_E_OPTION, "option %s is a real number: read it with atp_options_get_f64", table_->rows[k].name);
  return values_[k].integer;
}

Options Options::values_for(const OptionTable &owner) const {
  const OptionTable *from = &owner;
  while (from != nullptr && from != table_) from = from->also;
  if (from == nullptr) fail(ATP_E_CONFLICT, "options are those of %s, must be those of %s", table_->name, owner.name);
  Options values(owner);
  for (int k = 0; k < table_->count; ++k)
    if (const OptionInfo *info = owner.find(table_->rows[k].key); info != nullptr) values.values_[info - owner.rows] = values_[k];
  return values;
}

}  // namespace atp
