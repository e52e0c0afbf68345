// SPDX-License-Identifier: MIT
#include "figures/weights_picture.hpp"

#include "figures/plots.hpp"

#include <cmath>

namespace cli {

bool draw_weights(const Session &session, const std::string &directory, const Table &table, const WeightsPicture &picture) {
  table.write(session, directory + "/weights.csv");
  std::string marked, plotted;
  if (std::isfinite(picture.automatic)) {
    marked = fmt::format("$automatic << EOD\ntheta,effective\n{:.17g},{:.17g}\nEOD\n", picture.automatic, picture.effective);
    plotted =
        fmt::format(", \\\n  $automatic using 'theta':'effective' with points pt 7 ps 1.2 lc rgb 'black' title 'automatic theta, {:.3g}'",
                    picture.automatic);
  }
  const std::string body = fmt::format(
      "{}set title \"Effective number of sequences, of {}\"\nset xlabel 'theta: fraction of columns in which neighbours may differ'\n"
      "set ylabel 'sequences'\nset logscale y\nset yrange [0.9:*]\nset key outside below horizontal\n"
      "plot 'weights.csv' using 'theta':'effective' with lines ls 1 title 'effective number', \\\n"
      "  'weights.csv' using 'theta':'largest' with lines ls 2 title 'largest neighbourhood'{}\n",
      marked, picture.sequences, plotted);
  return draw_picture(session, directory, "weights", body, 760, 520);
}

}  // namespace cli
