// SPDX-License-Identifier: MIT
/** @file input.hpp
 *  Files whose content is not known beforehand; see input.h.
 *  Part of attopotts_io.hpp; attopotts.hpp describes the conventions. */
#ifndef ATTOPOTTS_INPUT_HPP
#define ATTOPOTTS_INPUT_HPP

#include <attopotts/alignment.hpp>
#include <attopotts/input.h>
#include <attopotts/io.hpp>
#include <attopotts/model.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace attopotts {

/** An open file; "-" is standard input. It must not outlive its context. */
class Input {
 public:
  /** Holds nothing. */
  Input() = default;
  /** Takes ownership of a handle. */
  explicit Input(atp_input *handle) : handle_(handle) {}
  Input(Borrowed<Context> context, const std::string &path) {
    atp_input *handle = nullptr;
    check(atp_input_open(context.get(), detail::text(path, "path"), &handle));
    handle_.reset(handle);
  }
  /** Returns the content: "model", "alignment", "fasta", ..., or "unknown". */
  std::string kind() const { return atp_input_kind(get()); }
  /** Returns the bytes of a text; empty for HDF5 and for files that were not read to their end. */
  View<const char> bytes() const && = delete;
  View<const char> bytes() const & {
    return {static_cast<const char *>(atp_input_bytes_view(get())), static_cast<std::size_t>(atp_input_size(get()))};
  }
  Alignment alignment(const std::string &alphabet = "", const Options *options = nullptr) const {
    atp_alignment *handle = nullptr;
    check(atp_input_alignment(get(), detail::text_or_null(alphabet, "alphabet"), detail::handle_of(options), &handle));
    return Alignment(handle);
  }
  Model model(atp_model_format format = ATP_MODEL_AUTO, const std::string &alphabet = "") const {
    atp_model *handle = nullptr;
    check(atp_input_model(get(), format, detail::text_or_null(alphabet, "alphabet"), &handle));
    return Model(handle);
  }
  ScoreFile scores() const {
    std::int64_t sites = 0;
    check(atp_input_scores_sites(get(), &sites));
    const std::size_t n = static_cast<std::size_t>(sites);
    ScoreFile file{std::vector<double>(n * n), std::vector<std::int64_t>(n), std::string(n + 1, '\0')};
    check(atp_input_scores(get(), file.scores.data(), sites * sites, file.numbers.data(), file.residues.data()));
    return file.residues.resize(file.residues.find('\0')), file;
  }
  /** A table of text as plain CSV, with the line of each row before its cells; see atp_input_table(). */
  std::string table(atp_cells form, const std::string &names = "") const {
    std::int64_t bytes = 0;
    check(atp_input_table(get(), form, detail::text(names, "names"), nullptr, 0, &bytes));
    std::string text(static_cast<std::size_t>(bytes), '\0');
    return check(atp_input_table(get(), form, detail::text(names, "names"), &text[0], bytes, &bytes)), text;
  }
  /** Distances [sites][sites], NaN for pairs that are not in the file; empty numbers: 1..L. */
  std::vector<double> distances(std::int64_t sites, View<const std::int64_t> numbers = {}) const {
    if (!numbers.empty() && detail::size(numbers.size()) != sites)
      throw error(ATP_E_SHAPE, "numbers has " + std::to_string(numbers.size()) + " elements, must have " + std::to_string(sites));
    std::vector<double> out(static_cast<std::size_t>(sites > 0 ? sites * sites : 0));
    return check(atp_input_distances(get(), numbers.data(), nullptr, 0, sites, out.data(), nullptr)), out;
  }
  atp_input *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_input, atp_input_destroy> handle_;
};

}  // namespace attopotts

#endif
