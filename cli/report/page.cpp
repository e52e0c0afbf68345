// SPDX-License-Identifier: MIT
#include "report/page.hpp"

#include "run/files.hpp"
#include "text/csv.hpp"
#include "flags/validators.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"

#include <fmt/chrono.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

namespace cli {

namespace {

// Nothing is loaded from anywhere, whatever a name in the page might hold.
constexpr const char *kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

std::string list_html(const std::vector<Fact> &facts) {
  std::string text = "<dl>\n";
  for (const Fact &fact : facts) text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(fact.name), html_text(fact.value));
  return text + "</dl>\n";
}

bool is_warning(const std::string &text) { return text.compare(0, 9, "warning: ") == 0 || text.compare(0, 13, "not converged") == 0; }

std::string messages_html(const std::vector<std::string> &messages, bool warnings) {
  std::string items;
  for (const std::string &text : messages)
    if (is_warning(text) == warnings)
      items += fmt::format("<li>{}</li>\n", html_text(text.substr(text.compare(0, 9, "warning: ") == 0 ? 9 : 0)));
  if (items.empty()) return warnings ? "<p>No warnings.</p>\n" : "";
  return warnings ? "<div class=\"warning\"><h3>Warnings</h3><ul>\n" + items + "</ul></div>\n"
                  : "<details><summary>Messages of the run</summary><ul>\n" + items + "</ul></details>\n";
}

std::string time_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

// Lines break between words, not at hyphens.
std::string command_html(const std::string &command) {
  std::string text;
  for (std::size_t at = 0; at <= command.size();) {
    const std::size_t end = std::min(command.find(' ', at), command.size());
    text += fmt::format("{}<span>{}</span>", at == 0 ? "" : " ", html_text(command.substr(at, end - at)));
    at = end + 1;
  }
  return text;
}

std::string run_html(const Session &session) {
  const auto end = std::chrono::system_clock::now();
  std::vector<Fact> facts = {{"Version", fmt::format("attopotts {}", atp_version_string())},
                             {"Began", time_text(session.begin)},
                             {"Ended", time_text(end)},
                             {"Time taken", fmt::format("{:.3g} s", std::chrono::duration<double>(end - session.begin).count())},
                             {"Threads", fmt::format("{}", atp_context_threads(session.context.get()))},
                             {"Seed", fmt::format("{}", session.seed)}};
  for (const std::string &note : session.notes) facts.push_back({"Settings", note});
  return "<h3>Command</h3>\n<pre tabindex=\"0\"><code>" + command_html(session.command_line) + "</code></pre>\n" + list_html(facts) +
         messages_html(session.said, false);
}

std::string section_html(std::size_t number, const std::string &heading, const std::string &html) {
  return fmt::format("<section aria-labelledby=\"section-{0}\"><h2 id=\"section-{0}\">{1}</h2>\n{2}</section>\n", number,
                     html_text(heading), html);
}

// Whether a column has numbers, and nothing else but empty cells.
bool holds_numbers(const PageTable &table, std::size_t column) {
  bool any = false;
  for (const std::vector<std::string> &row : table.rows) {
    if (column >= row.size() || row[column].empty()) continue;
    if (std::isnan(number_in(row[column]))) return false;
    any = true;
  }
  return any;
}

// A number with many digits is shown with a few; the page keeps them all.
std::string cell_html(const std::string &text, bool number) {
  if (!number || text.size() < 8 || text.find_first_not_of("0123456789-") == std::string::npos) return html_text(text);
  return fmt::format("<data value=\"{}\">{:.5g}</data>", html_text(text), number_in(text));
}

std::string row_html(const PageTable &table, std::size_t r, const std::vector<bool> &numbers) {
  std::string text = table.follows.empty() ? "<tr>" : fmt::format("<tr data-pair=\"{}\">", r);
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += fmt::format("<td{}>{}</td>", numbers[c] ? " class=\"n\"" : "",
                        c < table.rows[r].size() ? cell_html(table.rows[r][c], numbers[c]) : "");
  return text + "</tr>\n";
}

std::string table_html(const PageTable &table) {
  std::vector<bool> numbers;
  for (std::size_t c = 0; c < table.columns.size(); ++c) numbers.push_back(holds_numbers(table, c));
  const std::string caption = html_text(table.caption);
  std::string text = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table "
      "class=\"sortable\"{1}><caption><span>{0}</span></caption>\n<thead><tr>",
      caption, table.follows.empty() ? "" : fmt::format(" data-map=\"{}\"", table.follows));
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += fmt::format("<th scope=\"col\"{} aria-sort=\"{}\"><button type=\"button\">{}</button></th>", numbers[c] ? " class=\"n\"" : "",
                        static_cast<int>(c) == table.ranked ? "ascending" : "none", html_text(table.columns[c]));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) text += row_html(table, r, numbers);
  return text + "</tbody></table></div>\n";
}

