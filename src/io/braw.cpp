// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include <cstring>

namespace atp {

namespace {

// The keys of the outer map, of one pair, and any other.
enum class Key { format, ncol, fields, pairs, meta, i, j, couplings, other };

struct NamedKey {
  const char *name;
  Key key;
};
constexpr NamedKey kOuter[] = {
    {"format", Key::format}, {"ncol", Key::ncol}, {"x_single", Key::fields}, {"x_pair", Key::pairs}, {"meta", Key::meta}};

template <std::size_t n>
Key key_of(const NamedKey (&names)[n], const char *text, std::size_t size) {
  for (const NamedKey &known : names)
    if (std::strlen(known.name) == size && std::memcmp(known.name, text, size) == 0) return known.key;
  return Key::other;
}

}  // namespace

bool is_braw(Span<const char> head) {
  const auto byte = [&](int64_t k) { return k < head.size() ? static_cast<unsigned char>(head[k]) : 0; };
  const int64_t map = byte(0) > 0x80 && byte(0) < 0x90 ? 1 : byte(0) == 0xde ? 3 : byte(0) == 0xdf ? 5 : 0;  // fixmap, map 16, map 32
  if (map == 0) return false;
  const bool brief = byte(map) > 0xa0 && byte(map) < 0xc0;             // fixstr
  if (!brief && byte(map) != 0xd9 && byte(map) != 0xc4) return false;  // str 8, bin 8
  const int64_t size = brief ? byte(map) - 0xa0 : byte(map + 1), begin = map + (brief ? 1 : 2);
  return begin + size <= head.size() && key_of(kOuter, head.data() + begin, static_cast<std::size_t>(size)) != Key::other;
}

}  // namespace atp

#if ATP_HAS_MSGPACK

#define MSGPACK_NO_BOOST
#include <msgpack.hpp>

#include "io/file.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr NamedKey kPair[] = {{"i", Key::i}, {"j", Key::j}, {"x", Key::couplings}};
constexpr int64_t kBlock = kCcmpredStates * kCcmpredStates;
constexpr int kDeepest = 64;  // containers in one another

// What msgpack's parser calls, value by value, in the order of the file. Without a model it checks all sizes; with one it fills it.
// depth_, the number of open containers: 1 in the outer map, 2 in x_single and x_pair, 3 in a pair, 4 in its couplings.
class BrawVisitor : public msgpack::null_visitor {
 public:
  explicit BrawVisitor(const Text &file) : file_(file) {}
  BrawVisitor(const Text &file, Model &model, Span<bool> seen) : file_(file), model_(&model), seen_(seen) {}

  // Parses the whole file. Throws for anything that is not this format.
  void read() {
    const auto size = static_cast<std::size_t>(file_.bytes.size());
    std::size_t at = 0;
    bool good = false;
    try {
      good = msgpack::parse(file_.begin(), size, at, *this);
    } catch (const msgpack::unpack_error &) {
      good = false;
    }
    if (cut_) fail(ATP_E_FORMAT, "%s: the msgpack data end too early, after %zu bytes: the file has been cut", file_.label, size);
    if (!good) fail(ATP_E_FORMAT, "%s: no msgpack data at byte %zu", file_.label, stopped_at_);
    if (at < size)
      fail(ATP_E_FORMAT, "%s: %zu bytes after the end of the msgpack data at byte %zu, expected none", file_.label, size - at, at);
    require_all();
  }
  int64_t sites() const { return sites_; }

