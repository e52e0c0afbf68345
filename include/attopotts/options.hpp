// SPDX-License-Identifier: MIT
/** @file options.hpp
 *  Options; see options.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_OPTIONS_HPP
#define ATTOPOTTS_OPTIONS_HPP

#include <attopotts/options.h>
#include <attopotts/context.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace attopotts {

/** A bag of options of an owner, an atp_option_owner or atp_task_kind; see options.h. */
class Options {
 public:
  /** Holds nothing. */
  Options() = default;
  /** Takes ownership of a handle. */
  explicit Options(atp_options *handle) : handle_(handle) {}
  Options(Borrowed<Context> context, int owner) {
    atp_options *handle = nullptr;
    check(atp_options_create(context.get(), owner, &handle));
    handle_.reset(handle);
  }
  /** Sets an option. Of a temporary it returns the options themselves: Options(context, owner).set(...).set(...) is an object to keep. */
  template <class Number>
  Options &set(atp_option key, Number value) & {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    if constexpr (std::is_floating_point_v<Number>)
      check(atp_options_set_f64(get(), key, static_cast<double>(value)));
    else
      check(atp_options_set_i64(get(), key, static_cast<std::int64_t>(value)));
    return *this;
  }
  /** Sets an option by its name, for example "l2-couplings". */
  template <class Number>
  Options &set(const std::string &name, Number value) & {
    return set(key(name), value);
  }
  template <class Key, class Number>
  Options set(const Key &key, Number value) && {
    return std::move(set(key, value));
  }
  /** Sets options from text, for example "l2-couplings=0.01, optimizer=adam"; see atp_options_set_text(). */
  Options &set(const std::string &text) & { return check(atp_options_set_text(get(), detail::text(text, "text"))), *this; }
  Options set(const std::string &text) && { return std::move(set(text)); }
  /** The options that differ from their defaults, as text for set(). */
  std::string text() const {
    std::int64_t needed = 0;
    check(atp_options_get_text(get(), nullptr, 0, &needed));
    std::string out(static_cast<std::size_t>(needed), '\0');
    check(atp_options_get_text(get(), out.data(), needed, nullptr));
    return out.pop_back(), out;
  }
  double real(atp_option key) const {
    double value = 0;
    return check(atp_options_get_f64(get(), key, &value)), value;
  }
  std::int64_t integer(atp_option key) const {
    std::int64_t value = 0;
    return check(atp_options_get_i64(get(), key, &value)), value;
  }
  int owner() const { return atp_options_owner(get()); }
  Options &reset() & { return check(atp_options_reset(get())), *this; }
  Options reset() && { return std::move(reset()); }
  static atp_option key(const std::string &name) {
    const int key = atp_option_from_name(detail::text(name, "name"));
    if (key < 0) throw error(ATP_E_OPTION, "option \"" + name + "\" does not exist");
    return static_cast<atp_option>(key);
  }
  /** The word of a value of an owner's option, for example "lbfgs"; "" if it has none. */
  static std::string word(int owner, atp_option key, std::int64_t value) {
    const char *found = atp_option_word(owner, key, value);
    return found == nullptr ? "" : found;
  }
  atp_options *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_options, atp_options_destroy> handle_;
};

namespace detail {

// The handle of optional options. To the C functions NULL means defaults, which options that were moved from are not.
inline const atp_options *handle_of(const Options *options) {
  if (options == nullptr) return nullptr;
  require_handle(options->get(), "options");
  return options->get();
}

}  // namespace detail

}  // namespace attopotts

#endif
