// SPDX-License-Identifier: MIT
#include "figures/dotattn_picture.hpp"

#include "figures/plots.hpp"

namespace cli {

namespace {

// The rows of a branch at an omega: all others are NaN.
std::string rows_where(const std::string &branch, double omega, const std::string &column) {
  return fmt::format("(strcol('branch') eq '{}' && abs(column('omega') - {:.17g}) < 1e-9 ? column('{}') : NaN)", branch, omega, column);
}

std::string panel_of(const DotattnPicture &picture, const std::string &label, const std::vector<std::string> &columns, bool titles) {
  std::string curves;
  for (std::size_t w = 0; w < picture.omegas.size(); ++w)
    for (std::size_t b = 0; b < picture.branches.size(); ++b)
      for (const std::string &column : columns) {
        const std::string &branch = picture.branches[b];
        // The overlap that a branch holds at 0 is not shown.
        if ((column == "theta" && branch == "positional") || (column == "m" && branch == "semantic")) continue;
        // A colour for each omega, or for each branch of one omega.
        const std::string look = fmt::format("lc {} dt {} pt {}", (picture.omegas.size() > 1 ? w : b) + 1, b + 1, column == "m" ? 5 : 7);
        const std::string name =
            fmt::format("{}{}, {{/Symbol w}} = {:g}", columns.size() > 1 ? column + ", " : "", branch, picture.omegas[w]);
        curves += fmt::format("{}'dotattn.csv' using 'alpha':{} with linespoints {} {}", curves.empty() ? "" : ", \\\n  ",
                              rows_where(branch, picture.omegas[w], column), look, titles ? "title '" + name + "'" : "notitle");
        if (picture.simulated)
          curves += fmt::format(", \\\n  'dotattn.csv' using 'alpha':{}:{} with yerrorbars {} notitle",
                                rows_where(branch, picture.omegas[w], column + "_sim"),
                                rows_where(branch, picture.omegas[w], column + "_sim_sem"), look);
      }
  return fmt::format("set ylabel '{}'\nplot {}\n", label, curves);
}

std::string branches_body(const DotattnPicture &picture) {
  return "set datafile missing ''\nset multiplot layout 3,1\nset key outside right samplen 2 font ',11'\n"
         "set lmargin at screen 0.17\nset rmargin at screen 0.69\n" +
         panel_of(picture, "overlaps", {"theta", "m"}, true) + panel_of(picture, "generalisation loss", {"eg"}, true) +
         "set xlabel 'samples per dimension {/Symbol a}'\n" + panel_of(picture, "training loss", {"et"}, true) +
         "unset multiplot\nunset xlabel\n";
}

const char *transition_body() {
  return "set datafile missing ''\nset xlabel 'samples per dimension {/Symbol a}'\nset ylabel 'share of positions in the teacher "
         "{/Symbol w}'\nset key outside bottom center horizontal\n"
         "plot 'dotattn.csv' using 'alpha_c':'omega' with linespoints ls 1 title '{/Symbol a}_c: the training losses cross', \\\n"
         "  'dotattn.csv' using 'alpha_linear':'omega' with linespoints ls 2 title 'better than the best linear map of positions'\n";
}

}  // namespace

bool draw_dotattn(const Session &session, const std::string &directory, const Table &table, const DotattnPicture &picture) {
  table.write(session, directory + "/dotattn.csv");
  if (picture.branches.empty()) return draw_picture(session, directory, "dotattn", transition_body(), 760, 560);
  return draw_picture(session, directory, "dotattn", branches_body(picture), 860, 1000);
}

}  // namespace cli
