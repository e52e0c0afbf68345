// SPDX-License-Identifier: MIT
// HDF5 files that other programs made: what the layout allows is read, and whatever else a file may hold is refused by name.
#include "counting.h"
#include "support.h"

#include "folder.h"

#include "alignment/options.hpp"
#include "io/hdf5_files.hpp"
#include "io/hdf5_writer.hpp"
#include "io/model_files.hpp"
#include "io/alignment_files.hpp"
#include "io/seal.hpp"

#include <functional>
#include <string>
#include <vector>

using namespace atp;

namespace {

constexpr const char *kPath = "f.h5";

const char *file_kind(Context &context, const char *path) { return Source(context, path, Source::Extent::head).kind(); }
Model *read_model(Context &context, const char *path) { return atp::read_model(Source(context, path), ATP_MODEL_AUTO, nullptr); }
Alignment *read_alignment(Context &context, const char *path, const char *alphabet, const Options &options) {
  return atp::read_alignment(Source(context, path), alphabet, options);
}

// Every test of contents runs on the formats of HDF5 1.6, 1.8 and 1.10.
constexpr H5F_libver_t kFormats[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110};

// A file written by HDF5 itself.
struct Foreign {
  explicit Foreign(H5F_libver_t lowest) {
    const Hid access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access, lowest, H5F_LIBVER_LATEST);
    file = Hid(H5Fcreate(kPath, H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    assert_true(file.ok());
  }

  void attribute(const char *name, hid_t type, const void *value, hsize_t n = 0) {
    if (H5Aexists(file, name) > 0) H5Adelete(file, name);
    const Hid space(n == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, nullptr), H5Sclose);
    const Hid attribute(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    assert_true(H5Awrite(attribute, type, value) >= 0);
  }
  void integer(const char *name, int value) { attribute(name, H5T_NATIVE_INT, &value); }
  void real(const char *name, double value) { attribute(name, H5T_NATIVE_DOUBLE, &value); }
  void text(const char *name, const std::string &value) { padded(name, value, H5T_STR_NULLTERM); }
  void padded(const char *name, const std::string &value, H5T_str_t pad) {
    const Hid type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, value.size());
    H5Tset_strpad(type, pad);
    attribute(name, type, value.data());
  }
  void header(const char *kind, int colors) {
    text("format", "attopotts");
    integer("format_version", 1);
    text("kind", kind);
    integer("index_base", 0);
    integer("colors", colors);
  }
  void data(const char *name, hid_t file_type, std::vector<hsize_t> extent, hid_t memory_type, const void *values,
            hid_t properties = H5P_DEFAULT) {
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
    const Hid space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
    const Hid dataset(H5Dcreate2(file, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
    assert_true(dataset.ok());
    if (values != nullptr) assert_true(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  }
  Hid file;
};

Hid long_text() {
  Hid type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  return type;
}

const int kColors[6] = {0, 1, 2, 2, 1, 0};
const double kWeights[2] = {1, 0.5};
const char kNames[] = "first  b\0     ";  // two of seven bytes

void good_alignment(Foreign &f) {
  f.header("alignment", 3);
  f.data("sequences", H5T_STD_I32LE, {2, 3}, H5T_NATIVE_INT, kColors);
  f.data("weights", H5T_IEEE_F32BE, {2}, H5T_NATIVE_DOUBLE, kWeights);
}

// Heads: L = 2, q = 2.
const double kMaps[4] = {0, 1, -2, 0}, kValues[4] = {1, 2, 3, 4}, kFields[4] = {0.5, 0.25, 0, 1};

void good_model(Foreign &f) {
  f.header("model", 2);
  f.real("beta", 1.5);
  f.data("maps", H5T_IEEE_F64BE, {1, 2, 2}, H5T_NATIVE_DOUBLE, kMaps);
  f.data("values", H5T_IEEE_F64LE, {1, 2, 2}, H5T_NATIVE_DOUBLE, kValues);
  f.data("fields", H5T_IEEE_F32LE, {2, 2}, H5T_NATIVE_DOUBLE, kFields);
}

void read_foreign_alignment(H5F_libver_t lowest, bool variable_length) {
  {
    Foreign f(lowest);
    good_alignment(f);
    f.padded("alphabet", "-xy  ", H5T_STR_SPACEPAD);
    f.padded("origin", std::string("line\0\0\0", 7), H5T_STR_NULLPAD);
    const int one[1] = {1};
    f.attribute("format_version", H5T_NATIVE_INT, one, 1);  // R writes arrays of one element
    const Hid type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, 7);
    f.data("names", type, {2}, type, kNames);
    if (variable_length) {
      const char *names[2] = {"first", "b"}, *alphabet = "-xy";
      const Hid variable = long_text();
      f.data("names", variable, {2}, variable, names);
      f.attribute("alphabet", variable, &alphabet);
    }
  }
  Context context(counting_alloc, counting_free, nullptr);
  Alignment *a = read_alignment(context, kPath, nullptr, Options(kAlignmentOptions));
  assert_int_equal(a->count(), 2);
  assert_int_equal(a->sites(), 3);
  assert_int_equal(a->colors(), 3);
  for (int k = 0; k < 6; ++k) assert_int_equal(a->sequences[k], kColors[k]);
  assert_true(a->weights[0] == 1 && a->weights[1] == 0.5);
  assert_string_equal(a->name(0), "first");
  assert_string_equal(a->name(1), "b");
  assert_string_equal(a->alphabet, "-xy");
  assert_string_equal(a->origin, "line");
  destroy_block(context.allocator, a);
  assert_string_equal(file_kind(context, kPath), "alignment");
}

void reads_foreign_alignments(void **) {
  for (const H5F_libver_t lowest : kFormats)
    for (const bool variable_length : {false, true}) read_foreign_alignment(lowest, variable_length);
}

void read_foreign_models(H5F_libver_t lowest) {
  {
    Foreign f(lowest);
    good_model(f);
  }
  Context context(counting_alloc, counting_free, nullptr);
  Model *m = read_model(context, kPath);
  for (int k = 0; k < 4; ++k) assert_true(m->maps[k] == kMaps[k] && m->values[k] == kValues[k] && m->fields[k] == kFields[k]);
  assert_true(m->beta == 1.5);
  destroy_block(context.allocator, m);
  double couplings[16] = {};
  for (int k = 4; k < 12; ++k) couplings[k] = k;
  {
    Foreign f(lowest);
    f.header("model", 2);
    f.real("beta", 2);
    f.data("couplings", H5T_IEEE_F32LE, {2, 2, 2, 2}, H5T_NATIVE_DOUBLE, couplings);
  }
  m = read_model(context, kPath);
  assert_true(m->shape.dense() && !m->shape.fields);
  for (int k = 0; k < 16; ++k) assert_true(m->couplings[k] == couplings[k]);
  destroy_block(context.allocator, m);
  assert_string_equal(file_kind(context, kPath), "model");
}

void reads_foreign_models(void **) {
  for (const H5F_libver_t lowest : kFormats) read_foreign_models(lowest);
}

struct Refusal {
  const char *text;
  std::function<void(Foreign &)> change;
  atp_status status = ATP_E_FORMAT;
};

template <class Read>
void refuse(const Refusal &refusal, Read &&read) {
  Context context(counting_alloc, counting_free, nullptr);
  try {
    read(context);
  } catch (const Error &e) {
    char text[640];
    copy_error_text(e.what(), Counting::from_zero, text, sizeof text);
    if (e.status() != refusal.status || std::strstr(text, refusal.text) == nullptr)
      fail_msg("status %d, \"%s\", expected %d, \"%s\"", e.status(), text, refusal.status, refusal.text);
    assert_int_equal(context.allocator.bytes(), 0);
    return;
  }
  fail_msg("accepted: %s", refusal.text);
}

Hid chunked(std::vector<hsize_t> chunk) {
  Hid properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  return properties;
}

void refuses_alignments(void **) {
  const auto sequences = [](Foreign &f, std::vector<int> values) {
    f.data("sequences", H5T_STD_I32LE, {2, 3}, H5T_NATIVE_INT, values.data());
  };
  const std::vector<Refusal> refusals = {
      {"attribute 'format' is '', must be 'attopotts'", [](Foreign &f) { H5Adelete(f.file, "format"); }},
      {"attribute 'format' is 'other', must be", [](Foreign &f) { f.text("format", "other"); }},
      {"attribute 'format' must be a string", [](Foreign &f) { f.integer("format", 3); }},
      {"attribute 'format_version' is missing", [](Foreign &f) { H5Adelete(f.file, "format_version"); }},
      {"attribute 'format_version' is 2, must be in 1..1", [](Foreign &f) { f.integer("format_version", 2); }},
      {"attribute 'format_version' must be an integer", [](Foreign &f) { f.real("format_version", 1); }},
      {"attribute 'kind' is 'model', must be 'alignment'", [](Foreign &f) { f.text("kind", "model"); }},
      {"attribute 'index_base' is 1, must be in 0..0", [](Foreign &f) { f.integer("index_base", 1); }},
      {"attribute 'colors' is missing", [](Foreign &f) { H5Adelete(f.file, "colors"); }},
      {"attribute 'colors' is 1, must be in 2..255", [](Foreign &f) { f.integer("colors", 1); }},
      {"attribute 'colors' is 256, must be in 2..255", [](Foreign &f) { f.integer("colors", 256); }},
      {"attribute 'colors' must be one value",
       [](Foreign &f) {
         const int two[2] = {3, 3};
         f.attribute("colors", H5T_NATIVE_INT, two, 2);
       }},
      {"element 2 of dataset 'sequences' is 2, must be in 0..1", [](Foreign &f) { f.integer("colors", 2); }},
      {"element 4 of dataset 'sequences' is -1, must be",
       [&](Foreign &f) {
         sequences(f, {0, 1, 2, 2, -1, 0});
       }},
      {"element 1 of dataset 'sequences' is 256, must be",
       [&](Foreign &f) {
         sequences(f, {0, 256, 2, 2, 1, 0});
       }},
      {"element 5 of dataset 'sequences' is 1073741824, must be",
       [&](Foreign &f) {
         sequences(f, {0, 1, 2, 2, 1, 1 << 30});
       }},
      {"dataset 'sequences' is missing", [](Foreign &f) { H5Ldelete(f.file, "sequences", H5P_DEFAULT); }},
      {"dataset 'sequences' must hold integers",
       [](Foreign &f) {
         f.data("sequences", H5T_IEEE_F64LE, {2, 3}, H5T_NATIVE_INT, kColors);
       }},
      {"dataset 'sequences' has 1 dimensions, must have 2",
       [](Foreign &f) { f.data("sequences", H5T_STD_U8LE, {6}, H5T_NATIVE_INT, kColors); }},
      {"dataset 'sequences' has 1 sites, needs at least 2",
       [](Foreign &f) {
         f.data("sequences", H5T_STD_U8LE, {2, 1}, H5T_NATIVE_INT, kColors);
       }},
      {"dataset 'sequences' has extent 0",
       [](Foreign &f) {
         f.data("sequences", H5T_STD_U8LE, {0, 3}, H5T_NATIVE_INT, nullptr);
       }},
      {"dataset 'sequences' needs 1099511627776 bytes, the file has 0 for it",
       [](Foreign &f) {
         f.data("sequences", H5T_STD_U8LE, {1 << 20, 1 << 20}, H5T_NATIVE_INT, nullptr, chunked({64, 64}));
       }},
      {"dataset 'sequences' has extent",
       [](Foreign &f) {
         f.data("sequences", H5T_STD_U8LE, {1ull << 40, 1ull << 40}, H5T_NATIVE_INT, nullptr, chunked({64, 64}));
       }},
      {"dataset 'sequences' needs 6 bytes, the file has 0 for it",
       [](Foreign &f) {
         f.data("sequences", H5T_STD_U8LE, {2, 3}, H5T_NATIVE_INT, nullptr);
       }},
      {"dataset 'weights' has extent 3 in dimension 0, must have 2",
       [](Foreign &f) {
         const double w[3] = {1, 1, 1};
         f.data("weights", H5T_NATIVE_DOUBLE, {3}, H5T_NATIVE_DOUBLE, w);
       }},
      {"dataset 'weights' must hold real numbers", [](Foreign &f) { f.data("weights", H5T_NATIVE_INT, {2}, H5T_NATIVE_INT, kColors); }},
      {"weights[1] is -1, must be >= 0",
       [](Foreign &f) {
         const double w[2] = {1, -1};
         f.data("weights", H5T_NATIVE_DOUBLE, {2}, H5T_NATIVE_DOUBLE, w);
       }},
      {"element 1 of dataset 'weights' is nan, must be finite",
       [](Foreign &f) {
         const double w[2] = {1, NAN};
         f.data("weights", H5T_NATIVE_DOUBLE, {2}, H5T_NATIVE_DOUBLE, w);
       },
       ATP_E_NOT_FINITE},
      {"alphabet does not have one symbol per colour", [](Foreign &f) { f.text("alphabet", "-x"); }},
      {"'x' occurs twice", [](Foreign &f) { f.text("alphabet", "-xx"); }},
      {"attribute 'alphabet' has 300 bytes, at most 255", [](Foreign &f) { f.text("alphabet", std::string(300, 'x')); }},
      {"attribute 'origin' has 5000 bytes, at most 4096 are read",
       [](Foreign &f) { f.padded("origin", std::string(5000, 'x'), H5T_STR_NULLPAD); }},
      {"attribute 'alphabet' must be a string", [](Foreign &f) { f.integer("alphabet", 3); }},
      {"attribute 'origin' must be a string", [](Foreign &f) { f.real("origin", 3); }},
      {"dataset 'weights' has 2 dimensions, must have 1",
       [](Foreign &f) {
         f.data("weights", H5T_NATIVE_DOUBLE, {2, 1}, H5T_NATIVE_DOUBLE, kWeights);
       }},
      {"dataset 'site_numbers' must hold integers",
       [](Foreign &f) { f.data("site_numbers", H5T_NATIVE_DOUBLE, {3}, H5T_NATIVE_INT, kColors); }},
      {"dataset 'site_residues' must hold strings",
       [](Foreign &f) { f.data("site_residues", H5T_STD_U8LE, {3}, H5T_NATIVE_INT, kColors); }},
      {"dataset 'site_columns' has extent 2", [](Foreign &f) { f.data("site_columns", H5T_STD_U8LE, {2}, H5T_NATIVE_INT, kColors); }},
      {"dataset 'names' must hold strings", [](Foreign &f) { f.data("names", H5T_STD_I32LE, {2}, H5T_NATIVE_INT, kColors); }},
      {"element 0 of dataset 'names': byte 1 has the code 10, must be one line",
       [](Foreign &f) {
         const char *names[2] = {"a\n>b", "c"};
         const Hid type = long_text();
         f.data("names", type, {2}, type, names);
       }},
      {"dataset 'names' has extent 1 in dimension 0, must have 2", [](Foreign &f) { f.data("names", H5T_C_S1, {1}, H5T_C_S1, "x"); }},
      // A line end in a name would be a record more in FASTA.
      {"element 1 of dataset 'names': byte 1 has the code 10, must be one line",
       [](Foreign &f) {
         const Hid type(H5Tcopy(H5T_C_S1), H5Tclose);
         H5Tset_size(type, 8);
         f.data("names", type, {2}, type, "first\0\0\0b\n>x\nAAA");
       }},
      {"attribute 'origin': byte 4 has the code 13, must be one line", [](Foreign &f) { f.text("origin", "line\rmore"); }},
      {"attribute 'origin': byte 4 has the code 155, must be one line", [](Foreign &f) { f.text("origin", "line\x9b[31m"); }},
      {"attribute 'origin': byte 6 has the code 155, must be one line", [](Foreign &f) { f.text("origin", "l\xc3\xa4ne \xc2\x9b[31m"); }},
      // Links that lead elsewhere, and data outside of the file.
      {"'sequences' is a soft link, which is not followed, must be a dataset",
       [](Foreign &f) {
         H5Lmove(f.file, "sequences", f.file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
         H5Lcreate_soft("/elsewhere", f.file, "sequences", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {"'sequences' is an external link, which is not followed",
       [](Foreign &f) {
         H5Ldelete(f.file, "sequences", H5P_DEFAULT);
         H5Lcreate_external("other.h5", "/sequences", f.file, "sequences", H5P_DEFAULT, H5P_DEFAULT);
       }},
      {"'sequences' is a group or a type, must be a dataset",
       [](Foreign &f) {
         H5Ldelete(f.file, "sequences", H5P_DEFAULT);
         const Hid group(H5Gcreate2(f.file, "sequences", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
       }},
      {"dataset 'sequences' keeps its data outside of the file",
       [](Foreign &f) {
         const Hid properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
         H5Pset_external(properties, "raw", 0, 6);
         f.data("sequences", H5T_STD_U8LE, {2, 3}, H5T_NATIVE_INT, kColors, properties);
       }},
      {"dataset 'sequences' has the filter 6",
       [](Foreign &f) {
         const Hid properties = chunked({2, 3});
         H5Pset_scaleoffset(properties, H5Z_SO_INT, 0);
         f.data("sequences", H5T_STD_U8LE, {2, 3}, H5T_NATIVE_INT, kColors, properties);
       }},
      {"dataset 'sequences' has the filter 1",
       [](Foreign &f) {  // deflate of deflate can hide 10^6 times its size
         const Hid properties = chunked({2, 3});
         H5Pset_deflate(properties, 1);
         H5Pset_deflate(properties, 1);
         f.data("sequences", H5T_STD_U8LE, {2, 3}, H5T_NATIVE_INT, kColors, properties);
       }},
  };
  for (const H5F_libver_t lowest : kFormats)
    for (const Refusal &refusal : refusals) {
      {
        const QuietHdf5 quiet;
        Foreign f(lowest);
        good_alignment(f);
        refusal.change(f);
      }
      refuse(refusal, [](Context &context) { read_alignment(context, kPath, nullptr, Options(kAlignmentOptions)); });
    }
}

void refuses_models(void **) {
  const auto reals = [](Foreign &f, const char *name, std::vector<hsize_t> extent, std::vector<double> values) {
    f.data(name, H5T_NATIVE_DOUBLE, extent, H5T_NATIVE_DOUBLE, values.data());
  };
  const std::vector<Refusal> refusals = {
      {"attribute 'kind' is 'alignment', must be 'model'", [](Foreign &f) { f.text("kind", "alignment"); }},
      {"attribute 'beta' is missing", [](Foreign &f) { H5Adelete(f.file, "beta"); }},
      {"attribute 'beta' is -1, must be >= 0", [](Foreign &f) { f.real("beta", -1); }},
      {"attribute 'beta' is inf, must be finite", [](Foreign &f) { f.real("beta", INFINITY); }, ATP_E_NOT_FINITE},
      {"attribute 'beta' must be a real number", [](Foreign &f) { f.text("beta", "1"); }},
      {"dataset 'maps' is missing", [](Foreign &f) { H5Ldelete(f.file, "maps", H5P_DEFAULT); }},
      {"dataset 'values' is missing", [](Foreign &f) { H5Ldelete(f.file, "values", H5P_DEFAULT); }},
      {"dataset 'maps' has extent 3 in dimension 2, must have 2",
       [&](Foreign &f) {
         reals(f, "maps", {1, 2, 3}, {0, 1, 2, 1, 0, 1});
       }},
      {"sites is 1, must be in 2",
       [&](Foreign &f) {
         reals(f, "maps", {1, 1, 1}, {0});
         H5Ldelete(f.file, "fields", H5P_DEFAULT);
       }},
      {"dataset 'maps' couples site 1 to itself, must be 0 there",
       [&](Foreign &f) {
         reals(f, "maps", {1, 2, 2}, {0, 1, 1, 1e-300});
       }},
      {"element 1 of dataset 'maps' is inf",
       [&](Foreign &f) {
         reals(f, "maps", {1, 2, 2}, {0, INFINITY, 1, 0});
       },
       ATP_E_NOT_FINITE},
      // As atp_model_create_heads and atp_model_set_beta.
      {"attribute 'beta' is 2e+100, must be at most 1e+100", [](Foreign &f) { f.real("beta", 2e100); }},
      {"element 2 of dataset 'maps' is -1.5e+100, must be at most 1e+100",
       [&](Foreign &f) {
         reals(f, "maps", {1, 2, 2}, {0, 1, -1.5e100, 0});
       }},
      {"element 0 of dataset 'fields' is 1e+200, must be at most 1e+100",
       [&](Foreign &f) {
         reals(f, "fields", {2, 2}, {1e200, 0, 0, 0});
       }},
      {"element 3 of dataset 'values' is nan",
       [&](Foreign &f) {
         reals(f, "values", {1, 2, 2}, {0, 1, 1, NAN});
       },
       ATP_E_NOT_FINITE},
      {"dataset 'values' has extent 2 in dimension 0, must have 1",
       [&](Foreign &f) {
         reals(f, "values", {2, 2, 2}, std::vector<double>(8));
       }},
      {"dataset 'values' has extent 3 in dimension 1, must have 2",
       [&](Foreign &f) {
         reals(f, "values", {1, 3, 2}, std::vector<double>(6));
       }},
      {"dataset 'fields' has extent 3 in dimension 0, must have 2",
       [&](Foreign &f) {
         reals(f, "fields", {3, 2}, std::vector<double>(6));
       }},
      {"both 'couplings' and 'maps' are there",
       [&](Foreign &f) {
         reals(f, "couplings", {2, 2, 2, 2}, std::vector<double>(16));
       }},
      {"dataset 'couplings' couples site 0 to itself",
       [&](Foreign &f) {
         H5Ldelete(f.file, "maps", H5P_DEFAULT);
         std::vector<double> c(16);
         c[3] = 1;
         reals(f, "couplings", {2, 2, 2, 2}, c);
       }},
      {"dataset 'couplings' has extent 3 in dimension 3, must have 2",
       [&](Foreign &f) {
         H5Ldelete(f.file, "maps", H5P_DEFAULT);
         reals(f, "couplings", {2, 2, 2, 3}, std::vector<double>(24));
       }},
  };
  for (const H5F_libver_t lowest : kFormats)
    for (const Refusal &refusal : refusals) {
      {
        const QuietHdf5 quiet;
        Foreign f(lowest);
        good_model(f);
        refusal.change(f);
      }
      refuse(refusal, [](Context &context) { read_model(context, kPath); });
    }
}

// What may be absent is not taken as absent where something else has its name.
void refuses_what_is_no_dataset(void **) {
  const auto soft = [](Foreign &f, const char *name) { H5Lcreate_soft("/elsewhere", f.file, name, H5P_DEFAULT, H5P_DEFAULT); };
  const auto external = [](Foreign &f, const char *name) { H5Lcreate_external("o.h5", "/x", f.file, name, H5P_DEFAULT, H5P_DEFAULT); };
  const auto group = [](Foreign &f, const char *name) { Hid(H5Gcreate2(f.file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose); };
  const auto type = [](Foreign &f, const char *name) {
    const Hid made(H5Tcopy(H5T_NATIVE_INT), H5Tclose);
    H5Tcommit2(f.file, name, made, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  };
  const struct {
    void (*put)(Foreign &, const char *);
    const char *text;
  } kinds[] = {{soft, "' is a soft link, which is not followed, must be a dataset"},
               {external, "' is an external link, which is not followed, must be a dataset"},
               {group, "' is a group or a type, must be a dataset"},
               {type, "' is a group or a type, must be a dataset"}};
  const auto read_data = [](Context &context) { read_alignment(context, kPath, nullptr, Options(kAlignmentOptions)); };
  const auto read_parameters = [](Context &context) { read_model(context, kPath); };
  for (const H5F_libver_t lowest : kFormats)
    for (const int others : {0, 20})  // more links than a header holds
      for (const auto &kind : kinds)
        for (const char *name :
             {"weights", "names", "site_numbers", "site_residues", "site_columns", "fields", "pair_couplings", "couplings"}) {
          const bool model = std::strchr("fpc", name[0]) != nullptr;
          {
            const QuietHdf5 quiet;
            Foreign f(lowest);
            model ? good_model(f) : good_alignment(f);
            if (H5Lexists(f.file, name, H5P_DEFAULT) > 0) H5Lmove(f.file, name, f.file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
            if (std::strstr(name, "couplings") != nullptr) H5Ldelete(f.file, "maps", H5P_DEFAULT);
            kind.put(f, name);
            for (int k = 0; k < others; ++k) group(f, ("other" + std::to_string(k)).c_str());
          }
          const std::string text = std::string("'") + name + kind.text;
          const Refusal refusal{text.c_str(), {}};
          model ? refuse(refusal, read_parameters) : refuse(refusal, read_data);
        }
}

// Attributes whose messages lie apart from the object have names that are not known: the alphabet could be among them.
void refuses_shared_attributes(void **) {
  {
    const Hid create(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_shared_mesg_nindexes(create, 1);
    H5Pset_shared_mesg_index(create, 0, H5O_SHMESG_ATTR_FLAG, 1);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    Foreign f(H5F_LIBVER_V18);
    f.file = Hid(H5Fcreate("shared.h5", H5F_ACC_TRUNC, create, access), H5Fclose);
    good_alignment(f);
    f.text("alphabet", "-xy");
  }
  Context context(counting_alloc, counting_free, nullptr);
  try {
    read_alignment(context, "shared.h5", nullptr, Options(kAlignmentOptions));
    fail_msg("the file was read");
  } catch (const Error &e) {
    if (std::strstr(e.what(), "attributes that are shared between objects") == nullptr) fail_msg("%s", e.what());
  }
}

// A dataset 'sequences' alone is an alignment, as a matrix of whole numbers in a text is.
void reads_plain_sequences(void **) {
  for (const H5F_libver_t lowest : kFormats) {
    {
      Foreign f(lowest);
      f.data("sequences", H5T_STD_I64LE, {2, 3}, H5T_NATIVE_INT, kColors);
    }
    Context other(counting_alloc, counting_free, nullptr);
    assert_string_equal(file_kind(other, kPath), "unknown");
    for (const int64_t asked : {0, 3, 7}) {
      Context context(counting_alloc, counting_free, nullptr);
      Options options(kAlignmentOptions);
      options.set(ATP_OPT_COLORS, asked);
      Alignment *a = read_alignment(context, kPath, nullptr, options);
      assert_true(a->count() == 2 && a->sites() == 3 && a->colors() == (asked == 0 ? 3 : asked));
      for (int k = 0; k < 6; ++k) assert_int_equal(a->sequences[k], kColors[k]);
      assert_true(a->weights[0] == 1 && a->weights[1] == 1 && !a->has_names() && a->alphabet[0] == 0);
      destroy_block(context.allocator, a);
    }
    const auto of_two = [](Context &context) {
      Options options(kAlignmentOptions);
      options.set(ATP_OPT_COLORS, int64_t{2});
      read_alignment(context, kPath, nullptr, options);
    };
    refuse({"element 2 of dataset 'sequences' is 2, must be in 0..1", {}}, of_two);
    {
      Foreign f(lowest);
      const int large[4] = {0, 255, 1, 2};
      f.data("sequences", H5T_STD_I64LE, {2, 2}, H5T_NATIVE_INT, large);
    }
    refuse({"element 1 of dataset 'sequences' is 255, must be in 0..254", {}},
           [](Context &context) { read_alignment(context, kPath, nullptr, Options(kAlignmentOptions)); });
  }
}

// Bytes from a pipe, say, go through the same reader without a file.
void reads_images(void **) {
  Context context(counting_alloc, counting_free, nullptr);
  for (const bool sealed : {false, true}) {
    Model *m = nullptr;
    {
      Foreign f(H5F_LIBVER_V18);
      good_model(f);
    }
    m = read_model(context, kPath);
    if (sealed) write_model_hdf5(context, *m, kPath);
    destroy_block(context.allocator, m);
    InputFile file(kPath);
    std::string bytes(static_cast<std::size_t>(file.size()), 0);
    assert_int_equal(file.read(&bytes[0], file.size()), file.size());
    assert_int_equal(find_seal(file).found, sealed);
    const auto read = [&] { return model_from_hdf5(context, {{bytes.data(), static_cast<int64_t>(bytes.size())}, "bytes"}); };
    m = read();
    for (int k = 0; k < 4; ++k) assert_true(m->maps[k] == kMaps[k]);
    destroy_block(context.allocator, m);
    if (!sealed) continue;
    bytes[bytes.size() / 2] ^= 1;
    refuse({"bytes: damaged, its checksum does not match", {}}, [&](Context &) { read(); });
    refuse({"bytes: attribute 'kind' is 'model', must be 'alignment'", {}}, [&](Context &other) {
      bytes[bytes.size() / 2] ^= 1;
      alignment_from_hdf5(other, {{bytes.data(), static_cast<int64_t>(bytes.size())}, "bytes"});
    });
  }
}

// HDF5 cuts our seal off when it changes a file, so that a changed file is read by its content.
void seal_goes_with_a_change(void **) {
  Context context(counting_alloc, counting_free, nullptr);
  {
    Foreign f(H5F_LIBVER_V18);
    good_model(f);
  }
  Model *m = read_model(context, kPath);
  write_model_hdf5(context, *m, kPath);
  destroy_block(context.allocator, m);
  {
    const Hid file(H5Fopen(kPath, H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose), attribute(H5Aopen(file, "beta", H5P_DEFAULT), H5Aclose);
    const double beta = 2.5;
    assert_true(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &beta) >= 0);
  }
  InputFile file(kPath);
  assert_false(find_seal(file).found);
  m = read_model(context, kPath);
  assert_true(m->beta == 2.5);
  destroy_block(context.allocator, m);
}

// The host's setting of HDF5's messages is kept.
void keeps_error_printing(void **) {
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  assert_non_null(reinterpret_cast<void *>(before));
  assert_int_equal(folder_put(kPath, "\x89HDF\r\n\x1a\n\x03", 9), 0);
  Context context(counting_alloc, counting_free, nullptr);
  refuse({"damaged HDF5 file: the superblock at byte 0 of 9", {}}, [](Context &other) { read_model(other, kPath); });
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  assert_true(before == after);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(reads_foreign_alignments),
      cmocka_unit_test(reads_foreign_models),
      cmocka_unit_test(refuses_alignments),
      cmocka_unit_test(refuses_models),
      cmocka_unit_test(reads_images),
      cmocka_unit_test(seal_goes_with_a_change),
      cmocka_unit_test(keeps_error_printing),
      cmocka_unit_test(refuses_what_is_no_dataset),
      cmocka_unit_test(refuses_shared_attributes),
      cmocka_unit_test(reads_plain_sequences),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown) != 0;
}
