// SPDX-License-Identifier: MIT
// The same with the C++ header and files. What the library of files throws inside comes out of the C API as a status.
#include <attopotts_io.hpp>

#include <cstdio>
#include <string>

int main(int argc, char **argv) {
  using namespace attopotts;
  const Context context;
  const std::uint8_t sequences[] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 0, 0};
  const Alignment alignment(context, sequences, 4, 3);
  const std::string path = std::string(argc > 0 ? argv[0] : "consumer") + ".integers";
  alignment.write(context, ATP_FORMAT_INTEGERS, path);
  const Alignment read = Alignment::read(context, path);
  const std::string text = alignment.format(ATP_FORMAT_INTEGERS);
  const Alignment parsed = Alignment::parse(context, {text.data(), text.size()});
  if (read_file(context, path) != std::vector<char>(text.begin(), text.end())) return 1;
  try {
    Alignment::read(context, path + ".none");
    return 2;
  } catch (const error &e) {
    if (e.status() != ATP_E_OPEN) return 3;
  }
  const std::vector<double> frequencies = read.frequencies(0.25);
  if (frequencies != parsed.frequencies(0.25)) return 4;
  std::printf("%s %.17g\n", atp_version_string(), read.independent_loss(frequencies));
  return std::remove(path.c_str()) != 0;
}
