// SPDX-License-Identifier: MIT
#include "flags/help_pages.hpp"

#include <attopotts.h>

#include <fmt/format.h>

namespace cli {

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

}  // namespace cli
