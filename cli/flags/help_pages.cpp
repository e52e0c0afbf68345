// SPDX-License-Identifier: MIT
#include "flags/help_pages.hpp"

#include "flags/validators.hpp"

#include <attopotts.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace cli {

namespace {

// The common flags that --help shows.
constexpr const char *kUsualCommon[] = {"--help", "--help-all", "--threads", "--seed", "--quiet"};

FlagEntry entry_of(const CLI::Option &option) {
  FlagEntry entry;
  for (const std::string &name : option.get_lnames()) entry.names.push_back("--" + name);
  for (const std::string &name : option.get_snames()) entry.names.push_back("-" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) entry.value = option.get_type_name();
  entry.initial = option.get_default_str();
  entry.text = option.get_description();
  entry.group = option.get_group();
  entry.words = choices_of(option);
  entry.names_file = file_use(option) != FileUse::none;
  entry.required = option.get_required();
  return entry;
}

// What --set takes, with a head; empty where it takes nothing.
std::string list_of(const CLI::App &sub, const Settable &settable) {
  std::string list;
  for (const SettableOption &option : settable_options(sub, settable))
    list += fmt::format("  {:<31} {}\n", option.name() + std::string("=VALUE"), option.text());
  return list.empty() ? "" : "\nOptions of --set:\n" + list;
}

}  // namespace

void HelpFormatter::show(const CLI::App &sub, const Command &command) {
  const char *usual = command.usual;
  std::set<const CLI::Option *> shown;
  for (const char *name : kUsualCommon) shown.insert(sub.get_option(name));
  std::istringstream names(usual == nullptr ? "" : usual);
  for (std::string name; names >> name;) shown.insert(sub.get_option(name));
  for (const CLI::Option *option : sub.get_options()) {
    const bool is_usual = usual == nullptr && option->get_group() != kCommonGroup;
    if (!is_usual && !option->get_required() && shown.count(option) == 0) rare_.insert(option);
  }
  settable_[&sub] = &command.settable;
}

std::string HelpFormatter::make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const {
  HelpFormatter formatter = *this;
  formatter.all_ = mode != CLI::AppFormatMode::Normal;
  std::string text = formatter.CLI::Formatter::make_help(app, std::move(name), mode);
  if (const auto settable = settable_.find(app); formatter.all_ && settable != settable_.end()) text += list_of(*app, *settable->second);
  // Groups of which nothing is shown leave their empty lines.
  for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
  const std::vector<const CLI::Option *> options = app->get_options({});
  const auto hidden = std::count_if(options.begin(), options.end(), [&](const CLI::Option *option) { return rare_.count(option) > 0; });
  if (hidden > 0 && !formatter.all_) text += fmt::format("{} more flags: attopotts {} --help-all\n", hidden, app->get_name());
  return text;
}

