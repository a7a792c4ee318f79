"""The test device behaves as a real one would: its memory, copies, waits and refusals."""

import gc
import signal
import subprocess
import sys
import threading

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import dlpack

pytestmark = pytest.mark.usefixtures("accelerator")
MIB = 1 << 20


def run(program):
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )


# Memory


def test_the_host_cannot_read_the_memory_of_a_card(backend_on_path):
    done = run(
        "import ctypes, faulthandler, torch\n"
        "x = torch.ones(4, device='accel:1')\n"
        "print('made', x.sum().item(), flush=True)\n"
        "faulthandler.disable()\n"
        "ctypes.string_at(x.data_ptr(), 4)\n"
        "print('read')"
    )
    assert done.stdout == "made 4.0\n"
    assert done.returncode == -signal.SIGSEGV


def test_memory_in_use_and_its_peak_are_counted(accelerator):
    gc.collect()
    before = accelerator.memory_stats(2)
    x = torch.empty(1000, device="accel:2")
    now = accelerator.memory_stats(2)
    name = "allocated_bytes.all.current"
    assert now[name] - before[name] == 4096  # rounded up to 512 bytes
    assert now["allocation.all.allocated"] - before["allocation.all.allocated"] == 1
    del x
    assert accelerator.memory_stats(2)[name] == before[name]
    assert accelerator.memory_stats(2)["allocated_bytes.all.peak"] >= before[name] + 4096
    accelerator.reset_peak_memory_stats(2)
    assert accelerator.memory_stats(2)["allocated_bytes.all.peak"] == before[name]


def test_what_is_freed_stays_reserved_until_the_cache_is_emptied(accelerator):
    accelerator.empty_cache()
    before = accelerator.memory_reserved(1)
    torch.empty(8 * MIB, dtype=torch.uint8, device="accel:1")
    assert accelerator.memory_reserved(1) >= before + 8 * MIB
    free, total = accelerator.mem_get_info(1)
    assert total - free == accelerator.memory_reserved(1)
    torch.accelerator.empty_cache()
    assert accelerator.memory_reserved(1) == before


def test_freed_neighbours_are_one_block_again(accelerator):
    blocks = [torch.empty(MIB, dtype=torch.uint8, device="accel:3") for _ in range(8)]
    start = min(block.data_ptr() for block in blocks)
    del blocks
    whole = torch.empty(8 * MIB, dtype=torch.uint8, device="accel:3")
    assert whole.data_ptr() == start


