#include "op_facts.h"

#include <ATen/core/enum_tag.h>

#include <mutex>
#include <unordered_map>
#include <unordered_set>

// Written by the build, from torch's own list of ops: kUncheckedOps.
#include "unchecked_ops.h"

namespace accel {
namespace {

using Names = std::unordered_set<std::string>;

// The host waits for these on CUDA: it has to know a size, or returns a Python value.
const Names kSyncs{
    "nonzero",           "masked_select", "_unique",          "_unique2",
    "unique_dim",        "bincount",      "equal",            "unique_consecutive",
    "unique_dim_consecutive", "cholesky", "linalg_eig",       "_linalg_eigvals",
    "linalg_eigvals",    "linalg_lstsq",  "repeat_interleave",
};

// Which kernels of these assert on the device that an index is in range.
const Names kReadsIndices{
    "index",          "_unsafe_index",   "_index_put_impl_", "index_put",      "index_put_",
    "_unsafe_index_put", "index_select", "gather",           "take",           "put",
    "put_",           "scatter",         "scatter_",         "scatter_add",    "scatter_add_",
    "scatter_reduce", "scatter_reduce_", "index_add",        "index_add_",     "index_copy",
    "index_copy_",    "index_fill",      "index_fill_",      "index_reduce",   "index_reduce_",
    "embedding",      "embedding_dense_backward",            "_embedding_bag", "_embedding_bag_forward_only",
    "nll_loss_forward", "nll_loss_backward", "nll_loss2d_forward", "nll_loss2d_backward",
    "multi_margin_loss", "multi_margin_loss_backward", "max_unpool2d", "max_unpool3d",
};

const Names kTakesHostIndices{
    "index", "_unsafe_index", "_index_put_impl_", "index_put", "index_put_", "_unsafe_index_put",
};

bool is_unchecked(const std::string& full_name) {
  static const Names names(std::begin(kUncheckedOps), std::end(kUncheckedOps));
  return names.count(full_name) > 0;
}

OpFacts read_facts(const c10::OperatorHandle& op) {
  const auto& schema = op.schema();
  OpFacts facts;
  auto full = schema.name();
  facts.name = full.substr(full.find("::") + 2);
  auto overload = schema.overload_name();
  facts.mixes_host_scalars =
      is_unchecked(overload.empty() ? facts.name : facts.name + "." + overload);
  facts.takes_host_indices = kTakesHostIndices.count(facts.name) > 0;
  facts.syncs = kSyncs.count(facts.name) > 0;
  facts.reads_indices = kReadsIndices.count(facts.name) > 0;
  facts.asserts = facts.name == "_assert_async";
  const auto& arguments = schema.arguments();
  for (size_t place = 0; place < arguments.size(); ++place) {
    const auto* alias = arguments[place].alias_info();
    facts.writes.push_back(alias != nullptr && alias->isWrite());
    if (arguments[place].name() == "generator") facts.generator = static_cast<int>(place);
  }
  facts.draws_unasked =
      facts.generator < 0 && op.hasTag(at::Tag::nondeterministic_seeded);
  return facts;
}

}  // namespace

bool is_index_argument(const std::string& name) {
  return name == "index" || name == "indices" || name == "target";
}

const OpFacts& facts_of(const c10::OperatorHandle& op) {
  static std::mutex mutex;
  static auto* known = new std::unordered_map<const void*, OpFacts>();
  const void* key = &op.operator_name();  // lives as long as the op is registered
  std::lock_guard<std::mutex> lock(mutex);
  auto found = known->find(key);
  if (found == known->end()) found = known->emplace(key, read_facts(op)).first;
  return found->second;
}

}  // namespace accel
