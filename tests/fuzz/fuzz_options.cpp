// SPDX-License-Identifier: MIT
// Options: the input is a program of calls that set them, by keys, by names and by text, to any numbers. What is set is read again, what is
// refused changes nothing, a bag comes back from its text, and whatever is in it, the sizes of handles are computed or refused.
#include "program_bytes.hpp"

#include <attopotts.h>

#include <cmath>
#include <cstring>
#include <string>

using atp_fuzz::check;
using atp_fuzz::ProgramBytes;

namespace {

struct Bag {
  explicit Bag(int of_owner) : owner(of_owner) {
    check(atp_context_create(nullptr, nullptr, nullptr, &context) == ATP_OK, "a context");
    check(atp_context_set_threads(context, 1) == ATP_OK, "one thread");
    check(atp_options_create(context, owner, &options) == ATP_OK, "a bag");
    check(atp_model_create_random(context, 5, 3, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, &model) == ATP_OK, "a model");
  }
  ~Bag() {
    atp_model_destroy(model);
    atp_options_destroy(options);
    atp_context_destroy(context);
  }
  int owner;
  atp_context *context = nullptr;
  atp_options *options = nullptr;
  atp_model *model = nullptr;
};

// A key of the table, by its place or by its name, or any number.
int key_of(int owner, ProgramBytes &bytes) {
  const int kind = bytes.below(8);
  if (kind == 0) return static_cast<int>(bytes.integer());
  if (kind == 1) return atp_option_from_name(bytes.text(24).c_str());
  return atp_option_at(owner, bytes.below(static_cast<int>(atp_option_count(owner))));
}

double any_real(ProgramBytes &bytes, double lowest, double highest, double initial) {
  switch (bytes.below(8)) {
    case 0: return lowest;
    case 1: return highest;
    case 2: return initial;
    case 3: return std::nextafter(lowest, -HUGE_VAL);
    case 4: return std::nextafter(highest, HUGE_VAL);
    case 5: return static_cast<double>(bytes.byte()) / 16;
    case 6: return lowest + static_cast<double>(bytes.byte());
    default: return bytes.real();
  }
}

double value_of(const atp_options *options, int key) {
  double value = NAN;
  check(atp_options_get_f64(options, static_cast<atp_option>(key), &value) == ATP_OK, "a known key has a value");
  return value;
}

void set_one(const Bag &bag, ProgramBytes &bytes) {
  const int key = key_of(bag.owner, bytes);
  const atp_option option = static_cast<atp_option>(key);
  double lowest = 0, highest = 0, initial = 0, before = 0;
  int is_integer = 0;
  const bool known = atp_option_bounds(bag.owner, option, &lowest, &highest, &initial, &is_integer) == ATP_OK;
  check(known == (atp_option_text(bag.owner, key) != nullptr), "bounds and a text, or neither");
  if (known) {
    check(atp_option_from_name(atp_option_name(key)) == key, "the name gives the key");
    check(lowest <= initial && initial <= highest, "the default is within the bounds");
    before = value_of(bag.options, key);
  }
  const bool as_integer = bytes.below(2) == 0;
  const int64_t whole = bytes.below(2) == 0 ? static_cast<int64_t>(lowest) + bytes.below(20) - 2 : bytes.integer();
  const double real = any_real(bytes, lowest, highest, initial);
  const atp_status status = as_integer ? atp_options_set_i64(bag.options, option, whole) : atp_options_set_f64(bag.options, option, real);
  if (!known) {
    check(status == ATP_E_OPTION, "other keys are refused");
    return;
  }
  const double wanted = as_integer ? static_cast<double>(whole) : real;
  // A whole number near the bound of the seed has no double of its own.
  const bool in_bounds = as_integer && is_integer != 0
                             ? whole >= static_cast<int64_t>(lowest) && whole <= static_cast<int64_t>(highest)
                             : wanted >= lowest && wanted <= highest && (is_integer == 0 || wanted == std::floor(wanted));
  if (status == ATP_OK) {
    check(value_of(bag.options, key) == wanted && in_bounds, "what was set is read, and within the bounds");
    int64_t read = 0;
    check((atp_options_get_i64(bag.options, option, &read) == ATP_OK) == (is_integer != 0), "integers are read as integers");
    if (is_integer != 0 && as_integer) check(read == whole, "all bits of an integer");
  } else {
    check(status == ATP_E_OPTION_RANGE || (status == ATP_E_NOT_FINITE && !std::isfinite(wanted)), "why it was refused");
    check(!in_bounds || key == ATP_OPT_PRECISION, "only what is out of bounds, or a precision between 32 and 64");
    check(value_of(bag.options, key) == before, "what is refused changes nothing");
  }
}

std::string text_of(const atp_options *options) {
  int64_t needed = 0;
  check(atp_options_get_text(options, nullptr, 0, &needed) == ATP_OK && needed > 0, "the length of a text");
  std::string text(static_cast<std::size_t>(needed), '*');
  check(atp_options_get_text(options, &text[0], needed, nullptr) == ATP_OK && text.back() == 0, "a text that ends");
  text.pop_back();
  return text;
}

// Any text, or names with anything behind them.
void set_text(const Bag &bag, ProgramBytes &bytes) {
  const std::string before = text_of(bag.options);
  std::string text = bytes.text(24);
  if (bytes.below(2) == 0) {
    const char *name = atp_option_name(atp_option_at(bag.owner, bytes.below(static_cast<int>(atp_option_count(bag.owner)))));
    text = std::string(name) + "=" + text;
  }
  const atp_status status = atp_options_set_text(bag.options, text.c_str());
  check(status == ATP_OK || status == ATP_E_VALUE || status == ATP_E_OPTION || status == ATP_E_OPTION_RANGE || status == ATP_E_NOT_FINITE,
        "a status of text");
  if (status != ATP_OK) check(text_of(bag.options) == before, "text that is refused changes nothing");
  atp_options *again = nullptr;
  check(atp_options_create(bag.context, bag.owner, &again) == ATP_OK, "another bag");
  check(atp_options_set_text(again, text_of(bag.options).c_str()) == ATP_OK, "the text of a bag is taken");
  check(text_of(again) == text_of(bag.options), "and gives the bag");
  atp_options_destroy(again);
}

// Sizes of handles are computed without allocating, whatever the options are.
void sizes(const Bag &bag, ProgramBytes &bytes) {
  int64_t size = -1;
  const int64_t n = bytes.below(2) == 0 ? bytes.below(100) : bytes.integer(),
                sites = bytes.below(2) == 0 ? bytes.below(100) : bytes.integer(), colors = bytes.below(30);
  const auto legal = [&](atp_status status) {
    check(status != ATP_E_INTERNAL && status != ATP_E_MEMORY && atp_status_name(status) != nullptr, "a status of sizes");
    check(status != ATP_OK || size > 0, "a size");
  };
  legal(atp_sampler_bytes(bag.context, bag.model, bag.options, &size));
  legal(atp_trainer_bytes(bag.context, n, sites, colors, bag.options, &size));
  legal(atp_trainer_bytes(bag.context, n, sites, colors, bag.options, &size));
  legal(atp_mean_field_bytes(bag.context, n, sites, colors, bag.options, &size));
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ProgramBytes bytes(data, size);
  int64_t owners = 0;
  while (atp_option_owner_at(owners) >= 0) ++owners;
  const Bag bag(atp_option_owner_at(bytes.below(static_cast<int>(owners))));
  atp_fuzz::accepted = true;
  for (int k = 0; k < 64 && !bytes.empty(); ++k)
    if (const int what = bytes.below(8); what == 0)
      sizes(bag, bytes);
    else if (what == 1)
      set_text(bag, bytes);
    else
      set_one(bag, bytes);
  return 0;
}