def test_a_card_that_is_full_refuses(accelerator):
    accelerator.set_memory_limit(2 * MIB + accelerator.memory_allocated(0), 0)
    held = torch.empty(MIB, dtype=torch.uint8, device="accel:0")
    with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 1\.50 MiB"):
        torch.empty(3 * MIB // 2, dtype=torch.uint8, device="accel:0")
    torch.empty(2 * MIB, dtype=torch.uint8, device="accel:1")
    del held
    torch.empty(3 * MIB // 2, dtype=torch.uint8, device="accel:0")


def test_a_fraction_of_the_card_is_a_limit(accelerator):
    accelerator.set_per_process_memory_fraction(0.0001, 0)
    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(8 * MIB, dtype=torch.uint8, device="accel:0")


def test_a_child_process_of_fork_cannot_use_the_cards(backend_on_path):
    done = run(
        "import os, torch\n"
        "x = torch.ones(3, device='accel')\n"
        "if os.fork() == 0:\n"
        "    del x\n"
        "    try:\n"
        "        torch.ones(3, device='accel')\n"
        "    except RuntimeError as error:\n"
        "        os._exit(7 if 'forked subprocess' in str(error) else 1)\n"
        "status = os.waitstatus_to_exitcode(os.wait()[1])\n"
        "print(status, torch.ones(3, device='accel').data_ptr() != x.data_ptr(), x.tolist())"
    )
    assert done.stdout == "7 True [1.0, 1.0, 1.0]\n", done.stderr


def test_a_process_that_made_gradients_ends_well(backend_on_path):
    done = run(
        "import torch\n"
        "x = torch.ones(3, device='accel:1', requires_grad=True)\n"
        "x.sgn().abs().sum().backward()\n"
        "print(x.grad.tolist())"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("[0.0, 0.0, 0.0]\n", "", 0)


# Devices


def test_tensors_of_two_devices_do_not_mix():
    card, other, host = (torch.ones(2, 2, device=name) for name in ("accel:0", "accel:1", "cpu"))
    for run in (torch.add, torch.matmul, lambda x, y: torch.cat([x, y]), F.linear):
        with pytest.raises(RuntimeError, match=r"same device.*accel:0 and cpu"):
            run(card, host)
        with pytest.raises(RuntimeError, match=r"same device.*accel:0 and accel:1"):
            run(card, other)


def test_scalars_of_the_host_mix_where_cuda_lets_them():
    card, number = torch.ones(2, device="accel"), torch.tensor(3.0)
    assert (card * number).tolist() == [3, 3]
    assert torch.where(card > 0, number, card).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="same device"):
        card.index_select(0, torch.tensor(1))


def test_a_result_is_on_the_card_of_its_inputs(accelerator):
    x = torch.ones(2, device="accel:3")
    assert accelerator.current_device() == 0
    assert {y.device for y in (x + 1, x.exp(), x.sort()[1], x.sum())} == {x.device}


def test_the_current_card_belongs_to_the_thread(accelerator):
    accelerator.set_device("accel:2")
    seen = []
    thread = threading.Thread(target=lambda: seen.append(torch.ones(1, device="accel").device))
    thread.start()
    thread.join()
    assert seen == [torch.device("accel:0")]
    assert torch.ones(1, device="accel").device == torch.device("accel:2")


def test_numpy_is_refused():
    with pytest.raises(TypeError, match="can't convert accel:0 device type tensor to numpy"):
        torch.ones(1, device="accel:0").numpy()


def test_switched_off_there_is_no_accelerator(accelerator):
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == 4
    accelerator.switch(False)
    assert not torch.accelerator.is_available()
    assert accelerator.device_count() == torch.accelerator.device_count() == 0
    accelerator.switch(True)


def test_properties(accelerator):
    facts = [accelerator.get_device_properties(index) for index in range(4)]
    assert {fact.name for fact in facts} == {"Test Accelerator"}
    assert len({fact.uuid for fact in facts}) == 4
    with pytest.raises(RuntimeError, match="invalid device ordinal 4"):
        accelerator.get_device_properties(4)
    with pytest.raises(RuntimeError, match="invalid device ordinal 4"):
        torch.ones(1, device="accel:4")


# Copies and waits


def test_copies_are_counted_by_their_way(accelerator):
    with accelerator.counted() as counted:
        x = torch.ones(10).to("accel:0")
        assert (counted.h2d, counted.d2h, counted.d2d, counted.syncs) == (40, 0, 0, 0)
        y = x.to("accel:1")
        y.copy_(y * 2)
        assert (counted.h2d, counted.d2d, counted.syncs) == (40, 40, 0)
        y[:5].cpu()
    assert (counted.d2h, counted.d2h_calls, counted.sync_ops) == (20, 1, {"copy to host": 1})
    assert accelerator.counters()["cards"][1]["d2h_bytes"] == 20


def test_computing_on_a_card_copies_nothing(accelerator):
    layer = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to("accel:0")
    x = torch.randn(3, 4, device="accel:0")
    with accelerator.counted() as counted:
        layer(x).square().sum().backward()
        torch.linalg.qr(x)
        x.sort()[0][1:].contiguous()
        torch.fft.rfft(x)
        x[0, 1] = 5.0
        x.clamp_(min=0)
    assert (counted.h2d, counted.d2h, counted.d2d, counted.syncs) == (0, 0, 0, 0)
    assert counted.ops > 10


@pytest.mark.parametrize(
    ("op", "waits"),
    [
        (lambda x: x.sum().item(), "_local_scalar_dense"),
        (lambda x: bool((x > 0).any()), "_local_scalar_dense"),
        (lambda x: x.nonzero(), "nonzero"),
        (lambda x: x[x > 1], "index"),
        (lambda x: x.index_put((x > 1,), x[:2]), "_index_put_impl_"),
        (lambda x: torch.masked_select(x, x > 1), "masked_select"),
        (lambda x: x.unique(), "_unique2"),
        (lambda x: x.unique_consecutive(), "unique_consecutive"),
        (lambda x: torch.bincount(x), "bincount"),
        (lambda x: torch.repeat_interleave(x), "repeat_interleave"),
        (lambda x: torch.equal(x, x), "equal"),
        (lambda x: torch.linalg.inv(torch.eye(2, device="accel")), "_local_scalar_dense"),
    ],
)
def test_ops_that_wait_are_counted_by_name(accelerator, op, waits):
    x = torch.arange(4, device="accel")
    with accelerator.counted() as counted:
        op(x)
    assert waits in counted.sync_ops and counted.syncs == sum(counted.sync_ops.values()) == 1


def test_ops_that_know_their_size_do_not_wait(accelerator):
    x = torch.arange(4, device="accel")
    with accelerator.counted() as counted:
        torch.repeat_interleave(x, output_size=6)
        x[x > 1] = 7
        x[torch.zeros(2, dtype=torch.long, device="accel")]
        x.masked_fill_(x > 1, 0)
    assert counted.syncs == 0


def test_host_indices_are_moved_and_counted(accelerator):
    x = torch.arange(4.0, device="accel")
    with accelerator.counted() as counted:
        assert x[torch.tensor([2, 1])].tolist() == [2, 1]
        x[torch.tensor([0])] = 9.0
    assert counted.h2d == 24
    assert x.tolist() == [9, 1, 2, 3]


def test_stacks_say_where_a_copy_comes_from(accelerator):
    with accelerator.counted(stacks=True) as counted:
        torch.ones(2).to("accel")
        torch.ones(2, device="accel").sum().item()
    assert [event.kind for event in counted.events] == ["h2d", "d2h", "sync"]
    assert "test_stacks_say_where_a_copy_comes_from" in counted.events[0].stack
    assert "_local_scalar_dense" in str(counted.events[2])


# Kernel asserts


@pytest.mark.parametrize(
    "op",
    [
        lambda x, i: x[i],
        lambda x, i: x.index_select(0, i),
        lambda x, i: x.gather(0, i),
        lambda x, i: x.take(i),
        lambda x, i: x.scatter(0, i, 1.0),
        lambda x, i: x.scatter_add(0, i, x[:1]),
        lambda x, i: x.index_add(0, i, x[:1]),
        lambda x, i: x.index_copy(0, i, x[:1]),
        lambda x, i: x.index_fill(0, i, 1.0),
        lambda x, i: x.index_put((i,), x[:1]),
        lambda x, i: F.embedding(i, x[:, None]),
        lambda x, i: F.nll_loss(x[None], i),
        lambda x, i: F.one_hot(i, 3),
        lambda x, i: torch._assert_async(i < 3),
    ],
)
def test_an_index_out_of_range_fails_at_the_next_wait(accelerator, op):
    x, index = torch.arange(3.0, device="accel:1"), torch.tensor([5], device="accel:1")
    op(x, index)
    for wait in (x.cpu, accelerator.synchronize, lambda: x + 1):
        accelerator.set_device(1)
        with pytest.raises(RuntimeError, match="accel error: device-side assert triggered"):
            wait()
    assert torch.ones(1, device="accel:0").item() == 1
    accelerator.reset_device(1)
    assert x.tolist() == [0, 1, 2]


def test_a_wrong_shape_fails_at_once(accelerator):
    x = torch.ones(3, device="accel")
    with pytest.raises(IndexError):
        x.gather(4, torch.zeros(1, dtype=torch.long, device="accel"))
    with pytest.raises(RuntimeError):
        x.index_add(0, torch.zeros(2, dtype=torch.long, device="accel"), x)
    accelerator.synchronize()


def test_asserts_can_be_synchronous(accelerator):
    accelerator.set_asynchronous_asserts(False)
    with pytest.raises(IndexError):
        torch.ones(3, device="accel")[torch.tensor([5], device="accel")]
    accelerator.synchronize()


# Ops


def same(op, *shapes, dtype=torch.float32):
    """Return whether an op has the same result, and gradient, on the card as on the host."""
    hosts = [torch.rand(shape, dtype=dtype, requires_grad=True) for shape in shapes]
    cards = [host.detach().to("accel:1").requires_grad_() for host in hosts]
    wanted, found = op(*hosts), op(*cards)
    assert found.device == torch.device("accel:1")
    torch.testing.assert_close(found.cpu(), wanted)
    wanted.abs().sum().backward()
    found.abs().sum().backward()
    for host, card in zip(hosts, cards, strict=True):
        torch.testing.assert_close(card.grad.cpu(), host.grad)


def test_convolutions():
    same(F.conv2d, (2, 3, 8, 8), (4, 3, 3, 3), (4,))
    same(F.conv_transpose2d, (2, 3, 4, 4), (3, 4, 3, 3), (4,))
    same(lambda x, w: F.conv1d(x, w, groups=2, padding=1), (2, 4, 9), (4, 2, 3))


def test_a_convolution_has_a_second_gradient():
    def twice(x, w):
        [gradient] = torch.autograd.grad(F.conv2d(x, w).pow(3).sum(), x, create_graph=True)
        return gradient

    same(twice, (1, 2, 5, 5), (3, 2, 3, 3))


def test_normalisation_and_attention():
    same(lambda x: F.batch_norm(x, None, None, training=True), (4, 3, 5))
    same(lambda x, w: F.layer_norm(x, (5,), w), (4, 5), (5,))
    same(F.scaled_dot_product_attention, (2, 2, 4, 8), (2, 2, 4, 8), (2, 2, 4, 8))
    norm = nn.BatchNorm1d(3).to("accel")
    norm(torch.full((2, 3), 10.0, device="accel"))
    assert norm.running_mean.tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers(kind):
    torch.manual_seed(0)
    host = kind(3, 4, num_layers=2, bidirectional=True)
    card = kind(3, 4, num_layers=2, bidirectional=True).to("accel:1")
    card.load_state_dict(host.state_dict())
    x = torch.randn(5, 2, 3)
    wanted, found = host(x)[0], card(x.to("accel:1"))[0]
    torch.testing.assert_close(found.cpu(), wanted)
    wanted.square().sum().backward()
    found.square().sum().backward()
    for before, after in zip(host.parameters(), card.parameters(), strict=True):
        torch.testing.assert_close(after.grad.cpu(), before.grad)


def test_linear_algebra_and_transforms():
    same(torch.linalg.solve, (3, 3), (3, 2))
    same(lambda a, b: torch.linalg.solve(a, b, left=False), (3, 3), (2, 3), dtype=torch.complex64)
    same(lambda x: torch.linalg.svdvals(x), (4, 3))
    same(lambda x: torch.linalg.cholesky(x @ x.mT + torch.eye(3, device=x.device)), (3, 3))
    same(lambda x: torch.fft.fft2(x), (4, 4), dtype=torch.complex64)


def test_conjugates():
    same(lambda x, y: x.conj() @ y, (3, 3), (3, 3), dtype=torch.complex64)
    same(lambda x: torch.view_as_real(x * 2j).sum(-1), (4,), dtype=torch.complex64)
    x = torch.tensor([1 + 2j]).to("accel")
    assert x.conj().cpu().tolist() == [1 - 2j]
    assert x.conj().imag.cpu().tolist() == [-2]
    assert x.conj().imag.item() == -2


# torch's own rules for forward mode are scripts, which torch warns about.
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_functional_transforms():
    x = torch.rand(3, 4, device="accel:1")
    rows = torch.func.vmap(lambda row: row.sin().sum())(x)
    torch.testing.assert_close(rows.cpu(), x.cpu().sin().sum(1))
    jacobian = torch.func.jacrev(lambda v: v**2)(x[0])
    torch.testing.assert_close(jacobian.cpu(), torch.diag(2 * x[0].cpu()))
    _, tangent = torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))
    torch.testing.assert_close(tangent.cpu(), x.cpu().cos())


