// SPDX-License-Identifier: MIT
#include "run/settings.hpp"

#include "run/session.hpp"

#include <algorithm>

namespace cli {

std::optional<double> Settings::value(atp_option key) const {
  for (const Setting &setting : given_)
    if (setting.key == key) return setting.value;
  return {};
}

void Settings::apply(atp_options *options) const {
  const int owner = atp_options_owner(options);
  if (std::find(owners_.begin(), owners_.end(), owner) == owners_.end()) return;
  for (const Setting &setting : given_)
    if (atp_option_text(owner, setting.key) != nullptr)
      check(atp_options_set_f64(options, setting.key, setting.value), fmt::format("--set {}", atp_option_name(setting.key)));
}

void Settings::require_owners(std::initializer_list<int> owners, const std::string &run) const {
  for (const Setting &setting : given_) {
    const auto has_it = [&setting](int owner) { return atp_option_text(owner, setting.key) != nullptr; };
    if (std::any_of(owners.begin(), owners.end(), has_it)) continue;
    wrong_use("--set {} has no effect here: {} does not use it", atp_option_name(setting.key), run);
  }
}

void Settings::needs(atp_option key, bool met, const std::string &condition) const {
  if (has(key) && !met) wrong_use("--set {} is given, expected only {}", atp_option_name(key), condition);
}

double Settings::value_in(int owner, atp_option key) const {
  double initial = 0;
  check(atp_option_bounds(owner, key, nullptr, nullptr, &initial, nullptr));
  return value(key).value_or(initial);
}

void Settings::add_default(atp_option key, double value) {
  if (!has(key)) given_.push_back({key, value});
}

std::string Settings::text(std::initializer_list<atp_option> without) const {
  std::string text;
  for (const Setting &setting : given_)
    if (std::find(without.begin(), without.end(), setting.key) == without.end())
      text += fmt::format(", {}={}", atp_option_name(setting.key), setting.value);
  return text;
}

Options options_of(const Session &session, int owner) {
  Options options(session.context, owner);
  if (atp_option_text(owner, ATP_OPT_SEED) != nullptr) options.set(ATP_OPT_SEED, session.seed);
  session.settings.apply(options.get());
  return options;
}

}  // namespace cli
