// What torch asks of a device type: the guard, streams and events, generators, hooks.
#include "card.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/GeneratorForPrivateuseone.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <chrono>

namespace accel {
namespace {

thread_local c10::DeviceIndex current = 0;
std::atomic<bool> switched_on{true};
// Every stream runs at once, in the order of the calls; its number only tells streams apart.
thread_local std::map<c10::DeviceIndex, c10::StreamId> current_streams;
std::atomic<c10::StreamId> last_stream{0};

void check_index(c10::DeviceIndex index) {
  TORCH_CHECK(
      index >= 0 && index < card_count(), "accel error: invalid device ordinal ", int(index));
}

using Moment = std::chrono::steady_clock::time_point;

struct Guard final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = kType;
  Guard() = default;
  explicit Guard(c10::DeviceType) {}
  c10::DeviceType type() const override { return kType; }
  c10::Device getDevice() const override { return {kType, current}; }
  c10::Device exchangeDevice(c10::Device device) const override {
    auto before = getDevice();
    setDevice(device);
    return before;
  }
  void setDevice(c10::Device device) const override {
    check_index(device.index());
    current = device.index();
  }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.index() >= 0 && device.index() < card_count()) current = device.index();
  }
  // All cards, switched on or not: autograd starts its threads once, by this number.
  c10::DeviceIndex deviceCount() const noexcept override { return card_count(); }

  c10::Stream getStream(c10::Device device) const override {
    auto known = current_streams.find(device.index());
    c10::StreamId id = known == current_streams.end() ? 0 : known->second;
    return c10::Stream(c10::Stream::UNSAFE, device, id);
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    if (device.index() < 0) device = getDevice();
    return c10::Stream(c10::Stream::UNSAFE, device, ++last_stream);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    auto before = getStream(stream.device());
    current_streams[stream.device_index()] = stream.id();
    return before;
  }
  void* getStreamNativeHandle(const c10::Stream) const override { return nullptr; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream& stream) const override {
    check_health(stream.device_index());
  }
  void synchronizeDevice(const c10::DeviceIndex index) const override { check_health(index); }

  void record(
      void** event, const c10::Stream&, const c10::DeviceIndex,
      const c10::EventFlag) const override {
    if (*event == nullptr) *event = new Moment();
    *static_cast<Moment*>(*event) = std::chrono::steady_clock::now();
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Moment*>(event);
  }
  double elapsedTime(void* first, void* second, const c10::DeviceIndex) const override {
    std::chrono::duration<double, std::milli> passed =
        *static_cast<Moment*>(second) - *static_cast<Moment*>(first);
    return passed.count();
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

// A card's random numbers: the host's engine, seeded and drawn apart from the host's own.
struct CardGenerator final : c10::GeneratorImpl {
  explicit CardGenerator(c10::DeviceIndex index, at::Generator engine)
      : GeneratorImpl({kType, index}, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        engine(std::move(engine)) {}
  void set_current_seed(uint64_t seed) override { engine.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { engine.set_offset(offset); }
  uint64_t get_offset() const override { return engine.get_offset(); }
  uint64_t current_seed() const override { return engine.current_seed(); }
  uint64_t seed() override { return engine.seed(); }
  void set_state(const c10::TensorImpl& state) override {
    engine.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return engine.unsafeGetGeneratorImpl()->get_state();
  }
  CardGenerator* clone_impl() const override {
    return new CardGenerator(device_.index(), engine.clone());
  }
  at::Generator engine;
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return switched_on; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return switched_on ? card_count() : 0; }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_current_card(index); }
  c10::DeviceIndex getCurrentDevice() const override { return current; }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    auto before = current;
    set_current_card(index);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return index < 0 ? current : exchangeDevice(index);
  }
  at::Device getDeviceFromPtr(void* data) const override {
    return {kType, card_of_pointer(data)};
  }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  at::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(index < 0 ? current : index);
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    if (index < 0) index = current;
    check_index(index);
    return at::make_generator<CardGenerator>(index, at::detail::createCPUGenerator());
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    resize_storage(storage, bytes);
  }
};
struct RegisterHooks {
  RegisterHooks() { at::RegisterPrivateUse1HooksInterface(new Hooks()); }
} register_hooks;

}  // namespace

c10::DeviceIndex current_card() { return current; }

void set_current_card(c10::DeviceIndex index) {
  check_index(index);
  current = index;
}

c10::Device device_or_current(std::optional<c10::Device> device) {
  if (!device || !device->has_index()) return {kType, current};
  check_index(device->index());
  return *device;
}

bool is_switched_on() { return switched_on; }
void switch_on(bool on) { switched_on = on; }

const at::Generator& default_generator(c10::DeviceIndex index) {
  check_index(index);
  static auto* generators = [] {
    auto* made = new std::vector<at::Generator>();
    for (c10::DeviceIndex card = 0; card < card_count(); ++card)
      made->push_back(
          at::make_generator<CardGenerator>(card, at::detail::createCPUGenerator()));
    return made;
  }();
  return (*generators)[index];
}

const at::Generator& host_generator_of(const at::Generator& generator) {
  TORCH_CHECK(
      generator.device().type() == kType, "Expected a 'accel' device type for generator but found '",
      generator.device().type(), "'");
  return static_cast<CardGenerator*>(generator.unsafeGetGeneratorImpl())->engine;
}

}  // namespace accel
