// What the files of the test device share: its cards, their memory, the counters.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace accel {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;
constexpr size_t kBlockBytes = 512;  // what sizes are rounded up to

// Cards. The current one belongs to the thread, as in CUDA.
c10::DeviceIndex card_count();
c10::DeviceIndex current_card();
void set_current_card(c10::DeviceIndex index);
c10::Device device_or_current(std::optional<c10::Device> device);
// Off, the device says that it is not available; tensors that exist go on working.
bool is_switched_on();
void switch_on(bool on);
bool is_forked();  // in a child of a process that used the cards

// Memory. A tensor's data pointer lies in pages that nobody may touch; the same bytes are mapped
// once more at the alias, which only this backend knows.
c10::DeviceAllocator& allocator();
void* alias_of(const void* card_pointer);
bool is_card_pointer(const void* pointer);
c10::DeviceIndex card_of_pointer(const void* pointer);
void set_limit(c10::DeviceIndex index, size_t bytes);
size_t total_bytes();
// Lets the cards have less memory than they were made with; 0: all of it. Lifts limits.
void set_total(size_t bytes);
size_t limit_bytes(c10::DeviceIndex index);
void resize_storage(const c10::Storage& storage, size_t bytes);
c10::Allocator& pinned_allocator();
bool is_pinned(const void* pointer);

// Kernel asserts. A card that failed one refuses everything until it is reset, as CUDA does.
void poison(c10::DeviceIndex index, const std::string& reason);
void check_health(c10::DeviceIndex index);
void reset_card(c10::DeviceIndex index);
bool asserts_are_asynchronous();
void set_asynchronous_asserts(bool on);

// Counters: what crossed between host and cards, and which calls had the host wait.
enum class Way { kHostToDevice, kDeviceToHost, kDeviceToDevice };
struct CardCounters {
  std::array<int64_t, 3> bytes{};
  std::array<int64_t, 3> calls{};
  int64_t syncs = 0;
  int64_t ops = 0;
};
struct Counters {
  std::vector<CardCounters> cards;
  std::map<std::string, int64_t> sync_ops;
};
using Listener =
    std::function<void(const char* kind, int64_t bytes, const std::string& op, int card)>;
void count_copy(Way way, size_t bytes, const std::string& op, c10::DeviceIndex card);
void count_sync(const std::string& op, c10::DeviceIndex card);
void count_op(c10::DeviceIndex card);
Counters read_counters();
void reset_counters();
void set_listener(Listener listener);

// Random numbers: each card has a stream of its own, drawn by the host's engine.
const at::Generator& default_generator(c10::DeviceIndex index);
const at::Generator& host_generator_of(const at::Generator& generator);

// Tensors.
at::Tensor empty_on_card(
    c10::IntArrayRef size, c10::IntArrayRef stride, caffe2::TypeMeta dtype, c10::DeviceIndex card);
// A host tensor over the same bytes, with the same sizes, strides, conjugate and negative bits.
at::Tensor lend_to_host(const at::Tensor& tensor);
// A tensor on the card with the contents of a host tensor, counted nowhere.
at::Tensor adopt(const at::Tensor& host, c10::DeviceIndex card);

}  // namespace accel
