// The memory of the cards: out of the host's reach, bounded, counted.
//
// Each card is a memory file that is mapped twice: once with no access at all (tensors point there)
// and once readable and writable (the alias). Both mappings have the same layout, so that one
// constant leads from a pointer to its alias. The address space of a card is larger than its
// memory, so that fragments never cause an error that a real card would not have: the limit counts
// bytes.
#include "card.h"

#include <c10/util/Exception.h>

#include <fcntl.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <unordered_map>

namespace accel {
namespace {

constexpr size_t kPage = 4096;
// Freed blocks of this size give their pages back at once; smaller ones keep them for the next.
constexpr size_t kPunchBytes = 1 << 20;

size_t read_number(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

struct Card {
  std::mutex mutex;
  int file = -1;
  std::map<size_t, size_t> free_by_offset;
  std::set<std::pair<size_t, size_t>> free_by_size;  // (size, offset): best fit first
  std::unordered_map<size_t, size_t> held;           // offset -> size
  size_t limit = 0;
  c10::CachingDeviceAllocator::DeviceStats stats;
  std::string poison;
};

std::atomic<bool> forked{false};

struct Machine {
  c10::DeviceIndex count;
  size_t most;
  size_t total;   // what the cards say they have
  size_t driver;  // what the driver has of each, which no tensor can get
  size_t span;
  std::vector<Card> cards;
  char* shown = nullptr;  // where tensors point
  char* alias = nullptr;  // where the backend reads and writes
  std::once_flag mapped;

  Machine()
      : count(static_cast<c10::DeviceIndex>(read_number("TEST_ACCELERATOR_CARDS", 4))),
        most(round_up(read_number("TEST_ACCELERATOR_MEMORY", size_t(16) << 30), kPage)),
        total(most),
        driver(std::min(read_number("TEST_ACCELERATOR_DRIVER", 0), most)),
        span(2 * most + (size_t(64) << 20)),
        cards(count) {
    for (auto& card : cards) card.limit = usable();
    pthread_atfork(nullptr, nullptr, [] { forked = true; });
  }

  void map() {
    shown = reserve();
    alias = reserve();
    for (int index = 0; index < count; ++index) {
      auto& card = cards[index];
      card.file = memfd_create("accel", MFD_CLOEXEC);
      TORCH_CHECK(card.file >= 0 && ftruncate(card.file, span) == 0, "accel: no memory file");
      place(shown + index * span, PROT_NONE, card.file);
      place(alias + index * span, PROT_READ | PROT_WRITE, card.file);
      card.free_by_offset[0] = span;
      card.free_by_size.insert({span, 0});
    }
  }

  char* reserve() const {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* place = mmap(nullptr, span * count, PROT_NONE, flags, -1, 0);
    TORCH_CHECK(place != MAP_FAILED, "accel: no address space");
    return static_cast<char*>(place);
  }

  void place(char* where, int access, int file) const {
    int flags = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
    TORCH_CHECK(mmap(where, span, access, flags, file, 0) != MAP_FAILED, "accel: cannot map");
    madvise(where, span, MADV_DONTDUMP);
  }

  size_t usable() const { return total - std::min(driver, total); }

  char* base(int index) { return shown + index * span; }
};

Machine& machine() {
  static auto* made = new Machine();  // never destroyed: tensors may outlive static objects
  return *made;
}

Machine& mapped_machine() {
  auto& here = machine();
  std::call_once(here.mapped, [&] { here.map(); });
  return here;
}

Card& card_at(c10::DeviceIndex index) {
  auto& here = machine();
  TORCH_CHECK(
      index >= 0 && index < here.count, "accel error: invalid device ordinal ", int(index));
  return here.cards[index];
}

std::string in_units(size_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
  return text;
}

void punch(Card& card, size_t offset, size_t size) {
  size_t begin = round_up(offset, kPage), end = (offset + size) / kPage * kPage;
  if (end > begin)
    fallocate(card.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin);
}

size_t take_block(Card& card, size_t size) {
  auto best = card.free_by_size.lower_bound({size, 0});
  TORCH_CHECK(best != card.free_by_size.end(), "accel: the address space of the card is full");
  auto [free_size, offset] = *best;
  card.free_by_size.erase(best);
  card.free_by_offset.erase(offset);
  if (free_size > size) {
    card.free_by_offset[offset + size] = free_size - size;
    card.free_by_size.insert({free_size - size, offset + size});
  }
  card.held[offset] = size;
  return offset;
}

void give_block(Card& card, size_t offset, size_t size) {
  auto next = card.free_by_offset.lower_bound(offset);
  if (next != card.free_by_offset.end() && next->first == offset + size) {
    size += next->second;
    card.free_by_size.erase({next->second, next->first});
    next = card.free_by_offset.erase(next);
  }
  if (next != card.free_by_offset.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      card.free_by_size.erase({before->second, before->first});
      offset = before->first;
      size += before->second;
      card.free_by_offset.erase(before);
    }
  }
  card.free_by_offset[offset] = size;
  card.free_by_size.insert({size, offset});
}

[[noreturn]] void refuse(Card& card, c10::DeviceIndex index, size_t asked) {
  card.stats.num_ooms += 1;
  size_t used = card.stats.allocated_bytes[0].current;
  size_t reserved = card.stats.reserved_bytes[0].current;
  size_t total = machine().total;
  C10_THROW_ERROR(
      OutOfMemoryError,
      c10::str(
          "accel out of memory. Tried to allocate ", in_units(asked), ". Accelerator ", int(index),
          " has a total capacity of ", in_units(total), " of which ", in_units(total - reserved),
          " is free. ", in_units(card.limit), " allowed; of that, ", in_units(used),
          " is allocated by tensors, and ", in_units(reserved - used),
          " is reserved but unallocated."));
}

void release(void* pointer) {
  // A child of fork has the parent's memory before it: what it frees is not its own.
  if (pointer == nullptr || forked) return;
  auto& here = machine();
  auto index = card_of_pointer(pointer);
  auto& card = here.cards[index];
  size_t offset = static_cast<char*>(pointer) - here.base(index);
  std::lock_guard<std::mutex> lock(card.mutex);
  auto found = card.held.find(offset);
  size_t size = found->second;
  card.held.erase(found);
  if (size >= kPunchBytes) punch(card, offset, size);
  give_block(card, offset, size);
  card.stats.allocation[0].decrease(1);
  card.stats.active[0].decrease(1);
  card.stats.allocated_bytes[0].decrease(size);
  card.stats.active_bytes[0].decrease(size);
  card.stats.requested_bytes[0].decrease(size);
}

struct CardAllocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    auto index = current_card();
    c10::Device device(kType, index);
    if (bytes == 0) return {nullptr, nullptr, &release, device};
    TORCH_CHECK(
        !forked,
        "Cannot re-initialize accel in forked subprocess. To use accel with multiprocessing, you "
        "must use the 'spawn' start method");
    auto& here = mapped_machine();
    auto& card = here.cards[index];
    size_t size = round_up(bytes, kBlockBytes);
    std::lock_guard<std::mutex> lock(card.mutex);
    auto& used = card.stats.allocated_bytes[0];
    if (size + used.current > card.limit) refuse(card, index, bytes);
    char* place = here.base(index) + take_block(card, size);
    card.stats.allocation[0].increase(1);
    card.stats.active[0].increase(1);
    used.increase(size);
    card.stats.active_bytes[0].increase(size);
    card.stats.requested_bytes[0].increase(size);
    // What was reserved once stays so until empty_cache, as with CUDA's caching allocator.
    auto& reserved = card.stats.reserved_bytes[0];
    if (used.current > reserved.current) reserved.increase(used.current - reserved.current);
    return {place, place, &release, device};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* target, const void* source, size_t bytes) const override {
    std::memcpy(alias_of(target), alias_of(source), bytes);
  }

