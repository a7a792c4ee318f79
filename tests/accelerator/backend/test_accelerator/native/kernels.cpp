// The ops that are written for the device itself: memory, views, copies, and what the fallback
// cannot do because torch gives it to the device as a whole.
#include "card.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/native/TensorShape.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstring>

namespace accel {

namespace {
const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);
}

at::Tensor empty_on_card(
    c10::IntArrayRef size, c10::IntArrayRef stride, caffe2::TypeMeta dtype,
    c10::DeviceIndex card) {
  c10::DeviceGuard guard(c10::Device(kType, card));
  return at::detail::empty_strided_generic(
      size, stride, &allocator(), kKeys, c10::typeMetaToScalarType(dtype));
}

at::Tensor lend_to_host(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.device().is_cpu()) return tensor;
  TORCH_CHECK_NOT_IMPLEMENTED(
      tensor.layout() == c10::kStrided, "accel: tensors of layout ", tensor.layout(),
      " are not implemented");
  const auto& storage = tensor.storage();
  // Resizable, for a kernel that resizes its result; it then leaves the card's memory.
  auto shared = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), storage.nbytes(),
      c10::DataPtr(alias_of(storage.data()), c10::Device(c10::DeviceType::CPU)),
      c10::GetCPUAllocator(), /*resizable=*/true);
  auto host = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(std::move(shared)), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  auto* impl = host.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.is_conj()) impl->_set_conj(true);
  if (tensor.is_neg()) impl->_set_neg(true);
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  return host;
}

