// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "base/ranks.hpp"

#include <attopotts/ranks.h>

using namespace atp;

namespace {

void check_ranks(const atp_ranks &ranks) {
  if (ranks.struct_bytes != static_cast<int64_t>(sizeof(atp_ranks)))
    fail(ATP_E_VALUE, "ranks->struct_bytes is %lld, must be sizeof(atp_ranks), %lld", llong{ranks.struct_bytes}, llong{sizeof(atp_ranks)});
  require_range(ranks.size, 1, kMaxRanks, "ranks->size");
  require_range(ranks.rank, 0, ranks.size - 1, "ranks->rank");
  if (ranks.size == 1) return;
  if (ranks.gather == nullptr) fail(ATP_E_NULL, "ranks->gather is NULL");
  if (ranks.sum == nullptr) fail(ATP_E_NULL, "ranks->sum is NULL");
  if (ranks.broadcast == nullptr) fail(ATP_E_NULL, "ranks->broadcast is NULL");
}

}  // namespace

atp_status atp_context_set_ranks(atp_context *context, const atp_ranks *ranks) noexcept {
  return guarded(context, "context", [&] {
    if (ranks != nullptr) check_ranks(*ranks);
    core(context)->ranks.release();
    if (ranks != nullptr) core(context)->ranks.set(*ranks);
  });
}

int64_t atp_context_rank(const atp_context *context) noexcept { return context == nullptr ? 0 : core(context)->ranks.rank(); }

int64_t atp_context_rank_count(const atp_context *context) noexcept { return context == nullptr ? 0 : core(context)->ranks.size(); }

atp_status atp_context_broadcast(atp_context *context, void *bytes, int64_t size, int64_t root) noexcept {
  return guarded_together(context, "context", [&] {
    require(bytes, "bytes");
    require_range(size, 0, INT64_MAX, "size");
    require_range(root, 0, core(context)->ranks.size() - 1, "root");
    core(context)->ranks.broadcast(bytes, size, root);
  });
}

atp_status atp_context_any(atp_context *context, int *flag) noexcept {
  int any = 0;
  const atp_status status = guarded_together(context, "context", [&] {
    require(flag, "flag");
    any = core(context)->ranks.any(*flag != 0) ? 1 : 0;
  });
  if (status == ATP_OK) *flag = any;
  return status;
}

atp_status atp_context_fail(atp_context *context, const char *text) noexcept {
  return guarded(context, "context", [&] {
    require(text, "text");
    Ranks &ranks = core(context)->ranks;
    const bool outer = ranks.begin();
    ranks.tell(text);
    ranks.end(outer);
    if (ranks.broken()) fail(ATP_E_RANK, "the other ranks could not be told: a callback has failed");
  });
}

atp_status atp_context_traffic(const atp_context *context, atp_traffic what, double *value) noexcept {
  return guarded(nullptr, [&] {
    require(context, "context");
    require(value, "value");
    require_range(what, ATP_TRAFFIC_CALLS, ATP_TRAFFIC_SECONDS, "what");
    *value = core(context)->ranks.traffic(what);
  });
}
