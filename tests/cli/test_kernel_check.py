"""`placewise check --kernels`: what it prints, and its exit status."""

import json

import placewise as tf
from placewise.check.outcome import Outcome
from placewise.cli.kernel_check import find_gpu, to_json, to_lines

from .conftest import Run

FOUND = [
    Outcome("Add", 0, "Add(float32[2], float32[2])", "same", device="GPU:0", has_gradient=True),
    Outcome("Sqrt", 0, "Sqrt(float32[3])", "differs", "largest difference 0.5", "GPU:0"),
    Outcome("Sqrt", 1, "Sqrt(float64[3])", "same", device="GPU:0"),
    Outcome("StringLower", 0, "StringLower(string[1])", "same", device="CPU:0"),
    Outcome("Svd", 0, "Svd(float32[2,2])", "fails", "RuntimeError: no such kernel"),
    Outcome("Tan", 0, "Tan(string)", "skipped", "it fails on the CPU: TypeError: text"),
]


def test_every_kernel_is_the_same_on_a_simulated_gpu(placewise: Run) -> None:
    done = placewise("check", "--kernels", "--simulate", "2xV100", "--device", "GPU:1", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["samples"], done.stderr) == (0, [], "")
    assert report["counts"]["same"] > 1900 and report["gradients_compared"] > 400
    assert report["summary"].endswith("on Tesla V100-SXM2-16GB (simulated GPU:1)")
    assert report["versions"].keys() == {"placewise", "torch", "python", "system"}
    assert report["device"]["tensorflow"] == "GPU:1" and report["device"]["simulated"]


def test_without_a_gpu_it_says_why_as_devices_does(placewise: Run) -> None:
    done = placewise("check", "--kernels", "--simulate", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "No GPU can be used" in done.stderr
    assert done.stderr.removeprefix("placewise check: ") in (
        placewise("devices", "--simulate", "0").stdout
    )


def test_a_gpu_that_is_not_there_is_refused(placewise: Run) -> None:
    done = placewise("check", "--kernels", "--simulate", "2", "--device", "GPU:7")
    assert done.returncode == 2
    assert "--device GPU:7: there is no such GPU; here: GPU:0, GPU:1" in done.stderr


def test_a_machine_that_is_none_is_refused(placewise: Run) -> None:
    done = placewise("check", "--kernels", "--simulate", "2xNothing")
    assert done.returncode == 2 and "there is no model 'Nothing'" in done.stderr


def test_a_gpu_is_named_as_tensorflow_takes_it() -> None:
    with tf.simulate("2"):
        assert {find_gpu(name).index for name in ("GPU:1", "/gpu:1", "/device:GPU:1")} == {1}


def test_lines_tell_what_is_not_the_same_and_then_all_in_one() -> None:
    with tf.simulate("V100"):
        lines = to_lines(find_gpu("GPU:0"), FOUND)
    assert lines == [
        "Svd 0  fails  RuntimeError: no such kernel\n    Svd(float32[2,2])",
        "Sqrt 0  differs  largest difference 0.5\n    Sqrt(float32[3])",
        "Tan 0  skipped  it fails on the CPU: TypeError: text\n    Tan(string)",
        "6 samples of 5 ops: 3 same, 1 differ, 1 fail, 1 skipped on "
        "Tesla V100-SXM2-16GB (simulated GPU:0)",
        "1 of them, of 1 ops, ran on the CPU: GPUs have no kernel for their types",
    ]


def test_json_has_the_same_with_versions_and_card() -> None:
    with tf.simulate("V100"):
        report = to_json(find_gpu("GPU:0"), {"built_for": "cpu"}, FOUND)
    assert json.loads(json.dumps(report)) == report
    assert report["counts"] == {"same": 3, "fails": 1, "differs": 1, "skipped": 1}
    assert [sample["op"] for sample in report["samples"]] == ["Svd", "Sqrt", "Tan"]
    assert report["samples"][1]["what"] == "largest difference 0.5"
    assert report["device"]["model"] == "Tesla V100-SXM2-16GB"
    assert report["device"]["compute_capability"] == "7.0"
    assert report["ran_on_the_cpu"] == ["StringLower"]