at::Tensor adopt(const at::Tensor& host, c10::DeviceIndex card) {
  if (!host.defined()) return host;
  TORCH_CHECK_NOT_IMPLEMENTED(
      host.layout() == c10::kStrided, "accel: tensors of layout ", host.layout(),
      " are not implemented");
  auto tensor = empty_on_card(host.sizes(), host.strides(), host.dtype(), card);
  auto* impl = tensor.unsafeGetTensorImpl();
  size_t bytes = tensor.storage().nbytes();
  if (host.numel()) std::memcpy(alias_of(tensor.storage().data()), host.const_data_ptr(), bytes);
  if (host.is_conj()) impl->_set_conj(true);
  if (host.is_neg()) impl->_set_neg(true);
  if (host.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  return tensor;
}

namespace {

at::Tensor empty(
    c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device> device, std::optional<bool>,
    std::optional<at::MemoryFormat> format) {
  c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_generic(
      size, &allocator(), kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(
    c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> dtype,
    std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  c10::DeviceGuard guard(device_or_current(device));
  return at::detail::empty_strided_generic(
      size, stride, &allocator(), kKeys, c10::dtype_or_default(dtype));
}

// A tensor of zeros that has no memory; torch makes real zeros of it where an op needs them.
at::Tensor efficient_zeros(
    c10::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device> device, std::optional<bool>) {
  at::native::ZeroTensorAllocator nothing(device_or_current(device));
  return at::detail::empty_generic(
      size, &nothing, kKeys | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor),
      c10::dtype_or_default(dtype), std::nullopt);
}

at::Tensor as_strided(
    const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride,
    std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

void grow_storage(c10::TensorImpl* impl) {
  if (impl->numel() == 0) return;
  size_t bytes = at::detail::computeStorageNbytes(
      impl->sizes(), impl->strides(), impl->itemsize(), impl->storage_offset());
  const auto& storage = impl->unsafe_storage();
  if (bytes > storage.nbytes()) resize_storage(storage, bytes);
}

const at::Tensor& resize_(
    const at::Tensor& self, c10::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  auto* impl = self.unsafeGetTensorImpl();
  if (impl->sizes() != size) {
    impl->set_sizes_contiguous(size);
    grow_storage(impl);
  }
  if (format && *format != at::MemoryFormat::Preserve) impl->empty_tensor_restride(*format);
  return self;
}

at::Tensor& set_storage(
    at::Tensor& self, at::Storage storage, int64_t offset, c10::IntArrayRef size,
    c10::IntArrayRef stride) {
  at::native::checkSetStorage(self, std::move(storage), offset, size, stride);
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_offset(offset);
  if (stride.data() == nullptr || (stride.empty() && !size.empty()))
    impl->set_sizes_contiguous(size);
  else
    impl->set_sizes_and_strides(size, stride);
  grow_storage(impl);
  return self;
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  if (self.is_same(source)) return self;
  return set_storage(
      self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

at::Tensor& set_whole_storage(at::Tensor& self, at::Storage storage) {
  int64_t length = storage.nbytes() / self.dtype().itemsize();
  return set_storage(self, std::move(storage), 0, {length}, {});
}

at::Tensor& set_nothing(at::Tensor& self) {
  c10::DeviceGuard guard(self.device());
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), 0, allocator().allocate(0), &allocator(), true);
  return set_storage(self, c10::Storage(std::move(storage)), 0, {0}, {});
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& target, bool non_blocking) {
  bool from_card = self.device().type() == kType, to_card = target.device().type() == kType;
  if (from_card) check_health(self.device().index());
  if (to_card) check_health(target.device().index());
  size_t bytes = target.numel() * target.element_size();
  if (!from_card)
    count_copy(Way::kHostToDevice, bytes, "copy_", target.device().index());
  else if (!to_card) {
    count_copy(Way::kDeviceToHost, bytes, "copy_", self.device().index());
    if (!non_blocking) count_sync("copy to host", self.device().index());
  } else if (self.device() != target.device())
    count_copy(Way::kDeviceToDevice, bytes, "copy_", target.device().index());
  at::AutoDispatchBelowADInplaceOrView below;
  auto host = lend_to_host(target);
  host.copy_(lend_to_host(self));
  return target;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& target) {
  if (target.sizes() != self.sizes()) target.resize_(self.sizes());
  return copy_from(self, target, false);
}

at::Scalar local_scalar(const at::Tensor& self) {
  auto card = self.device().index();
  check_health(card);
  count_copy(Way::kDeviceToHost, self.element_size(), "_local_scalar_dense", card);
  count_sync("_local_scalar_dense", card);
  at::AutoDispatchBelowADInplaceOrView below;
  return lend_to_host(self).item();
}

void check_same_card(
    const at::Tensor& first, std::initializer_list<const at::Tensor*> others, const char* op) {
  check_health(first.device().index());
  for (const auto* other : others)
    TORCH_CHECK(
        !other->defined() || other->device() == first.device(),
        "Expected all tensors to be on the same device, but found at least two devices, ",
        first.device(), " and ", other->device(), "! (when checking argument in method ", op, ")");
}

const at::Tensor& on_card(const at::Tensor& first, const at::Tensor& second) {
  return first.device().type() == kType ? first : second;
}

at::Tensor convolution(
    const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
    c10::IntArrayRef stride, c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
    c10::IntArrayRef output_padding, int64_t groups) {
  at::Tensor added = bias.value_or(at::Tensor());
  const auto& first = on_card(input, weight);
  check_same_card(first, {&input, &weight, &added}, "convolution_overrideable");
  auto card = first.device().index();
  count_op(card);
  at::AutoDispatchBelowADInplaceOrView below;
  std::optional<at::Tensor> host_bias;
  if (added.defined()) host_bias = lend_to_host(added);
  return adopt(
      at::convolution(
          lend_to_host(input), lend_to_host(weight), host_bias, stride, padding, dilation,
          transposed, output_padding, groups),
      card);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& gradient, const at::Tensor& input, const at::Tensor& weight,
    c10::IntArrayRef stride, c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
    c10::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  const auto& first = on_card(input, weight);
  check_same_card(first, {&input, &weight, &gradient}, "convolution_backward_overrideable");
  auto card = first.device().index();
  count_op(card);
  at::AutoDispatchBelowADInplaceOrView below;
  std::vector<int64_t> bias_size{transposed ? weight.size(1) * groups : weight.size(0)};
  auto [for_input, for_weight, for_bias] = at::convolution_backward(
      lend_to_host(gradient), lend_to_host(input), lend_to_host(weight),
      at::OptionalIntArrayRef(bias_size), stride, padding, dilation, transposed, output_padding,
      groups, mask);
  return {adopt(for_input, card), adopt(for_weight, card), adopt(for_bias, card)};
}

// Streams run in order, so memory is free for others as soon as the tensor ends.
void record_stream(at::Tensor&, c10::Stream) {}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_efficientzerotensor", &efficient_zeros);
  m.impl("as_strided", &as_strided);
  m.impl("view", &at::native::view);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("unfold", &at::native::unfold);
  m.impl("resize_", &resize_);
  m.impl("set_.source_Storage_storage_offset", &set_storage);
  m.impl("set_.source_Tensor", &set_tensor);
  m.impl("set_.source_Storage", &set_whole_storage);
  m.impl("set_", &set_nothing);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("_local_scalar_dense", &local_scalar);
  m.impl("convolution_overrideable", &convolution);
  m.impl("convolution_backward_overrideable", &convolution_backward);
  m.impl("record_stream", &record_stream);
}

// A copy reads and writes conjugate and negative tensors as they are.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

}  // namespace
}  // namespace accel
