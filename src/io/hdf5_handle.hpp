// SPDX-License-Identifier: MIT
// RAII wrappers of HDF5 handles.
#pragma once

#include "base/error.hpp"

#include <hdf5.h>

#include <utility>

namespace atp {

// A handle with the function that closes it.
class Hid {
 public:
  using Close = herr_t (*)(hid_t);
  Hid() = default;
  Hid(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hid(Hid &&other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hid &operator=(Hid &&other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hid() {
    if (id_ >= 0) close_(id_);
  }
  bool ok() const { return id_ >= 0; }
  operator hid_t() const { return id_; }
  // Closes the handle now. Returns whether that worked.
  bool close() { return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// Suppresses HDF5's messages during its lifetime, then restores the user's setting.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5 &) = delete;
  QuietHdf5 &operator=(const QuietHdf5 &) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void *data_ = nullptr;
};

inline constexpr int kMaxRank = 4;

}  // namespace atp
