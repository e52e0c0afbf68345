// SPDX-License-Identifier: MIT
// Files that h5py and hdf5r wrote with their default settings and others (tests/hdf5/make_files.py, make_files.R): all of them are read,
// and damage to any byte of them is a status.
#include "counting.h"
#include "support.h"

#include "base/context.hpp"
#include "io/hdf5_files.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

using namespace atp;

namespace {

constexpr const char *kAlignments[] = {"h5py-3.7-alignment",
                                       "h5py-3.7-alignment-packed",
                                       "h5py-3.7-alignment-many",
                                       "h5py-3.7-alignment-latest",
                                       "h5py-3.7-alignment-latest-array",
                                       "h5py-3.7-alignment-latest-growing",
                                       "h5py-3.7-alignment-latest-tree",
                                       "h5py-3.7-alignment-oldest",
                                       "h5py-3.16-alignment",
                                       "h5py-3.16-alignment-latest",
                                       "h5py-3.16-alignment-latest-array",
                                       "h5py-3.16-alignment-latest-growing",
                                       "h5py-3.16-alignment-latest-tree",
                                       "hdf5r-alignment"};
constexpr const char *kModels[] = {"h5py-3.7-model",
                                   "h5py-3.7-model-packed",
                                   "h5py-3.7-model-latest-single",
                                   "h5py-3.7-model-latest-array",
                                   "h5py-3.7-model-oldest",
                                   "h5py-3.16-model",
                                   "h5py-3.16-model-latest-single",
                                   "h5py-3.16-model-latest-array",
                                   "hdf5r-model"};

std::string path_of(const char *name) { return std::string(ATP_HDF5_FILES "/") + name + ".h5"; }

std::string bytes_of_file(const char *name) {
  std::ifstream file(path_of(name), std::ios::binary);
  assert_true(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void check_alignment(const Alignment &a) {
  const uint8_t sequences[12] = {0, 1, 2, 3, 3, 2, 1, 0, 1, 1, 1, 1};
  const int64_t numbers[4] = {5, 6, 7, 9};
  assert_int_equal(a.count(), 3);
  assert_int_equal(a.sites(), 4);
  assert_int_equal(a.colors(), 4);
  assert_memory_equal(a.sequences.data(), sequences, sizeof sequences);
  assert_true(a.weights[0] == 1 && a.weights[1] == 0.5 && a.weights[2] == 0.25);
  assert_string_equal(a.name(0), "one");
  assert_string_equal(a.name(1), "two/1-4");
  assert_string_equal(a.name(2), "drei \xC3\xA4");
  assert_string_equal(a.alphabet, "-ACG");
  assert_string_equal(a.origin, "a test");
  assert_memory_equal(a.labels.numbers().data(), numbers, sizeof numbers);
  assert_string_equal(a.labels.residues(), "ACGA");
}

void check_model(const Model &m) {
  assert_int_equal(m.sites(), 3);
  assert_int_equal(m.colors(), 2);
  assert_true(m.beta == 1.5 && m.shape.dense() && m.shape.fields);
  for (int k = 0; k < 36; ++k) assert_true(m.couplings[k] == (k / 12 == k / 4 % 3 ? 0 : k / 8.0));
  for (int k = 0; k < 6; ++k) assert_true(m.fields[k] == k);
}

// From the disk, and from memory.
void reads_alignments(void **) {
  for (const char *name : kAlignments) {
    print_message("%s\n", name);
    Context context(counting_alloc, counting_free, nullptr);
    const std::string bytes = bytes_of_file(name);
    for (Alignment *a : {read_alignment_hdf5(context, path_of(name).c_str()),
                         alignment_from_hdf5(context, {{bytes.data(), static_cast<int64_t>(bytes.size())}, name})}) {
      check_alignment(*a);
      destroy_block(context.allocator, a);
    }
    assert_string_equal(hdf5_kind(context, path_of(name).c_str()), "alignment");
    assert_int_equal(context.allocator.bytes(), 0);
  }
}

void reads_models(void **) {
  for (const char *name : kModels) {
    print_message("%s\n", name);
    Context context(counting_alloc, counting_free, nullptr);
    const std::string bytes = bytes_of_file(name);
    for (Model *m : {read_model_hdf5(context, path_of(name).c_str()),
                     model_from_hdf5(context, {{bytes.data(), static_cast<int64_t>(bytes.size())}, name})}) {
      check_model(*m);
      destroy_block(context.allocator, m);
    }
    assert_string_equal(hdf5_kind(context, path_of(name).c_str()), "model");
    assert_int_equal(context.allocator.bytes(), 0);
  }
}

template <class Read>
bool is_read(const std::string &bytes, Read &&read) {
  Context context(counting_alloc, counting_free, nullptr);
  bool accepted = false;
  try {
    auto *made = read(context, Text{{bytes.data(), static_cast<int64_t>(bytes.size())}, "bytes"});
    destroy_block(context.allocator, made);
    accepted = true;
  } catch (const Error &e) {
    assert_true(e.status() == ATP_E_FORMAT || e.status() == ATP_E_NOT_FINITE);
    assert_null(std::strchr(e.what(), '\n'));
  }
  assert_int_equal(context.allocator.bytes(), 0);
  return accepted;
}

// Every sixteenth byte of a file, another one of sixteen in each file, is made 0, 255 or another by one bit, in turn; and the file is cut.
template <class Read>
void damage(const char *name, Read &&read) {
  static std::size_t first = 0;
  const std::string whole = bytes_of_file(name);
  std::string bytes = whole;
  int accepted = 0, refused = 0;
  for (std::size_t k = 7 * first++ % 16; k < bytes.size(); k += 16) {
    const int values[3] = {0, 255, whole[k] ^ 1 << k / 48 % 8};
    bytes[k] = static_cast<char>(values[k / 16 % 3]);
    ++(is_read(bytes, read) ? accepted : refused);
    bytes[k] = whole[k];
    if (k % 256 < 16) assert_false(is_read(whole.substr(0, k), read));
  }
  print_message("%s: %d changed files refused, %d read\n", name, refused, accepted);
  assert_true(accepted > 0 && refused > 0);
}

void survives_damage(void **) {
  for (const char *name : kAlignments)
    damage(name, [](Context &context, const Text &image) { return alignment_from_hdf5(context, image); });
  for (const char *name : kModels) damage(name, [](Context &context, const Text &image) { return model_from_hdf5(context, image); });
}

}  // namespace

const CMUnitTest tests[] = {cmocka_unit_test(reads_alignments), cmocka_unit_test(reads_models), cmocka_unit_test(survives_damage)};
ATP_TEST_MAIN(tests)
