// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/options.hpp"
#include "base/option_text.hpp"
#include "learn/options.hpp"
#include "potts/lattice.hpp"
#include "sample/options.hpp"
#include "theory/dotattn/options.hpp"
#include "theory/replica/options.hpp"

#include <cstring>
#include <iterator>

using namespace atp;

namespace {

// The owners of options. Error texts name the first owner of an option.
constexpr const OptionTable *kOwners[] = {
    &kSamplerOptions,
    &kTuningOptions,
    &kSamplingOptions,
    &kPartitionOptions,
    &kLatticeOptions,
    &kTrainerOptions,
    &kSelectionOptions,
    &kFoldsOptions,
    &kAlignmentOptions,
    &kFilterOptions,
    &kMeanFieldOptions,
    &kGaussianOptions,
    &kMutualInformationOptions,
    &kAsymptoticsOptions,
    &kSplitOptions,
    &kQualityOptions,
    &replica::kSquareOptions,
    &replica::kSaddleOptions,
    &replica::kLimitOptions,
    &replica::kConvexOptions,
    &replica::kPottsOptions,
    &replica::kSimulationOptions,
    &dotattn::kCurveOptions,
    &dotattn::kTransitionOptions,
    &dotattn::kTokensOptions,
    &dotattn::kSimulationOptions,
    &dotattn::kDynamicsOptions,
    &dotattn::kTrajectoryOptions,
    &replica::kPottsSimulationOptions,
};
constexpr int64_t kOwnerCount = static_cast<int64_t>(std::size(kOwners));

// An owner of the option, or nullptr.
const OptionTable *owner_of(int key) {
  for (const OptionTable *table : kOwners)
    if (table->find(key) != nullptr) return table;
  return nullptr;
}

// nullptr: there is no such owner, or it has no such option.
const OptionInfo *find_option(int owner, int key) {
  const OptionTable *table = find_option_table(owner);
  return table == nullptr ? nullptr : table->find(key);
}

const OptionTable &require_table(int owner) {
  const OptionTable *table = find_option_table(owner);
  if (table == nullptr) fail(ATP_E_VALUE, "owner is %d, must be an atp_option_owner or an atp_task_kind", owner);
  return *table;
}

// Throws ATP_E_OPTION with the name of an owner that has the option.
const OptionInfo &require_option(const OptionTable &table, int key) {
  if (const OptionInfo *info = table.find(key); info != nullptr) return *info;
  const OptionTable *other = owner_of(key);
  if (other == nullptr) fail(ATP_E_OPTION, "option %d does not exist", key);
  fail(ATP_E_OPTION, "%s has no option %s: %s has it", table.name, other->find(key)->name, other->name);
}

// The same by name.
const OptionInfo &named_option(const OptionTable &table, TextPiece name) {
  for (const OptionTable *owner : kOwners)
    for (int k = 0; k < owner->count; ++k)
      if (name.names(owner->rows[k].name)) return require_option(table, owner->rows[k].key);
  fail(ATP_E_OPTION, "there is no option \"%.*s\"", name.size(), name.begin);
}

template <class Number>
atp_status set_option(atp_options *options, atp_option key, Number value) noexcept {
  return guarded(options, "options", [&] {
    require_option(core(options)->values.table(), key);
    core(options)->values.set(key, value);
  });
}

// `read` is Options::integer or Options::real.
template <class Number, class Read>
atp_status get_option(const atp_options *options, atp_option key, Number *value, Read read) noexcept {
  return guarded(options, "options", [&] {
    require(value, "value");
    require_option(core(options)->values.table(), key);
    *value = (core(options)->values.*read)(key);
  });
}

}  // namespace

namespace atp {

const OptionTable *find_option_table(int owner) {
  for (const OptionTable *table : kOwners)
    if (table->owner == owner) return table;
  return nullptr;
}

Options alignment_options(const atp_options *options) {
  const Options values = options_for(kAlignmentOptions, options);
  if (values.integer(ATP_OPT_COLORS) == 1) fail(ATP_E_VALUE, "option colors is 1, must be 0 or in 2..255");
  return values;
}

}  // namespace atp

