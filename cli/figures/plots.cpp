// SPDX-License-Identifier: MIT
#include "figures/plots.hpp"

#include "support/csv.hpp"
#include "support/files.hpp"
#include "support/named_files.hpp"
#include "support/signals.hpp"
#include "support/system.hpp"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace cli {

namespace {

const std::string kEndOfPng("IEND\xae\x42\x60\x82", 8);

// The bytes of a picture that ends as it should, else "": gnuplot ends well even where the disk is full.
std::string picture(const std::string &path, const std::string &end) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  while (end.back() == '\n' && bytes.size() > 1 && bytes[bytes.size() - 2] == '\n') bytes.pop_back();
  return ends_with(bytes, end) ? bytes : "";
}

void make_directory(const std::string &flag, const std::string &directory) {
  if (!is_first_rank()) return;
  for (const char *end : {".png", ".svg", ".pdf"})
    if (ends_with(directory, end))
      wrong_use("{} is \"{}\", expected the name of a folder: pictures, their tables and scripts are files in it", flag, directory);
  if (make_folder(directory) != 0 && errno != EEXIST)
    wrong_use("{} is \"{}\", expected a folder that can be created: {}", flag, directory, std::strerror(errno));
}

}  // namespace

void prepare_pictures(const std::string &flag, const std::string &directory, const std::vector<std::string> &pictures,
                      const std::vector<std::string> &tables) {
  if (directory.empty()) return;
  make_directory(flag, directory);
  for (const std::string &name : pictures)
    for (const char *end : {".csv", ".gp", ".svg", ".png"}) check_writable(flag, directory + "/" + name + end);
  for (const std::string &name : tables) check_writable(flag, directory + "/" + name + ".csv");
}

std::string number_or_nan(double value) { return std::isnan(value) ? "NaN" : cell(value); }

std::string plot_text(const std::string &text) {
  std::string safe;
  // gnuplot runs what stands between backticks, in titles, too.
  for (const char c : without_controls(text, " ")) safe += c == '\'' || c == '"' || c == '\\' || c == '`' ? ' ' : c;
  return safe;
}

bool draw_picture(const Session &session, const std::string &directory, const std::string &name, const std::string &body, int width,
                  int height) {
  if (!is_first_rank()) {
    stop_if_interrupted();
    return true;
  }
  // Dark on white; lines differ in dash, point shape and shade.
  const std::string common = fmt::format(
      "set datafile separator ','\n"
      "set encoding utf8\n"
      "set border 3 lw 1\n"
      "set tics nomirror out\n"
      "set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5\n"
      "set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8\n"
      "set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8\n"
      "set style line 3 lc rgb '#000000' lw 1.5 dt 2\n"
      "set style line 4 lc rgb '#777777' lw 1.5 dt 4\n"
      "# Viridis: its lightness grows evenly, so it reads the same in grey.\n"
      "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n");
  const auto script = [&](const std::string &end) {
    return fmt::format(
        "# Run in this folder: gnuplot {0}.gp\n{1}"
        "set terminal svg size {2},{3} enhanced font 'Helvetica,14' background rgb 'white'\nset output '{0}.svg{5}'\n{4}unset output\n"
        "unset multiplot\nset terminal pngcairo size {2},{3} enhanced font 'Helvetica,14' background rgb 'white'\n"
        "set output '{0}.png{5}'\n{4}unset output\n",
        name, common, width, height, body, end);
  };
  const std::string path = directory + "/" + name;
  write_text(session, path + ".gp", script(""));
  const FinishFirst finish_first;  // its files of other names are removed
  // Pictures are drawn under another name and then copied, so that an existing picture is always complete.
  const std::string part = fmt::format(".part{}", getpid());
  write_text(session, path + ".gp" + part, script(part));
  const bool ran = run_quietly("gnuplot", name + ".gp" + part, directory) == 0;
  const std::string svg = picture(path + ".svg" + part, "</svg>\n"), png = picture(path + ".png" + part, kEndOfPng);
  const bool drawn = ran && !svg.empty() && !png.empty();
  if (drawn) {
    write_text(session, path + ".svg", svg);
    write_text(session, path + ".png", png);
  } else if (ran) {
    session.say("warning: gnuplot could not write all of {0}.svg and {0}.png; older pictures are as they were", path);
  }
  for (const char *end : {".gp", ".svg", ".png"}) std::remove((path + end + part).c_str());
  stop_if_interrupted();
  return drawn;
}

void say_if_not_drawn(const Session &session, bool drawn, const std::string &directory, const std::string &name) {
  if (!drawn) session.say("no picture: {}; {}/{}.gp is its script", kNoPictures, directory, name);
}

}  // namespace cli
