// SPDX-License-Identifier: MIT
#include "io/source.hpp"

#include "io/foreign.hpp"
#include "io/hdf5_files.hpp"
#include "io/npy.hpp"
#include "io/seal.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kHead = 1 << 16;   // bytes that suffice to detect the format
constexpr int64_t kPiece = 1 << 20;  // bytes that are read between two checks
constexpr int64_t kWithoutEnd = INT64_MAX / 4;

bool has_zero(const char *begin, int64_t n) { return n > 0 && std::memchr(begin, 0, static_cast<std::size_t>(n)) != nullptr; }

bool is_text(Content content) {
  return content == Content::fasta || content == Content::stockholm || content == Content::integers || content == Content::lines ||
         content == Content::other;
}

}  // namespace

Source::Source(Context &context, const char *path, Extent extent)
    : context_(context), label_(is_standard_stream(path) ? "standard input" : path), memory_(context.allocator) {
  InputFile file(path);  // throws for paths that are too long for path_
  std::strncpy(path_, path, sizeof path_ - 1);
  path_[sizeof path_ - 1] = 0;
  try {
    load(file, extent);
  } catch (const Error &e) {
    if (e.status() != ATP_E_MEMORY) throw;
    fail(ATP_E_MEMORY, "%s: after %lld bytes: %s", label(), llong{memory_.size()}, e.what());
  }
}

void Source::load(InputFile &file, Extent extent) {
  // One byte more than the size of a regular file shows that the file ends there.
  memory_.reserve(file.regular() ? std::min(file.size(), kHead) + 1 : kHead);
  memory_.extend(file.read(memory_.end(), std::min(memory_.room(), kHead)));
  const int64_t used = memory_.size();
  size_ = file.regular() ? std::max(file.size(), used) : used;
  content_ = content_of(text().bytes);
  on_disk_ = content_ == Content::hdf5 && file.regular() && !is_standard_stream(path_);
  if (is_text(content_) && !is_braw(text().bytes)) require_no_zero(text().begin(), used);
  whole_ = used < std::min(memory_.room(), kHead);
  if (on_disk_ || whole_ || extent == Extent::head) return;
  const int64_t most = most_bytes(file);
  if (most <= used) return;
  const bool text = content_ != Content::hdf5 && content_ != Content::gzip && content_ != Content::npy && most == kWithoutEnd &&
                    !is_braw(this->text().bytes);
  if (file.regular() && memory_.room() <= size_) memory_.reserve(std::min(size_, most) + 1);
  read_more(file, most, text);
}

// The number of bytes to ask for, from the head: HDF5 and msgpack are read to their end, the head of a plmc or .npy
// file gives its size, and no other readable format has zero bytes. One byte more than the size shows that the file ends there.
int64_t Source::most_bytes(const InputFile &file) const {
  const int64_t used = memory_.size();
  if (content_ == Content::state) return used;
  if (content_ == Content::hdf5 || is_braw(text().bytes)) return kWithoutEnd;
  if (content_ == Content::npy) {
    const int64_t longest = npy_size(text().bytes);
    return file.regular() && longest != size_ ? used : std::max(used, longest + 1);
  }
  if (content_ == Content::gzip) {
    const Scratch memory(context_.allocator, Scratch::piece<char>(kHead));
    const Span<char> inside = memory.arena().take<char>(kHead);
    const Span<const char> unpacked = inside.sub(0, unpack_head(text().bytes, inside.data(), kHead));
    const Content content = content_of(unpacked);
    const bool readable =
        !has_zero(unpacked.data(), unpacked.size()) || content == Content::hdf5 || content == Content::fasta || is_braw(unpacked);
    return readable ? kWithoutEnd : used;
  }
  if (content_ == Content::fasta || !has_zero(text().begin(), used)) return kWithoutEnd;
  const int64_t longest = longest_plmc(text().bytes);
  if (file.regular()) return plmc_version(text().bytes, size_) == PlmcVersion::none ? used : size_ + 1;
  return std::max(used, longest + 1);
}

void Source::read_more(InputFile &file, int64_t most, bool text) {
  for (;;) {
    if (memory_.size() >= most) return;
    if (memory_.size() == memory_.room()) memory_.reserve(std::min(most, 2 * memory_.room()));
    char *place = memory_.end();
    const int64_t wanted = std::min({memory_.room() - memory_.size(), kPiece, most - memory_.size()}), n = file.read(place, wanted);
    if (text) require_no_zero(place, n);
    memory_.extend(n);
    size_ = memory_.size();
    if (n < wanted) break;
  }
  whole_ = true;
}

void Source::require_no_zero(const char *begin, int64_t n) const {
  const Text read{{text().begin(), begin + n - text().begin()}, label()};
  if (const char *zero = zero_byte(read, begin, content_ == Content::fasta); zero != nullptr)
    fail(ATP_E_FORMAT, "%s: a zero byte (NUL) at byte %lld, expected text to the end", label(), llong{zero - text().begin()});
}

Span<const char> Source::head() const { return text().bytes.sub(0, std::min(memory_.size(), kHead)); }

Text Source::loaded(const char *expected) const {
  if (whole_ && content_ != Content::hdf5 && content_ != Content::gzip && content_ != Content::npy) return text();
  const char *what = content_ == Content::hdf5    ? "HDF5"
                     : content_ == Content::state ? "the saved state of a sampler or trainer"
                     : content_ == Content::gzip  ? "packed by gzip"
                     : content_ == Content::npy   ? "an array of NumPy"
                                                  : unread_format(head());
  if (what == nullptr) what = "no text, it has zero bytes";
  fail(ATP_E_FORMAT, "%s: %s, expected %s", label(), what, expected);
}

Foreign Source::foreign() const { return on_disk_ || content_ == Content::npy ? Foreign::none : foreign_content(head(), size_); }

const char *Source::hdf5_content() const {
  Seal seal;
  if (on_disk_) {
    InputFile file(path_);
    seal = find_seal(file);
  } else {
    seal = find_seal(text());
  }
  for (const char *kind : {"model", "alignment"})
    if (seal.found && std::strcmp(seal.kind, kind) == 0) return kind;
  return on_disk_ ? hdf5_kind(context_, path_) : hdf5_kind(context_, text());
}

const char *Source::kind() const {
  if (content_ == Content::hdf5) return hdf5_content();
  if (content_ == Content::npy) return "npy";
  if (const Foreign found = foreign(); found != Foreign::none) return foreign_name(found);
  Content content = content_;
  if (content == Content::gzip) {
    const Scratch memory(context_.allocator, Scratch::piece<char>(kHead));
    const Span<char> inside = memory.arena().take<char>(kHead);
    const Span<const char> unpacked = inside.sub(0, unpack_head(head(), inside.data(), kHead));
    if (is_braw(unpacked)) return foreign_name(Foreign::ccmpred_braw);
    content = content_of(unpacked);
  }
  switch (content) {
    case Content::fasta: return "fasta";
    case Content::stockholm: return "stockholm";
    case Content::integers: return "integers";
    case Content::state: return "state";
    default: return "unknown";
  }
}

LoadedText::LoadedText(const Source &source, const char *expected) {
  if (!source.whole() || source.content() != Content::gzip) {
    text_ = source.loaded(expected);
    return;
  }
  unpacked_.emplace(source.context(), source.text(), 0);
  text_ = {unpacked_->bytes(), source.label()};
}

}  // namespace atp