  bool initialized() override { return true; }

  void emptyCache(c10::MempoolId_t) override {
    auto& here = machine();
    if (here.shown == nullptr || forked) return;
    for (auto& card : here.cards) {
      std::lock_guard<std::mutex> lock(card.mutex);
      for (auto [offset, size] : card.free_by_offset) punch(card, offset, size);
      auto& reserved = card.stats.reserved_bytes[0];
      reserved.decrease(reserved.current - card.stats.allocated_bytes[0].current);
    }
  }

  void recordStream(const c10::DataPtr&, c10::Stream) override {}

  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override {
    auto& card = card_at(index);
    std::lock_guard<std::mutex> lock(card.mutex);
    return card.stats;
  }

  void resetAccumulatedStats(c10::DeviceIndex index) override {
    each_stat(index, [](auto& stat) { stat.reset_accumulated(); });
  }

  void resetPeakStats(c10::DeviceIndex index) override {
    each_stat(index, [](auto& stat) { stat.reset_peak(); });
  }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override {
    auto& card = card_at(index);
    std::lock_guard<std::mutex> lock(card.mutex);
    return {machine().usable() - card.stats.reserved_bytes[0].current, machine().total};
  }

 private:
  template <typename Change>
  void each_stat(c10::DeviceIndex index, Change change) {
    auto& card = card_at(index);
    std::lock_guard<std::mutex> lock(card.mutex);
    auto& stats = card.stats;
    for (auto* group : {&stats.allocation, &stats.active, &stats.allocated_bytes,
                        &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes})
      for (auto& stat : *group) change(stat);
  }
};

// Pinned memory is host memory that the backend knows by its address.
std::mutex pinned_mutex;
std::map<const char*, size_t>& pinned_blocks() {
  static auto* blocks = new std::map<const char*, size_t>();
  return *blocks;
}

