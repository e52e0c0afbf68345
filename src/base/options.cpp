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

struct Reader {
  int reader;
  const char *name;
};

constexpr Reader kReaders[] = {
    {ATP_READER_SAMPLER, "a sampler"},
    {ATP_READER_TUNING, "the tuning of beta"},
    {ATP_READER_SAMPLING, "a sampling run"},
    {ATP_READER_TRAINER, "a trainer"},
    {ATP_READER_SELECTION, "a selection by cross-validation"},
    {ATP_READER_FOLDS, "the choice of folds"},
    {ATP_READER_ALIGNMENT, "a reader of alignments"},
    {ATP_READER_FILTER, "a filter of alignments"},
    {ATP_READER_INVERSE, "an inverse of covariances"},
    {ATP_READER_MUTUAL_INFORMATION, "mutual information"},
    {ATP_TASK_REPLICA_SQUARE, "the task REPLICA_SQUARE"},
    {ATP_TASK_REPLICA_SADDLE, "the task REPLICA_SADDLE"},
    {ATP_TASK_REPLICA_LIMIT, "the task REPLICA_LIMIT"},
    {ATP_TASK_REPLICA_CONVEX, "the task REPLICA_CONVEX"},
    {ATP_TASK_REPLICA_SIMULATION, "the task REPLICA_SIMULATION"},
    {ATP_TASK_DOTATTN_CURVE, "the task DOTATTN_CURVE"},
    {ATP_TASK_DOTATTN_TRANSITION, "the task DOTATTN_TRANSITION"},
    {ATP_TASK_DOTATTN_TOKENS, "the task DOTATTN_TOKENS"},
    {ATP_TASK_DOTATTN_SIMULATION, "the task DOTATTN_SIMULATION"},
    {ATP_TASK_REPLICA_POTTS, "the task REPLICA_POTTS"},
    {ATP_TASK_REPLICA_POTTS_SIMULATION, "the task REPLICA_POTTS_SIMULATION"},
    {ATP_TASK_DOTATTN_DYNAMICS, "the task DOTATTN_DYNAMICS"},
    {ATP_TASK_DOTATTN_TRAJECTORY, "the task DOTATTN_TRAJECTORY"},
};

const Reader &reader_or_fail(int reader) {
  for (const Reader &known : kReaders)
    if (known.reader == reader) return known;
  fail(ATP_E_VALUE, "reader is %d, must be an atp_option_reader or an atp_task_kind", reader);
}

// One of those that read an option.
const Reader &reader_of(const OptionInfo &info) {
  for (const Reader &known : kReaders)
    if (read_by(info, known.reader)) return known;
  return kReaders[0];
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

void Options::check(int reader) const {
  const Reader &asked = reader_or_fail(reader);
  for (int k = 0; k < kOptionCount; ++k)
    if (set_[k] && !read_by(kOptions[k], reader))
      fail(ATP_E_CONFLICT, "option %s is set, and %s does not read it: leave it out (%s reads it)", kOptions[k].name, asked.name,
           reader_of(kOptions[k]).name);
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
