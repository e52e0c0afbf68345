// SPDX-License-Identifier: MIT
#include "sample/restriction.hpp"

#include "base/checksum.hpp"
#include "base/error.hpp"

#include <algorithm>

namespace atp {

Restriction::Restriction(const ModelShape &model, int64_t kept, int64_t most) : sites_(model.sites), colors_(model.colors) {
  if (kept >= colors_)
    fail(ATP_E_VALUE, "kept-color is %lld, must be below the %lld colours of the model", static_cast<long long>(kept),
         static_cast<long long>(colors_));
  if (model.ordered && (kept >= 0 || most > 0))
    fail(ATP_E_CONFLICT, "%s is %lld: the model is autoregressive, and every sweep draws sequences that do not depend on a start",
         kept >= 0 ? "kept-color" : "max-mutations", static_cast<long long>(kept >= 0 ? kept : most));
  limits_.kept = static_cast<int>(kept);
  limits_.most = most > 0 ? static_cast<int>(std::min(most, sites_)) : -1;
}

void Restriction::lay_out(Arena &arena) {
  mask_ = arena.take<uint8_t>(sites_, colors_);
  lists_ = arena.take<uint8_t>(sites_, colors_);
  counts_ = arena.take<uint8_t>(sites_);
  opens_ = arena.take<uint8_t>(sites_);
  limits_.allowed = lists_.data();
  limits_.counts = counts_.data();
  limits_.opens = opens_.data();
}

// The allowed colours of a site. The kept one is not drawn, unless the site has no other.
void Restriction::list(int64_t place, int64_t site) {
  int64_t count = 0;
  uint8_t *to = lists_.data() + place * colors_;
  for (int64_t c = 0; c < colors_; ++c)
    if (allows(site, static_cast<uint8_t>(c)) && c != limits_.kept) to[count++] = static_cast<uint8_t>(c);
  if (count == 0) to[count++] = static_cast<uint8_t>(limits_.kept);
  counts_[place] = static_cast<uint8_t>(count);
}

// Of an autoregressive model P(s) within the allowed states is again a product of its conditionals only if those that lose colours do not
// depend on what was drawn before them.
void Restriction::check_mask(const uint8_t *mask, const Model &model) const {
  int64_t drawn = -1;  // the first site, in the order, that is drawn
  for (int64_t place = 0; place < sites_; ++place) {
    const int64_t site = model.site_at(place);
    const uint8_t *of_site = mask + site * colors_, *end = of_site + colors_;
    const uint8_t *wrong = std::find_if(of_site, end, [](uint8_t x) { return x > 1; });
    if (wrong != end)
      fail(ATP_E_VALUE, "allowed" ATP_AT2 " is %d, must be 0 or 1", static_cast<long long>(site), static_cast<long long>(wrong - of_site),
           *wrong);
    const int64_t count = std::count(of_site, end, 1);
    const auto number = [&](int64_t of) { return static_cast<long long>(model.labels.numbers()[of]); };
    if (count == 0)
      fail(ATP_E_VALUE, "allowed: site " ATP_INDEX " (number %lld) has no allowed colour, must have at least one",
           static_cast<long long>(site), number(site));
    if (!model.shape.ordered) continue;
    if (drawn >= 0 && count < colors_)
      fail(ATP_E_CONFLICT,
           "allowed: site " ATP_INDEX
           " (number %lld) has %lld of the %lld colours, must have all: the model is autoregressive and draws "
           "site " ATP_INDEX
           " (number %lld) before it. Only fixed sites at the beginning of its order and the first site after them can be "
           "restricted",
           static_cast<long long>(site), number(site), static_cast<long long>(count), static_cast<long long>(colors_),
           static_cast<long long>(drawn), number(drawn));
    if (drawn < 0 && count > 1) drawn = site;
  }
}

void Restriction::allow(const uint8_t *mask, const Model &model) {
  if (mask != nullptr) check_mask(mask, model);
  masked_ = mask != nullptr;
  if (masked_)
    std::copy_n(mask, mask_.size(), mask_.begin());
  else
    std::fill(mask_.begin(), mask_.end(), uint8_t{1});
  int64_t four = -1;
  for (int64_t place = 0; place < sites_; ++place) {
    list(place, model.site_at(place));
    opens_[place] = limits_.draws(place) && four != place / 4;
    if (limits_.draws(place)) four = place / 4;
  }
}

void Restriction::check(const uint8_t *sequences, int64_t n, const char *name) const {
  for (int64_t k = 0; k < n; ++k)
    for (int64_t i = 0; i < sites_; ++i)
      if (const uint8_t color = sequences[k * sites_ + i]; !allows(i, color)) {
        const uint8_t *of_site = mask_.begin() + i * colors_, *end = of_site + colors_;
        fail(ATP_E_VALUE,
             "%s" ATP_AT " has colour %d at site " ATP_INDEX
             ", must have one of the colours that are allowed there (%lld, the first is %lld)",
             name, static_cast<long long>(k), color, static_cast<long long>(i), static_cast<long long>(std::count(of_site, end, 1)),
             static_cast<long long>(std::find(of_site, end, 1) - of_site));
      }
}

uint64_t Restriction::checksum(uint64_t before) const {
  if (!any()) return before;
  const int64_t numbers[] = {limits_.kept, limits_.most};
  return checksum_of(numbers, checksum_of(mask_, before));
}

}  // namespace atp
