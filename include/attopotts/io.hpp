// SPDX-License-Identifier: MIT
/** @file io.hpp
 *  Files; see io.h.
 *  A piece of attopotts.hpp, which says what holds for all of them. */
#ifndef ATTOPOTTS_IO_HPP
#define ATTOPOTTS_IO_HPP

#include <attopotts/io.h>
#include <attopotts/context.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** atp_file_kind(): "model", "alignment", "fasta", "integers", "state" or "unknown". */
inline std::string file_kind(const Context &context, const std::string &path) {
  const char *kind = "";
  return check(atp_file_kind(context.get(), path.c_str(), &kind)), kind;
}

/** Write bytes, a saved state say, to a file; the old file stays whole until the new one is. */
inline void write_file(const Context &context, const std::string &path, View<const char> bytes) {
  check(atp_file_write(context.get(), path.c_str(), bytes.data(), detail::size(bytes.size())));
}

/** Read a whole file. */
inline std::vector<char> read_file(const Context &context, const std::string &path) {
  std::int64_t size = 0;
  check(atp_file_size(context.get(), path.c_str(), &size));
  std::vector<char> out(static_cast<std::size_t>(size > 0 ? size : 1));
  check(atp_file_read(context.get(), path.c_str(), out.data(), size));
  return out.resize(static_cast<std::size_t>(size)), out;
}

}  // namespace attopotts

#endif
