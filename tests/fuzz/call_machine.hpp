// SPDX-License-Identifier: MIT
// A table of handles for programs of API calls: what each refers to, and the order in which the contract lets them be destroyed.
#pragma once

#include "program_bytes.hpp"

#include <attopotts.h>

#include <cmath>
#include <vector>

namespace atp_fuzz {

constexpr int kPlaces = 3;  // handles of a kind
constexpr int64_t kMostSites = 9, kMostColors = 6, kMostRows = 6;

class Machine {
 public:
  // The first two bytes choose the allocation that fails, if one does.
  explicit Machine(ProgramBytes &program) : bytes(program) {
    memory_.fail_at = bytes.byte();
    if (bytes.below(4) == 0) memory_.last = memory_.fail_at;  // and all after it
    call(atp_context_create(alloc, release, this, &context));
  }
  ~Machine() {
    destroy_readers();
    for (int k = 0; k < kPlaces; ++k) {
      atp_task_destroy(tasks[k]);
      atp_sampling_destroy(runs[k]);
      atp_sampler_destroy(samplers[k]);
      atp_table_destroy(tables[k]);
      atp_alignment_destroy(alignments[k]);
      atp_model_destroy(models[k]);
      atp_options_destroy(options[k]);
    }
    atp_context_destroy(context);
    check(memory_.live == 0 && memory_.bytes == 0 && memory_.bad == 0, "all memory is given back");
  }
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  // Every status is a known one, and never that of a fault of the library.
  static bool call(atp_status status) {
    check(status != ATP_E_INTERNAL && atp_status_name(status) != nullptr, "a status of the list");
    char text[200];
    if (status != ATP_OK) check(atp_last_error(text, sizeof text) > 0, "a failure has a text");
    return status == ATP_OK;
  }
  // Puts what a create call makes into a place, after what is there is destroyed.
  template <class Handle, class Make, class Destroy>
  void put(Handle *&place, Make &&make, Destroy &&destroy) {
    Handle *made = nullptr;
    const atp_status status = make(&made);
    check((status == ATP_OK) == (made != nullptr), "a handle, or a failure");
    if (!call(status)) return;
    destroy(place);
    place = made;
  }
  // Trainers read alignments, models and tables as long as they live.
  void destroy_readers() {
    for (int k = 0; k < kPlaces; ++k) {
      atp_trainer_destroy(trainers[k]);
      trainers[k] = nullptr;
    }
  }
  template <class Make>
  void put_alignment(Make &&make) {
    put(alignments[bytes.below(kPlaces)], make, [this](atp_alignment *old) {
      if (old != nullptr) destroy_readers();
      atp_alignment_destroy(old);
    });
  }
  template <class Make>
  void put_model(Make &&make) {
    put(models[bytes.below(kPlaces)], make, [this](atp_model *old) {
      if (old != nullptr) destroy_readers();
      atp_model_destroy(old);
    });
  }
  template <class Handle>
  Handle *pick(Handle *(&table)[kPlaces]) {
    return table[bytes.below(kPlaces)];
  }
  // An array with room for 0..255 numbers, whatever a call needs.
  std::vector<double> numbers() { return std::vector<double>(static_cast<std::size_t>(bytes.byte()), 0.5); }
  // Colours, for up to kMostRows sequences of kMostSites sites.
  const uint8_t *sequences() {
    for (uint8_t &color : colors_) color = bytes.empty() ? 1 : bytes.byte() % 8;
    return colors_;
  }
  int64_t rows() { return bytes.below(kMostRows + 2) - 1; }
  double real() { return (bytes.byte() - 100) / 16.0; }
  // Stops a run after some reports, so that none takes long.
  static int report(const atp_progress *progress, void *user) {
    check(!std::isnan(atp_progress_value(progress, ATP_PROGRESS_STEP)), "a report has a step");
    return ++*static_cast<int *>(user) > 8;
  }

  ProgramBytes &bytes;
  atp_context *context = nullptr;
  atp_options *options[kPlaces] = {};
  atp_model *models[kPlaces] = {};
  atp_alignment *alignments[kPlaces] = {};
  atp_sampler *samplers[kPlaces] = {};
  atp_sampling *runs[kPlaces] = {};
  atp_trainer *trainers[kPlaces] = {};
  atp_table *tables[kPlaces] = {};
  atp_task *tasks[kPlaces] = {};
  int reports = 0;

 private:
  static constexpr int64_t kMostBytes = 8 << 20;
  static void *alloc(std::size_t size, std::size_t alignment, void *user) {
    counter &memory = static_cast<Machine *>(user)->memory_;
    if (static_cast<int64_t>(size) > kMostBytes - memory.bytes) return nullptr;
    return counting_alloc(size, alignment, &memory);
  }
  static void release(void *block, std::size_t size, void *user) { counting_free(block, size, &static_cast<Machine *>(user)->memory_); }

  counter memory_ = {};
  uint8_t colors_[(kMostRows + 1) * kMostSites] = {};
};

}  // namespace atp_fuzz