  bool visit_nil() { return scalar("nil"); }
  bool visit_boolean(bool) { return scalar("a truth value"); }
  bool visit_ext(const char *, uint32_t) { return scalar("an extension"); }
  bool visit_positive_integer(uint64_t v) { return whole(static_cast<double>(v)); }
  bool visit_negative_integer(int64_t v) { return whole(static_cast<double>(v)); }
  bool visit_float32(float v) { return real(static_cast<double>(v)); }
  bool visit_float64(double v) { return real(v); }
  bool visit_str(const char *text, uint32_t size) { return word(text, size); }
  bool visit_bin(const char *text, uint32_t size) { return word(text, size); }
  bool start_array(uint32_t size) {
    const bool fields = depth_ == 1 && outer_ == Key::fields, couplings = depth_ == 3 && inner_ == Key::couplings;
    if (!skips()) {
      if (is_key_ || (!fields && !couplings)) unexpected("an array");
      if (couplings && size != kBlock) {
        fail(ATP_E_FORMAT, "%s: %lld numbers x in pair %lld of x_pair, expected %lld", file_.label, llong{size}, llong{pairs_},
             llong{kBlock});
      }
      if (fields) fields_ = size;
      known_ = 0;
    }
    open();
    return true;
  }
  bool end_array() { return --depth_ >= 0; }
  bool start_map(uint32_t) {
    const bool pairs = depth_ == 1 && outer_ == Key::pairs, pair = depth_ == 2 && outer_ == Key::pairs;
    if (depth_ > 0 && !skips()) {
      if (is_key_ || (!pairs && !pair)) unexpected("a map");
      if (pair) {
        ++pairs_;
        for (const NamedKey &key : kPair) found_ &= ~(1U << static_cast<int>(key.key));
      }
    }
    open();
    return true;
  }
  bool end_map() {
    --depth_;
    if (depth_ == 2 && outer_ == Key::pairs) finish_pair();
    return true;
  }
  bool start_map_key() { return is_key_ = true; }
  bool end_map_key() {
    is_key_ = false;
    return true;
  }
  void parse_error(std::size_t, std::size_t at) { stopped_at_ = at; }
  void insufficient_bytes(std::size_t, std::size_t) { cut_ = true; }

