// SPDX-License-Identifier: MIT
// The mechanism of options: rows, the table of an owner's rows, and a bag of values. Each room declares the tables of its objects in its
// own options.hpp; capi/options.cpp lists all of them.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>

namespace atp {

inline constexpr double kAnyCount = 9.007199254740992e15;  // 2^53: a double holds every integer below exactly
inline constexpr double kAnySeed = 9223372036854774784.0;  // the largest double below 2^63

// The words of the values first, first + 1, ... of an option.
struct ValueWords {
  int64_t first = 0, count = 0;
  const char *const *words = nullptr;
};

struct OptionInfo {
  int key;  // an atp_option
  const char *name;
  bool integer;
  double lowest, highest, initial;
  const char *text;
  int64_t step = 1;  // between two values of an integer
  ValueWords values = {};

  // The same option with another default, other bounds or another text, for another owner.
  constexpr OptionInfo starting_at(double value) const { return {key, name, integer, lowest, highest, value, text, step, values}; }
  constexpr OptionInfo within(double least, double most) const { return {key, name, integer, least, most, initial, text, step, values}; }
  constexpr OptionInfo saying(const char *other) const { return {key, name, integer, lowest, highest, initial, other, step, values}; }

  // The same option with words for its values from `first` on.
  template <std::size_t N>
  constexpr OptionInfo naming(int64_t first, const char *const (&words)[N]) const {
    return {key, name, integer, lowest, highest, initial, text, step, {first, static_cast<int64_t>(N), words}};
  }
  const char *word(int64_t value) const;  // nullptr: the value has none
};

// The option seed, which every owner that draws random numbers has.
constexpr OptionInfo seed_option(int key) {
  return {key, "seed", true, 0, kAnySeed, 1, "seed of all random numbers; the same seed draws the same numbers again"};
}

// What all that have an optimizer call the values of atp_optimizer.
inline constexpr const char *kOptimizerWords[] = {"lbfgs", "sgd", "adam"};

// Rows as a value, so that the rows of several owners can be joined.
template <std::size_t N>
struct OptionRows {
  OptionInfo rows[N];
};

template <class... Rows>
constexpr OptionRows<sizeof...(Rows)> rows_of(const Rows &...rows) {
  return {{rows...}};
}

template <std::size_t M, std::size_t N>
constexpr OptionRows<M + N> joined(const OptionRows<M> &first, const OptionRows<N> &second) {
  OptionRows<M + N> all{};
  for (std::size_t k = 0; k < M; ++k) all.rows[k] = first.rows[k];
  for (std::size_t k = 0; k < N; ++k) all.rows[M + k] = second.rows[k];
  return all;
}

inline constexpr int kMostOptions = 64;  // of a table

struct OptionTable {
  int owner;         // an atp_option_owner or atp_task_kind
  const char *name;  // "a sampler", for error texts
  const OptionInfo *rows;
  int count;
  const OptionTable *also;  // an owner whose bags this one takes, too, or nullptr

  const OptionInfo *find(int key) const;  // nullptr: the owner has no such option
};

template <std::size_t N>
constexpr OptionTable table_of(int owner, const char *name, const OptionRows<N> &rows, const OptionTable *also = nullptr) {
  static_assert(N <= kMostOptions);
  return {owner, name, rows.rows, static_cast<int>(N), also};
}

// The values of one owner's options.
class Options {
 public:
  explicit Options(const OptionTable &table) : table_(&table) { reset(); }
  const OptionTable &table() const { return *table_; }
  void reset();
  // Throws ATP_E_OPTION, ATP_E_OPTION_RANGE or ATP_E_NOT_FINITE, and then changes nothing.
  void set(int key, double value);
  void set(int key, int64_t value);
  double real(int key) const;
  ATP_FOR_IO int64_t integer(int key) const;
  bool flag(int key) const { return integer(key) != 0; }
  // Returns these values for the owner of another table. Options that this owner does not have keep their defaults. Throws ATP_E_CONFLICT
  // if that owner takes no bags of this one.
  Options values_for(const OptionTable &owner) const;

 private:
  int index_of(int key) const;  // throws ATP_E_OPTION
  // Integers are stored as integers: a seed may need all 63 bits.
  union Value {
    double real;
    int64_t integer;
  };
  const OptionTable *table_;
  Value values_[kMostOptions];
};

}  // namespace atp