std::string HelpFormatter::make_group(std::string group, bool is_positional, std::vector<const CLI::Option *> options) const {
  const auto hidden = [this](const CLI::Option *option) { return !all_ && rare_.count(option) > 0; };
  if (!is_positional) options.erase(std::remove_if(options.begin(), options.end(), hidden), options.end());
  return options.empty() ? "" : Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::vector<Page> pages_of(CLI::App &app, const std::vector<const Command *> &commands) {
  std::vector<Page> pages;
  for (const Command *command : commands) {
    CLI::App *sub = app.get_subcommand(command->name);
    Page page{command->name, command->help, command->group, command->examples, {}, {}, {}};
    for (const CLI::Option *option : sub->get_options())
      (option->get_positional() && option->get_lnames().empty() ? page.positionals : page.flags).push_back(entry_of(*option));
    std::stable_partition(page.flags.begin(), page.flags.end(), [](const FlagEntry &flag) { return flag.group != kCommonGroup; });
    for (const SettableOption &option : settable_options(*sub, command->settable)) page.settable.emplace_back(option.name(), option.text());
    pages.push_back(std::move(page));
  }
  return pages;
}

namespace {

// Text of a page: backslashes and hyphens as they are, no line that begins with a request.
std::string roff(const std::string &text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string heading(const std::string &title, const std::string &text) {
  return fmt::format(".TH {} 1 \"\" \"attopotts {}\" \"attopotts\"\n.SH NAME\n{} \\- {}\n", roff(title), atp_version_string(), roff(title),
                     roff(text));
}

std::string flag_text(const FlagEntry &flag) {
  std::string names;
  for (const std::string &name : flag.names) names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  if (!flag.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(flag.value));
  std::string text = roff(flag.text);
  if (!flag.initial.empty()) text += fmt::format(" (default: {})", roff(flag.initial));
  if (flag.required) text += " (required)";
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

// An example keeps its lines.
std::string as_it_is(const std::string &text) { return fmt::format(".EX\n{}\n.EE\n", roff(text)); }

}  // namespace

std::string program_page(const std::vector<Page> &pages) {
  std::string text = heading("attopotts", "Potts models and factored attention: sample, learn and compare");
  text += ".SH SYNOPSIS\n\\fBattopotts\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR ...]\n.SH SUBCOMMANDS\n";
  for (std::size_t k = 0; k < pages.size(); ++k) {
    if (k == 0 || pages[k].group != pages[k - 1].group) text += fmt::format(".SS {}\n", roff(pages[k].group));
    text += fmt::format(".TP\n\\fBattopotts\\-{}\\fR(1)\n{}\n", roff(pages[k].name), roff(pages[k].text));
  }
  for (const Topic &topic : topics()) {
    std::string title = topic.title;
    for (char &c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    text += fmt::format(".SH {}\n{}", roff(title), as_it_is(topic.text));
  }
  return text;
}

std::string subcommand_page(const Page &page) {
  std::string text = heading("attopotts-" + page.name, page.text), synopsis;
  for (const FlagEntry &positional : page.positionals)
    synopsis += fmt::format(positional.required ? " \\fI{}\\fR" : " [\\fI{}\\fR]", roff(positional.names[0]));
  text += fmt::format(".SH SYNOPSIS\n\\fBattopotts {}\\fR [\\fIOPTIONS\\fR]{}\n", roff(page.name), synopsis);
  if (!page.positionals.empty()) text += ".SH ARGUMENTS\n";
  for (FlagEntry positional : page.positionals) {
    positional.value.clear();
    text += flag_text(positional);
  }
  std::string group;
  for (const FlagEntry &flag : page.flags) {
    if (flag.group.empty()) continue;  // hidden
    if (flag.group != group) text += fmt::format(".SH \"{}\"\n", roff(flag.group));
    group = flag.group;
    text += flag_text(flag);
  }
  if (!page.settable.empty()) text += ".SH OPTIONS OF \\-\\-SET\n";
  for (const auto &[name, meaning] : page.settable) text += fmt::format(".TP\n\\fB{}\\fR=\\fIVALUE\\fR\n{}\n", roff(name), roff(meaning));
  if (!page.examples.empty()) text += ".SH EXAMPLES\n" + as_it_is(page.examples);
  return text + ".SH SEE ALSO\n\\fBattopotts\\fR(1)\n";
}

const std::vector<Topic> &topics() {
  static const std::vector<Topic> all = {
      {"files", "Files",
       "Alignments are FASTA, A2M, A3M, Stockholm or one sequence per line, also packed by gzip; the\n"
       "content decides, not the name. Sequences and models of attopotts are HDF5. `-` is standard\n"
       "input or output. An output is written beside its place and renamed when it is whole: a run\n"
       "that fails leaves what was there before. An input is never written."},
      {"formats", "Formats of other programs",
       "Models and scores of plmc, CCMpred, adabmDCA and bmDCA are read wherever a model or scores are\n"
       "expected; `attopotts convert IN OUT --to FORMAT` writes them. `--like plmc` and other\n"
       "presets set the flags of learn and contacts as those programs do; `attopotts info presets`\n"
       "lists them."},
      {"status", "Exit status",
       "0    done\n"
       "1    failed: a file cannot be written, memory is short\n"
       "2    wrong usage or bad input; one line says what was expected\n"
       "3    not converged: the result is written, and its outcome says so\n"
       "130  interrupted: what a checkpoint or a model so far can hold is saved; a second signal ends at once"},
      {"numbers", "The same numbers again",
       "`--seed S` fixes all random numbers. Results have the same bits for every number of threads and\n"
       "of ranks of MPI, and on processors with fused multiply-add. Tables begin with the version and the\n"
       "command that made them; `--save-config FILE` keeps the flags, `--config FILE` reads them."},
      {"resuming", "Interrupted runs",
       "`--checkpoint FILE` of learn, contacts and sample saves the run at intervals, after Ctrl-C and at\n"
       "the end. The same command with `--resume` goes on and ends with the same numbers."},
      {"family", "From an alignment to contacts and mutations",
       "attopotts verdict family.fasta --alphabet protein --theta 0.2\n"
       "attopotts contacts family.fasta --alphabet protein --theta 0.2 --l2-couplings auto \\\n"
       "    --structure 1abc.pdb --csv pairs.csv --picture map.svg --model-out model.h5\n"
       "attopotts mutants model.h5 family.fasta --alphabet protein --row 0 --csv mutants.csv"},
      {"clusters", "Many processors",
       "`--threads N` sets the threads, by default one per core. `mpirun -n 8 attopotts ...` shares\n"
       "sampling, weights, training and the theory of curves among ranks; rank 0 reads and writes.\n"
       "Many families: GNU parallel, Snakemake and Slurm start the commands (docs/clusters.md)."},
  };
  return all;
}

}  // namespace cli
