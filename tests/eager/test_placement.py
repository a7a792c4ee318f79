"""Where eager ops run, what they copy, and what is said about it."""

import warnings

import pytest

import placewise as tf

GPU = "/job:localhost/replica:0/task:0/device:GPU:"
CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.fixture
def four_gpus():
    with tf.simulate("4xK20m"):
        yield


def test_without_a_gpu_everything_runs_on_the_cpu():
    with tf.simulate("0"):
        x = tf.constant([1.0])
        assert (x.device, (x + x).device) == (CPU, CPU)


def test_a_gpu_is_preferred_and_the_lowest_id_first(four_gpus):
    x = tf.constant([1.0])
    assert x.device == GPU + "0"
    assert tf.add(x, x).device == GPU + "0"


@pytest.mark.parametrize("name", ["/gpu:2", "/device:GPU:2", "GPU:2", "gpu:2", "/GPU:2"])
def test_a_scope_decides(four_gpus, name):
    with tf.device(name):
        x = tf.constant([1.0])
        assert x.device == (x * 2.0).device == GPU + "2"
    assert (x * 2.0).device == GPU + "0"


def test_inputs_elsewhere_are_copied_not_followed(four_gpus):
    with tf.device("/gpu:3"):
        x = tf.constant([1.0])
    with tf.record() as log:
        y = x + x
    assert y.device == GPU + "0"
    (copy,) = log.copies()
    assert (copy.source, copy.target, copy.bytes) == (GPU + "3", GPU + "0", 4)


def test_a_second_use_of_a_copy_is_free(four_gpus):
    with tf.device("/gpu:3"):
        x = tf.constant([1.0])
    _ = x * x
    with tf.record() as log:
        _ = x * x
    assert log.copies() == []


def test_a_copy_does_not_share_memory(four_gpus):
    with tf.device("/cpu:0"):
        x = tf.constant([1.0])
    with tf.device("/gpu:1"):
        y = tf.identity(x)
    assert y.device == GPU + "1"
    assert y._value.data_ptr() != x._value.data_ptr()


def test_small_host_integers_stay_in_host_memory(four_gpus):
    x = tf.constant([1, 2])
    assert x.device == GPU + "0"
    assert x.backing_device == CPU
    with tf.record() as log, tf.device("/gpu:1"):
        _ = x + x
    assert log.copies() == []


def test_strings_stay_on_the_cpu(four_gpus):
    assert tf.constant("a").device == CPU
    assert tf.strings.join(["a", "b"]).device == CPU


def test_a_variable_keeps_its_ops_with_it(four_gpus):
    with tf.device("/gpu:2"):
        v = tf.Variable([1.0])
    with tf.device("/gpu:1"), tf.record() as log:
        v.assign_add([1.0])
    assert v.device == GPU + "2"
    assert [(e.op, e.device) for e in log] == [("AssignAddVariableOp", GPU + "2")]
    assert (v + 1.0).device == GPU + "0"


def test_an_int32_variable_lives_on_the_cpu(four_gpus):
    assert tf.Variable(1).device == CPU


def test_a_missing_device_is_an_error_that_says_what_there_is(four_gpus):
    with tf.device("/gpu:7"), pytest.raises(RuntimeError) as raised:
        tf.constant([1.0])
    first, second = str(raised.value).splitlines()
    assert first == (f"Error copying tensor to device: {GPU}7. {GPU}7 unknown device.")
    assert "here: CPU:0, GPU:0, GPU:1, GPU:2, GPU:3" in second
    assert isinstance(raised.value, tf.errors.InvalidArgumentError)


def test_a_missing_device_for_an_op_names_the_op(four_gpus):
    x = tf.constant([1.0])
    with tf.device("/gpu:7"), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.add(x, x)
    assert f"Could not satisfy device specification '{GPU}7'" in str(raised.value)
    assert "[Op:AddV2]" in str(raised.value)
    assert tf.add(x, x).numpy().tolist() == [2.0]


def test_soft_placement_finds_another_device_and_says_so(four_gpus):
    tf.config.set_soft_device_placement(True)
    with tf.device("/gpu:7"):
        x = tf.constant([1.0])
        with pytest.warns(tf.PlacementWarning, match="GPU:7 does not exist here"):
            y = x + x
    assert y.device == GPU + "0"
    with tf.device("/gpu:7"), warnings.catch_warnings():
        warnings.simplefilter("error")
        _ = x + x  # said once


