// SPDX-License-Identifier: MIT
// Pictures: a gnuplot script next to its table, and SVG and PNG if gnuplot can be run.
#pragma once

#include "support/session.hpp"

#include <string>
#include <vector>

namespace cli {

// Writes DIR/NAME.gp with `body`, which reads tables in DIR by their names, and runs it. Returns false without gnuplot; the script remains.
// The body sets labels, ranges and the plot command; size in pixels.
bool draw_picture(const Session &session, const std::string &directory, const std::string &name, const std::string &body, int width,
                  int height);

// Why pictures are missing, for messages.
inline constexpr const char *kNoPictures = "gnuplot is not installed or failed (Debian: gnuplot-nox)";

// Says that a picture was not drawn, what is needed for it, and where its script is.
void say_if_not_drawn(const Session &session, bool drawn, const std::string &directory, const std::string &name);

// Creates the folder of the pictures unless it exists, and checks before a run that all files in it can be written and are no inputs:
// NAME.csv, .gp, .svg and .png of each picture, and NAME.csv of the further tables. Without a folder there is nothing to do.
void prepare_pictures(const std::string &flag, const std::string &directory, const std::vector<std::string> &pictures,
                      const std::vector<std::string> &tables = {});

// A cell that gnuplot takes for missing where the value is NaN.
std::string number_or_nan(double value);

// Text for a gnuplot string in double quotes, without its markup.
std::string plot_text(const std::string &text);

}  // namespace cli