// All numbers of a chart: a row for each x, a column for each series and its errors.
std::string numbers_html(const Chart &chart) {
  PageTable table;
  table.caption = "Numbers of the figure: " + chart.title;
  table.columns = {chart.x_label};
  table.ranked = 0;
  std::map<double, std::vector<std::string>> rows;
  for (const ChartSeries &series : chart.series) {
    const std::size_t column = table.columns.size();
    table.columns.push_back(series.name);
    if (!series.error.empty()) table.columns.push_back(series.name + ", standard error");
    for (std::size_t k = 0; k < series.x.size(); ++k) {
      if (!std::isfinite(series.x[k]) || !std::isfinite(series.y[k])) continue;
      std::vector<std::string> &row = rows[series.x[k]];
      row.resize(std::max(row.size(), table.columns.size()));
      row[column] = cell(series.y[k]);
      if (!series.error.empty()) row[column + 1] = cell(series.error[k]);
    }
  }
  for (auto &[x, cells] : rows) {
    cells.resize(table.columns.size());
    cells[0] = cell(x);
    table.rows.push_back(cells);
  }
  return "<details><summary>Numbers of this figure</summary>\n" + table_html(table) + "</details>\n";
}

}  // namespace

std::string figure_html(const Drawing &drawing, const std::string &id, const std::string &more) {
  const std::string title = html_text(drawing.title), svg = svg_on_page(drawing, id);
  if (drawing.data.empty()) return fmt::format("<figure class=\"chart\"><figcaption>{}</figcaption>\n{}{}</figure>\n", title, svg, more);
  return fmt::format(
      "<figure class=\"map\" id=\"{0}\"><figcaption>{1}</figcaption>\n<div role=\"group\" tabindex=\"0\" aria-label=\"{1}: arrow keys "
      "{2}\" "
      "data-map=\"{0}\">\n{3}</div>\n<p class=\"readout\">{4}</p>\n<script type=\"application/json\">{5}</script>\n{6}</figure>\n",
      id, title, drawing.keys, svg, drawing.readout, drawing.data, more);
}

void ReportPage::add_chart(const Chart &chart) {
  add_html(figure_html(chart_drawing(chart), next_id(), chart.listed ? numbers_html(chart) : ""));
}

void ReportPage::add_charts(const std::vector<Chart> &charts) {
  add_html("<div class=\"figures\">\n");
  for (const Chart &chart : charts) add_chart(chart);
  add_html("</div>\n");
}

void ReportPage::add_table(const PageTable &table) { add_html(table_html(table)); }

