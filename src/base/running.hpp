// SPDX-License-Identifier: MIT
// Whether a call works with a handle and has not returned. Its callbacks may make other calls; those that would change the handle under it
// ask first.
#pragma once

#include "base/error.hpp"

namespace atp {

class Running {
 public:
  // Throws ATP_E_STAGE within a callback of such a call.
  void require_idle(const char *what) const {
    if (on_) fail(ATP_E_STAGE, "the %s is in use by a call that has not returned: callbacks cannot make this call", what);
  }

  // One such call, from begin to end.
  class Call {
   public:
    Call(Running &running, const char *what) : running_(running) {
      running.require_idle(what);
      running.on_ = true;
    }
    ~Call() { running_.on_ = false; }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

   private:
    Running &running_;
  };

 private:
  bool on_ = false;
};

}  // namespace atp
