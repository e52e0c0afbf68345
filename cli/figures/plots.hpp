// SPDX-License-Identifier: MIT
// Pictures: a gnuplot script beside its table, and SVG and PNG where gnuplot is there.
#pragma once

#include "support/session.hpp"

#include <string>

namespace cli {

// Write DIR/NAME.gp with `body` (which reads tables of DIR by their names) and run it. False where there is no gnuplot; the script stays.
// The body sets labels, ranges and the plot command; size in pixels.
bool draw_picture(const Session &session, const std::string &directory, const std::string &name, const std::string &body, int width,
                  int height);

// Make a folder unless it is there.
void make_directory(const std::string &flag, const std::string &directory);

// Text for a gnuplot string in double quotes, without its markup.
std::string plot_text(const std::string &text);

}  // namespace cli