std::string ReportPage::html(const Session &session) const {
  std::vector<std::pair<std::string, std::string>> sections = sections_;
  sections.insert(sections.begin(),
                  {"Summary", "<p>" + html_text(summary_) + "</p>\n" + list_html(facts_) + messages_html(session.said, true)});
  sections.emplace_back("This run", run_html(session));
  std::string links, body;
  for (std::size_t k = 0; k < sections.size(); ++k) {
    links += fmt::format("<a href=\"#section-{}\">{}</a>\n", k + 1, html_text(sections[k].first));
    body += section_html(k + 1, sections[k].first, sections[k].second);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{1}\">\n<meta name=\"generator\" content=\"attopotts {2}\">\n"
      "<style>\n{3}</style>\n</head>\n<body>\n<header><h1>{0}</h1>\n<nav aria-label=\"Sections\">\n{4}</nav></header>\n<main>\n{5}</main>\n"
      "<p id=\"said\" class=\"unseen\" role=\"status\" aria-live=\"polite\"></p>\n<script>\n{6}</script>\n</body>\n</html>\n",
      html_text(title_), kPolicy, atp_version_string(), page_style(), links, body, page_script());
}

void ReportPage::write(const Session &session, const std::string &path) const {
  if (is_first_rank()) write_text(session, path, html(session));
}

void add_report(CLI::App *app, std::string &path) {
  app->add_option("--report", path, "write a page with figures and tables: one HTML file without links to anything outside")
      ->check(output_file())
      ->type_name("FILE");
}

void check_report(const std::string &path) {
  if (path == "-") wrong_use("--report is \"-\", expected the name of a file, for example report.html");
}

// Pictures: an SVG is written as it is; rsvg-convert makes a PNG of it.

namespace {

constexpr const char *kConverter = "rsvg-convert";
const std::string kEndOfPng("IEND\xae\x42\x60\x82", 8);

bool is_png(const std::string &path) { return ends_with(path, ".png"); }

// The PNG of a drawing: from a file beside `path` into another one, which are removed.
std::string png_of(const Session &session, const std::string &path, const std::string &svg) {
  const FinishFirst finish_first;
  const std::string part = fmt::format("{}{}.part{}", path[0] == '-' ? "./" : "", path, getpid());
  write_text(session, part + ".svg", svg);
  const int status = run_quietly({kConverter, "-z", "2", "--format", "png", "--output", part + ".png", part + ".svg"});
  std::ifstream file(part + ".png", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (const char *end : {".svg", ".png"}) std::remove((part + end).c_str());
  // It may end well even where the disk is full.
  if (status != 0 || !ends_with(bytes, kEndOfPng))
    failed("{}: {} could not draw the picture; a name that ends in .svg needs no other program", path, kConverter);
  return bytes;
}

}  // namespace

void add_picture(CLI::App *app, std::string &path, const std::string &what) {
  app->add_option("--picture", path, fmt::format("draw {}: an SVG, or a PNG where {} is installed", what, kConverter))
      ->check(output_file())
      ->type_name("FILE");
}

void check_picture(const std::string &path) {
  if (path.empty()) return;
  if (!ends_with(path, ".svg") && !is_png(path))
    wrong_use("--picture is \"{}\", expected the name of a file that ends in .svg or .png", path);
  if (is_png(path) && is_first_rank() && run_quietly({kConverter, "--version"}) != 0)
    wrong_use("--picture is \"{}\", and {} is not installed (Debian: librsvg2-bin); a name that ends in .svg needs no other program", path,
              kConverter);
}

void write_picture(const Session &session, const std::string &path, const std::vector<std::string> &heading,
                   const std::vector<Drawing> &drawings) {
  if (path.empty()) return;
  if (drawings.empty()) {
    session.say("warning: no picture: the table has no numbers to draw");
  } else if (is_first_rank()) {
    const std::string svg = svg_file(heading, drawings);
    write_text(session, path, is_png(path) ? png_of(session, path, svg) : svg);
  }
  stop_if_interrupted();
}

void write_picture(const Session &session, const std::string &path, const std::vector<std::string> &heading,
                   const std::vector<Chart> &charts) {
  std::vector<Drawing> drawings;
  for (const Chart &chart : charts) drawings.push_back(chart_drawing(chart));
  write_picture(session, path, heading, drawings);
}

}  // namespace cli
