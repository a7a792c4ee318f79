"""What gives memory back: a release, the end of a session, of a handle, of a copy."""

import gc

import pytest

import placewise
import placewise as tf
import placewise.compat.v1 as v1
from placewise.devices import inventory
from placewise.memory import ledgers

MEGABYTE = 1 << 20


def pools():
    """Return what counts on the GPUs in use of this machine."""
    return [each for each in ledgers.in_use() if each.device.machine is inventory.discovery()]


def used():
    return tf.config.experimental.get_memory_info("GPU:0")["current"]


def test_remembered_scalars_do_not_keep_a_pool():
    inventory.set_lives(ledgers.lives)
    with tf.simulate("V100:1GiB"):
        x = tf.random.normal([1024]) * 2.0 + 1
        del x
        released = placewise.release_memory()
        assert released.before_bytes > 0
        assert released.after_bytes == 0
        assert not pools()
        gpu = tf.config.list_physical_devices("GPU")[0]
        tf.config.experimental.set_memory_growth(gpu, True)
        assert (tf.ones([2]) * 2.0).numpy().tolist() == [2, 2]  # they are made again


def test_remembered_scalars_do_not_keep_the_pool_of_the_last_session():
    with tf.simulate("V100:1GiB"):
        x = tf.ones([4]) * 3.0
        with v1.Graph().as_default(), v1.Session() as session:
            session.run(v1.random_normal([4]))
            del x
        assert not pools()


def failing(fraction, build):
    options = v1.GPUOptions(per_process_gpu_memory_fraction=fraction)
    config = v1.ConfigProto(gpu_options=options)
    with v1.Graph().as_default(), v1.device("/gpu:0"), v1.Session(config=config) as session:
        return session.run(build())


def too_large():
    return v1.reduce_sum(v1.random_normal([1024, 1024]) * 2.0) + v1.reduce_sum(
        v1.random_normal([20, 1024, 1024])
    )


def refused():
    numbers = v1.random_normal([1024, 1024]) * 2.0
    with v1.device("/cpu:0"):
        checked = v1.check_numerics(v1.log(-1.0 - v1.reduce_sum(numbers) ** 2), "bad")
    return v1.reduce_sum(numbers) + checked


@pytest.mark.parametrize("build", [too_large, refused])
def test_a_session_that_ends_with_an_error_gives_its_memory_back(build):
    with tf.simulate("V100:330MiB"):
        kept = None
        try:
            failing(0.1, build)
        except tf.errors.OpError as error:
            kept = error  # a program may keep it
            assert not pools()
        assert kept is not None
        assert not pools()
        failing(0.5, lambda: v1.reduce_sum(v1.random_normal([20, 1024, 1024])))


def test_an_error_that_is_kept_holds_nothing_that_was_computed():
    with tf.simulate("V100:1GiB"), v1.Graph().as_default():
        with v1.device("/gpu:0"):
            target = refused()
        with v1.Session() as session:
            kept, seen = [], set()
            for _ in range(3):
                with pytest.raises(tf.errors.InvalidArgumentError, match="bad") as caught:
                    session.run(target)
                kept.append(caught.value)
                del caught
                seen.add(used())
            assert max(seen) < MEGABYTE
            assert len(seen) == 1


def test_the_frames_of_the_program_keep_what_they_have():
    def look(array):
        local_of_mine = array + 1
        raise ValueError(f"mine {local_of_mine}")

    with tf.simulate("V100"), v1.Graph().as_default():
        target = v1.py_func(look, [v1.constant([1.0])], v1.float32)
        session = v1.Session()
        with pytest.raises(tf.errors.InvalidArgumentError, match="mine") as caught:
            session.run(target)
        session.close()
    error, found = caught.value, []
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            found += [trace.tb_frame.f_locals.get("local_of_mine")]
            trace = trace.tb_next
        error = error.__cause__ or error.__context__
    assert [2.0] in [each.tolist() for each in found if each is not None]


def test_a_copy_asked_for_lives_as_long_as_it_is_held():
    with tf.simulate("V100:1GiB"):
        x = tf.random.normal([512, 512])
        for _ in range(3):
            back = x.cpu().gpu()
            assert used() == 2 * MEGABYTE
            del back
            assert used() == MEGABYTE


def test_the_copy_for_an_op_is_made_once():
    with tf.simulate("V100:1GiB"):
        with tf.device("CPU:0"):
            x = tf.random.normal([512, 512])
        one = x + 1.0
        assert used() >= 2 * MEGABYTE
        before = used()
        two = x + 1.0
        assert used() == before + MEGABYTE
        del one, two, x
        gc.collect()
        assert used() < MEGABYTE


def test_a_deleted_handle_holds_nothing():
    with tf.simulate("V100:1GiB"), v1.Graph().as_default():
        with v1.device("/gpu:0"):
            kept = v1.get_session_handle(v1.random_normal([512, 512]))
        session = v1.Session()
        for _ in range(3):
            handle = session.run(kept)
            assert used() >= MEGABYTE
            handle.delete()
            assert used() < MEGABYTE
        other = session.run(kept)
        session.close()
        assert not pools()
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            other.eval()
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            other.delete()
