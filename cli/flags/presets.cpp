// SPDX-License-Identifier: MIT
#include "flags/presets.hpp"

#include "flags/set_flag.hpp"
#include "text/csv.hpp"
#include "flags/validators.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace cli {

namespace {

struct Setting {
  const char *preset, *flag, *value;
};

// "" is the value of flags without a value; "--set KEY" is an option of the library.
constexpr Setting kPresetSettings[] = {
    {"plmc", "--family", "dense"},
    {"plmc", "--alphabet", "protein"},
    {"plmc", "--unknown", "drop"},
    {"plmc", "--weights", "auto"},
    {"plmc", "--theta", "0.2"},
    {"plmc", "--weight-rule", "inclusive"},
    {"plmc", "--gaps", "state"},
    {"plmc", "--l2-couplings", "100"},
    {"plmc", "--l2-fields", "0.01"},
    {"plmc", "--set l2-scale", "absolute"},
    {"plmc", "--gauge", "raw"},
    {"plmc", "--norm-gap", "include"},
    {"ccmpred", "--family", "dense"},
    {"ccmpred", "--alphabet", "protein"},
    {"ccmpred", "--unknown", "gap"},
    {"ccmpred", "--weights", "auto"},
    {"ccmpred", "--theta", "0.2"},
    {"ccmpred", "--weight-rule", "floor"},
    {"ccmpred", "--gaps", "state"},
    {"ccmpred", "--l2-couplings", "0.2"},
    {"ccmpred", "--l2-fields", "0.01"},
    {"ccmpred", "--set l2-scale", "sites"},
    {"ccmpred", "--gauge", "raw"},
    {"gremlin", "--family", "dense"},
    {"gremlin", "--alphabet", "protein"},
    {"gremlin", "--unknown", "gap"},
    {"gremlin", "--max-gaps-column", "0.5"},
    {"gremlin", "--weights", "auto"},
    {"gremlin", "--theta", "0.2"},
    {"gremlin", "--weight-rule", "strict"},
    {"gremlin", "--gaps", "state"},
    {"gremlin", "--l2-couplings", "0.01"},
    {"gremlin", "--l2-fields", "0.01"},
    {"gremlin", "--set l2-scale", "sites-colors"},
    {"gremlin", "--gauge", "raw"},
    {"evcouplings", "--family", "dense"},
    {"evcouplings", "--alphabet", "protein"},
    {"evcouplings", "--unknown", "drop"},
    {"evcouplings", "--max-gaps-sequence", "0.5"},
    {"evcouplings", "--max-gaps-column", "0.3"},
    {"evcouplings", "--weights", "auto"},
    {"evcouplings", "--theta", "0.2"},
    {"evcouplings", "--weight-rule", "inclusive"},
    {"evcouplings", "--gaps", "ignore"},
    {"evcouplings", "--l2-couplings", "0.01"},
    {"evcouplings", "--l2-fields", "0.01"},
    {"evcouplings", "--set l2-scale", "sites-colors"},
    {"evcouplings", "--gauge", "zero-sum"},
    {"evcouplings", "--min-separation", "6"},
    {"plmdca", "--family", "dense"},
    {"plmdca", "--alphabet", "protein"},
    {"plmdca", "--unknown", "gap"},
    {"plmdca", "--max-gaps-sequence", "0.9"},
    {"plmdca", "--remove-duplicates", ""},
    {"plmdca", "--weights", "auto"},
    {"plmdca", "--theta", "auto"},
    {"plmdca", "--weight-rule", "floor"},
    {"plmdca", "--gaps", "state"},
    {"plmdca", "--asymmetric", ""},
    {"plmdca", "--l2-couplings", "0.02"},
    {"plmdca", "--l2-fields", "0.02"},
    {"plmdca", "--set l2-scale", "weight"},
    {"plmdca", "--gauge", "zero-sum"},
    {"attentiondca", "--family", "factored"},
    {"attentiondca", "--map", "lowrank"},
    {"attentiondca", "--heads", "32"},
    {"attentiondca", "--rank", "23"},
    {"attentiondca", "--gaps", "state"},
    {"attentiondca", "--set diagonal", "after"},
    {"attentiondca", "--set scores-scaled", "plain"},
    {"mogwai", "--family", "factored"},
    {"mogwai", "--map", "lowrank"},
    {"mogwai", "--heads", "32"},
    {"mogwai", "--rank", "16"},
    {"mogwai", "--gaps", "ignore"},
    {"mogwai", "--fields", ""},
    {"mogwai", "--optimizer", "adam"},
    {"mogwai", "--rate", "0.001"},
    {"mogwai", "--batch", "128"},
    {"mogwai", "--set diagonal", "before"},
    {"mogwai", "--set scores-scaled", "scaled"},
    {"mogwai", "--set symmetrized", "1"},
    {"mogwai", "--set initial", "xavier"},
    {"mogwai", "--set schedule", "constant"},
    {"mutations", "--family", "dense"},
    {"mutations", "--alphabet", "protein"},
    {"mutations", "--weights", "auto"},
    {"mutations", "--theta", "0.2"},
    {"mutations", "--weight-rule", "residues"},
    {"mutations", "--gaps", "ignore"},
    {"mutations", "--l2-couplings", "auto"},
    {"mutations", "--l2-fields", "1"},
    {"mutations", "--set selection-rule", "minimum"},
    {"mutations", "--set criterion", "mutations"},
    {"mutations", "--atoms", "side-chain"},
    {"mutations", "--rsa", ""},
};

// A setting is skipped where the flag `other` was given, unless with one of these values. A number for --weights is a theta and keeps the
// rule.
constexpr struct {
  const char *flag, *other, *value;
} kRivals[] = {{"--theta", "--weights", "auto"},
               {"--weight-rule", "--weights", "auto"},
               {"--rank", "--map", "lowrank"},
               {"--set scores-scaled", "--map", "lowrank"},
               {"--set diagonal", "--map", "lowrank softmax"},
               {"--rate", "--optimizer", "adam"},
               {"--batch", "--optimizer", "adam"},
               {"--set schedule", "--optimizer", "adam"},
               {"--set selection-rule", "--l2-couplings", "auto"},
               {"--set criterion", "--l2-couplings", "auto"},
               {"--set criterion", "--pairs", "none"},
               {"--set criterion", "--pairs-from", "none"},
               {"--rsa", "--site-weights", "none"}};

// A setting is skipped where a flag that it needs was not given, or does not name a structure.
constexpr struct { const char *flag, *needed; } kOfStructures[] = {{"--rsa", "--structure"}, {"--atoms", "--pairs-from"}};

// Presets that are no program's have a flag of their own.
constexpr const char *kPurposes[] = {"mutations"};

bool is_purpose(const std::string &preset) { return std::find(std::begin(kPurposes), std::end(kPurposes), preset) != std::end(kPurposes); }

bool is_factored(const std::string &preset) { return preset == "attentiondca" || preset == "mogwai"; }

// The presets of a subcommand: those of factored attention need its flags.
std::vector<std::string> preset_names(const CLI::App *app) {
  std::vector<std::string> all;
  for (const Setting &setting : kPresetSettings)
    if ((all.empty() || all.back() != setting.preset) && !is_purpose(setting.preset) &&
        (!is_factored(setting.preset) || app->get_option_no_throw("--map") != nullptr))
      all.emplace_back(setting.preset);
  return all;
}

// The name of an option of the library; "" for a flag.
std::string option_of(const std::string &flag) { return flag.compare(0, 6, "--set ") == 0 ? flag.substr(6) : ""; }

std::string text_of(const std::string &flag, const std::string &value) {
  if (value.empty()) return flag;
  return flag + (option_of(flag).empty() ? " " : "=") + value;
}

bool stands_back(const CLI::App *app, const std::string &flag) {
  for (const auto &of : kOfStructures)
    if (flag == of.flag && (flag == "--rsa" ? given(app, of.needed).empty() : !is_structure_name(given(app, of.needed)))) return true;
  for (const auto &rival : kRivals) {
    const CLI::Option *other = flag == rival.flag ? app->get_option_no_throw(rival.other) : nullptr;
    if (other == nullptr || other->count() == 0) continue;
    const std::string &value = other->results().front();
    const bool number = !value.empty() && (std::isdigit(static_cast<unsigned char>(value[0])) != 0 || value[0] == '.');
    const std::vector<std::string> kept = CLI::detail::split(rival.value, ' ');
    if (std::find(kept.begin(), kept.end(), value) == kept.end() && !(number && flag == "--weight-rule")) return true;
  }
  return false;
}

}  // namespace