void release_pinned(void* pointer) {
  if (pointer == nullptr) return;
  std::lock_guard<std::mutex> lock(pinned_mutex);
  pinned_blocks().erase(static_cast<char*>(pointer));
  std::free(pointer);
}

struct PinnedAllocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    void* place = nullptr;
    if (bytes) {
      TORCH_CHECK(posix_memalign(&place, 64, bytes) == 0, "accel: no host memory to pin");
      std::lock_guard<std::mutex> lock(pinned_mutex);
      pinned_blocks()[static_cast<char*>(place)] = bytes;
    }
    return {place, place, &release_pinned, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release_pinned; }
  void copy_data(void* target, const void* source, size_t bytes) const override {
    default_copy_data(target, source, bytes);
  }
};

CardAllocator& the_allocator() {
  static auto* made = new CardAllocator();
  return *made;
}
REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &the_allocator())

std::atomic<bool> asynchronous{true};

}  // namespace

c10::DeviceIndex card_count() { return machine().count; }
bool is_forked() { return forked; }
c10::DeviceAllocator& allocator() { return the_allocator(); }
c10::Allocator& pinned_allocator() {
  static auto* made = new PinnedAllocator();
  return *made;
}

bool is_pinned(const void* pointer) {
  std::lock_guard<std::mutex> lock(pinned_mutex);
  auto& blocks = pinned_blocks();
  auto after = blocks.upper_bound(static_cast<const char*>(pointer));
  if (after == blocks.begin()) return false;
  auto block = std::prev(after);
  return static_cast<const char*>(pointer) < block->first + block->second;
}

bool is_card_pointer(const void* pointer) {
  auto& here = machine();
  auto* place = static_cast<const char*>(pointer);
  return here.shown && place >= here.shown && place < here.shown + here.span * here.count;
}

c10::DeviceIndex card_of_pointer(const void* pointer) {
  TORCH_CHECK(is_card_pointer(pointer), "accel: the pointer is in no card's memory");
  auto& here = machine();
  return static_cast<c10::DeviceIndex>(
      (static_cast<const char*>(pointer) - here.shown) / here.span);
}

void* alias_of(const void* pointer) {
  if (pointer == nullptr) return nullptr;
  TORCH_INTERNAL_ASSERT(is_card_pointer(pointer), "accel: the pointer is in no card's memory");
  auto& here = machine();
  return here.alias + (static_cast<const char*>(pointer) - here.shown);
}

size_t total_bytes() { return machine().total; }

void set_total(size_t bytes) {
  auto& here = machine();
  TORCH_CHECK(bytes <= here.most, "accel: the cards have no more than ", here.most, " bytes");
  here.total = bytes == 0 ? here.most : round_up(bytes, kPage);
  for (auto& card : here.cards) {
    std::lock_guard<std::mutex> lock(card.mutex);
    card.limit = here.usable();
  }
}

size_t limit_bytes(c10::DeviceIndex index) {
  auto& card = card_at(index);
  std::lock_guard<std::mutex> lock(card.mutex);
  return card.limit;
}

void set_limit(c10::DeviceIndex index, size_t bytes) {
  auto& card = card_at(index);
  std::lock_guard<std::mutex> lock(card.mutex);
  card.limit = std::min(bytes, machine().usable());
}

void resize_storage(const c10::Storage& storage, size_t bytes) {
  auto* impl = storage.unsafeGetStorageImpl();
  TORCH_CHECK(impl->resizable(), "Trying to resize storage that is not resizable");
  auto before = current_card();
  set_current_card(storage.device().index());
  auto data = the_allocator().allocate(bytes);
  set_current_card(before);
  size_t kept = std::min(bytes, storage.nbytes());
  if (kept) std::memcpy(alias_of(data.get()), alias_of(storage.data()), kept);
  impl->set_data_ptr_noswap(std::move(data));
  impl->set_nbytes(bytes);
}

void poison(c10::DeviceIndex index, const std::string& reason) {
  auto& card = card_at(index);
  std::lock_guard<std::mutex> lock(card.mutex);
  if (card.poison.empty()) card.poison = reason;
}

void check_health(c10::DeviceIndex index) {
  auto& card = card_at(index);
  std::lock_guard<std::mutex> lock(card.mutex);
  if (card.poison.empty()) return;
  constexpr int kAssert = 710;  // CUDA's number for it
  throw c10::AcceleratorError(
      {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, kAssert,
      "accel error: device-side assert triggered (" + card.poison + ")");
}

void reset_card(c10::DeviceIndex index) {
  auto& card = card_at(index);
  std::lock_guard<std::mutex> lock(card.mutex);
  card.poison.clear();
}

bool asserts_are_asynchronous() { return asynchronous; }
void set_asynchronous_asserts(bool on) { asynchronous = on; }

}  // namespace accel
