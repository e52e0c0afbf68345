// SPDX-License-Identifier: MIT
#include "flags/help_pages.hpp"

#include "text/utf8.hpp"

#include <fmt/format.h>

namespace cli {

namespace {

std::vector<std::string> names_of_pages(const std::vector<Page> &pages) {
  std::vector<std::string> names;
  for (const Page &page : pages) names.push_back(page.name);
  return names;
}

// The text up to its first semicolon or bracket, for one line of a menu.
std::string brief(const std::string &text) {
  const std::size_t end = text.find_first_of(";([\n");
  return text.substr(0, end == std::string::npos ? end : text.find_last_not_of(' ', end - 1) + 1);
}

// Puts a backslash before characters that have a meaning in the lists of zsh.
std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text) result += std::string("[]:\\").find(c) == std::string::npos ? std::string(1, c) : std::string("\\") + c;
  return result;
}

std::string all_names(const Page &page) {
  std::string text;
  for (const FlagEntry &flag : page.flags)
    for (const std::string &name : flag.names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace

std::string bash_completion(const std::vector<Page> &pages) {
  std::string flags, values;
  for (const Page &page : pages) {
    flags += fmt::format("    {}) flags={} ;;\n", page.name, shell_word(all_names(page)));
    for (const FlagEntry &flag : page.flags) {
      std::string patterns;
      for (const std::string &name : flag.names) patterns += fmt::format("{}{},{}", patterns.empty() ? "" : "|", page.name, name);
      if (!flag.words.empty())
        values += fmt::format("    {}) words={} ;;\n", patterns, shell_word(fmt::format("{}", fmt::join(flag.words, " "))));
      else if (!flag.value.empty())
        values += fmt::format("    {}) {} ;;\n", patterns, flag.names_file ? "files=yes" : "return");
    }
  }
  return fmt::format(R"(# Completion of attopotts in bash, written by `attopotts help --completion bash`.
_attopotts() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} flags= words= files=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W {} -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}},$before in
{}  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $current in
    -*) [ -n "$files" ] || COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -F _attopotts attopotts
)",
                     shell_word(fmt::format("{} --help --version", fmt::join(names_of_pages(pages), " "))), values, flags);
}

// What zsh's _arguments takes: --flag[text]:value:action.
std::string zsh_flag(const FlagEntry &flag, const std::string &name) {
  std::string line = name + "[" + escaped(brief(flag.text)) + "]";
  if (flag.value.empty()) return line;
  const std::string action = !flag.words.empty() ? fmt::format("({})", fmt::join(flag.words, " ")) : flag.names_file ? "_files" : " ";
  return line + ":" + escaped(flag.value) + ":" + action;
}

std::string zsh_completion(const std::vector<Page> &pages) {
  std::string list, cases;
  for (const Page &page : pages) {
    list += fmt::format("    {}\n", shell_word(escaped(page.name) + ":" + brief(page.text)));
    cases += fmt::format("    {})\n      _arguments -s \\\n", page.name);
    for (const FlagEntry &flag : page.flags)
      for (const std::string &name : flag.names) cases += fmt::format("        {} \\\n", shell_word(zsh_flag(flag, name)));
    cases += "        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(R"(#compdef attopotts
# Completion of attopotts in zsh, written by `attopotts help --completion zsh`.
_attopotts() {{
  local -a subcommands
  subcommands=(
{}  )
  if ((CURRENT == 2)); then
    _describe subcommand subcommands
    return
  fi
  local chosen=$words[2]
  shift words
  ((CURRENT--))
  case $chosen in
{}  esac
}}
if [ "$funcstack[1]" = _attopotts ]; then _attopotts "$@"; else compdef _attopotts attopotts; fi
)",
                     list, cases);
}

std::string fish_completion(const std::vector<Page> &pages) {
  std::string text = "# Completion of attopotts in fish, written by `attopotts help --completion fish`.\n";
  const std::string none = fmt::format("'not __fish_seen_subcommand_from {}'", fmt::join(names_of_pages(pages), " "));
  for (const Page &page : pages) {
    text += fmt::format("complete -c attopotts -f -n {} -a {} -d {}\n", none, page.name, shell_word(brief(page.text)));
    for (const FlagEntry &flag : page.flags) {
      std::string line = fmt::format("complete -c attopotts -n '__fish_seen_subcommand_from {}'", page.name);
      for (const std::string &name : flag.names) line += name.compare(0, 2, "--") == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!flag.words.empty())
        line += " -x -a " + shell_word(fmt::format("{}", fmt::join(flag.words, " ")));
      else if (!flag.value.empty())
        line += flag.names_file ? " -r -F" : " -x";
      text += line + " -d " + shell_word(brief(flag.text)) + "\n";
    }
  }
  return text;
}

}  // namespace cli
