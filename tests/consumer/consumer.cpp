// SPDX-License-Identifier: MIT
// The same in C++, on the C headers: exceptions of the caller pass through a program that links the library.
#include <attopotts.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace {

void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  throw std::runtime_error(text);
}

}  // namespace

int main() {
  atp_context *context = nullptr;
  check(atp_context_create(nullptr, nullptr, nullptr, &context));
  const uint8_t sequences[3 * 4] = {0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 0, 0};
  atp_alignment *alignment = nullptr;
  check(atp_alignment_create(context, sequences, 3, 4, 3, nullptr, &alignment));
  double frequencies[4 * 3], loss;
  check(atp_alignment_frequencies(alignment, 0.25, frequencies, 12));
  check(atp_alignment_independent_loss(alignment, frequencies, 12, &loss));
  bool caught = false;
  try {
    check(atp_alignment_frequencies(alignment, 0.25, frequencies, 11));
  } catch (const std::runtime_error &) {
    caught = true;
  }
  std::printf("%s %.17g\n", atp_version_string(), loss);
  atp_alignment_destroy(alignment);
  atp_context_destroy(context);
  return caught ? 0 : 1;
}
