// SPDX-License-Identifier: MIT
#include "io/symmetric.hpp"

#include "data/text.hpp"

namespace atp {

void warn_asymmetric(const Context &context, const Model &model, const char *path) {
  if (!model.symmetric())
    context.message(ATP_LOG_WARNING,
                    "%s: the couplings are not symmetric; (C_ij(a, b) + C_ji(b, a)) / 2 is written, which keeps energies "
                    "and changes conditionals",
                    ShownPath(path).text);
}

}  // namespace atp
