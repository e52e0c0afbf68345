// SPDX-License-Identifier: MIT
// Pictures: an SVG is written as it is; rsvg-convert makes a PNG of it.
#include "report/page.hpp"

#include "run/files.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace cli {

namespace {

constexpr const char *kConverter = "rsvg-convert";
const std::string kEndOfPng("IEND\xae\x42\x60\x82", 8);

bool is_png(const std::string &path) { return ends_with(path, ".png"); }

// The PNG of a drawing: from a file beside `path` into another one, which are removed.
std::string png_of(const Session &session, const std::string &path, const std::string &svg) {
  const FinishFirst finish_first;
  const std::string part = fmt::format("{}{}.part{}", path[0] == '-' ? "./" : "", path, getpid());
  write_text(session, part + ".svg", svg);
  const int status = run_quietly({kConverter, "--zoom", "2", "--format", "png", "--output", part + ".png", part + ".svg"});
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
