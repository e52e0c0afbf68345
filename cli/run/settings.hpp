// SPDX-License-Identifier: MIT
// The values of --set KEY=VALUE: options of the library that have no flag of their own.
#pragma once

#include <attopotts.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace cli {

class Session;

class Settings {
 public:
  struct Setting {
    atp_option key;
    double value;
  };
  Settings() = default;
  // The owners of whose bags the subcommand sets options, and the values that were given.
  Settings(std::vector<int> owners, std::vector<Setting> given) : owners_(std::move(owners)), given_(std::move(given)) {}

  std::optional<double> value(atp_option key) const;
  bool has(atp_option key) const { return value(key).has_value(); }
  // Sets in a bag of one of the owners what it has.
  void apply(atp_options *options) const;
  // Fails where a value was given that none of these owners has, those of which a run makes bags. `run` names the subcommand and the flag
  // that decides: "contacts --method mean-field".
  void require_owners(std::initializer_list<int> owners, const std::string &run) const;
  // Fails where a value was given although `met` is false: "--set schedule is given, expected only with --optimizer sgd or adam".
  void needs(atp_option key, bool met, const std::string &condition) const;
  // The value that was given, or the default of the owner.
  double value_in(int owner, atp_option key) const;
  // Gives a value that was not given.
  void add_default(atp_option key, double value);
  // ", steps=100" for each value, without those of some keys.
  std::string text(std::initializer_list<atp_option> without = {}) const;

 private:
  std::vector<int> owners_;
  std::vector<Setting> given_;
};

// A bag for an owner, with the seed of the session where it has one, and the values of --set.
attopotts::Options options_of(const Session &session, int owner);

}  // namespace cli
