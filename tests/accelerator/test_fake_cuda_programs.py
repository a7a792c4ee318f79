"""What the guides to GPUs teach, on CUDA cards of fake tensors: where things run, and their shapes.

Numbers read from a card are zeros here; what is made on the host is real.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import placewise as tf
from placewise import v1 as tf1
from placewise.core.errors import InvalidArgumentError
from tests.accelerator.fake_cuda import Cards

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).parent / "fake_cuda_run.py"


@pytest.fixture
def cuda(cuda: Cards) -> Cards:
    """Let the test read zeros from the cards."""
    cuda.may_read = True
    return cuda


def memory_of(tensor: Any) -> str:
    return str(tensor._value.device)


def operands() -> tuple[Any, Any]:
    return tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([[1.0, 2.0]] * 3)


def test_a_product_runs_on_the_first_card(cuda: Cards) -> None:
    product = tf.matmul(*operands())
    assert product.device.endswith("/device:GPU:0")
    assert (memory_of(product), product.shape) == ("cuda:0", [2, 2])


def test_operands_of_the_cpu_are_copied_to_the_card(cuda: Cards) -> None:
    with tf.device("/CPU:0"):
        a, b = operands()
    product = tf.matmul(a, b)
    assert [memory_of(tensor) for tensor in (a, b, product)] == ["cpu", "cpu", "cuda:0"]
    assert a.device.endswith("CPU:0") and product.device.endswith("GPU:0")


def test_a_card_is_chosen_by_its_number(cuda: Cards) -> None:
    with tf.device("/device:GPU:2"):
        product = tf.matmul(*operands())
    assert memory_of(product) == "cuda:2"


def test_a_card_that_is_not_there_is_an_error(cuda: Cards) -> None:
    with pytest.raises(RuntimeError, match="GPU:7 unknown device"), tf.device("/device:GPU:7"):
        operands()


def test_soft_placement_takes_another_card(cuda: Cards) -> None:
    tf.config.set_soft_device_placement(True)
    with pytest.warns(UserWarning, match="GPU:7"), tf.device("/device:GPU:7"):
        product = tf.matmul(*operands())
    assert memory_of(product) == "cuda:0"


def test_memory_grows_on_demand(cuda: Cards) -> None:
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    assert memory_of(tf.ones([4])) == "cuda:0"


def test_one_card_becomes_two_devices(cuda: Cards) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    tf.config.set_visible_devices(gpus[1], "GPU")
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
    tf.config.set_logical_device_configuration(gpus[1], [limit, limit])
    with tf.device("/GPU:1"):
        ones = tf.ones([4])
    assert ones.device.endswith("GPU:1") and memory_of(ones) == "cuda:1"


def test_towers_by_hand_are_summed_on_the_cpu(cuda: Cards) -> None:
    towers = []
    for gpu in tf.config.list_logical_devices("GPU"):
        with tf.device(gpu.name):
            towers.append(tf.matmul(*operands()))
    with tf.device("/CPU:0"):
        total = tf.add_n(towers)
    assert [memory_of(tower) for tower in towers] == [f"cuda:{index}" for index in range(4)]
    assert (memory_of(total), total.shape) == ("cpu", [2, 2])


def test_a_replica_runs_on_each_card(cuda: Cards) -> None:
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        weight = tf.Variable(tf.ones([3, 2]))

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.ones([2, 3]) @ weight)
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    assert [copy.device[-5:] for copy in weight.values] == [f"GPU:{index}" for index in range(4)]
    losses = strategy.run(step)  # a function as a whole: its results come to the device of the call
    assert [memory_of(loss) for loss in losses.values] == ["cuda:0"] * 4
    total = strategy.reduce("sum", losses, axis=None)
    assert total.shape == []


def test_local_devices_are_listed(cuda: Cards) -> None:
    from placewise.devices.local_devices import list_local_devices

    listed = [device for device in list_local_devices() if device.device_type == "GPU"]
    assert [device.name for device in listed] == [f"/device:GPU:{index}" for index in range(4)]
    assert "name: Tesla V100-SXM2-16GB" in listed[3].physical_device_desc


def product_of(left: Any) -> Any:
    return tf1.matmul(left, tf1.constant([[1.0, 2.0]] * 3))


SESSIONS = {
    "plain": tf1.ConfigProto(),
    "memory grows": tf1.ConfigProto(gpu_options=tf1.GPUOptions(allow_growth=True)),
    "a part of the memory": tf1.ConfigProto(
        gpu_options=tf1.GPUOptions(per_process_gpu_memory_fraction=0.4)
    ),
    "two of the cards": tf1.ConfigProto(gpu_options=tf1.GPUOptions(visible_device_list="2,3")),
    "soft placement": tf1.ConfigProto(allow_soft_placement=True),
}


@pytest.mark.parametrize("name", SESSIONS)
@pytest.mark.usefixtures("graph_mode")
def test_a_session_computes_on_a_card(cuda: Cards, name: str) -> None:
    left = tf1.placeholder(tf.float32, [2, 3])
    with tf1.device("/gpu:1"):
        product = product_of(left)
    with tf1.Session(config=SESSIONS[name]) as session:
        found = session.run(product, {left: [[1, 2, 3], [4, 5, 6]]})
    assert found.shape == (2, 2)
    assert cuda.reads == [(2, 2)], "the product is what the host reads from the card"


@pytest.mark.usefixtures("graph_mode")
def test_a_session_says_where_things_run(cuda: Cards, capfd: pytest.CaptureFixture[str]) -> None:
    left = tf1.placeholder(tf.float32, [2, 3])
    towers = []
    for device in ("/gpu:2", "/gpu:3"):
        with tf1.device(device):
            towers.append(product_of(left))
    with tf1.device("/cpu:0"):
        total = tf1.add_n(towers)
    with tf1.Session(config=tf1.ConfigProto(log_device_placement=True)) as session:
        found = session.run(total, {left: [[1, 2, 3], [4, 5, 6]]})
    assert found.shape == (2, 2)
    said = capfd.readouterr().err
    assert "GPU:3 -> device: 3, name: Tesla V100-SXM2-16GB" in said
    for line in ("MatMul: ", "MatMul_1: ", "AddN: "):
        assert line in said
    assert "MatMul_1: /job:localhost/replica:0/task:0/device:GPU:3" in said
    assert "AddN: /job:localhost/replica:0/task:0/device:CPU:0" in said


@pytest.mark.usefixtures("graph_mode")
def test_a_session_refuses_a_card_that_is_not_there(cuda: Cards) -> None:
    with tf1.device("/gpu:7"):
        product = product_of(tf1.ones([2, 3]))
    with tf1.Session() as session, pytest.raises(InvalidArgumentError, match="GPU:7"):
        session.run(product)


@pytest.mark.usefixtures("graph_mode")
def test_variables_of_a_session_are_trained_on_a_card(cuda: Cards) -> None:
    x = tf1.placeholder(tf.float32, [None, 3])
    with tf1.device("/gpu:0"):
        weight = tf1.get_variable("w", [3, 1])
        loss = tf1.reduce_mean(tf1.square(tf1.matmul(x, weight)))
        train = tf1.train.AdamOptimizer(0.1).minimize(loss)
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        cuda.reads.clear()
        for _ in range(3):
            session.run(train, {x: [[1, 2, 3]]})
        assert cuda.reads == []
        assert session.run(weight).shape == (3, 1)


PROGRAMS = {
    "divided_gpu.py": "/device:GPU:7",
    "where_ops_run.py": "device:CPU:0 device:CPU:0 -> device:GPU:0",
    "towers.py": "/device:GPU:3 [[0.0, 0.0], [0.0, 0.0]]",
    "session_towers.py": "MatMul_1: /job:localhost/replica:0/task:0/device:GPU:3",
    "mirrored_keras.py": "Dense/kernel on /device:GPU:0 /device:GPU:1 /device:GPU:2 /device:GPU:3",
    "cifar10_multi_gpu.py": "checkpoints and summaries are in",
    "train_in_a_session.py": "exclusive or: [0 0 0 0]",
}
OPTIONS = {"cifar10_multi_gpu.py": ["--max_steps=4", "--batch_size=4", "--width=8"]}


def test_every_example_is_run() -> None:
    needs_a_cluster = {"parameter_server.py"}
    examples = {path.name for path in (ROOT / "examples").glob("*.py")}
    assert examples - needs_a_cluster == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_runs_to_its_end(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(DRIVER), str(ROOT / "examples" / name), *OPTIONS.get(name, [])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert PROGRAMS[name] in done.stdout + done.stderr
