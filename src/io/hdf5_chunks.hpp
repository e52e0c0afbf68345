// SPDX-License-Identifier: MIT
// Finds the chunks of a dataset, for every kind of index.
#pragma once

#include "io/hdf5_messages.hpp"

namespace atp {

struct Hdf5Chunk {
  uint64_t number = 0;              // row by row, as for elements
  uint64_t origin[kHdf5Rank] = {};  // its first element
  uint64_t place = 0, size = 0;     // in the file
  uint64_t mask = 0;                // filters that were not applied
  bool cut = false;                 // extends beyond the dataset
};

class Hdf5Chunks {
 public:
  // chunk_bytes: unpacked. The extents of chunks must have been checked: they are >= 1, and the number of
  // elements fits into 64 bits.
  Hdf5Chunks(Hdf5Bytes &bytes, const char *name, const Hdf5Space &space, const Hdf5Layout &layout, bool filtered, uint64_t chunk_bytes);
  uint64_t count() const { return count_; }

  // Calls sink(chunk) for each chunk once, in ascending order of numbers. Chunks that were never written are
  // skipped.
  template <class Sink>
  void each(Sink &&sink) {
    next_ = 0;
    struct Caller final : Taker {
      explicit Caller(Sink &s) : sink_(s) {}
      void take(const Hdf5Chunk &chunk) override { sink_(chunk); }
      Sink &sink_;
    } caller(sink);
    visit(caller);
  }

 private:
  class Taker {
   public:
    virtual void take(const Hdf5Chunk &chunk) = 0;

   protected:
    ~Taker() = default;
  };
  void visit(Taker &taker);
  void visit_tree1(Taker &taker, uint64_t address, int level);
  void visit_tree2(Taker &taker);
  void visit_numbers(Taker &taker);
  void give(Taker &taker, Hdf5Chunk &chunk);

  Hdf5Bytes &bytes_;
  const char *name_;
  const Hdf5Space &space_;
  const Hdf5Layout &layout_;
  bool filtered_;
  uint64_t chunk_bytes_, chunks_[kHdf5Rank] = {}, count_ = 1, next_ = 0;
};

}  // namespace atp
