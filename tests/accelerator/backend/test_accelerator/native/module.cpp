// What the Python package calls.
#include "card.h"

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

namespace py = pybind11;

namespace {

py::dict to_dict(const accel::CardCounters& card) {
  py::dict told;
  constexpr const char* ways[] = {"h2d", "d2h", "d2d"};
  for (int way = 0; way < 3; ++way) {
    told[py::str(std::string(ways[way]) + "_bytes")] = card.bytes[way];
    told[py::str(std::string(ways[way]) + "_calls")] = card.calls[way];
  }
  told["syncs"] = card.syncs;
  told["ops"] = card.ops;
  return told;
}

py::dict counters() {
  auto read = accel::read_counters();
  accel::CardCounters sum;
  py::list cards;
  for (const auto& card : read.cards) {
    for (int way = 0; way < 3; ++way) {
      sum.bytes[way] += card.bytes[way];
      sum.calls[way] += card.calls[way];
    }
    sum.syncs += card.syncs;
    sum.ops += card.ops;
    cards.append(to_dict(card));
  }
  auto told = to_dict(sum);
  told["sync_ops"] = read.sync_ops;
  told["cards"] = cards;
  return told;
}

void listen(py::object callback) {
  if (callback.is_none()) {
    accel::set_listener(nullptr);
    return;
  }
  // The object is given up with the lock held, wherever the last copy of the function ends.
  std::shared_ptr<py::object> kept(new py::object(callback), [](py::object* object) {
    py::gil_scoped_acquire locked;
    delete object;
  });
  accel::set_listener([kept](const char* kind, int64_t bytes, const std::string& op, int card) {
    py::gil_scoped_acquire locked;
    (*kept)(kind, bytes, op, card);
  });
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("card_count", [] { return int(accel::card_count()); });
  m.def("current_card", [] { return int(accel::current_card()); });
  m.def("set_current_card", [](int index) { accel::set_current_card(index); });
  m.def("is_switched_on", &accel::is_switched_on);
  m.def("switch", &accel::switch_on);
  m.def("is_forked", &accel::is_forked);
  m.def("total_bytes", &accel::total_bytes);
  m.def("set_total", &accel::set_total);
  m.def("limit_bytes", [](int index) { return accel::limit_bytes(index); });
  m.def("set_limit", [](int index, size_t bytes) { accel::set_limit(index, bytes); });
  m.def("empty_cache", [] { accel::allocator().emptyCache(); });
  m.def("check_health", [](int index) { accel::check_health(index); });
  m.def("reset_card", [](int index) { accel::reset_card(index); });
  m.def("set_asynchronous_asserts", &accel::set_asynchronous_asserts);
  m.def("default_generator", [](int index) { return accel::default_generator(index); });
  m.def("counters", &counters);
  m.def("reset_counters", &accel::reset_counters);
  m.def("listen", &listen);
}