 private:
  // In a value of a key that is not read.
  bool skips() const { return depth_ > 0 && !(is_key_ && depth_ == 1) && (outer_ == Key::meta || outer_ == Key::other); }
  void open() {
    if (++depth_ > kDeepest) fail(ATP_E_FORMAT, "%s: more than %d containers in one another", file_.label, kDeepest);
  }
  bool scalar(const char *what) const {
    if (!skips()) unexpected(what);
    return true;
  }
  bool whole(double value) {
    if (skips()) return true;
    if (!is_key_ && depth_ == 1 && outer_ == Key::ncol) {
      if (value < 2 || value > static_cast<double>(kMaxSites))
        fail(ATP_E_FORMAT, "%s: ncol is %.0f, expected 2 to %lld sites", file_.label, value, llong{kMaxSites});
      sites_ = static_cast<int64_t>(value);
      return true;
    }
    if (is_key_ || depth_ != 3 || inner_ == Key::couplings) return real(value);
    const int64_t most = model_ == nullptr ? kMaxSites : model_->sites();
    if (value < 0 || value >= static_cast<double>(most))
      fail(ATP_E_FORMAT, "%s: site %.0f in pair %lld of x_pair, expected 0 to %lld", file_.label, value, llong{pairs_}, llong{most - 1});
    site_[inner_ == Key::i ? 0 : 1] = static_cast<int64_t>(value);
    return true;
  }
  bool real(double value) {
    if (skips()) return true;
    if (is_key_ || depth_ == 1 || depth_ == 3 || depth_ == 0 || (depth_ == 2 && outer_ != Key::fields)) unexpected("a number");
    if (!std::isfinite(value) || std::fabs(value) > kLargestModelNumber)
      fail(std::isfinite(value) ? ATP_E_FORMAT : ATP_E_NOT_FINITE, "%s: %g in %s, expected numbers of at most 1e100 in magnitude",
           file_.label, value, depth_ == 2 ? "x_single" : "x_pair");
    put_number(value);
    return true;
  }
  bool word(const char *text, std::size_t size) {
    if (skips()) return true;
    if (is_key_) {
      set_key(text, size);
      return true;
    }
    if (depth_ != 1 || outer_ != Key::format) unexpected("a text");
    if (size != 5 || std::memcmp(text, "ccm-1", 5) != 0)
      fail(ATP_E_FORMAT, "%s: the format is %s, expected 'ccm-1'", file_.label, Quoted(text, text + size).text);
    return true;
  }
  void set_key(const char *text, std::size_t size) {
    if (depth_ == 2) return;  // "i/j" of a pair: the numbers in it count
    Key &key = depth_ == 1 ? outer_ : inner_;
    key = depth_ == 1 ? key_of(kOuter, text, size) : key_of(kPair, text, size);
    if (depth_ == 3 && key == Key::other)
      fail(ATP_E_FORMAT, "%s: the key %s in pair %lld of x_pair, expected i, j and x", file_.label, Quoted(text, text + size).text,
           llong{pairs_});
    if (key != Key::other && has(key)) fail(ATP_E_FORMAT, "%s: the key %s occurs twice", file_.label, Quoted(text, text + size).text);
    found_ |= 1U << static_cast<int>(key);
  }
  void put_number(double value) {
    const int64_t k = known_++;
    if (depth_ == 4) {
      block_[k] = value;
    } else if (model_ != nullptr) {
      model_->fields[k / kCcmpredFields * kCcmpredStates + order_.color[k % kCcmpredFields]] = value;
    }
  }
  void finish_pair() {
    for (const NamedKey &key : kPair)
      if (!has(key.key)) fail(ATP_E_FORMAT, "%s: pair %lld of x_pair has no %s", file_.label, llong{pairs_}, key.name);
    const int64_t i = site_[0], j = site_[1];
    if (i == j) fail(ATP_E_FORMAT, "%s: both sites of pair %lld of x_pair are %lld", file_.label, llong{pairs_}, llong{i});
    if (model_ == nullptr) return;
    bool &seen = seen_[std::min(i, j) * model_->sites() + std::max(i, j)];
    if (seen) fail(ATP_E_FORMAT, "%s: the pair %lld %lld occurs twice, expected every pair once", file_.label, llong{i}, llong{j});
    seen = true;
    for (int64_t s = 0; s < kCcmpredStates; ++s)
      for (int64_t t = 0; t < kCcmpredStates; ++t)
        set_symmetric(*model_, i, j, order_.color[s], order_.color[t], block_[s * kCcmpredStates + t]);
  }
  void require_all() const {
    for (const NamedKey &key : kOuter)
      if (key.key != Key::meta && !has(key.key))
        fail(ATP_E_FORMAT, "%s: there is no %s, expected format, ncol, x_single and x_pair", file_.label, key.name);
    const int64_t pairs = sites_ * (sites_ - 1) / 2, fields = sites_ * kCcmpredFields;
    if (fields_ != fields)
      fail(ATP_E_FORMAT, "%s: %lld numbers in x_single, expected %lld: 20 for each of %lld sites", file_.label, llong{fields_},
           llong{fields}, llong{sites_});
    if (pairs_ != pairs)
      fail(ATP_E_FORMAT, "%s: %lld pairs in x_pair, expected %lld of %lld sites", file_.label, llong{pairs_}, llong{pairs}, llong{sites_});
  }
  bool has(Key key) const { return (found_ >> static_cast<int>(key) & 1) != 0; }
  [[noreturn]] void unexpected(const char *what) const {
    constexpr const char *kOuterPlaces[] = {"the value of format", "the value of ncol", "x_single", "x_pair"};
    constexpr const char *kWanted[] = {"the text ccm-1", "a whole number of sites", "an array of numbers", "a map of pairs"};
    const auto k = static_cast<std::size_t>(outer_);
    if (depth_ == 0) fail(ATP_E_FORMAT, "%s: %s, expected a map of msgpack, as CCMpred writes it", file_.label, what);
    if (is_key_) fail(ATP_E_FORMAT, "%s: %s as a key, expected a text", file_.label, what);
    if (depth_ <= 2) fail(ATP_E_FORMAT, "%s: %s in %s, expected %s", file_.label, what, kOuterPlaces[k], kWanted[k]);
    fail(ATP_E_FORMAT, "%s: %s in pair %lld of x_pair, expected the numbers i, j and an array x of %lld numbers", file_.label, what,
         llong{pairs_}, llong{kBlock});
  }