def test_an_op_without_a_gpu_kernel_falls_back_unless_hard(four_gpus):
    text = tf.constant(["a"])
    with tf.device("/gpu:1"):
        with pytest.warns(tf.PlacementWarning, match="has no GPU kernel"):
            assert tf.strings.length(text).device == CPU
        tf.config.set_soft_device_placement(False)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Supported device types"):
            tf.strings.length(text)


def test_strict_mode_forbids_every_fallback(four_gpus):
    text = tf.constant(["a"])
    with tf.strict(), tf.device("/gpu:1"), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.strings.length(text)
    assert "StringLength does not run on GPU:1" in str(raised.value)


def test_the_copy_guard_forbids_or_warns(four_gpus):
    with tf.device("/gpu:3"):
        x = tf.constant([1.0])
    with (
        tf.copies("forbid"),
        pytest.raises(tf.errors.InvalidArgumentError, match="Tensors on conflicting devices"),
    ):
        x + x
    with tf.copies("warn"), pytest.warns(tf.PlacementWarning, match="performance bottleneck"):
        _ = x * x
    with pytest.raises(ValueError, match="'allow', 'warn' or 'forbid'"):
        tf.copies("never")


def test_assert_on_names_what_ran_elsewhere(four_gpus):
    with tf.assert_on("/gpu:0"):
        _ = tf.constant([1.0]) * 2.0
    with pytest.raises(AssertionError) as raised, tf.assert_on("/gpu:1"):
        _ = tf.constant([1.0]) * 2.0
    assert "Mul ran on GPU:0" in str(raised.value)
    assert "test_placement.py:" in str(raised.value)


def test_the_log_prints_one_line_an_op(four_gpus, capfd):
    tf.debugging.set_log_device_placement(True)
    x = tf.constant([[1.0]])
    with tf.device("/gpu:2"):
        tf.matmul(x, x)
    with tf.device("/cpu:0"):
        tf.add_n([x, x])
    tf.debugging.set_log_device_placement(False)
    tf.add(x, x)
    lines = capfd.readouterr().err.splitlines()
    assert lines == [
        f"Executing op MatMul in device {GPU}2",
        f"Executing op AddN in device {CPU}",
    ]


def test_record_tells_op_reason_and_line(four_gpus):
    with tf.record() as log, tf.device("/gpu:1"):
        _ = tf.constant([1.0]) + 1.0
    (entry,) = log
    assert (entry.op, entry.device, entry.requested) == ("AddV2", GPU + "1", GPU + "1")
    assert entry.reason == "requested by tf.device('/device:GPU:1')"
    assert "test_placement.py:" in entry.line
    assert "AddV2  GPU:1" in log.table()
    assert '"op": "AddV2"' in log.to_json()


def test_explain_says_why(four_gpus):
    assert tf.explain(tf.constant([1.0]) + 1.0).endswith(
        "GPU:0: no device requested: a GPU is preferred, lowest id first"
    )


def test_scopes_nest_and_none_means_automatic(four_gpus):
    with tf.device("/gpu:1"):
        with tf.device("/cpu"):
            pass
        with tf.device(None):
            assert tf.constant([1.0]).device == GPU + "0"
        assert tf.constant([1.0]).device == GPU + "1"


def test_a_scope_is_left_also_by_an_exception(four_gpus):
    with pytest.raises(KeyError), tf.device("/gpu:1"):
        raise KeyError
    assert tf.constant([1.0]).device == GPU + "0"


def test_a_function_is_no_device():
    with pytest.raises(RuntimeError, match="does not support functions"):
        tf.device(lambda op: "/cpu:0")


def test_a_name_that_is_none_fails_at_once():
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"):
        tf.device("/foo:0")


def test_each_thread_has_its_own_scope(four_gpus):
    import threading

    seen = {}

    def work(index: int) -> None:
        with tf.device(f"/gpu:{index}"):
            for _ in range(200):
                x = tf.constant([1.0])
                seen.setdefault(index, set()).update({x.device, (x + x).device})

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {i: {f"{GPU}{i}"} for i in range(4)}
