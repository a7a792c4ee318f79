// What the fallback knows of an op: read once from its schema and the tables below.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

namespace accel {

struct OpFacts {
  std::string name;         // without the namespace and the overload
  std::vector<bool> writes;  // for each argument
  // CUDA leaves the check of devices to TensorIterator, which lets 0-dimensional host tensors pass.
  bool mixes_host_scalars = false;
  bool takes_host_indices = false;  // index and index_put_: moves them to the card without a word
  bool syncs = false;               // the size of the result depends on values
  bool asserts = false;             // fails inside the kernel, after the call has returned
  bool reads_indices = false;       // as above, for an index that is out of range
  int generator = -1;               // its place among the arguments
  bool draws_unasked = false;       // random, but takes no generator
};

const OpFacts& facts_of(const c10::OperatorHandle& op);
bool is_index_argument(const std::string& name);

}  // namespace accel