def test_views_share_memory():
    x = torch.zeros(3, 4, device="accel")
    views = (x.t()[0], x.view(12)[4:5], x[2:, :1].squeeze(), x.unfold(1, 2, 2)[1, 1])
    for view in views:
        view.fill_(1)
    assert x.tolist() == [[1, 0, 0, 0], [1, 0, 1, 1], [1, 0, 0, 0]]
    assert x.view(torch.int32)[0, 0].item() == 0x3F800000
    z = torch.zeros(2, dtype=torch.complex64, device="accel")
    torch.view_as_real(z)[0, 1] = 5
    assert z.tolist() == [5j, 0]


def test_ops_in_place():
    x = torch.arange(4.0, device="accel")
    place = x.data_ptr()
    x.add_(1).mul_(2)
    torch.nn.init.constant_(x[:1], 9)
    x[1:].sort(descending=True)
    assert (x.tolist(), x.data_ptr()) == ([9, 4, 6, 8], place)


def test_results_given_to_out():
    x, target = torch.ones(2, 3, device="accel"), torch.empty(0, device="accel")
    assert torch.add(x, x, out=target) is target
    assert target.shape == (2, 3) and target.sum().item() == 12
    values, indices = torch.empty(0, device="accel"), torch.empty(0, dtype=torch.long).to("accel")
    torch.sort(x, out=(values, indices))
    assert values.shape == indices.shape == (2, 3)
    with pytest.warns(UserWarning, match="was resized"):
        torch.cumsum(x, 0, out=torch.empty(2, device="accel"))


