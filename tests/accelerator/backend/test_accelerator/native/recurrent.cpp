// The fused LSTM and GRU cells that torch expects of every device but the host.
#include "card.h"

#include <ATen/ATen.h>
#include <torch/library.h>

namespace accel {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

Tensor add_bias(const Tensor& gates, const MaybeTensor& bias) {
  auto host = lend_to_host(gates);
  return bias && bias->defined() ? host + lend_to_host(*bias) : host;
}

c10::DeviceIndex begin(const Tensor& tensor) {
  auto card = tensor.device().index();
  check_health(card);
  count_op(card);
  return card;
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell(
    const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
    const MaybeTensor& input_bias, const MaybeTensor& hidden_bias) {
  auto card = begin(input_gates);
  at::AutoDispatchBelowADInplaceOrView below;
  auto gates = (add_bias(input_gates, input_bias) + add_bias(hidden_gates, hidden_bias)).chunk(4, 1);
  auto in = gates[0].sigmoid(), forget = gates[1].sigmoid(), cell = gates[2].tanh(),
       out = gates[3].sigmoid();
  auto cy = forget * lend_to_host(cx) + in * cell;
  return {
      adopt(out * cy.tanh(), card), adopt(cy, card),
      adopt(at::cat({in, forget, cell, out}, 1), card)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(
    const MaybeTensor& grad_hy, const MaybeTensor& grad_cy, const Tensor& cx, const Tensor& cy,
    const Tensor& workspace, bool has_bias) {
  bool has_hy = grad_hy && grad_hy->defined(), has_cy = grad_cy && grad_cy->defined();
  if (!has_hy && !has_cy) return {};
  auto card = begin(cx);
  at::AutoDispatchBelowADInplaceOrView below;
  auto gates = lend_to_host(workspace).chunk(4, 1);
  const auto &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
  auto squashed = lend_to_host(cy).tanh();
  auto to_hy = has_hy ? lend_to_host(*grad_hy) : at::zeros_like(squashed);
  auto to_cell = to_hy * out * (1 - squashed * squashed);
  if (has_cy) to_cell = to_cell + lend_to_host(*grad_cy);
  auto to_gates = at::cat(
      {to_cell * cell * in * (1 - in), to_cell * lend_to_host(cx) * forget * (1 - forget),
       to_cell * in * (1 - cell * cell), to_hy * squashed * out * (1 - out)},
      1);
  return {
      adopt(to_gates, card), adopt(to_cell * forget, card),
      has_bias ? adopt(to_gates.sum(0), card) : Tensor()};
}

std::tuple<Tensor, Tensor> gru_cell(
    const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
    const MaybeTensor& input_bias, const MaybeTensor& hidden_bias) {
  auto card = begin(input_gates);
  at::AutoDispatchBelowADInplaceOrView below;
  auto in = add_bias(input_gates, input_bias).chunk(3, 1);
  auto hidden = add_bias(hidden_gates, hidden_bias).chunk(3, 1);
  auto before = lend_to_host(hx);
  auto reset = (in[0] + hidden[0]).sigmoid(), update = (in[1] + hidden[1]).sigmoid();
  auto fresh = (in[2] + reset * hidden[2]).tanh();
  return {
      adopt(fresh + update * (before - fresh), card),
      adopt(at::cat({reset, update, fresh, before, hidden[2]}, 1), card)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(
    const Tensor& grad_hy, const Tensor& workspace, bool has_bias) {
  auto card = begin(grad_hy);
  at::AutoDispatchBelowADInplaceOrView below;
  auto kept = lend_to_host(workspace).chunk(5, 1);
  const auto &reset = kept[0], &update = kept[1], &fresh = kept[2], &before = kept[3],
             &hidden = kept[4];
  auto to_hy = lend_to_host(grad_hy);
  auto to_fresh = to_hy * (1 - update) * (1 - fresh * fresh);
  auto to_reset = to_fresh * hidden * reset * (1 - reset);
  auto to_update = to_hy * (before - fresh) * update * (1 - update);
  auto to_input = at::cat({to_reset, to_update, to_fresh}, 1);
  auto to_hidden = at::cat({to_reset, to_update, to_fresh * reset}, 1);
  return {
      adopt(to_input, card), adopt(to_hidden, card), adopt(to_hy * update, card),
      has_bias ? adopt(to_input.sum(0), card) : Tensor(),
      has_bias ? adopt(to_hidden.sum(0), card) : Tensor()};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_thnn_fused_lstm_cell", &lstm_cell);
  m.impl("_thnn_fused_lstm_cell_backward_impl", &lstm_cell_backward);
  m.impl("_thnn_fused_gru_cell", &gru_cell);
  m.impl("_thnn_fused_gru_cell_backward", &gru_cell_backward);
}

}  // namespace
}  // namespace accel
