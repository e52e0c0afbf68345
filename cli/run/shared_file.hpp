// SPDX-License-Identifier: MIT
// A file that rank 0 reads for all ranks, under a name by which every rank can open it. The other ranks have a copy in memory, and so has
// rank 0 of what can be read only once. A process alone opens the file itself.
#pragma once

#include <attopotts/context.h>

#include <string>

namespace cli {

class SharedFile {
 public:
  // Collective. `label` names the argument in messages.
  SharedFile(atp_context *context, const std::string &label, const std::string &path);
  ~SharedFile();
  SharedFile(const SharedFile &) = delete;
  SharedFile &operator=(const SharedFile &) = delete;
  const std::string &name() const { return name_; }

 private:
  std::string name_;
  int copy_ = -1;
};

// A text of the library with the names that users know instead of those of copies.
std::string with_shown_names(std::string text);

}  // namespace cli
