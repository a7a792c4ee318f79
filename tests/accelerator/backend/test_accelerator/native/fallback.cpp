// Runs every other op on the host, over the card's own bytes, and gives its results to the card.
//
// No tensor is copied on the way in: the host's kernel sees the alias of the card's memory. A
// result that is an argument, or lies in an argument's memory, is that argument or a view of it;
// any other result moves to the card, counted nowhere, since a real card would have made it there.
#include "card.h"
#include "op_facts.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstring>
#include <mutex>

namespace accel {
namespace {

using Stack = torch::jit::Stack;

struct Lent {
  at::Tensor tensor;  // the card's
  at::Tensor host;    // over the same bytes
  bool written;
};

bool is_on_card(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == kType;
}

template <typename Visit>
void each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector())
      if (tensor.defined()) visit(tensor);
  } else if (value.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
      if (tensor && tensor->defined()) visit(*tensor);
  }
}

template <typename Change>
c10::IValue change_tensors(const c10::IValue& value, Change change) {
  if (value.isTensor()) return change(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> changed;
    for (const at::Tensor& tensor : value.toTensorVector()) changed.push_back(change(tensor));
    return changed;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> changed;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector())
      changed.push_back(tensor ? std::optional<at::Tensor>(change(*tensor)) : std::nullopt);
    return changed;
  }
  return value;
}

bool is_mask(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte;
}

class HostCall {
 public:
  HostCall(const c10::OperatorHandle& op, Stack& stack)
      : op_(op),
        stack_(stack),
        facts_(facts_of(op)),
        first_(stack.size() - op.schema().arguments().size()) {}

  void run() {
    find_card();
    check_devices();
    check_health(card_);
    count_op(card_);
    count_waits();
    lend_arguments();
    call();
    for (auto& lent : lent_) settle(lent);
    for (size_t place = stack_.size() - op_.schema().returns().size(); place < stack_.size();
         ++place)
      stack_[place] =
          change_tensors(stack_[place], [&](const at::Tensor& result) { return give(result); });
  }

 private:
  c10::IValue& argument(size_t place) { return stack_[first_ + place]; }
  size_t argument_count() const { return facts_.writes.size(); }
  const c10::Argument& declared(size_t place) const { return op_.schema().arguments()[place]; }

  void find_card() {
    for (size_t place = 0; place < argument_count() && card_ < 0; ++place)
      each_tensor(argument(place), [&](const at::Tensor& tensor) {
        if (card_ < 0 && is_on_card(tensor)) card_ = tensor.device().index();
      });
    for (size_t place = 0; place < argument_count() && card_ < 0; ++place)
      if (argument(place).isDevice() && argument(place).toDevice().type() == kType)
        card_ = device_or_current(argument(place).toDevice()).index();
    if (card_ < 0) card_ = current_card();
  }

  // CUDA refuses tensors of two devices, with these words.
  void check_devices() {
    c10::Device here(kType, card_);
    for (size_t place = 0; place < argument_count(); ++place) {
      bool moves = facts_.takes_host_indices && declared(place).name() == "indices";
      each_tensor(argument(place), [&](const at::Tensor& tensor) {
        if (tensor.device() == here) return;
        if (tensor.device().is_cpu()) {
          if (moves) {
            size_t bytes = tensor.numel() * tensor.element_size();
            count_copy(Way::kHostToDevice, bytes, facts_.name, card_);
            return;
          }
          if (facts_.mixes_host_scalars && tensor.dim() == 0 && !facts_.writes[place]) return;
        }
        TORCH_CHECK(
            false, "Expected all tensors to be on the same device, but found at least two devices, ",
            here, " and ", tensor.device(), "! (when checking argument ", declared(place).name(),
            " in method ", facts_.name, ")");
      });
    }
  }

  void count_waits() {
    if (facts_.syncs) {
      // repeat_interleave knows the size of its result when it is told.
      bool told = facts_.name == "repeat_interleave" && argument_count() > 1 &&
          !argument(1).isNone();
      if (!told) count_sync(facts_.name, card_);
    }
    if (!facts_.takes_host_indices) return;
    int masks = 0, others = 0;
    for (size_t place = 0; place < argument_count(); ++place)
      if (declared(place).name() == "indices")
        each_tensor(argument(place), [&](const at::Tensor& tensor) {
          ++(is_mask(tensor) ? masks : others);
        });
    if (masks == 0 || (masks == 1 && others == 0 && fills_with_number())) return;
    count_sync(facts_.name, card_);
  }

  // x[mask] = number becomes masked_fill on CUDA: the positions need not be counted. There the
  // number comes as a host tensor; torch makes it on any other device.
  bool fills_with_number() {
    for (size_t place = 0; place < argument_count(); ++place)
      if (declared(place).name() == "values") {
        const auto& values = argument(place).toTensor();
        return values.dim() == 0 || (values.numel() == 1 && values.is_cpu());
      }
    return false;
  }

  at::Tensor lend(const at::Tensor& tensor, bool written) {
    if (!is_on_card(tensor)) return tensor;
    for (auto& lent : lent_)
      if (lent.tensor.is_same(tensor)) {
        lent.written |= written;
        return lent.host;
      }
    auto host = lend_to_host(tensor);
    // Tensors that share a storage do so on the host too: kernels look for overlaps by it.
    for (const auto& lent : lent_)
      if (lent.tensor.storage().unsafeGetStorageImpl() ==
          tensor.storage().unsafeGetStorageImpl()) {
        host.unsafeGetTensorImpl()->set_storage_keep_dtype(lent.host.storage());
        break;
      }
    lent_.push_back({tensor, host, written});
    return host;
  }

