// What crossed between the host and the cards, and which calls had the host wait for a card.
#include "card.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace accel {
namespace {

std::mutex mutex;
Counters& kept() {
  static auto* counters = new Counters{std::vector<CardCounters>(card_count()), {}};
  return *counters;
}
std::shared_ptr<Listener> listener;
std::atomic<bool> has_listener{false};

void tell(const char* kind, int64_t bytes, const std::string& op, c10::DeviceIndex card) {
  if (!has_listener) return;
  std::shared_ptr<Listener> told;
  {
    std::lock_guard<std::mutex> lock(mutex);
    told = listener;
  }
  if (told) (*told)(kind, bytes, op, card);
}

}  // namespace

void count_copy(Way way, size_t bytes, const std::string& op, c10::DeviceIndex card) {
  int place = static_cast<int>(way);
  {
    std::lock_guard<std::mutex> lock(mutex);
    kept().cards[card].bytes[place] += bytes;
    kept().cards[card].calls[place] += 1;
  }
  constexpr const char* kinds[] = {"h2d", "d2h", "d2d"};
  tell(kinds[place], bytes, op, card);
}

void count_sync(const std::string& op, c10::DeviceIndex card) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    kept().cards[card].syncs += 1;
    kept().sync_ops[op] += 1;
  }
  tell("sync", 0, op, card);
}

void count_op(c10::DeviceIndex card) {
  std::lock_guard<std::mutex> lock(mutex);
  kept().cards[card].ops += 1;
}

Counters read_counters() {
  std::lock_guard<std::mutex> lock(mutex);
  return kept();
}

void reset_counters() {
  std::lock_guard<std::mutex> lock(mutex);
  kept() = Counters{std::vector<CardCounters>(card_count()), {}};
}

void set_listener(Listener told) {
  std::lock_guard<std::mutex> lock(mutex);
  has_listener = static_cast<bool>(told);
  listener = told ? std::make_shared<Listener>(std::move(told)) : nullptr;
}

}  // namespace accel
