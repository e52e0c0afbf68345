// SPDX-License-Identifier: MIT
// The page that --report writes: one HTML file without links to anything outside.
#pragma once

#include "report/chart.hpp"
#include "report/html.hpp"
#include "report/table.hpp"
#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

class ReportPage {
 public:
  // `summary`: one or two sentences: what was done, and the most important result.
  ReportPage(std::string title, std::string summary) : title_(std::move(title)), summary_(std::move(summary)) {}
  void add_fact(const std::string &name, const std::string &value) { facts_.push_back({name, value}); }
  // Begins a section, in which charts, tables and HTML follow.
  void begin_section(const std::string &heading);
  void add_chart(const Chart &chart) { add_html(chart_html(chart, next_id())); }
  void add_table(const PageTable &table) { add_html(table_html(table)); }
  void add_text(const std::string &text) { add_html("<p>" + html_text(text) + "</p>\n"); }
  void add_html(const std::string &html) { sections_.back().second += html; }
  // An id that no other element has.
  std::string next_id() { return fmt::format("figure-{}", ++figures_); }
  // Writes the file, with the command, versions, times and messages of the run. Called last, so that no message is missing.
  void write(const Session &session, const std::string &path) const;

 private:
  std::string html(const Session &session) const;
  std::string title_, summary_;
  std::vector<Fact> facts_;
  std::vector<std::pair<std::string, std::string>> sections_;  // heading, HTML
  int figures_ = 0;
};

// The flag --report.
void add_report(CLI::App *app, std::string &path);
// Fails for standard output, where a page is no help.
void check_report(const std::string &path);

// Texts within the page.
const char *page_style();
const char *page_script();

}  // namespace cli