  void lend_arguments() {
    for (size_t place = 0; place < argument_count(); ++place) {
      auto& value = argument(place);
      bool written = facts_.writes[place];
      if (value.isDevice())
        value = c10::Device(c10::DeviceType::CPU);
      else if (static_cast<int>(place) == facts_.generator)
        value = host_generator_of(value.isNone() ? default_generator(card_) : value.toGenerator());
      else if (declared(place).name() == "pin_memory")
        value = false;
      else
        value = change_tensors(
            value, [&](const at::Tensor& tensor) { return lend(tensor, written); });
    }
  }

  void call() {
    at::AutoDispatchBelowADInplaceOrView below;
    if (facts_.draws_unasked)
      call_with_cards_numbers();
    else if ((facts_.reads_indices || facts_.asserts) && asserts_are_asynchronous())
      call_asynchronously();
    else
      call_host();
  }

  void call_host() {
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);
  }

  // Such an op asks the host's default generator; for the time of the call it has the card's state.
  void call_with_cards_numbers() {
    static std::mutex one_at_a_time;
    std::lock_guard<std::mutex> lock(one_at_a_time);
    auto host = at::detail::getDefaultCPUGenerator();
    auto card = host_generator_of(default_generator(card_));
    auto before = host.get_state();
    host.set_state(card.get_state());
    try {
      call_host();
    } catch (...) {
      host.set_state(before);
      throw;
    }
    card.set_state(host.get_state());
    host.set_state(before);
  }

  // An index out of range fails inside the kernel: the call returns, and its result is garbage.
  void call_asynchronously() {
    std::vector<c10::IValue> arguments(stack_.begin() + first_, stack_.end());
    try {
      call_host();
    } catch (const c10::Error& error) {
      stack_.resize(first_);
      if (!facts_.asserts) {
        for (size_t place = 0; place < arguments.size(); ++place)
          stack_.push_back(without_indices(place, arguments[place]));
        try {
          call_host();
        } catch (const c10::Error&) {
          throw error;  // it was not the indices
        }
      }
      poison(card_, facts_.name + ": " + error.what_without_backtrace());
    }
  }

  c10::IValue without_indices(size_t place, const c10::IValue& value) {
    if (!is_index_argument(declared(place).name())) return value;
    return change_tensors(value, [](const at::Tensor& tensor) {
      return tensor.defined() && !is_mask(tensor) ? at::zeros_like(tensor) : tensor;
    });
  }

  // A kernel may have resized what it wrote: then its bytes lie on the host.
  void settle(Lent& lent) {
    if (!lent.written) return;
    const auto& storage = lent.tensor.storage();
    const auto& on_host = lent.host.storage();
    if (on_host.data() != alias_of(storage.data())) {
      resize_storage(storage, on_host.nbytes());
      if (on_host.nbytes())
        std::memcpy(alias_of(storage.data()), on_host.data(), on_host.nbytes());
    }
    auto* impl = lent.tensor.unsafeGetTensorImpl();
    if (lent.host.sizes() != lent.tensor.sizes() || lent.host.strides() != lent.tensor.strides() ||
        lent.host.storage_offset() != lent.tensor.storage_offset())
      impl->set_sizes_and_strides(
          lent.host.sizes(), lent.host.strides(), lent.host.storage_offset());
    if (lent.host.is_conj() != lent.tensor.is_conj()) impl->_set_conj(lent.host.is_conj());
    if (lent.host.is_neg() != lent.tensor.is_neg()) impl->_set_neg(lent.host.is_neg());
  }

  at::Tensor give(const at::Tensor& result) {
    if (!result.defined() || is_on_card(result)) return result;
    for (const auto& lent : lent_)
      if (result.is_same(lent.host)) return lent.tensor;
    const auto* storage = result.storage().unsafeGetStorageImpl();
    for (const auto& lent : lent_)
      if (storage == lent.host.storage().unsafeGetStorageImpl()) return view_of(lent, result);
    return adopt(result, card_);
  }

  static at::Tensor view_of(const Lent& lent, const at::Tensor& result) {
    auto view = at::detail::make_tensor<c10::TensorImpl>(
        c10::Storage(lent.tensor.storage()), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
        result.dtype());
    auto* impl = view.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(result.sizes(), result.strides(), result.storage_offset());
    if (result.is_conj()) impl->_set_conj(true);
    if (result.is_neg()) impl->_set_neg(true);
    return view;
  }

  const c10::OperatorHandle& op_;
  Stack& stack_;
  const OpFacts& facts_;
  size_t first_;
  c10::DeviceIndex card_ = -1;
  std::vector<Lent> lent_;
};

void run_on_host(const c10::OperatorHandle& op, Stack* stack) { HostCall(op, *stack).run(); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

// torch would take these apart: index, to look for masks; the others, for devices without a kernel.
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const char* name :
       {"index.Tensor", "addr", "addr.out", "all.dims_out", "any.dims_out", "native_group_norm",
        "native_layer_norm", "linalg__powsum"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

}  // namespace
}  // namespace accel
