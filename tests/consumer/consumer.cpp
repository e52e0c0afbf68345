// SPDX-License-Identifier: MIT
// The same in C++, through the C++ header, which is installed with all its pieces: exceptions pass through a program that links the
// library.
#include <attopotts.hpp>

#include <cstdio>

int main() {
  const attopotts::Context context;
  const std::uint8_t sequences[3 * 4] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 0, 0};
  const attopotts::Alignment alignment(context, sequences, 4, 3);
  std::vector<double> frequencies = alignment.frequencies(0.25);
  const double loss = alignment.independent_loss(frequencies);
  frequencies.pop_back();
  bool caught = false;
  try {
    alignment.independent_loss(frequencies);
  } catch (const attopotts::error &e) {
    caught = e.status() == ATP_E_SHAPE;
  }
  std::printf("%s %.17g\n", atp_version_string(), loss);
  return caught ? 0 : 1;
}