  const Text &file_;
  const StateOrder order_{kCcmpredSymbols, alphabet_symbols("protein")};
  Model *model_ = nullptr;
  Span<bool> seen_;
  int depth_ = 0;
  bool is_key_ = false, cut_ = false;
  Key outer_ = Key::format, inner_ = Key::i;
  unsigned found_ = 0;  // a bit for each key: of the outer map, and of the pair that is open
  std::size_t stopped_at_ = 0;
  int64_t sites_ = 0, fields_ = 0, pairs_ = 0, site_[2] = {0, 0}, known_ = 0;
  double block_[kBlock] = {};
};

// Where the packer writes.
struct PackedOutput {
  BufferedOutput &out;
  void write(const char *bytes, std::size_t size) { out.put(bytes, static_cast<int64_t>(size)); }
};

void pack_text(msgpack::packer<PackedOutput> &packer, const char *text) {
  const auto size = static_cast<uint32_t>(std::strlen(text));
  packer.pack_str(size).pack_str_body(text, size);
}

void pack_pair(msgpack::packer<PackedOutput> &packer, const CcmpredNumbers &numbers, int64_t i, int64_t j) {
  char key[48];
  std::snprintf(key, sizeof key, "%lld/%lld", llong{i}, llong{j});
  pack_text(packer, key);
  packer.pack_map(3);
  pack_text(packer, "i");
  packer.pack_int64(i);
  pack_text(packer, "j");
  packer.pack_int64(j);
  pack_text(packer, "x");
  packer.pack_array(kBlock);
  for (int64_t s = 0; s < kCcmpredStates; ++s)
    for (int64_t t = 0; t < kCcmpredStates; ++t) packer.pack_double(numbers.coupling(i, j, s, t));
}

}  // namespace

Model *parse_braw(Context &context, const Text &file) {
  BrawVisitor measured(file);
  measured.read();
  const int64_t L = measured.sites();
  Owner<Model> model(make_model(context, {L, kCcmpredStates, 0, true}));
  set_alphabet(model->alphabet, "protein", kCcmpredStates, "alphabet");
  const Scratch memory(context.allocator, Scratch::piece<bool>(L * L));
  BrawVisitor(file, *model, memory.arena().take<bool>(L, L)).read();
  context.message(ATP_LOG_INFO, "%s: model of CCMpred, which has no field of the gap: it is 0", file.label);
  return model.release();
}

void write_braw(Context &context, const Model &model, const char *path) {
  const CcmpredNumbers numbers(context, model, path);
  const int64_t L = numbers.sites();
  BufferedOutput out(context, path);
  PackedOutput packed{out};
  msgpack::packer<PackedOutput> packer(packed);
  packer.pack_map(4);
  pack_text(packer, "format");
  pack_text(packer, "ccm-1");
  pack_text(packer, "ncol");
  packer.pack_int64(L);
  pack_text(packer, "x_single");
  packer.pack_array(static_cast<uint32_t>(L * kCcmpredFields));
  for (int64_t i = 0; i < L; ++i)
    for (int64_t s = 0; s < kCcmpredFields; ++s) packer.pack_double(numbers.field(i, s));
  pack_text(packer, "x_pair");
  packer.pack_map(static_cast<uint32_t>(L * (L - 1) / 2));
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j) pack_pair(packer, numbers, i, j);
  out.commit();
  numbers.report(context, path);
}

}  // namespace atp

#else

#include "base/error.hpp"

namespace atp {

Model *parse_braw(Context &, const Text &file) {
  fail(ATP_E_UNSUPPORTED,
       "%s: packed by msgpack, and this build of the library has no msgpack; expected CCMpred's raw text, which it writes with -r",
       file.label);
}

void write_braw(Context &, const Model &, const char *path) {
  fail(ATP_E_UNSUPPORTED, "%s: this build of the library has no msgpack; expected another format, CCMpred's raw text for example",
       ShownPath(path).text);
}

}  // namespace atp

#endif
