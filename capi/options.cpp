// SPDX-License-Identifier: MIT
#include "options_handle.hpp"

#include <cstring>

using namespace atp;

atp_status atp_options_create(atp_context *context, atp_options **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(core(context), [&] {
    require(context, "context");
    require(out, "out");
    *out = handle(create_in_block<OptionsBag>(core(context)->allocator, core(context)));
  });
}

void atp_options_destroy(atp_options *options) noexcept {
  if (options != nullptr) destroy_block(core(options)->context->allocator, core(options));
}

atp_context *atp_options_context(const atp_options *options) noexcept {
  return options == nullptr ? nullptr : handle(core(options)->context);
}

atp_status atp_options_reset(atp_options *options) noexcept {
  return guarded(options == nullptr ? nullptr : core(options)->context, [&] {
    require(options, "options");
    core(options)->values.reset();
  });
}

atp_status atp_options_set_i64(atp_options *options, atp_option key, int64_t value) noexcept {
  return guarded(options == nullptr ? nullptr : core(options)->context, [&] {
    require(options, "options");
    core(options)->values.set(key, value);
  });
}

atp_status atp_options_set_f64(atp_options *options, atp_option key, double value) noexcept {
  return guarded(options == nullptr ? nullptr : core(options)->context, [&] {
    require(options, "options");
    core(options)->values.set(key, value);
  });
}

atp_status atp_options_get_i64(const atp_options *options, atp_option key, int64_t *value) noexcept {
  return guarded(options == nullptr ? nullptr : core(options)->context, [&] {
    require(options, "options");
    require(value, "value");
    *value = core(options)->values.integer(key);
  });
}

atp_status atp_options_get_f64(const atp_options *options, atp_option key, double *value) noexcept {
  return guarded(options == nullptr ? nullptr : core(options)->context, [&] {
    require(options, "options");
    require(value, "value");
    *value = core(options)->values.real(key);
  });
}

atp_status atp_options_check(const atp_options *options, int reader) noexcept {
  return guarded(options == nullptr ? nullptr : core(options)->context, [&] {
    require(options, "options");
    core(options)->values.check(reader);
  });
}

int64_t atp_option_count(void) noexcept { return kOptionCount; }

int atp_option_at(int64_t index) noexcept { return index < 0 || index >= kOptionCount ? -1 : kOptions[index].key; }

const char *atp_option_name(int key) noexcept {
  const int k = option_index(key);
  return k < 0 ? nullptr : kOptions[k].name;
}

int atp_option_from_name(const char *name) noexcept {
  if (name == nullptr) return -1;
  for (const OptionInfo &info : kOptions)
    if (std::strcmp(info.name, name) == 0) return info.key;
  return -1;
}

atp_status atp_option_bounds(atp_option key, double *lowest, double *highest, double *initial, int *is_integer) noexcept {
  return guarded(nullptr, [&] {
    const int k = option_index(key);
    if (k < 0) fail(ATP_E_OPTION, "option %d does not exist", static_cast<int>(key));
    if (lowest != nullptr) *lowest = kOptions[k].lowest;
    if (highest != nullptr) *highest = kOptions[k].highest;
    if (initial != nullptr) *initial = kOptions[k].initial;
    if (is_integer != nullptr) *is_integer = kOptions[k].integer ? 1 : 0;
  });
}