def test_resizing_keeps_contents():
    x = torch.arange(3.0, device="accel")
    x.resize_(5)[3:] = 7
    assert x.tolist() == [0, 1, 2, 7, 7]
    x.untyped_storage().resize_(4)
    assert x.resize_(1).tolist() == [0]
    x.set_(torch.ones(2, device="accel"))
    assert x.tolist() == [1, 1]


def test_random_numbers_of_a_card_are_its_own():
    torch.manual_seed(1)
    host = torch.rand(3)
    torch.manual_seed(1)
    torch.rand(5, device="accel:1")
    F.dropout(torch.ones(5, device="accel:1"))
    torch.testing.assert_close(torch.rand(3), host)
    torch.manual_seed(1)
    first = torch.rand(3, device="accel:1")
    torch.manual_seed(1)
    torch.testing.assert_close(torch.rand(3, device="accel:1").cpu(), first.cpu())
    generator = torch.Generator("accel:1").manual_seed(5)
    assert generator.device == torch.device("accel:1")
    torch.randn(2, device="accel:1", generator=generator)
    with pytest.raises(RuntimeError, match="generator"):
        torch.randn(2, device="accel:1", generator=torch.Generator())


def test_dlpack_keeps_the_memory():
    x = torch.ones(3, device="accel:2")
    y = dlpack.from_dlpack(dlpack.to_dlpack(x))
    y.add_(1)
    assert y.device == x.device and x.tolist() == [2, 2, 2]


def test_many_threads():
    def work(card):
        x = torch.arange(100.0, device=f"accel:{card % 4}")
        for _ in range(50):
            y = (x * 2).sum()
        sums.append(y.item())

    sums = []
    threads = [threading.Thread(target=work, args=(card,)) for card in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [9900.0] * 8


def test_streams_events_and_pinned_memory():
    stream, event = torch.Stream("accel:1"), torch.Event("accel:1")
    with stream:
        x = torch.ones(2).pin_memory().to("accel:1", non_blocking=True)
    event.record(stream)
    event.synchronize()
    torch.accelerator.synchronize(1)
    assert x.tolist() == [1, 1] and torch.ones(2).pin_memory().is_pinned()