atp_status atp_options_create(atp_context *context, int owner, atp_options **out) noexcept {
  return creating(context, out, [&] {
    require(out, "out");
    *out = handle(create_in_block<OptionsBag>(core(context)->allocator, core(context), require_table(owner)));
  });
}

void atp_options_destroy(atp_options *options) noexcept { destroy(options); }

atp_context *atp_options_context(const atp_options *options) noexcept { return handle(context_of(options)); }

int atp_options_owner(const atp_options *options) noexcept { return options == nullptr ? 0 : core(options)->values.table().owner; }

atp_status atp_options_reset(atp_options *options) noexcept {
  return guarded(options, "options", [&] { core(options)->values.reset(); });
}

atp_status atp_options_set_i64(atp_options *options, atp_option key, int64_t value) noexcept { return set_option(options, key, value); }
atp_status atp_options_set_f64(atp_options *options, atp_option key, double value) noexcept { return set_option(options, key, value); }

atp_status atp_options_get_i64(const atp_options *options, atp_option key, int64_t *value) noexcept {
  return get_option(options, key, value, &Options::integer);
}
atp_status atp_options_get_f64(const atp_options *options, atp_option key, double *value) noexcept {
  return get_option(options, key, value, &Options::real);
}

atp_status atp_options_set_text(atp_options *options, const char *text) noexcept {
  return guarded(options, "options", [&] {
    require(text, "text");
    Options values = core(options)->values;  // all or none of them are set
    for (OptionAssignment next; next_assignment(text, next);) set_from_text(values, named_option(values.table(), next.name), next.value);
    core(options)->values = values;
  });
}

atp_status atp_options_get_text(const atp_options *options, char *text, int64_t size, int64_t *needed) noexcept {
  return guarded(options, "options", [&] {
    if (text == nullptr) require_size(size, 0, "size without text");
    const int64_t bytes = write_options(core(options)->values, nullptr, 0);
    if (needed != nullptr) *needed = bytes;
    if (text == nullptr) return;
    if (size < bytes) fail(ATP_E_BUFFER, "size is %lld, must be at least %lld", llong{size}, llong{bytes});
    write_options(core(options)->values, text, size);
  });
}

int atp_option_owner_at(int64_t index) noexcept { return index < 0 || index >= kOwnerCount ? -1 : kOwners[index]->owner; }

const char *atp_option_owner_name(int owner) noexcept {
  const OptionTable *table = find_option_table(owner);
  return table == nullptr ? nullptr : table->name;
}

int64_t atp_option_count(int owner) noexcept {
  const OptionTable *table = find_option_table(owner);
  return table == nullptr ? 0 : table->count;
}

int atp_option_at(int owner, int64_t index) noexcept {
  const OptionTable *table = find_option_table(owner);
  return table == nullptr || index < 0 || index >= table->count ? -1 : table->rows[index].key;
}

const char *atp_option_name(int key) noexcept {
  const OptionTable *table = owner_of(key);
  return table == nullptr ? nullptr : table->find(key)->name;
}

int atp_option_from_name(const char *name) noexcept {
  if (name == nullptr) return -1;
  for (const OptionTable *table : kOwners)
    for (int k = 0; k < table->count; ++k)
      if (std::strcmp(table->rows[k].name, name) == 0) return table->rows[k].key;
  return -1;
}

const char *atp_option_text(int owner, int key) noexcept {
  const OptionInfo *info = find_option(owner, key);
  return info == nullptr ? nullptr : info->text;
}

const char *atp_option_word(int owner, int key, int64_t value) noexcept {
  const OptionInfo *info = find_option(owner, key);
  return info == nullptr ? nullptr : info->word(value);
}

atp_status atp_option_bounds(int owner, atp_option key, double *lowest, double *highest, double *initial, int *is_integer) noexcept {
  return guarded(nullptr, [&] {
    const OptionInfo &info = require_option(require_table(owner), key);
    if (lowest != nullptr) *lowest = info.lowest;
    if (highest != nullptr) *highest = info.highest;
    if (initial != nullptr) *initial = info.initial;
    if (is_integer != nullptr) *is_integer = info.integer ? 1 : 0;
  });
}
