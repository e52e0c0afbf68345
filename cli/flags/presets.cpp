// SPDX-License-Identifier: MIT
#include "flags/presets.hpp"

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

// "" is the value of flags without a value.
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
    {"plmc", "--l2-scale", "absolute"},
    {"plmc", "--gauge", "raw"},
    {"plmc", "--include-gap", ""},
    {"ccmpred", "--family", "dense"},
    {"ccmpred", "--alphabet", "protein"},
    {"ccmpred", "--unknown", "gap"},
    {"ccmpred", "--weights", "auto"},
    {"ccmpred", "--theta", "0.2"},
    {"ccmpred", "--weight-rule", "floor"},
    {"ccmpred", "--gaps", "state"},
    {"ccmpred", "--l2-couplings", "0.2"},
    {"ccmpred", "--l2-fields", "0.01"},
    {"ccmpred", "--l2-scale", "sites"},
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
    {"gremlin", "--l2-scale", "sites-colors"},
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
    {"evcouplings", "--l2-scale", "sites-colors"},
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
    {"plmdca", "--l2-scale", "weight"},
    {"plmdca", "--gauge", "zero-sum"},
};

// A setting is skipped where the flag `other` was given, unless with this value. A number for --weights is a theta and keeps the rule.
constexpr struct {
  const char *flag, *other, *value;
} kRivals[] = {{"--theta", "--weights", "auto"}, {"--weight-rule", "--weights", "auto"}, {"--include-gap", "--exclude-gap", ""}};

std::vector<std::string> preset_names() {
  std::vector<std::string> all;
  for (const Setting &setting : kPresetSettings)
    if (all.empty() || all.back() != setting.preset) all.emplace_back(setting.preset);
  return all;
}

std::string text_of(const std::string &flag, const std::string &value) { return value.empty() ? flag : flag + " " + value; }

bool stands_back(const CLI::App *app, const std::string &flag) {
  for (const auto &rival : kRivals) {
    const CLI::Option *other = flag == rival.flag ? app->get_option_no_throw(rival.other) : nullptr;
    if (other == nullptr || other->count() == 0) continue;
    const std::string &value = other->results().front();
    const bool number = !value.empty() && (std::isdigit(static_cast<unsigned char>(value[0])) != 0 || value[0] == '.');
    if (value != rival.value && !(number && flag == "--weight-rule")) return true;
  }
  return false;
}

}  // namespace

void add_like(CLI::App *app, std::string &like) {
  std::string words;
  for (const std::string &name : preset_names()) words += (words.empty() ? "" : ", ") + name;
  app->add_option("--like", like, "apply the settings of another program: " + words + ". Explicit flags override them")
      ->check(one_of(preset_names()))
      ->type_name("PROGRAM");
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
  const std::string learned = family == nullptr || family->count() == 0 ? "dense" : family->results().front();
  if (learned != "dense" && learned != "plm" && learned != "asymmetric")
    wrong_use("--like is \"{}\" with {} {}, expected {} dense: the program learns dense couplings", like, family->get_name(), learned,
              family->get_name());
  for (const Setting *setting : missing) {
    CLI::Option *option = app->get_option_no_throw(setting->flag);
    option->add_result(*setting->value == '\0' ? "true" : setting->value);
    option->run_callback();
    in_force += " " + text_of(setting->flag, setting->value);
  }
  const CLI::Option *focus = app->get_option_no_throw("--focus");
  if (like == "plmc" && focus != nullptr && focus->count() > 0)
    session.message(fmt::format("like plmc: sites are the residues of {}; plmc's numbers also count columns where it has a gap",
                                focus->results().front()));
  const std::string text = "like " + like + ":" + in_force + (overridden.empty() ? "" : "; but given:" + overridden);
  session.message(text);
  session.notes.push_back(text);
}

std::string presets_table() {
  std::string text = csv_line({"preset", "flag", "value"});
  for (const Setting &setting : kPresetSettings) text += csv_line({setting.preset, setting.flag, setting.value});
  return text;
}

}  // namespace cli