void add_like(CLI::App *app, std::string &like) {
  const std::vector<std::string> names = preset_names(app);
  app->add_option("--like", like,
                  fmt::format("apply the settings of another program: {}. Explicit flags override them", fmt::join(names, ", ")))
      ->check(one_of(names))
      ->type_name("PROGRAM");
}

void add_purpose(CLI::App *app, std::string &preset) {
  const std::vector<std::string> names(std::begin(kPurposes), std::end(kPurposes));
  app->add_option("--preset", preset,
                  fmt::format("apply the settings for a purpose: {}. Explicit flags override them", fmt::join(names, ", ")))
      ->check(one_of(names))
      ->type_name("NAME");
}

void apply_preset(Session &session, CLI::App *app, const std::string &like, const std::vector<const CLI::Option *> &without) {
  if (like.empty()) return;
  std::string in_force, overridden;
  // Records the flags that the user gave before the preset's values are applied.
  std::vector<const Setting *> missing;
  for (const Setting &setting : kPresetSettings) {
    const CLI::Option *option = like == setting.preset ? app->get_option_no_throw(setting.flag) : nullptr;
    if (option == nullptr || stands_back(app, setting.flag)) continue;
    if (std::find(without.begin(), without.end(), option) != without.end()) continue;
    if (option->count() == 0)
      missing.push_back(&setting);
    else
      overridden += " " + text_of(setting.flag, *setting.value == '\0' ? "" : option->results().front());
  }
  const CLI::Option *family = app->get_option_no_throw("--family");
  const std::string expected = is_factored(like) ? "factored" : "dense";
  const std::string learned = family == nullptr || family->count() == 0 ? expected : family->results().front();
  const bool dense = learned == "plm" || learned == "asymmetric";  // words of contacts
  if ((dense ? "dense" : learned) != expected)
    wrong_use("{} is \"{}\" with {} {}, expected {} {}: the program learns {}", is_purpose(like) ? "--preset" : "--like", like,
              family->get_name(), learned, family->get_name(), expected, is_factored(like) ? "factored attention" : "dense couplings");
  for (const Setting *setting : missing) {
    CLI::Option *option = app->get_option_no_throw(setting->flag);
    option->add_result(*setting->value == '\0' ? "true" : setting->value);
    option->run_callback();
    in_force += " " + text_of(setting->flag, setting->value);
  }
  // Options of trainers, as these flags are.
  const CLI::Option *penalty = app->get_option_no_throw("--l2-couplings");
  const bool trains = penalty != nullptr && std::find(without.begin(), without.end(), penalty) == without.end();
  for (const Setting &setting : kPresetSettings) {
    const std::string name = trains ? option_of(setting.flag) : "";
    if (like != setting.preset || name.empty() || stands_back(app, setting.flag)) continue;
    const auto key = static_cast<atp_option>(atp_option_from_name(name.c_str()));
    const bool is_given = session.settings.has(key);
    (is_given ? overridden : in_force) += " " + (is_given ? setting.flag : text_of(setting.flag, setting.value));
    session.settings.add_default(key, read_option(is_purpose(like) ? ATP_OWNER_SELECTION : ATP_OWNER_TRAINER, key, setting.value));
  }
  const CLI::Option *focus = app->get_option_no_throw("--focus");
  if (like == "plmc" && focus != nullptr && focus->count() > 0)
    session.message(fmt::format("like plmc: sites are the residues of {}; plmc's numbers also count columns where it has a gap",
                                focus->results().front()));
  const std::string text =
      (is_purpose(like) ? "preset " : "like ") + like + ":" + in_force + (overridden.empty() ? "" : "; but given:" + overridden);
  session.message(text);
  session.notes.push_back(text);
}

std::string presets_table() {
  std::string text = csv_line({"preset", "flag", "value"});
  for (const Setting &setting : kPresetSettings) {
    const std::string option = option_of(setting.flag);
    text += option.empty() ? csv_line({setting.preset, setting.flag, setting.value})
                           : csv_line({setting.preset, "--set", option + "=" + setting.value});
  }
  return text;
}

}  // namespace cli
