// SPDX-License-Identifier: MIT
// The page that --report writes, one HTML file without links to anything outside, and the pictures of --picture.
#pragma once

#include "report/chart.hpp"
#include "run/session.hpp"

#include <string>
#include <vector>

namespace cli {

// A row of a list of facts.
struct Fact {
  std::string name, value;
};

// A table that a click or a key on the head of a column sorts.
struct PageTable {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  int ranked = -1;      // the column by which the rows rise; -1: none
  std::string follows;  // the id of the map whose pairs the rows are, in the same order; "": none
};

// A drawing on a page. `id`: unique there; `more`: HTML below it.
std::string figure_html(const Drawing &drawing, const std::string &id, const std::string &more = "");

class ReportPage {
 public:
  // `summary`: one or two sentences: what was done, and the most important result.
  ReportPage(std::string title, std::string summary) : title_(std::move(title)), summary_(std::move(summary)) {}
  void add_facts(const std::vector<Fact> &facts) { facts_.insert(facts_.end(), facts.begin(), facts.end()); }
  // Begins a section, in which charts, tables and HTML follow.
  void begin_section(const std::string &heading) { sections_.emplace_back(heading, ""); }
  // Adds a chart, with a table of its numbers.
  void add_chart(const Chart &chart);
  // Adds charts and maps beside each other where the screen is wide.
  void add_charts(const std::vector<Chart> &charts);
  void add_drawing(const Drawing &drawing) { add_html(figure_html(drawing, next_id())); }
  void add_table(const PageTable &table);
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
// Fails for standard output: a page is written to files only.
void check_report(const std::string &path);

// The flag --picture; `what`: "the contact map".
void add_picture(CLI::App *app, std::string &path, const std::string &what);
// Fails where the name does not end in .svg or .png, and where a PNG is wanted and rsvg-convert is missing: before the work begins.
void check_picture(const std::string &path);
// Writes drawings below lines of a heading, two in a row.
void write_picture(const Session &session, const std::string &path, const std::vector<std::string> &heading,
                   const std::vector<Drawing> &drawings);
void write_picture(const Session &session, const std::string &path, const std::vector<std::string> &heading,
                   const std::vector<Chart> &charts);

// Texts within the page.
std::string page_style();
const char *page_script();

}  // namespace cli
