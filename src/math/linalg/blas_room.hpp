// SPDX-License-Identifier: MIT
// Memory for BLIS, which aborts the process where malloc gives it none.
#pragma once

namespace atp {

// Held during a call of BLIS or LAPACK. Throws ATP_E_MEMORY if the process cannot have the buffers that BLIS may take in it. BLIS keeps
// its buffers: only a call beside more others than ever before needs new ones.
class BlasRoom {
 public:
  BlasRoom();
  ~BlasRoom();
  BlasRoom(const BlasRoom &) = delete;
  BlasRoom &operator=(const BlasRoom &) = delete;

 private:
  int beside_;  // calls that run, this one included
};

}  // namespace atp
